// Formats texts for summaries; ccgraph/ir/text.h formats numbers.
//
// The functions are plain, cannot fail, own nothing, and do not use the locale. Each is called at most a few hundred
// times in a run.
#pragma once

#include "ccgraph/ir/text.h"

namespace ccgraph {

/// Returns the text with blanks before it so that it ends at `width`.
[[nodiscard]] std::string alignRight(const std::string &text, size_t width);
/// Wraps the words of `text` into lines of at most `width` columns; all lines except the first start with `indent`
/// blanks, and the caller has printed as many columns before the first. A longer word has a line of its own.
[[nodiscard]] std::string wrapped(const std::string &text, size_t indent, size_t width = 110);
/// Returns at least three digits: "1,229.2 ms", "12.3 us"; rounded down.
[[nodiscard]] std::string timeText(int64_t picoseconds);
/// Returns the share of the whole, such as "1.2 %"; rounded down, as times are. Of an empty whole it is "0.0 %".
[[nodiscard]] std::string shareText(int64_t part, int64_t whole);
/// Returns a text such as "0.31 s" or "12 ms".
[[nodiscard]] std::string secondsText(double seconds);

} // namespace ccgraph
