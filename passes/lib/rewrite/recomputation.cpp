#include "rewrite/recomputation.h"

#include "ccgraph/ir/builder.h"
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/work.h"
#include "rewrite/supersede.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {

namespace {

/// Most calls that are repeated for one value, and most operands that are looked at.
constexpr size_t mostCalls = 16;
constexpr unsigned mostVisits = 64;

bool hasGivenTimes(const CostModel &cost) {
  const auto &nodes = cost.summary().nodes;
  return nodes[static_cast<size_t>(TimeSource::Measured)] + nodes[static_cast<size_t>(TimeSource::Estimated)] > 0;
}

/// Returns true for a node at `place` or above it.
bool isUpTo(const Node *node, const Node *place) { return node == place || node->isBefore(place); }

} // namespace

Recomputation::Recomputation(Graph &graph, const ProgramFacts &facts, const CostModel &cost, GathersAgain gathers)
    : PeakReduction(graph, facts), graph_(graph), facts_(facts), cost_(cost), gathers_(gathers),
      isProfiled_(hasGivenTimes(cost)) {}

/// Returns a repetition of the call that is live at the reader; null if there is none.
Node *Recomputation::copyFor(const Node *value, const Node *reader) const {
  auto copies = copies_.find(value);
  if (copies == copies_.end())
    return nullptr;
  auto isLiveThere = [&](const Node *copy) {
    return copy->isBefore(reader) &&
           llvm::any_of(copy->uses(), [&](const Use &use) { return isUpTo(reader, use.user()); });
  };
  auto found = llvm::find_if(copies->second, isLiveThere);
  return found == copies->second.end() ? nullptr : *found;
}

/// Returns the call that a repetition repeats; other nodes are their own.
Node *Recomputation::originalOf(Node *node) const { return lives_.isNew(node) ? originals_.lookup(node) : node; }

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
  if (attempt.contains(call) || copyFor(call, attempt.reader))
    return true;
  if (++attempt.visits > mostVisits)
    return refuse(RecomputeObstacle::LongChain);
  if (std::optional<RecomputeObstacle> obstacle = obstacleOf(call, attempt))
    return refuse(*obstacle);
  Node *gather = gatherOf(call);
  if (gather && !addCall(attempt, gather))
    return false;
  for (Node *operand : call->dataOperands())
    if (operand != gather && !addOperand(attempt, originalOf(operand)))
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
  if (attempt.contains(operand) || copyFor(operand, attempt.reader))
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
  if (isOwn) {
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
    graph_.setOperand(again, i, liveValue(originalOf(again->operand(i)), attempt, made));
  return again;
}

/// Returns the value that the reader may read for this one: a repetition, else the value itself.
Node *Recomputation::liveValue(Node *value, const Attempt &attempt, const Repetitions &made) const {
  if (Node *again = made.lookup(value))
    return again;
  Node *copy = copyFor(value, attempt.reader);
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

const Recomputed &Recomputation::apply(const Attempt &attempt) {
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
    copies_[call].push_back(again);
    originals_[again] = call;
  }
  for (StorageId storage : attempt.extended)
    if (lives_.last[storage]->isBefore(attempt.reader))
      lives_.last[storage] = attempt.reader->prev();
  shorten(attempt);
  done_.push_back(std::move(value));
  return done_.back();
}

double Recomputation::gain(const Attempt &attempt) const {
  return static_cast<double>(attempt.bytes) / static_cast<double>(std::max<int64_t>(attempt.picoseconds, 1));
}

const Recomputed *Recomputation::recompute(const Node *value, const Node *after) {
  const llvm::ArrayRef<StorageId> storages =
      lives_.isNew(value) ? llvm::ArrayRef<StorageId>() : facts_.storages().storages(value);
  if (storages.size() != 1 || !lives_.mayGo(storages.front(), after))
    return nullptr;
  const Attempt attempt = plan(storages.front(), after);
  return attempt.obstacle ? nullptr : &apply(attempt);
}

void stateRepetitions(const Recomputed &value, Certificate &certificate) {
  RuleEntry entry;
  entry.name = "repeated-call";
  entry.matched.assign(value.calls.begin(), value.calls.end());
  entry.built.assign(value.again.begin(), value.again.end());
  certificate.rules.push_back(std::move(entry));
}

} // namespace ccgraph
