#include "ccgraph/passes/lower.h"

#include "ccgraph/ir/digest.h"
#include "ccgraph/ir/guard_check.h"
#include "ccgraph/ir/value_names.h"
#include "lower/splice.h"
#include "lower/steps.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {
namespace lower {
namespace {

/// Visits the nodes of the graph and creates their steps.
class Walk {
public:
  Walk(const Graph &graph, const LoweringOptions &options, Program &program)
      : graph_(graph), emitter_(graph, options, program) {}

  llvm::Error run() {
    for (const Node *node : graph_) {
      Lowered value = visit(*node);
      if (!value)
        return value.takeError();
      emitter_.setValue(*node, std::move(*value));
    }
    noteInputs();
    return checkCopiedViews(emitter_.plan(), copied_);
  }

private:
  Lowered visit(const Node &node);
  Lowered visitCall(const Node &node);
  LoweredValue visitPlaceholder(const Node &node);
  LoweredValue visitAttribute(const Node &node);
  LoweredValue bring(const Node &node, std::string name, Identifier called, Home home);
  Lowered visitGetItem(const Node &node);
  LoweredValue visitOutput(const Node &node);
  void addOutputs(const LoweredValue &value);
  void noteInputs();

  const Graph &graph_;
  Emitter emitter_;
  llvm::StringMap<LoweredValue> attributes_;
  /// by input of the plan
  std::vector<LoweredValue> brought_;
  std::vector<CopiedView> copied_;
};

Lowered Walk::visit(const Node &node) {
  switch (node.opcode()) {
  case Opcode::Placeholder:
    return visitPlaceholder(node);
  case Opcode::GetAttr:
    return visitAttribute(node);
  case Opcode::CallFunction:
    return visitCall(node);
  case Opcode::Output:
    return visitOutput(node);
  }
  return LoweredValue();
}

LoweredValue Walk::bring(const Node &node, std::string name, Identifier called, Home home) {
  LoweredValue value = LoweredValue::ofObject(called);
  if (node.type() && node.type()->isTensor())
    value = LoweredValue::tensor(emitter_.freshTensor(called, node.type(), home));
  else if (node.type() && node.type()->kind() == Type::Kind::Symbolic)
    value = emitter_.freshNumber(node.type());
  emitter_.tellsSymbols(node.type());
  emitter_.plan().inputs.push_back({std::move(name), planned(value), PlanValue()});
  brought_.push_back(value);
  return value;
}

LoweredValue Walk::visitPlaceholder(const Node &node) {
  return bring(node, inputName(node.name().str()), node.name(), Home::Input);
}

LoweredValue Walk::visitAttribute(const Node &node) {
  bool tensor = node.type() && node.type()->isTensor();
  if (!tensor)
    return LoweredValue::ofObject(node.target());
  auto [known, added] = attributes_.try_emplace(node.target().str());
  if (added)
    known->second = bring(node, attributeName(node.target().str()), node.target(), Home::Attribute);
  return known->second;
}

Lowered Walk::visitGetItem(const Node &node) {
  const LoweredValue &list = emitter_.valueOf(*node.operand(0));
  std::optional<int64_t> index = getItemIndex(node);
  if (list.kind == LoweredValue::Kind::List && index && *index < static_cast<int64_t>(list.elements.size()))
    return list.elements[static_cast<size_t>(*index)];
  return loweringError(node, "lower.type",
                       "takes an element of `" + node.operand(0)->name().str() + "`, which has no such one",
                       "take one of its elements, counted from 0");
}

Lowered Walk::visitCall(const Node &node) {
  switch (node.op()->role) {
  case OpRole::Collective:
    return lowerCollective(emitter_, node);
  case OpRole::HostCopy:
    return lowerHostCopy(emitter_, node);
  case OpRole::Wait:
    return emitter_.valueOf(node, *argumentAt(node, 0)); // by position or by name
  case OpRole::GetItem:
    return visitGetItem(node);
  case OpRole::Compute:
  case OpRole::ControlDeps:
  case OpRole::HigherOrder:
    return lowerCompute(emitter_, node, copied_);
  }
  return LoweredValue();
}

void Walk::addOutputs(const LoweredValue &value) {
  if (value.kind != LoweredValue::Kind::List) {
    emitter_.plan().outputs.push_back(planned(value));
    emitter_.keepToTheEnd(emitter_.plan().outputs.back());
  }
  for (const LoweredValue &element : value.elements)
    addOutputs(element);
}

LoweredValue Walk::visitOutput(const Node &node) {
  if (!node.args().empty())
    addOutputs(emitter_.valueOf(node, node.args().front()));
  return {};
}

/// For inputs that were written, or are other tensors now, records what the caller finds in them.
void Walk::noteInputs() {
  Plan &plan = emitter_.plan();
  std::vector<bool> written(plan.buffers.size());
  for (const PlanStep &step : plan.steps)
    forEachAccess(step, [&](const PlanAccess &access) {
      if (access.window && access.writes)
        written[access.window->buffer] = true;
    });
  for (auto [input, value] : llvm::zip(plan.inputs, brought_)) {
    if (!value.isTensor())
      continue;
    PlanValue after = planned(value);
    if (written[after.window.buffer] || after.window.buffer != input.value.window.buffer) {
      input.after = after;
      emitter_.keepToTheEnd(after);
    }
  }
}

/// Each step may have a clock entry for each stream, so the number of streams is limited to what engines can use.
constexpr size_t mostStreams = 1024;

llvm::Error checkStreams(const Plan &plan) {
  if (plan.streams.size() <= mostStreams)
    return llvm::Error::success();
  Diagnostic diagnostic =
      diagnose("lower.streams",
               "needs " + std::to_string(plan.streams.size()) + " streams, expected at most " +
                   std::to_string(mostStreams) + ": one for each group, and for each channel of transfers",
               "communicate on fewer groups, or with fewer tags");
  diagnostic.where = plan.name;
  return makeError(std::move(diagnostic));
}

/// Copies the guards with the groups that they refer to, because the plan is checked without the graph.
void keepGuards(const Graph &graph, Plan &plan) {
  plan.guards = graph.guards;
  for (const Guard &guard : graph.guards) {
    const Group *group = graph.groups().find(guard.of);
    if (group && llvm::none_of(plan.groups, [&](const Group &each) { return each.name == guard.of; }))
      plan.groups.push_back(*group);
  }
}

/// Stated values first, then the graph's hints of other symbols.
void bindSymbols(const Graph &graph, const LoweringOptions &options, PlanLayout &layout) {
  for (const auto &[name, value] : options.symbols)
    layout.symbols.emplace_back(graph.context().identifier(name), value);
  for (const auto &[name, value] : graph.symbolHints)
    if (!symbolOf(layout, name.str()))
      layout.symbols.emplace_back(name, value);
}

} // namespace
} // namespace lower

