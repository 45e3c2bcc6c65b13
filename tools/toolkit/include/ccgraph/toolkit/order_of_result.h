// orderOfResult returns the order and the buckets of a rewritten graph, in terms of the graph from which it was made.
//
// A log of torch.compile holds a graph before Inductor's passes and Inductor's result, in which buckets have replaced
// collectives. Nodes that both graphs contain have one name. A collective without a counterpart of its name belongs to
// the bucket that reads the same common nodes, possibly among others:
//
//   start    d0 = div(mm0, 4); r0 = all_reduce(d0); w0 = wait(r0)       d1 = div(mm1, 4); r1 = all_reduce(d1); ...
//   result   c = cat([flatten(mm0), flatten(mm1)]); r = all_reduce(div(c, 4)); w = wait(r); ...
//   order    mm0 mm1 r0 r1 w0 w1, buckets [r0 r1]
//
// Other nodes of the start have no position. Inductor's collectives may use other operators (all_reduce_, the `_out`
// forms), but have the same kind.
//
// Ownership: plain values. Failure: none; a bucket without common nodes is not found. Cost: linear in nodes, and for
// each collective in the nodes between it and the common ones.
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/passes/known_order.h"

namespace ccgraph {

[[nodiscard]] KnownOrder orderOfResult(const Graph &start, const Graph &result);

} // namespace ccgraph
