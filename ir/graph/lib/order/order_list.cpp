#include "order/order_list.h"

namespace ccgraph {
namespace {

constexpr unsigned labelBits = 62;
constexpr uint64_t labelLimit = uint64_t(1) << labelBits;
/// Labels left free after an appended node: enough for most passes' insertions, and small enough for 2^42 nodes. Each
/// insertion at one place halves the gap, so 20 nodes fit between two neighbours before a relabelling.
constexpr uint64_t appendGap = uint64_t(1) << 20;
/// A range of 2^i labels may hold up to (2 / overflowBase)^i nodes; 1 < overflowBase < 2 trades relabelling against
/// label bits.
constexpr double overflowBase = 1.5;

} // namespace

void OrderList::link(Node *node, Node *position) {
  Node *before = position ? position->prev_ : chain_.last;
  node->prev_ = before;
  node->next_ = position;
  (before ? before->next_ : chain_.first) = node;
  (position ? position->prev_ : chain_.last) = node;
  ++chain_.size;
}

void OrderList::insertBefore(Node *node, Node *position) {
  link(node, position);
  assignLabel(node);
}

void OrderList::remove(Node *node) {
  (node->prev_ ? node->prev_->next_ : chain_.first) = node->next_;
  (node->next_ ? node->next_->prev_ : chain_.last) = node->prev_;
  node->next_ = node->prev_ = nullptr;
  --chain_.size;
}

void OrderList::assignLabel(Node *node) {
  uint64_t low = node->prev_ ? node->prev_->label_ : 0;
  uint64_t high = node->next_ ? node->next_->label_ : labelLimit;
  // Nodes are mostly appended, so the last one does not take half of all remaining labels.
  if (!node->next_ && high - low > 2 * appendGap)
    high = low + 2 * appendGap;
  if (high - low < 2) {
    node->label_ = low;
    relabelAround(node);
    return;
  }
  node->label_ = low + (high - low) / 2;
}

/// Tries ranges of 2, 4, 8, ... labels around the node, and takes the first that contains few enough nodes; the header
/// has an example. A range must be sparse to be chosen, so many insertions fit into it before it is chosen again.
/// Therefore the amortised cost of relabelling all its nodes is small for each insertion. `first` and `last` only move
/// outwards, so the search costs no more than the relabelling.
void OrderList::relabelAround(Node *node) {
  Node *first = node;
  Node *last = node;
  uint64_t count = 1;
  double capacity = 1;
  for (unsigned bits = 1; bits <= labelBits; ++bits) {
    capacity *= 2 / overflowBase;
    uint64_t width = uint64_t(1) << bits;
    uint64_t begin = node->label_ & ~(width - 1);
    for (; first->prev_ && first->prev_->label_ >= begin; ++count)
      first = first->prev_;
    for (; last->next_ && last->next_->label_ < begin + width; ++count)
      last = last->next_;
    uint64_t step = width / (count + 1);
    if (static_cast<double>(count) > capacity || step < 2)
      continue;
    uint64_t label = begin;
    for (Node *n = first; n != last->next_; n = n->next_)
      n->label_ = label += step;
    return;
  }
}

} // namespace ccgraph
