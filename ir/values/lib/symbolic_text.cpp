#include "ccgraph/ir/internal/symbolic_text.h"

#include "llvm/ADT/StringSwitch.h"

namespace ccgraph {

Operation operationOf(llvm::StringRef function) {
  return llvm::StringSwitch<Operation>(function)
      .Case("Max", Operation::Max)
      .Case("Min", Operation::Min)
      .Case("Eq", Operation::Eq)
      .Case("Ne", Operation::Ne)
      .Case("Lt", Operation::Lt)
      .Case("Le", Operation::Le)
      .Case("Gt", Operation::Gt)
      .Case("Ge", Operation::Ge)
      .Cases("Mod", "PythonMod", Operation::Modulo)
      .Cases("FloorDiv", "CleanDiv", Operation::FloorDivide)
      .Case("CeilDiv", Operation::CeilDivide)
      .Default(Operation::Unknown);
}

std::string callText(llvm::StringRef function, llvm::ArrayRef<std::string> operands) {
  return (function + "(" + llvm::join(operands, ", ") + ")").str();
}

const Operator *operatorAt(llvm::StringRef text) {
  // Longer operators come first.
  static constexpr Operator operators[] = {
      {"**", Operation::Power, 4},   {"//", Operation::FloorDivide, 3}, {"<=", Operation::Le, 1},
      {">=", Operation::Ge, 1},      {"==", Operation::Eq, 1},          {"!=", Operation::Ne, 1},
      {"*", Operation::Multiply, 3}, {"%", Operation::Modulo, 3},       {"+", Operation::Add, 2},
      {"-", Operation::Subtract, 2}, {"<", Operation::Lt, 1},           {">", Operation::Gt, 1},
  };
  const auto *found = llvm::find_if(operators, [&](const Operator &op) { return text.startswith(op.spelling); });
  return found == std::end(operators) ? nullptr : found;
}

} // namespace ccgraph
