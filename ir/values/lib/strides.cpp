#include "ccgraph/ir/strides.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace ccgraph {
namespace {

// Strides are the distances between two neighbours along a dimension, in elements. The functions of this file visit the
// dimensions from the innermost in memory outwards, and compare with the stride that a tensor without gaps would have
// there. f32[2, 3] with strides [3, 1] is row-major; with [1, 2] it is dense, as its transpose is row-major; with [4,
// 1] it has a gap of one element after each row. Dimensions of size 1 have no neighbours, so their strides have no
// meaning.

/// Dimensions of [n, c, h, w] or [n, c, d, h, w] from the innermost in memory; empty for other ranks.
IntListRef channelsLastOrder(size_t rank) {
  static constexpr int64_t of4[] = {1, 3, 2, 0};
  static constexpr int64_t of5[] = {1, 4, 3, 2, 0};
  if (rank == 4)
    return of4;
  return rank == 5 ? IntListRef(of5) : IntListRef();
}

/// Returns a positive number if dimension a must lie outside b, negative if it already lies inside, 0 if no operand
/// orders them.
int compareDims(IntListRef sizes, llvm::ArrayRef<IntListRef> likes, std::pair<size_t, size_t> dims) {
  auto [a, b] = dims;
  for (IntListRef strides : likes) {
    if (strides[a] == 0 || strides[b] == 0)
      continue;
    if (strides[a] != strides[b])
      return strides[a] < strides[b] ? -1 : 1;
    if (sizes[a] > sizes[b])
      return 1;
  }
  return 0;
}

/// Returns the strides of new memory whose dimensions are in this order, innermost first.
IntList stridesInOrder(IntListRef sizes, llvm::ArrayRef<int64_t> innerFirst) {
  IntList strides(sizes.size());
  int64_t step = 1;
  for (int64_t dim : innerFirst) {
    strides[static_cast<size_t>(dim)] = step;
    step = saturatingMultiply(step, std::max<int64_t>(sizes[static_cast<size_t>(dim)], 1));
  }
  return strides;
}

} // namespace

bool isContiguous(IntListRef sizes, IntListRef strides) {
  int64_t step = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] != 1 && strides[i] != step)
      return llvm::is_contained(sizes, 0);
    step = saturatingMultiply(step, sizes[i]);
  }
  return true;
}

bool isDense(IntListRef sizes, IntListRef strides) {
  if (llvm::is_contained(sizes, 0))
    return true;
  llvm::SmallVector<std::pair<int64_t, int64_t>, 6> dims;
  for (auto [size, stride] : llvm::zip(sizes, strides))
    if (size != 1)
      dims.emplace_back(stride, size);
  llvm::sort(dims);
  int64_t step = 1;
  for (auto [stride, size] : dims) {
    if (stride != step)
      return false;
    step = saturatingMultiply(step, size);
  }
  return true;
}

bool isChannelsLast(IntListRef sizes, IntListRef strides) {
  IntListRef order = channelsLastOrder(sizes.size());
  if (order.empty())
    return false;
  IntList sorted, stored;
  for (int64_t dim : llvm::reverse(order)) {
    sorted.push_back(sizes[static_cast<size_t>(dim)]);
    stored.push_back(strides[static_cast<size_t>(dim)]);
  }
  return isContiguous(sorted, stored);
}

bool hintsAtChannelsLast(IntListRef sizes, IntListRef strides) {
  IntListRef order = channelsLastOrder(sizes.size());
  if (order.empty() || strides[1] == 0)
    return false;
  int64_t least = 0;
  for (int64_t dim : order) {
    int64_t size = sizes[static_cast<size_t>(dim)], stride = strides[static_cast<size_t>(dim)];
    if (size == 0 || stride < least || (dim == 0 && least == strides[1]))
      return false;
    least = saturatingMultiply(stride, std::max<int64_t>(size, 1));
  }
  return true;
}

int64_t extentOf(IntListRef sizes, IntListRef strides) {
  if (llvm::is_contained(sizes, 0))
    return 0;
  int64_t extent = 1;
  for (auto [size, stride] : llvm::zip(sizes, strides))
    extent = saturatingAdd(extent, saturatingMultiply(size - 1, stride));
  return extent;
}

IntList contiguousStrides(IntListRef sizes) {
  IntList innerFirst = allDims(static_cast<int64_t>(sizes.size()));
  std::reverse(innerFirst.begin(), innerFirst.end());
  return stridesInOrder(sizes, innerFirst);
}

