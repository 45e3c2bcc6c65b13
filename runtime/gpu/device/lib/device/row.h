// RowJob: a computation on each whole row of a tensor: a sum, a softmax, a norm; and the view of a row for a team. The
// computations are in row_job.h and row_order.h.
//
// Rows are numbered by one shape, the elements of a row by another, so rows may be any dimensions of a tensor. A result
// of one number a row has a window whose strides along the row are 0.
//
// A unit is a row; each of its threads takes every 256th element, so sums of many elements have smaller rounding errors
// than sequential ones.
//
// Plain value. Failure: none.
#pragma once

#include "device/map_job.h"

namespace ccgraph::runtime::device {

enum class RowOp : uint8_t {
  // of any arithmetic: one number
  Sum,
  Product,
  Max,
  Min,
  All,
  Any,
  // of any arithmetic: two numbers, the first of the largest (smallest) elements and its place
  MaxPlace,
  MinPlace,
  // of any arithmetic: rows
  Sorted,     ///< the first `count` elements in rising order, equal ones in their own, and their places
  SortedDown, ///< in falling order
  Lower,      ///< what lies on the diagonal `number` or below it, of matrices of `count` rows
  Upper,      ///< or above it
  // of floats: one number
  Mean,
  Norm,      ///< sqrt(sum x^2)
  Variance,  ///< sum (x - mean)^2 / max(0, n - number)
  Deviation, ///< its root
  Distance,  ///< of x, y: sum (x - y)^2 / number
  // of floats: two numbers
  SoftmaxSums, ///< the largest x, and sum exp(x - largest)
  // of floats: rows
  Softmax,
  LogSoftmax,
  SoftmaxGrad,    ///< of grad, output
  LogSoftmaxGrad, ///< of grad, output
  LayerNorm,      ///< of x, weight, bias: out, mean, 1/deviation; `number` is epsilon
  LayerNormGrad,  ///< of grad, x, weight, mean, 1/deviation
  RmsNorm,        ///< of x, weight: out, 1/root mean square
  RmsNormGrad,    ///< of grad, x, weight, 1/root mean square
  // of floats, of each column: one number
  WeightGrad, ///< of grad, x, mean (or none), 1/deviation: sum grad * (x - mean) / deviation
};

/// A tensor over both shapes; not there where it has no address.
struct Lines {
  std::byte *data = nullptr;
  Element element = Element::U8;
  int64_t rowStrides[mostDimensions] = {};
  int64_t innerStrides[mostDimensions] = {};
};

inline constexpr int mostLines = 5;
inline constexpr int mostResults = 3;

struct RowJob {
  static constexpr bool hasWhole = true;
  RowOp op = RowOp::Sum;
  Arithmetic arithmetic = Arithmetic::Single;
  Shape rows;
  Shape inner;
  Lines in[mostLines];
  Lines out[mostResults];
  double number = 0;
  int64_t count = 0;
};

/// One row of a job, as a team sees it.
template <typename C>
struct Row {
  const RowJob &job;
  int64_t number;

  CCGRAPH_ANYWHERE int64_t place(const Lines &lines, int64_t k) const {
    return placeOf(job.rows, lines.rowStrides, number) + placeOf(job.inner, lines.innerStrides, k);
  }
  CCGRAPH_ANYWHERE C get(int input, int64_t k) const {
    const Lines &lines = job.in[input];
    return load<C>(lines.data, lines.element, place(lines, k));
  }
  /// Returns the element, or a default for an absent tensor.
  CCGRAPH_ANYWHERE C getOr(int input, int64_t k, C otherwise) const {
    return job.in[input].data ? get(input, k) : otherwise;
  }
  /// T: places are whole numbers beside elements of any kind.
  template <typename T>
  CCGRAPH_ANYWHERE void set(int output, int64_t k, T value) const {
    const Lines &lines = job.out[output];
    if (lines.data)
      store<T>(lines.data, lines.element, place(lines, k), value);
  }
  [[nodiscard]] CCGRAPH_ANYWHERE int64_t length() const { return job.inner.count; }
};

struct AddUp {
  template <typename C>
  CCGRAPH_ANYWHERE C operator()(C a, C b) const {
    return plus(a, b);
  }
};
struct TakeMost {
  template <typename C>
  CCGRAPH_ANYWHERE C operator()(C a, C b) const {
    return maximumOf(a, b);
  }
};
struct PreferLess {
  template <typename C>
  CCGRAPH_ANYWHERE C operator()(C a, C b) const {
    return minimumOf(a, b);
  }
};
struct Multiply {
  template <typename C>
  CCGRAPH_ANYWHERE C operator()(C a, C b) const {
    return times(a, b);
  }
};

CCGRAPH_ANYWHERE inline void setToLeast(int64_t &value) { value = INT64_MIN; }
CCGRAPH_ANYWHERE inline void setToLeast(float &value) { value = -INFINITY; }
CCGRAPH_ANYWHERE inline void setToLeast(double &value) { value = -static_cast<double>(INFINITY); }
CCGRAPH_ANYWHERE inline int64_t opposite(int64_t least) { return ~least; }
CCGRAPH_ANYWHERE inline float opposite(float least) { return -least; }
CCGRAPH_ANYWHERE inline double opposite(double least) { return -least; }
template <typename C>
CCGRAPH_ANYWHERE C least() {
  C value;
  setToLeast(value);
  return value;
}

/// fold over value(k), from `start`.
template <typename C, typename Team, typename Value, typename Fold>
CCGRAPH_BY_TEAM C folded(int64_t length, Team &team, C start, Value value, Fold fold) {
  return team.template reduce<C>(
      [&](int thread) {
        C all = start;
        for (int64_t k = thread; k < length; k += teamThreads)
          all = fold(all, value(k));
        return all;
      },
      fold);
}
template <typename C, typename Team, typename Value>
CCGRAPH_BY_TEAM C summed(const Row<C> &row, Team &team, Value value) {
  return folded(row.length(), team, C(), value, AddUp());
}
template <typename C, typename Team, typename Body>
CCGRAPH_BY_TEAM void forEach(const Row<C> &row, Team &team, Body body) {
  team.each([&](int thread) {
    for (int64_t k = thread; k < row.length(); k += teamThreads)
      body(k);
  });
}
/// The row's one number.
template <typename C, typename T, typename Team>
CCGRAPH_BY_TEAM void yield(const Row<C> &row, Team &team, int output, T value) {
  team.each([&](int thread) {
    if (thread == 0)
      row.set(output, 0, value);
  });
}

} // namespace ccgraph::runtime::device
