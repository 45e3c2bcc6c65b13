#include "analysis/what_if.h"

#include "analysis/least.h"

namespace ccgraph {

WhatIf::WhatIf(const LiveBytes &live, const Node *node) : live_(live) {
  for (LiveBytes::IntervalId id : live.intervalsOf(node))
    if (live.bytes(id) != 0) {
      held_.push_back({id, live.first(id) == node});
      bytes_ += live.bytes(id);
    }
}

// Between two rows at which an interval begins or ends, before or after the move, all rows gain the same number of
// bytes. So if c is the last reader of a (16 bytes) and produces d (8 bytes), and sinks across rows 3 and 4:
//   row 3   95 live     95 + 16 - 8 = 103
//   row 4   90 live     98
// the two are one stretch that gains 8 bytes. A row of it will be over 100 exactly if it is over 92 now.
WhatIf::Stretches WhatIf::stretches(Node *from, Node *to) const {
  /// A gain of `bytes` from this row on.
  struct Change {
    Node *row;
    int64_t bytes;
  };
  llvm::SmallVector<Change, 16> changes;
  for (const Held &held : held_) {
    int64_t bytes = live_.bytes(held.id);
    Node *end = live_.isForGood(held.id) ? to : live_.last(held.id)->next();
    end = end && end->isBefore(to) ? (end->isBefore(from) ? from : end) : to;
    if (held.made)
      changes.push_back({from, -bytes});
    if (end != to)
      changes.push_back({end, bytes});
  }
  llvm::sort(changes, [](const Change &a, const Change &b) { return precedes(a.row, b.row); });
  Stretches list;
  int64_t more = 0;
  for (size_t i = 0; i < changes.size(); ++i) {
    more += changes[i].bytes;
    Node *next = i + 1 < changes.size() ? changes[i + 1].row : to;
    if (more > 0 && changes[i].row != next)
      list.push_back({changes[i].row, next, more});
  }
  return list;
}

Node *WhatIf::firstOver(const Stretches &stretches, int64_t limit) const {
  for (const Stretch &rows : stretches)
    if (Node *over = live_.firstAbove(rows.from, rows.to, limit - rows.more))
      return over;
  return nullptr;
}

Node *WhatIf::firstOver(Node *from, Node *to, int64_t limit) const {
  // Most moves have ample room, so the highest row is tested first.
  if (!live_.firstAbove(from, to, limit - bytes_))
    return nullptr;
  return firstOver(stretches(from, to), limit);
}

int64_t WhatIf::peakOfPassed(Node *from, Node *to) const {
  Stretches rows = stretches(from, to);
  return leastThat(0, rows.empty() ? 0 : live_.peak() + bytes_, [&](int64_t limit) { return !firstOver(rows, limit); });
}

} // namespace ccgraph
