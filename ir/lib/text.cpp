#include "ccgraph/ir/text.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <array>

namespace ccgraph {

// 1234567 is "1,234,567": commas go in from the back, and never right behind the sign.
std::string withCommas(int64_t value) {
  std::string text = std::to_string(value);
  for (size_t at = text.size(); at > (value < 0 ? 4U : 3U);) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

// 1536 is "1.5 KiB", 512 "512 B"; beyond TiB the number grows instead of the unit.
std::string bytesText(int64_t bytes) {
  static constexpr std::array<const char *, 5> units = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::format(unit == 0 ? "%.0f" : "%.1f", value) << ' ' << units[unit];
  return os.str();
}

// (1, "node") is "1 node", (1200, "node") is "1,200 nodes".
std::string counted(size_t count, const std::string &noun) {
  return withCommas(static_cast<int64_t>(count)) + " " + noun + (count == 1 ? "" : "s");
}

std::string ranksText(const std::vector<int64_t> &ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (size_t i = 0; i < ranks.size(); ++i)
    text += (i == 0 ? "" : i + 1 == ranks.size() ? " and " : ", ") + std::to_string(ranks[i]);
  return text;
}

} // namespace ccgraph
