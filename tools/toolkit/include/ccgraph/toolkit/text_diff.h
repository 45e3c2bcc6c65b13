// Text diff: what changed between two texts, as a unified diff in which moves are told as moves.
//
// Lines that are equal are paired, the first with the first, the second with the second, and so on. In the programs that are compared
// here nearly all lines are unique, so that pairing is all there is to find; of the pairs, those stay that make the heaviest run that goes
// down in both texts, and the others moved. A moved line stands in both places and says there where it went, and where it came from:
//
//   -    wait = wait_tensor(all_reduce)  # moved to line 9, 4 down
//   +    wait = wait_tensor(all_reduce)  # moved from line 5
//
// "4 down" are the lines that stay and that it passed. Several lines that moved together say so once, at the first of them.
//
// After P. Cohen's patience diff, with weights. Ownership: borrows the texts for the call. Failure: none; the stream keeps what the system said.
// Cost: O(n log n) in the lines, whatever has moved.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace ccgraph {

struct DiffedText {
  /// what stands after --- and +++
  std::string name;
  llvm::StringRef text;
};

struct DiffOptions {
  /// unchanged lines around a change
  size_t context = 3;
  /// with the colours of terminals
  bool color = false;
  /// what stands behind the line numbers of a hunk, told of its first changed line; maybe empty
  llvm::function_ref<std::string(llvm::StringRef line)> heading;
  /// what else is said of a line that only one of the texts has: "merged into x"; maybe empty
  llvm::function_ref<std::string(llvm::StringRef line)> note;
  /// Lines of less weight move rather than others; at least 1.
  llvm::function_ref<unsigned(llvm::StringRef line)> weight;
};

/// False where the texts are equal; nothing is written then.
bool writeUnifiedDiff(llvm::raw_ostream &os, const DiffedText &before, const DiffedText &after,
                      const DiffOptions &options);

} // namespace ccgraph
