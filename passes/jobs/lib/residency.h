// How many communicators of one rank must be resident at once for progress, and an order that needs one only.
//
// A larger limit lets every launch arrive that a smaller one does, so the least sufficient limit is found by bisection.
// The order is that in which the collectives complete under dataflow. If each rank issues its launches in this order,
// and waits for a value only where the next launch or the host needs it, then everything that a launch follows
// completes before it. So by induction over that order each launch completes, also if every rank has one communicator
// resident only.
//
// Ownership: borrows the job. Failure: none. Cost: a simulation for each halving of the number of groups of a rank; the
// order needs one more, and the edited job is simulated again.
#pragma once

#include "progress.h"

#include "ccgraph/jobs/check.h"

namespace ccgraph::jobs {

/// Returns the least number of resident communicators with which every launch completes; none if there is no such
/// number, because the job has a deadlock under streams.
[[nodiscard]] std::optional<size_t> neededResidents(const JobData &job, const Classes &classes);

/// Returns the order of each rank whose launches must move; none if the job has a deadlock under dataflow.
[[nodiscard]] std::vector<LaunchOrder> orderForOneResident(const JobData &job, const Classes &classes);

} // namespace ccgraph::jobs
