#include "ccgraph/toolkit/advice.h"

#include "ccgraph/ir/durations.h"
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/ir/text.h"
#include "ccgraph/toolkit/pass_options.h"
#include "ccgraph/toolkit/split_group.h"
#include "ccgraph/toolkit/text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ccgraph {

namespace {

/// Larger budgets are tried, in percent of the memory that is used now.
constexpr int64_t budgets[] = {105, 110, 125, 150, 200};
/// Smaller budgets that are tried, in percent of the memory that is used now. The first one that is met is reported.
constexpr int64_t smallerBudgets[] = {80, 90, 95};
/// A saving below one part in this many is not reported.
constexpr int64_t worthParts = 100;
constexpr int64_t mebibyte = int64_t{1} << 20;

struct BudgetedAdvice {
  Advice advice;
  int64_t budget = 0;
};

/// Returns the sum of a statistic over the runs of a pass, whatever its options.
int64_t sumOf(const PipelineRun &run, llvm::StringRef pass, llvm::StringRef statistic) {
  int64_t sum = 0;
  for (const PassRun &it : run.passes)
    if (llvm::StringRef(it.pass).split('{').first == pass)
      for (const auto &[name, value] : it.statistics)
        sum += name == statistic ? value : 0;
  return sum;
}

/// Returns what the passes exchange between memory and time: "3 results kept, 1.5 GiB; 8 values computed again, 2.0 GiB
/// for 1.2 ms and 4 gathers of 9.0 ms; 2 values in the host's memory, 1.0 GiB with copies of 80.0 ms"; empty if they
/// exchange nothing.
std::string exchangesOf(const PipelineRun &run) {
  std::vector<std::string> texts;
  if (const int64_t kept = sumOf(run, "keep-gathered", "kept"))
    texts.push_back(counted(static_cast<size_t>(kept), "result") + " kept, " +
                    bytesText(sumOf(run, "keep-gathered", "bytes")));
  if (const int64_t again = sumOf(run, "recompute-values", "recomputed"))
    texts.push_back(counted(static_cast<size_t>(again), "value") + " computed again, " +
                    bytesText(sumOf(run, "recompute-values", "bytes")) + " for " +
                    timeText(sumOf(run, "recompute-values", "cost-ns") * picosecondsOfNs));
  if (const int64_t gathers = sumOf(run, "recompute-values", "gathered"))
    texts.back() += " and " + counted(static_cast<size_t>(gathers), "gather") + " of " +
                    timeText(sumOf(run, "recompute-values", "gather-ns") * picosecondsOfNs);
  if (const int64_t offloaded = sumOf(run, "recompute-values", "offloaded"))
    texts.push_back(counted(static_cast<size_t>(offloaded), "value") + " in the host's memory, " +
                    bytesText(sumOf(run, "recompute-values", "offloaded-bytes")) + " with copies of " +
                    timeText(sumOf(run, "recompute-values", "copies-ns") * picosecondsOfNs));
  return llvm::join(texts, "; ");
}

class Adviser {
public:
  explicit Adviser(const AdviceQuestion &question) : question_(question) {}
  std::vector<Advice> run();

private:
  using Change = llvm::function_ref<void(Graph &, PassManagerOptions &)>;
  [[nodiscard]] std::optional<Advice> attempt(const Pipeline &pipeline, Change change) const;
  [[nodiscard]] bool isWorth(int64_t saved) const { return saved > 0 && saved * worthParts >= question_.total; }
  void add(Advice advice, std::string change, std::string flags);
  [[nodiscard]] std::optional<BudgetedAdvice> attemptBudget(int64_t budget) const;
  [[nodiscard]] BudgetedAdvice tightened(BudgetedAdvice found) const;
  void addBudget(BudgetedAdvice step);
  void tryMemory();
  void tryLessMemory();
  void tryLongerSearch();
  void tryGroups();
  void tryApart();

