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

Offloading::Offloading(Graph &graph, const ProgramFacts &facts, const CostModel &cost)
    : PeakReduction(graph, facts), graph_(graph), facts_(facts), cost_(cost), computed_(graph.idLimit()) {
  int64_t computed = 0;
  for (const Node *node : graph) {
    computed_[node->id()] = computed;
    if (!facts.launches(node) && !facts.waits(node))
      computed += cost.estimatedTime(*node).picoseconds;
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
  if (!lives_.isNew(user) && facts_.launches(user)) {
    if (facts_.asyncPairs().staysOpen(user))
      attempt.obstacle = OffloadObstacle::InFlight;
    llvm::for_each(facts_.waitsOf(user), extend);
  }
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

/// Returns the picoseconds of both copies that are longer than the computation between the value and the step where it
/// is to be gone, and between that step and the reader.
int64_t Offloading::exposedTime(const Attempt &attempt) const {
  const int64_t copy = cost_.hostCopy(attempt.bytes);
  const int64_t made = computed_[attempt.value->id()], gone = computed_[attempt.after->id()],
                read = computed_[attempt.reader->id()];
  return std::max<int64_t>(0, copy - (gone - made)) + std::max<int64_t>(0, copy - (read - gone));
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
  if (lives_.isNew(attempt.reader))
    return refuse(OffloadObstacle::OtherName);
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

const Offloaded &Offloading::apply(const Attempt &attempt) {
  Offloaded value;
  value.value = attempt.value;
  value.after = attempt.after;
  value.reader = attempt.reader;
  value.bytes = attempt.bytes;
  value.picoseconds = cost_.hostCopy(value.bytes);
  copyAway(value, attempt.lastEarly);
  copyBack(value);
  rename(attempt, value);
  lives_.fixed[attempt.storage] = true;
  lives_.last[attempt.storage] = value.host;
  done_.push_back(std::move(value));
  return done_.back();
}

std::pair<double, double> Offloading::gain(const Attempt &attempt) const {
  const auto freed = static_cast<double>(attempt.bytes);
  return {freed / static_cast<double>(std::max<int64_t>(attempt.exposed, 1)), freed};
}

/// Returns the next step of the graph as it was: the reader of what comes back there.
Node *Offloading::placeOf(Node *step) const {
  while (lives_.isNew(step))
    step = step->next();
  return step;
}

const Offloaded *Offloading::offload(const Node *value, const Node *after) {
  if (lives_.isNew(value) || lives_.isNew(after))
    return nullptr;
  const llvm::ArrayRef<StorageId> storages = facts_.storages().storages(value);
  if (storages.size() != 1 || !lives_.mayGo(storages.front(), after))
    return nullptr;
  const Attempt attempt = plan(storages.front(), after);
  return attempt.obstacle || attempt.value != value ? nullptr : &apply(attempt);
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
