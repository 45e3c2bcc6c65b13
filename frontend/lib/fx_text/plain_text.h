// PlainText: the text of a log without what the logger put around it.
//
// TORCH_LOGS begins each line with "V0101 12:00:00.000 123 file.py:1] [0/0] [__aot_graphs] ", launchers put "[rank0]:"
// before that, and terminals get colour escapes. A reader wants none of these, but a diagnostic must name the column
// that the user sees in the file; so every cut is remembered.
//
// Ownership: borrows the text where nothing had to be cut (the usual case: no copy is made), owns a copy otherwise.
// Fails never. Cost: one search for an escape and a look at one line; linear with a copy for a log.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace ccgraph::fx {

class PlainText {
public:
  /// Looks at the line of the first graph: a logger marks all lines or none.
  explicit PlainText(llvm::StringRef original);

  /// The text as the logger got it; lines are the same lines, so only columns differ.
  [[nodiscard]] llvm::StringRef text() const { return cuts_.empty() ? original_ : llvm::StringRef(copy_); }
  /// Where a byte of text() stands in the text that was given.
  [[nodiscard]] size_t originalOffset(size_t offset) const;

private:
  struct Cut {
    size_t offset = 0;  ///< in text(): from here on,
    size_t removed = 0; ///< so many bytes are missing in all
  };
  void append(llvm::StringRef piece);
  /// Notes that `count` bytes of the original are left out here.
  void cut(size_t count);
  void appendWithoutEscapes(llvm::StringRef line);

  llvm::StringRef original_;
  std::string copy_;
  std::vector<Cut> cuts_;
};

/// Bytes of the logger's prefix of one line; 0 where it has none.
[[nodiscard]] size_t logPrefixLength(llvm::StringRef line);

} // namespace ccgraph::fx
