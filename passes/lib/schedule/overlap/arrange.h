// arrange: puts the steps of a program in preferred positions, as far as its edges permit.
//
// A plan made by a rule, and the order of another scheduler, are given as preferences: positions of some steps, and
// sets of launches that become one bucket. The result is a legal order:
//   - a step that another one needs precedes it, so it moves to the position of that step if its own is later;
//   - a step without a position is as late as the first step that needs it;
//   - the program's inputs come first and its last step stays last, whatever their positions;
//   - the launches of a bucket are adjacent, at the earliest of their positions;
//   - a bucket is split where some of its launches, through other steps, need others of them.
//
// Ownership: plain values. Failure: none. Cost: O((steps + edges) log steps).
#pragma once

#include "schedule/overlap/problem.h"

namespace ccgraph::overlap {

struct Preferences {
  /// by step: its position on any scale, below `none`; none: no preference
  std::vector<uint32_t> places;
  /// disjoint; each of at most mostMembers launches with one merge key
  std::vector<std::vector<uint32_t>> buckets;
};

/// Returns the order, and the buckets of two or more launches. Does not set Schedule::picoseconds and peakBytes.
[[nodiscard]] Schedule arrange(const Problem &problem, const Preferences &preferred);

} // namespace ccgraph::overlap
