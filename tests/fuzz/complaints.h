// Checks the requirements that every refusal of a reader must meet.
//
// A refusal is a DiagnosticError. Each of its diagnostics names the input, has a message, and prints as lines that a
// terminal can show: without thousands of bytes of the input, control characters or invalid UTF-8.
//
// Ownership: plain values. Failure: returns a complaint as text; empty if there is none. Cost: linear in the messages.
#pragma once

#include "ccgraph/ir/diagnostic.h"

namespace ccgraph::test {

[[nodiscard]] std::string complaintAbout(const Diagnostic &diagnostic);
[[nodiscard]] std::string complaintAbout(llvm::ArrayRef<Diagnostic> diagnostics);
/// Consumes the error.
[[nodiscard]] std::string complaintAbout(llvm::Error error);

} // namespace ccgraph::test
