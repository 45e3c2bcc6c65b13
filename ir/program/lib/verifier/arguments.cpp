#include "ccgraph/ir/op_def.h"

#include "verifier/graph_rules.h"

#include "llvm/ADT/StringSwitch.h"

namespace ccgraph::verifier {
namespace {

/// The kinds of argument for a schema type. A node is accepted for any of them, unless its type excludes it.
enum class Want : uint8_t { Anything, Tensor, Int, Bool, Text, Group, Reduction, Object };

Want wantOf(llvm::StringRef type) {
  return llvm::StringSwitch<Want>(type)
      .Case("Tensor", Want::Tensor)
      .Cases("int", "SymInt", Want::Int)
      .Case("bool", Want::Bool)
      .Case("str", Want::Text)
      .Cases("ProcessGroup", "ReduceOp", "PyObject", Want::Object)
      .Default(Want::Anything);
}

llvm::StringRef textOf(Want want) {
  switch (want) {
  case Want::Anything:
    return "anything";
  case Want::Tensor:
    return "a tensor";
  case Want::Int:
    return "an integer";
  case Want::Bool:
    return "True or False";
  case Want::Text:
    return "a text";
  case Want::Group:
    return "a name, a node or a list of ranks";
  case Want::Reduction:
    return "the name of a reduction, or a node that holds one";
  case Want::Object:
    return "an object of the program";
  }
  return "";
}

/// Returns a literal in the form of messages.
std::string quotedLiteral(const Node &node, const Argument &argument) {
  switch (argument.kind()) {
  case Argument::Kind::None:
    return "None";
  case Argument::Kind::Bool:
    return argument.boolean() ? "True" : "False";
  case Argument::Kind::Int:
    return std::to_string(argument.integer());
  case Argument::Kind::Float: {
    std::string text = std::to_string(argument.floating());
    return text.substr(0, text.find_last_not_of('0') + 1);
  }
  case Argument::Kind::String:
  case Argument::Kind::Layout:
  case Argument::Kind::MemoryFormat:
  case Argument::Kind::Python:
    return "'" + argument.text().str() + "'";
  case Argument::Kind::Symbolic:
    return argument.symbolic()->text().str();
  case Argument::Kind::DType:
    return "the dtype " + shortName(argument.dtype()).str();
  case Argument::Kind::Device:
    return "the device " + argument.device().kind.str().str();
  case Argument::Kind::Operand: {
    const Node &operand = *node.operand(argument);
    return quoted(operand) + (operand.type() ? " of type " + typeText(operand.type()) : "");
  }
  case Argument::Kind::List:
  case Argument::Kind::Tuple:
  case Argument::Kind::Slice:
    return "a list of " + std::to_string(argument.elements().size());
  case Argument::Kind::Dict:
    return "a dictionary";
  }
  return "";
}

/// Checks the arguments of collectives and waits against their schemas: each must be of the kind that its parameter
/// accepts. For broadcast(x, "0", "tp") it reports: gives '0' as 'src'; expected an integer. Other operators are not
/// checked, because no analysis here depends on such an argument.
class ArgumentRules {
public:
  ArgumentRules(Report &report, const Node &node) : report_(report), node_(node), op_(*node.op()) {}

  void run() {
    for (int i = 0; i < static_cast<int>(op_.params.size()); ++i)
      if (const Argument *argument = argumentAt(node_, i))
        check(i, *argument);
  }

private:
  void check(int index, const Argument &argument) {
    llvm::StringRef type = op_.params[index].type;
    bool optional = type.consume_back("?");
    if ((optional || op_.params[index].defaultValue == "None") && argument.is(Argument::Kind::None))
      return;
    Want want = wantAt(index);
    unsigned depth = 0;
    while (type.consume_back("[]"))
      ++depth;
    if (want == Want::Anything)
      want = wantOf(type);
    checkTree(index, argument, {want, depth});
  }

  /// Returns the kind of an argument that the schema declares as `Any`: its position in the spec shows whether it is
  /// the group or the reduction.
  [[nodiscard]] Want wantAt(int index) const {
    if (!op_.collective || op_.params[index].type != "Any")
      return Want::Anything;
    return index == op_.collective->group      ? Want::Group
           : index == op_.collective->reduceOp ? Want::Reduction
                                               : Want::Anything;
  }

  struct Wanted {
    Want want;
    unsigned depth; ///< of nested lists
  };

  void checkTree(int index, const Argument &argument, Wanted wanted) {
    if (wanted.depth == 0) {
      if (!fits(argument, wanted.want))
        wrong(index, argument, textOf(wanted.want).str());
      return;
    }
    if (argument.is(Argument::Kind::Python) || isList(argument))
      return;
    if (!argument.is(Argument::Kind::List) && !argument.is(Argument::Kind::Tuple))
      return wrong(index, argument, "a list");
    for (const Argument &element : argument.elements())
      checkTree(index, element, {wanted.want, wanted.depth - 1});
  }

  /// Returns true for a node that may hold a list.
  [[nodiscard]] bool isList(const Argument &argument) const {
    if (!argument.is(Argument::Kind::Operand))
      return false;
    const Type *type = node_.operand(argument)->type();
    return !type || type->isList();
  }

  [[nodiscard]] bool fits(const Argument &argument, Want want) const {
    if (want == Want::Anything || argument.is(Argument::Kind::Python))
      return true;
    if (argument.is(Argument::Kind::Operand))
      return nodeFits(*node_.operand(argument), want);
    switch (want) {
    case Want::Anything:
      return true;
    case Want::Tensor:
    case Want::Object:
      return false;
    case Want::Int:
      return argument.is(Argument::Kind::Int) || argument.is(Argument::Kind::Symbolic);
    case Want::Bool:
      return argument.is(Argument::Kind::Bool);
    case Want::Text:
    case Want::Reduction:
      return argument.is(Argument::Kind::String);
    case Want::Group:
      return argument.is(Argument::Kind::String) || isRanks(argument);
    }
    return true;
  }

  static bool isRanks(const Argument &argument) {
    auto isRank = [](const Argument &e) { return e.is(Argument::Kind::Int) || e.is(Argument::Kind::Operand); };
    return argument.isSequence() && llvm::all_of(argument.elements(), isRank);
  }

  /// Returns false if the node's type excludes it. An object and a number that is read from outside have no type.
  /// Tensor operands are checked by another rule (types.operands).
  static bool nodeFits(const Node &operand, Want want) {
    const Type *type = operand.type();
    if (!type || want == Want::Tensor)
      return true;
    bool number = type->kind() == Type::Kind::Symbolic;
    return want == Want::Int ? number : type->kind() == Type::Kind::None;
  }

  void wrong(int index, const Argument &argument, const std::string &expected) {
    const OpParam &param = op_.params[index];
    report_.add(node_,
                {Severity::Error, "types.argument",
                 "gives " + quotedLiteral(node_, argument) + " as '" + param.name + "'; expected " + expected,
                 "the schema says `" + param.type + " " + param.name + "`, at position " + std::to_string(index)});
  }

  Report &report_;
  const Node &node_;
  const OpDef &op_;
};

} // namespace

void checkArguments(Report &report, const Node &node) { ArgumentRules(report, node).run(); }

} // namespace ccgraph::verifier