IntList channelsLastStrides(IntListRef sizes) { return stridesInOrder(sizes, channelsLastOrder(sizes.size())); }

IntList preservedStrides(IntListRef sizes, IntListRef strides) {
  return isDense(sizes, strides) ? toIntList(strides) : denseStridesLike(sizes, strides);
}

// x + 1 for x = f32[2, 3][1, 2] is f32[2, 3][1, 2] again, and not row-major: dimension 0 lies inside dimension 1 in x,
// so it does in the result. An expanded operand (stride 0) does not order dimensions, and the next operand is used.
IntList denseStridesLike(IntListRef sizes, llvm::ArrayRef<IntListRef> likes) {
  IntList innerFirst = allDims(static_cast<int64_t>(sizes.size()));
  std::reverse(innerFirst.begin(), innerFirst.end());
  // The comparison is not transitive where strides are 0, so the order is that of PyTorch's insertion sort.
  for (size_t i = 1; i < innerFirst.size(); ++i)
    for (size_t at = i, below = i; below-- > 0;) {
      int order = compareDims(sizes, likes, {innerFirst[below], innerFirst[at]});
      if (order < 0)
        break;
      if (order > 0)
        std::swap(innerFirst[below], innerFirst[at]), at = below;
    }
  return stridesInOrder(sizes, innerFirst);
}

IntList transformStrides(IntListRef sizes, IntListRef strides, IntListRef dims, bool keepsLast) {
  IntList order, transformed = toIntList(dims);
  for (int64_t dim : allDims(static_cast<int64_t>(sizes.size())))
    if (!llvm::is_contained(dims, dim))
      order.push_back(dim);
  auto further = [&](int64_t a, int64_t b) {
    return strides[static_cast<size_t>(a)] > strides[static_cast<size_t>(b)];
  };
  llvm::stable_sort(order, further);
  std::stable_sort(transformed.begin(), transformed.end() - (keepsLast ? 1 : 0), further);
  order.append(transformed.begin(), transformed.end());
  std::reverse(order.begin(), order.end());
  return stridesInOrder(sizes, order);
}

std::optional<IntList> inferSizes(IntListRef wanted, int64_t count) {
  IntList sizes = toIntList(wanted);
  int64_t known = 1;
  int64_t *open = nullptr;
  for (int64_t &size : sizes) {
    if (size >= 0)
      known = saturatingMultiply(known, size);
    else if (size == -1 && !open)
      open = &size;
    else
      return std::nullopt;
  }
  if (!open)
    return known == count ? std::optional(sizes) : std::nullopt;
  if (known == 0 || count % known != 0)
    return std::nullopt;
  *open = count / known;
  return sizes;
}

// Visits the old dimensions from the last. Old dimensions belong to one run as long as the next outer one starts
// exactly where the run ends. When the run ends, new dimensions are taken from the last until they have as many
// elements as the run. [2, 3, 4] with strides [24, 4, 1] as [2, 12]: dimensions 4 and 3 are a run of 12 elements, which
// the new 12 fills with stride 1; dimension 2 is a run of its own with step 24, which the new 2 fills. As [6, 4], the
// new 4 and 6 have 24 elements where the run has 12: there are no such strides.
std::optional<IntList> viewStrides(IntListRef sizes, IntListRef strides, IntListRef to) {
  if (llvm::is_contained(sizes, 0))
    return sizes == to ? toIntList(strides) : contiguousStrides(to);
  IntList result(to.size(), 1);
  size_t next = to.size();
  int64_t runOld = 1, runNew = 1;
  int64_t step = sizes.empty() ? 1 : strides.back();
  for (size_t dim = sizes.size(); dim-- > 0;) {
    runOld = saturatingMultiply(runOld, sizes[dim]);
    bool goesOn = dim > 0 && (sizes[dim - 1] == 1 || strides[dim - 1] == saturatingMultiply(runOld, step));
    if (goesOn)
      continue;
    while (next > 0 && (runNew < runOld || to[next - 1] == 1)) {
      --next;
      result[next] = saturatingMultiply(runNew, step);
      runNew = saturatingMultiply(runNew, to[next]);
    }
    if (runNew != runOld)
      return std::nullopt;
    if (dim > 0)
      step = strides[dim - 1];
    runOld = runNew = 1;
  }
  bool filled = llvm::all_of(to.take_front(next), [](int64_t size) { return size == 1; });
  return filled ? std::optional(result) : std::nullopt;
}

} // namespace ccgraph
