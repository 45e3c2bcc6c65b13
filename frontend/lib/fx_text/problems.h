// Problems: where the parts of the FX reader report what is wrong with a text.
//
// Parts know places as pointers into the plain text; this turns them into file, line and column of the text that the
// user has. Positions are computed for errors that will be shown only, so that a hopeless file of a million errors
// stays linear.
//
// Ownership: borrows source and plain text. Fails never. Cost: linear in the offset for each error kept.
#pragma once

#include "fx_text/plain_text.h"

#include "ccgraph/frontend/read_graph.h"

namespace ccgraph::fx {

/// The errors of one text. There are no warnings: a line is understood or refused.
class Problems {
public:
  Problems(const SourceText &source, const PlainText &plain, size_t limit)
      : source_(&source), plain_(&plain), limit_(limit), diagnostics_(limit) {}

  /// Reports an error at a byte of the plain text. Always false, so that a parse function can return it.
  bool error(const char *place, std::string message, std::string repair = "");
  /// True once anything was reported; then no graph may leave the reader.
  [[nodiscard]] bool any() const { return diagnostics_.hasErrors(); }
  /// All that was kept, and how many more there were. Call once.
  [[nodiscard]] llvm::Error take() { return makeError(diagnostics_.take()); }

private:
  const SourceText *source_;
  const PlainText *plain_;
  size_t limit_;
  Diagnostics diagnostics_;
};

/// Up to 40 bytes of the line from `place` on, in quotes; "the end of the line" where nothing follows.
[[nodiscard]] std::string quoteHere(const char *place, const char *end);

} // namespace ccgraph::fx
