// PlainText: the text of a log without the marks of loggers and launchers.
//
// TORCH_LOGS begins each line with "V0101 12:00:00.000 123 file.py:1] [0/0] [__aot_graphs] ", and with "[rank0]:"
// before that. `torchrun --tee` begins each line with "[default1]:". Terminals get colour escapes. Lines of several
// ranks, and of programs without marks, are interleaved. A reader needs none of these, but a diagnostic must name the
// line and column in the user's file, so the text records the origin of each piece.
//
// Where the first graph is marked, lines with the same mark form one stream. Streams follow one another in the order in
// which they began:
//
//   [default0]:class f(torch.nn.Module):                class f(torch.nn.Module):
//   [default1]:class f(torch.nn.Module):                    def forward(self, x):
//   [default0]:    def forward(self, x):        ->          ...
//   UserWarning: out of date                            class f(torch.nn.Module):
//   [default1]:    def forward(self, x):                    def forward(self, x):
//   ...                                                     ...
//                                                       UserWarning: out of date
//
// Ownership: borrows the text where nothing had to be cut (the usual case, without a copy); owns a copy otherwise.
// Never fails. Cost: one search for an escape and a look at two lines; linear with a copy for a log.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace ccgraph::fx {

class PlainText {
public:
  /// Detects the marks from the first lines of the first graph: all lines of a graph have the same marks.
  explicit PlainText(llvm::StringRef original);

  /// Returns the text as the program printed it, stream by stream.
  [[nodiscard]] llvm::StringRef text() const { return pieces_.empty() ? original_ : llvm::StringRef(copy_); }
  /// Returns the offset in the original text of a byte of text().
  [[nodiscard]] size_t originalOffset(size_t offset) const;

  /// Returns the text before that byte in its original line: the marks that were cut off, and blanks.
  [[nodiscard]] llvm::StringRef before(size_t offset) const;

private:
  /// The bytes of text() from `offset` on are those of the original from `original` on.
  struct Piece {
    size_t offset = 0;
    size_t original = 0;
  };
  void append(llvm::StringRef piece);
  void appendWithoutEscapes(llvm::StringRef line);

  llvm::StringRef original_;
  std::string copy_;
  std::vector<Piece> pieces_;
};

} // namespace ccgraph::fx
