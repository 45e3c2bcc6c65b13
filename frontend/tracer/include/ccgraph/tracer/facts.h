// Facts of a distributed program that a trace turns into constants (ranks, sizes, names of groups), and placements.
//
//   if (llvm::cantFail(distributed::get_rank("tp")) == 0) ...
//
// While a trace is open, each answer becomes part of the graph, so it is recorded as a *guard* of the graph
// (ccgraph/ir/guard.h): the graph is rejected where the answer would differ. So do the answers of a mesh (group.h). The
// kind of a placement assumes nothing and leaves no guard.
//
// Ownership: plain values. Failure: no trace is open, the group is invalid, or the answer differs by rank and the trace
// is one graph for every rank. Cost: linear in the ranks.
#pragma once

#include "ccgraph/tracer/distributed.h"

// NOLINTBEGIN(readability-identifier-naming): PyTorch's own spelling.
namespace ccgraph::distributed {

using tracer::DeviceMesh;

/// Returns this rank's index in a group; -1 outside.
[[nodiscard]] llvm::Expected<int64_t> get_rank(const GroupLike &group = WORLD);
/// Returns the number of ranks of a group.
[[nodiscard]] llvm::Expected<int64_t> get_world_size(const GroupLike &group = WORLD);
/// Returns the global ranks of a group, in order.
[[nodiscard]] llvm::Expected<std::vector<int64_t>> get_process_group_ranks(const GroupLike &group);
/// Returns the name of the group in graphs.
[[nodiscard]] llvm::Expected<std::string> group_name(const GroupLike &group);

// The helpers that PyTorch's compiler folds, under their own names.
[[nodiscard]] llvm::Expected<int64_t> _get_group_size_by_name(llvm::StringRef group_name);
[[nodiscard]] llvm::Expected<std::string> _get_group_tag(const GroupLike &group);
[[nodiscard]] llvm::Expected<bool> _rank_not_in_group(const GroupLike &group);
[[nodiscard]] llvm::Expected<std::string> _resolve_group_name_by_ranks_and_tag(const std::vector<int64_t> &ranks,
                                                                               llvm::StringRef tag);

/// Returns the coordinates of this rank in a mesh, one number a dimension.
[[nodiscard]] llvm::Expected<std::vector<int64_t>> get_coordinate(const DeviceMesh &mesh);

/// The layout of a tensor on one dimension of a mesh.
class Placement {
public:
  /// Split along a dimension of the tensor.
  static Placement Shard(int64_t dim) { return {Kind::Shard, dim, ""}; }
  /// Whole on each rank.
  static Placement Replicate() { return {Kind::Replicate, 0, ""}; }
  /// Each rank has a tensor that is still to be reduced with those of the other ranks.
  static Placement Partial(const ReduceOp &op = "sum") { return {Kind::Partial, 0, op.name()}; }

  /// Returns true for a shard, either along any dimension or along `dim`.
  [[nodiscard]] bool is_shard(std::optional<int64_t> dim = std::nullopt) const {
    return kind_ == Kind::Shard && (!dim || *dim == dim_);
  }
  [[nodiscard]] bool is_replicate() const { return kind_ == Kind::Replicate; }
  [[nodiscard]] bool is_partial() const { return kind_ == Kind::Partial; }
  /// The dimension of a shard; empty otherwise.
  [[nodiscard]] std::optional<int64_t> dim() const { return is_shard() ? std::optional(dim_) : std::nullopt; }
  /// The reduction of a partial placement: "sum".
  [[nodiscard]] const std::string &reduce_op() const { return reduceOp_; }
  friend bool operator==(const Placement &, const Placement &) = default;

private:
  enum class Kind : uint8_t { Shard, Replicate, Partial };
  Placement(Kind kind, int64_t dim, std::string reduceOp) : kind_(kind), dim_(dim), reduceOp_(std::move(reduceOp)) {}
  Kind kind_;
  int64_t dim_;
  std::string reduceOp_;
};

} // namespace ccgraph::distributed
// NOLINTEND(readability-identifier-naming)
