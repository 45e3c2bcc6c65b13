#include "analysis/what_if.h"

namespace ccgraph {

WhatIf::WhatIf(const LiveBytes &live, llvm::ArrayRef<Node *> nodes, Node *place, llvm::ArrayRef<Node *> apart)
    : live_(live), nodes_(nodes), place_(place), apart_(apart.begin(), apart.end()) {
  Node *any = nodes.empty() ? apart.front() : nodes.front();
  up_ = place && place->isBefore(any);
  for (size_t i = 0; i < nodes.size(); ++i)
    order_[nodes[i]] = i;
  std::vector<LiveBytes::IntervalId> ids;
  for (llvm::ArrayRef<Node *> part : {nodes, apart})
    for (const Node *node : part)
      for (LiveBytes::IntervalId id : live.intervalsOf(node))
        if (live.bytes(id) != 0)
          ids.push_back(id);
  llvm::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  held_.reserve(ids.size());
  for (LiveBytes::IntervalId id : ids)
    held_.push_back(heldAfter(id));
}

/// Interval by interval: which rows that stay see it, and which of the nodes that move.
WhatIf::Held WhatIf::heldAfter(LiveBytes::IntervalId id) const {
  const Node *first = live_.first(id);
  bool made = moves(first);
  Held held;
  held.id = id;
  held.begin = order_.count(first) != 0 ? order_.find(first)->second : 0;
  held.end = live_.isForGood(id) ? nodes_.size() : 0;
  held.through = !up_ || live_.isForGood(id);
  held.first = made ? nullptr : first;
  held.late = made && !up_;
  if (up_ && isApart(first))
    held.begin = nodes_.size(); // because it begins after all of them
  live_.forEachHolder(id, [&](const Node *holder) {
    if (auto found = order_.find(holder); found != order_.end())
      held.end = std::max(held.end, found->second + 1);
    else if (isApart(holder))
      held.end = up_ ? nodes_.size() : held.end;
    else
      stays(holder, held);
  });
  return held;
}

void WhatIf::stays(const Node *holder, Held &held) const {
  if (!held.last || held.last->isBefore(holder))
    held.last = holder;
  if (place_ && !holder->isBefore(place_))
    held.end = nodes_.size();
}

bool WhatIf::isAliveNow(LiveBytes::IntervalId id, const Node *row) const {
  return !row->isBefore(live_.first(id)) && (live_.isForGood(id) || !live_.last(id)->isBefore(row));
}

// What is alive now, corrected for the intervals that the moved nodes hold: each is counted as it would be, less as it
// is. In the header's example, row 3 loses a, whose last reader stands above it then, and gains d, which is made above
// it then.
int64_t WhatIf::aliveAt(const Node *row) const {
  int64_t alive = live_.alive(row);
  for (const Held &held : held_) {
    bool begun = !held.late && (!held.first || !row->isBefore(held.first));
    bool is = begun && (held.through || (held.last && !held.last->isBefore(row)));
    alive += (static_cast<int64_t>(is) - static_cast<int64_t>(isAliveNow(held.id, row))) * live_.bytes(held.id);
  }
  return alive;
}

// No row can gain more than all these intervals together. So only a row that has more than `limit - more` now can come
// out over the limit, and rows below that are passed over in O(log n).
bool WhatIf::mayFitBetween(Node *from, const Node *to, int64_t limit) const {
  constexpr unsigned looks = 16; // because most moves that do not fit fail at the row that needed most before
  int64_t more = 0;
  for (const Held &held : held_)
    more += live_.bytes(held.id);
  Node *row = from;
  for (unsigned look = 0; look < looks; ++look, row = row->next()) {
    row = live_.firstAbove(row, to, limit - more);
    if (!row)
      return true;
    if (!moves(row) && aliveAt(row) > limit)
      return false;
  }
  return true;
}

// The moved nodes stand next to each other then, so their rows are told by differences: what an interval adds is put
// down at its first row and taken off after its last.
int64_t WhatIf::peakOfMoved() const {
  if (nodes_.empty())
    return 0;
  int64_t alive = live_.aliveBefore(place_);
  std::vector<int64_t> change(nodes_.size() + 1);
  for (const Held &held : held_) {
    int64_t bytes = live_.bytes(held.id);
    if (live_.first(held.id)->isBefore(place_) && isAliveNow(held.id, place_))
      alive -= bytes;
    if (held.begin >= held.end)
      continue;
    change[held.begin] += bytes;
    change[held.end] -= bytes;
  }
  int64_t peak = 0;
  for (size_t i = 0; i < nodes_.size(); ++i)
    peak = std::max(peak, alive += change[i]);
  return peak;
}

} // namespace ccgraph
