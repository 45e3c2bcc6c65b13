// inferPlacements: how the ranks of a job hold every value of a step, by one pass over its graph.
//
// For each axis of the mesh, a value is one of
//   replicated     equal on all ranks of the axis
//   sharded        the ranks hold parts, along one dimension, of the tensor that one device would hold
//   partial        the sum (or maximum, ...) over the ranks of the axis is the tensor that one device would hold
//   varying        the ranks hold different values, and no rule states how they belong together
//   undecided      no rule states anything: an operator without a rule, a group without ranks
// A linear function of a partial sum stays partial. A finding is a place where two placements meet wrongly: a
// non-linear function of a partial sum, shards of different dimensions in one sum, a reduction of equal values.
//
// Sources of truth: the placements of the inputs that a caller states. Those of the outputs are compared with what
// follows from the graph. Factors are not examined: a gradient that is divided by the number of ranks and one that is
// not are both a partial sum (compareSteps decides that). All ranks must run the same operators in the same order;
// numbers and sizes may differ by rank.
//
// Sources: the placements of PyTorch's DTensor (torch/distributed/tensor); the factors of dimensions are those of
// Shardy's sharding rules (OpenXLA).
//
// Ownership: borrows the graphs for the call; an answer holds nodes of the first rank's graph. Failure: a
// DiagnosticError for placements that do not fit the graphs, and for graphs of different operators. Cost: linear in the
// nodes, times the number of axes and of dimensions; where the graphs of ranks differ, also in their nodes.
#pragma once

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/placement.h"

#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace ccgraph::placements {

/// What one rank runs. Several ranks may share a graph.
struct RankProgram {
  const Graph *graph = nullptr;
  GroupTable groups;
};

struct PlacementQuestion {
  /// by rank; not empty
  std::vector<RankProgram> ranks;
  /// Axes from major to minor with known sizes, and what is known of inputs and outputs, by position in the parallel
  /// graph. Inputs that are not listed are undecided; outputs that are not listed are not checked.
  StepPlacements known;
};

enum class HoldKind : uint8_t { Replicated, Sharded, Partial, Varying, Undecided };

/// How the ranks of one axis hold a value.
struct AxisHold {
  HoldKind kind = HoldKind::Replicated;
  /// of Partial
  ReduceOp reduction = ReduceOp::Sum;
  /// of Sharded: the dimension, from 0
  int64_t dim = 0;
  /// of Sharded: the dimension is so many equal blocks, and each block is cut. 1 for a plain shard.
  int64_t blocks = 1;
  /// Replicated only if random operators of different ranks draw equal numbers.
  bool assumed = false;
  /// of Sharded: values that belong to no part were used in each part (positions, masks, offsets of the rank), so the
  /// parts are those of no function of whole tensors that a rule knows
  bool isOwn = false;
};
/// Returns "replicated", "shard(0)", "shard(0) of each of 3 blocks",
/// "shard(0), each rank's own", "partial(sum)", "varying", "undecided".
[[nodiscard]] std::string holdText(const AxisHold &hold);

struct PlacedValue {
  const Node *node = nullptr;
  /// the index in a list result; 0 for a tensor
  size_t element = 0;
  /// by axis of the mesh
  std::vector<AxisHold> axes;
  /// The ranks hold different sizes.
  bool uneven = false;
};

enum class FindingKind : uint8_t {
  /// a non-linear function of a partial value
  UnreducedOperand,
  /// an output that should be whole, or in parts, is a partial value
  UnreducedOutput,
  /// a replicated value is added to a partial sum on every rank
  AddedOnEveryRank,
  /// operands are cut along different dimensions, in another order, or one is cut and the other is whole
  MismatchedOperands,
  /// a function along a dimension reads a part of it
  PartOfDimension,
  /// every rank reads its part with the same indices
  IndexOfWhole,
  /// ranks take parts of a replicated tensor, but not each its own
  PartOfOtherRank,
  /// a reduction or a gather of equal values
  SuperfluousCollective,
  /// a reduction of other kind than that of the partial value
  WrongReduction,
  /// a reduction adds different parts of one tensor
  ReducedParts,
  /// an output is held in another way than its placement states
  WrongOutput,
};
/// Returns "unreduced-operand", "superfluous-collective", ...
[[nodiscard]] llvm::StringRef findingName(FindingKind kind);

struct PlacementFinding {
  FindingKind kind = FindingKind::UnreducedOperand;
  /// index in the mesh
  size_t axis = 0;
  /// where it is; of rank 0
  const Node *node = nullptr;
  /// the node after which a collective is missing, or whose value is wrong; null if there is none
  const Node *operand = nullptr;
  /// a sentence: "a partial sum over tp must be reduced before tanh, which is not linear"
  std::string text;
  /// what to do: "add an all_reduce (sum) over tp after mm_3"; empty if the text says all
  std::string repair;
};

struct PlacementAnswer {
  std::vector<NamedAxis> mesh;
  /// in the order of the first rank's graph
  std::vector<PlacedValue> values;
  std::vector<PlacementFinding> findings;
  /// of outputs and inputs: what is not known, and why
  std::vector<std::string> undecided;
  /// what holds only under a condition that the graph does not show
  std::vector<std::string> assumed;
  /// The first node that takes some elements of each part of a dimension that is cut, or of a value of which it is not
  /// known how it is cut; null: none. Where there is one, the parts may be those of a fused weight.
  const Node *dividesParts = nullptr;
};

/// Returns the axes that the groups of the ranks form, from major to minor; empty if they do not form a mesh of all
/// ranks. Groups that are products of other axes are left out.
[[nodiscard]] std::vector<NamedAxis> meshOfGroups(llvm::ArrayRef<RankProgram> ranks);

[[nodiscard]] llvm::Expected<PlacementAnswer> inferPlacements(const PlacementQuestion &question);

} // namespace ccgraph::placements
