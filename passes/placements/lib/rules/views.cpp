#include "rules/ranges.h"

#include "ccgraph/ir/strides.h"

#include "llvm/ADT/STLExtras.h"

#include <utility>

namespace ccgraph::placements {
namespace {

Held placeReshape(PlacedCall &call) {
  HeldOperand input = call.operand(0);
  std::optional<IntList> sizes = call.resultSizes();
  if (!input.held || !sizes)
    return undecidedBecause(call, "symbolic or unknown sizes");
  if (auto dims = regrouped(input.held->dims, *sizes, call.maker()))
    return movedTo(call, *input.held, std::move(*dims));
  Held result = *input.held;
  result.dims = call.maker().localDims(*sizes);
  return movedTo(call, result, result.dims);
}

/// as_strided(self, size, stride, offset): a reshape where operand and result are whole storages in order.
Held placeStrided(PlacedCall &call) {
  HeldOperand input = call.operand(0);
  std::optional<IntList> sizes = call.resultSizes(), strides = call.integers(2);
  const Type *type = input.node ? input.node->type() : nullptr;
  if (!input.held || !sizes || !strides || !type || type->strides().size() != type->sizes().size())
    return undecidedBecause(call, "strides that are not stated");
  std::optional<IntList> before = staticDims(type->sizes()), stated = staticDims(type->strides());
  const bool isWhole = before && stated && isContiguous(*before, *stated) && isContiguous(*sizes, *strides) &&
                       productOf(*before) == productOf(*sizes) && call.integer(3).value_or(0) == 0;
  return isWhole ? placeReshape(call) : undecidedBecause(call, "as_strided that is no reshape");
}

using Dims = llvm::SmallVector<DimFactors, 4>;

/// Returns the operand with the dimensions that `change` makes of its own.
Held placeWithDims(PlacedCall &call, llvm::function_ref<void(Dims &)> change) {
  HeldOperand input = call.operand(0);
  if (!input.held)
    return call.undecided();
  Dims dims = input.held->dims;
  change(dims);
  return movedTo(call, *input.held, std::move(dims));
}

Held placePermute(PlacedCall &call) {
  return placeWithDims(call, [&](Dims &dims) {
    const Dims before = std::exchange(dims, {});
    for (size_t dim : call.dimensions(1, before.size()))
      dims.push_back(before[dim]);
  });
}

Held placeTranspose(PlacedCall &call) {
  return placeWithDims(call, [&](Dims &dims) {
    const size_t rank = dims.size();
    if (rank < 2)
      return;
    const bool isMatrix = call.base() == "aten.t" || call.base() == "aten.numpy_T";
    std::swap(dims[isMatrix ? 0 : call.dimension(1, rank, 0)], dims[isMatrix ? 1 : call.dimension(2, rank, 1)]);
  });
}

Held placeUnsqueeze(PlacedCall &call) {
  return placeWithDims(call, [&](Dims &dims) {
    size_t place = call.dimension(1, dims.size() + 1, 0);
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(place), {call.maker().local(1)});
  });
}

/// The last dimension of the real tensor is the pair of real and imaginary part.
Held placeViewAsReal(PlacedCall &call) {
  return placeWithDims(call, [&](Dims &dims) { dims.push_back({call.maker().local(2)}); });
}

Held placeViewAsComplex(PlacedCall &call) {
  HeldOperand input = call.operand(0);
  if (!input.held || input.held->dims.empty())
    return call.undecided();
  Dims dims = input.held->dims;
  if (hasAxes(dims.pop_back_val()))
    return undecidedBecause(call, "real and imaginary parts on different ranks");
  return movedTo(call, *input.held, std::move(dims));
}

Held placeSqueeze(PlacedCall &call) {
  return placeWithDims(call, [&](Dims &dims) {
    const Dims before = std::exchange(dims, {});
    std::vector<size_t> squeezed = call.dimensions(1, before.size());
    for (size_t dim = 0; dim != before.size(); ++dim)
      if (!llvm::is_contained(squeezed, dim) || localSizeOf(before[dim]) != 1)
        dims.push_back(before[dim]);
  });
}

Held placeExpand(PlacedCall &call) {
  HeldOperand input = call.operand(0);
  std::optional<IntList> sizes = call.resultSizes();
  if (!input.held || !sizes || sizes->size() < input.held->dims.size())
    return undecidedBecause(call, "symbolic or unknown sizes");
  Dims dims = call.maker().localDims(*sizes);
  const size_t missing = sizes->size() - input.held->dims.size();
  for (size_t dim = 0; dim != input.held->dims.size(); ++dim)
    if (input.held->localSize(dim) == (*sizes)[missing + dim])
      dims[missing + dim] = input.held->dims[dim];
  return movedTo(call, *input.held, std::move(dims));
}

/// Each rank repeats its part, which are the parts of the repeated whole: [tp | 8] twice is [2 | tp | 8].
Held placeRepeat(PlacedCall &call) {
  HeldOperand input = call.operand(0);
  std::optional<IntList> repeats = call.integers(1);
  if (!input.held || !repeats || repeats->size() < input.held->dims.size())
    return undecidedBecause(call, "symbolic or unknown repeats");
  Dims dims = call.maker().localDims(*repeats);
  const size_t missing = repeats->size() - input.held->dims.size();
  for (size_t dim = 0; dim != input.held->dims.size(); ++dim) {
    DimFactors &factors = dims[missing + dim];
    if ((*repeats)[missing + dim] == 1)
      factors.clear();
    factors.append(input.held->dims[dim].begin(), input.held->dims[dim].end());
  }
  return movedTo(call, *input.held, std::move(dims));
}

Held placeSlice(PlacedCall &call) {
  HeldOperand input = call.operand(0);
  std::optional<IntList> sizes = call.resultSizes();
  if (!input.held || !sizes || sizes->size() != input.held->dims.size() || sizes->empty())
    return undecidedBecause(call, "symbolic or unknown sizes");
  Range range;
  range.dim = call.dimension(1, sizes->size(), 0);
  range.length = (*sizes)[range.dim];
  const Argument *start = call.argument(2);
  range.starts.assign(call.byRank().size(), 0);
  if (start && !start->is(Argument::Kind::None)) {
    std::optional<std::vector<int64_t>> starts = call.integerByRank(2);
    if (!starts)
      return undecidedBecause(call, "a symbolic start");
    range.starts = std::move(*starts);
  }
  const int64_t whole = input.held->localSize(range.dim);
  for (int64_t &at : range.starts)
    at = at < 0 ? at + whole : at;
  if (call.integer(4).value_or(1) != 1) {
    Held result = *input.held;
    result.dims[range.dim] = hasAxes(result.dims[range.dim]) && result.dims[range.dim].front().isLocal()
                                 ? DimFactors{call.maker().local(range.length)}
                                 : *slicedFactors(result.dims[range.dim], 0, range.length, call.maker());
    return movedTo(call, result, result.dims);
  }
  return placeRange(call, *input.held, range);
}

Held withoutDim(Held held, size_t dim) {
  held.dims.erase(held.dims.begin() + static_cast<std::ptrdiff_t>(dim));
  return held;
}

Held placeSelect(PlacedCall &call) {
  HeldOperand input = call.operand(0);
  if (!input.held || input.held->dims.empty())
    return call.undecided();
  Range range;
  range.dim = call.dimension(1, input.held->dims.size(), 0);
  range.length = 1;
  std::optional<std::vector<int64_t>> indices = call.integerByRank(2);
  if (!indices)
    return undecidedBecause(call, "a symbolic index");
  range.starts = std::move(*indices);
  for (int64_t &at : range.starts)
    at = at < 0 ? at + input.held->localSize(range.dim) : at;
  Held result = placeRange(call, *input.held, range);
  for (size_t axis = 0; axis != call.numAxes(); ++axis)
    if (result.dimOf(axis) == std::optional(range.dim))
      result.settle(axis, varyingSince(call.node()));
  return withoutDim(std::move(result), range.dim);
}

/// Returns the parts of a tensor along a dimension.
Held placeParts(PlacedCall &call, const Held &input, size_t dim, IntListRef lengths) {
  Held result;
  result.axes = input.axes;
  int64_t start = 0;
  for (int64_t length : lengths) {
    Range range{dim, length, std::vector<int64_t>(call.byRank().size(), start)};
    result.elements.push_back(placeRange(call, input, range));
    start += length;
  }
  return result;
}

Held placeSplit(PlacedCall &call) {
  HeldOperand input = call.operand(0);
  std::optional<IntList> given = call.integers(1);
  if (!input.held || input.held->dims.empty() || !given || given->empty())
    return undecidedBecause(call, "symbolic or unknown sizes");
  size_t dim = call.dimension(2, input.held->dims.size(), 0);
  int64_t whole = input.held->localSize(dim);
  IntList lengths;
  const bool isList = call.argument(1)->isSequence();
  const bool isChunk = call.base().endswith("chunk");
  if (isList)
    lengths = *given;
  int64_t step = isChunk ? (whole + given->front() - 1) / std::max<int64_t>(given->front(), 1) : given->front();
  if (step <= 0)
    return call.undecided();
  for (int64_t at = 0; !isList && at < whole; at += step)
    lengths.push_back(std::min(step, whole - at));
  return placeParts(call, *input.held, dim, lengths);
}

Held placeUnbind(PlacedCall &call) {
  HeldOperand input = call.operand(0);
  if (!input.held || input.held->dims.empty())
    return call.undecided();
  size_t dim = call.dimension(1, input.held->dims.size(), 0);
  Held parts = placeParts(call, *input.held, dim, IntList(static_cast<size_t>(input.held->localSize(dim)), 1));
  for (Held &part : parts.elements) {
    for (size_t axis = 0; axis != call.numAxes(); ++axis)
      if (part.dimOf(axis) == std::optional(dim))
        part.settle(axis, varyingSince(call.node()));
    part = withoutDim(std::move(part), dim);
  }
  return parts;
}

Held placeGetItem(PlacedCall &call) {
  HeldOperand input = call.operand(0);
  std::optional<std::vector<int64_t>> index = call.integerByRank(1);
  if (!input.held || !index)
    return call.undecided();
  auto first = static_cast<size_t>(std::max<int64_t>(index->front(), 0));
  if (first >= input.held->elements.size())
    return input.held->elements.empty() ? *input.held : call.undecided();
  Held result = input.held->elements[first];
  if (llvm::all_of(*index, [&](int64_t i) { return i == index->front(); }))
    return result;
  // Each rank takes its own part of a split.
  const Node *split = input.node;
  size_t dim = 0;
  const Argument *stated = split->opcode() == Opcode::CallFunction ? argumentAt(*split, 2) : nullptr;
  if (stated && stated->is(Argument::Kind::Int))
    dim = static_cast<size_t>(stated->integer() < 0 ? stated->integer() + static_cast<int64_t>(result.dims.size())
                                                    : stated->integer());
  if (dim >= result.dims.size() || !split->numOperands())
    return call.undecided();
  Range range{dim, result.localSize(dim), {}};
  for (int64_t i : *index)
    range.starts.push_back(i * range.length);
  return placeRange(call, call.state().held[split->operand(0)->id()], range);
}

/// flip(x, dims): along a dimension that is cut, the parts change their ranks too.
Held placeReversed(PlacedCall &call) {
  HeldOperand input = call.operand(0);
  if (!input.held)
    return call.undecided();
  Held result = *input.held;
  for (size_t dim : call.dimensions(1, result.dims.size()))
    for (size_t axis = 0; axis != call.numAxes(); ++axis)
      if (result.dimOf(axis) == std::optional(dim))
        result.settle(axis, {HoldKind::Undecided});
  return result;
}

constexpr PlacementRuleEntry viewRows[] = {
    {"aten._reshape_alias", placeReshape},
    {"aten._unsafe_view", placeReshape},
    {"aten.as_strided", placeStrided},
    {"aten.chunk", placeSplit},
    {"aten.expand", placeExpand},
    {"aten.flatten", placeReshape},
    {"aten.flip", placeReversed},
    {"aten.numpy_T", placeTranspose},
    {"aten.permute", placePermute},
    {"aten.repeat", placeRepeat},
    {"aten.reshape", placeReshape},
    {"aten.select", placeSelect},
    {"aten.slice", placeSlice},
    {"aten.split", placeSplit},
    {"aten.split_with_sizes", placeSplit},
    {"aten.squeeze", placeSqueeze},
    {"aten.t", placeTranspose},
    {"aten.transpose", placeTranspose},
    {"aten.unbind", placeUnbind},
    {"aten.unflatten", placeReshape},
    {"aten.unsafe_chunk", placeSplit},
    {"aten.unsafe_split", placeSplit},
    {"aten.unsafe_split_with_sizes", placeSplit},
    {"aten.unsqueeze", placeUnsqueeze},
    {"aten.view", placeReshape},
    {"aten.view_as_complex", placeViewAsComplex},
    {"aten.view_as_real", placeViewAsReal},
    {"operator.getitem", placeGetItem},
    {"prims.rev", placeReversed},
};

} // namespace

llvm::ArrayRef<PlacementRuleEntry> viewPlacements() { return viewRows; }

} // namespace ccgraph::placements
