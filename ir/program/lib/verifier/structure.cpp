#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/subgraph_calls.h"

#include "verifier/graph_rules.h"

#include "llvm/ADT/DenseMap.h"

namespace ccgraph::verifier {
namespace {

class StructureRules {
public:
  explicit StructureRules(Report &report) : report_(report), graph_(report.graph()) {}

  void run() {
    for (const Node *node : graph_)
      visit(*node);
    if (!graph_.back() || graph_.back()->opcode() != Opcode::Output)
      report_.add(
          {Severity::Error, "structure.output", "has no output at its end", "end the graph with an output node"});
  }

private:
  void visit(const Node &node) {
    checkName(node);
    checkOrder(node);
    switch (node.opcode()) {
    case Opcode::Placeholder:
    case Opcode::GetAttr:
      return checkInput(node);
    case Opcode::CallFunction:
      return checkCall(node);
    case Opcode::Output:
      return checkOutput(node);
    }
  }

  void checkName(const Node &node) {
    llvm::StringRef name = node.name().str();
    if (name.empty() || graph_.find(node.name()) != &node)
      report_.add(node,
                  {Severity::Error, "structure.names",
                   name.empty() ? "a node has no name; expected one" : "is the name of two nodes; expected it once",
                   "rename the node: nodes refer to one another by name"});
    if (node.target().str().empty() && node.opcode() != Opcode::Output)
      report_.add(node, {Severity::Error, "structure.target",
                         "is a " + opcodeName(node.opcode()).str() + " without target; expected one",
                         "name the operator that is called, or the input or attribute that is meant"});
  }

  void checkOrder(const Node &node) {
    for (const Use &use : node.operandUses()) {
      if (use.def()->isBefore(&node))
        continue;
      std::string how = use.isOrdering() ? "is ordered after " : "reads ";
      report_.add(node, {Severity::Error, "structure.order",
                         how + quoted(*use.def()) + ", which is " + (use.def() == &node ? "the node itself" : "later") +
                             "; expected it before",
                         "move " + quoted(*use.def()) + " up or " + quoted(node) + " down"});
    }
  }

  void checkInput(const Node &node) {
    if (node.numOperands())
      report_.add(node, {Severity::Error, "structure.inputs",
                         opcodeName(node.opcode()).str() + " reads " + quoted(*node.operand(0)) + "; expected no node",
                         "inputs and attributes are given from outside: make it a call"});
    if (node.opcode() == Opcode::Placeholder && firstCall_)
      report_.add(node, {Severity::Error, "structure.inputs",
                         "is a placeholder after the call " + quoted(*firstCall_) + "; expected it before every call",
                         "move the placeholder to the others at the head"});
    if (node.opcode() != Opcode::Placeholder)
      return;
    auto [first, isFirst] = inputs_.try_emplace(node.target(), &node);
    if (!isFirst)
      report_.add(node, {Severity::Error, "structure.inputs",
                         "is the input '" + node.target().str().str() + "', as " + quoted(*first->second) +
                             " is; expected one placeholder of each input",
                         "give it a target of its own: they are the parameters of one function"});
  }

  void checkOutput(const Node &node) {
    if (&node != graph_.back())
      report_.add(node, {Severity::Error, "structure.output",
                         "is an output before " + quoted(*node.next()) + "; expected one output, at the end",
                         "return everything in the last node"});
  }

  void checkCall(const Node &node) {
    firstCall_ = firstCall_ ? firstCall_ : &node;
    if (node.op()->opaque)
      return;
    if (node.op()->role == OpRole::ControlDeps)
      checkControlDeps(node);
    checkRequired(node);
    checkUnknown(node);
  }

  // A positional argument may also be given by name; after the star it must be. An argument may be left out if it has a
  // default, may be None, or is variadic.

  /// Returns true for the `args` of a control_deps, which may be empty: a subgraph without placeholders takes none.
  static bool standsForAnyNumber(const OpDef &op, size_t parameter) {
    return op.role == OpRole::ControlDeps && parameter + 2 == op.params.size() && op.params.back().type == "...";
  }

