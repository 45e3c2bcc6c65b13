// Compares what the ends of each collective and each transfer state.
//
// Ownership: findings are values. Failure: none. Cost: linear in the launches of one rank of each class, and in the
// sets with a finding.
#pragma once

#include "classes.h"

#include "ccgraph/jobs/check.h"

namespace ccgraph::jobs {

struct Matches {
  /// all findings but deadlocks
  std::vector<Finding> findings;
  /// What must hold for symbolic sizes that are not equal expressions: "collective 1 of the group of ranks 0-1 agrees
  /// only if [s0, 4] of rank 0 and 64 elements of rank 1 are the same number of elements". At most a few are kept.
  std::vector<std::string> conditions;
};
[[nodiscard]] Matches matchRanks(const JobData &job, const Classes &classes);

/// Returns the launch of a rank (an index of JobData::ranks) as a node of a finding.
[[nodiscard]] FindingNode nodeOf(const JobData &job, Id rank, Id launch, std::string text);

} // namespace ccgraph::jobs
