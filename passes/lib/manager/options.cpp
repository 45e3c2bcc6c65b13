#include "ccgraph/passes/options.h"

#include "ccgraph/passes/pass.h"

#include "llvm/ADT/StringExtras.h"

namespace ccgraph {

namespace {

constexpr llvm::StringRef unlimited = "unlimited";

struct Unit {
  llvm::StringRef suffix;
  int64_t bytes;
};
/// The units in which sizes are printed.
constexpr Unit units[] = {{"GiB", int64_t{1} << 30}, {"MiB", int64_t{1} << 20}, {"KiB", int64_t{1} << 10}, {"", 1}};

/// "GiB" and "G", as in Slurm and Docker, are powers of 1024; "GB" is a power of 1000. In any case.
std::optional<int64_t> bytesOfUnit(llvm::StringRef unit) {
  constexpr llvm::StringRef letters = "kmgt";
  std::string lower = unit.lower();
  llvm::StringRef rest = lower;
  if (rest.empty() || rest == "b")
    return 1;
  size_t power = letters.find(rest.front());
  rest = rest.drop_front();
  if (power == llvm::StringRef::npos || (!rest.empty() && rest != "ib" && rest != "b"))
    return std::nullopt;
  int64_t bytes = 1;
  for (size_t i = 0; i <= power; ++i)
    bytes *= rest == "b" ? 1000 : 1024;
  return bytes;
}

/// Returns the bytes of "0.6" units, rounded down; digits after the sixth are ignored.
std::optional<int64_t> bytesOfFraction(llvm::StringRef digits, int64_t unit) {
  constexpr size_t most = 6;
  if (unit == 1 || digits.empty() || !llvm::all_of(digits, llvm::isDigit))
    return std::nullopt;
  int64_t numerator = 0;
  int64_t denominator = 1;
  for (char c : digits.take_front(most)) {
    numerator = 10 * numerator + (c - '0');
    denominator *= 10;
  }
  return numerator * (unit / denominator) + numerator * (unit % denominator) / denominator;
}

std::optional<int64_t> parseCount(llvm::StringRef text) {
  uint64_t value = 0;
  if (text.empty() || text.getAsInteger(10, value) || value > static_cast<uint64_t>(INT64_MAX))
    return std::nullopt;
  return static_cast<int64_t>(value);
}

} // namespace

std::optional<bool> OptionText<bool>::parse(llvm::StringRef text) {
  if (text == "true")
    return true;
  if (text == "false")
    return false;
  return std::nullopt;
}

std::string OptionText<bool>::print(bool value) { return value ? "true" : "false"; }

std::optional<ByteCount> OptionText<ByteCount>::parse(llvm::StringRef text) {
  if (text == unlimited)
    return ByteCount{};
  llvm::StringRef number = text.take_while([](char c) { return llvm::isDigit(c) || c == '.'; });
  std::optional<int64_t> unit = bytesOfUnit(text.drop_front(number.size()).ltrim(' '));
  auto [digits, fraction] = number.split('.');
  std::optional<int64_t> whole = parseCount(digits);
  if (!unit || !whole || *whole > INT64_MAX / *unit)
    return std::nullopt;
  std::optional<int64_t> part = digits.size() == number.size() ? 0 : bytesOfFraction(fraction, *unit);
  if (!part || *whole * *unit > INT64_MAX - *part)
    return std::nullopt;
  return ByteCount{*whole * *unit + *part};
}

// Prints the largest unit that gives a whole number: 1073741824 is "1GiB", 1610612736 is "1536MiB", and 1500 is "1500".
// So the printed text parses to the same number.
std::string OptionText<ByteCount>::print(ByteCount value) {
  if (!value.limit)
    return unlimited.str();
  for (const Unit &unit : units)
    if (*value.limit != 0 && *value.limit % unit.bytes == 0)
      return std::to_string(*value.limit / unit.bytes) + unit.suffix.str();
  return "0";
}

std::optional<Count> OptionText<Count>::parse(llvm::StringRef text) {
  if (text == unlimited)
    return Count{};
  if (auto value = parseCount(text))
    return Count{*value};
  return std::nullopt;
}

std::string OptionText<Count>::print(Count value) {
  return value.limit ? std::to_string(*value.limit) : unlimited.str();
}

std::optional<NodeNames> OptionText<NodeNames>::parse(llvm::StringRef text) {
  if (text == "*")
    return NodeNames{};
  NodeNames value;
  for (llvm::StringRef name : llvm::split(text, '+')) {
    if (name.empty())
      return std::nullopt;
    value.names.push_back(name.str());
  }
  return value;
}

std::string OptionText<NodeNames>::print(const NodeNames &value) {
  return value.names.empty() ? "*" : llvm::join(value.names, "+");
}

OptionBase::OptionBase(Pass &pass, llvm::StringRef name, llvm::StringRef help) : name_(name), help_(help) {
  pass.options_.push_back(this);
}

} // namespace ccgraph
