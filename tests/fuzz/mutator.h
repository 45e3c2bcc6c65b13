// Mutator: damages a text the way that editors, networks, cut-off copies and tired people do.
//
// One call makes one to four changes: bits and bytes, tokens swapped for others of the file or of another one, numbers
// that no integer holds, brackets without end, lines gone or doubled, a text that ends early, NUL, invalid UTF-8,
// Windows lines, byte order marks, UTF-16, very long lines.
//
// Ownership: none. Failure: none; any text may come out, the same one among them. The same seed gives the same texts
// everywhere, since nothing here asks the machine. Cost: linear in the text, which grows to 256 KiB at most.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace ccgraph::test {

class Mutator {
public:
  explicit Mutator(uint64_t seed) : state_(seed) {}

  /// `others` are texts of the same kind, to take tokens and lines from.
  std::string mutate(llvm::StringRef text, llvm::ArrayRef<std::string> others);
  /// A number below `limit`, which is at least 1.
  uint64_t below(uint64_t limit);

private:
  uint64_t next();
  std::string changeOnce(llvm::StringRef text, llvm::ArrayRef<std::string> others);

  uint64_t state_;
};

} // namespace ccgraph::test
