// replayPlans: plans with which an engine repeats the order of a job's communication under one semantics.
//
// A replay moves almost no data: each collective becomes a barrier of its members, and each transfer moves one element.
// So only the order decides how the run ends, and ranks that disagree about sizes do not end it earlier. The streams,
// events and host steps of the plans let a rank go no further than the semantics does (semantics.h):
//
//   dataflow            each group and each channel has a stream; a launch waits for the events of the launches from
//                       which its input is computed; a read by the host is a step of the host
//   streams             each wait is a step of the compute stream; a launch waits for the last of these steps
//   one-at-a-time       the same, but all collectives share one stream
//   blocking            all launches share one stream
//   blocking-buffered   the same, but a send is on a stream that no other launch waits for
//
// The engine itself decides which launches meet, so its run is independent of the simulation of checkJob.
//
// Ranks of the engine are the places of the job's ranks in ascending order. A rank without a graph is assumed to launch
// what its groups need: it is no member of the plans' groups, and there is no step for a transfer with it. A send that
// has no receive stays in its buffer under blocking-buffered: there is no step for it either.
//
// Ownership: the plans belong to the caller and refer to `context`. Failure: none. Cost: linear in the launches of all
// ranks and the members of their groups; a launch takes about 500 bytes.
#pragma once

#include "ccgraph/ir/plan.h"
#include "ccgraph/jobs/job.h"
#include "ccgraph/jobs/semantics.h"

#include <memory>
#include <vector>

namespace ccgraph::jobs {

/// Returns one plan for each rank with a graph, in the order of the ranks.
[[nodiscard]] std::vector<std::unique_ptr<Plan>> replayPlans(Context &context, const Job &job, Semantics under);

} // namespace ccgraph::jobs
