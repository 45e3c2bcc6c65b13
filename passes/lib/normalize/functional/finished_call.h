// A collective that is finished when it returns, said as a functional launch and the wait on it.
//
//   p = c10d.allreduce_([x], pg, op, None); y = p[0][0]     ->  c = all_reduce(x, "sum", "tp"); y = wait(c)
//   p = c10d.allgather_([[a, b]], [x], pg); y = p[0][0][1]  ->  c = all_gather_into_tensor(x, 2, "tp"); w = wait(c)
//                                                               s = split_with_sizes_copy(w, [n, n]); y = s[1]
//   p = c10d.reduce_scatter_([o], [[a, b]], pg, op)         ->  j = cat([a, b]); c = reduce_scatter_tensor(j, ..)
//
// c10d's own operators write into buffers and yield these, in lists, beside a Work. They hold their group and their
// reduction as objects; what these mean only a file can say (ObjectMeanings). A group that no file explains stays the
// object that it is, which functional forms take too; a reduction must be a word.
//
// Ownership: plain values; nodes are the graph's. Failure: a reason why there is no such call. Cost: linear in the
// arguments and in the uses of the results.
#pragma once

#include "normalize/functional/functional_call.h"

#include "ccgraph/ir/certificate.h"
#include "ccgraph/ir/object_meaning.h"

namespace ccgraph {

struct FinishedCall {
  llvm::StringRef target;
  /// one tensor, or pieces that are joined along their first dimension
  std::vector<Node *> sent;
  /// what follows the input
  std::vector<Actual> rest;
  /// buffers that the call writes, and yields: the result itself, or pieces that it is taken apart into
  std::vector<Node *> filled;
  /// getitems on the way to tensors, outermost first, the one of the Work, and what pairs the outputs with it
  std::vector<Node *> passed;
  struct Element {
    Node *getItem;
    unsigned number; ///< of the buffer
  };
  std::vector<Element> elements;
};

/// Of a collective whose operator is finished when it returns.
[[nodiscard]] std::variant<FinishedCall, NotFunctional> finishedCallOf(const Node &node, const ObjectMeanings *objects);

/// Puts launch and wait in the place of the call, and says so in the certificate. Returns the launch.
Node *buildFinishedCall(Graph &graph, Node *node, const FinishedCall &call, Certificate &certificate);

} // namespace ccgraph
