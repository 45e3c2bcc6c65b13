// Complaints: what every refusal must be, whoever refuses.
//
// A refusal is a DiagnosticError; each of its diagnostics names the input, says something, and prints as lines that a terminal
// shows: not thousands of bytes of the input, no control characters, nothing that is no UTF-8.
//
// Ownership: plain values. Failure: a complaint, in words; empty where there is none. Cost: linear in the messages.
#pragma once

#include "ccgraph/ir/diagnostic.h"

namespace ccgraph::test {

[[nodiscard]] std::string complaintAbout(const Diagnostic &diagnostic);
[[nodiscard]] std::string complaintAbout(llvm::ArrayRef<Diagnostic> diagnostics);
/// Takes the error.
[[nodiscard]] std::string complaintAbout(llvm::Error error);

} // namespace ccgraph::test
