// SourceText: the text of one input with the name that diagnostics print before it.
//
// Readers work on one contiguous text and keep byte offsets while they read; a line and a column are computed only for
// a report, because counting lines costs more than parsing.
//
// Ownership: the text is borrowed; an InputFile (files.h) or a literal owns it. Nothing here fails.
// Cost: positionAt is linear in the offset, everything else O(1).
#pragma once

#include "ccgraph/ir/diagnostic.h"

#include "llvm/ADT/StringRef.h"

#include <cstddef>
#include <string>
#include <vector>

namespace ccgraph {

/// The line numbers of a text in the file that it was cut out of.
struct CutLines {
  std::vector<size_t> lines; ///< for each line of the text, its line in the file, from 1
  size_t indent = 0;         ///< bytes that were cut off in front of each line
};

struct SourceText {
  std::string name; ///< as the user gave it; "<stdin>" for standard input
  llvm::StringRef text;
  size_t slack = 0; ///< bytes after the text that may be read, whatever they hold; a parser without them makes a copy
  const CutLines *cut = nullptr; ///< null: the text is the whole file
};

/// A place in a text, line and column both from 1; the column counts bytes.
struct SourcePosition {
  unsigned line = 1;
  unsigned column = 1;
};

/// Returns the place of the byte at `offset`; an offset past the end means the end.
[[nodiscard]] SourcePosition positionAt(llvm::StringRef text, size_t offset);
/// Returns the place in the file that the text was cut out of.
[[nodiscard]] SourcePosition positionAt(const SourceText &source, size_t offset);

/// Builds an error at a place of a text. A `repair` that is not empty becomes a note.
[[nodiscard]] Diagnostic diagnoseAt(const SourceText &source, size_t offset, std::string message,
                                    std::string repair = "");

} // namespace ccgraph
