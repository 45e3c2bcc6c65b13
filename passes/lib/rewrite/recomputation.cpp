#include "rewrite/recomputation.h"

#include "ccgraph/ir/builder.h"
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/work.h"
#include "rewrite/supersede.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

namespace ccgraph {

namespace {

/// Most calls that are repeated for one value, and most operands that are looked at.
constexpr size_t mostCalls = 16;
constexpr unsigned mostVisits = 64;

bool hasGivenTimes(const CostModel &cost) {
  const auto &nodes = cost.summary().nodes;
  return nodes[static_cast<size_t>(TimeSource::Measured)] + nodes[static_cast<size_t>(TimeSource::Estimated)] > 0;
}

} // namespace

Recomputation::Recomputation(ValueLives &lives, const CostModel &cost, GathersAgain gathers)
    : FreeingAction(lives), cost_(cost), gathers_(gathers), isProfiled_(hasGivenTimes(cost)) {}

/// Returns true if no step between the two writes what the call reads.
bool Recomputation::isUnchanged(const Node *call, const Node *until) const {
  return llvm::all_of(facts_.accesses(call), [&](const StorageAccess &access) {
    if (!touches(access.access))
      return true;
    return !lives_.writtenInFlight[access.storage] &&
           llvm::none_of(lives_.writers[access.storage],
                         [&](const Node *writer) { return call->isBefore(writer) && writer->isBefore(until); });
  });
}

/// Notes the uses after the step; an obstacle is a use that cannot read another value.
void Recomputation::collectUses(Attempt &attempt, const Node *after) const {
  for (Node *name : lives_.names[attempt.storage]) {
    if (after->isBefore(name))
      return;
    for (const Use &use : name->uses()) {
      Node *user = use.user();
      auto isLate = [&](const Node *wait) { return after->isBefore(wait); };
      if (use.isOrdering())
        continue;
      if (after->isBefore(user)) {
        attempt.uses.push_back({user, name});
        // The other results of the call would be computed again too.
        if (facts_.storages().storages(name).size() != 1)
          attempt.obstacle = RecomputeObstacle::NotCheap;
        if (lives_.isInFlight(name))
          attempt.obstacle = RecomputeObstacle::InFlight;
        continue;
      }
      attempt.isReadEarly |= lives_.isNew(user) || !(facts_.waits(user) || facts_.views(user));
      if (!lives_.isNew(user) && facts_.launches(user) && llvm::any_of(facts_.waitsOf(user), isLate))
        attempt.obstacle = RecomputeObstacle::InFlight;
    }
  }
}

/// Returns why the call may not be repeated, apart from its operands.
std::optional<RecomputeObstacle> Recomputation::obstacleOf(const Node *call, const Attempt &attempt) const {
  const bool isExchange = isGather(call) || gatherOf(call);
  // A gather that is first read after the step only has to be issued later, which the schedule decides.
  if (isExchange ? !attempt.isReadEarly : !mayRepeat(call))
    return RecomputeObstacle::NotCheap;
  if (!isExchange && !hasOwnTime(call))
    return RecomputeObstacle::UnknownTime;
  if (llvm::any_of(facts_.storages().storages(call), [&](StorageId storage) { return lives_.written[storage]; }) ||
      !isUnchanged(call, attempt.reader))
    return RecomputeObstacle::Written;
  if (lives_.opaqueBetween(call, attempt.reader))
    return RecomputeObstacle::Opaque;
  return std::nullopt;
}

/// Adds a call, and the calls of its operands that are not live at the reader.
bool Recomputation::addCall(Attempt &attempt, Node *call) const {
  auto refuse = [&](RecomputeObstacle obstacle) {
    attempt.obstacle = obstacle;
    return false;
  };
  if (attempt.contains(call) || lives_.copyFor(call, attempt.reader))
    return true;
  if (++attempt.visits > mostVisits)
    return refuse(RecomputeObstacle::LongChain);
  if (std::optional<RecomputeObstacle> obstacle = obstacleOf(call, attempt))
    return refuse(*obstacle);
  Node *gather = gatherOf(call);
  if (gather && !addCall(attempt, gather))
    return false;
  for (Node *operand : call->dataOperands())
    if (operand != gather && !addOperand(attempt, lives_.originalOf(operand)))
      return false;
  if (attempt.calls.size() == mostCalls)
    return refuse(RecomputeObstacle::LongChain);
  attempt.calls.push_back(call);
  if (!isGather(call) || gathers_.time == GatherTime::Exposed)
    attempt.picoseconds += cost_.estimatedTime(*call).picoseconds;
  return true;
}

/// Returns true for a call whose time alone is known. A profile gives the time of a fused kernel to one of its calls,
/// and none to the others, so what one of the others takes alone is unknown.
bool Recomputation::hasOwnTime(const Node *call) const {
  if (facts_.views(call))
    return true;
  const EstimatedTime time = cost_.estimatedTime(*call);
  return time.isGiven() ? time.picoseconds > 0 : time.source == TimeSource::Predicted && !isProfiled_;
}

bool Recomputation::mayRepeat(const Node *call) const {
  if (!call->op() || !call->type() || facts_.domain(call) != Domain::None || facts_.launches(call) ||
      facts_.waits(call) || call->numOrdering() > 0 || facts_.isReshaped(call))
    return false;
  const WorkFamily family = workFamily(*call->op());
  const bool isCheap = family == WorkFamily::None ? facts_.views(call) : isFusible(family);
  return isCheap && !effectsOf(*call).keepAlways &&
         llvm::none_of(facts_.accesses(call), [](const StorageAccess &access) { return writes(access.access); });
}

bool Recomputation::addOperand(Attempt &attempt, Node *operand) const {
  const llvm::ArrayRef<StorageId> storages = facts_.storages().storages(operand);
  if (lives_.isInFlight(operand)) {
    attempt.obstacle = RecomputeObstacle::InFlight;
    return false;
  }
  if (facts_.isReshaped(operand)) {
    attempt.obstacle = RecomputeObstacle::Written;
    return false;
  }
  if (attempt.contains(operand) || lives_.copyFor(operand, attempt.reader))
    return true;
  const bool isOwn = llvm::is_contained(storages, attempt.storage);
  if (!isOwn && lives_.isLive(operand, attempt.reader))
    return true;
  Attempt repeated = attempt;
  if (addCall(repeated, operand) && (isOwn || repeated.bytes > attempt.bytes - bytesToKeep(attempt, operand))) {
    attempt = std::move(repeated);
    return true;
  }
  attempt.visits = repeated.visits;
  attempt.isLong |= repeated.obstacle == RecomputeObstacle::LongChain;
  if (isOwn || llvm::any_of(storages, [&](StorageId storage) { return lives_.freed[storage]; })) {
    attempt.obstacle = repeated.obstacle.value_or(RecomputeObstacle::NotSmaller);
    return false;
  }
  attempt.bytes -= bytesToKeep(attempt, operand);
  for (StorageId storage : storages)
    if (!llvm::is_contained(attempt.extended, storage))
      attempt.extended.push_back(storage);
  return true;
}

/// Returns the bytes of the operand that would be live after the step, and are not without the repetition.
int64_t Recomputation::bytesToKeep(const Attempt &attempt, const Node *operand) const {
  int64_t bytes = 0;
  for (StorageId storage : facts_.storages().storages(operand))
    if (lives_.last[storage] && !attempt.after->isBefore(lives_.last[storage]) &&
        !llvm::is_contained(attempt.extended, storage))
      bytes += lives_.bytes[storage];
  return bytes;
}

Recomputation::Attempt Recomputation::plan(StorageId storage, const Node *after) const {
  Attempt attempt;
  attempt.storage = storage;
  attempt.after = after;
  attempt.bytes = lives_.bytes[storage];
  collectUses(attempt, after);
  if (attempt.obstacle)
    return attempt;
  for (const LateUse &use : attempt.uses)
    if (!attempt.reader || use.user->isBefore(attempt.reader))
      attempt.reader = use.user;
  if (!attempt.reader) {
    attempt.obstacle = RecomputeObstacle::InFlight;
    return attempt;
  }
  const llvm::SmallVector<LateUse, 4> uses = attempt.uses; // addCall may replace the attempt
  for (const LateUse &use : uses)
    if (!addCall(attempt, use.value))
      return attempt;
  if (attempt.bytes <= 0)
    attempt.obstacle = attempt.isLong ? RecomputeObstacle::LongChain : RecomputeObstacle::NotSmaller;
  return attempt;
}

/// Returns a new call like this one, of operands that are live at the reader.
Node *Recomputation::repeat(Node *call, const Attempt &attempt, const Repetitions &made) const {
  GraphBuilder builder(graph_, attempt.reader);
  builder.standFor(call);
  Node *again = repeatCall(builder, *call);
  for (unsigned i = 0; i < again->numOperands(); ++i)
    graph_.setOperand(again, i, liveValue(lives_.originalOf(again->operand(i)), attempt, made));
  return again;
}

/// Returns the value that the reader may read for this one: a repetition, else the value itself.
Node *Recomputation::liveValue(Node *value, const Attempt &attempt, const Repetitions &made) const {
  if (Node *again = made.lookup(value))
    return again;
  Node *copy = lives_.copyFor(value, attempt.reader);
  return copy ? copy : value;
}

/// The value now lives up to its last holder before the reader.
void Recomputation::shorten(const Attempt &attempt) {
  auto &names = lives_.names[attempt.storage];
  llvm::erase_if(names, [&](const Node *name) { return !name->isBefore(attempt.reader); });
  const Node *&last = lives_.last[attempt.storage];
  last = names.front();
  auto extend = [&](const Node *holder) {
    if (last->isBefore(holder))
      last = holder;
  };
  for (const Node *name : names) {
    extend(name);
    for (const Use &use : name->uses()) {
      if (use.isOrdering())
        continue;
      extend(use.user());
      if (!lives_.isNew(use.user()) && facts_.launches(use.user()))
        llvm::for_each(facts_.waitsOf(use.user()), extend);
    }
  }
}

FreedValue Recomputation::take(StorageId storage, const Node *at) {
  const Attempt attempt = plan(storage, at);
  Recomputed value{attempt.uses.front().value, attempt.after, attempt.reader, attempt.bytes, 0, 0, attempt.calls, {}};
  Repetitions made;
  for (Node *call : attempt.calls) {
    Node *again = repeat(call, attempt, made);
    made[call] = again;
    value.again.push_back(again);
  }
  for (const LateUse &use : attempt.uses)
    for (unsigned i = 0; i < use.user->numOperands(); ++i)
      if (use.user->operand(i) == use.value)
        graph_.setOperand(use.user, i, liveValue(use.value, attempt, made));
  for (const auto &[call, again] : llvm::zip(value.calls, value.again)) {
    const int64_t time = cost_.estimatedTime(*again).picoseconds; // a part of a fused kernel may take longer alone
    (isGather(call) ? value.gatherTime : value.picoseconds) += time;
    lives_.addCopy(call, again);
  }
  for (StorageId storage : attempt.extended)
    if (lives_.last[storage]->isBefore(attempt.reader))
      lives_.last[storage] = attempt.reader->prev();
  shorten(attempt);
  done_.push_back(std::move(value));
  return {done_.back().value, at};
}

FreeingAction::Offer Recomputation::offer(StorageId storage, const Node *at) const {
  const Attempt attempt = plan(storage, at);
  Offer offer{attempt.bytes, {}, std::nullopt};
  if (attempt.obstacle)
    offer.obstacle = static_cast<unsigned>(*attempt.obstacle);
  // Computation that takes no time is better than a copy that is hidden, which takes the link.
  offer.gain = {static_cast<double>(attempt.bytes) / static_cast<double>(std::max<int64_t>(attempt.picoseconds, 1)),
                std::numeric_limits<double>::infinity()};
  return offer;
}

void stateRepetitions(const Recomputed &value, Certificate &certificate) {
  RuleEntry entry;
  entry.name = "repeated-call";
  entry.matched.assign(value.calls.begin(), value.calls.end());
  entry.built.assign(value.again.begin(), value.again.end());
  certificate.rules.push_back(std::move(entry));
}

} // namespace ccgraph
