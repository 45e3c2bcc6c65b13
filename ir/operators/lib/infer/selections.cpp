#include "infer/families.h"
#include "infer/symbolic_layout.h"

#include "ccgraph/ir/internal/promotion.h"
#include "ccgraph/ir/strides.h"

#include <functional>

namespace ccgraph::infer {
namespace {

std::optional<unsigned> dimOf(const Call &call, const Type &self, int64_t otherwise = 0) {
  return wrapDim(call.integer("dim").value_or(otherwise), self.sizes().size());
}

} // namespace

TypePtr gatherType(Call &call) {
  TypePtr self = call.tensor("self");
  TypePtr index = call.tensor("index");
  return self && index ? call.contiguousLike(*self, index->sizes()) : nullptr;
}

TypePtr contiguousSelf(Call &call) {
  TypePtr self = call.tensor(0);
  return self ? call.contiguousLike(*self, self->sizes()) : nullptr;
}

TypePtr preservedSelf(Call &call) {
  TypePtr self = call.tensor(0);
  return self ? preserved(call, self->dtype(), *self, self->device()) : nullptr;
}

TypePtr embeddingType(Call &call) {
  TypePtr weight = call.tensor("weight");
  TypePtr indices = call.tensor("indices");
  if (!weight || !indices || weight->sizes().size() != 2)
    return nullptr;
  DimList sizes(indices->sizes().begin(), indices->sizes().end());
  sizes.push_back(weight->sizes()[1]);
  return call.contiguousLike(*weight, sizes);
}

TypePtr embeddingBackward(Call &call) {
  TypePtr grad = call.tensor(0);
  auto rows = call.dim("num_weights");
  return grad && rows && !grad->sizes().empty() ? call.contiguousLike(*grad, {*rows, grad->sizes().back()}) : nullptr;
}

// x[:, i, j] with indices of the shapes [2, 1] and [3] is [rows of x, 2, 3]. Adjacent indices are replaced by their
// common shape; otherwise the common shape comes first.
TypePtr indexType(Call &call) {
  TypePtr self = call.tensor("self");
  const Argument *list = call.given("indices");
  if (!self || !list || !list->isSequence() || list->elements().size() > self->sizes().size())
    return nullptr;
  llvm::SmallVector<TypePtr, 4> indices;
  llvm::SmallVector<unsigned, 4> places;
  for (unsigned i = 0; i != list->elements().size(); ++i) {
    const Argument &entry = list->elements()[i];
    if (entry.is(Argument::Kind::None))
      continue;
    TypePtr type = entry.is(Argument::Kind::Operand) ? call.node.operand(entry)->type() : nullptr;
    if (!type || !type->isTensor() || type->dtype() == DType::Bool || type->dtype() == DType::U8)
      return nullptr; // because how many elements a mask takes only data tell
    indices.push_back(type);
    places.push_back(i);
  }
  auto common = indices.empty() ? std::nullopt : broadcast(indices);
  if (!common)
    return nullptr;
  bool together = places.back() - places.front() + 1 == places.size();
  DimList sizes = reduced(self->sizes(), places, false);
  sizes.insert(sizes.begin() + (together ? places.front() : 0), common->begin(), common->end());
  bool anyRest = places.size() != self->sizes().size();
  if (anyRest && !self->isContiguous())
    return nullptr; // because dimensions that are not indexed keep their order
  return call.contiguousLike(*self, sizes);
}

TypePtr indexSelectType(Call &call) {
  TypePtr self = call.tensor("self");
  TypePtr index = call.tensor("index");
  auto dim = self ? dimOf(call, *self) : std::nullopt;
  if (!dim || !index)
    return nullptr;
  DimList sizes(self->sizes().begin(), self->sizes().end());
  sizes[*dim] = index->sizes().empty() ? Dim(1) : index->sizes()[0];
  return call.contiguousLike(*self, sizes);
}

TypePtr sliceBackward(Call &call) {
  TypePtr grad = call.tensor(0);
  auto sizes = dimsAt(call.node, call.index("input_sizes"));
  return grad && sizes ? call.contiguousLike(*grad, *sizes) : nullptr;
}

// Pairs of `pad` count from the last dimension: [1, 2] adds 1 before and 2 after the last one.
TypePtr padType(Call &call) {
  TypePtr self = call.tensor(0);
  auto pad = dimsAt(call.node, call.index("pad"));
  if (!self || !pad || pad->size() % 2 != 0 || pad->size() / 2 > self->sizes().size())
    return nullptr;
  // Without any padding, PyTorch clones the tensor, with its strides.
  if (llvm::all_of(*pad, [](const Dim &size) { return size == Dim(0); }))
    return elementwise(call, self->dtype(), {self});
  DimList sizes(self->sizes().begin(), self->sizes().end());
  for (size_t i = 0; i != pad->size() / 2; ++i) {
    Dim &size = sizes[sizes.size() - 1 - i];
    size = add(call.context, add(call.context, size, (*pad)[2 * i]), (*pad)[2 * i + 1]);
  }
  return call.contiguousLike(*self, sizes);
}

namespace {

/// The dtype that holds all.
std::optional<DType> commonDType(llvm::ArrayRef<TypePtr> tensors) {
  llvm::SmallVector<PromotedOperand, 8> operands;
  for (TypePtr type : tensors)
    operands.push_back({type->dtype(), type->sizes().empty() ? OperandKind::ZeroDim : OperandKind::Tensor});
  return operands.empty() ? std::nullopt : std::optional(resultType(operands));
}

bool isLikeChannelsLast(const Type &type) {
  auto sizes = staticDims(type.sizes());
  auto strides = staticDims(type.strides());
  return sizes && strides && type.stridesKnown() && (sizes->size() == 4 || sizes->size() == 5) &&
         hintsAtChannelsLast(*sizes, *strides);
}

DimList toSizes(const IntList &dims) { return DimList(dims.begin(), dims.end()); }

} // namespace

TypePtr stackType(Call &call) {
  auto tensors = tensorsAt(call.node, 0);
  if (!tensors || tensors->empty() || llvm::is_contained(*tensors, nullptr))
    return nullptr;
  const Type &first = *tensors->front();
  auto dim = wrapDim(call.integer("dim").value_or(0), first.sizes().size() + 1);
  if (!dim)
    return nullptr;
  DimList sizes(first.sizes().begin(), first.sizes().end());
  sizes.insert(sizes.begin() + *dim, Dim(static_cast<int64_t>(tensors->size())));
  return call.contiguous(*commonDType(*tensors), sizes, first.device());
}

namespace {

/// An empty vector joins with tensors of any rank: PyTorch once had no other empty tensors.
bool joinsAnything(TypePtr type) { return type->sizes().size() == 1 && type->sizes()[0] == Dim(0); }

/// The first tensor that has another rank than the first one, or another size elsewhere than along the dimension.
TypePtr misfit(llvm::ArrayRef<TypePtr> tensors, unsigned dim) {
  const Type &like = *tensors.front();
  for (TypePtr type : tensors) {
    if (type->sizes().size() != like.sizes().size())
      return type;
    for (size_t i = 0; i < like.sizes().size(); ++i) {
      const Dim &a = like.sizes()[i], &b = type->sizes()[i];
      if (i != dim && a.isStatic() && b.isStatic() && a != b)
        return type;
    }
  }
  return nullptr;
}

/// Returns true if sizes and strides are numbers.
bool hasKnownLayout(const Type &type) {
  return type.stridesKnown() && staticDims(type.sizes()) && staticDims(type.strides());
}

/// Do all have the first one's dtype and device, rows that are counted, and a layout that is row-major or known?
bool joinPlainly(llvm::ArrayRef<TypePtr> tensors, unsigned dim) {
  const Type &first = *tensors.front();
  return llvm::all_of(tensors, [&](TypePtr type) {
    return type->dtype() == first.dtype() && type->device() == first.device() &&
           type->sizes().size() == first.sizes().size() && type->sizes()[dim].isStatic() &&
           (type->isContiguous() || hasKnownLayout(*type));
  });
}

/// Returns the sum of the sizes of one dimension; s0 + s0 + s0 is 3*s0, as PyTorch prints it.
Dim sumAlong(Context &context, llvm::ArrayRef<TypePtr> tensors, unsigned dim) {
  Dim sum(0);
  for (TypePtr type : tensors)
    sum = add(context, sum, type->sizes()[dim]);
  return sum;
}

TypePtr joined(Call &call, llvm::ArrayRef<TypePtr> tensors, unsigned dim, DType dtype) {
  const Type &first = *tensors.front();
  DimList sizes(first.sizes().begin(), first.sizes().end());
  sizes[dim] = sumAlong(call.context, tensors, dim);
  if (llvm::all_of(tensors, [](TypePtr type) { return isLikeChannelsLast(*type); }))
    if (auto numbers = staticDims(sizes))
      return call.context.tensor(dtype, {sizes, toSizes(channelsLastStrides(*numbers)), true}, first.device());
  return call.contiguous(dtype, sizes, first.device());
}

} // namespace

// Tensors that all lie as images with their channels last are joined so (cat_compute_output_memory_format).
// A one-dimensional tensor of no elements joins whatever the others are.
TypePtr catType(Call &call) {
  auto tensors = tensorsAt(call.node, 0);
  if (!tensors || tensors->empty() || llvm::is_contained(*tensors, nullptr))
    return nullptr;
  llvm::SmallVector<TypePtr, 8> filled;
  llvm::copy_if(*tensors, std::back_inserter(filled), std::not_fn(joinsAnything));
  if (filled.empty())
    filled.assign(tensors->begin(), tensors->end());
  const Type &first = *filled.front();
  auto dim = call.dimension(1, first.sizes().size());
  if (!dim)
    return nullptr;
  if (TypePtr other = misfit(filled, *dim))
    return call.refuse("joins " + typeText(&first) + " and " + typeText(other),
                       "tensors that are joined differ along one dimension at most");
  call.assumeUnless(joinPlainly(*tensors, *dim));
  return joined(call, filled, *dim, *commonDType(*tensors));
}

TypePtr repeatType(Call &call) {
  TypePtr repeats = call.tensor(0);
  if (!repeats || call.node.op()->params.size() > 2)
    return nullptr;
  auto size = call.dim("output_size");
  return call.contiguousLike(*repeats, {size ? *size : call.freshSymbol()});
}

/// A new tensor whose dtype, device and layout are the first operand's, unless the call states others.
static TypePtr copied(Call &call, TypePtr (*preserve)(Call &, DType, const Type &, const Device &)) {
  TypePtr self = call.tensor(0);
  auto dtype = self ? call.dtypeOr(self->dtype()) : std::nullopt;
  const Argument *layout = call.given("layout");
  bool isStrided = !layout || (layout->is(Argument::Kind::Layout) && layout->text() == "strided");
  if (!dtype || !isStrided)
    return nullptr;
  Device device = call.deviceOr(self->device());
  call.assumeUnless(!call.given("device") || call.namesDevice());
  if (call.memoryFormat() == "preserve_format")
    return preserve(call, *dtype, *self, device);
  return formatted(call, *call.contiguous(*dtype, self->sizes(), device), self->sizes(), call.memoryFormat());
}

TypePtr copyType(Call &call) { return copied(call, preserved); }

// Where copyType keeps the strides of dimensions of one element, PyTorch prints here those of an elementwise result.
TypePtr likeCopyType(Call &call) {
  return copied(call, [](Call &call, DType dtype, const Type &self, const Device &device) {
    bool wasAssumed = call.assumed;
    TypePtr like = elementwise(call, dtype, {&self});
    auto sizes = staticDims(self.sizes());
    auto strides = staticDims(self.strides());
    bool isKnownDense = sizes && strides && self.stridesKnown() && isDense(*sizes, *strides);
    call.assumed = wasAssumed || !(self.isContiguous() || isKnownDense);
    return like ? call.context.tensor(like->dtype(), {like->sizes(), like->strides(), like->stridesKnown()}, device)
                : nullptr;
  });
}

TypePtr deviceType(Call &call) {
  TypePtr self = call.tensor(0);
  return self ? preserved(call, self->dtype(), *self, call.deviceOr(self->device())) : nullptr;
}

} // namespace ccgraph::infer
