#include "infer/rule.h"

namespace ccgraph::infer {

TypePtr Call::refuse(const llvm::Twine &message, const llvm::Twine &repair) {
  if (!refused)
    refused = diagnose(node, "types.operands", message.str(), repair.str());
  return nullptr;
}

const Argument *Call::given(llvm::StringRef name) const {
  int parameter = index(name);
  const Argument *argument = parameter < 0 ? nullptr : argumentAt(node, parameter);
  return argument && !argument->is(Argument::Kind::None) ? argument : nullptr;
}

std::optional<int64_t> Call::integer(llvm::StringRef name) const { return intAt(node, index(name)); }

std::optional<Dim> Call::dim(llvm::StringRef name) const {
  const Argument *argument = given(name);
  return argument ? dimOf(node, *argument) : std::nullopt;
}

std::optional<unsigned> Call::wrapped(int64_t dim, size_t rank) {
  std::optional<unsigned> wrapped = wrapDim(dim, rank);
  if (!wrapped)
    refuse("names dimension " + llvm::Twine(dim) + " of a tensor of rank " + llvm::Twine(rank),
           "dimensions count from " + llvm::Twine(-static_cast<int64_t>(rank)) + " to " +
               llvm::Twine(static_cast<int64_t>(rank) - 1));
  return wrapped;
}

std::optional<unsigned> Call::dimension(int parameter, size_t rank) {
  std::optional<int64_t> dim = intAt(node, parameter);
  return dim ? wrapped(*dim, rank) : std::nullopt;
}

bool Call::flag(llvm::StringRef name) const { return boolAt(node, index(name)).value_or(false); }

llvm::StringRef Call::memoryFormat() const {
  const Argument *format = given("memory_format");
  if (!format)
    return "preserve_format";
  return format->is(Argument::Kind::MemoryFormat) ? format->text() : "";
}

std::optional<DType> Call::dtypeOr(DType otherwise) const {
  const Argument *argument = given("dtype");
  if (!argument)
    return otherwise;
  return argument->is(Argument::Kind::DType) ? std::optional(argument->dtype()) : std::nullopt;
}

// A device without index is the current device: the index is that of an input on a device of this type.
Device Call::deviceOr(Device otherwise) const {
  const Argument *argument = given("device");
  if (!argument)
    return otherwise;
  bool isNode = argument->is(Argument::Kind::Operand); // a compiled program that asks for the current device
  if (!isNode && !argument->is(Argument::Kind::Device))
    return otherwise;
  Device asked = isNode ? otherwise : argument->device();
  if (!isNode && (asked.index >= 0 || asked.kind.str() == "cpu"))
    return asked;
  for (const Node *earlier = node.graph()->front(); earlier && earlier != &node; earlier = earlier->next())
    if (TypePtr type = earlier->type(); type && type->isTensor())
      if (isNode ? type->device().kind.str() != "cpu" : type->device().kind == asked.kind)
        return type->device();
  return asked;
}

bool Call::namesDevice() const {
  const Argument *argument = given("device");
  return argument && argument->is(Argument::Kind::Device);
}

} // namespace ccgraph::infer