llvm::ArrayRef<llvm::StringLiteral> loweringPhases() {
  static constexpr llvm::StringLiteral phases[] = {"steps", "copies", "layout", "events"};
  return phases;
}

llvm::Expected<std::unique_ptr<Plan>> lowerGraph(const Graph &given, const LoweringOptions &options) {
  if (llvm::Error error = checkGuards(given))
    return error;
  llvm::Expected<std::unique_ptr<Graph>> copy = lower::spliced(given);
  if (!copy)
    return copy.takeError();
  const Graph &graph = *copy ? **copy : given;
  if (llvm::Error error = lower::checkOperators(graph))
    return error;
  auto plan = std::make_unique<Plan>(graph.context());
  auto finishPhase = [&, number = size_t{0}]() mutable {
    if (options.afterPhase)
      options.afterPhase(loweringPhases()[number++], *plan);
  };
  plan->name = graph.name().str();
  plan->graphDigest = digestOf(given).str();
  plan->rank = graph.rank;
  plan->worldSize = graph.worldSize;
  lower::bindSymbols(graph, options, plan->layout);
  lower::Program program{*plan, {}, {}, {}, {}};
  if (llvm::Error error = lower::Walk(graph, options, program).run())
    return error;
  lower::keepGuards(given, *plan);
  if (llvm::Error error = lower::checkStreams(*plan))
    return error;
  if (llvm::Error error = lower::checkCopiedAgain(program))
    return error;
  finishPhase();
  lower::copyWhatIsOverwritten(program);
  finishPhase();
  lower::layOut(program, options.separateCommunication);
  finishPhase();
  lower::orderByEvents(*plan);
  finishPhase();
  return plan;
}

} // namespace ccgraph
