#include "rewrite/offloading.h"

#include "ccgraph/ir/builder.h"
#include "ccgraph/ir/strides.h"
#include "ccgraph/ir/work.h"
#include "rewrite/supersede.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {

namespace {

/// Most views that are made again for one value.
constexpr size_t mostViews = 16;

/// Returns true for a tensor of known layout and device in which each element has memory of its own, without gaps.
bool fillsMemory(const Type *type) {
  if (!type || !type->isTensor() || !type->stridesKnown() || !type->device().kind)
    return false;
  const auto sizes = staticDims(type->sizes()), strides = staticDims(type->strides());
  return sizes && strides && isDense(*sizes, *strides);
}

/// Returns true for a view that the legality checker lets a pass make again: one operand, and nothing computed.
bool isPlainView(const Node *node, const ProgramFacts &facts) {
  return facts.views(node) && node->op() && node->op()->isView && node->type() && node->numOperands() == 1 &&
         node->numOrdering() == 0 && workFamily(*node->op()) == WorkFamily::None && !facts.isReshaped(node);
}

std::vector<Actual> layoutOf(const Type &type) {
  if (type.isContiguous())
    return {};
  auto numbers = [](llvm::ArrayRef<Dim> dims) { return Actual::integers(*staticDims(dims)); };
  return {numbers(type.sizes()), numbers(type.strides())};
}

} // namespace

Offloading::Offloading(ValueLives &lives, const CostModel &cost, CopyTime time)
    : FreeingAction(lives), cost_(cost), time_(time), computed_(graph_.idLimit()), rewritten_(lives.bytes.size()) {
  int64_t computed = 0;
  for (const Node *node : graph_) {
    computed_[node->id()] = computed;
    if (!facts_.launches(node) && !facts_.waits(node))
      computed += cost.estimatedTime(*node).picoseconds;
    if (const CollectiveSpec *spec = collectiveOf(*node); spec && spec->waitsRewriteAll)
      for (StorageId storage : facts_.storages().storages(node))
        rewritten_[storage] = true;
  }
}

/// Returns the first complete value that fills the storage; null if there is none.
Node *Offloading::wholeName(StorageId storage) const {
  for (Node *name : lives_.names[storage]) {
    const bool isAlone = facts_.storages().storages(name).size() == 1 && !lives_.isInFlight(name);
    if (isAlone && fillsMemory(name->type()) && name->type()->numBytes() == lives_.bytes[storage] &&
        !facts_.isReshaped(name))
      return name;
  }
  return nullptr;
}

/// Notes a step that holds the value up to `after`, and the waits on what it has launched.
void Offloading::noteEarly(Attempt &attempt, Node *user) const {
  auto extend = [&](Node *holder) {
    if (!holder->isBefore(attempt.after))
      attempt.obstacle = holder == attempt.after ? OffloadObstacle::ReadThere : OffloadObstacle::InFlight;
    else if (attempt.lastEarly->isBefore(holder))
      attempt.lastEarly = holder;
  };
  extend(user);
  const Node *known = lives_.originalOf(user);
  if (known && facts_.launches(known)) {
    if (facts_.asyncPairs().staysOpen(known))
      attempt.obstacle = OffloadObstacle::InFlight;
    lives_.forEachWait(user, extend);
  }
  // A view that was made again names the storage too.
  if (known && lives_.isNew(user) && facts_.views(known))
    for (const Use &use : user->uses())
      noteEarly(attempt, use.user());
}

void Offloading::collectUses(Attempt &attempt) const {
  attempt.lastEarly = attempt.value;
  for (Node *name : lives_.names[attempt.storage]) {
    if (attempt.after->isBefore(name))
      return;
    noteEarly(attempt, name);
    for (const Use &use : name->uses()) {
      if (use.isOrdering())
        continue;
      if (!attempt.after->isBefore(use.user()))
        noteEarly(attempt, use.user());
      else
        attempt.uses.push_back({use.user(), name});
    }
  }
}

