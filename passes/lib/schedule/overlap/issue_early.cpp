#include "schedule/overlap/issue_early.h"

#include "schedule/overlap/bucket_spans.h"
#include "schedule/overlap/memory_curve.h"
#include "schedule/overlap/places.h"
#include "schedule/overlap/replay.h"

#include <algorithm>

namespace ccgraph::overlap {

namespace {

class EarlyIssuer {
public:
  EarlyIssuer(const Problem &problem, Schedule schedule, const IssueEarlyOptions &options)
      : problem_(problem), schedule_(std::move(schedule)), options_(options), spans_(schedule_),
        curve_(memoryByPlace(problem, schedule_)), after_(placesOf(schedule_.order)), allocates_(problem.steps.size()),
        bucketOf_(bucketByStep(schedule_)), isMoved_(problem.steps.size()), isIssued_(problem.steps.size()),
        lastOn_(problem.streams) {
    measure();
  }
  Schedule run();

private:
  void measure();
  [[nodiscard]] llvm::ArrayRef<uint32_t> transferAt(size_t place) const;
  [[nodiscard]] bool mayMove(llvm::ArrayRef<uint32_t> transfer) const;
  void gather(llvm::ArrayRef<uint32_t> transfer);
  [[nodiscard]] size_t earliest(uint32_t stream) const;
  [[nodiscard]] size_t fitting(size_t least, size_t place, int64_t bytes) const;
  void move(llvm::ArrayRef<uint32_t> transfer, size_t place);

  const Problem &problem_;
  Schedule schedule_;
  IssueEarlyOptions options_;
  BucketSpans spans_;
  MemoryCurve curve_;
  /// By step: its position in the old order, or the position directly after which it was moved.
  std::vector<size_t> after_;
  /// by step: bytes that it is the first to hold
  std::vector<int64_t> allocates_;
  /// by position: computation before it
  std::vector<int64_t> computed_;
  std::vector<uint32_t> bucketOf_;
  /// the steps that move together, and by step whether it is one of them
  std::vector<uint32_t> moved_;
  std::vector<bool> isMoved_;
  /// all that moved, in the order of transfers, and by step whether it is in there
  std::vector<uint32_t> issued_;
  std::vector<bool> isIssued_;
  /// by stream: position of its last launch so far
  std::vector<size_t> lastOn_;
  /// position of the last input
  size_t inputs_ = 0;
};

void EarlyIssuer::measure() {
  std::vector<bool> held(problem_.storages.size());
  int64_t computed = 0;
  for (size_t place = 0; place < schedule_.order.size(); ++place) {
    uint32_t step = schedule_.order[place];
    computed_.push_back(computed);
    if (problem_.steps[step].kind == StepKind::Compute)
      computed += problem_.steps[step].picoseconds;
    if (problem_.steps[step].input)
      inputs_ = place;
    for (uint32_t storage : problem_.holds[step])
      if (!held[storage] && !problem_.storages[storage].fromStart) {
        held[storage] = true;
        allocates_[step] += problem_.storages[storage].bytes;
      }
  }
}

/// Returns all members if a bucket begins there, the launch if it is in no bucket; else nothing.
llvm::ArrayRef<uint32_t> EarlyIssuer::transferAt(size_t place) const {
  const uint32_t &step = schedule_.order[place];
  if (problem_.steps[step].kind != StepKind::Launch)
    return {};
  if (bucketOf_[step] == none)
    return step;
  const std::vector<uint32_t> &bucket = schedule_.buckets[bucketOf_[step]];
  return bucket.front() == step ? llvm::ArrayRef(bucket) : llvm::ArrayRef<uint32_t>();
}

bool EarlyIssuer::mayMove(llvm::ArrayRef<uint32_t> transfer) const {
  return llvm::none_of(transfer, [&](uint32_t member) { return problem_.steps[member].fixed; }) &&
         (options_.only.empty() || llvm::is_contained(options_.only, transfer.front()));
}

/// Sets what moves with the launches: themselves, and the computation that only they need.
void EarlyIssuer::gather(llvm::ArrayRef<uint32_t> transfer) {
  constexpr size_t mostInputs = 8; // of a launch
  for (uint32_t step : moved_)
    isMoved_[step] = false;
  moved_.assign(transfer.begin(), transfer.end());
  for (uint32_t member : transfer)
    isMoved_[member] = true;
  if (!options_.followers)
    return;
  auto movesToo = [&](uint32_t step) {
    const Step &own = problem_.steps[step];
    return (own.kind == StepKind::Compute || own.kind == StepKind::Free) && !own.input && !isMoved_[step] &&
           llvm::all_of((*options_.followers)[step], [&](uint32_t follower) { return isMoved_[follower]; });
  };
  for (size_t i = 0; i < moved_.size() && moved_.size() <= mostInputs * transfer.size(); ++i)
    for (uint32_t before : problem_.before[moved_[i]])
      if (movesToo(before)) {
        isMoved_[before] = true;
        moved_.push_back(before);
      }
}

/// Returns the first position after which what moves may be on this stream, ignoring memory.
size_t EarlyIssuer::earliest(uint32_t stream) const {
  size_t least = std::max(inputs_, lastOn_[stream]);
  for (uint32_t step : moved_)
    for (uint32_t before : problem_.before[step])
      if (!isMoved_[before])
        least = std::max(least, after_[before]);
  return least;
}

/// Returns the first position from `least` on such that this many bytes more fit from after it up to `place`.
size_t EarlyIssuer::fitting(size_t least, size_t place, int64_t bytes) const {
  size_t most = place - 1;
  while (least < most) {
    size_t middle = least + (most - least) / 2;
    if (options_.budget.fits(curve_.largest(middle + 1, place) + bytes))
      most = middle;
    else
      least = middle + 1;
  }
  return most;
}

void EarlyIssuer::move(llvm::ArrayRef<uint32_t> transfer, size_t place) {
  gather(transfer);
  size_t least = earliest(problem_.steps[transfer.front()].stream);
  if (least + 1 >= place)
    return;
  int64_t bytes = 0;
  for (uint32_t step : moved_)
    bytes += allocates_[step];
  size_t behind = spans_.last(fitting(least, place, bytes));
  // Moves without computation in between have no effect on the time and are skipped.
  if (behind + 1 >= place || computed_[place] == computed_[behind + 1])
    return;
  llvm::sort(moved_, [&](uint32_t a, uint32_t b) { return after_[a] < after_[b]; });
  for (uint32_t step : moved_)
    if (after_[step] > behind) {
      curve_.add(behind + 1, after_[step], allocates_[step]);
      after_[step] = behind;
      isIssued_[step] = true;
      issued_.push_back(step);
    }
}

Schedule EarlyIssuer::run() {
  for (size_t at = 0; at < schedule_.order.size(); ++at) {
    llvm::ArrayRef<uint32_t> transfer = transferAt(at);
    if (transfer.empty())
      continue;
    if (mayMove(transfer))
      move(transfer, at);
    lastOn_[problem_.steps[transfer.front()].stream] = after_[transfer.back()];
  }
  // What moved behind a step follows it, in the order of transfers.
  llvm::erase_if(schedule_.order, [&](uint32_t step) { return isIssued_[step]; });
  llvm::append_range(schedule_.order, issued_);
  schedule_.order = orderedBy(after_, schedule_.order);
  return std::move(schedule_);
}

} // namespace

Schedule issueEarly(const Problem &problem, Schedule schedule, const IssueEarlyOptions &options) {
  return EarlyIssuer(problem, std::move(schedule), options).run();
}

} // namespace ccgraph::overlap
