// Sentences as people read them, for summaries; numbers are spelled in ccgraph/ir/text.h.
//
// Plain functions from values to text; they own nothing and cannot fail, and do not look at the
// locale. None is called more than a few hundred times a run.
#pragma once

#include "ccgraph/ir/text.h"

namespace ccgraph {

/// The text after so many blanks that it ends at `width`.
[[nodiscard]] std::string alignRight(const std::string &text, size_t width);
/// The words of `text` in lines that end at `width`; all but the first start with `indent` blanks,
/// and the first is taken to have so many before it. A word that is longer stands alone.
[[nodiscard]] std::string wrapped(const std::string &text, size_t indent, size_t width = 110);
/// Three digits or more: "1,229.2 ms", "12.3 us"; rounded down.
[[nodiscard]] std::string timeText(int64_t picoseconds);
/// "0.31 s", "12 ms".
[[nodiscard]] std::string secondsText(double seconds);

} // namespace ccgraph
