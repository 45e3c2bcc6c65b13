#include "infer/families.h"
#include "infer/layout.h"

#include "ccgraph/ir/promotion.h"
#include "ccgraph/ir/strides.h"

namespace ccgraph::infer {
namespace {

std::optional<unsigned> dimOf(const Call &call, const Type &self, int64_t otherwise = 0) {
  return wrapDim(call.integer("dim").value_or(otherwise), self.sizes().size());
}

/// The memory format asked for; "preserve_format" where none is.
llvm::StringRef formatOf(const Call &call) {
  const Argument *format = call.given("memory_format");
  return format && format->is(Argument::Kind::MemoryFormat) ? format->text() : "preserve_format";
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
  return self ? preserved(call.context, self->dtype(), *self, self->device()) : nullptr;
}

TypePtr embeddingType(Call &call) {
  TypePtr weight = call.tensor("weight");
  TypePtr indices = call.tensor("indices");
  if (!weight || !indices || weight->sizes().size() != 2)
    return nullptr;
  Sizes sizes(indices->sizes().begin(), indices->sizes().end());
  sizes.push_back(weight->sizes()[1]);
  return call.contiguousLike(*weight, sizes);
}

TypePtr embeddingBackward(Call &call) {
  TypePtr grad = call.tensor(0);
  auto rows = call.dim("num_weights");
  return grad && rows && !grad->sizes().empty() ? call.contiguousLike(*grad, {*rows, grad->sizes().back()}) : nullptr;
}

// x[:, i, j] with indices of the shapes [2, 1] and [3] is [rows of x, 2, 3]: where indices stand together, their common
// shape takes their place, else it comes first.
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
  Sizes sizes = reduced(self->sizes(), places, false);
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
  Sizes sizes(self->sizes().begin(), self->sizes().end());
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
  Sizes sizes(self->sizes().begin(), self->sizes().end());
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

Sizes toSizes(const Dims &dims) { return Sizes(dims.begin(), dims.end()); }

} // namespace

TypePtr stackType(Call &call) {
  auto tensors = tensorsAt(call.node, 0);
  if (!tensors || tensors->empty() || llvm::is_contained(*tensors, nullptr))
    return nullptr;
  const Type &first = *tensors->front();
  auto dim = wrapDim(call.integer("dim").value_or(0), first.sizes().size() + 1);
  if (!dim)
    return nullptr;
  Sizes sizes(first.sizes().begin(), first.sizes().end());
  sizes.insert(sizes.begin() + *dim, Dim(static_cast<int64_t>(tensors->size())));
  return call.contiguous(*commonDType(*tensors), sizes, first.device());
}

// Tensors that all lie as images with their channels last are joined so (cat_compute_output_memory_format).
// A one-dimensional tensor of no elements joins whatever the others are.
TypePtr catType(Call &call) {
  auto tensors = tensorsAt(call.node, 0);
  if (!tensors || llvm::is_contained(*tensors, nullptr))
    return nullptr;
  DType dtype = commonDType(*tensors).value_or(DType::F32);
  llvm::SmallVector<TypePtr, 8> joined;
  llvm::copy_if(*tensors, std::back_inserter(joined),
                [](TypePtr type) { return type->sizes().size() != 1 || type->sizes()[0] != Dim(0); });
  if (joined.empty())
    return nullptr;
  const Type &first = *joined.front();
  auto dim = dimOf(call, first);
  if (!dim)
    return nullptr;
  Sizes sizes(first.sizes().begin(), first.sizes().end());
  sizes[*dim] = Dim(0);
  for (TypePtr type : joined) {
    if (type->sizes().size() != sizes.size())
      return nullptr;
    sizes[*dim] = add(call.context, sizes[*dim], type->sizes()[*dim]);
  }
  if (llvm::all_of(joined, [](TypePtr type) { return isLikeChannelsLast(*type); }))
    if (auto numbers = staticDims(sizes))
      return call.context.tensor(dtype, {sizes, toSizes(channelsLastStrides(*numbers)), true}, first.device());
  return call.contiguous(dtype, sizes, first.device());
}

TypePtr repeatType(Call &call) {
  TypePtr repeats = call.tensor(0);
  if (!repeats || call.node.op()->params.size() > 2)
    return nullptr;
  auto size = call.dim("output_size");
  return call.contiguousLike(*repeats, {size ? *size : call.fresh.take(call.context)});
}

TypePtr sameType(Call &call) { return call.tensor(0); }

TypePtr likeCopyType(Call &call) {
  TypePtr self = call.tensor(0);
  if (!self || formatOf(call) != "preserve_format")
    return copyType(call);
  TypePtr like = elementwise(call.context, call.dtypeOr(self->dtype()), {self});
  return like ? call.context.tensor(like->dtype(), {like->sizes(), like->strides(), like->stridesKnown()},
                                    call.deviceOr(self->device()))
              : nullptr;
}

TypePtr copyType(Call &call) {
  TypePtr self = call.tensor(0);
  if (!self)
    return nullptr;
  DType dtype = call.dtypeOr(self->dtype());
  Device device = call.deviceOr(self->device());
  llvm::StringRef format = formatOf(call);
  if (format == "contiguous_format")
    return call.contiguous(dtype, self->sizes(), device);
  return format == "preserve_format" ? preserved(call.context, dtype, *self, device) : nullptr;
}

TypePtr deviceType(Call &call) {
  TypePtr self = call.tensor(0);
  return self ? preserved(call.context, self->dtype(), *self, call.deviceOr(self->device())) : nullptr;
}

} // namespace ccgraph::infer
