// Schedule traces: a predicted schedule as a Chrome trace, for Perfetto and HTA (ccgraph/frontend/trace_file.h).
//
// Process 0 is the schedule that is meant. Thread 0 is its host, which is never late: it issues each kernel when its stream comes to it,
// and a wait is a slice as long as computation idles there. Thread 1 is computation, each further one a group. Arrows lead from the
// launch of a collective through its transfer and its wait to the first node that uses what it yields. Counters tell the bytes that are
// alive and those in flight. Process 1, where it is given, is the schedule before; its slices have no `stream`, so HTA takes them for
// no kernels and measures process 0 alone. `otherData` has the sums of process 0: step, computation, what of communication is
// exposed, and for how long anything communicates.
//
// Times are rounded to nanoseconds. Ownership: borrows the records for the call. Failure: none; the stream keeps what the system said.
// Cost: linear in the steps, about 500 bytes of text each.
#pragma once

#include "ccgraph/passes/schedule_record.h"

#include "llvm/Support/raw_ostream.h"

namespace ccgraph {

/// `before` may be null.
void writeScheduleTrace(llvm::raw_ostream &os, const ScheduleRecord &schedule, const ScheduleRecord *before);

} // namespace ccgraph
