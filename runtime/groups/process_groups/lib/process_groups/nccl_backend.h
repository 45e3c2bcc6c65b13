// The backends `nccl` and `nccl-recorded`: collectives of tensors by the communication library of a device.
//
// A group has a communicator for collectives and one for transfers, whose ids rank 0 of the group makes, and which the
// ranks exchange by the group's store. A collective becomes the calls of nccl/row_calls.h. Transfers are issued
// together, as one group of the library, when the rank waits for one of its calls or polls one: so two ranks may send
// to each other before they receive. They have no tags.
//
// The library does not notice that ranks disagree or are absent. So a rank that has waited for its deadline asks the
// others by the store how many collectives they have launched, and names those that lack the call. The first error is
// that of all ranks. A call that no rank waits for ends the group at the first call of its rank after the deadline.
//
// Ownership: a group owns its communicators, streams and memory. Failure: run.nccl, run.deadline; group.unsupported for
// recvAnySource() and for tags. Cost: the library's, and a copy of each row to the device and back.
#pragma once

#include "ccgraph/runtime/backend.h"

namespace ccgraph::runtime {

[[nodiscard]] llvm::Expected<std::shared_ptr<Backend>> createNcclBackend(const BackendSetup &setup);
[[nodiscard]] llvm::Expected<std::shared_ptr<Backend>> createRecordedNcclBackend(const BackendSetup &setup);

} // namespace ccgraph::runtime
