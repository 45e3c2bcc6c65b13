#include "schedule/overlap/rebalance.h"

#include "schedule/overlap/bucket_spans.h"
#include "schedule/overlap/delay_waits.h"
#include "schedule/overlap/exchange_transfers.h"
#include "schedule/overlap/issue_early.h"
#include "schedule/overlap/replay.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <optional>
#include <set>

namespace ccgraph::overlap {

namespace {

/// What happens to one transfer and perhaps its neighbour.
enum class Change : uint8_t { LastToNext, HalfToNext, FirstToPrevious, HalfToPrevious, Split, JoinNext, JoinPrevious };
constexpr Change allChanges[] = {Change::LastToNext,     Change::HalfToNext, Change::FirstToPrevious,
                                 Change::HalfToPrevious, Change::Split,      Change::JoinNext,
                                 Change::JoinPrevious};

class Rebalancer {
public:
  Rebalancer(const Problem &problem, Schedule schedule, const RebalanceOptions &options)
      : problem_(problem), best_(std::move(schedule)), options_(options),
        followers_(problem.before.inverse(problem.steps.size())) {
    options_.budget = options_.budget.atLeast(best_.peakBytes);
  }
  Schedule run();

private:
  /// Transfers that take the place of those with the same launches.
  using Exchange = std::vector<Transfer>;
  void list();
  void note(const Replay &times);
  [[nodiscard]] bool mayJoin(size_t first, size_t second) const;
  [[nodiscard]] std::optional<size_t> neighbour(size_t at, bool isNext) const;
  [[nodiscard]] std::optional<Exchange> exchangeOf(size_t at, Change change) const;
  [[nodiscard]] std::optional<Exchange> divided(size_t first, size_t second, size_t boundary) const;
  [[nodiscard]] std::vector<size_t> sequenceOf(size_t at) const;
  [[nodiscard]] Exchange pairsOf(llvm::ArrayRef<size_t> sequence) const;
  [[nodiscard]] Schedule eased(Schedule schedule) const;
  bool take(Schedule schedule, int64_t longest);
  [[nodiscard]] bool improves(const Exchange &exchange);
  [[nodiscard]] bool improvesByChange(size_t at);
  [[nodiscard]] bool improvesByPairs(llvm::ArrayRef<size_t> sequence);
  [[nodiscard]] bool improvesByJoin(llvm::ArrayRef<size_t> sequence);
  [[nodiscard]] bool improve();

