#include "fx_text/plain_text.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using llvm::StringRef;

namespace ccgraph::fx {

namespace {

constexpr StringRef escapeStart = "\x1b[";

/// "[rank0]:" and the like.
StringRef dropRank(StringRef line) {
  StringRef rest = line;
  if (!rest.consume_front("[rank") || rest.empty() || !llvm::isDigit(rest.front()))
    return line;
  rest = rest.drop_while(llvm::isDigit);
  return rest.consume_front("]:") ? rest.ltrim(' ') : line;
}

/// "[0/0] [__aot_graphs] ": each with the one blank that the logger puts after it.
StringRef dropTags(StringRef rest) {
  while (rest.startswith("[")) {
    size_t end = rest.find("] ");
    if (end == StringRef::npos)
      return rest.endswith("]") ? rest.take_back(0) : rest;
    rest = rest.drop_front(end + 2);
  }
  return rest;
}

/// The first line that says "class ..." or "def forward(...)": logs mark every line or none of a graph.
StringRef firstGraphLine(StringRef text) {
  size_t at = std::min(text.find("(torch.nn.Module)"), text.find("def forward("));
  if (at == StringRef::npos)
    return {};
  size_t begin = text.rfind('\n', at);
  begin = begin == StringRef::npos ? 0 : begin + 1;
  return text.slice(begin, at);
}

} // namespace

size_t logPrefixLength(StringRef line) {
  StringRef rest = dropRank(line);
  auto fourDigits = [](StringRef s) { return s.size() == 4 && llvm::all_of(s, llvm::isDigit); };
  if (rest.size() < 6 || !StringRef("VDIWEC").contains(rest[0]) || !fourDigits(rest.substr(1, 4)) || rest[5] != ' ')
    return 0;
  size_t end = rest.find("] ");
  if (end == StringRef::npos)
    return 0;
  return line.size() - dropTags(rest.drop_front(end + 2)).size();
}

PlainText::PlainText(StringRef original) : original_(original) {
  bool isLog = logPrefixLength(firstGraphLine(original)) != 0;
  if (!isLog && !original.contains(escapeStart.front())) // One byte, because that search is a memchr.
    return;
  copy_.reserve(original.size());
  for (StringRef rest = original; !rest.empty();) {
    size_t newline = rest.find('\n');
    StringRef line = rest.take_front(newline == StringRef::npos ? newline : newline + 1);
    rest = rest.drop_front(line.size());
    size_t prefix = isLog ? logPrefixLength(line) : 0;
    cut(prefix);
    appendWithoutEscapes(line.drop_front(prefix));
  }
}

void PlainText::append(StringRef piece) { copy_.append(piece.begin(), piece.end()); }

void PlainText::cut(size_t count) {
  if (count != 0)
    cuts_.push_back({copy_.size(), (cuts_.empty() ? 0 : cuts_.back().removed) + count});
}

void PlainText::appendWithoutEscapes(StringRef line) {
  for (size_t at = line.find(escapeStart); at != StringRef::npos; at = line.find(escapeStart)) {
    append(line.take_front(at));
    line = line.drop_front(at);
    StringRef tail = line.drop_front(2).drop_while([](char c) { return llvm::isDigit(c) || c == ';'; });
    size_t length = line.size() - tail.size() + (tail.startswith("m") ? 1 : 0);
    cut(length);
    line = line.drop_front(length);
  }
  append(line);
}

/// Because each cut remembers how much all cuts so far took out, one search leads back to the user's own text.
size_t PlainText::originalOffset(size_t offset) const {
  auto after = llvm::upper_bound(cuts_, offset, [](size_t value, const Cut &c) { return value < c.offset; });
  return after == cuts_.begin() ? offset : offset + std::prev(after)->removed;
}

} // namespace ccgraph::fx
