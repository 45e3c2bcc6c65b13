// PlainText: the text of a log without what loggers and launchers put around it.
//
// TORCH_LOGS begins each line with "V0101 12:00:00.000 123 file.py:1] [0/0] [__aot_graphs] ", and with "[rank0]:" before
// that; `torchrun --tee` begins each line with "[default1]:"; terminals get colour escapes; and lines of several ranks,
// and of programs that know nothing of any mark, stand between one another. A reader wants none of these, but a
// diagnostic must name the line and column that the user sees in the file; so the text remembers where each piece of it
// came from.
//
// Where the first graph is marked, lines with one mark make one stream, and streams follow one another in the order in
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
// Ownership: borrows the text where nothing had to be cut (the usual case: no copy is made), owns a copy otherwise.
// Fails never. Cost: one search for an escape and a look at two lines; linear with a copy for a log.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace ccgraph::fx {

class PlainText {
public:
  /// Looks at the first lines of the first graph: all lines of a graph are marked alike.
  explicit PlainText(llvm::StringRef original);

  /// The text as the program printed it, stream by stream.
  [[nodiscard]] llvm::StringRef text() const { return pieces_.empty() ? original_ : llvm::StringRef(copy_); }
  /// Where a byte of text() stands in the text that was given.
  [[nodiscard]] size_t originalOffset(size_t offset) const;

  /// What stands before that byte in its line of the text that was given: the marks that were cut off, and blanks.
  [[nodiscard]] llvm::StringRef before(size_t offset) const;

private:
  /// From `offset` in text() on, the bytes are those from `original` on.
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
