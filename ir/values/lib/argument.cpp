#include "ccgraph/ir/argument.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/ErrorHandling.h"

namespace ccgraph {
namespace {

bool sameEntries(llvm::ArrayRef<NamedArgument> a, llvm::ArrayRef<NamedArgument> b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](const auto &pair) {
           return std::get<0>(pair).name == std::get<1>(pair).name &&
                  sameArgument(std::get<0>(pair).value, std::get<1>(pair).value);
         });
}

bool sameElements(llvm::ArrayRef<Argument> a, llvm::ArrayRef<Argument> b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](const auto &pair) {
           return sameArgument(std::get<0>(pair), std::get<1>(pair));
         });
}

} // namespace

// Trees refer to operands by index, so the trees of relu(x) and of relu(y) are equal. A caller that requires equal
// operands must compare these too.
bool sameArgument(const Argument &a, const Argument &b) {
  if (a.kind() != b.kind())
    return false;
  switch (a.kind()) {
  case Argument::Kind::None:
    return true;
  case Argument::Kind::Bool:
    return a.boolean() == b.boolean();
  case Argument::Kind::Int:
    return a.integer() == b.integer();
  case Argument::Kind::Float:
    // Compared bitwise, because 0.0 == -0.0 although 1 / x differs, and NaN is not equal to itself.
    return llvm::bit_cast<uint64_t>(a.floating()) == llvm::bit_cast<uint64_t>(b.floating());
  case Argument::Kind::Symbolic:
    return a.symbolic() == b.symbolic();
  case Argument::Kind::DType:
    return a.dtype() == b.dtype();
  case Argument::Kind::Device:
    return a.device() == b.device();
  case Argument::Kind::String:
  case Argument::Kind::Layout:
  case Argument::Kind::MemoryFormat:
  case Argument::Kind::Python:
    return a.text() == b.text();
  case Argument::Kind::Operand:
    return a.operandIndex() == b.operandIndex();
  case Argument::Kind::List:
  case Argument::Kind::Tuple:
  case Argument::Kind::Slice:
    return sameElements(a.elements(), b.elements());
  case Argument::Kind::Dict:
    return sameEntries(a.entries(), b.entries());
  }
  llvm_unreachable("all kinds are handled");
}

} // namespace ccgraph
