// Writes a predicted schedule as a Chrome trace, for Perfetto and HTA (ccgraph/frontend/trace_file.h).
//
// Process 0 is the given schedule. Thread 0 is its host, which is never late: it issues each kernel when the stream is
// ready for it. A wait is a slice as long as the compute stream stalls there. Thread 1 is computation, and each further
// thread is a group. Arrows lead from the launch of a collective through its kernel and its wait to the first node that
// uses the result. Counters show the live bytes and the bytes in flight. Process 1, if given, is the schedule before;
// its slices have no `stream`, so HTA does not treat them as kernels and measures only process 0. `otherData` has the
// totals of process 0: step, computation, exposed communication, and the time during which anything communicates.
//
// Times are rounded to nanoseconds. Ownership: borrows the records for the call. Failure: none; the stream keeps the
// system's error. Cost: linear in the steps, about 500 bytes of text each.
#pragma once

#include "ccgraph/passes/schedule_record.h"

#include "llvm/Support/raw_ostream.h"

namespace ccgraph {

/// `before` may be null.
void writeScheduleTrace(llvm::raw_ostream &os, const ScheduleRecord &schedule, const ScheduleRecord *before);

} // namespace ccgraph
