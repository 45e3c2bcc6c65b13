// BucketMoves: brings two buckets together, in the graph and in the live bytes alike, and takes
// it back.
//
// Ownership: refers to graph and live bytes. Failure: none; what may be moved is the caller's care.
// Cost: O(log n) a node moved.
#pragma once

#include "schedule/coalesce/bucket_search.h"

namespace ccgraph {

class BucketMoves {
public:
  /// `memory` null: there is no count to keep.
  BucketMoves(Graph &graph, LiveBytes *memory) : graph_(graph), memory_(memory) {}

  /// Lets `apart`, the launches of one bucket, stand next to those of the one that stays, which are `first` to `last`; and
  /// `nodes`, in program order, before all of them where they rise, else after.
  struct Plan {
    Side side;
    llvm::ArrayRef<Node *> nodes;
    llvm::ArrayRef<Node *> apart;
    Node *first;
    Node *last;
  };
  void make(const Plan &plan);
  void undo();
  void accept() { moves_.clear(); }

private:
  /// A move, to be taken back: what stood after the node before.
  struct Move {
    Node *node;
    Node *next;
  };
  void move(Node *node, Node *position);
  void place(Node *node, Node *position);

  Graph &graph_;
  LiveBytes *memory_;
  std::vector<Move> moves_;
};

} // namespace ccgraph
