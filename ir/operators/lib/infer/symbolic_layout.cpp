#include "infer/symbolic_layout.h"

#include "ccgraph/ir/strides.h"

#include <numeric>

namespace ccgraph::infer {
namespace {

/// Different for different symbols, and far from the sizes that programs have.
std::optional<int64_t> numberOf(llvm::StringRef symbol) {
  uint64_t digits = 0;
  if (symbol.drop_while(llvm::isAlpha).getAsInteger(10, digits) || digits > 100'000)
    return std::nullopt;
  return static_cast<int64_t>(1009 + 14 * digits + (symbol.startswith("u") ? 6 : 0));
}

/// Dimensions from the innermost on.
llvm::SmallVector<unsigned, 6> innermostFirst(IntListRef strides) {
  llvm::SmallVector<unsigned, 6> order(strides.size());
  std::iota(order.rbegin(), order.rend(), 0U);
  llvm::stable_sort(order, [&](unsigned a, unsigned b) { return strides[a] < strides[b]; });
  return order;
}

/// Strides of one tensor stretched to `sizes`, 0 where it is.
std::optional<IntList> stretchedStrides(const Type &type, IntListRef sizes) {
  auto own = numbersFor(type.sizes());
  auto strides = numbersFor(type.strides());
  if (!own || !strides || strides->size() != own->size())
    return std::nullopt;
  IntList result(sizes.size(), 0);
  size_t added = sizes.size() - own->size();
  for (size_t i = 0; i != own->size(); ++i)
    if ((*own)[i] != 1 || sizes[added + i] == 1)
      result[added + i] = (*strides)[i];
  return result;
}

/// Not stretched.
bool fills(const Type &type, DimListRef sizes) { return type.stridesKnown() && type.sizes() == sizes; }

/// Returns true for images [n, c, h, w] with channels last, the only such layout that elementwise operators test for.
bool isChannelsLast(const Type &type) {
  if (type.sizes().size() != 4)
    return false;
  auto sizes = numbersFor(type.sizes());
  auto strides = numbersFor(type.strides());
  return sizes && strides && ccgraph::isChannelsLast(*sizes, *strides);
}

/// The device of a tensor with dimensions, since one number of the host may meet tensors of a device.
const Device &deviceOf(llvm::ArrayRef<TypePtr> tensors) {
  for (TypePtr type : tensors)
    if (!type->sizes().empty())
      return type->device();
  for (TypePtr type : tensors)
    if (type->device().kind.str() != "cpu")
      return type->device();
  return tensors.front()->device();
}

} // namespace

std::optional<IntList> numbersFor(DimListRef dims) {
  IntList numbers;
  for (const Dim &dim : dims) {
    std::optional<int64_t> value = dim.evaluate(numberOf);
    if (!value)
      return std::nullopt;
    numbers.push_back(*value);
  }
  return numbers;
}

TypePtr laidOut(Context &context, const Type &like, DimListRef sizes, IntListRef strides) {
  DimList result(sizes.size());
  Dim inside(1);
  for (unsigned dim : innermostFirst(strides)) {
    result[dim] = inside;
    if (sizes[dim] != Dim(0))
      inside = multiply(context, atLeastOne(context, sizes[dim]), inside);
  }
  bool allStatic = llvm::all_of(sizes, [](const Dim &dim) { return dim.isStatic(); });
  if (allStatic)
    result.assign(strides.begin(), strides.end());
  return context.tensor(like.dtype(), {sizes, result, true}, like.device());
}

TypePtr orderedLike(Context &context, const Type &like, DimListRef sizes, IntListRef strides) {
  DimList result(sizes.size());
  Dim inside(1);
  for (unsigned dim : innermostFirst(strides)) {
    result[dim] = inside;
    inside = multiply(context, sizes[dim].isStatic() ? sizes[dim] : atLeastOne(context, sizes[dim]), inside);
  }
  return context.tensor(like.dtype(), {sizes, result, true}, like.device());
}

std::optional<DimList> broadcast(llvm::ArrayRef<TypePtr> tensors) {
  size_t rank = 0;
  for (TypePtr type : tensors)
    rank = std::max(rank, type->sizes().size());
  DimList result(rank, Dim(1));
  for (TypePtr type : tensors)
    for (size_t i = 0, added = rank - type->sizes().size(); i != type->sizes().size(); ++i) {
      const Dim &size = type->sizes()[i];
      Dim &common = result[added + i];
      if (common == Dim(1))
        common = size; // of a number and an expression, which must be equal, the first is kept
      else if (size != Dim(1) && size != common && size.isStatic() && common.isStatic())
        return std::nullopt;
    }
  return result;
}

bool isCanonical(const Type &type) {
  if (!type.stridesKnown())
    return false;
  int64_t expected = 1;
  for (size_t i = type.sizes().size(); i-- > 0;) {
    if (!type.sizes()[i].isStatic() || type.strides()[i] != Dim(expected))
      return false;
    expected = saturatingMultiply(expected, std::max<int64_t>(type.sizes()[i].value(), 1));
  }
  return true;
}

static TypePtr refuseSizes(Call &call, llvm::ArrayRef<TypePtr> tensors) {
  std::string shapes;
  for (TypePtr type : tensors)
    shapes += (shapes.empty() ? "" : ", ") + typeText(type);
  return call.refuse("combines " + shapes + ", whose sizes do not fit",
                     "sizes must be equal or 1, counted from the last");
}

// As torch._prims_common does: where all are row-major, or all have their channels last, so is the result; where they
// are both, as sizes of 1 allow, or neither, the order of their strides decides.
TypePtr elementwise(Call &call, DType dtype, llvm::ArrayRef<TypePtr> tensors) {
  if (tensors.empty())
    return nullptr;
  auto sizes = broadcast(tensors);
  if (!sizes)
    return refuseSizes(call, tensors);
  const Device &device = deviceOf(tensors);
  if (llvm::all_of(tensors, [&](TypePtr type) { return isCanonical(*type) && type->device() == device; }))
    return call.contiguous(dtype, *sizes, device);
  call.assume();
  auto numbers = numbersFor(*sizes);
  if (!numbers)
    return nullptr;
  bool plain = llvm::all_of(tensors, [&](TypePtr type) { return fills(*type, *sizes) && type->isContiguous(); });
  bool lastInside = llvm::all_of(tensors, [&](TypePtr type) { return fills(*type, *sizes) && isChannelsLast(*type); });
  TypePtr like = call.context.tensor(dtype, {{}, {}, true}, device);
  if (plain && !lastInside)
    return call.contiguous(dtype, *sizes, device);
  if (lastInside && !plain)
    return laidOut(call.context, *like, *sizes, channelsLastStrides(*numbers));
  llvm::SmallVector<IntList, 4> strides;
  for (TypePtr type : tensors) {
    auto stretched = type->stridesKnown() ? stretchedStrides(*type, *numbers) : std::nullopt;
    if (!stretched)
      return call.context.tensor(dtype, {*sizes, {}, false}, device);
    strides.push_back(std::move(*stretched));
  }
  llvm::SmallVector<IntListRef, 4> likes(strides.begin(), strides.end());
  return laidOut(call.context, *like, *sizes, denseStridesLike(*numbers, likes));
}

TypePtr preserved(Call &call, DType dtype, const Type &from, const Device &device) {
  if (isCanonical(from))
    return call.contiguous(dtype, from.sizes(), device);
  auto sizes = numbersFor(from.sizes());
  auto strides = numbersFor(from.strides());
  if (!from.stridesKnown() || !sizes || !strides) {
    call.assume();
    return call.context.tensor(dtype, {from.sizes(), {}, false}, device);
  }
  call.assumeUnless(from.isContiguous() || (from.numElements() && isDense(*sizes, *strides)));
  if (productOf(*sizes) != 0 && isDense(*sizes, *strides))
    return call.context.tensor(dtype, {from.sizes(), from.strides(), true}, device);
  TypePtr like = call.context.tensor(dtype, {{}, {}, true}, device);
  return laidOut(call.context, *like, from.sizes(), preservedStrides(*sizes, *strides));
}

TypePtr formatted(const Call &call, const Type &like, DimListRef sizes, llvm::StringRef format) {
  if (format == "contiguous_format")
    return call.contiguousLike(like, sizes);
  auto numbers = staticDims(sizes);
  size_t rank = format == "channels_last" ? 4 : format == "channels_last_3d" ? 5 : 0;
  if (!numbers || rank == 0 || sizes.size() != rank)
    return nullptr;
  IntList strides = channelsLastStrides(*numbers);
  return call.context.tensor(like.dtype(), {sizes, DimList(strides.begin(), strides.end()), true}, like.device());
}

DimList reduced(DimListRef sizes, llvm::ArrayRef<unsigned> dims, bool keep) {
  DimList result;
  for (unsigned i = 0; i != sizes.size(); ++i)
    if (!llvm::is_contained(dims, i))
      result.push_back(sizes[i]);
    else if (keep)
      result.push_back(Dim(1));
  return result;
}

} // namespace ccgraph::infer
