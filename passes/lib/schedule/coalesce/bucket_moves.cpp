#include "schedule/coalesce/bucket_moves.h"

namespace ccgraph {

void BucketMoves::place(Node *node, Node *position) {
  if (memory_)
    memory_->move(node, position);
  else
    graph_.moveBefore(node, position);
}

void BucketMoves::move(Node *node, Node *position) {
  if (node == position || node->next() == position)
    return;
  moves_.push_back({node, node->next()});
  place(node, position);
}

void BucketMoves::undo() {
  for (const Move &step : llvm::reverse(moves_))
    place(step.node, step.next);
  moves_.clear();
}

void BucketMoves::make(const Plan &plan) {
  Node *after = plan.last->next();
  for (Node *node : plan.nodes)
    move(node, plan.side == Side::Up ? plan.first : after);
  // Because ancestors may have stood right after the bucket, what is after it is asked for again.
  after = plan.last->next();
  for (Node *launch : plan.apart)
    move(launch, plan.side == Side::Up ? after : plan.first);
}

} // namespace ccgraph
