// StepCounter: how many steps lie between two nodes while some of them move.
//
// A pass that moves waits or launches past computation reports how far each went. The steps that
// count are those that the pass never moves, so their order stands, and each node only needs to
// know how many of them are above it: that number changes when the node itself moves, and never
// otherwise.
//
// Ownership: holds numbers by node id.
// Cost: O(n) to build, O(1) a question and a move.
// Fails never.
#pragma once

#include "ccgraph/ir/graph.h"

#include <vector>

namespace ccgraph {

class StepCounter {
public:
  /// `counts` is true for the nodes that count; they must stay where they are.
  StepCounter(const Graph &graph, llvm::function_ref<bool(const Node *)> counts) : above_(graph.idLimit()) {
    int64_t counted = 0;
    for (const Node *node : graph) {
      above_[node->id()] = counted;
      counted += counts(node) ? 1 : 0;
    }
  }

  /// Steps from `first` up to `last`, without `last`.
  [[nodiscard]] int64_t between(const Node *first, const Node *last) const {
    return above_[last->id()] - above_[first->id()];
  }
  /// To be told of every move of a node that does not count to just before `position`.
  void moved(const Node *node, const Node *position) { above_[node->id()] = above_[position->id()]; }

private:
  /// by node id
  std::vector<int64_t> above_;
};

} // namespace ccgraph
