// Reads the fields of a collective call in which the ranks must agree.
//
// Ownership: plain values. Failure: none; a field that the graph does not determine is empty. Cost: linear in the
// arguments.
#pragma once

#include "job_data.h"

#include "ccgraph/ir/collective.h"

namespace ccgraph::jobs {

/// A collective, not a transfer.
[[nodiscard]] Call readCall(const Node &node, const CollectiveCall &call);

struct TransferCall {
  Call call;
  int64_t peer = -1;
  int64_t tag = 0;
  bool receives = false;
};
/// The transfers of isend, irecv or batch_p2p_ops, in order.
[[nodiscard]] std::vector<TransferCall> readTransfers(const Node &node, const CollectiveCall &call);

} // namespace ccgraph::jobs
