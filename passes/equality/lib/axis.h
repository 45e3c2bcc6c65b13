// Axis: an array seen as [outer, length, inner] around one dimension, for operators that work along a dimension.
//
// Ownership: values. Failure: none; the dimension must exist, or the array has no dimensions and length 1. Cost: O(1).
#pragma once

#include "array.h"

namespace ccgraph::equality {

struct Axis {
  int64_t outer = 1;
  int64_t length = 1;
  int64_t inner = 1;

  Axis(IntListRef sizes, int64_t dim) {
    for (size_t i = 0; i != sizes.size(); ++i)
      (static_cast<int64_t>(i) < dim ? outer : static_cast<int64_t>(i) > dim ? inner : length) *= sizes[i];
  }
  /// Returns the place of an element in the array.
  [[nodiscard]] size_t at(int64_t o, int64_t i, int64_t in) const {
    return static_cast<size_t>((o * length + i) * inner + in);
  }
  /// Calls `visit(outer, inner)` for each line along the dimension.
  template <class Visit>
  void forEachLine(Visit visit) const {
    for (int64_t o = 0; o != outer; ++o)
      for (int64_t in = 0; in != inner; ++in)
        visit(o, in);
  }
};

/// Returns the sizes without the dimensions, or with 1 in their place.
[[nodiscard]] IntList withoutDims(IntListRef sizes, IntListRef dims, bool keeps);

} // namespace ccgraph::equality
