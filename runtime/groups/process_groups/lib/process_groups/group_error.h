// The errors of process groups: DiagnosticErrors whose rules process_group.h lists.
//
// Ownership: none. Failure: none. Cost: that of the texts.
#pragma once

#include "ccgraph/ir/diagnostic.h"

namespace ccgraph::runtime {

/// `where`: the operation; "" if there is none.
[[nodiscard]] llvm::Error groupError(llvm::StringRef rule, llvm::StringRef where, std::string message,
                                     std::string repair = "");
/// The diagnostics of an error, which may then be returned many times; consumes it.
[[nodiscard]] std::vector<Diagnostic> diagnosticsOf(llvm::Error error);

} // namespace ccgraph::runtime
