// Trace files: a run as a Chrome trace, for Perfetto, chrome://tracing and HTA.
//
// A process is a rank, a thread a stream; each step of the records is a slice. Communication has the names that NCCL's kernels have
// ("ncclDevKernel_AllReduce_Sum_f32") and the arguments that PyTorch's profiler gives them, because that is how HTA tells it from
// computation; other steps have the names of their nodes. Times are microseconds from the first step on.
//
// Ownership: borrows the records for the call. Failure: none; the stream keeps what the system said. Cost: linear in the steps.
#pragma once

#include "ccgraph/ir/flight_record.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace ccgraph {

/// One record a rank. Steps that have not ended are left out. Ends in a newline.
void writeTrace(llvm::raw_ostream &os, llvm::ArrayRef<FlightRecord> records);

} // namespace ccgraph