  /// Checks that required arguments are given. A name without overload matches several schemas, so only a full name is
  /// checked.
  void checkRequired(const Node &node) {
    const OpDef &op = *node.op();
    for (size_t i = node.args().size(); i < op.params.size(); ++i) {
      const OpParam &param = op.params[i];
      bool anyNumber = param.type == "..." || standsForAnyNumber(op, i);
      bool optional = !param.defaultValue.empty() || anyNumber || llvm::StringRef(param.type).back() == '?';
      if (optional || node.kwarg(param.name) || node.target() != op.target)
        continue;
      report_.add(node, {Severity::Error, "structure.arguments",
                         "gives no '" + param.name + "' to " + op.target.str().str() + "; expected " + param.type +
                             " " + param.name,
                         "give it at position " + std::to_string(i) + " or by name"});
    }
  }

  void checkUnknown(const Node &node) {
    const OpDef &op = *node.op();
    if (op.variadic || node.target() != op.target)
      return;
    // The effect of a collective depends on every argument, so an unknown one is an error there.
    bool communicates = op.role == OpRole::Collective || op.role == OpRole::HostCopy || op.role == OpRole::Wait;
    Severity severity = communicates ? Severity::Error : Severity::Warning;
    std::string repair = communicates ? "leave it out, or name the parameter as the schema does"
                                      : "an argument that is not in the schema counts as read, written and shared";
    if (node.args().size() > op.params.size())
      report_.add(node, {severity, "structure.arguments",
                         "gives " + std::to_string(node.args().size()) + " arguments to " + op.target.str().str() +
                             "; its schema has " + std::to_string(op.params.size()),
                         repair});
    for (const NamedArgument &entry : node.kwargs())
      if (int index = op.paramIndex(entry.name.str()); index < 0)
        report_.add(node, {severity, "structure.arguments",
                           "gives '" + entry.name.str().str() + "' to " + op.target.str().str() +
                               ", whose schema has no such parameter",
                           repair});
      else if (communicates && static_cast<size_t>(index) < node.args().size())
        report_.add(node, {severity, "structure.arguments",
                           "gives '" + entry.name.str().str() + "' twice, by position and by name; expected it once",
                           "leave one of them out"});
  }

  /// Checks the form of control_deps((a, b), body, x, y), which runs `body`, a subgraph of two placeholders, on x and y
  /// after a and b.
  void checkControlDeps(const Node &node) {
    auto fail = [&](std::string message) {
      report_.add(node, {Severity::Error, "structure.control-deps", std::move(message),
                         "control_deps reads like control_deps((predecessors,), subgraph, arguments...)"});
    };
    llvm::ArrayRef<Argument> args = node.args();
    if (args.size() < 2)
      return;
    if (!args[0].isSequence() ||
        !llvm::all_of(args[0].elements(), [](const Argument &e) { return e.is(Argument::Kind::Operand); }))
      return fail("its first argument is no tuple of nodes");
    const Node *attribute = args[1].is(Argument::Kind::Operand) ? node.operand(args[1]) : nullptr;
    const Graph *body = attribute ? namedSubgraph(*attribute) : nullptr;
    if (!body)
      return fail("its second argument names no subgraph of this graph");
    size_t placeholders = 0;
    for (const Node *inner : *body)
      placeholders += inner->opcode() == Opcode::Placeholder;
    if (placeholders != args.size() - 2)
      fail("gives " + std::to_string(args.size() - 2) + " arguments to " + quoted(*attribute) + "; expected " +
           std::to_string(placeholders) + ", one for each of its placeholders");
  }

  Report &report_;
  const Graph &graph_;
  const Node *firstCall_ = nullptr;
  /// placeholders by target
  llvm::DenseMap<Identifier, const Node *> inputs_;
};

} // namespace

void checkStructure(Report &report) { StructureRules(report).run(); }

} // namespace ccgraph::verifier
