// Proves that a pipeline schedule runs to its end, or shows where it does not.
//
// The rules, each with its id in the diagnostics:
//   pipeline.stage      each stage is computed by one rank; stages and microbatches are in their ranges
//   pipeline.missing    each stage runs each microbatch forward once, and backward once: whole, or as input and weight
//   pipeline.repeated   it does so only once
//   pipeline.order      on its rank, a backward comes after its forward, and the gradient of the weights after that of
//                       the input; a send comes after the computation of its value, a computation after its receive
//   pipeline.pairing    the k-th send from one rank to another and the k-th receive there are of one value. NCCL pairs
//                       transfers of two ranks by their order, so a difference gives wrong values without an error
//   pipeline.deadlock   no circle of ranks waits for one another
//
// Each action needs a fixed set of actions, all of which must have run, and nothing that has run is undone. So a
// simulation that runs whatever can run ends in one state, whatever the speed of the ranks: it is a proof. A rank runs
// its actions in order, a send is posted without waiting for the receiver, as PyTorch's runtime posts it, and a
// computation waits for its receive. If the schedule has no transfers, a computation waits for the computation of the
// neighboring stage.
//
// A deadlock is one diagnostic with the circle as notes: a rank, the action at which it stands, and the action of
// another rank that it needs. Deadlocks are reported only if no other rule is violated.
//
// Ownership: plain values. Failure: none; findings are diagnostics with file, line and column of the cell. At most 20
// missing actions are reported. Cost: linear in actions times the number of rounds that the pipeline needs, at most
// quadratic.
#pragma once

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/pipeline_schedule.h"

namespace ccgraph {

[[nodiscard]] std::vector<Diagnostic> verifyPipelineSchedule(const PipelineSchedule &schedule);

/// Returns the schedule with the transfers between stages of different ranks. A send follows the computation of its
/// value, and the receive is placed at the receiver at the same moment of the simulation, as PyTorch's runtime places
/// both (`_add_send_recv`). So all transfers have one order that the order of each rank agrees with, and even transfers
/// that block their rank until both ends have come cannot deadlock. The actions that a deadlock leaves out have their
/// receives directly before them. The schedule must satisfy all rules but pipeline.deadlock, and have no transfers.
[[nodiscard]] PipelineSchedule withTransfers(const PipelineSchedule &schedule);

} // namespace ccgraph
