#include "manager/choice.h"

#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/passes/bounds.h"
#include "ccgraph/passes/timeline.h"
#include "schedule/overlap/memory_limits.h"

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
  Trial(const Graph &graph, const PassSetting &setting)
      : graph_(graph.clone()), analyses_(*graph_, setting.analyses), costs_(setting.costs, *graph_), setting_(setting) {
  }

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

/// The best choice of a pipeline.
class Chooser {
public:
  Chooser(const Graph &graph, llvm::ArrayRef<std::unique_ptr<Pass>> passes, const PassSetting &setting)
      : graph_(graph), setting_(setting) {
    auto chooses = [](const std::unique_ptr<Pass> &pass) { return pass->choosesNodes(); };
    choosing_ = passes.take_while(chooses);
    others_ = passes.drop_front(choosing_.size());
  }
  [[nodiscard]] Choice choose();

private:
  [[nodiscard]] std::vector<int64_t> smallerBudgets() const;
  void consider(const Choice &choice);
  void considerBudgets(int64_t most, Choice like);
  [[nodiscard]] bool canFree() const;
  [[nodiscard]] std::optional<Outcome> outcomeOf(const Choice &choice);
  [[nodiscard]] std::optional<Outcome> complete(Trial &trial, std::string text);

  const Graph &graph_;
  llvm::ArrayRef<std::unique_ptr<Pass>> choosing_, others_;
  const PassSetting &setting_;
  Choice chosen_;
  std::optional<Outcome> best_;
  std::map<std::string, std::optional<Outcome>> known_; ///< by the text of the rewrites
};

/// Returns the outcome after the other passes, unless it is known of the same rewrites. Returns no value if it cannot
/// be better than the best one.
std::optional<Outcome> Chooser::complete(Trial &trial, std::string text) {
  auto [known, isNew] = known_.try_emplace(std::move(text));
  if (!isNew)
    return known->second;
  if (best_ && best_->bytesOver == 0 && trial.bound() >= best_->picoseconds)
    return std::nullopt;
  for (const std::unique_ptr<Pass> &pass : others_)
    if (!trial.run(*pass, {}))
      return std::nullopt;
  return known->second = trial.outcome();
}

/// Returns the outcome of the step with the nodes that are chosen in this way.
std::optional<Outcome> Chooser::outcomeOf(const Choice &choice) {
  Trial trial(graph_, setting_);
  std::string text;
  for (const std::unique_ptr<Pass> &pass : choosing_) {
    std::optional<std::string> rewrite = trial.run(*pass, choice);
    if (!rewrite)
      return std::nullopt;
    text += *rewrite;
  }
  return complete(trial, std::move(text));
}

void Chooser::consider(const Choice &choice) {
  if (const std::optional<Outcome> outcome = outcomeOf(choice); outcome && (!best_ || outcome->isBetterThan(*best_)))
    best_ = outcome, chosen_ = choice;
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

/// Considers the budgets up to `most` bytes. The largest one first: its searches have the results of the smaller ones.
void Chooser::considerBudgets(int64_t most, Choice like) {
  like.budget = std::nullopt;
  if (setting_.budget.value_or(overlap::unlimited) <= most)
    consider(like);
  const std::vector<int64_t> limits = smallerBudgets();
  for (const int64_t limit : llvm::reverse(limits)) {
    like.budget = limit;
    if (limit <= most)
      consider(like);
  }
}

/// Returns true if a pass that frees memory changes the program.
bool Chooser::canFree() const {
  Trial trial(graph_, setting_);
  for (const std::unique_ptr<Pass> &pass : choosing_)
    if (pass->freesMemory() && trial.run(*pass, {std::nullopt, true}).value_or("") != "")
      return true;
  return false;
}

Choice Chooser::choose() {
  constexpr size_t mostNodes = 12'000;
  if (graph_.size() > mostNodes)
    return {};
  considerBudgets(std::numeric_limits<int64_t>::max(), {});
  // Memory beyond 125 % of the peak is not scarce.
  if (canFree())
    considerBudgets(*setting_.inputPeak + *setting_.inputPeak / 4, {.freesMemory = true});
  if (setting_.costs.get().machine().hostLink.exists())
    considerBudgets(*setting_.inputPeak - 1, {.freesMemory = chosen_.freesMemory, .actionPerValue = true});
  return chosen_;
}

} // namespace

bool needsChoice(llvm::ArrayRef<std::unique_ptr<Pass>> passes) {
  return llvm::any_of(passes, [](const std::unique_ptr<Pass> &pass) {
    return pass->phase() == Phase::Schedule && pass->reordersCollectives();
  });
}

Choice chooseForStep(const Graph &graph, llvm::ArrayRef<std::unique_ptr<Pass>> passes, const PassSetting &setting) {
  return Chooser(graph, passes, setting).choose();
}

} // namespace ccgraph
