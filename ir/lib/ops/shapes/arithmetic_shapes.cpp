#include "ops/saturate.h"
#include "ops/shapes/shape_families.h"
#include "ops/view_strides.h"

namespace ccgraph {
namespace {

using Dims = llvm::SmallVector<int64_t, 6>;

/// What the operands of an elementwise call are, where a rule can say anything about it.
struct Operands {
  llvm::SmallVector<const Type *, 4> tensors;
  bool floatScalar = false;
  bool known = true;
};

void readOperand(const Node &node, const Argument &argument, Operands &out) {
  if (argument.is(Argument::Kind::Float))
    out.floatScalar = true;
  if (argument.isSequence())
    out.known = false;
  if (!argument.is(Argument::Kind::Operand))
    return;
  const Type *type = node.operand(argument)->type();
  if (type && type->isTensor())
    out.tensors.push_back(type);
  // Because a symbolic number may be a float, it is only known not to matter beside float tensors.
  else
    out.floatScalar = true;
  out.known &= type != nullptr;
}

Operands readOperands(const Node &node) {
  Operands operands;
  for (const Argument &argument : node.args())
    readOperand(node, argument, operands);
  for (const NamedArgument &entry : node.kwargs())
    readOperand(node, entry.value, operands);
  return operands;
}

/// Row-major with the very strides that an allocation gives: dimensions of one element included.
bool isCanonical(const Type &type) {
  auto sizes = staticDims(type.sizes());
  auto strides = staticDims(type.strides());
  if (!sizes || !strides || !type.stridesKnown())
    return false;
  int64_t step = 1;
  for (size_t i = sizes->size(); i-- > 0;) {
    if ((*strides)[i] != step)
      return false;
    step = saturatingMultiply(step, std::max<int64_t>((*sizes)[i], 1));
  }
  return true;
}

/// The common shape of all, dimensions aligned from the last; empty where they do not fit.
std::optional<Dims> broadcastSizes(llvm::ArrayRef<const Type *> tensors) {
  Dims result;
  for (const Type *type : tensors) {
    size_t rank = type->sizes().size();
    if (rank > result.size())
      result.insert(result.begin(), rank - result.size(), 1);
    for (size_t i = 0; i < rank; ++i) {
      int64_t &dim = result[result.size() - rank + i];
      int64_t size = type->sizes()[i].value();
      if (dim != size && dim != 1 && size != 1)
        return std::nullopt;
      dim = dim == 1 ? size : dim;
    }
  }
  return result;
}

llvm::Error broadcastError(const Node &node, llvm::ArrayRef<const Type *> tensors) {
  std::string shapes;
  for (const Type *type : tensors)
    shapes += (shapes.empty() ? "" : ", ") + typeText(type);
  return shapeError(node, "combines " + shapes + ", whose sizes do not fit",
                    "sizes must be equal or 1, counted from the last");
}

/// Result of an elementwise call in `dtype`; strides are only known where every operand is laid out as it would be allocated.
TypeResult elementwise(const Node &node, llvm::ArrayRef<const Type *> tensors, DType dtype) {
  for (const Type *type : tensors)
    if (!isCanonical(*type) || type->device() != tensors[0]->device())
      return nullptr;
  std::optional<Dims> sizes = broadcastSizes(tensors);
  if (!sizes)
    return broadcastError(node, tensors);
  llvm::SmallVector<Dim, 6> dims(sizes->begin(), sizes->end());
  return contextOf(node).contiguousTensor(dtype, dims, tensors[0]->device());
}

/// Selecting operators read a mask first, which has no say in the dtype.
bool isMask(const Node &node, const Type *type) {
  return type->dtype() == DType::Bool && node.op()->paramIndex("condition") == 0;
}

/// The dtype that all operands have; empty where promotion would have to decide.
std::optional<DType> commonDType(const Node &node, const Operands &operands) {
  std::optional<DType> common;
  for (const Type *type : operands.tensors) {
    if (isMask(node, type))
      continue;
    if (common && *common != type->dtype())
      return std::nullopt;
    common = type->dtype();
  }
  bool promotes = common && !isFloat(*common) && (operands.floatScalar || *common == DType::Bool);
  return promotes ? std::nullopt : common;
}

} // namespace

TypeResult arithmeticShape(const Node &node) {
  Operands operands = readOperands(node);
  std::optional<DType> dtype = commonDType(node, operands);
  if (!operands.known || !dtype)
    return nullptr;
  return elementwise(node, operands.tensors, *dtype);
}

TypeResult floatShape(const Node &node) {
  Operands operands = readOperands(node);
  std::optional<DType> dtype = commonDType(node, operands);
  if (!operands.known || !dtype || !isFloat(*dtype))
    return nullptr;
  return elementwise(node, operands.tensors, *dtype);
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
