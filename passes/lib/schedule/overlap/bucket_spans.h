// BucketSpans: from where to where the members of each bucket stand in an order.
//
// Nothing may be put between the members of a bucket, since it is issued where the first stands and, when it is made one
// node, stands where the last does; but for views, which members read.
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

} // namespace ccgraph::overlap
