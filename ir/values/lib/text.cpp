#include "ccgraph/ir/text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <array>

namespace ccgraph {
namespace {

/// Returns the bytes of the UTF-8 sequence at the start of the text; 0 if there is none.
size_t sequenceLength(llvm::StringRef text) {
  const auto *first = reinterpret_cast<const llvm::UTF8 *>(text.data());
  size_t length = llvm::getNumBytesForUTF8(*first);
  return length <= text.size() && llvm::isLegalUTF8Sequence(first, first + length) ? length : 0;
}

/// Returns true for U+0080 to U+009F, which terminals interpret, and U+2028 and U+2029, at which editors begin a line.
bool startsWithWideControl(llvm::StringRef text) {
  if (text.startswith("\xe2\x80\xa8") || text.startswith("\xe2\x80\xa9"))
    return true;
  return text.startswith("\xc2") && text.size() > 1 && static_cast<unsigned char>(text[1]) < 0xa0;
}

void printVisible(llvm::raw_ostream &os, llvm::StringRef text) {
  while (!text.empty()) {
    auto c = static_cast<unsigned char>(text.front());
    size_t length = c < 0x20 || c == 0x7f || startsWithWideControl(text) ? 0 : sequenceLength(text);
    if (length == 0 && c == '\n')
      os << "\\n";
    else if (length == 0)
      os << "\\x" << llvm::hexdigit(c >> 4U, /*LowerCase=*/true) << llvm::hexdigit(c & 15U, /*LowerCase=*/true);
    else
      os << text.take_front(length);
    text = text.drop_front(std::max<size_t>(length, 1));
  }
}

} // namespace

// 1234567 becomes "1,234,567": commas are inserted from the back, and never directly after the sign.
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

std::string visibleText(llvm::StringRef text) {
  std::string visible;
  llvm::raw_string_ostream os(visible);
  printVisible(os, text);
  return os.str();
}

std::string ranksText(const std::vector<int64_t> &ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (size_t i = 0; i < ranks.size(); ++i)
    text += (i == 0 ? "" : i + 1 == ranks.size() ? " and " : ", ") + std::to_string(ranks[i]);
  return text;
}

} // namespace ccgraph
