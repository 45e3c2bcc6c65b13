// The values of collectives.
//
// Ownership: values; members that receive the same tensor share its words. Failure: a text: a kind or a form of a
// collective without a rule, inputs whose sizes do not fit together. Cost: linear in the data of all members.
#pragma once

#include "call.h"

#include "ccgraph/ir/collective.h"

#include "llvm/Support/Error.h"

namespace ccgraph::equality {

/// The launch of one member.
struct Launch {
  const Node *node = nullptr;
  CollectiveCall call;
  /// the tensors that it sends
  std::vector<Array> inputs;
  /// of shard_dim_alltoall: the dimensions that are gathered and cut
  int64_t gatherDim = 0;
  int64_t shardDim = 0;
};

/// Returns the tensors that each member receives. The launches are those of the members of a group in its order.
[[nodiscard]] llvm::Expected<std::vector<std::vector<Array>>> valuesOf(llvm::ArrayRef<const Launch *> launches,
                                                                       Field &field);

} // namespace ccgraph::equality