/// Adds a name of the value that late readers use, if it is the value or a chain of views of it.
bool Offloading::addView(Attempt &attempt, Node *name) const {
  if (name == attempt.value || llvm::is_contained(attempt.views, name))
    return true;
  if (!isPlainView(name, facts_) || attempt.views.size() == mostViews || !addView(attempt, name->operand(0)))
    return false;
  attempt.views.push_back(name);
  return true;
}

/// Returns the picoseconds by which one more copy lets the link end later. Each copy has the computation between its
/// value and `gone` for a window, and all windows share that end of theirs.
int64_t Offloading::addedDelay(llvm::ArrayRef<Copy> sorted, int64_t gone, const Copy &added) {
  struct Link {
    int64_t busy = 0, late = 0;
    void take(const Copy &copy, int64_t window) {
      busy += copy.picoseconds;
      late = std::max(late, busy - window);
    }
  };
  auto windowOf = [gone](const Copy &copy) { return std::abs(copy.computed - gone); };
  Link without, with;
  bool isAdded = false;
  for (const Copy &copy : sorted) {
    // A value of another peak does not compete.
    if ((copy.computed < gone) != (added.computed < gone))
      continue;
    if (!isAdded && windowOf(added) <= windowOf(copy)) {
      with.take(added, windowOf(added));
      isAdded = true;
    }
    without.take(copy, windowOf(copy));
    with.take(copy, windowOf(copy));
  }
  if (!isAdded)
    with.take(added, windowOf(added));
  return with.late - without.late;
}

/// Returns the picoseconds that both copies add to those of the values before which no computation hides. The copy to
/// the host may run between the value and the step where it is to be gone, and the copy back between that step and the
/// reader.
int64_t Offloading::exposedTime(const Attempt &attempt) const {
  const int64_t copy = cost_.hostCopy(attempt.bytes), gone = computed_[attempt.after->id()];
  return addedDelay(away_, gone, {computed_[attempt.value->id()], copy}) +
         addedDelay(back_, gone, {computed_[placeOf(attempt.reader)->id()], copy});
}

Offloading::Attempt Offloading::plan(StorageId storage, const Node *after) const {
  Attempt attempt;
  attempt.storage = storage;
  attempt.after = after;
  attempt.value = wholeName(storage);
  attempt.bytes = lives_.bytes[storage];
  auto refuse = [&](OffloadObstacle obstacle) {
    attempt.obstacle = obstacle;
    return attempt;
  };
  if (cost_.machine().hostLink.latencyPs > cost_.hostCopy(attempt.bytes) / 2)
    return refuse(OffloadObstacle::Small);
  if (rewritten_[storage])
    return refuse(OffloadObstacle::Written);
  if (!attempt.value || !attempt.value->isBefore(after))
    return refuse(OffloadObstacle::Part);
  collectUses(attempt);
  if (attempt.obstacle)
    return attempt;
  if (attempt.uses.empty())
    return refuse(OffloadObstacle::InFlight);
  for (const LateUse &use : attempt.uses) {
    if (lives_.isInFlight(use.name))
      return refuse(OffloadObstacle::InFlight);
    if (!addView(attempt, use.name))
      return refuse(OffloadObstacle::OtherName);
    if (!attempt.reader || use.user->isBefore(attempt.reader))
      attempt.reader = use.user;
  }
  if (lives_.opaqueBetween(attempt.value, attempt.reader))
    return refuse(OffloadObstacle::Opaque);
  attempt.exposed = exposedTime(attempt);
  return attempt;
}

void Offloading::copyAway(Offloaded &value, Node *lastEarly) {
  const std::string name = value.value->name().str().str();
  GraphBuilder builder(graph_, value.value->next());
  builder.standFor(value.value);
  value.offload = builder.call({.target = "ao.offload.default", .args = {value.value}, .name = name + "_offload"});
  Node *last = lastEarly->isBefore(value.offload) ? value.offload : lastEarly;
  builder.setPosition(last->next());
  value.host = builder.call(
      {.target = "ao.wait_tensor.default", .args = {value.offload, value.value}, .name = name + "_on_host"});
}

