// Numbers and sentences as people read them, for summaries.
//
// Plain functions from values to text; they own nothing and cannot fail, and do not look at the
// locale. None is called more than a few hundred times a run.
#pragma once

#include <cstdint>
#include <string>

namespace ccgraph {

/// "1,234,567".
[[nodiscard]] std::string withCommas(int64_t value);
/// "29.9 GiB", "512 B".
[[nodiscard]] std::string bytesText(int64_t bytes);
/// "1 wait", "2 waits".
[[nodiscard]] std::string counted(size_t count, const std::string &noun);
/// The text after so many blanks that it ends at `width`.
[[nodiscard]] std::string alignRight(const std::string &text, size_t width);
/// The words of `text` in lines that end at `width`; all but the first start with `indent` blanks,
/// and the first is taken to have so many before it. A word that is longer stands alone.
[[nodiscard]] std::string wrapped(const std::string &text, size_t indent, size_t width = 110);
/// "0.31 s", "12 ms".
[[nodiscard]] std::string secondsText(double seconds);

} // namespace ccgraph
