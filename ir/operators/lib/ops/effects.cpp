#include "ccgraph/ir/effects.h"

#include "ccgraph/ir/async_pairs.h"
#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/subgraph_calls.h"

#include "llvm/ADT/DenseSet.h"

namespace ccgraph {
namespace {

constexpr Access everything = Access::Read | Access::Write | Access::Alias | Access::Place;
/// The possible accesses of an unknown operator, or to an argument that is not in the schema.
constexpr Access anything = everything | Access::Reshape;

constexpr Access without(Access set, Access bits) {
  return static_cast<Access>(static_cast<uint8_t>(set) & ~static_cast<uint8_t>(bits));
}

/// Gives every operand under `argument` this access.
void mark(Effects &effects, const Argument &argument, Access access) {
  switch (argument.kind()) {
  case Argument::Kind::Operand:
    effects.operands[argument.operandIndex()] = access;
    return;
  case Argument::Kind::List:
  case Argument::Kind::Tuple:
  case Argument::Kind::Slice:
    for (const Argument &element : argument.elements())
      mark(effects, element, access);
    return;
  case Argument::Kind::Dict:
    for (const NamedArgument &entry : argument.entries())
      mark(effects, entry.value, access);
    return;
  case Argument::Kind::None:
  case Argument::Kind::Bool:
  case Argument::Kind::Int:
  case Argument::Kind::Float:
  case Argument::Kind::String:
  case Argument::Kind::Symbolic:
  case Argument::Kind::DType:
  case Argument::Kind::Device:
  case Argument::Kind::Layout:
  case Argument::Kind::MemoryFormat:
  case Argument::Kind::Python:
    return;
  }
}

Access accessAt(const OpDef &op, size_t index) {
  if (index < op.params.size())
    return op.params[index].access;
  // An argument that is not in the schema may be a buffer of a newer release.
  return op.variadic && !op.params.empty() ? op.params.back().access : anything;
}

void markBySchema(Effects &effects, const Node &node) {
  const OpDef &op = *node.op();
  for (size_t i = 0; i < node.args().size(); ++i)
    mark(effects, node.args()[i], accessAt(op, i));
  for (const NamedArgument &entry : node.kwargs()) {
    int index = op.paramIndex(entry.name.str());
    // Because a name that no parameter bears may be the out= of another overload, it is not taken to be one of the
    // rest.
    bool rest = index < 0 && op.role == OpRole::HigherOrder;
    mark(effects, entry.value, rest ? Access::Read : index < 0 ? anything : op.params[index].access);
  }
}

bool sameShape(const Type *a, const Type *b) {
  return a && b && a->isTensor() && b->isTensor() && a->sizes() == b->sizes();
}

/// The result that is the buffer of an `out` parameter, as it is stated; null where the operator yields none.
const Type *filledBuffer(const Node &node, const OpParam &param) {
  const OpDef &op = *node.op();
  const Type *type = node.type();
  for (size_t i = 0; i < op.results.size(); ++i)
    if (op.results[i].alias == param.alias)
      return op.results.size() == 1                                  ? type
             : type && type->isList() && i < type->elements().size() ? type->elements()[i]
                                                                     : nullptr;
  return nullptr;
}

/// Removes Reshape where types prove that a call does not reshape: a buffer `out` that has the result's sizes is filled
/// and keeps them. `operands` has the access to each operand, from the schema.
void refineBuffers(const Node &node, llvm::MutableArrayRef<Access> operands, bool typesHold) {
  for (const OpParam &param : node.op()->params) {
    if (!param.keywordOnly || !has(param.access, Access::Reshape))
      continue;
    const Argument *buffer = node.kwarg(param.name);
    if (!buffer || !buffer->is(Argument::Kind::Operand))
      continue;
    const Node &value = *node.operand(*buffer);
    if (sameShape(value.type(), filledBuffer(node, param)) && (typesHold || !mayBeReshapedBefore(value, node)))
      operands[buffer->operandIndex()] = without(operands[buffer->operandIndex()], Access::Reshape);
  }
}

/// Is the value of this parameter, given or default, the number 0 or False?
bool isZero(const Node &node, int index) {
  if (index < 0)
    return false;
  const Argument *argument = argumentAt(node, index);
  if (!argument) {
    llvm::StringRef text = node.op()->params[index].defaultValue;
    return text == "0." || text == "0" || text == "0.0" || text == "False";
  }
  return (argument->is(Argument::Kind::Float) && argument->floating() == 0) ||
         (argument->is(Argument::Kind::Int) && argument->integer() == 0) ||
         (argument->is(Argument::Kind::Bool) && !argument->boolean());
}

void refineRandom(Effects &effects, const Node &node) {
  const OpDef &op = *node.op();
  if (!isZero(node, op.dropout) && !isZero(node, op.training))
    return;
  effects.domain = Domain::None;
  effects.keepAlways = llvm::any_of(effects.operands, [](Access access) { return has(access, Access::Write); });
}

/// Returns whether an operator that may share does so, as far as types prove it; unknown if types may be wrong.
Sharing sharingOf(const Node &node) {
  bool typesHold = node.op()->sharing && (node.numOperands() == 0 || !mayBeReshapedBefore(*node.operand(0), node));
  return typesHold ? node.op()->sharing(node) : Sharing::Unknown;
}

void refineSharing(Effects &effects, const Node &node) {
  Sharing sharing = sharingOf(node);
  if (sharing == Sharing::Unknown)
    return;
  effects.freshResult = sharing == Sharing::Copy;
  for (Access &access : effects.operands)
    if (has(access, Access::Alias))
      access = without(access, sharing == Sharing::View ? Access::Read : Access::Alias);
}

/// Marks the tensors of a batch as sent or received, as its first argument states.
void refineBatch(Effects &effects, const Node &node) {
  const Argument *kinds = argumentAt(node, 0);
  const Argument *tensors = argumentAt(node, node.op()->collective->input);
  if (!kinds || !tensors || kinds->elements().size() != tensors->elements().size())
    return;
  effects.freshResult = false;
  for (auto [kind, tensor] : llvm::zip(kinds->elements(), tensors->elements())) {
    bool receives = kind.is(Argument::Kind::String) && kind.text() == "irecv";
    bool sends = kind.is(Argument::Kind::String) && kind.text() == "isend";
    effects.freshResult |= !receives;
    if (receives || sends)
      mark(effects, tensor, receives ? Access::InFlightWrite | Access::Alias : Access::InFlightRead);
  }
}

Effects unknownEffects(const Node &node) {
  Effects effects;
  effects.operands.assign(node.numOperands(), anything);
  effects.domain = Domain::All;
  effects.keepAlways = true;
  return effects;
}

Effects callEffects(const Node &node) {
  const OpDef &op = *node.op();
  if (op.opaque)
    return unknownEffects(node);
  Effects effects;
  effects.operands.resize(node.numOperands(), Access::Read);
  effects.domain = op.domain;
  effects.freshResult = op.freshResult;
  effects.keepAlways = op.keepAlways;
  effects.waits = op.role == OpRole::Wait;
  effects.launches = op.launches();
  markBySchema(effects, node);
  if (op.dropout >= 0 || op.training >= 0)
    refineRandom(effects, node);
  if (op.mayAlias)
    refineSharing(effects, node);
  if (op.reshapes)
    refineBuffers(node, effects.operands, false);
  if (op.collective && op.collective->kind == CollectiveKind::BatchP2P)
    refineBatch(effects, node);
  const Type *type = node.type();
  if (type && (type->kind() == Type::Kind::Symbolic || type->kind() == Type::Kind::None))
    effects.freshResult = false;
  return effects;
}

/// Does nothing in it write, launch, wait, or keep an order?
bool isPure(const Graph &body) {
  constexpr Access changes = Access::Write | Access::InFlightWrite | Access::InFlightRead | Access::Reshape;
  for (const Node *inner : body)
    if (inner->opcode() == Opcode::CallFunction) {
      Effects effects = effectsOf(*inner);
      if (effects.domain != Domain::None || effects.keepAlways || effects.launches || effects.waits ||
          llvm::any_of(effects.operands, [](Access access) { return hasAny(access, changes); }))
        return false;
    }
  return true;
}

/// Returns true if the tree contains an unread Python expression, which may be a function.
bool holdsPython(const Argument &tree) {
  return tree.is(Argument::Kind::Python) || llvm::any_of(tree.elements(), holdsPython) ||
         llvm::any_of(tree.entries(), [](const NamedArgument &entry) { return holdsPython(entry.value); });
}

/// Returns true if the operand is certainly no subgraph. A get_attr without a graph, or a value without type and
/// operator, may be a subgraph that the text does not contain.
bool isData(const Node &operand) { return operand.type() || operand.op(); }

/// Are all subgraphs that the node may run here, and pure? At least one must be.
bool runsPureBodies(const Node &node) {
  bool found = false;
  for (unsigned i = 0; i < node.numOperands(); ++i) {
    const Graph *body = namedSubgraph(*node.operand(i));
    if (body ? !isPure(*body) : !isData(*node.operand(i)))
      return false;
    found |= body != nullptr;
  }
  return found && llvm::none_of(node.args(), holdsPython) &&
         llvm::none_of(node.kwargs(), [](const NamedArgument &entry) { return holdsPython(entry.value); });
}

/// Effects of an operator that runs its subgraphs: none but reading where all of them are pure, else everything.
Effects bodiesEffects(const Node &node) {
  Effects effects = unknownEffects(node);
  if (!runsPureBodies(node))
    return effects;
  // Because a body may return what it was given, and may hold kernels that load whole vectors.
  effects.operands.assign(node.numOperands(), Access::Read | Access::Alias | Access::Place);
  effects.domain = Domain::None;
  effects.keepAlways = false;
  return effects;
}

/// The subgraph that a control_deps runs; null where its second argument names none.
const Graph *wrappedGraph(const Node &node) {
  const Argument *argument = node.args().size() > 1 ? &node.args()[1] : nullptr;
  if (!argument || !argument->is(Argument::Kind::Operand))
    return nullptr;
  return namedSubgraph(*node.operand(*argument));
}

/// Effects of a control_deps: those of the nodes in its subgraph, on the arguments of which the placeholders are the
/// names. In control_deps((p,), body, x) with the body (a): c = all_gather(a); return c, the node launches, reads x in
/// flight and has a result of its own. If the body also waits on c, the node is a plain step from outside, which reads
/// x.
class WrappedEffects {
public:
  WrappedEffects(const Node &node, const Graph &body) : node_(node), body_(body), origins_(body.idLimit()) {
    effects_.operands.assign(node.numOperands(), Access::Nothing);
    effects_.freshResult = false;
    if (mayLandInside(body))
      asyncPairs_.emplace(body, StorageMap(body));
  }

