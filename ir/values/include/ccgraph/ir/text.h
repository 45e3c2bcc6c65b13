// Numbers in readable form, for summaries and tables.
//
// Ownership: none; plain functions from values to text, independent of the locale. Failure: none. Cost: a small string
// each.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ccgraph {

/// Returns "1,234,567".
[[nodiscard]] std::string withCommas(int64_t value);
/// Returns "29.9 GiB", "512 B".
[[nodiscard]] std::string bytesText(int64_t bytes);
/// Returns "1 wait", "2 waits".
[[nodiscard]] std::string counted(size_t count, const std::string &noun);
/// Returns the text as one line that a terminal shows unchanged: control characters and bytes that are no UTF-8 as
/// "\\n", "\\x1b".
[[nodiscard]] std::string visibleText(llvm::StringRef text);
/// Returns "rank 1", "ranks 0, 2 and 3".
[[nodiscard]] std::string ranksText(const std::vector<int64_t> &ranks);

} // namespace ccgraph
