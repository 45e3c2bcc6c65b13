// torch.distributed's synchronous in-place collectives, as PyTorch's compiler traces them: a functional collective, the
// wait on it, and a copy into the tensor that the call names.
//
//   distributed::all_reduce(grad);                        // grad.copy_(wait_tensor(all_reduce(grad, "sum", "0")))
//   distributed::all_gather_into_tensor(whole, shard);
//
// Names, order of arguments and defaults are PyTorch's; the default group is the world, "0". Every handle of a tensor
// shows what a call writes to it. Passes remove the copies that have no use.
//
// Failure: see tensor.h. async_op = true and lists of tensors of unequal size are rejected, as in PyTorch. Cost: a few
// recorded nodes.
#pragma once

#include "ccgraph/tracer/collectives.h"

// NOLINTBEGIN(readability-identifier-naming): PyTorch's own spelling.
namespace ccgraph::distributed {

using collectives::GroupLike;
using collectives::ReduceOp;
using collectives::Splits;
using tracer::Tensor;

/// The default group.
inline constexpr const char *WORLD = "0";

/// output_tensor becomes all ranks' input_tensor, concatenated along gather_dim.
Tensor all_gather_into_tensor(const Tensor &output_tensor, const Tensor &input_tensor, const GroupLike &group = WORLD,
                              bool async_op = false, llvm::StringRef tag = "", int64_t gather_dim = 0);
/// The older name of all_gather_into_tensor.
Tensor _all_gather_base(const Tensor &output_tensor, const Tensor &input_tensor, const GroupLike &group = WORLD,
                        bool async_op = false, llvm::StringRef tag = "", int64_t gather_dim = 0);

/// output becomes this rank's share, along scatter_dim, of the reduction of all ranks' inputs.
Tensor reduce_scatter_tensor(const Tensor &output, const Tensor &input, const ReduceOp &op = "sum",
                             const GroupLike &group = WORLD, bool async_op = false, int64_t scatter_dim = 0,
                             llvm::StringRef tag = "");
/// The older name of reduce_scatter_tensor.
Tensor _reduce_scatter_base(const Tensor &output, const Tensor &input, const ReduceOp &op = "sum",
                            const GroupLike &group = WORLD, bool async_op = false, int64_t scatter_dim = 0,
                            llvm::StringRef tag = "");

/// tensor becomes the reduction of all ranks' tensors.
Tensor all_reduce(const Tensor &tensor, const ReduceOp &op = "sum", const GroupLike &group = WORLD,
                  bool async_op = false, llvm::StringRef tag = "");

/// output becomes the parts of all ranks' inputs for this rank.
Tensor all_to_all_single(const Tensor &output, const Tensor &input, const Splits &output_split_sizes = std::nullopt,
                         const Splits &input_split_sizes = std::nullopt, const GroupLike &group = WORLD,
                         bool async_op = false, llvm::StringRef tag = "");

/// The p-th tensor of the list becomes rank p's tensor. All tensors must have the same number of rows.
tracer::TensorList all_gather(const std::vector<Tensor> &tensor_list, const Tensor &tensor,
                              const GroupLike &group = WORLD, bool async_op = false, llvm::StringRef tag = "");

} // namespace ccgraph::distributed
// NOLINTEND(readability-identifier-naming)
