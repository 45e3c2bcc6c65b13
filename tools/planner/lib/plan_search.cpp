#include "planner/plan_search.h"

#include "planner/pipeline_plan.h"

#include "models/refusal.h"

#include "ccgraph/ir/text.h"

#include "llvm/ADT/STLExtras.h"

#include <tuple>

namespace ccgraph::planner {
namespace {

using models::Part;
using Fate = PlanPoint::Fate;

class Search {
public:
  explicit Search(const PlanRequest &request) : request_(request), pipelines_(request.job, request.machine) {}

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
    sortPoints();
    return std::move(result_);
  }

private:
  llvm::Error bound(llvm::ArrayRef<PlanCandidate> candidates) {
    for (const PlanCandidate &candidate : candidates) {
      llvm::Expected<PlanBound> bound =
          candidate.pipeline ? pipelines_.boundOf(candidate) : boundOf(request_.job, candidate, request_.machine);
      if (!bound)
        return bound.takeError();
      const Fate fate = bound->bytes > request_.memoryBytes ? Fate::TooLarge : Fate::NotGenerated;
      result_.points.push_back({candidate, *bound, fate});
    }
    sortPoints();
    return llvm::Error::success();
  }

  void sortPoints() {
    llvm::stable_sort(result_.points,
                      [](const PlanPoint &a, const PlanPoint &b) { return a.bound.picoseconds < b.bound.picoseconds; });
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
      if (isTooSlow(point))
        return llvm::Error::success();
      if (llvm::Error error = point.candidate.pipeline ? optimizePipeline(point) : optimize(point))
        return error;
    }
    return llvm::Error::success();
  }

  [[nodiscard]] bool isTooSlow(const PlanPoint &point) const {
    std::optional<int64_t> limit = cutoff();
    return limit && point.bound.picoseconds > *limit;
  }

  llvm::Error optimizePipeline(PlanPoint &point) {
    llvm::Expected<PlanBound> bound = pipelines_.simulatedBoundOf(point.candidate);
    if (!bound)
      return bound.takeError();
    point.bound = *bound;
    if (bound->bytes > request_.memoryBytes) {
      point.fate = Fate::TooLarge;
      return llvm::Error::success();
    }
    if (isTooSlow(point))
      return llvm::Error::success();
    llvm::Expected<PipelinePrediction> predicted = pipelines_.predict(point.candidate);
    if (!predicted)
      return predicted.takeError();
    PlanRow row{.candidate = point.candidate, .earlyBoundPs = bound->picoseconds, .last = {}, .each = {}};
    row.stepPs = predicted->time.stepPs;
    row.boundPs = predicted->boundPs;
    row.exposedPs = predicted->time.exposedPs;
    row.bubblePs = predicted->time.bubblePs;
    row.peakBytes = predicted->peakBytes;
    add(point, row);
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
    const PlanProgram each = row.each.value_or(PlanProgram());
    row.stepPs = row.last.stepPs + before * each.stepPs;
    row.boundPs = row.last.boundPs + before * each.boundPs;
    row.exposedPs = row.last.exposedPs + before * each.exposedPs;
    add(point, row);
    return llvm::Error::success();
  }

  /// Adds a candidate that was generated, if it fits.
  void add(PlanPoint &point, PlanRow &row) {
    point.fate = row.peakBytes > request_.memoryBytes ? Fate::OverMemory : Fate::Row;
    if (point.fate == Fate::OverMemory)
      return;
    row.tokensPerSecondOfRank = static_cast<double>(request_.job.batch * request_.job.step.shape.sequence) /
                                static_cast<double>(request_.job.ranks) / (static_cast<double>(row.stepPs) / 1e12);
    insert(row);
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
    return optimizedProgram(**graph, request_.machine, std::max<int64_t>(budget, 0));
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
  PipelinePlanner pipelines_;
  PlanResult result_;
};

} // namespace

size_t PlanResult::count(PlanPoint::Fate fate) const {
  return static_cast<size_t>(llvm::count_if(points, [&](const PlanPoint &point) { return point.fate == fate; }));
}

llvm::Expected<PlanResult> planTraining(const PlanRequest &request) { return Search(request).run(); }

} // namespace ccgraph::planner
