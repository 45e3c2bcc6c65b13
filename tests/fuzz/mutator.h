// Mutator damages a text in the ways in which editors, networks, incomplete copies and people do.
//
// One call makes one to four changes: bits and bytes, tokens replaced by others of the same or another file, numbers
// that no integer type holds, unclosed brackets, removed or repeated lines, an early end, NUL, invalid UTF-8, Windows
// line ends, byte order marks, UTF-16, very long lines.
//
// Ownership: none. Failure: none; any text may result, including the same one. The same seed gives the same texts on
// every machine. Cost: linear in the text, which grows to 256 KiB at most.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace ccgraph::test {

class Mutator {
public:
  explicit Mutator(uint64_t seed) : state_(seed) {}

  /// `others` are texts of the same kind, from which tokens and lines are taken.
  std::string mutate(llvm::StringRef text, llvm::ArrayRef<std::string> others);
  /// Returns a number below `limit`, which is at least 1.
  uint64_t below(uint64_t limit);

private:
  uint64_t next();
  std::string changeOnce(llvm::StringRef text, llvm::ArrayRef<std::string> others);

  uint64_t state_;
};

} // namespace ccgraph::test
