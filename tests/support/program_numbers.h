// ProgramNumbers: the options of a tool that tries random programs, whose numbers are their seeds.
//
// Ownership: plain values. Failure: an empty result for arguments that cannot be read. Cost: none.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <optional>

namespace ccgraph::test {

struct ProgramNumbers {
  /// how many programs, and the number of the first one
  uint32_t programs = 300;
  uint32_t first = 0;
  /// not 0: each program is printed
  uint32_t print = 0;
};

/// Reads `--programs N`, `--first N` and `--print N`.
[[nodiscard]] std::optional<ProgramNumbers> readProgramNumbers(llvm::ArrayRef<char *> arguments);

} // namespace ccgraph::test
