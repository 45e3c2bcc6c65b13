#include "manager/choice_budget.h"

#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/passes/bounds.h"
#include "ccgraph/passes/timeline.h"
#include "schedule/overlap/memory_limits.h"

#include <map>

namespace ccgraph {

namespace {

/// Bytes over the budget, then picoseconds: less is better.
using Rank = std::pair<int64_t, int64_t>;

/// A copy of the graph on which passes run.
class Trial {
public:
  Trial(const Graph &graph, const PassSetting &setting)
      : graph_(graph.clone()), analyses_(*graph_, setting.analyses), costs_(setting.costs, *graph_), setting_(setting) {
  }

  /// Runs a pass under a budget. Returns the text of its rewrite, empty if the pass changed nothing, or no value if it
  /// failed.
  [[nodiscard]] std::optional<std::string> run(const Pass &pass, std::optional<int64_t> budget) {
    std::unique_ptr<Pass> own = pass.clone();
    PassContext context(pass.name(), {analyses_, costs_, budget, setting_.spmd, setting_.bitwise, setting_.objects,
                                      setting_.inputPeak, setting_.knownOrders});
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

  [[nodiscard]] Rank rank() {
    const int64_t peak = setting_.budget ? peakMemory(*graph_, analyses_.storages()).bytes : 0;
    return {std::max<int64_t>(peak - setting_.budget.value_or(0), 0),
            predictTimeline(*graph_, analyses_, costs_.get()).total};
  }

private:
  std::unique_ptr<Graph> graph_;
  Analyses analyses_;
  CostsOnDemand costs_;
  const PassSetting &setting_;
};

class ChoiceBudget {
public:
  ChoiceBudget(const Graph &graph, llvm::ArrayRef<std::unique_ptr<Pass>> passes, const PassSetting &setting)
      : graph_(graph), setting_(setting) {
    auto chooses = [](const std::unique_ptr<Pass> &pass) { return pass->choosesNodes(); };
    choosing_ = passes.take_while(chooses);
    others_ = passes.drop_front(choosing_.size());
  }
  [[nodiscard]] std::optional<int64_t> choose();

private:
  [[nodiscard]] std::vector<int64_t> smallerBudgets() const;
  [[nodiscard]] std::optional<Rank> rankOf(std::optional<int64_t> limit);
  [[nodiscard]] std::optional<Rank> complete(Trial &trial, std::string text);

  const Graph &graph_;
  const PassSetting &setting_;
  llvm::ArrayRef<std::unique_ptr<Pass>> choosing_, others_;
  std::optional<Rank> best_;
  std::map<std::string, std::optional<Rank>> known_; ///< by the text of the rewrites
};

/// Returns the rank after the other passes, unless it is known of the same rewrites. Returns no value if it cannot be
/// better than the best one.
std::optional<Rank> ChoiceBudget::complete(Trial &trial, std::string text) {
  auto [known, isNew] = known_.try_emplace(std::move(text));
  if (!isNew)
    return known->second;
  if (best_ && best_->first == 0 && trial.bound() >= best_->second)
    return std::nullopt;
  for (const std::unique_ptr<Pass> &pass : others_)
    if (!trial.run(*pass, setting_.budget))
      return std::nullopt;
  return known->second = trial.rank();
}

/// Returns the rank of the step with the nodes that are chosen under the limit.
std::optional<Rank> ChoiceBudget::rankOf(std::optional<int64_t> limit) {
  Trial trial(graph_, setting_);
  std::string text;
  for (const std::unique_ptr<Pass> &pass : choosing_) {
    std::optional<std::string> rewrite = trial.run(*pass, limit);
    if (!rewrite)
      return std::nullopt;
    text += *rewrite;
  }
  return complete(trial, std::move(text));
}

/// Returns the smaller budgets that are tried, ascending. Each costs up to as much as the budget itself, so large
/// programs have fewer.
std::vector<int64_t> ChoiceBudget::smallerBudgets() const {
  constexpr size_t mostNodes = 12'000, mostBelowPeak = 3'000;
  if (graph_.size() > mostNodes)
    return {};
  std::vector<int64_t> limits = overlap::fullLimits(*setting_.inputPeak, setting_.budget.value_or(overlap::unlimited));
  if (graph_.size() > mostBelowPeak)
    llvm::erase_if(limits, [&](int64_t limit) { return limit < *setting_.inputPeak; });
  return limits;
}

/// The largest budget first: its searches have the results of the smaller ones.
std::optional<int64_t> ChoiceBudget::choose() {
  const std::vector<int64_t> limits = smallerBudgets();
  if (limits.empty())
    return std::nullopt;
  std::optional<int64_t> chosen;
  best_ = rankOf(setting_.budget);
  for (const int64_t limit : llvm::reverse(limits))
    if (const std::optional<Rank> rank = rankOf(limit); rank && best_ && *rank < *best_)
      best_ = rank, chosen = limit;
  return chosen;
}

} // namespace

bool needsChoiceBudget(llvm::ArrayRef<std::unique_ptr<Pass>> passes) {
  return llvm::any_of(passes, [](const std::unique_ptr<Pass> &pass) {
    return pass->phase() == Phase::Schedule && pass->reordersCollectives();
  });
}

std::optional<int64_t> choiceBudget(const Graph &graph, llvm::ArrayRef<std::unique_ptr<Pass>> passes,
                                    const PassSetting &setting) {
  return ChoiceBudget(graph, passes, setting).choose();
}

} // namespace ccgraph
