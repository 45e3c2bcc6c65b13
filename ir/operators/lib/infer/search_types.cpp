#include "infer/families.h"
#include "infer/symbolic_layout.h"

#include "ccgraph/ir/strides.h"

namespace ccgraph::infer {

// bucketize(self, boundaries) and searchsorted(sorted_sequence, self): a place for each element of self.
TypePtr placesType(Call &call) {
  TypePtr self = call.tensor("self");
  TypePtr lines = call.tensor(call.index("boundaries") >= 0 ? "boundaries" : "sorted_sequence");
  if (!lines)
    return nullptr;
  DType dtype = call.flag("out_int32") ? DType::I32 : DType::I64;
  return call.contiguous(dtype, self ? self->sizes() : DimListRef(), lines->device());
}

// Positions of the set elements, one dimension after the other in memory; how many they are only data tell.
TypePtr nonzeroType(Call &call) {
  TypePtr self = call.tensor(0);
  if (!self)
    return nullptr;
  Dim count = call.freshSymbol();
  DimList sizes = {count, Dim(self->sizes().size())}, strides = {Dim(1), count};
  return call.context.tensor(DType::I64, {sizes, strides, true}, self->device());
}

TypePtr nonzeroStaticType(Call &call) {
  TypePtr self = call.tensor(0);
  auto size = call.dim("size");
  return self && size ? call.contiguous(DType::I64, {*size, Dim(self->sizes().size())}, self->device()) : nullptr;
}

TypePtr kthValueType(Call &call) {
  TypePtr self = call.tensor(0);
  auto dim = self ? wrapDim(call.integer("dim").value_or(-1), std::max<size_t>(self->sizes().size(), 1)) : std::nullopt;
  if (!dim)
    return nullptr;
  DimList sizes = self->sizes().empty() ? DimList() : reduced(self->sizes(), {*dim}, call.flag("keepdim"));
  return call.context.list({call.contiguousLike(*self, sizes), call.contiguous(DType::I64, sizes, self->device())});
}

TypePtr histogramType(Call &call) {
  TypePtr self = call.tensor(0);
  auto bins = call.integer("bins");
  return self && bins ? call.contiguousLike(*self, {Dim(*bins)}) : nullptr;
}

TypePtr maskedSelectType(Call &call) {
  TypePtr self = call.tensor(0);
  return self ? call.contiguousLike(*self, {call.freshSymbol()}) : nullptr;
}

// Each of the two contiguous gradients has the broadcast sizes.
TypePtr pairOfOperands(Call &call) {
  TypePtr both = arithmeticType(call);
  return both ? call.context.list({both, both}) : nullptr;
}

// The second half of a dimension gates the first.
TypePtr gluType(Call &call) {
  TypePtr self = call.tensor(0);
  auto dim = self ? wrapDim(call.integer("dim").value_or(-1), self->sizes().size()) : std::nullopt;
  auto half = dim ? divideExactly(call.context, self->sizes()[*dim], 2) : std::nullopt;
  if (!half)
    return nullptr;
  DimList sizes(self->sizes().begin(), self->sizes().end());
  sizes[*dim] = *half;
  TypePtr part = call.context.tensor(self->dtype(), {sizes, self->strides(), self->stridesKnown()}, self->device());
  return elementwise(call, self->dtype(), {part});
}

// A tensor without elements keeps its strides, others are joined anew.
TypePtr rolledType(Call &call) {
  TypePtr self = call.tensor(0);
  bool isEmpty = self && llvm::is_contained(self->sizes(), Dim(0));
  return self && !isEmpty ? call.contiguousLike(*self, self->sizes()) : self;
}

// Running extremes and their places.
TypePtr scanPairType(Call &call) {
  TypePtr self = call.tensor(0);
  return self ? call.context.list({call.contiguousLike(*self, self->sizes()),
                                   call.contiguous(DType::I64, self->sizes(), self->device())})
              : nullptr;
}

TypePtr eyeType(Call &call) {
  auto rows = call.dim("n");
  auto columns = call.index("m") >= 0 ? call.dim("m") : rows;
  auto dtype = call.dtypeOr(DType::F32);
  call.assumeUnless(call.given("dtype") && call.namesDevice());
  return rows && columns && dtype
             ? call.contiguous(*dtype, {*rows, *columns}, call.deviceOr({call.context.identifier("cpu"), -1}))
             : nullptr;
}

TypePtr linspaceType(Call &call) {
  auto steps = call.dim("steps");
  auto dtype = call.dtypeOr(DType::F32);
  return steps && dtype ? call.contiguous(*dtype, {*steps}, call.deviceOr({call.context.identifier("cpu"), -1}))
                        : nullptr;
}

// randperm(n): the numbers below n in some order.
TypePtr permutationType(Call &call) {
  auto count = call.dim("n");
  auto dtype = call.dtypeOr(DType::I64);
  call.assumeUnless(call.given("dtype") && call.namesDevice());
  return count && dtype ? call.contiguous(*dtype, {*count}, call.deviceOr({call.context.identifier("cpu"), -1}))
                        : nullptr;
}

// repeat(x, [m, n]) of [b] is [m, n * b].
TypePtr tiledType(Call &call) {
  TypePtr self = call.tensor(0);
  auto repeats = dimsAt(call.node, 1);
  if (!self || !repeats || repeats->size() < self->sizes().size())
    return nullptr;
  DimList sizes(repeats->begin(), repeats->end());
  size_t added = sizes.size() - self->sizes().size();
  for (size_t i = added; i < sizes.size(); ++i)
    sizes[i] = multiply(call.context, sizes[i], self->sizes()[i - added]);
  return call.contiguousLike(*self, sizes);
}

namespace {

/// The number of bags: one for each offset, unless the last one is the number of indices.
std::optional<Dim> bagsOf(const Call &call, const Type &offsets) {
  if (!call.flag("include_last_offset"))
    return offsets.sizes()[0];
  return offsets.sizes()[0].isStatic() ? std::optional(Dim(offsets.sizes()[0].value() - 1)) : std::nullopt;
}

bool sumsDirectly(const Call &call, const Type &weight) {
  bool narrow = weight.dtype() == DType::F32 || weight.dtype() == DType::F16;
  return narrow && weight.stridesKnown() && weight.strides()[1] == Dim(1) &&
         call.integer("padding_idx").value_or(-1) < 0;
}

} // namespace

// The bags, the bag of each index, the size of each bag, and the places of the largest elements, on the CPU.
TypePtr embeddingBagType(Call &call) {
  TypePtr weight = call.tensor("weight");
  TypePtr indices = call.tensor("indices");
  TypePtr offsets = call.tensor("offsets");
  constexpr int64_t sum = 0, largest = 2;
  if (!weight || !indices || !offsets || weight->sizes().size() != 2 || offsets->sizes().size() != 1 ||
      weight->device().kind.str() != "cpu")
    return nullptr;
  auto bags = bagsOf(call, *offsets);
  int64_t mode = call.integer("mode").value_or(sum);
  if (!bags)
    return nullptr;
  bool forwardOnly = call.node.target().str().contains("forward_only");
  auto numbers = [&](DimListRef sizes) { return call.contiguousLike(*offsets, sizes); };
  TypePtr noted = mode == sum && sumsDirectly(call, *weight) ? numbers({Dim(0)}) : numbers(indices->sizes());
  TypePtr sizes = numbers({*bags}), reported = forwardOnly ? numbers(offsets->sizes()) : sizes;
  TypePtr places = mode == largest ? numbers({*bags, weight->sizes()[1]}) : sizes;
  return call.context.list({call.contiguousLike(*weight, {*bags, weight->sizes()[1]}), noted, reported, places});
}

} // namespace ccgraph::infer
