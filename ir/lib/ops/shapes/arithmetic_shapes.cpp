#include "ccgraph/ir/broadcast.h"
#include "ccgraph/ir/promotion.h"
#include "ccgraph/ir/strides.h"
#include "ops/shapes/shape_families.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {
namespace {

/// What the operands of an elementwise call are, where a rule can say anything about it.
struct Operands {
  llvm::SmallVector<const Type *, 4> tensors;
  /// classes of Python numbers, as the dtypes that stand for them
  llvm::SmallVector<DType, 4> numbers;
  /// a number of which nobody knows whether it is a float
  bool openNumber = false;
  bool known = true;
};

/// Numbers that scale or compare have no say in the dtype.
bool promotes(llvm::StringRef parameter) { return parameter != "alpha" && parameter != "threshold"; }

void readNumber(const Argument &argument, Operands &out) {
  if (argument.is(Argument::Kind::Bool))
    out.numbers.push_back(DType::Bool);
  if (argument.is(Argument::Kind::Int) || argument.is(Argument::Kind::Symbolic))
    out.numbers.push_back(DType::I64);
  if (argument.is(Argument::Kind::Float))
    out.numbers.push_back(DType::F64);
}

void readOperand(const Node &node, const Argument &argument, Operands &out) {
  // Because a complex number is Python text to us, as is what nobody can read.
  if (argument.isSequence() || argument.is(Argument::Kind::Python))
    out.known = false;
  if (!argument.is(Argument::Kind::Operand))
    return;
  const Type *type = node.operand(argument)->type();
  if (type && type->isTensor())
    out.tensors.push_back(type);
  else
    out.openNumber = true;
  out.known &= type != nullptr;
}

Operands readOperands(const Node &node) {
  Operands operands;
  for (size_t i = 0; i < node.args().size(); ++i) {
    readOperand(node, node.args()[i], operands);
    if (i < node.op()->params.size() && promotes(node.op()->params[i].name))
      readNumber(node.args()[i], operands);
  }
  for (const NamedArgument &entry : node.kwargs()) {
    readOperand(node, entry.value, operands);
    if (promotes(entry.name.str()))
      readNumber(entry.value, operands);
  }
  return operands;
}

/// Row-major with the very strides that an allocation gives: dimensions of one element included.
bool isCanonical(const Type &type) {
  auto sizes = staticDims(type.sizes());
  auto strides = staticDims(type.strides());
  return sizes && strides && type.stridesKnown() && contiguousStrides(*sizes) == *strides;
}

/// Has the result of an elementwise call of this operand alone the strides of the operand? Where a dimension has one
/// element, the kernels of PyTorch choose different strides unless the layout is that of an allocation.
bool keepsStrides(const Type &type) {
  auto sizes = staticDims(type.sizes());
  auto strides = staticDims(type.strides());
  bool dense = sizes && strides && type.stridesKnown() && isDense(*sizes, *strides);
  return isCanonical(type) || (dense && llvm::all_of(*sizes, [](int64_t size) { return size > 1; }));
}

/// The common shape of all; empty where they do not fit.
std::optional<Dims> commonSizes(llvm::ArrayRef<const Type *> tensors) {
  std::optional<Dims> result = Dims();
  for (const Type *type : tensors)
    if (result)
      result = broadcastSizes(*result, *staticDims(type->sizes()));
  return result;
}

llvm::Error broadcastError(const Node &node, llvm::ArrayRef<const Type *> tensors) {
  std::string shapes;
  for (const Type *type : tensors)
    shapes += (shapes.empty() ? "" : ", ") + typeText(type);
  return shapeError(node, "combines " + shapes + ", whose sizes do not fit",
                    "sizes must be equal or 1, counted from the last");
}

/// Result of an elementwise call in `dtype`; strides are only known where every operand is laid out as it would be
/// allocated.
TypeResult elementwise(const Node &node, llvm::ArrayRef<const Type *> tensors, DType dtype) {
  for (const Type *type : tensors)
    if (!isCanonical(*type) || type->device() != tensors[0]->device())
      return nullptr;
  std::optional<Dims> sizes = commonSizes(tensors);
  if (!sizes)
    return broadcastError(node, tensors);
  llvm::SmallVector<Dim, 6> dims(sizes->begin(), sizes->end());
  return contextOf(node).contiguousTensor(dtype, dims, tensors[0]->device());
}

/// Selecting operators read a mask first, which has no say in the dtype.
bool isMask(const Node &node, const Type *type) {
  return type->dtype() == DType::Bool && node.op()->paramIndex("condition") == 0;
}

/// The dtype that promotion gives; empty where a number would decide that it is a float, since the program's default
/// dtype (torch.set_default_dtype) then says which.
std::optional<DType> commonDType(const Node &node, const Operands &operands) {
  llvm::SmallVector<PromotedOperand, 6> promoted;
  for (const Type *type : operands.tensors)
    if (!isMask(node, type))
      promoted.push_back({type->dtype(), type->sizes().empty() ? OperandKind::ZeroDim : OperandKind::Tensor});
  if (promoted.empty())
    return std::nullopt;
  DTypeClass ofTensors = classOf(resultType(promoted));
  for (DType number : operands.numbers)
    promoted.push_back({number, OperandKind::Number});
  DType common = resultType(promoted);
  bool byNumber = classOf(common) != ofTensors && classOf(common) >= DTypeClass::Float;
  bool open = operands.openNumber && ofTensors < DTypeClass::Float;
  return byNumber || open ? std::nullopt : std::optional(common);
}

TypeResult promotedShape(const Node &node, std::optional<DType> (*resultOf)(DType common)) {
  Operands operands = readOperands(node);
  std::optional<DType> common = commonDType(node, operands);
  std::optional<DType> dtype = operands.known && common ? resultOf(*common) : std::nullopt;
  return dtype ? elementwise(node, operands.tensors, *dtype) : TypeResult(nullptr);
}

} // namespace