  Effects run() {
    size_t parameter = 2;
    for (const Node *inner : body_) {
      if (inner->opcode() == Opcode::Placeholder)
        bindPlaceholder(*inner, parameter++);
      else if (inner->opcode() == Opcode::Output)
        readOutput(*inner);
      else
        readCall(*inner);
    }
    return std::move(effects_);
  }

private:
  /// The storage that a value of the subgraph may share: operands of the control_deps, or new storage.
  struct Origin {
    llvm::SmallVector<unsigned, 2> operands;
    bool fresh = false;
  };

  void bindPlaceholder(const Node &inner, size_t parameter) {
    if (parameter < node_.args().size() && node_.args()[parameter].is(Argument::Kind::Operand))
      origins_[inner.id()].operands.push_back(node_.args()[parameter].operandIndex());
  }

  static bool mayLandInside(const Graph &body) {
    bool launches = false;
    for (const Node *inner : body) {
      launches |= inner->op() && inner->op()->role != OpRole::Compute && effectsOf(*inner).launches;
      if (launches && inner->op() && effectsOf(*inner).waits)
        return true;
    }
    return false;
  }

  /// Returns the effects of a call for the graph outside: a transfer that completes inside reads and writes as a plain
  /// step does.
  Effects seenFromOutside(const Node &inner) const {
    Effects effects = effectsOf(inner);
    if (!asyncPairs_)
      return effects;
    if (!asyncPairs_->waitsForOthers(&inner)) {
      effects.waits = false;
      for (Access &access : effects.operands)
        access = without(access, Access::Complete);
    }
    if (!effects.launches || asyncPairs_->staysOpen(&inner))
      return effects;
    effects.launches = false;
    for (Access &access : effects.operands) {
      Access now = has(access, Access::InFlightRead) ? Access::Read : Access::Nothing;
      now = now | (has(access, Access::InFlightWrite) ? Access::Write : Access::Nothing);
      access = without(access, Access::InFlightRead | Access::InFlightWrite) | now;
    }
    return effects;
  }

