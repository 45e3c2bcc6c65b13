// Numbers as people read them, for summaries.
#pragma once

#include <cstdint>
#include <string>

namespace ccgraph::driver {

/// "1,234,567".
[[nodiscard]] std::string withCommas(int64_t value);
/// "29.9 GiB", "512 B".
[[nodiscard]] std::string bytesText(int64_t bytes);
/// "1 wait", "2 waits".
[[nodiscard]] std::string counted(size_t count, const std::string &noun);
/// The text behind so many blanks that it ends at `width`.
[[nodiscard]] std::string alignRight(const std::string &text, size_t width);
/// "0.31 s", "12 ms".
[[nodiscard]] std::string secondsText(double seconds);

} // namespace ccgraph::driver
