#include "schedule/overlap/exchange_transfers.h"

#include "schedule/overlap/bucket_spans.h"
#include "schedule/overlap/places.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>

namespace ccgraph::overlap {

namespace {

class Exchanger {
public:
  Exchanger(const Problem &problem, const NumberLists &followers, const Schedule &schedule)
      : problem_(problem), followers_(followers), schedule_(schedule), place_(placesOf(schedule.order)),
        spans_(schedule), isAdded_(problem.steps.size()), isMoved_(problem.steps.size()) {}
  [[nodiscard]] std::optional<Schedule> run(llvm::ArrayRef<Transfer> added);

private:
  [[nodiscard]] size_t placeFor(const Transfer &transfer) const;
  [[nodiscard]] bool add(const Transfer &transfer, size_t place);
  [[nodiscard]] bool addInputs(uint32_t step, size_t place);
  [[nodiscard]] std::vector<uint32_t> order() const;
  [[nodiscard]] std::vector<std::vector<uint32_t>> buckets(llvm::ArrayRef<Transfer> added) const;

  const Problem &problem_;
  const NumberLists &followers_;
  const Schedule &schedule_;
  /// by step, in the schedule
  std::vector<size_t> place_;
  BucketSpans spans_;
  /// by step: a launch of a new transfer; a step that is moved
  std::vector<bool> isAdded_, isMoved_;
  /// the steps that are moved, by the position before which they are put
  std::map<size_t, std::vector<uint32_t>> moved_;
};

/// Returns the position before which the transfer is issued.
size_t Exchanger::placeFor(const Transfer &transfer) const {
  size_t last = 0, needed = schedule_.order.size();
  for (uint32_t launch : transfer) {
    last = std::max(last, place_[launch]);
    for (uint32_t follower : followers_[launch])
      needed = std::min(needed, place_[follower]);
  }
  return spans_.first(std::min(last, needed));
}

/// Moves what the step needs before this position. Returns false if a launch or a wait is among that, or too much.
bool Exchanger::addInputs(uint32_t step, size_t place) {
  constexpr size_t most = 256;
  for (uint32_t input : problem_.before[step]) {
    if (isMoved_[input] || (place_[input] < place && !isAdded_[input]))
      continue;
    const StepKind kind = problem_.steps[input].kind;
    if (kind == StepKind::Launch || kind == StepKind::Wait || moved_[place].size() == most || !addInputs(input, place))
      return false;
    isMoved_[input] = true;
    moved_[place].push_back(input);
  }
  return true;
}

/// Moves the launches, after what they need. Returns false if this is not possible.
bool Exchanger::add(const Transfer &transfer, size_t place) {
  if (!llvm::all_of(transfer, [&](uint32_t launch) { return addInputs(launch, place); }))
    return false;
  for (uint32_t launch : transfer)
    isMoved_[launch] = true;
  llvm::append_range(moved_[place], transfer);
  return true;
}

std::vector<uint32_t> Exchanger::order() const {
  std::vector<uint32_t> order;
  order.reserve(schedule_.order.size());
  auto next = moved_.begin();
  for (size_t at = 0; at < schedule_.order.size(); ++at) {
    if (next != moved_.end() && next->first == at)
      llvm::append_range(order, (next++)->second);
    if (!isMoved_[schedule_.order[at]])
      order.push_back(schedule_.order[at]);
  }
  return order;
}

std::vector<std::vector<uint32_t>> Exchanger::buckets(llvm::ArrayRef<Transfer> added) const {
  std::vector<std::vector<uint32_t>> buckets;
  for (const std::vector<uint32_t> &bucket : schedule_.buckets)
    if (!isMoved_[bucket.front()])
      buckets.push_back(bucket);
  for (const Transfer &transfer : added)
    if (transfer.size() > 1)
      buckets.push_back(transfer);
  return buckets;
}

std::optional<Schedule> Exchanger::run(llvm::ArrayRef<Transfer> added) {
  std::vector<std::pair<size_t, const Transfer *>> byPlace;
  for (const Transfer &transfer : added) {
    byPlace.emplace_back(placeFor(transfer), &transfer);
    for (uint32_t launch : transfer)
      isAdded_[launch] = true;
  }
  // What two transfers need precedes the first one.
  llvm::stable_sort(byPlace, llvm::less_first());
  for (auto [place, transfer] : byPlace)
    if (!add(*transfer, place))
      return std::nullopt;
  return Schedule{order(), buckets(added)};
}

} // namespace

std::optional<Schedule> exchangeTransfers(const Problem &problem, const NumberLists &followers,
                                          const Schedule &schedule, llvm::ArrayRef<Transfer> added) {
  return Exchanger(problem, followers, schedule).run(added);
}

} // namespace ccgraph::overlap
