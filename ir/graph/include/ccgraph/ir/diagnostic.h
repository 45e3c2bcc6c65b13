// Diagnostics: what is wrong, where, what was found, what was expected, and how to repair it.
//
// Printed as `file:line:column: error: where: message [rule]` with indented `note:` lines. Every check in ccgraph
// reports through these, so that a user sees all errors of a file in one run (up to a limit) and a test can compare the
// whole text. Assertions are for bugs of ccgraph, diagnostics for the user's input.
//
// Ownership: plain values that own their texts; none refers to a graph. DiagnosticError carries them through
// llvm::Error across folders; a caller that handles the error may move them out of it.
// Failure: none. Cost: a few small strings each, so checks create one only for a finding. Diagnostics limits the number
// of errors kept, not of warnings.
#pragma once

#include "ccgraph/ir/graph.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <system_error>
#include <vector>

namespace ccgraph {

/// An error means that the input is rejected or the check has failed; a warning never changes the result.
enum class Severity : uint8_t { Error, Warning };

/// One finding. Only `message` is required; the place is as exact as the reader can determine.
struct Diagnostic {
  Severity severity = Severity::Error;
  /// stable id of the rule, e.g. "async.read-in-flight"; printed in brackets after the message
  std::string rule;
  /// "" if there is none
  std::string file;
  /// from 1; 0 if unknown
  unsigned line = 0;
  /// from 1, in bytes; 0 if unknown
  unsigned column = 0;
  /// node name or JSON pointer; printed after the place
  std::string where;
  /// names the value got and the value expected
  std::string message;
  /// the repair, and the user's own source frame if the graph contains one
  std::vector<std::string> notes;
};

/// One diagnostic, ending in a newline.
void print(llvm::raw_ostream &os, const Diagnostic &diagnostic);
/// Returns all diagnostics, printed one after the other.
[[nodiscard]] std::string toString(llvm::ArrayRef<Diagnostic> diagnostics);

/// Returns a diagnostic without a place; its note is the repair, if there is one.
[[nodiscard]] Diagnostic diagnose(llvm::StringRef rule, std::string message, std::string repair = "");
/// Returns a diagnostic about a node: the place is the node's name, and the notes end with its source frame if known.
[[nodiscard]] Diagnostic diagnose(const Node &node, llvm::StringRef rule, std::string message, std::string repair = "");
/// Returns the line of the user's program that made a node, as diagnostics quote it; empty if it is unknown.
[[nodiscard]] std::string sourceText(const Node &node);

/// Collects diagnostics; keeps the first `limit` errors and counts the rest.
class Diagnostics {
public:
  /// `limit`: errors kept.
  explicit Diagnostics(size_t limit = 20) : limit_(limit) {}
  /// Always keeps a warning, and an error up to the limit; later errors are only counted.
  void add(Diagnostic diagnostic);
  [[nodiscard]] bool hasErrors() const { return errors_ != 0; }
  [[nodiscard]] size_t numErrors() const { return errors_; }
  /// Moves out the kept diagnostics, in the order of reporting: all warnings, at most `limit` errors, and one error
  /// with the number of further errors. The collector is empty afterwards.
  [[nodiscard]] std::vector<Diagnostic> take();
  [[nodiscard]] llvm::ArrayRef<Diagnostic> kept() const { return kept_; }

private:
  size_t limit_;
  size_t errors_ = 0;
  std::vector<Diagnostic> kept_;
};

/// Diagnostics as an llvm::Error. Tools print them unchanged; llvm::toString returns the same text.
class DiagnosticError : public llvm::ErrorInfo<DiagnosticError> {
public:
  static char ID; // NOLINT(readability-identifier-naming): LLVM's own contract
  explicit DiagnosticError(std::vector<Diagnostic> diagnostics) : diagnostics_(std::move(diagnostics)) {}
  explicit DiagnosticError(Diagnostic diagnostic) { diagnostics_.push_back(std::move(diagnostic)); }
  [[nodiscard]] llvm::ArrayRef<Diagnostic> diagnostics() const { return diagnostics_; }
  void log(llvm::raw_ostream &os) const override;
  [[nodiscard]] std::error_code convertToErrorCode() const override;

private:
  std::vector<Diagnostic> diagnostics_;
};

/// Shorthand for llvm::make_error<DiagnosticError>(...).
[[nodiscard]] llvm::Error makeError(Diagnostic diagnostic);
[[nodiscard]] llvm::Error makeError(std::vector<Diagnostic> diagnostics);

} // namespace ccgraph
