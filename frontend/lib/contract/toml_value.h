// TomlValue: a value of a parsed TOML text whose errors have the places of the text.
//
// This is the only file that names the TOML library; the reader of contracts uses TomlValue.
//
// Ownership: plain values that own their parts. Failure: a DiagnosticError for a text
// that is not TOML. Cost: linear in the text.
#pragma once

#include "ccgraph/frontend/source_text.h"

#include "llvm/Support/Error.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ccgraph {

/// A value and the offset of its first byte in the text.
class TomlValue {
public:
  enum class Kind : uint8_t { Table, Array, String, Integer, Float, Boolean, Date };
  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool is(Kind kind) const { return kind_ == kind; }
  [[nodiscard]] size_t offset() const { return offset_; }
  /// Returns "a string", "a table": the kind, for messages.
  [[nodiscard]] llvm::StringRef kindText() const;

  // Each is meaningful for its kind only.
  [[nodiscard]] const std::string &text() const { return text_; }
  [[nodiscard]] int64_t integer() const { return integer_; }
  /// of a Float or an Integer
  [[nodiscard]] double number() const { return number_; }
  /// of a table: in the order of the text
  [[nodiscard]] const std::vector<TomlValue> &elements() const { return elements_; }
  /// of a member of a table; empty for other values
  [[nodiscard]] const std::string &key() const { return key_; }

private:
  friend struct TomlConversion;
  Kind kind_ = Kind::Table;
  size_t offset_ = 0;
  std::string key_;
  std::string text_;
  int64_t integer_ = 0;
  double number_ = 0;
  std::vector<TomlValue> elements_;
};

/// Returns the table of the whole text.
[[nodiscard]] llvm::Expected<TomlValue> parseToml(const SourceText &source);

} // namespace ccgraph
