#include "fx_text/plain_text.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <map>

using llvm::StringRef;

namespace ccgraph::fx {

namespace {

constexpr StringRef escapeStart = "\x1b[";

/// The marks before a line: the speaker ("[rank0]:", "[default1]:"), and whether the prefix of a logger follows.
struct Marks {
  StringRef speaker;
  bool logged = false;
  size_t length = 0; ///< length of all marks, in bytes

  [[nodiscard]] bool any() const { return length != 0; }
  friend bool operator<(const Marks &a, const Marks &b) {
    return std::pair(a.speaker, a.logged) < std::pair(b.speaker, b.logged);
  }
};

/// Returns a word in brackets that ends with a number, and its colon: a rank, or a launcher's role and local rank.
StringRef speakerOf(StringRef line) {
  size_t end = line.startswith("[") ? line.find("]:") : StringRef::npos;
  if (end == StringRef::npos)
    return {};
  StringRef word = line.slice(1, end);
  bool named = !word.empty() && llvm::isAlpha(word.front()) && llvm::isDigit(word.back()) &&
               llvm::all_of(word, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '-'; });
  return named ? line.take_front(end + 2) : StringRef();
}

/// Returns all speakers: `torchrun --tee` puts "[default1]:" before the "[rank1]:" of the logger.
StringRef speakersOf(StringRef line) {
  StringRef rest = line;
  for (StringRef speaker = speakerOf(rest); !speaker.empty(); speaker = speakerOf(rest))
    rest = rest.drop_front(speaker.size());
  return line.take_front(line.size() - rest.size());
}

/// Drops tags such as "[0/0] [__aot_graphs] ", each with the one blank that the logger puts after it.
StringRef dropTags(StringRef rest) {
  while (rest.startswith("[")) {
    size_t end = rest.find("] ");
    if (end == StringRef::npos)
      return rest.endswith("]") ? rest.take_back(0) : rest;
    rest = rest.drop_front(end + 2);
  }
  return rest;
}

/// Returns the length of "V0101 12:00:00.000 123 file.py:1] [0/0] [__aot_graphs] ", with blanks before it; 0 where it
/// is absent.
size_t loggerLength(StringRef line) {
  StringRef rest = line.ltrim(' ');
  auto fourDigits = [](StringRef s) { return s.size() == 4 && llvm::all_of(s, llvm::isDigit); };
  if (rest.size() < 6 || !StringRef("VDIWEC").contains(rest[0]) || !fourDigits(rest.substr(1, 4)) || rest[5] != ' ')
    return 0;
  size_t end = rest.find("] ");
  return end == StringRef::npos ? 0 : line.size() - dropTags(rest.drop_front(end + 2)).size();
}

Marks marksOf(StringRef line) {
  Marks marks;
  marks.speaker = speakersOf(line);
  size_t logger = loggerLength(line.drop_front(marks.speaker.size()));
  marks.logged = logger != 0;
  marks.length = marks.speaker.size() + logger;
  return marks;
}

/// Returns the part of the line before the byte at `at`; empty where there is no such byte.
StringRef lineBefore(StringRef text, size_t at) {
  if (at == StringRef::npos)
    return {};
  size_t begin = text.rfind('\n', at);
  return text.slice(begin == StringRef::npos ? 0 : begin + 1, at);
}

/// The marks of a graph's lines, taken from its first two lines. Some loggers mark only the first line of their output,
/// so a mark on only one of the two is cut off but not expected on other lines.
struct GraphMarks {
  bool any = false;
  bool spoken = false;
  bool logged = false;
};

GraphMarks marksOfFirstGraph(StringRef text) {
  size_t at = std::min(text.find("(torch.nn.Module)"), text.find("def forward("));
  Marks first = marksOf(lineBefore(text, at));
  Marks forward = marksOf(lineBefore(text, text.find("def forward(", at)));
  return {first.any(), !first.speaker.empty() && !forward.speaker.empty(), first.logged && forward.logged};
}

} // namespace

// Cuts each line into mark and rest, groups the rests of lines with one mark, and writes these streams one after
// another; the header has a picture. A text without any mark or escape, the usual case, is not copied. The recorded
// pieces state the origin of each run of bytes. A piece is added only where the copy is not contiguous in the original,
// so originalOffset is a binary search among few pieces.
PlainText::PlainText(StringRef original) : original_(original) {
  GraphMarks graph = marksOfFirstGraph(original);
  if (!graph.any && !original.contains(escapeStart.front())) // A search for one byte is a memchr.
    return;
  std::map<Marks, size_t> numbers;
  std::vector<std::vector<StringRef>> streams;
  for (StringRef rest = original; !rest.empty();) {
    size_t newline = rest.find('\n');
    StringRef line = rest.take_front(newline == StringRef::npos ? newline : newline + 1);
    rest = rest.drop_front(line.size());
    Marks marks = graph.any ? marksOf(line) : Marks();
    Marks key{graph.spoken ? marks.speaker : StringRef(), graph.logged && marks.logged, 0};
    auto [number, isNew] = numbers.try_emplace(key, streams.size()); // looked up, never iterated
    if (isNew)
      streams.emplace_back();
    streams[number->second].push_back(line.drop_front(marks.length));
  }
  copy_.reserve(original.size() + streams.size());
  for (const std::vector<StringRef> &stream : streams) {
    if (!copy_.empty() && copy_.back() != '\n')
      copy_ += '\n'; // the last line of a file may have no end, and other lines follow it now
    for (StringRef line : stream)
      appendWithoutEscapes(line);
  }
}

void PlainText::append(StringRef piece) {
  auto place = static_cast<size_t>(piece.begin() - original_.begin());
  if (pieces_.empty() || place != pieces_.back().original + copy_.size() - pieces_.back().offset)
    pieces_.push_back({copy_.size(), place});
  copy_.append(piece.begin(), piece.end());
}

void PlainText::appendWithoutEscapes(StringRef line) {
  for (size_t at = line.find(escapeStart); at != StringRef::npos; at = line.find(escapeStart)) {
    append(line.take_front(at));
    line = line.drop_front(at);
    StringRef tail = line.drop_front(2).drop_while([](char c) { return llvm::isDigit(c) || c == ';'; });
    line = tail.startswith("m") ? tail.drop_front() : tail;
  }
  append(line);
}

// Finds the last piece that begins at or before the offset. A piece that begins at byte 100 of the copy and came from
// byte 250 of the original puts byte 120 at 270.
size_t PlainText::originalOffset(size_t offset) const {
  auto after =
      llvm::upper_bound(pieces_, offset, [](size_t value, const Piece &piece) { return value < piece.offset; });
  return after == pieces_.begin() ? offset : offset - std::prev(after)->offset + std::prev(after)->original;
}

StringRef PlainText::before(size_t offset) const { return lineBefore(original_, originalOffset(offset)); }

} // namespace ccgraph::fx
