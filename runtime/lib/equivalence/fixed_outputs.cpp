#include "ccgraph/runtime/fixed_outputs.h"

#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/storage.h"

namespace ccgraph::runtime {
namespace {

// torch.ones([4]) is the same in every run; torch.ones([4]) * x is not. A node is reached by an input if it reads
// something that is. Memory is followed as well as values: in  b = zeros([4]); copy_(b, x); return b  the node b is no
// reader of x, yet its storage holds x in the end.

/// Which nodes and storages hold something that an input may have decided.
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
    // Because random numbers, what other ranks send, and what the world outside says are inputs too.
    bool reached = effects.domain != Domain::None;
    for (unsigned i = 0; i < node.numOperands(); ++i)
      reached |= reads(*node.operand(i), effects.operands[i]) && reaches(*node.operand(i));
    if (!reached)
      return;
    if (effects.freshResult)
      mark(node);
    for (unsigned i = 0; i < node.numOperands(); ++i)
      if (hasAny(effects.operands[i], Access::Write | Access::InFlightWrite))
        mark(*node.operand(i));
  }

  /// A number is read by whoever takes it; a tensor may be asked for its sizes alone.
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

/// Counts outputs as a run does, as long as types say what is a list.
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
      fixed_.insert("out." + std::to_string(count_));
    ++count_;
  }

  const Node &output_;
  const Reach &reach_;
  std::set<std::string> fixed_;
  size_t count_ = 0;
  bool known_ = true; ///< false after a list, which counts for as many outputs as it has
};

} // namespace

std::set<std::string> fixedOutputs(const Graph &graph) {
  const Node *output = graph.back();
  if (!output || output->opcode() != Opcode::Output)
    return {};
  return Outputs(*output, Reach(graph)).take();
}

} // namespace ccgraph::runtime
