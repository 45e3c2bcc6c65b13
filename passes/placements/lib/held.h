// Held: how the ranks hold one value, with the factors of its dimensions.
//
// Each dimension of the whole tensor is a product of factors from major to minor. A local factor is held by every rank,
// an axis factor is cut over the ranks of an axis. A rank sees the product of the local factors:
//   [tp | 8]          a dimension of 16 cut over tp 2
//   [3 | tp | 8]      q, k and v in one: each is cut
//   [tp | fsdp | 4]   the shard of a tensor-parallel rank is cut again
// So a reshape regroups factors, and the order in which two axes cut is the order of their factors.
//
// A factor that was the neighbour of a major one is its `follower`. It tells where an axis belongs if a collective cuts
// along a factor that a permutation has moved to the front: reduce_scatter after split and cat, all_to_all.
//
// Ownership: values. Failure: empty results where sizes do not fit. Cost: linear in the factors.
#pragma once

#include "ccgraph/placements/infer_placements.h"

#include "llvm/ADT/SmallVector.h"

namespace ccgraph::placements {

struct Factor {
  /// index of the mesh axis; -1: local
  int axis = -1;
  /// ranks of the axis, or elements
  int64_t size = 1;
  uint32_t id = 0;
  /// id of the next minor factor of the same dimension when this factor was made; 0: none
  uint32_t follower = 0;
  /// of a local factor that an axis became in another place, as a gather of another dimension does; `former`: the
  /// follower of that axis
  bool wasAxis = false;
  uint32_t former = 0;
  /// of an axis: sizes alone chose its place among several that are possible, so nothing is a finding that rests on it;
  /// of a local factor: they chose its follower
  bool isGuess = false;
  [[nodiscard]] bool isLocal() const { return axis < 0; }
};
using DimFactors = llvm::SmallVector<Factor, 2>;

/// How the ranks of one axis hold a value, with the node where that arose.
struct Hold {
  HoldKind kind = HoldKind::Replicated;
  ReduceOp reduction = ReduceOp::Sum;
  bool assumed = false;
  /// of Undecided: it follows from a finding, so that no other finding is made of it
  bool afterFinding = false;
  /// of Partial: a replicated value was added at `addition`
  const Node *addition = nullptr;
  /// of Replicated: divided by the number of ranks, so that the sum over the ranks is the value
  bool isShare = false;
  /// of Varying: an operand or a number that differs among the ranks makes the value differ. Else it only may.
  bool isProven = false;
  /// of Sharded: each rank made its part with numbers of its own, such as offsets. So a sum over the parts may be one
  /// over rows that do not belong together.
  bool isOwn = false;
  /// the node where Partial or Varying arose
  const Node *origin = nullptr;
};

[[nodiscard]] inline Hold varyingSince(const Node &node) { return {.kind = HoldKind::Varying, .origin = &node}; }
[[nodiscard]] inline Hold provenVaryingSince(const Node &node) {
  return {.kind = HoldKind::Varying, .isProven = true, .origin = &node};
}
[[nodiscard]] inline Hold partialSince(const Node &node, ReduceOp reduction) {
  return {.kind = HoldKind::Partial, .reduction = reduction, .origin = &node};
}

struct Held {
  /// of a tensor, by dimension
  llvm::SmallVector<DimFactors, 4> dims;
  /// by axis of the mesh. An axis is Sharded if and only if one of the dimensions has its factor.
  llvm::SmallVector<Hold, 3> axes;
  /// All elements are one number that all ranks know. It is a part, and for 0 a partial sum, of any tensor.
  bool isUniform = false;
  bool isZero = false;
  /// It depends on no input: positions, masks.
  bool isMade = false;
  /// of a list result
  std::vector<Held> elements;

  [[nodiscard]] bool has(size_t axis, HoldKind kind) const { return axes[axis].kind == kind; }
  [[nodiscard]] int64_t localSize(size_t dim) const;
  /// Returns the dimension that an axis cuts; empty if none.
  [[nodiscard]] std::optional<size_t> dimOf(size_t axis) const;
  /// Returns whether the place of the axis is a guess.
  [[nodiscard]] bool isGuessed(size_t axis) const;
  /// Removes the factor of the axis; the axis becomes `hold`.
  void settle(size_t axis, Hold hold);
  /// Sets the axes that have factors to Sharded.
  void noteFactors();
};

/// Returns a list of two results, with the axes of the first.
[[nodiscard]] Held listOfTwo(const Held &first, const Held &second);

/// Makes factors with new ids.
class FactorMaker {
public:
  Factor local(int64_t size, uint32_t follower = 0) { return {-1, size, ++last_, follower}; }
  Factor cut(int axis, int64_t ranks, uint32_t follower = 0) { return {axis, ranks, ++last_, follower}; }
  /// Returns local dimensions of these sizes.
  llvm::SmallVector<DimFactors, 4> localDims(IntListRef sizes);
  /// Splits the local factor at `place` so that its major part has `size`; false if `size` does not divide it.
  bool split(DimFactors &factors, size_t place, int64_t size);

private:
  uint32_t last_ = 0;
};

/// Returns the factors with adjacent local ones joined and those of size 1 left out.
[[nodiscard]] DimFactors canonical(llvm::ArrayRef<Factor> factors);
[[nodiscard]] bool sameFactors(llvm::ArrayRef<Factor> a, llvm::ArrayRef<Factor> b);
/// Returns whether the axes that cut both cut them alike.
[[nodiscard]] bool sameCuts(llvm::ArrayRef<Factor> a, llvm::ArrayRef<Factor> b);
[[nodiscard]] bool hasAxes(llvm::ArrayRef<Factor> factors);
[[nodiscard]] int64_t localSizeOf(llvm::ArrayRef<Factor> factors);

/// The places of all axes of a dimension are guesses.
void guessAxes(DimFactors &factors);
/// Returns whether an axis of the dimension is a guess, so that its order beside the other axes is one too.
[[nodiscard]] bool hasGuess(llvm::ArrayRef<Factor> factors);
/// Puts a factor that was an axis, and is first among these, before the one that it precedes in the whole tensor. A
/// rank sees nothing of the axes between them.
void bringHome(llvm::MutableArrayRef<Factor> factors);

/// Regroups the factors to dimensions of the local sizes; empty if a size would cut a factor unevenly. A dimension of
/// size 1 may be what an axis left of a dimension, or may have been added, so axes beside one are guesses.
[[nodiscard]] std::optional<llvm::SmallVector<DimFactors, 4>> regrouped(llvm::ArrayRef<DimFactors> dims,
                                                                        IntListRef sizes, FactorMaker &maker);

/// Returns the placement of one axis for an answer.
[[nodiscard]] AxisHold axisHoldOf(const Held &held, size_t axis);

} // namespace ccgraph::placements