  void readCall(const Node &inner) {
    Effects effects = seenFromOutside(inner);
    Origin &origin = origins_[inner.id()];
    origin.fresh = effects.freshResult;
    for (unsigned i = 0; i < inner.numOperands(); ++i) {
      const Origin &read = origins_[inner.operand(i)->id()];
      for (unsigned operand : read.operands)
        effects_.operands[operand] = effects_.operands[operand] | without(effects.operands[i], Access::Alias);
      if (!has(effects.operands[i], Access::Alias))
        continue;
      origin.operands.append(read.operands.begin(), read.operands.end());
      origin.fresh |= read.fresh;
    }
    bool otherDomain =
        effects_.domain != Domain::None && effects.domain != Domain::None && effects_.domain != effects.domain;
    effects_.domain = otherDomain ? Domain::All : std::max(effects_.domain, effects.domain);
    effects_.launches |= effects.launches;
    effects_.waits |= effects.waits;
    effects_.keepAlways |= effects.keepAlways;
  }

  void readOutput(const Node &inner) {
    for (unsigned i = 0; i < inner.numOperands(); ++i) {
      const Origin &origin = origins_[inner.operand(i)->id()];
      effects_.freshResult |= origin.fresh;
      for (unsigned operand : origin.operands)
        effects_.operands[operand] = effects_.operands[operand] | Access::Alias;
    }
  }

