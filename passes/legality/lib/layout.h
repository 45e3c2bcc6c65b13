// Layout: maps each element of a value to an element of a source tensor.
//
// A value is a list of runs in row-major order: "elements 0..4095 of the input of member 2, then ...". Moving data
// (cat, view, slice, split, permute) makes new runs of old ones; a collective turns runs of inputs into runs of
// results. So a bucket is correct if each replacement is one run: its member's result, from 0 to the end. Sizes are
// exact, without sampling.
//
// Example: members a = f32[2] and b = f32[3] of two ranks are gathered as one flat bucket. A mark (a') means the
// member's result; [0, 2) are elements 0 and 1.
//
//   cat(a, b)                a[0, 2) b[0, 3)
//   gathered                 a'[0, 2) b'[0, 3) a'[2, 4) b'[3, 6)      what rank 0 sent, then rank 1
//   view as [2, 5]           the same runs: sizes do not change the order of elements
//   its columns 0 and 1      a'[0, 2) a'[2, 4), which join to a'[0, 4)
//
// That is all of a's result, so these columns may replace it. If the pass had used columns 1 and 2, the runs would be
// a'[1, 2) b'[0, 1) a'[3, 4) b'[3, 4), and the entry would be rejected.
//
// A transposed matrix in row-major order has one run for each element. So a layout may list the elements in another
// order of the dimensions: the transposition of f32[4, 6] has sizes [6, 4], order [1, 0], and the runs of the matrix.
//
// Ownership: values that view the same elements share their runs, which never change. Failure: an empty result, which
// counts as not proved: sizes that do not fit, or more than `maxRuns` runs. Cost: proportional to the runs made, not to
// the elements.
#pragma once

#include "ccgraph/ir/int_list.h"
#include "ccgraph/ir/type.h"

#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <optional>
#include <vector>

namespace ccgraph::legality {

/// The maximum number of runs of one value: some 32 MiB. Real buckets need a few for each member and rank.
inline constexpr size_t maxRuns = size_t(1) << 20;

/// `count` consecutive elements of a source, at `offset` of the value.
struct Run {
  int64_t offset = 0;
  int64_t start = 0;
  int64_t count = 0;
  uint32_t source = 0;
  bool result = false; ///< elements of the collective's result on the source, not of the source
  /// extra start, in elements, for each number that the rank has within the group (see chain.h)
  int64_t perRank = 0;
  friend bool operator==(const Run &, const Run &) = default;
};
using Runs = std::vector<Run>;

/// A tensor value. Two values with equal runs and sizes are equal, whatever their strides. Strides determine which
/// views are possible and which type is correct.
struct Layout {
  IntList sizes;
  IntList strides; ///< in memory, in elements; meaningless where `stridesKnown` is false
  bool stridesKnown = true;
  bool unsized = false; ///< all of one source whose sizes are no numbers: the one run only names it
  std::shared_ptr<const Runs> runs;
  /// the dimensions, outermost first, in the order in which the runs list the elements; empty: row-major. A dimension
  /// of size 1 follows the one before it, and a value without elements is row-major, so equal orders are listed equally
  IntList order = {};
  [[nodiscard]] int64_t numElements() const;
};
/// Returns true if both values have the same sizes and elements, in whatever order their runs list them. False if one
/// would need too many runs in row-major order.
[[nodiscard]] bool sameElements(const Layout &a, const Layout &b);

/// Returns the largest number if the product overflows: no value has that many elements.
[[nodiscard]] int64_t product(llvm::ArrayRef<int64_t> sizes);
/// Returns strides without gaps, last dimension innermost.
[[nodiscard]] IntList rowMajor(llvm::ArrayRef<int64_t> sizes);
/// Appends the run, and joins it with the last run if it continues that run.
void append(Runs &runs, Run run);
/// Appends elements `offset` .. `offset + count` of a value.
void take(const Runs &from, int64_t offset, int64_t count, Runs &to);

/// Returns all of one source.
[[nodiscard]] Layout whole(uint32_t source, bool result, llvm::ArrayRef<int64_t> sizes);
/// Returns all of one source whose sizes are unknown.
[[nodiscard]] Layout wholeUnsized(uint32_t source, bool result);
/// Returns the elements of `runs`, row-major in memory.
[[nodiscard]] Layout contiguous(llvm::ArrayRef<int64_t> sizes, Runs runs);
/// Returns the numbers of so many dimensions, ascending.
[[nodiscard]] IntList ascending(size_t rank);
/// Returns the value with dimension dims[i] as dimension i, and the same runs.
[[nodiscard]] Layout permuted(const Layout &value, llvm::ArrayRef<int64_t> dims);
/// Returns the value with runs in row-major order. Empty if it would need too many runs.
[[nodiscard]] std::optional<Layout> inRowMajorOrder(const Layout &value);
/// Returns the same elements under other sizes: a view if the strides allow it; else empty, or a copy if `mayCopy`.
/// Empty if the counts differ.
[[nodiscard]] std::optional<Layout> reshape(const Layout &value, llvm::ArrayRef<int64_t> sizes, bool mayCopy);
/// Concatenates along one dimension into a new row-major value. Empty if the other dimensions differ, or if the result
/// would need too many runs.
[[nodiscard]] std::optional<Layout> concatenate(llvm::ArrayRef<Layout> values, int64_t dim);

/// A view by indices: element (i, j, ...) is element base + i * steps[0] + j * steps[1] + ... of the value in the order
/// of its runs; `strides` in memory.
struct Excerpt {
  IntList sizes;
  IntList steps;
  IntList strides;
  int64_t base = 0;
};
/// Returns the excerpt that shows all of a value.
[[nodiscard]] Excerpt excerptOf(const Layout &value);
/// Returns the elements of an excerpt, which must lie within the value. Empty if the result would need too many runs.
[[nodiscard]] std::optional<Layout> look(const Layout &value, const Excerpt &excerpt);

} // namespace ccgraph::legality
