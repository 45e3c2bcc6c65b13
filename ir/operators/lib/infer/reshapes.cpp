#include "infer/families.h"
#include "infer/symbolic_layout.h"

#include "ccgraph/ir/strides.h"

namespace ccgraph::infer {
namespace {

/// Returns the product of `sizes` divided by the product of `others`: the size that replaces -1. Empty if it does not
/// divide.
std::optional<Dim> quotient(Context &context, DimListRef sizes, DimListRef others) {
  DimList left(sizes.begin(), sizes.end()), divisors;
  for (const Dim &other : others)
    if (auto *same = llvm::find(left, other); same != left.end() && !other.isStatic())
      left.erase(same);
    else
      divisors.push_back(other);
  const Dim divisor = productOf(context, divisors);
  return divisor == Dim(0) ? std::nullopt : divideExactly(context, productOf(context, left), divisor);
}

std::optional<DimList> resolved(Context &context, DimListRef from, DimListRef wanted) {
  DimList sizes(wanted.begin(), wanted.end());
  auto *open = llvm::find(sizes, Dim(-1));
  if (open == sizes.end())
    return sizes;
  DimList others(sizes.begin(), open);
  others.append(open + 1, sizes.end());
  auto rest = quotient(context, from, others);
  if (!rest)
    return std::nullopt;
  *open = *rest;
  return sizes;
}

/// The strides of a view follow from its runs. With expressions, only the usual cases are computed: a run that is a
/// whole dimension of the operand, or that is contiguous up to the last dimension.
TypePtr symbolicView(const Call &call, const Type &from, DimListRef sizes) {
  if (from.isContiguous())
    return call.contiguousLike(from, sizes);
  auto oldSizes = numbersFor(from.sizes());
  auto oldStrides = numbersFor(from.strides());
  auto newSizes = numbersFor(sizes);
  if (!oldSizes || !oldStrides || !newSizes || productOf(*oldSizes) != productOf(*newSizes))
    return nullptr;
  auto strides = viewStrides(*oldSizes, *oldStrides, *newSizes);
  if (!strides)
    return call.contiguousLike(from, sizes); // a reshape copies
  DimList result;
  for (int64_t stride : *strides) {
    auto *same = llvm::find(*oldStrides, stride);
    bool isNumber = same == oldStrides->end() && stride < 1000;
    if (same == oldStrides->end() && !isNumber)
      return nullptr;
    result.push_back(isNumber ? Dim(stride) : from.strides()[static_cast<size_t>(same - oldStrides->begin())]);
  }
  return call.context.tensor(from.dtype(), {sizes, result, true}, from.device());
}

/// Sizes and strides under change.
struct Window {
  IntList sizes;
  IntList strides;

  /// Dimensions `first` to `last` as one; false where memory does not run through them.
  bool collapse(size_t first, size_t last) {
    int64_t length = sizes[last];
    int64_t stride = strides[last];
    size_t inner = last;
    for (size_t i = last; i-- > first;) {
      if (sizes[i] == 1)
        continue;
      if (sizes[inner] != 1 && strides[i] != saturatingMultiply(strides[inner], sizes[inner]))
        return false;
      length = saturatingMultiply(length, sizes[i]);
      stride = sizes[inner] == 1 ? strides[i] : std::min(stride, strides[i]);
      inner = i;
    }
    sizes.erase(sizes.begin() + first, sizes.begin() + last);
    strides.erase(strides.begin() + first, strides.begin() + last);
    sizes[first] = length;
    strides[first] = stride;
    return true;
  }

