#include "ccgraph/ir/node.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

namespace ccgraph {

llvm::StringRef opcodeName(Opcode opcode) {
  switch (opcode) {
  case Opcode::Placeholder:
    return "placeholder";
  case Opcode::GetAttr:
    return "get_attr";
  case Opcode::CallFunction:
    return "call_function";
  case Opcode::Output:
    return "output";
  }
  llvm_unreachable("all opcodes are named");
}

const Argument *Node::kwarg(llvm::StringRef name) const {
  for (const NamedArgument &argument : kwargs())
    if (argument.name.str() == name)
      return &argument.value;
  return nullptr;
}

bool Node::hasDataUses() const {
  return llvm::any_of(uses(), [](const Use &use) { return !use.isOrdering(); });
}

} // namespace ccgraph
