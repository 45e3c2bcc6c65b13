// OrderList: the program order as a linked list with labels (order maintenance).
//
// "a before b" compares two 64-bit labels. An insertion takes a label between its neighbours. If there is none, the
// smallest enclosing power-of-two range of labels that is sparse enough is relabelled evenly. After M. Bender, R. Cole,
// E. Demaine, M. Farach-Colton, J. Zito, "Two Simplified Algorithms for Maintaining Order in a List" (ESA 2002):
// amortised O(log n) an insertion, O(1) a query. The invariant: labels ascend strictly along the list.
//
// An example with labels of 4 bits: a has 4, b has 5, and c is inserted between them. A range of 2^i labels may hold (2
// / 1.5)^i nodes. With c there are three: too many for the ranges of 2 (1.3), 4 (1.8) and 8 labels (2.4) around a, but
// not for all 16 (3.2). So the three share these 16: a 4, c 8, b 12.
//
// Ownership: borrows the chain of a Graph. It links nodes through their fields and owns none, so a node is in at most
// one list. Failure: none; 2^62 labels are enough for any graph that fits in memory. Cost: appending and removing are
// O(1), and appended nodes get labels 2^20 apart.
#pragma once

#include "ccgraph/ir/graph.h"

namespace ccgraph {

class OrderList {
public:
  explicit OrderList(NodeChain &chain) : chain_(chain) {}

  /// Inserts an unlinked node before `position`; null appends.
  void insertBefore(Node *node, Node *position);
  /// Unlinks the node; its label is meaningless until it is inserted again.
  void remove(Node *node);

private:
  void link(Node *node, Node *position);
  void assignLabel(Node *node);
  void relabelAround(Node *node);

  NodeChain &chain_;
};

} // namespace ccgraph
