// BucketMoves: brings two buckets together, in the graph and in the timeline of memory alike, and takes
// it back.
//
// Ownership: refers to graph and timeline. Failure: none; what may be moved is the caller's care.
// Cost: O(log n) a node moved.
#pragma once

#include "schedule/coalesce/bucket_search.h"

namespace ccgraph {

class BucketMoves {
public:
  /// A move, to be taken back: what stood behind the node before.
  struct Step {
    Node *node;
    Node *next;
  };
  /// `memory` null: there is no timeline to keep.
  BucketMoves(Graph &graph, Timeline *memory) : graph_(graph), memory_(memory) {}

  /// Lets `apart`, the launches of one bucket, stand next to those of the one that stays, which are `first` to `last`; and
  /// `nodes`, in program order, before all of them where they rise, else behind.
  struct Plan {
    Side side;
    llvm::ArrayRef<Node *> nodes;
    llvm::ArrayRef<Node *> apart;
    Node *first;
    Node *last;
  };
  void make(const Plan &plan);
  /// Moves made since the last accept().
  [[nodiscard]] llvm::ArrayRef<Step> steps() const { return steps_; }
  void undo();
  void accept() { steps_.clear(); }

private:
  void move(Node *node, Node *position);
  void place(Node *node, Node *position);

  Graph &graph_;
  Timeline *memory_;
  std::vector<Step> steps_;
};

} // namespace ccgraph
