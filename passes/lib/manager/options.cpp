#include "ccgraph/passes/options.h"

#include "ccgraph/passes/pass.h"

namespace ccgraph {

namespace {

constexpr llvm::StringRef unlimited = "unlimited";

struct Unit {
  llvm::StringRef suffix;
  int64_t bytes;
};
constexpr Unit units[] = {{"GiB", int64_t{1} << 30}, {"MiB", int64_t{1} << 20}, {"KiB", int64_t{1} << 10}, {"", 1}};

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
  for (const Unit &unit : units) {
    llvm::StringRef digits = text;
    if (!digits.consume_back(unit.suffix))
      continue;
    auto value = parseCount(digits);
    if (!value || *value > INT64_MAX / unit.bytes)
      return std::nullopt;
    return ByteCount{*value * unit.bytes};
  }
  return std::nullopt;
}

// In the largest unit that has a whole number: 1073741824 is "1GiB", 1610612736 is "1536MiB", and 1500 is "1500". So
// what is printed reads back as the same number.
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

OptionBase::OptionBase(Pass &pass, llvm::StringRef name, llvm::StringRef help) : name_(name), help_(help) {
  pass.options_.push_back(this);
}

} // namespace ccgraph
