#include "planner/plan_search.h"

#include "planner/plan_estimate.h"
#include "planner/side_by_side.h"

#include "models/refusal.h"

#include "ccgraph/ir/text.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>
#include <set>
#include <tuple>

namespace ccgraph::planner {
namespace {

using Fate = PlanPoint::Fate;

/// How many candidates are looked at between two looks at the rows. It does not depend on the machine, so that the
/// same candidates are generated everywhere.
constexpr size_t candidatesAtOnce = 4;

class Search {
public:
  explicit Search(const PlanRequest &request) : request_(request), estimator_(request) {}

  llvm::Expected<PlanResult> run() {
    llvm::Expected<std::vector<PlanCandidate>> candidates = planCandidates(request_.job, request_.choices);
    if (!candidates)
      return candidates.takeError();
    if (llvm::Error error = begin(*candidates))
      return error;
    for (std::vector<size_t> best = takeBest(); !best.empty(); best = takeBest())
      if (llvm::Error error = refine(best))
        return error;
    if (result_.rows.empty())
      return nothingFits();
    result_.rows.resize(std::min(result_.rows.size(), request_.rows));
    addPoints();
    return std::move(result_);
  }

private:
  llvm::Error begin(const std::vector<PlanCandidate> &candidates) {
    estimates_.resize(candidates.size());
    std::vector<size_t> all(candidates.size());
    std::iota(all.begin(), all.end(), size_t{0});
    if (llvm::Error error = replace(all, [&](size_t i) { return estimator_.first(candidates[i]); }))
      return error;
    for (size_t i : all)
      file(i);
    return llvm::Error::success();
  }

  /// Replaces these estimates by what `estimateOf` returns.
  template <typename Function>
  llvm::Error replace(llvm::ArrayRef<size_t> candidates, Function estimateOf) {
    return sideBySide(candidates.size(), [&](size_t i) -> llvm::Error {
      llvm::Expected<Estimate> estimate = estimateOf(candidates[i]);
      if (!estimate)
        return estimate.takeError();
      estimates_[candidates[i]] = std::move(*estimate);
      return llvm::Error::success();
    });
  }

  llvm::Error refine(llvm::ArrayRef<size_t> candidates) {
    if (llvm::Error error = replace(candidates, [&](size_t i) { return estimator_.next(estimates_[i]); }))
      return error;
    for (size_t i : candidates)
      file(i);
    return llvm::Error::success();
  }

  [[nodiscard]] bool fits(const Estimate &estimate) const {
    return std::max(estimate.bound.bytes, estimate.row.peakBytes) <= request_.memoryBytes;
  }

  /// Makes a candidate a row if it is predicted, or lets it wait for its next estimate. One that does not fit is
  /// neither.
  void file(size_t candidate) {
    Estimate &estimate = estimates_[candidate];
    if (!fits(estimate))
      return;
    if (estimate.knowledge == Knowledge::Predicted)
      insert(estimate.row);
    else
      waiting_.emplace(estimate.bound.picoseconds, candidate);
  }

  /// Returns the time that a candidate must beat to become a row; empty if there are rows left.
  [[nodiscard]] std::optional<int64_t> cutoff() const {
    if (request_.isExhaustive || result_.rows.size() < request_.rows)
      return std::nullopt;
    return result_.rows[request_.rows - 1].stepPs;
  }

  /// Takes the candidates of the least bounds which may become rows.
  std::vector<size_t> takeBest() {
    const std::optional<int64_t> limit = cutoff();
    std::vector<size_t> best;
    // A candidate with an equal time and less memory would be a better row, so only a larger bound excludes it.
    while (best.size() != candidatesAtOnce && !waiting_.empty() && (!limit || waiting_.begin()->first <= *limit)) {
      best.push_back(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
    }
    return best;
  }

  void insert(PlanRow row) {
    row.tokensPerSecondOfRank = static_cast<double>(request_.job.batch * request_.job.step.shape.sequence) /
                                static_cast<double>(request_.job.ranks) / (static_cast<double>(row.stepPs) / 1e12);
    auto key = [](const PlanRow &of) { return std::tuple(of.stepPs, of.peakBytes, of.candidate.flags()); };
    auto place = llvm::find_if(result_.rows, [&](const PlanRow &other) { return key(row) < key(other); });
    result_.rows.insert(place, std::move(row));
  }

  [[nodiscard]] Fate fateOf(const Estimate &estimate) const {
    const bool isGenerated = estimate.row.peakBytes > 0;
    if (!fits(estimate))
      return isGenerated ? Fate::OverMemory : Fate::TooLarge;
    return estimate.knowledge == Knowledge::Predicted ? Fate::Row : Fate::NotGenerated;
  }

  void addPoints() {
    for (const Estimate &estimate : estimates_)
      result_.points.push_back({estimate.row.candidate, estimate.bound, fateOf(estimate)});
    llvm::stable_sort(result_.points,
                      [](const PlanPoint &a, const PlanPoint &b) { return a.bound.picoseconds < b.bound.picoseconds; });
  }

  /// Returns the candidate with the least memory floor, none of which a program would make larger.
  llvm::Expected<const Estimate *> smallest() {
    while (true) {
      auto least = std::min_element(estimates_.begin(), estimates_.end(),
                                    [](const Estimate &a, const Estimate &b) { return a.bound.bytes < b.bound.bytes; });
      if (least->knowledge != Knowledge::Shared)
        return &*least;
      llvm::Expected<Estimate> next = estimator_.next(*least);
      if (!next)
        return next.takeError();
      *least = std::move(*next);
    }
  }

  llvm::Error nothingFits() {
    llvm::Expected<const Estimate *> least = smallest();
    if (!least)
      return least.takeError();
    return models::refusal("plan.memory", request_.job.step.model.name,
                           "none of " + counted(estimates_.size(), "candidate") + " fits into " +
                               bytesText(request_.memoryBytes) + " a rank; expected at least " +
                               bytesText((*least)->bound.bytes) + ", which " + (*least)->row.candidate.flags() +
                               " needs in any order",
                           "give more --memory or --ranks, or a shorter --seq");
  }

  const PlanRequest &request_;
  PlanEstimator estimator_;
  std::vector<Estimate> estimates_;
  /// by bound, then by the order of the candidates
  std::set<std::pair<int64_t, size_t>> waiting_;
  PlanResult result_;
};

} // namespace

size_t PlanResult::count(PlanPoint::Fate fate) const {
  return static_cast<size_t>(llvm::count_if(points, [&](const PlanPoint &point) { return point.fate == fate; }));
}

llvm::Expected<PlanResult> planTraining(const PlanRequest &request) { return Search(request).run(); }

} // namespace ccgraph::planner
