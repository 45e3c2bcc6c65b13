#include "ccgraph/frontend/durations_file.h"

#include "machine/json_durations.h"
#include "json/longest_duration.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

namespace ccgraph {
namespace {

constexpr int64_t mostExponent = 30; ///< beyond it, every value overflows or becomes 0
constexpr int decimalsOfPicoseconds = 6;
constexpr int64_t picosecondsPerMicrosecond = 1000000;

/// The digits of a number, without its point, and how many of them follow the point.
struct Decimal {
  std::string digits;
  int64_t after = 0;
};

std::optional<Decimal> parseDecimal(llvm::StringRef text) {
  auto [mantissa, exponentText] = text.split(text.contains('E') ? 'E' : 'e');
  int64_t exponent = 0;
  exponentText.consume_front("+");
  if (mantissa.size() != text.size() && exponentText.getAsInteger(10, exponent))
    return std::nullopt;
  if (exponent > mostExponent || exponent < -mostExponent)
    return std::nullopt;
  auto [whole, fraction] = mantissa.split('.');
  Decimal number{(whole + fraction).str(), static_cast<int64_t>(fraction.size()) - exponent};
  if (number.digits.empty() || !llvm::all_of(number.digits, llvm::isDigit))
    return std::nullopt;
  return number;
}

/// Returns digits * 10^zeros.
std::optional<int64_t> valueOf(llvm::StringRef digits, int64_t zeros) {
  int64_t value = 0;
  for (char digit : digits)
    if (llvm::MulOverflow(value, int64_t(10), value) || llvm::AddOverflow(value, int64_t(digit - '0'), value))
      return std::nullopt;
  for (; zeros > 0 && value != 0; --zeros)
    if (llvm::MulOverflow(value, int64_t(10), value))
      return std::nullopt;
  return value;
}

/// Reads line by line, and collects all errors.
class Reader {
public:
  explicit Reader(const SourceText &source) : source_(source) { durations_.origin = source.name; }

  llvm::Expected<Durations> run() {
    for (llvm::StringRef rest = source_.text; !rest.empty();) {
      auto [line, after] = rest.split('\n');
      readLine(line.rtrim('\r'));
      rest = after;
    }
    finish();
    if (errors_.hasErrors())
      return makeError(errors_.take());
    return std::move(durations_);
  }

private:
  void error(llvm::StringRef at, std::string message, std::string repair = "") {
    // Each place costs a scan of the text, so errors that will not be printed are only counted.
    bool shown = errors_.numErrors() < errorLimit;
    auto offset = static_cast<size_t>(at.data() - source_.text.data());
    errors_.add(shown ? diagnoseAt(source_, offset, std::move(message), std::move(repair)) : Diagnostic());
  }

  void readLine(llvm::StringRef line) {
    if (line.trim().empty())
      return;
    if (line.startswith("#"))
      return readComment(line);
    auto [name, number] = line.split('\t');
    if (name.size() == line.size() || name.empty())
      return error(line, "expected a node's name, a tab and microseconds, got '" + line.take_front(60).str() + "'",
                   "e.g. mm_default<tab>463.225");
    bool isFirst = !std::exchange(sawLine_, true);
    if (isFirst && name == "name" && !parseMicroseconds(number))
      return; // the header
    readDuration(name, number);
  }

  void readDuration(llvm::StringRef name, llvm::StringRef number) {
    std::optional<int64_t> picoseconds = parseMicroseconds(number);
    if (!picoseconds || *picoseconds > longestDurationPs)
      return error(number, "expected microseconds of '" + name.str() + "' from 0 to " +
                               std::to_string(longestDurationPs / picosecondsPerMicrosecond) + ", got '" +
                               number.take_front(60).str() + "'");
    if (!durations_.add(name, {*picoseconds, stated_}))
      error(name, "node '" + name.str() + "' occurs twice", "a file holds one number for each node");
  }

  void readComment(llvm::StringRef line) {
    llvm::StringRef words = line.drop_front().trim();
    if (words.consume_front("graph "))
      return readDigest(words.trim());
    if (!words.consume_front("source "))
      return;
    words = words.trim();
    if (words == durationSourceName(DurationSource::Estimated))
      stated_ = DurationSource::Estimated;
    else if (words != durationSourceName(DurationSource::Measured))
      error(words, "expected measured or estimated, got '" + words.str() + "'");
    if (sawLine_)
      error(line, "the source of durations is stated after the first of them, expected it before",
            "put the line at the top of the file");
  }

  void readDigest(llvm::StringRef digest) {
    constexpr size_t digits = 64;
    if (digest.size() != digits || !llvm::all_of(digest, llvm::isHexDigit))
      return error(digest, "expected the digest of a graph: 64 hexadecimal digits, got '" + digest.str() + "'",
                   "ccgraph-opt GRAPH --json prints it; without the line, the names alone are held to the graph");
    durations_.digest = digest.lower();
  }

  void finish() {
    if (durations_.empty() && !errors_.hasErrors())
      error(source_.text, "expected durations of nodes, got none", "a line is a node's name, a tab and microseconds");
  }

  static constexpr size_t errorLimit = 20;
  const SourceText &source_;
  Durations durations_;
  Diagnostics errors_{errorLimit};
  DurationSource stated_ = DurationSource::Measured;
  bool sawLine_ = false;
};

} // namespace

// All digits of "1.2345" are one number, 12345, of which four digits follow the point. Picoseconds are six decimals of
// a microsecond: fewer are filled up with zeros, further ones are cut off and rounded by the first of them.
std::optional<int64_t> parseMicroseconds(llvm::StringRef text) {
  std::optional<Decimal> number = parseDecimal(text);
  if (!number)
    return std::nullopt;
  const int64_t surplus = number->after - decimalsOfPicoseconds;
  if (surplus <= 0)
    return valueOf(number->digits, -surplus);
  if (surplus > static_cast<int64_t>(number->digits.size()))
    return 0;
  const size_t kept = number->digits.size() - static_cast<size_t>(surplus);
  std::optional<int64_t> value = valueOf(llvm::StringRef(number->digits).take_front(kept), 0);
  if (value && number->digits[kept] >= '5' && llvm::AddOverflow(*value, int64_t(1), *value))
    return std::nullopt;
  return value;
}

llvm::Expected<Durations> readDurationsFile(const SourceText &source) {
  return looksLikeJson(source.text) ? readJsonDurations(source) : Reader(source).run();
}

} // namespace ccgraph
