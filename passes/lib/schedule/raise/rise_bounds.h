// RiseBounds: how far a launch may rise as far as values and order go, and what rises with it.
//
// A walk forwards over the program keeps, for each storage and group, the lowest node above that a
// launch must follow. For a feeder it keeps what it must follow itself, which is less: a write
// between the feeder and the launch holds neither, as long as the feeder stays above it. For a view
// that is what reshaped the tensor that it views.
//
// Ownership: refers to the graph and to what it is made of.
// Cost: O(nodes + accesses) a round; a question costs the edges of the unit and the groups with
// fences (of a fence: all groups), and for what a launch writes, the feeders that read it.
// Fails never.
#pragma once

#include "analysis/comm_groups.h"
#include "schedule/raise/feeders.h"

#include "llvm/ADT/DenseSet.h"

namespace ccgraph {

class RiseBounds {
public:
  /// All must outlive it.
  RiseBounds(const ProgramFacts &facts, const Feeders &feeders, const CommGroups &groups);

  /// To be called before each walk.
  void startRound();
  /// To be told of every node in the order that the program had when the round started; of a launch
  /// after it has risen.
  void note(Node *node);

  struct Rise {
    /// the last node that must stay above; null if there is none
    Node *after = nullptr;
    /// the views and feeders below it that the launch reads, and the launch, in program order
    llvm::SmallVector<Node *, 8> unit;
  };
  /// For a launch that was not noted yet in this round.
  [[nodiscard]] Rise riseOf(Node *launch);

private:
  static void lowest(Node *&bound, Node *candidate);
  [[nodiscard]] Node *sourceOf(const StorageAccess &access) const;
  void noteAccesses(Node *node);
  void noteIssue(Node *node);
  void boundByAccesses(const Node *launch, Node *&bound) const;
  void boundByOrder(const Node *launch, Node *&bound) const;
  void boundByOperands(const Node *node, Node *&bound);
  void boundByReaders(const Node *launch, Node *&bound) const;

  const ProgramFacts &facts_;
  const Feeders &feeders_;
  const CommGroups &groups_;
  /// by storage that a launch writes: the feeders that read it; looked up, never iterated
  llvm::DenseMap<StorageId, llvm::SmallVector<Node *, 2>> readers_;
  /// by storage: lowest node above that writes it or waits for it
  std::vector<Node *> written_;
  /// by storage: lowest node above, feeders aside, that touches it
  std::vector<Node *> accessed_;
  /// by storage: lowest node above that reshapes a tensor in it
  std::vector<Node *> reshaped_;
  /// by feeder: lowest node that wrote what it reads; by view: lowest that reshaped it; looked up, never iterated
  llvm::DenseMap<const Node *, Node *> source_;
  /// by group: lowest collective above, and lowest fence
  std::vector<Node *> issued_, fences_;
  /// of the collective that was noted last; the lowest collective of earlier sections, and of all
  uint32_t section_ = 0;
  Node *earlier_ = nullptr;
  Node *lastIssued_ = nullptr;
  Node *opaque_ = nullptr;
  Node *lastInput_ = nullptr;
  /// of the launch at hand: views and feeders found so far
  llvm::SmallVector<Node *, 8> found_;
  llvm::DenseSet<const Node *> isFound_;
};

} // namespace ccgraph
