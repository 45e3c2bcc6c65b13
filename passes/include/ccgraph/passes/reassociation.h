// Reassociation: would a collective, as a member of a bucket, add floating-point numbers in another order?
//
// A backend chooses its algorithm, and which rank begins with which element, by the size of a transfer and the place of
// an element in it (NCCL: ring, tree, NVLS or PAT, see NCCL_ALGO in its user guide; gloo: rings over chunks). So the bits
// of a sum of three or more ranks' numbers may differ in a bucket, in either layout, of all_reduce and reduce_scatter
// alike. Two ranks' numbers have one sum, and what picks or wraps (max, min, bits, integers) has one result.
//
// Ownership: none. Failure: none: what is not known, such as how many ranks a group has, may. Cost: the members of the
// group.
#pragma once

#include "ccgraph/ir/graph.h"

namespace ccgraph {

/// `launch` is a collective.
[[nodiscard]] bool mayReassociate(const Node &launch);

} // namespace ccgraph
