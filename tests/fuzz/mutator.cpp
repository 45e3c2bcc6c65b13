#include "fuzz/mutator.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace ccgraph::test {
namespace {

using llvm::StringRef;
using Others = llvm::ArrayRef<std::string>;

constexpr size_t largestText = size_t(1) << 18;

/// A part of a text, by its position.
struct Span {
  size_t begin = 0;
  size_t end = 0;
};

std::string replaced(StringRef text, Span span, StringRef with) {
  return (text.take_front(span.begin) + with + text.drop_front(span.end)).str();
}

Span anySpan(StringRef text, Mutator &random) {
  size_t begin = random.below(text.size() + 1);
  return {begin, begin + random.below(std::min<size_t>(text.size() - begin, 40) + 1)};
}

bool isWord(char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; }

/// Splits a text into words, numbers and single other bytes, without blanks.
llvm::SmallVector<Span, 0> tokensOf(StringRef text) {
  llvm::SmallVector<Span, 0> tokens;
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    if (isWord(text[at]))
      end = std::min(text.find_if_not(isWord, at), text.size());
    if (!llvm::isSpace(text[at]))
      tokens.push_back({at, end});
    at = end;
  }
  return tokens;
}

Span anyToken(StringRef text, Mutator &random) {
  auto tokens = tokensOf(text);
  return tokens.empty() ? Span() : tokens[random.below(tokens.size())];
}

/// Returns a line without its newline.
Span anyLine(StringRef text, Mutator &random) {
  size_t at = random.below(text.size() + 1);
  size_t before = text.take_front(at).rfind('\n');
  return {before == StringRef::npos ? 0 : before + 1, std::min(text.find('\n', at), text.size())};
}

StringRef slice(StringRef text, Span span) { return text.slice(span.begin, span.end); }

StringRef oneOf(llvm::ArrayRef<StringRef> words, Mutator &random) { return words[random.below(words.size())]; }

// --- Changes: each makes a new text -------------------------------------------------------------------------------

std::string flipBit(StringRef text, Others, Mutator &random) {
  std::string out = text.str();
  if (!out.empty())
    out[random.below(out.size())] ^= static_cast<char>(1U << random.below(8));
  return out;
}

std::string putBytes(StringRef text, Others, Mutator &random) {
  static constexpr StringRef bytes[] = {StringRef("\0", 1),
                                        "\xff",
                                        "\xc3",
                                        "\xed\xa0\x80",
                                        "\xe2\x80\xa8",
                                        "\xef\xbb\xbf",
                                        "\x1b[31m",
                                        "\\",
                                        "\\u0000",
                                        "\\ud800",
                                        StringRef("\0\0", 2),
                                        "\xf4\x90\x80\x80",
                                        "\t",
                                        "\r",
                                        "\x7f"};
  return replaced(text, anySpan(text, random), oneOf(bytes, random));
}

std::string putWord(StringRef text, Others, Mutator &random) {
  static constexpr StringRef words[] = {"None",
                                        "null",
                                        "true",
                                        "nan",
                                        "-inf",
                                        "''",
                                        "\"\"",
                                        "%",
                                        "(",
                                        ")",
                                        "[",
                                        "]",
                                        "{",
                                        "}",
                                        ",",
                                        ":",
                                        "=",
                                        "#",
                                        "\"",
                                        "'",
                                        "self",
                                        "return",
                                        "class",
                                        "output",
                                        "f32[2][1]cpu",
                                        "Sym(s0)",
                                        "u0",
                                        "s0 + 1",
                                        "%x",
                                        "{\"str\": \"0\"}",
                                        "[[]]",
                                        "()",
                                        "x",
                                        "wait_tensor",
                                        "torch.ops.aten.add.Tensor",
                                        "aten.view.default",
                                        "_c10d_functional.wait_tensor.default"};
  return replaced(text, anyToken(text, random), oneOf(words, random));
}

std::string putNumber(StringRef text, Others, Mutator &random) {
  static constexpr StringRef numbers[] = {"0",
                                          "-1",
                                          "1",
                                          "2",
                                          "3",
                                          "1000",
                                          "65536",
                                          "2147483648",
                                          "4294967296",
                                          "9223372036854775807",
                                          "-9223372036854775808",
                                          "9223372036854775808",
                                          "99999999999999999999999999",
                                          "1e400",
                                          "-1e-400",
                                          "1.5",
                                          "0x10",
                                          "1_0"};
  llvm::SmallVector<Span, 0> places;
  for (Span token : tokensOf(text))
    if (llvm::isDigit(text[token.begin]))
      places.push_back(token);
  if (places.empty())
    return text.str();
  return replaced(text, places[random.below(places.size())], oneOf(numbers, random));
}

std::string swapTokens(StringRef text, Others, Mutator &random) {
  Span a = anyToken(text, random);
  Span b = anyToken(text, random);
  if (b.begin < a.begin)
    std::swap(a, b);
  if (a.end > b.begin)
    return text.str();
  std::string later = replaced(text, b, slice(text, a));
  return replaced(later, a, slice(text, b));
}

