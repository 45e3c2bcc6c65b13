#include "program.h"

namespace ccgraph::legality {

namespace {

void markOperands(const Argument &tree, Access access, Effects &effects) {
  if (tree.is(Argument::Kind::Operand))
    effects.operands[tree.operandIndex()] = access;
  for (const Argument &element : tree.elements())
    markOperands(element, access, effects);
  for (const NamedArgument &entry : tree.entries())
    markOperands(entry.value, access, effects);
}

Access accessOf(const OpDef &op, size_t parameter) {
  if (op.opaque || op.params.empty())
    return Access::Read | Access::Write | Access::Alias | Access::Place | Access::Reshape;
  return op.params[std::min(parameter, op.params.size() - 1)].access;
}

// A removed node has lost its operands, and a node with new arguments has lost the old ones, so effectsOf would
// describe another call. Only the operator and the argument tree of the old call remain. Where the declaration is wider
// than the call (a reshape that was a view counts as a read), the checker may reject more than necessary, but never
// less.

/// Returns the effects that the operator declares for any of its calls: a superset of the effects that `effectsOf`
/// would return for this call.
Effects declaredEffects(const NodeState &state) {
  Effects effects;
  effects.operands.assign(state.numOperands, Access::Read);
  if (!state.op)
    return effects;
  auto positional = state.arguments->positional;
  for (size_t i = 0; i < positional.size(); ++i)
    markOperands(positional[i], accessOf(*state.op, i), effects);
  for (const NamedArgument &argument : state.arguments->keyword) {
    int parameter = state.op->paramIndex(argument.name.str());
    markOperands(argument.value, accessOf(*state.op, parameter < 0 ? 0 : parameter), effects);
  }
  effects.domain = state.op->domain;
  effects.launches = state.op->launches();
  effects.waits = state.op->role == OpRole::Wait;
  effects.freshResult = state.op->freshResult;
  effects.keepAlways = state.op->keepAlways;
  return effects;
}

/// Returns 1 for getitem(l, 1); `none` for an index from the end or a non-literal index, whose result may be any
/// element.
uint32_t elementOf(const Step &step) {
  if (!step.isGetItem() || step.arguments->positional.size() != 2)
    return none;
  const Argument &index = step.arguments->positional[1];
  if (!step.arguments->positional[0].is(Argument::Kind::Operand) || !index.is(Argument::Kind::Int))
    return none;
  constexpr int64_t mostElements = 65536; // no operator returns this many results
  bool plain = index.integer() >= 0 && index.integer() < mostElements;
  return plain ? static_cast<uint32_t>(index.integer()) : none;
}

bool callUnchanged(const NodeState &state) {
  const Node &node = *state.node;
  return !node.isErased() && node.op() == state.op && &node.arguments() == state.arguments;
}

} // namespace

Program::Program(const GraphSnapshot &before) : indexById_(before.graph().idLimit(), none) {
  steps_.reserve(before.nodes().size());
  size_t edges = 0;
  for (const NodeState &state : before.nodes()) {
    indexById_[state.node->id()] = before.position(state);
    edges += state.numOperands + state.numOrdering;
  }
  makeRoom(edges);
  for (const NodeState &state : before.nodes()) {
    Step &step = steps_.emplace_back();
    step.node = state.node;
    step.op = state.op;
    step.type = state.type;
    step.arguments = state.arguments;
    step.firstOperand = static_cast<uint32_t>(operands_.size());
    step.numOperands = state.numOperands;
    step.numOrdering = state.numOrdering;
    for (llvm::ArrayRef<Node *> nodes : {before.operands(state), before.ordering(state)})
      for (const Node *node : nodes)
        operands_.push_back(indexOf(node));
    apply(step, callUnchanged(state) ? effectsOf(*state.node) : declaredEffects(state));
  }
}

// An unchanged call has its earlier effects: they are copied, so that both programs agree. All nodes are numbered
// before any operand is looked up, because in a malformed graph an operand may be defined later.
Program::Program(const Graph &after, const GraphSnapshot &snapshot, const Program &before)
    : indexById_(after.idLimit(), none) {
  steps_.reserve(after.size());
  size_t edges = 0;
  for (const Node *node : after) {
    indexById_[node->id()] = size();
    Step &step = steps_.emplace_back();
    step.node = node;
    step.op = node->op();
    step.type = node->type();
    step.arguments = &node->arguments();
    step.numOperands = node->numOperands();
    step.numOrdering = node->numOrdering();
    edges += step.numOperands + step.numOrdering;
  }
  makeRoom(edges);
  for (Step &step : steps_) {
    step.firstOperand = static_cast<uint32_t>(operands_.size());
    for (const Use &use : step.node->operandUses())
      operands_.push_back(indexOf(use.def()));
    const NodeState *state = snapshot.find(step.node);
    if (state && callUnchanged(*state)) {
      const Step &was = before[snapshot.position(*state)];
      setEffects(indexOf(step.node), was, before.accesses(was));
    } else {
      apply(step, effectsOf(*step.node));
    }
  }
}

void Program::makeRoom(size_t edges) {
  operands_.reserve(edges);
  accesses_.resize(edges, Access::Nothing);
}

void Program::apply(Step &step, const Effects &effects) {
  std::copy(effects.operands.begin(), effects.operands.end(), accesses_.begin() + step.firstOperand);
  step.element = elementOf(step);
  step.domain = effects.domain;
  step.launches = effects.launches;
  step.waits = effects.waits;
  step.freshResult = effects.freshResult;
  step.keepAlways = effects.keepAlways;
}

void Program::setEffects(uint32_t index, const Step &like, llvm::ArrayRef<Access> accesses) {
  Step &step = steps_[index];
  std::copy(accesses.begin(), accesses.end(), accesses_.begin() + step.firstOperand);
  step.domain = like.domain;
  step.launches = like.launches;
  step.waits = like.waits;
  step.freshResult = like.freshResult;
  step.keepAlways = like.keepAlways;
  step.element = like.element;
}

const Argument *Program::argument(const Step &step, int parameter) {
  if (parameter < 0 || !step.op)
    return nullptr;
  auto positional = step.arguments->positional;
  if (static_cast<size_t>(parameter) < positional.size())
    return &positional[parameter];
  if (static_cast<size_t>(parameter) >= step.op->params.size())
    return nullptr;
  for (const NamedArgument &argument : step.arguments->keyword)
    if (argument.name.str() == step.op->params[parameter].name)
      return &argument.value;
  return nullptr;
}

llvm::SmallVector<uint32_t, 4> Program::operandsIn(const Step &step, const Argument *tree) const {
  llvm::SmallVector<uint32_t, 4> found;
  if (!tree)
    return found;
  if (tree->is(Argument::Kind::Operand))
    found.push_back(operand(step, *tree));
  for (const Argument &element : tree->elements())
    found.append(operandsIn(step, &element));
  return found;
}

} // namespace ccgraph::legality
