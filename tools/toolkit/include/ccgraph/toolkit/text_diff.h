// Writes the difference of two texts as a unified diff that shows moved lines as moves.
//
// Equal lines are paired: the first with the first, the second with the second, and so on. In the compared programs
// nearly all lines are unique, so pairing them is sufficient. The pairs that form the heaviest sequence in increasing
// order in both texts stay; the others moved. A moved line appears in both places with a note that states its other
// place:
//
//   -    wait = wait_tensor(all_reduce)  # moved to line 9, 4 down
//   +    wait = wait_tensor(all_reduce)  # moved from line 5
//
// "4 down" counts the unmoved lines that the line passed. Several lines that moved together have one note, at the first
// of them.
//
// The method is P. Cohen's patience diff, with weights. Ownership: borrows the texts for the call. Failure: none; the
// stream keeps the system's error. Cost: O(n log n) in the number of lines.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace ccgraph {

struct DiffedText {
  /// the text after --- and +++
  std::string name;
  llvm::StringRef text;
};

struct DiffOptions {
  /// unchanged lines around a change
  size_t context = 3;
  /// with the colors of terminals
  bool color = false;
  /// the text after the line numbers of a hunk, for its first changed line; may be empty
  llvm::function_ref<std::string(llvm::StringRef line)> heading;
  /// a note about a line that only one of the texts has: "merged into x"; may be empty
  llvm::function_ref<std::string(llvm::StringRef line)> note;
  /// Lines of less weight move in preference to others; at least 1.
  llvm::function_ref<unsigned(llvm::StringRef line)> weight;
};

/// Returns false if the texts are equal; writes nothing then.
bool writeUnifiedDiff(llvm::raw_ostream &os, const DiffedText &before, const DiffedText &after,
                      const DiffOptions &options);

} // namespace ccgraph
