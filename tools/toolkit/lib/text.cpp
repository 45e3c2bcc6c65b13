#include "ccgraph/toolkit/text.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

namespace ccgraph {

std::string alignRight(const std::string &text, size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

// Fills each line with as many words as fit. The first line begins at `indent`, after a label, and the other lines are
// indented by as much.
std::string wrapped(const std::string &text, size_t indent, size_t width) {
  std::string out;
  size_t column = indent;
  for (size_t start = 0; start < text.size();) {
    size_t end = std::min(text.find(' ', start), text.size());
    bool first = out.empty();
    bool breaks = !first && column + 1 + (end - start) > width;
    if (breaks)
      column = indent;
    out += breaks ? "\n" + std::string(indent, ' ') : first ? "" : " ";
    out += text.substr(start, end - start);
    column += end - start + (breaks || first ? 0 : 1);
    start = end + 1;
  }
  return out;
}

// Returns "4 ms" for 0.0042 and "0.10 s" for 0.1.
std::string timeText(int64_t picoseconds) {
  constexpr int64_t picosecondsOfMs = 1'000'000'000, picosecondsOfTenthUs = 100'000;
  bool milli = picoseconds >= picosecondsOfMs;
  int64_t tenths = picoseconds / (milli ? picosecondsOfMs / 10 : picosecondsOfTenthUs);
  return withCommas(tenths / 10) + "." + std::to_string(tenths % 10) + (milli ? " ms" : " us");
}

std::string secondsText(double seconds) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (seconds < 0.1)
    os << llvm::format("%.0f ms", seconds * 1000);
  else
    os << llvm::format("%.2f s", seconds);
  return os.str();
}

std::string shareText(int64_t part, int64_t whole) {
  const double permille = whole == 0 ? 0 : 1000.0 * static_cast<double>(part) / static_cast<double>(whole);
  const auto tenths = static_cast<int64_t>(std::abs(permille));
  const bool isNegative = permille < 0 && tenths > 0;
  return (isNegative ? "-" : "") + std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " %";
}

} // namespace ccgraph
