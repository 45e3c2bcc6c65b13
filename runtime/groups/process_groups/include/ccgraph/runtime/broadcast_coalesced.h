// broadcastCoalesced: the tensors of one rank to all ranks of a group, few tensors in one broadcast.
//
// Tensors are assigned to buckets by size, as in c10d (reducer.cpp, compute_bucket_assignment_by_size, with one limit):
// in the order given, each joins the open bucket of its dtype, and a bucket closes when its bytes reach the limit. A
// bucket is flattened (each tensor row-major), broadcast, and copied back. At most two broadcasts are in flight.
// Tensors without elements ride along, and a bucket of only such tensors is broadcast with 0 elements.
//
// Ownership: shares the tensors until it returns. Failure: group.argument for an empty list; otherwise that of
// ProcessGroup::broadcast(). Cost: a copy of each tensor on the root, two on the others; two buckets of memory.
#pragma once

#include "ccgraph/runtime/process_group.h"

namespace ccgraph::runtime {

/// Indices of the tensors of each bucket, in the order of their smallest index. `bytes`: the limit.
[[nodiscard]] std::vector<std::vector<size_t>> broadcastBuckets(llvm::ArrayRef<Tensor> tensors, int64_t bytes);

/// One event of the call, for those who observe it.
struct BroadcastEvent {
  enum class Kind : uint8_t { Broadcast, Wait } kind = Kind::Broadcast;
  /// index of the bucket
  size_t bucket = 0;
};
/// A call of all members, with tensors of equal dtypes and sizes. `root`: rank within the group. `observe` may be null.
[[nodiscard]] llvm::Error broadcastCoalesced(ProcessGroup &group, llvm::ArrayRef<Tensor> tensors, int64_t bytes,
                                             int64_t root,
                                             const std::function<void(const BroadcastEvent &)> &observe = {});

} // namespace ccgraph::runtime
