// Reassociation: decides whether a collective, as a member of a bucket, may add floating-point numbers in another
// order.
//
// A backend chooses its algorithm by the size of a transfer, and the rank that starts with an element by the position
// of the element in it. (NCCL: ring, tree, NVLS or PAT, see NCCL_ALGO in its user guide; gloo: rings over chunks.) So a
// sum over three or more ranks may not be bitwise equal in a bucket. This holds for either layout, and for all_reduce
// and reduce_scatter alike. A sum over two ranks has only one order. Max, min, bitwise and integer reductions have the
// same result in any order.
//
// Ownership: none. Failure: none: if a fact is unknown, such as the number of ranks of a group, the collective may
// reassociate. Cost: the members of the group.
#pragma once

#include "ccgraph/ir/graph.h"

namespace ccgraph {

/// `launch` is a collective.
[[nodiscard]] bool mayReassociate(const Node &launch);

} // namespace ccgraph
