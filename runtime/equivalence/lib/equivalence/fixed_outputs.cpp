#include "ccgraph/runtime/fixed_outputs.h"

#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/storage.h"
#include "ccgraph/ir/value_names.h"

namespace ccgraph::runtime {
namespace {

// torch.ones([4]) is the same in every run; torch.ones([4]) * x is not. An input reaches a node if the node reads a
// reached value. Memory is followed as well as values: in  b = zeros([4]); copy_(b, x); return b  the node b does not
// read x, yet its storage holds x at the end.

/// The nodes and storages that an input may have influenced.
class Reach {
public:
  explicit Reach(const Graph &graph) : storages_(graph), nodes_(graph.idLimit()), memory_(storages_.numStorages()) {
    for (const Node *node : graph)
      visit(*node);
  }

  [[nodiscard]] bool reaches(const Node &node) const {
    return nodes_[node.id()] || llvm::any_of(storages_.storages(&node), [&](StorageId id) { return memory_[id]; });
  }

private:
  void visit(const Node &node) {
    if (node.opcode() == Opcode::Output)
      return;
    if (node.opcode() != Opcode::CallFunction)
      return mark(node);
    Effects effects = effectsOf(node);
    // Random numbers, data of other ranks, and external state are inputs too.
    bool reached = effects.domain != Domain::None;
    for (unsigned i = 0; i < node.numOperands(); ++i)
      reached |= reads(*node.operand(i), effects.operands[i]) && reaches(*node.operand(i));
    if (!reached)
      return;
    // A number is in no storage, so the result of item(x) is reached through its value.
    bool isNumber = node.type() && !node.type()->isTensor() && !node.type()->isList();
    if (effects.freshResult || isNumber)
      mark(node);
    for (unsigned i = 0; i < node.numOperands(); ++i)
      if (hasAny(effects.operands[i], Access::Write | Access::InFlightWrite))
        mark(*node.operand(i));
  }

  /// A number is read by every user; of a tensor, a user may read the sizes alone.
  static bool reads(const Node &operand, Access access) {
    bool isTensor = operand.type() && operand.type()->isTensor();
    return !isTensor || hasAny(access, Access::Read | Access::InFlightRead);
  }

  void mark(const Node &node) {
    nodes_[node.id()] = true;
    for (StorageId storage : storages_.storages(&node))
      memory_[storage] = true;
  }

  StorageMap storages_;
  std::vector<bool> nodes_;
  std::vector<bool> memory_;
};

/// Counts outputs as a run does, as far as types show which values are lists.
class Outputs {
public:
  Outputs(const Node &output, const Reach &reach) : output_(output), reach_(reach) {
    for (const Argument &argument : output.args())
      add(argument);
  }
  std::set<std::string> take() { return std::move(fixed_); }

private:
  void add(const Argument &argument) {
    if (argument.is(Argument::Kind::List) || argument.is(Argument::Kind::Tuple)) {
      for (const Argument &element : argument.elements())
        add(element);
      return;
    }
    const Node *node = argument.is(Argument::Kind::Operand) ? output_.operand(argument) : nullptr;
    known_ &= !node || (node->type() && !node->type()->isList());
    if (known_ && node && !reach_.reaches(*node))
      fixed_.insert(outputName(count_));
    ++count_;
  }

  const Node &output_;
  const Reach &reach_;
  std::set<std::string> fixed_;
  size_t count_ = 0;
  bool known_ = true; ///< false after a list, which counts for as many outputs as it has
};

/// The buffers and numbers of a plan that an input may have influenced.
class PlanReach {
public:
  explicit PlanReach(const Plan &plan) : buffers_(plan.buffers.size()), slots_(plan.numSlots) {
    for (const PlanInput &input : plan.inputs)
      mark(input.value);
    for (const PlanStep &step : plan.steps)
      visit(step);
  }

  [[nodiscard]] bool reaches(const PlanValue &value) const {
    bool reached = false;
    forEachWindow(value, [&](const PlanWindow &window) { reached |= buffers_[window.buffer]; });
    forEachSlot(value, [&](SlotId slot) { reached |= slots_[slot]; });
    return reached;
  }

private:
  void visit(const PlanStep &step) {
    // Random numbers, data of other ranks, and external state are inputs too.
    const KernelStep *kernel = step.kernel();
    bool reached = step.collective() || (kernel && kernel->op->domain != Domain::None);
    forEachAccess(step, [&](const PlanAccess &access) { reached |= access.reads && holds(access); });
    if (reached)
      forEachAccess(step, [&](const PlanAccess &access) {
        if (access.writes)
          hold(access);
      });
  }

  [[nodiscard]] bool holds(const PlanAccess &access) const {
    return access.window ? buffers_[access.window->buffer] : slots_[access.slot];
  }
  void hold(const PlanAccess &access) {
    if (access.window)
      buffers_[access.window->buffer] = true;
    else
      slots_[access.slot] = true;
  }
  void mark(const PlanValue &value) {
    forEachWindow(value, [&](const PlanWindow &window) { buffers_[window.buffer] = true; });
    forEachSlot(value, [&](SlotId slot) { slots_[slot] = true; });
  }

  std::vector<bool> buffers_;
  std::vector<bool> slots_;
};

} // namespace

std::set<std::string> fixedOutputs(const Plan &plan) {
  PlanReach reach(plan);
  std::set<std::string> fixed;
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    PlanValue::Kind kind = plan.outputs[i].kind;
    bool held = kind == PlanValue::Kind::Tensor || kind == PlanValue::Kind::Number;
    if (held && !reach.reaches(plan.outputs[i]))
      fixed.insert(outputName(i));
  }
  return fixed;
}

std::set<std::string> fixedOutputs(const Graph &graph) {
  const Node *output = graph.back();
  if (!output || output->opcode() != Opcode::Output)
    return {};
  return Outputs(*output, Reach(graph)).take();
}

} // namespace ccgraph::runtime