  const Node &node_;
  const Graph &body_;
  std::vector<Origin> origins_; ///< by id of the subgraph's nodes
  /// of the subgraph, where some launch may complete inside
  std::optional<AsyncPairs> asyncPairs_;
  Effects effects_;
};

Effects boundaryEffects(const Node &node) {
  Effects effects;
  effects.operands.assign(node.numOperands(), Access::Read | Access::Place);
  effects.keepAlways = node.opcode() != Opcode::GetAttr;
  effects.freshResult = node.opcode() != Opcode::Output;
  return effects;
}

} // namespace

const Argument *argumentAt(const Node &node, int index) {
  if (index < 0)
    return nullptr;
  if (static_cast<size_t>(index) < node.args().size())
    return &node.args()[index];
  const OpDef *op = node.op();
  return op && static_cast<size_t>(index) < op->params.size() ? node.kwarg(op->params[index].name) : nullptr;
}

/// An operator with subgraphs, unless these are known to be pure.
static bool doesWhatItsBodiesDo(const OpDef &op) { return op.role == OpRole::HigherOrder && op.domain == Domain::All; }

Effects effectsOf(const Node &node) {
  if (!node.op())
    return boundaryEffects(node);
  if (doesWhatItsBodiesDo(*node.op()))
    return bodiesEffects(node);
  if (node.op()->role != OpRole::ControlDeps)
    return callEffects(node);
  const Graph *body = wrappedGraph(node);
  return body ? WrappedEffects(node, *body).run() : unknownEffects(node);
}

namespace {

/// Returns the effects that follow from the operator alone, without types; mayBeReshapedBy() follows these.
Effects declaredEffects(const Node &node) {
  Effects effects;
  effects.operands.assign(node.numOperands(), node.op() ? everything : Access::Read);
  if (!node.op() || node.op()->opaque)
    return effects;
  if (node.op()->role != OpRole::ControlDeps && !doesWhatItsBodiesDo(*node.op())) {
    markBySchema(effects, node);
    refineBuffers(node, effects.operands, true);
    return effects;
  }
  for (unsigned i = 0; i < node.numOperands(); ++i)
    if (const Graph *body = namedSubgraph(*node.operand(i)); body && body->mayReshape())
      effects.operands.assign(node.numOperands(), anything);
  // A body that reshapes nothing states exactly what it shares: a collective in it is no view of its input.
  const Graph *body = node.op()->role == OpRole::ControlDeps ? wrappedGraph(node) : nullptr;
  return body && !body->mayReshape() ? WrappedEffects(node, *body).run() : effects;
}

} // namespace

// Visits all names of one storage, from a value up to the operands that it shares and down to the results that share
// it, and tests each reader. For v = view(x), t = t_(x), the search from v goes up to x and finds t_ among its readers.
// An `out` buffer is resized only if sizes differ, and types are valid until something is resized. So if each `out` of
// each name states the sizes that it was given, none of them resizes.
bool mayBeReshapedBy(const Node &value, llvm::function_ref<bool(const Node &)> counts) {
  if (!value.graph()->mayReshape())
    return false;
  llvm::SmallVector<const Node *, 16> names = {&value};
  llvm::DenseSet<const Node *> seen = {&value};
  auto add = [&](const Node *name) {
    if (seen.insert(name).second)
      names.push_back(name);
  };
  for (size_t next = 0; next < names.size(); ++next) {
    const Node &name = *names[next];
    Effects own = declaredEffects(name);
    for (unsigned i = 0; i < name.numOperands(); ++i)
      if (has(own.operands[i], Access::Alias))
        add(name.operand(i));
    for (const Use &use : name.uses()) {
      if (use.isOrdering())
        continue;
      Effects effects = declaredEffects(*use.user());
      for (unsigned i = 0; i < use.user()->numOperands(); ++i) {
        if (use.user()->operand(i) != &name)
          continue;
        if (has(effects.operands[i], Access::Reshape) && counts(*use.user()))
          return true;
        if (has(effects.operands[i], Access::Alias))
          add(use.user());
      }
    }
  }
  return false;
}

bool mayBeReshapedBefore(const Node &value, const Node &point) {
  return mayBeReshapedBy(value, [&](const Node &reshaper) { return reshaper.isBefore(&point); });
}

const CollectiveSpec *collectiveOf(const Node &node) {
  return node.op() && node.op()->collective ? &*node.op()->collective : nullptr;
}

bool isWait(const Node &node) { return node.op() && node.op()->role == OpRole::Wait; }

const Node *freedBy(const Node &node) {
  const Argument *freed = isWait(node) ? argumentAt(node, node.op()->frees) : nullptr;
  return freed && freed->is(Argument::Kind::Operand) ? node.operand(*freed) : nullptr;
}

bool isHostCopy(const Node &node) { return node.op() && node.op()->role == OpRole::HostCopy; }

bool isOffload(const Node &node) { return node.op() && node.op()->hostResult; }

bool isGetItem(const Node &node) { return node.op() && node.op()->role == OpRole::GetItem; }

std::optional<int64_t> getItemIndex(const Node &node) {
  // Callers count up to this number, and no operator yields as many results.
  constexpr int64_t mostElements = 65536;
  const Argument *list = isGetItem(node) ? argumentAt(node, 0) : nullptr;
  const Argument *index = list && list->is(Argument::Kind::Operand) ? argumentAt(node, 1) : nullptr;
  bool plain = index && index->is(Argument::Kind::Int) && index->integer() >= 0 && index->integer() < mostElements;
  return plain ? std::optional<int64_t>(index->integer()) : std::nullopt;
}

bool isViewLike(const Node &node) {
  const OpDef *op = node.op();
  if (!op || node.numOperands() == 0)
    return false;
  return op->isView || (op->mayAlias && sharingOf(node) == Sharing::View);
}

const Node *wrappedCall(const Node &node) {
  if (!node.op() || node.op()->role != OpRole::ControlDeps)
    return node.op() ? &node : nullptr;
  const Graph *body = wrappedGraph(node);
  const Node *call = nullptr;
  for (const Node *inner = body ? body->front() : nullptr; inner; inner = inner->next()) {
    if (inner->opcode() != Opcode::CallFunction)
      continue;
    if (call)
      return nullptr;
    call = inner;
  }
  return call;
}

} // namespace ccgraph
