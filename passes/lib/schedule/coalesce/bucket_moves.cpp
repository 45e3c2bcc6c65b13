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
  steps_.push_back({node, node->next()});
  place(node, position);
}

void BucketMoves::undo() {
  for (const Step &step : llvm::reverse(steps_))
    place(step.node, step.next);
  steps_.clear();
}

void BucketMoves::make(const Plan &plan) {
  Node *behind = plan.last->next();
  for (Node *node : plan.nodes)
    move(node, plan.side == Side::Up ? plan.first : behind);
  // Because ancestors may have stood right behind the bucket, what is behind it is asked for again.
  behind = plan.last->next();
  for (Node *launch : plan.apart)
    move(launch, plan.side == Side::Up ? behind : plan.first);
}

} // namespace ccgraph
