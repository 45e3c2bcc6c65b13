// BucketSpans: the range of positions of each bucket's members in an order.
//
// No step may come between the members of a bucket, since the merged node is at the position of the first member. While
// a schedule is in progress, views may come between; closed() moves them out.
//
// Ownership: owns its numbers. Failure: none. Cost: linear in steps.
#pragma once

#include "schedule/overlap/problem.h"

namespace ccgraph::overlap {

class BucketSpans {
public:
  explicit BucketSpans(const Schedule &schedule);
  /// Returns the first member's position of the bucket that contains this position; the position itself if there is
  /// none.
  [[nodiscard]] size_t first(size_t place) const { return first_[place]; }
  [[nodiscard]] size_t last(size_t place) const { return last_[place]; }

private:
  /// by place
  std::vector<size_t> first_, last_;
};

/// Returns, by step, the number of the bucket of which it is a member, or `none`.
[[nodiscard]] std::vector<uint32_t> bucketByStep(const Schedule &schedule);

/// Returns the same order with adjacent members in each bucket: views between them move to the front, views of a
/// member's result to the back.
[[nodiscard]] Schedule closed(const Problem &problem, Schedule schedule);

} // namespace ccgraph::overlap