std::string takeToken(StringRef text, Others others, Mutator &random) {
  StringRef other = others.empty() ? text : StringRef(others[random.below(others.size())]);
  return replaced(text, anyToken(text, random), slice(other, anyToken(other, random)));
}

std::string takeLine(StringRef text, Others others, Mutator &random) {
  StringRef other = others.empty() ? text : StringRef(others[random.below(others.size())]);
  std::string line = (slice(other, anyLine(other, random)) + "\n").str();
  size_t at = anyLine(text, random).begin;
  return replaced(text, {at, at}, line);
}

std::string dropToken(StringRef text, Others, Mutator &random) { return replaced(text, anyToken(text, random), ""); }

std::string dropSpan(StringRef text, Others, Mutator &random) { return replaced(text, anySpan(text, random), ""); }

std::string doubleSpan(StringRef text, Others, Mutator &random) {
  Span span = anySpan(text, random);
  return replaced(text, {span.end, span.end}, slice(text, span));
}

std::string dropLine(StringRef text, Others, Mutator &random) {
  Span line = anyLine(text, random);
  return replaced(text, {line.begin, std::min(line.end + 1, text.size())}, "");
}

std::string doubleLine(StringRef text, Others, Mutator &random) {
  Span line = anyLine(text, random);
  return replaced(text, {line.begin, line.begin}, (slice(text, line) + "\n").str());
}

/// After a line moved, its names are still defined, or are defined too late.
std::string moveLine(StringRef text, Others, Mutator &random) {
  Span line = anyLine(text, random);
  std::string moved = (slice(text, line) + "\n").str();
  std::string rest = replaced(text, {line.begin, std::min(line.end + 1, text.size())}, "");
  size_t at = anyLine(rest, random).begin;
  return replaced(rest, {at, at}, moved);
}

std::string cutOff(StringRef text, Others, Mutator &random) {
  return text.take_front(random.below(text.size() + 1)).str();
}

std::string nest(StringRef text, Others, Mutator &random) {
  static constexpr StringRef openings[] = {"[", "(", "{", "{\"tuple\": [", "{\"a\": ", "-", "not ", "f(", "\"", "x["};
  size_t times = size_t(1) << random.below(16);
  StringRef opening = oneOf(openings, random);
  std::string deep;
  while (times-- > 0)
    deep += opening;
  return replaced(text, anyToken(text, random), deep);
}

std::string longLine(StringRef text, Others, Mutator &random) {
  static constexpr char fillers[] = {' ', 'a', '0', '9', ',', '#', '\n', '[', '\\', '_'};
  std::string filler(size_t(1) << random.below(17), fillers[random.below(std::size(fillers))]);
  return replaced(text, anySpan(text, random), filler);
}

std::string repeatLine(StringRef text, Others, Mutator &random) {
  Span line = anyLine(text, random);
  std::string many;
  for (size_t left = size_t(1) << random.below(9); left-- > 0;)
    many += (slice(text, line) + "\n").str();
  return replaced(text, {line.begin, line.begin}, many);
}

std::string otherLineEnds(StringRef text, Others, Mutator &random) {
  StringRef end = oneOf({"\r\n", "\r", "\n\n", "\xe2\x80\xa8"}, random);
  std::string out;
  for (char c : text)
    c == '\n' ? out.append(end.data(), end.size()) : out.append(1, c);
  return out;
}

std::string byteOrderMark(StringRef text, Others, Mutator &) { return ("\xef\xbb\xbf" + text).str(); }

std::string asUtf16(StringRef text, Others, Mutator &) {
  std::string out = "\xff\xfe";
  for (char c : text)
    out.append({c, '\0'});
  return out;
}

using Change = std::string (*)(StringRef, Others, Mutator &);

// Most damage that passes the first checks is small, so small changes are listed more than once.
constexpr Change changes[] = {flipBit,       putBytes,      putWord,    putWord,    putWord,   putNumber, putNumber,
                              putNumber,     swapTokens,    swapTokens, takeToken,  takeToken, takeToken, takeLine,
                              dropToken,     dropToken,     dropSpan,   doubleSpan, dropLine,  dropLine,  doubleLine,
                              doubleLine,    moveLine,      moveLine,   cutOff,     nest,      longLine,  repeatLine,
                              otherLineEnds, byteOrderMark, asUtf16};

} // namespace

uint64_t Mutator::next() {
  // splitmix64 (Steele, Lea, Flood 2014): every seed is good, and the numbers are the same on every machine.
  uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

uint64_t Mutator::below(uint64_t limit) { return next() % limit; }

std::string Mutator::changeOnce(StringRef text, Others others) {
  return changes[below(std::size(changes))](text, others, *this);
}

std::string Mutator::mutate(StringRef text, Others others) {
  std::string out = changeOnce(text, others);
  for (uint64_t more = below(4); more > 0; --more)
    out = changeOnce(out, others);
  if (out.size() > largestText)
    out.resize(largestText);
  return out;
}

} // namespace ccgraph::test
