#include "ccgraph/ir/strides.h"
#include "ops/shapes/shape_families.h"

namespace ccgraph {
namespace {

using Sizes = llvm::SmallVector<Dim, 6>;

int param(const Node &node, llvm::StringRef name) { return node.op()->paramIndex(name); }

bool isGiven(const Argument *argument) { return argument && !argument->is(Argument::Kind::None); }

/// The memory format asked for; "preserve_format" where none is; empty if it is no literal.
llvm::StringRef memoryFormat(const Node &node) {
  const Argument *format = argumentAt(node, param(node, "memory_format"));
  if (!isGiven(format))
    return "preserve_format";
  return format->is(Argument::Kind::MemoryFormat) ? format->text() : "";
}

/// A device without index is the current one, which the program's first input on such a device tells.
Device currentDevice(const Node &node, Device asked) {
  if (asked.index >= 0 || asked.kind.str() == "cpu")
    return asked;
  for (const Node *input = node.graph()->front(); input && input->opcode() == Opcode::Placeholder;
       input = input->next())
    if (const Type *type = input->type(); type && type->isTensor() && type->device().kind == asked.kind)
      return type->device();
  return asked;
}

/// Dtype and device of a new tensor: as asked, else those of `like`; false where an argument is no literal.
bool readOptions(const Node &node, DType &dtype, Device &device) {
  const Argument *askedDType = argumentAt(node, param(node, "dtype"));
  const Argument *askedDevice = argumentAt(node, param(node, "device"));
  if ((isGiven(askedDType) && !askedDType->is(Argument::Kind::DType)) ||
      (isGiven(askedDevice) && !askedDevice->is(Argument::Kind::Device)))
    return false;
  dtype = isGiven(askedDType) ? askedDType->dtype() : dtype;
  device = isGiven(askedDevice) ? currentDevice(node, askedDevice->device()) : device;
  return true;
}

/// Known to be so; an empty tensor, whose copy PyTorch lays out anew, is not.
bool isKnownDense(const Type &type) {
  auto sizes = staticDims(type.sizes());
  auto strides = staticDims(type.strides());
  return sizes && strides && type.stridesKnown() && productOf(*sizes) != 0 && isDense(*sizes, *strides);
}

/// Type of a copy of `from`; null where the format leaves it open. torch.preserve_format keeps the strides of a tensor
/// that is dense: a clone of f32[2, 3][1, 2] has the strides [1, 2].
const Type *copied(const Node &node, const Type &from, DType dtype, Device device) {
  llvm::StringRef format = memoryFormat(node);
  if (format == "preserve_format" && isKnownDense(from))
    return contextOf(node).tensor(dtype, {from.sizes(), from.strides(), true}, device);
  if (format == "contiguous_format" || (format == "preserve_format" && from.isContiguous()))
    return contextOf(node).contiguousTensor(dtype, from.sizes(), device);
  return nullptr;
}

/// Concatenation: the first operand's sizes with the rows of all; empty where they do not fit.
std::optional<Sizes> joined(llvm::ArrayRef<const Type *> inputs, unsigned dim) {
  Sizes sizes(inputs[0]->sizes().begin(), inputs[0]->sizes().end());
  int64_t rows = 0;
  for (const Type *input : inputs) {
    for (unsigned i = 0; i < sizes.size(); ++i)
      if (i != dim && input->sizes()[i] != sizes[i])
        return std::nullopt;
    if (!input->sizes()[dim].isStatic())
      return std::nullopt;
    rows = saturatingAdd(rows, input->sizes()[dim].value());
  }
  sizes[dim] = rows;
  return sizes;
}

} // namespace

TypeResult copyShape(const Node &node) {
  const Type *from = tensorAt(node, 0);
  if (!from)
    return nullptr;
  DType dtype = from->dtype();
  Device device = from->device();
  if (!readOptions(node, dtype, device))
    return nullptr;
  return copied(node, *from, dtype, device);
}

TypeResult likeShape(const Node &node) {
  const Argument *layout = argumentAt(node, param(node, "layout"));
  bool strided = !isGiven(layout) || (layout->is(Argument::Kind::Layout) && layout->text() == "strided");
  return strided ? copyShape(node) : TypeResult(nullptr);
}

TypeResult createShape(const Node &node) {
  auto sizes = dimsAt(node, 0);
  // Because the defaults are the program's (torch.set_default_dtype), only what is asked for is known.
  const Argument *dtype = argumentAt(node, param(node, "dtype"));
  const Argument *device = argumentAt(node, param(node, "device"));
  bool known =
      isGiven(dtype) && dtype->is(Argument::Kind::DType) && isGiven(device) && device->is(Argument::Kind::Device);
  if (!sizes || !known || memoryFormat(node) == "channels_last")
    return nullptr;
  return contextOf(node).contiguousTensor(dtype->dtype(), *sizes, currentDevice(node, device->device()));
}

TypeResult newShape(const Node &node) {
  const Type *like = tensorAt(node, 0);
  auto sizes = dimsAt(node, 1);
  if (!like || !sizes)
    return nullptr;
  DType dtype = like->dtype();
  Device device = like->device();
  if (!readOptions(node, dtype, device))
    return nullptr;
  return contextOf(node).contiguousTensor(dtype, *sizes, device);
}

namespace {

/// An empty vector joins with tensors of any rank: PyTorch once had no other empty tensors.
bool joinsAnything(const Type &type) { return type.sizes().size() == 1 && type.sizes()[0] == Dim(0); }

/// The first input that has another rank than the one before it, or another size elsewhere than along the dimension.
const Type *misfit(llvm::ArrayRef<const Type *> inputs, int64_t asked) {
  const Type *like = nullptr;
  for (const Type *input : inputs) {
    if (!input->isTensor() || joinsAnything(*input))
      continue;
    if (like && input->sizes().size() != like->sizes().size())
      return input;
    std::optional<unsigned> dim = wrapDim(asked, input->sizes().size());
    for (size_t i = 0; like && dim && i < input->sizes().size(); ++i) {
      const Dim &a = like->sizes()[i], &b = input->sizes()[i];
      if (i != *dim && a.isStatic() && b.isStatic() && a != b)
        return input;
    }
    like = input;
  }
  return nullptr;
}

} // namespace

TypeResult catShape(const Node &node) {
  auto inputs = tensorsAt(node, 0);
  auto asked = intAt(node, 1);
  if (!inputs || inputs->empty() || llvm::is_contained(*inputs, nullptr) || !asked)
    return nullptr;
  const Type &first = *inputs->front();
  if (const Type *other = misfit(*inputs, *asked))
    return shapeError(node, "joins " + typeText(&first) + " and " + typeText(other),
                      "tensors that are joined differ along one dimension at most");
  std::optional<unsigned> dim = wrapDim(*asked, first.sizes().size());
  for (const Type *input : *inputs)
    if (input->dtype() != first.dtype() || input->sizes().size() != first.sizes().size() ||
        input->device() != first.device() || !input->isContiguous())
      return nullptr;
  if (!dim)
    return shapeError(node,
                      "joins along dimension " + llvm::Twine(*asked) + " of tensors of rank " +
                          llvm::Twine(first.sizes().size()),
                      "name a dimension that they have");
  std::optional<Sizes> sizes = joined(*inputs, *dim);
  return sizes ? contextOf(node).contiguousTensor(first.dtype(), *sizes, first.device()) : nullptr;
}

TypeResult writtenShape(const Node &node) {
  const OpDef &op = *node.op();
  for (size_t i = 0; i < op.params.size(); ++i)
    if (op.params[i].writes && op.params[i].alias == op.results[0].alias)
      return tensorAt(node, static_cast<int>(i));
  return nullptr;
}

} // namespace ccgraph
