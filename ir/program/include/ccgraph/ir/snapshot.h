// GraphSnapshot: the state of a graph before a pass, in a few words a node.
//
// Argument trees, types and provenance are immutable and erased nodes stay readable, so the state of a graph is its
// order plus, for each node, pointers to its parts. The legality checker compares a snapshot with the graph after a
// pass. The pass manager and the test harness use it to verify that a pass that reports "unchanged" changed nothing.
//
// Ownership: refers into the graph, which must outlive it; owns copies of the group table and of the order. Failure:
// none. Cost: one traversal of the nodes and edges, about 90 bytes a node; find() is O(1).
#pragma once

#include "ccgraph/ir/graph.h"

#include <memory>
#include <vector>

namespace ccgraph {

/// One node at that time. `operands` holds data operands, then `numOrdering` ordering edges.
struct NodeState {
  Node *node = nullptr;
  Identifier name;
  Identifier target;
  const OpDef *op = nullptr;
  const Type *type = nullptr;
  const Arguments *arguments = nullptr;
  const Provenance *provenance = nullptr;
  uint32_t frame = 0;
  uint32_t firstOperand = 0;
  uint32_t numOperands = 0;
  uint32_t numOrdering = 0;
};

class GraphSnapshot {
public:
  /// One subgraph; subgraphs may be nested.
  struct Subgraph {
    Identifier name;
    std::unique_ptr<GraphSnapshot> content;
  };

  /// Records the present state of the graph, which must outlive the snapshot.
  explicit GraphSnapshot(const Graph &graph);

  /// Returns the recorded graph, in its present state.
  [[nodiscard]] const Graph &graph() const { return *graph_; }
  /// Returns the nodes in the program order of the snapshot.
  [[nodiscard]] llvm::ArrayRef<NodeState> nodes() const { return states_; }
  /// Returns the state of a node; null if it was not in the order then.
  [[nodiscard]] const NodeState *find(const Node *node) const;
  /// Returns the index of a state of this snapshot in nodes().
  [[nodiscard]] uint32_t position(const NodeState &state) const {
    return static_cast<uint32_t>(&state - states_.data());
  }
  /// Return the nodes that it read then, in operand order, and those that it was ordered after.
  [[nodiscard]] llvm::ArrayRef<Node *> operands(const NodeState &state) const {
    return llvm::ArrayRef(pool_).slice(state.firstOperand, state.numOperands);
  }
  [[nodiscard]] llvm::ArrayRef<Node *> ordering(const NodeState &state) const {
    return llvm::ArrayRef(pool_).slice(state.firstOperand + state.numOperands, state.numOrdering);
  }
  [[nodiscard]] const GroupTable &groups() const { return surroundings_.groupTable; }
  /// Returns name, groups, rank and similar properties at that time.
  [[nodiscard]] const Surroundings &surroundings() const { return surroundings_; }
  /// Returns the subgraphs in the order of Graph::subgraphs().
  [[nodiscard]] llvm::ArrayRef<Subgraph> subgraphs() const { return subgraphs_; }
  /// Returns true if `graph` is the recorded graph (false for any other) and is now exactly as it was: order,
  /// arguments, types, names, provenance, ordering edges, subgraphs and surroundings. O(nodes + edges).
  [[nodiscard]] bool matches(const Graph &graph) const;

private:
  [[nodiscard]] bool matchesNode(const NodeState &state, const Node *node) const;

  const Graph *graph_;
  std::vector<NodeState> states_;
  /// position + 1, 0: not in the order then
  std::vector<uint32_t> indexById_;
  std::vector<Node *> pool_;
  Surroundings surroundings_;
  std::vector<Subgraph> subgraphs_;
};

} // namespace ccgraph
