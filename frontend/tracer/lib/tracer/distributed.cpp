#include "ccgraph/tracer/distributed.h"

#include "ccgraph/tracer/elementwise.h"
#include "ccgraph/tracer/views.h"
#include "tracer/mode.h"

#include "llvm/ADT/STLExtras.h"

// NOLINTBEGIN(readability-identifier-naming): PyTorch's own spelling.
namespace ccgraph::distributed {
namespace {

using tracer::TensorList;
using tracer::detail::problem;

Diagnostic asyncProblem(llvm::StringRef function) {
  return problem("trace.async-op", function, "Can't remap async version of inplace op to functional collective",
                 "call the functional collective, whose wait is placed by the passes");
}

/// Writes the gathered or reduced result of `make` into `output`, where the call is synchronous.
template <typename Make>
Tensor written(llvm::StringRef function, const Tensor &output, bool async_op, Make make) {
  if (async_op)
    return tracer::detail::fail(asyncProblem(function));
  Tensor result = make();
  return result.isValid() ? copy_(output, result) : result;
}

} // namespace

Tensor all_gather_into_tensor(const Tensor &output_tensor, const Tensor &input_tensor, const GroupLike &group,
                              bool async_op, llvm::StringRef tag, int64_t gather_dim) {
  return written("all_gather_into_tensor", output_tensor, async_op,
                 [&] { return collectives::all_gather_tensor(input_tensor, gather_dim, group, tag); });
}

Tensor _all_gather_base(const Tensor &output_tensor, const Tensor &input_tensor, const GroupLike &group, bool async_op,
                        llvm::StringRef tag, int64_t gather_dim) {
  return all_gather_into_tensor(output_tensor, input_tensor, group, async_op, tag, gather_dim);
}

Tensor reduce_scatter_tensor(const Tensor &output, const Tensor &input, const ReduceOp &op, const GroupLike &group,
                             bool async_op, int64_t scatter_dim, llvm::StringRef tag) {
  return written("reduce_scatter_tensor", output, async_op,
                 [&] { return collectives::reduce_scatter_tensor(input, op, scatter_dim, group, tag); });
}

Tensor _reduce_scatter_base(const Tensor &output, const Tensor &input, const ReduceOp &op, const GroupLike &group,
                            bool async_op, int64_t scatter_dim, llvm::StringRef tag) {
  return reduce_scatter_tensor(output, input, op, group, async_op, scatter_dim, tag);
}

Tensor all_reduce(const Tensor &tensor, const ReduceOp &op, const GroupLike &group, bool async_op,
                  llvm::StringRef tag) {
  return written("all_reduce", tensor, async_op, [&] { return collectives::all_reduce(tensor, op, group, tag); });
}

Tensor all_to_all_single(const Tensor &output, const Tensor &input, const Splits &output_split_sizes,
                         const Splits &input_split_sizes, const GroupLike &group, bool async_op, llvm::StringRef tag) {
  return written("all_to_all_single", output, async_op, [&] {
    return collectives::all_to_all_single(input, output_split_sizes, input_split_sizes, group, tag);
  });
}

TensorList all_gather(const std::vector<Tensor> &tensor_list, const Tensor &tensor, const GroupLike &group,
                      bool async_op, llvm::StringRef tag) {
  auto failed = [](Diagnostic why) {
    (void)tracer::detail::fail(why);
    return TensorList::failed(std::move(why));
  };
  if (async_op)
    return failed(asyncProblem("all_gather"));
  if (llvm::any_of(tensor_list, [&](const Tensor &each) { return each.size(0) != tensor.size(0); }))
    return failed(problem("trace.variable-size", "all_gather",
                          "Remapping variable size all_gather is not yet supported",
                          "gather tensors with as many rows"));
  Tensor rows = collectives::all_gather_tensor(tensor, 0, group, tag);
  if (rows.error())
    return TensorList::failed(*rows.error());
  std::vector<Tensor> results;
  int64_t offset = 0;
  for (const Tensor &destination : tensor_list) {
    results.push_back(copy_(destination, slice(rows, 0, offset, offset + destination.size(0))));
    offset += destination.size(0);
  }
  return TensorList(std::move(results));
}

} // namespace ccgraph::distributed
// NOLINTEND(readability-identifier-naming)
