// The backend `local`: the ranks of a group are threads of one process.
//
// Ownership, failure and cost: see local_room.h. Creation fails where the ranks are in different processes.
#pragma once

#include "ccgraph/runtime/backend.h"

namespace ccgraph::runtime {

[[nodiscard]] llvm::Expected<std::shared_ptr<Backend>> createLocalBackend(const BackendSetup &setup);
/// Creates the registered backend of this name; fails with the registered names.
[[nodiscard]] llvm::Expected<std::shared_ptr<Backend>> createBackend(llvm::StringRef name, const BackendSetup &setup);

} // namespace ccgraph::runtime