  const Problem &problem_;
  Schedule best_;
  RebalanceOptions options_;
  unsigned tries_ = 0;
  /// by step: the steps that need it
  NumberLists followers_;
  /// of the best schedule, in the order of issue
  std::vector<Transfer> transfers_;
  /// by transfer: the one on its stream that ends when it begins, if any
  std::vector<std::optional<size_t>> previous_;
  /// by transfer, in picoseconds: how much is exposed because it does not end earlier
  std::vector<int64_t> exposed_;
  std::set<Exchange> tried_;
};

/// Lists the transfers of the best schedule.
void Rebalancer::list() {
  const std::vector<uint32_t> bucketOf = bucketByStep(best_);
  transfers_.clear();
  for (uint32_t step : best_.order)
    if (problem_.steps[step].kind == StepKind::Launch) {
      if (bucketOf[step] == none)
        transfers_.push_back({step});
      else if (best_.buckets[bucketOf[step]].front() == step)
        transfers_.push_back(best_.buckets[bucketOf[step]]);
    }
  note(replayTimes(problem_, best_));
}

/// Notes what is exposed. If a transfer begins after a pause of its stream, everything exposed before the next pause
/// counts for it.
void Rebalancer::note(const Replay &times) {
  previous_.assign(transfers_.size(), std::nullopt);
  exposed_.clear();
  std::vector<std::optional<size_t>> last(problem_.streams);
  for (size_t i = 0; i < transfers_.size(); ++i) {
    const uint32_t first = transfers_[i].front();
    exposed_.push_back(times.exposedBy[first]);
    std::optional<size_t> &before = last[problem_.steps[first].stream];
    if (before && times.end[transfers_[*before].front()] == times.begin[first])
      previous_[i] = before;
    before = i;
  }
  std::vector<int64_t> following = exposed_;
  for (size_t i = transfers_.size(); i-- > 0;)
    if (previous_[i])
      following[*previous_[i]] += following[i];
    else if (times.begin[transfers_[i].front()] > 0)
      exposed_[i] = following[i];
}

/// Returns true if both may be one transfer.
bool Rebalancer::mayJoin(size_t first, size_t second) const {
  auto isFixed = [&](uint32_t member) { return problem_.steps[member].fixed; };
  const uint32_t key = problem_.steps[transfers_[first].front()].mergeKey;
  return key != none && problem_.steps[transfers_[second].front()].mergeKey == key &&
         transfers_[first].size() + transfers_[second].size() <= mostMembers &&
         llvm::none_of(transfers_[first], isFixed) && llvm::none_of(transfers_[second], isFixed);
}

/// Returns the next or the previous transfer with the same key.
std::optional<size_t> Rebalancer::neighbour(size_t at, bool isNext) const {
  const uint32_t key = problem_.steps[transfers_[at].front()].mergeKey;
  auto isLike = [&](const Transfer &other) { return problem_.steps[other.front()].mergeKey == key; };
  const llvm::ArrayRef<Transfer> all = transfers_;
  std::optional<size_t> found;
  if (isNext) {
    const auto *next = llvm::find_if(all.drop_front(at + 1), isLike);
    if (next != all.end())
      found = next - all.begin();
  } else {
    const auto before = llvm::reverse(all.take_front(at));
    const auto previous = llvm::find_if(before, isLike);
    if (previous != before.end())
      found = &*previous - all.begin();
  }
  return found && mayJoin(at, *found) ? found : std::nullopt;
}

/// Puts the boundary between two transfers before the launch of this number, counted from the first launch of both; at
/// the end of both, they are one transfer. Returns nothing if that is where it is.
std::optional<Rebalancer::Exchange> Rebalancer::divided(size_t first, size_t second, size_t boundary) const {
  Transfer all = transfers_[first];
  if (boundary == all.size())
    return std::nullopt;
  llvm::append_range(all, transfers_[second]);
  const auto middle = all.begin() + static_cast<ptrdiff_t>(boundary);
  Exchange exchange = {Transfer(all.begin(), middle)};
  if (middle != all.end())
    exchange.emplace_back(middle, all.end());
  return exchange;
}

/// Returns what the change does to the transfer and its neighbour, if it can be made.
std::optional<Rebalancer::Exchange> Rebalancer::exchangeOf(size_t at, Change change) const {
  const Transfer &own = transfers_[at];
  const size_t size = own.size(), half = size / 2;
  const auto middle = own.begin() + static_cast<ptrdiff_t>(half);
  const std::optional<size_t> next = neighbour(at, true), previous = neighbour(at, false);
  const size_t before = previous ? transfers_[*previous].size() : 0;
  auto withNext = [&](size_t boundary) { return next ? divided(at, *next, boundary) : std::nullopt; };
  auto withPrevious = [&](size_t boundary) {
    return previous ? divided(*previous, at, before + boundary) : std::nullopt;
  };
  switch (change) {
  case Change::LastToNext:
    return size > 1 ? withNext(size - 1) : std::nullopt;
  case Change::HalfToNext:
    return half > 1 ? withNext(size - half) : std::nullopt;
  case Change::FirstToPrevious:
    return size > 1 ? withPrevious(1) : std::nullopt;
  case Change::HalfToPrevious:
    return half > 1 ? withPrevious(half) : std::nullopt;
  case Change::Split:
    return half > 0 ? std::optional(Exchange{{own.begin(), middle}, {middle, own.end()}}) : std::nullopt;
  case Change::JoinNext:
    return next ? withNext(size + transfers_[*next].size()) : std::nullopt;
  case Change::JoinPrevious:
    return withPrevious(size);
  }
  llvm_unreachable("no such change");
}

/// Returns the transfers that delay this one, one after the other without a pause, and itself.
std::vector<size_t> Rebalancer::sequenceOf(size_t at) const {
  std::vector<size_t> sequence = {at};
  while (previous_[sequence.back()])
    sequence.push_back(*previous_[sequence.back()]);
  std::reverse(sequence.begin(), sequence.end());
  return sequence;
}

/// Joins the transfers in pairs, those that may be joined.
Rebalancer::Exchange Rebalancer::pairsOf(llvm::ArrayRef<size_t> sequence) const {
  Exchange exchange;
  for (size_t i = 0; i + 1 < sequence.size(); ++i) {
    if (!mayJoin(sequence[i], sequence[i + 1]))
      continue;
    exchange.push_back(transfers_[sequence[i]]);
    llvm::append_range(exchange.back(), transfers_[sequence[++i]]);
  }
  return exchange;
}

/// Issues collectives early and delays waits.
Schedule Rebalancer::eased(Schedule schedule) const {
  const IssueEarlyOptions early = {options_.budget, {}, &followers_};
  return delayWaits(problem_, issueEarly(problem_, std::move(schedule), early), options_.budget);
}

/// Takes a schedule as the best one if it takes no longer than this, and fits.
bool Rebalancer::take(Schedule schedule, int64_t longest) {
  if (!measureWithin(problem_, schedule, longest, options_.budget))
    return false;
  best_ = std::move(schedule);
  return true;
}

/// Returns whether the exchange makes the step shorter; the best schedule has it then.
bool Rebalancer::improves(const Exchange &exchange) {
  if (tries_ == options_.tries || !tried_.insert(exchange).second)
    return false;
  ++tries_;
  std::optional<Schedule> exchanged = exchangeTransfers(problem_, followers_, best_, exchange);
  if (!exchanged)
    return false;
  return take(eased(std::move(*exchanged)), best_.picoseconds - 1);
}

bool Rebalancer::improvesByChange(size_t at) {
  return llvm::any_of(allChanges, [&](Change change) {
    const std::optional<Exchange> exchange = exchangeOf(at, change);
    return exchange && improves(*exchange);
  });
}

/// Joins pairs in the last quarter of the sequence that delays a transfer, in its last half, and so on. One pair alone
/// may delay its readers by more than it saves.
bool Rebalancer::improvesByPairs(llvm::ArrayRef<size_t> sequence) {
  for (size_t quarters : {4, 3, 2, 1}) {
    const Exchange exchange = pairsOf(sequence.take_back(sequence.size() * quarters / 4));
    if (exchange.size() > 1 && improves(exchange))
      return true;
  }
  return false;
}

/// Joins a transfer that delays this one with its next one, the smallest ones first, since they delay their readers
/// least.
bool Rebalancer::improvesByJoin(llvm::ArrayRef<size_t> sequence) {
  std::vector<std::pair<int64_t, Exchange>> joins;
  for (size_t delaying : sequence)
    if (std::optional<Exchange> exchange = exchangeOf(delaying, Change::JoinNext)) {
      int64_t bytes = 0;
      for (uint32_t member : exchange->front())
        bytes += problem_.steps[member].bytes;
      joins.emplace_back(bytes, std::move(*exchange));
    }
  llvm::stable_sort(joins, llvm::less_first());
  return llvm::any_of(joins, [&](const auto &it) { return improves(it.second); });
}

/// Returns whether some exchange makes the step shorter. The most exposed transfer is the first one to change.
bool Rebalancer::improve() {
  list();
  std::vector<size_t> exposed;
  for (size_t i = 0; i < transfers_.size(); ++i)
    if (exposed_[i] > 0)
      exposed.push_back(i);
  llvm::stable_sort(exposed, [&](size_t a, size_t b) { return exposed_[a] > exposed_[b]; });
  for (size_t at : exposed) {
    if (tries_ == options_.tries)
      return false;
    const std::vector<size_t> sequence = sequenceOf(at);
    if (improvesByPairs(sequence) || improvesByChange(at) || improvesByJoin(sequence))
      return true;
  }
  return false;
}

Schedule Rebalancer::run() {
  if (options_.tries == 0)
    return std::move(best_);
  take(eased(best_), best_.picoseconds);
  while (tries_ < options_.tries && improve()) {
  }
  return std::move(best_);
}

} // namespace

Schedule rebalance(const Problem &problem, Schedule schedule, const RebalanceOptions &options) {
  return Rebalancer(problem, std::move(schedule), options).run();
}

} // namespace ccgraph::overlap
