// Compares what the ends of each collective and each transfer state.
//
// Ownership: findings are values. Failure: none. Cost: linear in the launches of one rank of each class, and in the
// sets with a finding.
#pragma once

#include "classes.h"

#include "ccgraph/jobs/check.h"

namespace ccgraph::jobs {

/// Returns all findings but deadlocks.
[[nodiscard]] std::vector<Finding> matchRanks(const JobData &job, const Classes &classes);

/// Returns the launch of a rank (an index of JobData::ranks) as a node of a finding.
[[nodiscard]] FindingNode nodeOf(const JobData &job, Id rank, Id launch, std::string text);

} // namespace ccgraph::jobs