void Offloading::copyBack(Offloaded &value) {
  const std::string name = value.value->name().str().str();
  const Type *type = value.value->type();
  std::vector<Actual> args = {value.host, Actual::literal(Argument::device(type->device()))};
  for (Actual &layout : layoutOf(*type))
    args.push_back(std::move(layout));
  GraphBuilder builder(graph_, value.reader);
  builder.standFor(value.value);
  value.reload =
      builder.call({.target = "ao.reload.default", .args = std::move(args), .name = name + "_reload", .type = type});
  value.back = builder.call({.target = "ao.wait_tensor.default",
                             .args = {value.reload, value.host},
                             .name = name + "_reloaded",
                             .type = type});
}

/// Lets late readers read what comes back.
void Offloading::rename(const Attempt &attempt, Offloaded &value) {
  llvm::DenseMap<const Node *, Node *> made = {{value.value, value.back}};
  GraphBuilder builder(graph_, value.reader);
  for (Node *view : attempt.views) {
    builder.standFor(view);
    Node *again = repeatCall(builder, *view);
    graph_.setOperand(again, 0, made.lookup(view->operand(0)));
    made[view] = again;
    value.views.push_back(view);
    value.again.push_back(again);
  }
  for (const LateUse &use : attempt.uses)
    for (unsigned i = 0; i < use.user->numOperands(); ++i)
      if (use.user->operand(i) == use.name)
        graph_.setOperand(use.user, i, made.lookup(use.name));
}

void Offloading::noteCopies(const Attempt &attempt) {
  if (time_ == CopyTime::Alone)
    return;
  const int64_t time = cost_.hostCopy(attempt.bytes);
  const Copy away{computed_[attempt.value->id()], time}, back{computed_[placeOf(attempt.reader)->id()], time};
  away_.insert(llvm::upper_bound(away_, away, [](auto &a, auto &b) { return a.computed > b.computed; }), away);
  back_.insert(llvm::upper_bound(back_, back, [](auto &a, auto &b) { return a.computed < b.computed; }), back);
}

FreedValue Offloading::take(StorageId storage, const Node *at) {
  const Attempt attempt = plan(storage, at);
  Offloaded value;
  value.value = attempt.value;
  value.after = attempt.after;
  value.reader = attempt.reader;
  value.bytes = attempt.bytes;
  value.picoseconds = cost_.hostCopy(value.bytes);
  copyAway(value, attempt.lastEarly);
  copyBack(value);
  rename(attempt, value);
  lives_.addCopy(value.value, value.back);
  for (const auto &[view, again] : llvm::zip(value.views, value.again))
    lives_.addCopy(view, again);
  noteCopies(attempt);
  lives_.fixed[storage] = lives_.freed[storage] = true;
  lives_.last[storage] = value.host;
  done_.push_back(std::move(value));
  return {done_.back().value, at};
}

FreeingAction::Offer Offloading::offer(StorageId storage, const Node *at) const {
  const Attempt attempt = plan(storage, at);
  Offer offer{attempt.bytes, {}, std::nullopt};
  if (attempt.obstacle)
    offer.obstacle = static_cast<unsigned>(*attempt.obstacle);
  const auto freed = static_cast<double>(attempt.bytes);
  offer.gain = {freed / static_cast<double>(std::max<int64_t>(attempt.exposed, 1)), freed};
  return offer;
}

const Node *Offloading::placeOf(const Node *step) const {
  while (lives_.isNew(step))
    step = step->next();
  return step;
}

void stateOffload(const Offloaded &value, Certificate &certificate) {
  RuleEntry entry;
  entry.name = "offloaded-value";
  entry.matched = {value.value};
  entry.built = {value.back, value.reload, value.host, value.offload};
  certificate.rules.push_back(std::move(entry));
  if (value.views.empty())
    return;
  RuleEntry views;
  views.name = "repeated-call";
  views.matched.assign(value.views.begin(), value.views.end());
  views.built.assign(value.again.begin(), value.again.end());
  certificate.rules.push_back(std::move(views));
}

} // namespace ccgraph
