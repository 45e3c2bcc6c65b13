// Dependences: the nodes that must keep their order although the graph has no edge between them.
//
// They have four sources. Storages: a write after a read, a read after a write, tensors in flight until their wait.
// Shapes of tensors that some step changes in place, which every step that names them reads. The domains rng and host.
// The position of point-to-point transfers and barriers among the collectives of their ranks. Together with data and
// ordering edges, these are all orders that a program needs inside a stretch without opaque nodes; opaque nodes divide
// the program into such stretches. The order of the collectives of one group is not included, nor that of sections: see
// CommGroups.
//
// Ownership: refers into the graph; valid until a node is created, erased or given other operands.
// Cost: O(nodes + accesses) time and space, since a read is followed by one write at most.
// Failure: none.
#pragma once

#include "analysis/comm_groups.h"
#include "analysis/program_facts.h"

namespace ccgraph {

/// Computed once for the present order; moves that respect the dependences keep them valid.
class Dependences {
public:
  Dependences(const ProgramFacts &facts, const CommGroups &groups);

  /// Return the nodes that must stay before / after this one, besides those of its edges. A node may occur more than
  /// once.
  [[nodiscard]] llvm::ArrayRef<Node *> before(const Node *node) const { return slice(before_, beforeStart_, node); }
  [[nodiscard]] llvm::ArrayRef<Node *> after(const Node *node) const { return slice(after_, afterStart_, node); }
  /// Returns the number of opaque nodes before this one: nodes of different stretches keep their order.
  [[nodiscard]] uint32_t stretch(const Node *node) const { return stretch_[node->id()]; }

private:
  static llvm::ArrayRef<Node *> slice(const std::vector<Node *> &pool, const std::vector<uint32_t> &start,
                                      const Node *node) {
    return llvm::ArrayRef(pool).slice(start[node->id()], start[node->id() + 1] - start[node->id()]);
  }
  /// `edges` lead from the node that must be first.
  void index(llvm::ArrayRef<std::pair<Node *, Node *>> edges);

  std::vector<Node *> before_, after_;
  /// by node id, one more at the end
  std::vector<uint32_t> beforeStart_, afterStart_;
  std::vector<uint32_t> stretch_;
};

} // namespace ccgraph