  const AdviceQuestion &question_;
  std::vector<Advice> found_;
};

std::optional<Advice> Adviser::attempt(const Pipeline &pipeline, Change change) const {
  std::unique_ptr<Graph> graph = question_.input.clone();
  PassManagerOptions options = trialOptions(question_.options);
  change(*graph, options);
  llvm::Expected<PipelineRun> run = runPipeline(*graph, pipeline, options);
  if (!run) {
    llvm::consumeError(run.takeError());
    return std::nullopt;
  }
  if (!run->timeAfter)
    return std::nullopt;
  Advice advice;
  advice.total = run->timeAfter->total;
  advice.saved = question_.total - advice.total;
  advice.moreMemory = peakMemory(*graph).bytes - question_.peakBytes;
  advice.exchanges = exchangesOf(*run);
  return advice;
}

void Adviser::add(Advice advice, std::string change, std::string flags) {
  advice.change = std::move(change);
  advice.flags = std::move(flags);
  found_.push_back(std::move(advice));
}

int64_t wholeMebibytes(int64_t bytes) { return (bytes + mebibyte - 1) / mebibyte * mebibyte; }

std::optional<BudgetedAdvice> Adviser::attemptBudget(int64_t budget) const {
  std::optional<Advice> advice =
      attempt(question_.pipeline, [&](Graph &, PassManagerOptions &options) { options.memoryBudget = budget; });
  return advice ? std::optional(BudgetedAdvice{std::move(*advice), budget}) : std::nullopt;
}

/// The search often needs less than its budget. The advice then gives the memory that was needed, if the search has the
/// same result with it.
BudgetedAdvice Adviser::tightened(BudgetedAdvice found) const {
  int64_t needed = wholeMebibytes(question_.peakBytes + found.advice.moreMemory);
  if (needed >= found.budget)
    return found;
  std::optional<BudgetedAdvice> tight = attemptBudget(needed);
  return tight && tight->advice.saved >= found.advice.saved ? std::move(*tight) : std::move(found);
}

void Adviser::addBudget(BudgetedAdvice step) {
  const std::string exchanges = step.advice.exchanges.empty() ? "" : " (" + step.advice.exchanges + ")";
  add(std::move(step.advice), bytesText(step.budget) + " of memory" + exchanges,
      "--memory-budget " + std::to_string(step.budget / mebibyte) + "MiB");
}

/// Reports each budget that saves this much more than the last reported one, unless a budget of the same size saves
/// more.
void Adviser::tryMemory() {
  std::vector<BudgetedAdvice> steps;
  int64_t saved = 0;
  for (int64_t percent : budgets) {
    std::optional<BudgetedAdvice> found = attemptBudget(wholeMebibytes(question_.peakBytes / 100 * percent));
    if (!found || !isWorth(found->advice.saved - saved))
      continue;
    saved = found->advice.saved;
    BudgetedAdvice step = tightened(std::move(*found));
    while (!steps.empty() && steps.back().budget >= step.budget)
      steps.pop_back();
    steps.push_back(std::move(step));
  }
  for (BudgetedAdvice &step : steps)
    addBudget(std::move(step));
}

void Adviser::tryLessMemory() {
  for (int64_t percent : smallerBudgets) {
    const int64_t budget = wholeMebibytes(question_.peakBytes / 100 * percent);
    if (budget >= question_.peakBytes)
      return;
    std::optional<BudgetedAdvice> found = attemptBudget(budget);
    if (found && question_.peakBytes + found->advice.moreMemory <= budget)
      return addBudget(std::move(*found));
  }
}

void Adviser::tryLongerSearch() {
  constexpr unsigned longest = 3;
  if (question_.level.value_or(longest) >= longest)
    return;
  std::optional<Advice> advice = attempt(pipelineOfLevel(longest), [](Graph &, PassManagerOptions &) {});
  if (advice && isWorth(advice->saved))
    add(*advice, "a longer search", "-O3");
}

void Adviser::tryGroups() {
  for (const GroupSplit &split : possibleSplits(question_.input)) {
    std::optional<Advice> advice = attempt(
        question_.pipeline, [&](Graph &graph, PassManagerOptions &) { llvm::cantFail(splitGroup(graph, split)); });
    if (advice && isWorth(advice->saved))
      add(*advice, "a group of its own for each " + split.kind + " of group " + split.group,
          "--split-group " + split.group + ":" + split.kind);
  }
}

bool hasAllReduce(const Graph &graph) {
  return llvm::any_of(graph, [](const Node *node) {
    const CollectiveSpec *spec = collectiveOf(*node);
    return spec && spec->kind == CollectiveKind::AllReduce;
  });
}

/// Returns the pipeline with each all_reduce decomposed before the scheduling pass; empty if no pass schedules, or one
/// already decomposes.
std::string withAllReducesApart(const Pipeline &pipeline) {
  constexpr llvm::StringLiteral apart = "decompose-all-reduce", order = "schedule-overlap";
  std::vector<std::string> texts;
  bool ordered = false;
  for (const auto &pass : pipeline.passes()) {
    if (pass->name() == apart)
      return "";
    if (pass->name() == order && !ordered) {
      texts.push_back(apart.str());
      ordered = true;
    }
    texts.push_back(pass->str());
  }
  return ordered ? llvm::join(texts, ",") : "";
}

void Adviser::tryApart() {
  std::string text = withAllReducesApart(question_.pipeline);
  if (text.empty() || !hasAllReduce(question_.input))
    return;
  std::optional<Advice> advice = attempt(llvm::cantFail(Pipeline::parse(text)), [](Graph &, PassManagerOptions &) {});
  if (advice && isWorth(advice->saved))
    add(*advice, "each all_reduce as reduce_scatter and all_gather", "--pipeline " + text);
}

std::vector<Advice> Adviser::run() {
  if (question_.options.limitMemory) {
    tryMemory();
    tryLessMemory();
  }
  tryLongerSearch();
  tryGroups();
  tryApart();
  llvm::stable_sort(found_, [](const Advice &a, const Advice &b) { return a.saved > b.saved; });
  return std::move(found_);
}

} // namespace

std::vector<Advice> advise(const AdviceQuestion &question) { return Adviser(question).run(); }

} // namespace ccgraph
