// DummyBackend: the backend of a program that the recorded situations of torch.distributed register. It moves nothing:
// all_reduce adds 2, broadcast and send add 1, recv adds 2, all_gather copies the rank's own tensor.
//
// Ownership: none. Failure: group.unsupported for other operations. Cost: that of the elements.
#pragma once

#include "ccgraph/runtime/backend.h"

namespace ccgraph::runtime {

[[nodiscard]] llvm::Expected<std::shared_ptr<Backend>> createDummyBackend(const BackendSetup &setup);

} // namespace ccgraph::runtime
