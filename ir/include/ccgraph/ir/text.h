// Numbers as people read them, in summaries and tables.
//
// Plain functions from values to text; they own nothing and cannot fail, and do not look at the locale. Cost: a small
// string each.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ccgraph {

/// "1,234,567".
[[nodiscard]] std::string withCommas(int64_t value);
/// "29.9 GiB", "512 B".
[[nodiscard]] std::string bytesText(int64_t bytes);
/// "1 wait", "2 waits".
[[nodiscard]] std::string counted(size_t count, const std::string &noun);
/// The text as one line that a terminal shows as it is: control characters and bytes that are no UTF-8 as "\\n", "\\x1b".
[[nodiscard]] std::string visibleText(llvm::StringRef text);
/// "rank 1", "ranks 0, 2 and 3".
[[nodiscard]] std::string ranksText(const std::vector<int64_t> &ranks);

} // namespace ccgraph