TypeResult arithmeticShape(const Node &node) {
  return promotedShape(node, [](DType common) { return std::optional(common); });
}

TypeResult absShape(const Node &node) {
  return promotedShape(node, [](DType common) { return std::optional(realTypeOf(common)); });
}

TypeResult floatShape(const Node &node) {
  // Because what integers become is the program's default dtype.
  return promotedShape(node, [](DType common) { return isFloat(common) ? std::optional(common) : std::nullopt; });
}

TypeResult foreachShape(const Node &node) {
  auto tensors = tensorsAt(node, 0);
  const Argument *number = argumentAt(node, 1);
  bool real = !number || number->is(Argument::Kind::Int) || number->is(Argument::Kind::Float);
  if (!tensors || !real)
    return nullptr;
  for (const Type *type : *tensors)
    if (!type || !type->isTensor() || !isFloat(type->dtype()) || !keepsStrides(*type))
      return nullptr;
  return contextOf(node).list(*tensors);
}

TypeResult compareShape(const Node &node) {
  Operands operands = readOperands(node);
  if (!operands.known || operands.tensors.empty())
    return nullptr;
  return elementwise(node, operands.tensors, DType::Bool);
}

TypeResult matmulShape(const Node &node) {
  // Because addmm(c, a, b) and baddbmm(c, a, b) have the product's shape whatever c's.
  int left = node.op()->paramIndex("mat2") == 2 || node.op()->paramIndex("batch2") == 2 ? 1 : 0;
  const Type *a = tensorAt(node, left);
  const Type *b = tensorAt(node, left + 1);
  if (!a || !b || a->dtype() != b->dtype() || node.kwarg("out_dtype"))
    return nullptr;
  size_t rank = a->sizes().size();
  if (rank < 2 || b->sizes().size() != rank)
    return shapeError(node, "multiplies " + typeText(a) + " by " + typeText(b),
                      "both must be matrices, or batches of as many");
  const Dim &inner = a->sizes()[rank - 1];
  const Dim &other = b->sizes()[rank - 2];
  if (inner.isStatic() && other.isStatic() && inner != other)
    return shapeError(node,
                      "multiplies " + typeText(a) + " by " + typeText(b) + ": " + inner.str() + " columns meet " +
                          other.str() + " rows",
                      "transpose one of them");
  llvm::SmallVector<Dim, 6> sizes(a->sizes().begin(), a->sizes().end());
  sizes[rank - 1] = b->sizes()[rank - 1];
  return contextOf(node).contiguousTensor(a->dtype(), sizes, a->device());
}

} // namespace ccgraph
