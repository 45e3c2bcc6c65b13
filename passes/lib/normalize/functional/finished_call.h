// A collective that is complete when it returns, rewritten as a functional launch and the wait on it.
//
//   p = c10d.allreduce_([x], pg, op, None); y = p[0][0]     ->  c = all_reduce(x, "sum", "tp"); y = wait(c)
//   p = c10d.allgather_([[a, b]], [x], pg); y = p[0][0][1]  ->  c = all_gather_into_tensor(x, 2, "tp"); w = wait(c)
//                                                               s = split_with_sizes_copy(w, [n, n]); y = s[1]
//   p = c10d.reduce_scatter_([o], [[a, b]], pg, op)         ->  j = cat([a, b]); c = reduce_scatter_tensor(j, ..)
//   p = c10d.allreduce_([input], pg, op); y = p[0][0]       ->  c = all_reduce(input, "sum", "tp"); w = wait(c)
//                                                               y = copy_(input, w)
//   c10d.allreduce_coalesced_([a, b], pg, op)               ->  l = all_reduce_coalesced([a, b], "sum", "tp")
//                                                               v = wait(l[0]); w = wait(l[1])
//                                                               copy_(a, v); copy_(b, w)
//
// c10d's own operators write into buffers and return these, in lists, besides a Work; the coalesced ones and
// alltoall_base_ return a Work only. Their group and their reduction
// are objects, whose meaning only a file can define (ObjectMeanings). A group without such a definition stays an
// object, which functional forms accept too; a reduction must be a word.
//
// Ownership: plain values; the graph owns the nodes. Failure: a reason why there is no such call. Cost: linear in the
// arguments and in the uses of the results.
#pragma once

#include "normalize/functional/functional_call.h"

#include "ccgraph/ir/certificate.h"
#include "ccgraph/ir/object_meaning.h"

namespace ccgraph {

struct FinishedCall {
  llvm::StringRef target;
  /// the functional form accepts and returns a list, one tensor for each buffer
  bool ofList = false;
  /// one tensor, or pieces that are concatenated along their first dimension
  std::vector<Node *> sent;
  /// the arguments after the input
  std::vector<Actual> rest;
  /// buffers that the call writes and returns: the result itself, or pieces into which it is split
  std::vector<Node *> filled;
  /// getitems on the way to tensors, outermost first, the getitem of the Work, and the node that pairs the outputs with
  /// it
  std::vector<Node *> passed;
  struct Element {
    Node *getItem;
    unsigned number; ///< index of the buffer
  };
  std::vector<Element> elements;
  /// numbers of buffers that are read by another name than the call's results, by a later node or by the caller. The
  /// result is copied into them. finishedCallOf leaves this empty.
  std::vector<unsigned> copiedBack;
};

/// For a collective whose operator is complete when it returns.
[[nodiscard]] std::variant<FinishedCall, NotFunctional> finishedCallOf(const Node &node, const ObjectMeanings *objects);

/// Replaces the call by launch and wait, and records this in the certificate. Returns the launch.
Node *buildFinishedCall(Graph &graph, Node *node, const FinishedCall &call, Certificate &certificate);

} // namespace ccgraph
