// Functional collectives: the API of torch.distributed._functional_collectives, in C++.
//
//   Tensor y = collectives::all_reduce(x, "sum", "tp");
//   Tensor w = collectives::all_gather_tensor(shard, 0, std::pair(mesh, 0));
//
// Names, order of arguments and defaults are PyTorch's. Inputs are left as they are; results are tensors of their own.
// While a trace records, each call appends the collective and directly after it its wait, and returns the result of the
// wait. The passes move the wait to its final place. Groups: group.h lists the forms.
//
// Ownership: plain values. Failure: a tensor that has failed (tensor.h); where PyTorch has an assert or an error, its
// text is the message. Cost: a few recorded nodes.
#pragma once

#include "ccgraph/tracer/call.h"
#include "ccgraph/tracer/group.h"

#include <optional>

// NOLINTBEGIN(readability-identifier-naming): PyTorch's own spelling.
namespace ccgraph::collectives {

using tracer::Cells;
using tracer::DeviceMesh;
using tracer::GroupLike;
using tracer::Tensor;

/// The way in which ranks' tensors are reduced: "sum", "avg", "product", "min", "max", "band", "bor", "bxor", in any
/// letter case, or premul_sum.
class ReduceOp {
public:
  ReduceOp(const char *name) : ReduceOp(std::string(name)) {}
  ReduceOp(llvm::StringRef name) : ReduceOp(name.str()) {}
  ReduceOp(std::string name);
  /// The name in lower case.
  [[nodiscard]] const std::string &name() const { return name_; }
  /// The factor by which each rank's tensor is multiplied first; only for premul_sum.
  [[nodiscard]] const std::optional<tracer::Operand> &factor() const { return factor_; }

private:
  friend ReduceOp premul_sum(const tracer::Operand &factor);
  std::string name_;
  std::optional<tracer::Operand> factor_;
};

/// Returns a reduction that multiplies each rank's tensor by a number or a tensor and sums the products. It is recorded
/// as that multiplication and a sum, since graphs of PyTorch hold no such operator.
[[nodiscard]] ReduceOp premul_sum(const tracer::Operand &factor);

/// Returns the result of the collective. Waiting twice has the effect of waiting once.
Tensor wait_tensor(const Tensor &tensor);

/// Every rank's result is the tensor of rank `src` of the group.
Tensor broadcast(const Tensor &self, int64_t src, const GroupLike &group, llvm::StringRef tag = "");

/// Every rank's result is all ranks' tensors reduced to one.
Tensor all_reduce(const Tensor &self, const ReduceOp &reduceOp, const GroupLike &group, llvm::StringRef tag = "");

/// Concatenates all ranks' tensors along a dimension: f32[2, 3] on 4 ranks -> f32[8, 3], or f32[2, 12] where gather_dim
/// is 1. The input must be contiguous.
Tensor all_gather_tensor(const Tensor &self, int64_t gather_dim, const GroupLike &group, llvm::StringRef tag = "");
/// The same through _c10d_functional_autograd, whose gradient is a reduce_scatter.
Tensor all_gather_tensor_autograd(const Tensor &self, int64_t gather_dim, const GroupLike &group,
                                  llvm::StringRef tag = "");

/// Reduces all ranks' tensors to one and gives each rank its share along a dimension: f32[8, 3] on 4 ranks -> f32[2,
/// 3]. The dimension must be a multiple of the group's size.
Tensor reduce_scatter_tensor(const Tensor &self, const ReduceOp &reduceOp, int64_t scatter_dim, const GroupLike &group,
                             llvm::StringRef tag = "");
/// The same through _c10d_functional_autograd, whose gradient is an all_gather.
Tensor reduce_scatter_tensor_autograd(const Tensor &self, const ReduceOp &reduceOp, int64_t scatter_dim,
                                      const GroupLike &group, llvm::StringRef tag = "");

/// all_reduce of each tensor, as one collective.
tracer::TensorList all_reduce_coalesced(const std::vector<Tensor> &self, const ReduceOp &reduceOp,
                                        const GroupLike &group, llvm::StringRef tag = "");
/// all_gather_tensor of each tensor along dimension 0, as one collective.
tracer::TensorList all_gather_into_tensor_coalesced(const std::vector<Tensor> &self, const GroupLike &group,
                                                    llvm::StringRef tag = "");
/// reduce_scatter_tensor of each tensor along a dimension of its own, as one collective.
tracer::TensorList reduce_scatter_tensor_coalesced(const std::vector<Tensor> &inputs, const ReduceOp &reduceOp,
                                                   const std::vector<int64_t> &scatter_dim, const GroupLike &group,
                                                   llvm::StringRef tag = "");

/// Rank r sends the p-th part of its rows to rank p and receives the r-th parts of all ranks. Splits are rows, one
/// number a rank; without them all parts are equal. Give both kinds or neither.
using Splits = std::optional<std::vector<int64_t>>;
Tensor all_to_all_single(const Tensor &self, const Splits &output_split_sizes, const Splits &input_split_sizes,
                         const GroupLike &group, llvm::StringRef tag = "");
/// The same through _c10d_functional_autograd, whose gradient is an all_to_all with the splits exchanged.
Tensor all_to_all_single_autograd(const Tensor &self, const Splits &output_split_sizes, const Splits &input_split_sizes,
                                  const GroupLike &group, llvm::StringRef tag = "");

/// The splits of all ranks of a group: rank r sends rows[r][p] rows to rank p.
struct RankSplits {
  std::vector<std::vector<int64_t>> rows;
};
/// all_to_all_single with splits that differ by rank. In a trace it is the call of the trace's rank
/// (TraceOptions::rank), whose splits are its row and its column. In a session it is the call of all ranks; each sends
/// all rows of its tensor, and all must receive equally many rows, since a tensor has one shape on all ranks.
Tensor all_to_all_single_of_ranks(const Tensor &self, const RankSplits &sent, const GroupLike &group,
                                  llvm::StringRef tag = "");

/// Rank r of the group sends its tensor to rank src_dst[r]: an all_to_all whose splits hold the rank, so the trace must
/// be one rank's (TraceOptions::rank). Splits count elements of a tensor with one dimension, as PyTorch's do.
Tensor permute_tensor(const Tensor &self, const std::vector<int64_t> &src_dst, const GroupLike &group,
                      llvm::StringRef tag = "");

} // namespace ccgraph::collectives
// NOLINTEND(readability-identifier-naming)
