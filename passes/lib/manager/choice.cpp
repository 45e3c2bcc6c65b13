#include "manager/choice.h"

#include "ccgraph/ir/context.h"
#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/passes/bounds.h"
#include "ccgraph/passes/timeline.h"
#include "schedule/overlap/memory_limits.h"
#include "schedule/overlap/ordered_tasks.h"
#include "schedule/search_record.h"

#include <future>
#include <limits>
#include <map>

namespace ccgraph {

namespace {

struct Outcome {
  int64_t bytesOver = 0; ///< bytes over the budget
  int64_t picoseconds = 0;
  [[nodiscard]] bool isBetterThan(const Outcome &other) const {
    return std::pair(bytesOver, picoseconds) < std::pair(other.bytesOver, other.picoseconds);
  }
};

/// A copy of the graph on which passes run.
class Trial {
public:
  /// `shared` has the record of searches.
  Trial(const Graph &graph, const PassSetting &setting, Analyses &shared)
      : graph_(graph.clone()), analyses_(*graph_, shared), costs_(setting.costs, *graph_), setting_(setting) {}

  /// Runs a pass as chosen. Returns the text of its rewrite, empty if the pass changed nothing, or no value if it
  /// failed.
  [[nodiscard]] std::optional<std::string> run(const Pass &pass, const Choice &choice) {
    std::unique_ptr<Pass> own = pass.clone();
    PassContext context(pass.name(), {analyses_, costs_, choice.budget ? choice.budget : setting_.budget, setting_.spmd,
                                      setting_.bitwise, setting_.objects, setting_.inputPeak, setting_.knownOrders,
                                      choice.freesMemory, choice.actionPerValue});
    llvm::Expected<Changed> changed = own->run(*graph_, context);
    if (!changed) {
      llvm::consumeError(changed.takeError());
      return std::nullopt;
    }
    if (*changed == Changed::No)
      return "";
    costs_.keepCosts();
    return own->repetition() + ",";
  }

  /// Returns the picoseconds that no schedule of these nodes beats.
  [[nodiscard]] int64_t bound() {
    return predictBounds(*graph_, analyses_, costs_.get(), {setting_.spmd, setting_.bitwise}).anyMerging.picoseconds;
  }

  [[nodiscard]] Outcome outcome() {
    const int64_t peak = peakMemory(*graph_, analyses_.storages()).bytes;
    const int64_t over = setting_.budget ? std::max<int64_t>(peak - *setting_.budget, 0) : 0;
    return {over, predictTimeline(*graph_, analyses_, costs_.get()).total};
  }

private:
  std::unique_ptr<Graph> graph_;
  Analyses analyses_;
  CostsOnDemand costs_;
  const PassSetting &setting_;
};

/// The best of the choices that were tried.
struct Best {
  Choice choice;
  std::optional<Outcome> outcome;
  /// Takes the other one if it is better.
  void consider(const Best &other) {
    if (other.outcome && (!outcome || other.outcome->isBetterThan(*outcome)))
      *this = other;
  }
};

/// Finds the best choice among several budgets. `shared` has the record of its searches.
class Chooser {
public:
  Chooser(const Graph &graph, llvm::ArrayRef<std::unique_ptr<Pass>> passes, const PassSetting &setting,
          Analyses &shared)
      : graph_(graph), setting_(setting), shared_(shared) {
    auto chooses = [](const std::unique_ptr<Pass> &pass) { return pass->choosesNodes(); };
    choosing_ = passes.take_while(chooses);
    others_ = passes.drop_front(choosing_.size());
  }
  /// Considers the budgets up to `most` bytes.
  void considerBudgets(int64_t most, Choice like);
  [[nodiscard]] const Best &best() const { return best_; }
  /// Considers what another chooser found.
  void consider(const Best &other) { best_.consider(other); }
  /// Returns true if a pass that frees memory changes the program.
  [[nodiscard]] bool canFree() const;

private:
  [[nodiscard]] std::vector<int64_t> smallerBudgets() const;
  [[nodiscard]] std::optional<Outcome> outcomeOf(const Choice &choice);
  [[nodiscard]] std::optional<Outcome> complete(Trial &trial, std::string text);

