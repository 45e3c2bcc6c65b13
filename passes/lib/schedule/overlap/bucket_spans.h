// BucketSpans: from where to where the members of each bucket stand in an order.
//
// Nothing may be put between the members of a bucket, since when it is made one node it stands where the first does. While
// a schedule is worked on, views may: closed() puts them aside.
//
// Ownership: owns its numbers. Failure: none. Cost: linear in steps.
#pragma once

#include "schedule/overlap/problem.h"

namespace ccgraph::overlap {

class BucketSpans {
public:
  explicit BucketSpans(const Schedule &schedule);
  /// The place of the first member of the bucket that the place is within; itself where it is within none.
  [[nodiscard]] size_t first(size_t place) const { return first_[place]; }
  [[nodiscard]] size_t last(size_t place) const { return last_[place]; }

private:
  /// by place
  std::vector<size_t> first_, last_;
};

/// The same order with the members of each bucket side by side: views that stand between them go in front, those of what
/// a member yields behind.
[[nodiscard]] Schedule closed(const Problem &problem, Schedule schedule);

} // namespace ccgraph::overlap
