#include "tracer/call_checks.h"

#include "ccgraph/ir/int_list.h"
#include "ccgraph/ir/internal/broadcast.h"
#include "ccgraph/ir/op_def.h"
#include "tracer/mode.h"

namespace ccgraph::tracer::detail {
namespace {

const Type *tensorAt(const Node &node, const Argument &argument) {
  const Type *type = argument.is(Argument::Kind::Operand) ? node.operand(argument)->type() : nullptr;
  return type && type->isTensor() ? type : nullptr;
}

const Type *tensorAt(const Node &node, int position) {
  const Argument *argument = position < 0 ? nullptr : argumentAt(node, position);
  return argument ? tensorAt(node, *argument) : nullptr;
}
const Type *tensorAt(const Node &node, llvm::StringRef parameter) {
  return tensorAt(node, node.op()->paramIndex(parameter));
}

/// "aten.add_.Tensor" -> "add_".
llvm::StringRef baseName(const Node &node) {
  llvm::StringRef target = node.target().str();
  return target.startswith("aten.") ? target.drop_front(5).split('.').first : "";
}

llvm::Error refusal(const Node &node, llvm::StringRef rule, std::string message, llvm::StringRef repair = "") {
  return makeError(problem(rule, node.target().str(), std::move(message), repair));
}

std::string listText(IntListRef dims) {
  std::string text;
  for (int64_t dim : dims)
    text += (text.empty() ? "" : ", ") + std::to_string(dim);
  return "[" + text + "]";
}

// --- Indices ---------------------------------------------------------------------------------------------------------

bool mayBeMask(llvm::StringRef name) {
  return name.contains("index_put") || name == "index" || name == "_unsafe_index";
}

std::string wrongIndexText(llvm::StringRef name, DType dtype) {
  if (mayBeMask(name))
    return "tensors used as indices must be long, int, byte or bool tensors";
  if (name == "embedding")
    return "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got " +
           scalarTypeName(dtype).str() + " instead (while checking arguments for embedding)";
  if (name.startswith("nll_loss"))
    return "expected target dtype to be Long or Byte, but got " + scalarTypeName(dtype).str();
  return (name + "(): Expected dtype int32/int64 for index, but got " + scalarTypeName(dtype)).str();
}

bool isIndex(llvm::StringRef name, DType dtype) {
  bool isByte = dtype == DType::U8 && (mayBeMask(name) || name.startswith("nll_loss"));
  return dtype == DType::I64 || dtype == DType::I32 || isByte || (dtype == DType::Bool && mayBeMask(name));
}

llvm::Error checkIndices(const Node &node) {
  const Argument *indices = node.op()->indices ? argumentAt(node, node.op()->indices->index) : nullptr;
  if (!indices)
    return llvm::Error::success();
  llvm::StringRef name = baseName(node);
  for (const Argument &index : indices->isSequence() ? indices->elements() : llvm::ArrayRef(*indices)) {
    const Type *type = tensorAt(node, index);
    if (type && !isIndex(name, type->dtype()))
      return refusal(node, "trace.index", wrongIndexText(name, type->dtype()), "call to(index, DType::I64) first");
  }
  return llvm::Error::success();
}

// --- Products --------------------------------------------------------------------------------------------------------

std::string wrongFactorsText(llvm::StringRef name, DType a, DType b) {
  if (name == "mm")
    return "expected m1 and m2 to have the same dtype, but got: " + scalarTypeName(a).lower() +
           " != " + scalarTypeName(b).lower();
  if (name == "addmm")
    return "self and mat2 must have the same dtype, but got " + scalarTypeName(a).str() + " and " +
           scalarTypeName(b).str();
  return "expected scalar type " + scalarTypeName(a).str() + " but found " + scalarTypeName(b).str();
}

/// Returns why a bias of these sizes cannot be broadcast to the product's; empty where it can.
std::string wrongBiasText(IntListRef bias, IntListRef product) {
  for (size_t i = 0; i != bias.size() && i != product.size(); ++i) {
    int64_t from = bias[bias.size() - 1 - i], to = product[product.size() - 1 - i];
    if (from != 1 && from != to)
      return "The expanded size of the tensor (" + std::to_string(to) + ") must match the existing size (" +
             std::to_string(from) + ") at non-singleton dimension " + std::to_string(product.size() - 1 - i) +
             ".  Target sizes: " + listText(product) + ".  Tensor sizes: " + listText(bias);
  }
  return bias.size() > product.size() ? "expand(" + listText(bias) + ", size=" + listText(product) +
                                            "): the number of sizes provided (" + std::to_string(product.size()) +
                                            ") must be greater or equal to the number of dimensions in the tensor (" +
                                            std::to_string(bias.size()) + ")"
                                      : "";
}

llvm::Error checkBias(const Node &node, const Type &bias, const Type &a, const Type &b) {
  if (bias.dtype() != a.dtype())
    return refusal(node, "trace.bias", wrongFactorsText("addmm", bias.dtype(), a.dtype()));
  std::optional<IntList> sizes = staticDims(bias.sizes()), product = staticDims(a.sizes()),
                         right = staticDims(b.sizes());
  if (!sizes || !product || !right || product->empty() || right->empty())
    return llvm::Error::success();
  product->back() = right->back();
  std::string wrong = wrongBiasText(*sizes, *product);
  return wrong.empty() ? llvm::Error::success() : refusal(node, "trace.bias", wrong);
}

llvm::Error checkProduct(const Node &node) {
  llvm::StringRef name = baseName(node);
  bool hasBias = name == "addmm" || name == "baddbmm";
  if (!hasBias && name != "mm" && name != "bmm")
    return llvm::Error::success();
  const Type *a = tensorAt(node, hasBias ? 1 : 0), *b = tensorAt(node, hasBias ? 2 : 1);
  if (!a || !b)
    return llvm::Error::success();
  if (a->dtype() != b->dtype())
    return refusal(node, "trace.dtype", wrongFactorsText(name, a->dtype(), b->dtype()),
                   "call to(tensor, dtype) on one of them");
  const Type *bias = hasBias ? tensorAt(node, 0) : nullptr;
  return bias ? checkBias(node, *bias, *a, *b) : llvm::Error::success();
}

// --- Norms -----------------------------------------------------------------------------------------------------------

llvm::Error checkNorm(const Node &node) {
  const Argument *normalized = baseName(node) == "native_layer_norm" ? argumentAt(node, 1) : nullptr;
  const Type *input = tensorAt(node, 0);
  if (!normalized || !normalized->isSequence() || !input)
    return llvm::Error::success();
  IntList shape;
  for (const Argument &size : normalized->elements())
    if (size.is(Argument::Kind::Int))
      shape.push_back(size.integer());
  std::optional<IntList> sizes = staticDims(input->sizes());
  if (!sizes || shape.size() != normalized->elements().size())
    return llvm::Error::success();
  if (sizes->size() < shape.size() || IntListRef(*sizes).take_back(shape.size()) != IntListRef(shape))
    return refusal(node, "trace.norm",
                   "Given normalized_shape=" + listText(shape) + ", expected input with shape [*, " +
                       llvm::StringRef(listText(shape)).drop_front().str() + ", but got input of size" +
                       listText(*sizes));
  for (llvm::StringRef name : {"weight", "bias"})
    if (const Type *type = tensorAt(node, name))
      if (std::optional<IntList> own = staticDims(type->sizes()); own && *own != shape)
        return refusal(node, "trace.norm",
                       ("Expected " + name + " to be of same shape as normalized_shape, but got " + name +
                        " of shape " + listText(*own) + " and normalized_shape = " + listText(shape))
                           .str());
  return llvm::Error::success();
}

// --- What is written -------------------------------------------------------------------------------------------------

/// PyTorch's canCast: a cast never loses a class of numbers.
bool canCast(DType from, DType to) {
  if (isComplex(from) && !isComplex(to))
    return false;
  if (isFloat(from) && classOf(to) <= DTypeClass::Integer)
    return false;
  return from == DType::Bool || to != DType::Bool;
}

bool repeatsElements(const Type &type) {
  for (size_t i = 0; type.stridesKnown() && i != type.sizes().size(); ++i)
    if (type.strides()[i] == Dim(0) && type.sizes()[i] != Dim(1) && type.sizes()[i] != Dim(0))
      return true;
  return false;
}

/// Returns whether the operator sets all elements to one value; PyTorch lets such an operator write an element several
/// times.
bool setsAllAlike(llvm::StringRef name) { return name == "fill_" || name == "zero_"; }

llvm::Error checkOverlap(const Node &node, llvm::StringRef name) {
  const OpDef &op = *node.op();
  for (size_t i = 0; i != op.params.size(); ++i)
    if (const Type *type = op.params[i].writes ? tensorAt(node, static_cast<int>(i)) : nullptr)
      if (repeatsElements(*type) && !setsAllAlike(name))
        return refusal(node, "trace.overlap",
                       "unsupported operation: more than one element of the written-to tensor refers to a single "
                       "memory location. Please clone() the tensor before performing the operation.");
  return llvm::Error::success();
}

/// Checks the sizes for broadcasting: those of the operands of an elementwise call that writes its first one.
llvm::Error checkStretch(const Node &node, const Type &self, const Type &other) {
  std::optional<IntList> to = staticDims(self.sizes()), from = staticDims(other.sizes());
  if (!to || !from)
    return llvm::Error::success();
  std::optional<IntList> common = broadcastSizes(*to, *from);
  if (common && *common != *to)
    return refusal(node, "trace.written",
                   "output with shape " + listText(*to) + " doesn't match the broadcast shape " + listText(*common));
  if (common)
    return llvm::Error::success();
  for (size_t i = 0; i != std::min(to->size(), from->size()); ++i) {
    int64_t a = (*to)[to->size() - 1 - i], b = (*from)[from->size() - 1 - i];
    if (a != b && a != 1 && b != 1)
      return refusal(node, "trace.written",
                     "The size of tensor a (" + std::to_string(a) + ") must match the size of tensor b (" +
                         std::to_string(b) + ") at non-singleton dimension " +
                         std::to_string(std::max(to->size(), from->size()) - 1 - i));
  }
  return llvm::Error::success();
}

} // namespace

llvm::Error checkCall(const Node &node) {
  llvm::StringRef name = baseName(node);
  if (name.empty())
    return llvm::Error::success();
  for (auto check : {checkIndices, checkProduct, checkNorm})
    if (llvm::Error error = check(node))
      return error;
  if (name == "copy_")
    if (const Type *self = tensorAt(node, 0), *source = tensorAt(node, 1); self && source)
      if (llvm::Error error = checkStretch(node, *self, *source))
        return error;
  return checkOverlap(node, name);
}

llvm::Error checkWritten(const Node &node, const Type &functional) {
  const Type *self = tensorAt(node, 0);
  if (!self || !functional.isTensor())
    return llvm::Error::success();
  if (!canCast(functional.dtype(), self->dtype()))
    return refusal(node, "trace.written",
                   "result type " + scalarTypeName(functional.dtype()).str() +
                       " can't be cast to the desired output type " + scalarTypeName(self->dtype()).str(),
                   "call the operator that writes nothing");
  return checkStretch(node, *self, functional);
}

} // namespace ccgraph::tracer::detail