  const Graph &graph_;
  llvm::ArrayRef<std::unique_ptr<Pass>> choosing_, others_;
  const PassSetting &setting_;
  Analyses &shared_;
  Best best_;
  std::map<std::string, std::optional<Outcome>> known_; ///< by the text of the rewrites
};

/// Returns the outcome after the other passes, unless it is known of the same rewrites. Returns no value if it cannot
/// be better than the best one.
std::optional<Outcome> Chooser::complete(Trial &trial, std::string text) {
  auto [known, isNew] = known_.try_emplace(std::move(text));
  if (!isNew)
    return known->second;
  if (best_.outcome && best_.outcome->bytesOver == 0 && trial.bound() >= best_.outcome->picoseconds)
    return std::nullopt;
  for (const std::unique_ptr<Pass> &pass : others_)
    if (!trial.run(*pass, {}))
      return std::nullopt;
  return known->second = trial.outcome();
}

/// Returns the outcome of the step with the nodes that are chosen in this way.
std::optional<Outcome> Chooser::outcomeOf(const Choice &choice) {
  Trial trial(graph_, setting_, shared_);
  std::string text;
  for (const std::unique_ptr<Pass> &pass : choosing_) {
    std::optional<std::string> rewrite = trial.run(*pass, choice);
    if (!rewrite)
      return std::nullopt;
    text += *rewrite;
  }
  return complete(trial, std::move(text));
}

/// Returns the smaller budgets that are tried, ascending. Each costs up to as much as the budget itself, so of those
/// below the peak, large programs have only the largest.
std::vector<int64_t> Chooser::smallerBudgets() const {
  constexpr size_t mostForAll = 6'000;
  std::vector<int64_t> limits = overlap::fullLimits(*setting_.inputPeak, setting_.budget.value_or(overlap::unlimited));
  if (graph_.size() > mostForAll) {
    auto atPeak = llvm::lower_bound(limits, *setting_.inputPeak);
    if (atPeak != limits.begin())
      limits.erase(limits.begin(), std::prev(atPeak));
  }
  return limits;
}

// The largest budget first: its searches have the results of the smaller ones.
void Chooser::considerBudgets(int64_t most, Choice like) {
  auto consider = [&](std::optional<int64_t> budget) {
    like.budget = budget;
    best_.consider({like, outcomeOf(like)});
  };
  if (setting_.budget.value_or(overlap::unlimited) <= most)
    consider(std::nullopt);
  const std::vector<int64_t> limits = smallerBudgets();
  for (const int64_t limit : llvm::reverse(limits))
    if (limit <= most)
      consider(limit);
}

bool Chooser::canFree() const {
  Trial trial(graph_, setting_, shared_);
  for (const std::unique_ptr<Pass> &pass : choosing_)
    if (pass->freesMemory() && trial.run(*pass, {std::nullopt, true}).value_or("") != "")
      return true;
  return false;
}

/// Considers budgets with the passes that free memory, and all budgets without these passes. Neither result depends on
/// the other, and the programs differ. So where the machine has several threads, two run at once, each with a record of
/// its own searches.
void considerBoth(Chooser &usual, const Graph &graph, llvm::ArrayRef<std::unique_ptr<Pass>> passes,
                  const PassSetting &setting) {
  // Memory beyond 125 % of the peak is not scarce.
  const int64_t scarce = *setting.inputPeak + *setting.inputPeak / 4;
  const Context::Sharing sharing(graph.context());
  Analyses analyses(graph, setting.analyses.boundTypes());
  Chooser freeing(graph, passes, setting, analyses);
  // libstdc++ defers the task, too, if the system has no thread left.
  const std::launch policy =
      overlap::usefulThreads() > 1 ? std::launch::async | std::launch::deferred : std::launch::deferred;
  std::future<void> done = std::async(policy, [&] { freeing.considerBudgets(scarce, {.freesMemory = true}); });
  usual.considerBudgets(std::numeric_limits<int64_t>::max(), {});
  done.get();
  usual.consider(freeing.best());
  setting.analyses.searches().add(std::move(analyses.searches()));
}

} // namespace

bool needsChoice(llvm::ArrayRef<std::unique_ptr<Pass>> passes) {
  return llvm::any_of(passes, [](const std::unique_ptr<Pass> &pass) {
    return pass->phase() == Phase::Schedule && pass->reordersCollectives();
  });
}

Choice chooseForStep(const Graph &graph, llvm::ArrayRef<std::unique_ptr<Pass>> passes, const PassSetting &setting) {
  constexpr size_t mostNodes = 12'000;
  if (graph.size() > mostNodes)
    return {};
  const bool hasLink = setting.costs.get().machine().hostLink.exists();
  Chooser chooser(graph, passes, setting, setting.analyses);
  if (chooser.canFree())
    considerBoth(chooser, graph, passes, setting);
  else
    chooser.considerBudgets(std::numeric_limits<int64_t>::max(), {});
  if (hasLink)
    chooser.considerBudgets(*setting.inputPeak - 1,
                            {.freesMemory = chooser.best().choice.freesMemory, .actionPerValue = true});
  return chooser.best().choice;
}

} // namespace ccgraph
