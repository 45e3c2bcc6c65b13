// Problems: where the parts of the FX reader report what is wrong with a text.
//
// Parts know places as pointers into the plain text; this turns them into file, line and column of the text that the
// user has. Positions are computed for errors that will be shown only, so that a hopeless file of a million errors
// stays linear.
//
// A log of a compiled step also holds the graphs that Dynamo traced, with modules, methods and tensor subclasses, which
// are no programs of operators. Such a graph is set aside with its errors: they are what is wrong with a text that holds
// nothing else, and one warning a graph where it does. In a log that gives its graphs titles, any graph that is wrong is
// set aside so: nobody wrote it by hand, and the others of the log are good.
//
// Ownership: borrows source and plain text. Fails never. Cost: linear in the offset for each error kept.
#pragma once

#include "fx_text/plain_text.h"

#include "ccgraph/frontend/read_graph.h"

namespace ccgraph::fx {

/// The errors of one text. A line of a graph is understood or refused, so warnings are of graphs that were set aside, and
/// of what stands around graphs.
class Problems {
public:
  Problems(const SourceText &source, const PlainText &plain, size_t limit)
      : source_(&source), plain_(&plain), limit_(limit), current_(limit), diagnostics_(limit), aside_(limit) {}

  /// Reports an error at a byte of the plain text. Always false, so that a parse function can return it.
  bool error(const char *place, std::string message, std::string repair = "");
  /// The same for what only graphs above operators hold: the graph that is open will be set aside.
  bool aboveOperators(const char *place, std::string message, std::string repair);
  /// What does not keep the text from being read.
  void warning(const char *place, std::string message, std::string repair);
  /// Errors are dropped: something is tried that need not be there.
  void mute(bool muted) { muted_ = muted; }
  /// A graph as it ends.
  struct EndedGraph {
    llvm::StringRef name;
    const char *place = nullptr; ///< where it began
    bool isLogged = false;       ///< a title stands above it
  };
  /// Why it is set aside; empty: it is not.
  std::string endGraph(const EndedGraph &graph);

  /// Where a byte of the plain text is in the text that the user has.
  [[nodiscard]] size_t offsetOf(const char *place) const {
    return plain_->originalOffset(static_cast<size_t>(place - plain_->text().begin()));
  }
  /// True once anything was reported of a graph that is not set aside; then no graph may leave the reader.
  [[nodiscard]] bool any() const { return diagnostics_.hasErrors() || current_.hasErrors(); }
  /// One for each graph that was set aside, and those of warning().
  [[nodiscard]] llvm::ArrayRef<Diagnostic> warnings() const { return warnings_; }
  /// All that was kept, of graphs set aside where nothing else was wrong, and how many more there were. Call once.
  [[nodiscard]] llvm::Error take();

private:
  const SourceText *source_;
  const PlainText *plain_;
  size_t limit_;
  Diagnostics current_; ///< of the graph that is open, and of what stands between graphs
  bool muted_ = false;
  bool above_ = false; ///< something above operators was found in it
  Diagnostics diagnostics_;
  Diagnostics aside_; ///< of graphs that were set aside
  std::vector<Diagnostic> warnings_;
};

/// Up to 40 bytes of the line from `place` on, in quotes; "the end of the line" where nothing follows.
[[nodiscard]] std::string quoteHere(const char *place, const char *end);

} // namespace ccgraph::fx
