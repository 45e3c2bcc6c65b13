// Placements: how the ranks of a mesh hold the tensors of a step that one device holds whole.
//
// A mesh has axes from major to minor; rank r has the coordinates of r in row-major order. For each axis, a tensor is
//   replicate      equal on all ranks of the axis
//   shard(d)       cut along dimension d as torch.chunk cuts it: n elements over k ranks are chunks of ceil(n / k), the
//                  last ones smaller or empty
//   head_tail(d)   cut along dimension d into 2 k equal chunks, of which rank i holds chunks i and 2 k - 1 - i, joined:
//                  the shares of causal attention that cost the same (PyTorch's _HeadTailLoadBalancer of context
//                  parallelism, https://docs.pytorch.org/docs/stable/distributed.tensor.experimental.html)
//   partial(sum)   the sum over the ranks of the axis is the tensor
//   partial(avg)   their mean is the tensor
//   at(c)          the ranks with coordinate c of the axis alone have the tensor, as the stages of a pipeline do: each
//                  of them has inputs and outputs of its own. All tensors have such a placement on that axis
// Where two axes cut one dimension, `splitOrder` states which cuts first; without it, the major axis does.
//
// A fused weight (q, k and v in one) is cut as if it had the shape `as`, [3, 16, 16]: d is a dimension of that shape,
// so shard(1) cuts each of q, k and v. A rank sees the first two dimensions of its part as one. With `asAxes`, these
// axes cut so, before all others, which cut what a rank then sees: FSDP over tensor-parallel parts. Parts of different
// sizes, q of 16384 rows and k and v of 1024, are listed in `parts` instead: shard(0) cuts each of them, and a rank
// sees its parts one after the other.
//
// A microbatch is one of several equal parts of what a rank holds, cut along dimension 0.
//
// Ownership: plain values. Failure: none; readers check the file, and users the shapes. Cost: none.
#pragma once

#include "ccgraph/ir/int_list.h"

#include <optional>
#include <string>
#include <vector>

namespace ccgraph {

struct AxisPlacement {
  enum class Kind : uint8_t { Replicate, Shard, PartialSum, PartialAvg, At };
  Kind kind = Kind::Replicate;
  /// of Shard
  int64_t dim = 0;
  /// of Shard: head_tail(dim)
  bool isHeadTail = false;
  /// of At
  int64_t coordinate = 0;
  /// Returns whether the ranks of the axis hold parts of dimension `of`.
  [[nodiscard]] bool cuts(int64_t of) const { return kind == Kind::Shard && dim == of; }
  friend bool operator==(const AxisPlacement &, const AxisPlacement &) = default;
};
/// Returns "replicate", "shard(0)", "head_tail(1)", "partial(sum)", "at(2)".
[[nodiscard]] std::string placementText(const AxisPlacement &placement);

struct Microbatch {
  int64_t index = 0;
  /// how many there are
  int64_t count = 1;
  friend bool operator==(const Microbatch &, const Microbatch &) = default;
};

/// One input or output of the parallel step, and its counterpart of the single one.
struct TensorPlacement {
  /// index among the inputs or outputs of the parallel graph (of that stage where it is `at`), and of the single graph
  size_t position = 0;
  size_t single = 0;
  /// what it is: "l0.wq", "grad.l0.wq"
  std::string of;
  /// by axis of the mesh
  std::vector<AxisPlacement> axes;
  /// axes in the order in which they cut; axes that are not listed cut first, from major to minor
  std::vector<size_t> splitOrder;
  /// empty: the tensor's own shape
  IntList as;
  /// axes that cut in the shape `as`, or in each of the `parts`; empty: all
  std::vector<size_t> asAxes = {};
  /// sizes of the parts of the dimension that these axes cut; empty: it is one part
  IntList parts = {};
  /// empty: all of what the rank holds
  std::optional<Microbatch> microbatch = {};
};

/// Returns the axes of the mesh in the order in which they cut.
[[nodiscard]] std::vector<size_t> orderOfAxes(const TensorPlacement &placement);

struct NamedAxis {
  std::string name;
  /// number of ranks; 0: not stated
  int64_t size = 0;
};
/// Returns the coordinates of a rank, from the major axis to the minor one.
[[nodiscard]] std::vector<int64_t> coordinatesOf(int64_t rank, llvm::ArrayRef<NamedAxis> mesh);
[[nodiscard]] int64_t rankAt(llvm::ArrayRef<int64_t> coordinates, llvm::ArrayRef<NamedAxis> mesh);
/// Returns the number of ranks of the mesh; saturated.
[[nodiscard]] int64_t numRanks(llvm::ArrayRef<NamedAxis> mesh);

/// The placements of all inputs and outputs of a step.
struct StepPlacements {
  /// from major to minor
  std::vector<NamedAxis> mesh;
  std::vector<TensorPlacement> inputs;
  std::vector<TensorPlacement> outputs;
  /// Into how many microbatches inputs were cut that joinSteps has joined; each number once, usually one of them.
  std::vector<int64_t> microbatches = {};
};

/// Returns whether some tensor is at one stage alone, or a microbatch. joinSteps (passes/equality) makes placements of
/// ranks that have the same inputs and outputs from them.
[[nodiscard]] bool needsJoining(const StepPlacements &placements);

} // namespace ccgraph
