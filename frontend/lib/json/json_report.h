// JsonReport: the errors of one JSON file, each with its place and pointer.
//
// Readers report an error and continue, so a user sees all errors of a file in one run; take() returns the outcome at
// the end. Places are kept as offsets until an error is reported.
//
// Ownership: borrows the source, which must outlive it. Failure: none of its own. Cost: none without errors; an error
// scans the text up to its place.
#pragma once

#include "ccgraph/frontend/source_text.h"
#include "json/json_value.h"

#include "llvm/ADT/Twine.h"

#include <optional>
#include <string>

namespace ccgraph {

class JsonReport {
public:
  JsonReport(const SourceText &source, size_t limit) : source_(source), errors_(limit), limit_(limit) {}

  /// Reports an error or a warning at the value that starts at `offset`; a `repair` that is not empty is its note.
  /// Line, column and pointer are expensive, so only the first `limit` errors have them.
  void error(size_t offset, std::string message, std::string repair = "");
  void warning(size_t offset, std::string message, std::string repair = "");
  /// Reports "expected WHAT, got <the value>", the form of every error about a value.
  void expected(const JsonValue &got, const llvm::Twine &what, std::string repair = "");

  [[nodiscard]] const SourceText &source() const { return source_; }
  [[nodiscard]] bool hasErrors() const { return errors_.hasErrors(); }
  /// Returns true if the next error is only counted, so that its text need not be computed.
  [[nodiscard]] bool isFull() const { return errors_.numErrors() >= limit_; }
  /// Returns the number of errors so far, those beyond the limit included.
  [[nodiscard]] size_t numErrors() const { return errors_.numErrors(); }
  /// Returns all errors, and adds those of `error` (a syntax error, for example).
  [[nodiscard]] llvm::Error take(llvm::Error error);
  /// Moves all warnings to `warnings`; null drops them.
  void giveWarnings(Diagnostics *warnings);

  // Typed lookups, for values of which only the kind can be wrong; `what` describes the expected value. Each returns
  // nothing and reports an error where the value has another kind.
  std::optional<int64_t> integer(const JsonValue &value, llvm::StringRef what);
  std::optional<llvm::StringRef> string(const JsonValue &value, llvm::StringRef what);
  /// Returns a string without control characters, since names must be printed in one line.
  std::optional<llvm::StringRef> line(const JsonValue &value, llvm::StringRef what);

private:
  Diagnostic at(size_t offset, std::string message, std::string repair) const;
  const SourceText &source_;
  Diagnostics errors_;
  size_t limit_;
  std::vector<Diagnostic> warnings_;
};

} // namespace ccgraph
