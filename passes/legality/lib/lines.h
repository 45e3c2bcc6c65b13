// Lines: what a tensor holds whose columns, or whose rows, are counted by numbers, whatever its other sizes are.
//
// A line is a column or a row. The columns of f32[s0*s1, 6] are 6 lines of s0*s1 elements each, and so are those of
// f32[s0*s1, 2, 3]: one or more sizes belong to a line, and the others count lines. A value is a list of runs of lines
// in row-major order: "columns 0 to 3 of the product of x and y, then ...". Products of matrices, functions of
// elements, and reductions compute each column of their results from the same column of one operand. So the sizes of a
// line are only compared, and a proof holds for every value of the symbols in them.
//
//   y = f32[s0, 6]                          y [0, 6)
//   slice(y, 1, 0, 2)                       y [0, 2)
//   mm(x, it), x = f32[4, s0]               x y [0, 2), columns of 4 elements
//   all_reduce                              sum of x y [0, 2)
//   cat of it with the others, 1            sum of x y [0, 6)
//
// The rows of a matrix are the columns of the transposed one.
//
// Ownership: plain values. Failure: an empty result, which counts as not proved: sizes that do not fit, or more than
// `maxLineRuns` runs. Cost: the runs made.
#pragma once

#include "ccgraph/ir/context.h"
#include "ccgraph/ir/int_list.h"
#include "ccgraph/ir/type.h"

#include <vector>

namespace ccgraph::legality {

inline constexpr size_t maxLineRuns = size_t(1) << 16;

/// Which dimensions count lines: the first ones, or the last ones.
enum class LineAxis : uint8_t { Rows, Columns };

/// Lines [start, start + count) of a term.
struct LineRun {
  uint32_t source = 0;
  int64_t start = 0;
  int64_t count = 0;
  friend bool operator==(const LineRun &, const LineRun &) = default;
};
using LineRuns = std::vector<LineRun>;

struct LineValue {
  LineAxis axis = LineAxis::Columns;
  DimList line;    ///< the sizes of a line
  IntList counts;  ///< the sizes of the dimensions that count lines, at least one
  DimList strides; ///< in elements
  DType dtype = DType::F32;
  LineRuns runs;
  /// its memory has all of its elements and no others
  bool fillsMemory = true;
  /// Returns the sizes of all dimensions.
  [[nodiscard]] DimList sizes() const;
  [[nodiscard]] size_t rank() const { return line.size() + counts.size(); }
};

/// Appends a run, and joins it with the last run if it continues that run; returns false for too many runs.
[[nodiscard]] bool append(LineRuns &runs, const LineRun &run);
/// Returns the strides of a row-major tensor without gaps.
[[nodiscard]] DimList denseStrides(Context &context, const LineValue &value);
/// Returns true if the value has these strides; those of dimensions of size 1 have no meaning.
[[nodiscard]] bool hasStrides(const LineValue &value, llvm::ArrayRef<Dim> strides);
/// Returns true if both have the same sizes and the same lines in the same order.
[[nodiscard]] bool holdTheSame(const LineValue &a, const LineValue &b);

/// Returns elements [from, to) of a dimension that counts lines: a view.
[[nodiscard]] std::optional<LineValue> sliced(const LineValue &value, size_t dim, int64_t from, int64_t to);
/// Concatenates along a dimension that counts lines.
[[nodiscard]] std::optional<LineValue> concatenated(Context &context, llvm::ArrayRef<const LineValue *> values,
                                                    size_t dim);
/// Returns the same lines under other sizes: a view. One size of a line may be -1, if it is the only one.
[[nodiscard]] std::optional<LineValue> resized(Context &context, const LineValue &value, llvm::ArrayRef<Dim> sizes);
/// Returns a matrix with its two dimensions exchanged: a view.
[[nodiscard]] std::optional<LineValue> transposed(const LineValue &value);

} // namespace ccgraph::legality