  void split(size_t dim, int64_t outer) {
    int64_t inner = sizes[dim] / outer;
    sizes[dim] = inner;
    sizes.insert(sizes.begin() + dim, outer);
    strides.insert(strides.begin() + dim, saturatingMultiply(inner, strides[dim]));
  }
};

/// As torch._refs walks: dimensions that stay keep their stride, also those of one element; others are put together
/// from the left until the wanted length divides them, and split. Empty where that would take a copy.
std::optional<IntList> walkedStrides(Window window, IntListRef wanted) {
  size_t at = 0;
  for (int64_t length : wanted) {
    if (at == window.sizes.size()) {
      if (length != 1 || at == 0)
        return std::nullopt;
      window.split(at - 1, window.sizes[at - 1]);
      ++at;
      continue;
    }
    if (length != window.sizes[at]) {
      int64_t product = window.sizes[at];
      size_t end = at;
      while (product % length != 0 && end + 1 != window.sizes.size())
        product = saturatingMultiply(product, window.sizes[++end]);
      if (product % length != 0 || (end != at && !window.collapse(at, end)))
        return std::nullopt;
      if (product != length)
        window.split(at, length);
    }
    ++at;
  }
  window.strides.truncate(wanted.size());
  return window.strides;
}

/// The type of `from` in these sizes: a view where strides allow, else a contiguous copy. One rule serves both view and
/// reshape: PyTorch refuses a view that strides do not allow, so a copy is only ever the answer of a reshape.
TypePtr reshaped(const Call &call, const Type &from, IntListRef wanted) {
  DimList sizes(wanted.begin(), wanted.end());
  if (!from.stridesKnown())
    return call.context.tensor(from.dtype(), {sizes, {}, false}, from.device());
  Window window{*staticDims(from.sizes()), *staticDims(from.strides())};
  auto strides = viewStrides(window.sizes, window.strides, wanted);
  if (!strides)
    return call.contiguousLike(from, sizes);
  // A contiguous tensor as one dimension has the stride 1, also where each of its dimensions has one element.
  if (wanted.size() == 1 && isContiguous(window.sizes, window.strides))
    strides = IntList{1};
  else if (!isCanonical(from) && llvm::all_of(wanted, [](int64_t size) { return size > 0; }))
    if (auto walked = walkedStrides(std::move(window), wanted))
      strides = walked;
  return call.context.tensor(from.dtype(), {sizes, DimList(strides->begin(), strides->end()), true}, from.device());
}

bool allStatic(const Type &type) { return staticDims(type.sizes()) && staticDims(type.strides()); }

} // namespace

TypePtr viewType(Call &call) {
  TypePtr from = call.tensor(0);
  auto wanted = dimsAt(call.node, 1);
  if (!from || !wanted)
    return nullptr;
  if (auto numbers = staticDims(*wanted); numbers && allStatic(*from)) {
    int64_t count = productOf(*staticDims(from->sizes()));
    auto sizes = inferSizes(*numbers, count);
    return sizes ? reshaped(call, *from, *sizes)
                 : call.refuse("views " + llvm::Twine(count) + " elements as a shape with another number of elements",
                               "make the product of the sizes " + llvm::Twine(count));
  }
  call.assume();
  auto sizes = resolved(call.context, from->sizes(), *wanted);
  if (!sizes)
    return nullptr;
  return from->stridesKnown() ? symbolicView(call, *from, *sizes)
                              : call.context.tensor(from->dtype(), {*sizes, {}, false}, from->device());
}

// flatten(x, 1, 2) of f32[2, 3, 4] is f32[2, 12]; of a 0-d tensor it is f32[1].
TypePtr flattenType(Call &call) {
  TypePtr from = call.tensor(0);
  if (!from || !allStatic(*from))
    return nullptr;
  IntList old = *staticDims(from->sizes());
  if (old.empty())
    return reshaped(call, *from, {1});
  auto begin = call.dimension(1, old.size()), end = call.dimension(2, old.size());
  if (!begin || !end || *begin > *end)
    return nullptr;
  if (*begin == *end)
    return from;
  IntList sizes(old.begin(), old.begin() + *begin);
  sizes.push_back(productOf(IntListRef(old).slice(*begin, *end + 1 - *begin)));
  sizes.append(old.begin() + *end + 1, old.end());
  return reshaped(call, *from, sizes);
}

} // namespace ccgraph::infer
