#include "contract/toml_value.h"

#include "llvm/ADT/STLExtras.h"

// The library is used as headers without exceptions, so that an installed ccgraph needs no shared library of it.
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
// toml++ asserts what a text such as "[ /" breaks (parser::parse_key), and with NDEBUG lets the compiler assume it. The
// statements after the assertion report an error of the text.
#define TOML_ASSERT(expr) static_assert(true)
#pragma push_macro("NDEBUG")
#undef NDEBUG
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

namespace ccgraph {
namespace {

/// Finds the offset of a place of the library, which counts lines and columns from 1, and columns in code points.
class Offsets {
public:
  explicit Offsets(llvm::StringRef text) : text_(text), lines_{0} {
    for (size_t at = text.find('\n'); at != llvm::StringRef::npos; at = text.find('\n', at + 1))
      lines_.push_back(at + 1);
  }
  [[nodiscard]] size_t at(const toml::source_position &place) const {
    size_t line = std::clamp<size_t>(place.line, 1, lines_.size());
    size_t offset = lines_[line - 1];
    for (toml::source_index column = 1; column < place.column && offset < text_.size(); ++column)
      offset = nextCodePoint(offset);
    return offset;
  }

private:
  [[nodiscard]] size_t nextCodePoint(size_t offset) const {
    constexpr unsigned char mask = 0xC0, continuation = 0x80;
    do
      ++offset;
    while (offset < text_.size() && (static_cast<unsigned char>(text_[offset]) & mask) == continuation);
    return offset;
  }

  llvm::StringRef text_;
  std::vector<size_t> lines_; ///< offset of the first byte of each line
};

TomlValue::Kind kindOf(const toml::node &node) {
  switch (node.type()) {
  case toml::node_type::table:
    return TomlValue::Kind::Table;
  case toml::node_type::array:
    return TomlValue::Kind::Array;
  case toml::node_type::string:
    return TomlValue::Kind::String;
  case toml::node_type::integer:
    return TomlValue::Kind::Integer;
  case toml::node_type::floating_point:
    return TomlValue::Kind::Float;
  case toml::node_type::boolean:
    return TomlValue::Kind::Boolean;
  case toml::node_type::none:
  case toml::node_type::date:
  case toml::node_type::time:
  case toml::node_type::date_time:
    break;
  }
  return TomlValue::Kind::Date;
}

} // namespace

/// Copies the library's values, so that no other file depends on its types.
struct TomlConversion {
  const Offsets &offsets;

  [[nodiscard]] TomlValue valueOf(const toml::node &node, std::string key = "") const {
    TomlValue value;
    value.kind_ = kindOf(node);
    value.offset_ = offsets.at(node.source().begin);
    value.key_ = std::move(key);
    if (const auto *string = node.as_string())
      value.text_ = string->get();
    if (const auto *integer = node.as_integer())
      value.number_ = static_cast<double>(value.integer_ = integer->get());
    if (const auto *number = node.as_floating_point())
      value.number_ = number->get();
    addElements(value, node);
    return value;
  }

private:
  void addElements(TomlValue &value, const toml::node &node) const {
    if (const toml::array *array = node.as_array())
      for (const toml::node &element : *array)
        value.elements_.push_back(valueOf(element));
    const toml::table *table = node.as_table();
    if (!table)
      return;
    for (auto &&[key, member] : *table) {
      value.elements_.push_back(valueOf(member, std::string(key.str())));
      value.elements_.back().offset_ = offsets.at(key.source().begin);
    }
    // The library sorts keys; errors are reported in the order of the text.
    llvm::stable_sort(value.elements_, [](const TomlValue &a, const TomlValue &b) { return a.offset() < b.offset(); });
  }
};

llvm::StringRef TomlValue::kindText() const {
  switch (kind_) {
  case Kind::Table:
    return "a table";
  case Kind::Array:
    return "an array";
  case Kind::String:
    return "a string";
  case Kind::Integer:
    return "a whole number";
  case Kind::Float:
    return "a number with a fraction";
  case Kind::Boolean:
    return "a boolean";
  case Kind::Date:
    return "a date or time";
  }
  llvm_unreachable("all kinds are listed");
}

llvm::Expected<TomlValue> parseToml(const SourceText &source) {
  toml::parse_result result = toml::parse(std::string_view(source.text.data(), source.text.size()));
  Offsets offsets(source.text);
  if (!result) {
    const toml::parse_error &error = result.error();
    Diagnostic diagnostic =
        diagnoseAt(source, offsets.at(error.source().begin), "this is not TOML: " + std::string(error.description()),
                   "https://toml.io/en/v1.0.0 describes the syntax");
    diagnostic.rule = "contract.syntax";
    return makeError(std::move(diagnostic));
  }
  return TomlConversion{offsets}.valueOf(result.table());
}

} // namespace ccgraph
