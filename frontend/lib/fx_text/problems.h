// Problems: collects the errors and warnings that the parts of the FX reader find in a text.
//
// The parts know places as pointers into the plain text; this class turns them into file, line and column of the user's
// text. Only errors that will be shown get a position, so a file with a million errors stays linear.
//
// A log of a compiled step also holds the graphs that Dynamo traced, with modules, methods and tensor subclasses. These
// are not graphs of operators. Such a graph is set aside with its errors. The errors are reported if the text holds no
// other graph; otherwise each such graph is one warning. In a log that gives its graphs titles, any graph with errors
// is set aside in this way: a program wrote it, and the other graphs of the log are good.
//
// Ownership: borrows source and plain text. Never fails. Cost: linear in the offset for each error kept.
#pragma once

#include "fx_text/plain_text.h"

#include "ccgraph/frontend/read_graph.h"

namespace ccgraph::fx {

/// The errors of one text. Each line of a graph is either understood or rejected, so warnings concern only graphs that
/// were set aside and the text around graphs.
class Problems {
public:
  Problems(const SourceText &source, const PlainText &plain, size_t limit)
      : source_(&source), plain_(&plain), limit_(limit), current_(limit), diagnostics_(limit), aside_(limit) {}

  /// Reports an error at a byte of the plain text. Always returns false, so that a parse function can return its
  /// result.
  bool error(const char *place, std::string message, std::string repair = "");
  /// Reports an error that only graphs above operators have: the open graph will be set aside.
  bool aboveOperators(const char *place, std::string message, std::string repair);
  /// Reports a problem that does not keep the text from being read.
  void warning(const char *place, std::string message, std::string repair);
  /// Drops errors while the reader tries an optional form.
  void mute(bool muted) { muted_ = muted; }
  /// A graph at its end.
  struct EndedGraph {
    llvm::StringRef name;
    const char *place = nullptr; ///< place where it began
    bool isLogged = false;       ///< it has a title above it
  };
  /// Returns the reason why the graph is set aside; empty where it is not.
  std::string endGraph(const EndedGraph &graph);

  /// Returns the offset in the user's text of a byte of the plain text.
  [[nodiscard]] size_t offsetOf(const char *place) const {
    return plain_->originalOffset(static_cast<size_t>(place - plain_->text().begin()));
  }
  /// Returns true once an error was reported for a graph that is not set aside; then the reader returns no graph.
  [[nodiscard]] bool any() const { return diagnostics_.hasErrors() || current_.hasErrors(); }
  /// Returns one warning for each graph that was set aside, and those of warning().
  [[nodiscard]] llvm::ArrayRef<Diagnostic> warnings() const { return warnings_; }
  /// Returns all kept errors and the count of the others. Includes those of graphs that were set aside if there are no
  /// other errors. Call once.
  [[nodiscard]] llvm::Error take();

private:
  const SourceText *source_;
  const PlainText *plain_;
  size_t limit_;
  Diagnostics current_; ///< of the open graph, and of the text between graphs
  bool muted_ = false;
  bool above_ = false; ///< an element above operators was found in it
  Diagnostics diagnostics_;
  Diagnostics aside_; ///< of graphs that were set aside
  std::vector<Diagnostic> warnings_;
};

/// Quotes up to 40 bytes of the line from `place` on; returns "the end of the line" where nothing follows.
[[nodiscard]] std::string quoteHere(const char *place, const char *end);

} // namespace ccgraph::fx
