// JsonReport: the errors of one JSON file, each at its place and with its pointer.
//
// Readers report and read on, so that a user sees all that is wrong with a file at once; whether
// the file was good is asked once, at the end, by take(). Places are kept as offsets until there is
// something to say.
//
// Ownership: borrows the source, which must outlive it. Failure: none of its own. Cost: nothing while all is well; an
// error scans the text up to its place.
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

  /// One more error, or a warning, at the value that starts at `offset`; `repair` is its note where it is not empty.
  /// Both costly (they look for line, column and pointer) and so computed for the first `limit` errors only.
  void error(size_t offset, std::string message, std::string repair = "");
  void warning(size_t offset, std::string message, std::string repair = "");
  /// "expected WHAT, got <the value as it stands>", the way in which every error about a value is worded.
  void expected(const JsonValue &got, const llvm::Twine &what, std::string repair = "");

  [[nodiscard]] const SourceText &source() const { return source_; }
  [[nodiscard]] bool hasErrors() const { return errors_.hasErrors(); }
  /// True if the next error is only counted, so that its text need not be computed.
  [[nodiscard]] bool isFull() const { return errors_.numErrors() >= limit_; }
  /// So far, those beyond the limit included.
  [[nodiscard]] size_t numErrors() const { return errors_.numErrors(); }
  /// Errors and, where `error` holds some, those too (a syntax error, say).
  [[nodiscard]] llvm::Error take(llvm::Error error);
  [[nodiscard]] std::vector<Diagnostic> takeWarnings() { return std::move(warnings_); }

  // Typed look-ups, for values of which only the kind can be wrong; `what` says in words what the value should be.
  // Result: empty, with an error reported, where the value is of another kind.
  std::optional<int64_t> integer(const JsonValue &value, llvm::StringRef what);
  std::optional<llvm::StringRef> string(const JsonValue &value, llvm::StringRef what);
  /// A string without control characters: names stand in one line of what is printed.
  std::optional<llvm::StringRef> line(const JsonValue &value, llvm::StringRef what);

private:
  Diagnostic at(size_t offset, std::string message, std::string repair) const;
  const SourceText &source_;
  Diagnostics errors_;
  size_t limit_;
  std::vector<Diagnostic> warnings_;
};

} // namespace ccgraph
