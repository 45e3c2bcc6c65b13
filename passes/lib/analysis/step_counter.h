// StepCounter: counts the steps between two nodes while some of them move.
//
// A pass that moves waits or launches past computation reports how far each of them moved. The counted steps are those
// that the pass never moves, so their order is fixed. Each node only stores the number of counted steps before it, and
// that number changes only when the node itself moves.
//
// Ownership: holds numbers by node id.
// Cost: O(n) to build, O(1) a query and a move.
// Failure: none.
#pragma once

#include "ccgraph/ir/graph.h"

#include <vector>

namespace ccgraph {

class StepCounter {
public:
  /// `counts` returns true for the nodes that count; they must not move.
  StepCounter(const Graph &graph, llvm::function_ref<bool(const Node *)> counts) : above_(graph.idLimit()) {
    int64_t counted = 0;
    for (const Node *node : graph) {
      above_[node->id()] = counted;
      counted += counts(node) ? 1 : 0;
    }
  }

  /// Returns the number of steps from `first` up to `last`, without `last`.
  [[nodiscard]] int64_t between(const Node *first, const Node *last) const {
    return above_[last->id()] - above_[first->id()];
  }
  /// Must be called for every move of an uncounted node to just before `position`.
  void moved(const Node *node, const Node *position) { above_[node->id()] = above_[position->id()]; }

private:
  /// by node id
  std::vector<int64_t> above_;
};

} // namespace ccgraph
