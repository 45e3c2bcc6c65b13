// Chakra execution traces: the form in which simulators such as ASTRA-sim and viewers take the program of one rank.
//
// The form is et_def.proto, version 0.0.4, of https://github.com/mlcommons/chakra: a GlobalMetadata message, then a
// Node message for each step, each after its length as a varint.
//
//   COMP_NODE                  a node that takes time; attributes num_ops (floating-point operations) and tensor_size
//                              (bytes read and written), if both are known
//   COMM_COLL_NODE             a collective; attributes comm_type, comm_size (bytes that the rank sends), pg_name, and
//                              pg_ranks, if the ranks of its group are known
//   COMM_SEND_NODE, _RECV_     a transfer; attributes comm_size, pg_name, comm_dst or comm_src (global rank), comm_tag
//
// Nodes that take no time (views, elements of lists, waits, inputs) are left out; dependences pass through them. Data
// dependences are those of the program. Control dependences are the streams of ccgraph/passes/timeline.h: a computation
// starts after the computation before it, and after the collectives that were waited for in between; a collective also
// starts after the collective before it on its group. So the longest chain of a trace is the predicted step, on a
// machine without contention. Each node has duration_micros, rounded to the nearest, and the attribute duration_ps.
//
// Ownership: borrows. Failure: none; the stream keeps its errors. Cost: linear in the edges.
#pragma once

#include "ccgraph/ir/graph.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace ccgraph {

/// `picosecondsOf` returns the time of a node, 0 for one that takes none.
void writeChakra(llvm::raw_ostream &os, const Graph &graph,
                 llvm::function_ref<int64_t(const Node &node)> picosecondsOf);

} // namespace ccgraph
