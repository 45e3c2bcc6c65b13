// Computations on the order of a row's elements (row.h): the index of the largest, a sorted row, and the triangle of a
// matrix with these rows.
//
// NaN comes after all numbers, and is the largest and the smallest of a row; the first of several counts. Equal
// elements keep their order.
//
// Plain functions. Failure: none. Cost: a sort compares each element with each other one, which suits the short rows of
// a choice of experts, and not long ones.
#pragma once

#include "device/row.h"

namespace ccgraph::runtime::device {

template <typename C>
CCGRAPH_ANYWHERE bool isSame(C a, C b) {
  return a == b || (a != a && b != b);
}

/// The first of the elements that `take` chooses, and its place.
template <typename C, typename Team, typename Take>
CCGRAPH_BY_TEAM void placeInRow(const Row<C> &row, Team &team, Take take) {
  // One that is there, so that each fold begins with an element.
  C first = row.get(0, 0);
  C chosen = folded(
      row.length(), team, first, [&](int64_t k) { return row.get(0, k); }, take);
  int64_t place = folded(
      row.length(), team, row.length(), [&](int64_t k) { return isSame(row.get(0, k), chosen) ? k : row.length(); },
      PreferLess());
  yield(row, team, 0, chosen);
  yield(row, team, 1, place);
}

/// A strict order: NaN after all numbers, or before them where they fall.
template <typename C>
CCGRAPH_ANYWHERE bool precedes(C a, C b, bool falls) {
  return falls ? b < a || (a != a && b == b) : a < b || (a == a && b != b);
}

template <typename C, typename Team>
CCGRAPH_BY_TEAM void sortRow(const Row<C> &row, Team &team) {
  bool falls = row.job.op == RowOp::SortedDown;
  forEach(row, team, [&](int64_t k) {
    C mine = row.get(0, k);
    int64_t before = 0;
    for (int64_t other = 0; other < row.length(); ++other) {
      C theirs = row.get(0, other);
      before += precedes(theirs, mine, falls) || (other < k && !precedes(mine, theirs, falls));
    }
    if (before < row.job.count) {
      row.set(0, before, mine);
      row.set(1, before, k);
    }
  });
}

template <typename C, typename Team>
CCGRAPH_BY_TEAM void triangleRow(const Row<C> &row, Team &team) {
  auto diagonal = static_cast<int64_t>(row.job.number);
  int64_t line = row.number % row.job.count;
  bool isLower = row.job.op == RowOp::Lower;
  forEach(row, team, [&](int64_t k) {
    bool keeps = isLower ? k - line <= diagonal : k - line >= diagonal;
    row.set(0, k, keeps ? row.get(0, k) : C());
  });
}

} // namespace ccgraph::runtime::device
