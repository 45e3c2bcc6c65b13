#include "call_text.h"

#include "ccgraph/ir/device.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

namespace ccgraph::numerics {

std::string pureBaseOf(llvm::StringRef target) {
  llvm::StringRef base = baseOfTarget(target);
  base.consume_back("_");
  return base.str();
}

std::string exactText(double number) { return llvm::utohexstr(llvm::bit_cast<uint64_t>(number)); }

std::string layoutText(DType dtype, IntListRef sizes, IntListRef strides) {
  return shortName(dtype).str() + intListText(sizes) + intListText(strides);
}

static std::string textOf(const Argument &argument, llvm::function_ref<std::string(unsigned)> operandText) {
  switch (argument.kind()) {
  case Argument::Kind::None:
    return "None";
  case Argument::Kind::Bool:
    return argument.boolean() ? "True" : "False";
  case Argument::Kind::Int:
    return std::to_string(argument.integer());
  case Argument::Kind::Float:
    return "0x" + exactText(argument.floating());
  case Argument::Kind::Symbolic:
    return argument.symbolic()->text().str();
  case Argument::Kind::DType:
    return shortName(argument.dtype()).str();
  case Argument::Kind::Device:
    return deviceText(argument.device());
  case Argument::Kind::Operand:
    return operandText(argument.operandIndex());
  case Argument::Kind::String:
  case Argument::Kind::Layout:
  case Argument::Kind::MemoryFormat:
  case Argument::Kind::Python:
    return "'" + argument.text().str() + "'";
  case Argument::Kind::Dict: {
    std::string text = "{";
    for (const NamedArgument &entry : argument.entries())
      text += entry.name.str().str() + ":" + textOf(entry.value, operandText) + ",";
    return text + "}";
  }
  case Argument::Kind::List:
  case Argument::Kind::Tuple:
  case Argument::Kind::Slice: {
    std::string text = "[";
    for (const Argument &element : argument.elements())
      text += textOf(element, operandText) + ",";
    return text + "]";
  }
  }
  llvm_unreachable("all kinds of arguments have a text");
}

static bool statesUnbacked(const Argument &argument) {
  if (argument.is(Argument::Kind::Symbolic))
    return argument.symbolic()->isUnbacked();
  auto inside = [](const Argument &element) { return statesUnbacked(element); };
  return llvm::any_of(argument.elements(), inside) ||
         llvm::any_of(argument.entries(), [](const NamedArgument &entry) { return statesUnbacked(entry.value); });
}

bool statesUnbacked(const Node &node) {
  return llvm::any_of(node.args(), [](const Argument &argument) { return statesUnbacked(argument); }) ||
         llvm::any_of(node.kwargs(), [](const NamedArgument &argument) { return statesUnbacked(argument.value); });
}

std::string literalText(const Argument &argument) {
  return textOf(argument, [](unsigned index) { return "%" + std::to_string(index); });
}

std::string elementwiseText(const std::string &name, llvm::ArrayRef<std::string> kinds, DType dtype) {
  return name + "(" + llvm::join(kinds, ",") + ") -> " + shortName(dtype).str() + " ";
}

std::string callText(const Node &node, llvm::StringRef name, llvm::function_ref<std::string(unsigned)> operandText) {
  const size_t known = node.op() ? node.op()->params.size() : 0;
  std::string text = name.str() + "(";
  for (size_t i = 0; i != known; ++i) {
    if (const Argument *argument = argumentAt(node, static_cast<int>(i)))
      text += textOf(*argument, operandText);
    text += ",";
  }
  for (const Argument &argument : node.args().drop_front(std::min(known, node.args().size())))
    text += textOf(argument, operandText) + ",";
  for (const NamedArgument &argument : node.kwargs())
    if (!node.op() || node.op()->paramIndex(argument.name.str()) < 0)
      text += argument.name.str().str() + "=" + textOf(argument.value, operandText) + ",";
  return text + ")";
}

} // namespace ccgraph::numerics
