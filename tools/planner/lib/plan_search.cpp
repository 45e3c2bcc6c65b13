#include "planner/plan_search.h"

#include "models/refusal.h"

#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/ir/text.h"
#include "ccgraph/passes/pass_manager.h"

#include "llvm/ADT/STLExtras.h"

#include <tuple>

namespace ccgraph::planner {
namespace {

using models::Part;
using Fate = PlanPoint::Fate;

/// What ccgraph-opt -O2 --machine M --memory-budget B does with a program of one rank.
llvm::Expected<PlanProgram> optimized(Graph &graph, const Machine &machine, int64_t budget) {
  PassManagerOptions options;
  // The passes are checked where they are tested; here they run on thousands of programs of one form.
  options.verifyEach = options.checkLegality = false;
  options.machine = machine;
  options.memoryBudget = budget;
  options.predictTimes = true;
  llvm::Expected<PipelineRun> run = runPipeline(graph, pipelineOfLevel(2), options);
  if (!run)
    return run.takeError();
  const Timeline &time = *run->timeAfter;
  return PlanProgram{.stepPs = time.total,
                     .computePs = time.compute,
                     .exposedPs = time.exposed,
                     .boundPs = run->bounds->anyMerging.picoseconds,
                     .peakBytes = peakMemory(graph).bytes,
                     .budgetBytes = budget};
}

class Search {
public:
  explicit Search(const PlanRequest &request) : request_(request) {}

  llvm::Expected<PlanResult> run() {
    llvm::Expected<std::vector<PlanCandidate>> candidates = planCandidates(request_.job, request_.choices);
    if (!candidates)
      return candidates.takeError();
    if (llvm::Error error = bound(*candidates))
      return error;
    if (llvm::Error error = optimizeAll())
      return error;
    if (result_.rows.empty())
      return nothingFits();
    result_.rows.resize(std::min(result_.rows.size(), request_.rows));
    return std::move(result_);
  }

private:
  llvm::Error bound(llvm::ArrayRef<PlanCandidate> candidates) {
    for (const PlanCandidate &candidate : candidates) {
      llvm::Expected<PlanBound> bound = boundOf(request_.job, candidate, request_.machine);
      if (!bound)
        return bound.takeError();
      const Fate fate = bound->bytes > request_.memoryBytes ? Fate::TooLarge : Fate::NotGenerated;
      result_.points.push_back({candidate, *bound, fate});
    }
    llvm::stable_sort(result_.points,
                      [](const PlanPoint &a, const PlanPoint &b) { return a.bound.picoseconds < b.bound.picoseconds; });
    return llvm::Error::success();
  }

  /// Returns the time that a candidate must beat to become a row; empty if there are rows left.
  [[nodiscard]] std::optional<int64_t> cutoff() const {
    if (request_.isExhaustive || result_.rows.size() < request_.rows)
      return std::nullopt;
    return result_.rows[request_.rows - 1].stepPs;
  }

  llvm::Error optimizeAll() {
    for (PlanPoint &point : result_.points) {
      if (point.fate == Fate::TooLarge)
        continue;
      // A candidate with an equal time and less memory would be a better row, so only a larger bound ends the search.
      if (std::optional<int64_t> limit = cutoff(); limit && point.bound.picoseconds > *limit)
        return llvm::Error::success();
      if (llvm::Error error = optimize(point))
        return error;
    }
    return llvm::Error::success();
  }

  llvm::Error optimize(PlanPoint &point) {
    PlanRow row{.candidate = point.candidate, .earlyBoundPs = point.bound.picoseconds};
    const int64_t before = point.candidate.accumulation - 1;
    int64_t state = 0;
    llvm::Expected<PlanProgram> last = program(point.candidate, Part::Step, state);
    if (!last)
      return last.takeError();
    row.last = *last;
    row.peakBytes = last->peakBytes;
    if (before > 0 && row.peakBytes <= request_.memoryBytes) {
      llvm::Expected<PlanProgram> each = program(point.candidate, Part::Joint, state);
      if (!each)
        return each.takeError();
      row.each = *each;
      row.peakBytes = std::max(row.peakBytes, each->peakBytes + state);
    }
    if (row.peakBytes > request_.memoryBytes) {
      point.fate = Fate::OverMemory;
      return llvm::Error::success();
    }
    const PlanProgram each = row.each.value_or(PlanProgram());
    row.stepPs = row.last.stepPs + before * each.stepPs;
    row.boundPs = row.last.boundPs + before * each.boundPs;
    row.exposedPs = row.last.exposedPs + before * each.exposedPs;
    row.tokensPerSecondOfRank = static_cast<double>(request_.job.batch * request_.job.step.shape.sequence) /
                                static_cast<double>(request_.job.ranks) / (static_cast<double>(row.stepPs) / 1e12);
    point.fate = Fate::Row;
    insert(row);
    return llvm::Error::success();
  }

  /// `state` is what a program without optimizer must leave free; the step sets it.
  llvm::Expected<PlanProgram> program(const PlanCandidate &candidate, Part part, int64_t &state) const {
    Context context;
    llvm::Expected<std::unique_ptr<Graph>> graph = models::generate(context, requestOf(request_.job, candidate, part));
    if (!graph)
      return graph.takeError();
    if (part == Part::Step)
      state = optimizerStateBytes(**graph);
    const int64_t budget = request_.memoryBytes - (part == Part::Step ? 0 : state);
    return optimized(**graph, request_.machine, std::max<int64_t>(budget, 0));
  }

  /// Candidates come in the order of their bounds, which is the same in every run, and a row stays behind equal ones.
  void insert(const PlanRow &row) {
    auto key = [](const PlanRow &of) { return std::tuple(of.stepPs, of.peakBytes, of.candidate.flags()); };
    auto place = llvm::find_if(result_.rows, [&](const PlanRow &other) { return key(row) < key(other); });
    result_.rows.insert(place, row);
  }

  llvm::Error nothingFits() const {
    const auto least =
        std::min_element(result_.points.begin(), result_.points.end(),
                         [](const PlanPoint &a, const PlanPoint &b) { return a.bound.bytes < b.bound.bytes; });
    return models::refusal("plan.memory", request_.job.step.model.name,
                           "none of " + counted(result_.points.size(), "candidate") + " fits into " +
                               bytesText(request_.memoryBytes) + " a rank; expected at least " +
                               bytesText(least->bound.bytes) + ", which " + least->candidate.flags() +
                               " needs in any order",
                           "give more --memory or --ranks, or a shorter --seq");
  }

  const PlanRequest &request_;
  PlanResult result_;
};

} // namespace

size_t PlanResult::count(PlanPoint::Fate fate) const {
  return static_cast<size_t>(llvm::count_if(points, [&](const PlanPoint &point) { return point.fate == fate; }));
}

llvm::Expected<PlanResult> planTraining(const PlanRequest &request) { return Search(request).run(); }

} // namespace ccgraph::planner
