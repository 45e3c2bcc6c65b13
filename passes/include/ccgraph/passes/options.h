// Options of a pass: typed members, each declared once.
//
// A pass writes
//   Option<ByteCount> maxBytes{*this, "max-bytes", ByteCount{64 << 20}, "largest bucket"};
// among its members. This one declaration feeds the pipeline parser, the printer, --help-pass and docs/passes.md; there
// is no other list of options. The type contains the unit (ByteCount, Count), so a text with the wrong unit does not
// parse.
//
// Ownership: an option belongs to its pass, which keeps a list of pointers. Passes therefore never move or copy. The
// options of a pass are set before it runs and not while it runs.
// Failure: parse() returns whether the text was a value and keeps the old value if it was not. The pipeline parser then
// reports the expected syntax() (pipeline.bad-value). Cost: irrelevant, once a run.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ccgraph {

class Pass;

/// A number of bytes, or no limit. Texts: "unlimited", "1500", "64KiB", "24.6GiB", "40g" (powers of 1024), "80GB"
/// (powers of 1000), in any case. Printed in the largest unit that divides it. More than 2^63 - 1 bytes do not parse.
struct ByteCount {
  std::optional<int64_t> limit;
  friend bool operator==(const ByteCount &, const ByteCount &) = default;
};

/// A number of items, or no limit. Texts: "unlimited" or a number from 0.
struct Count {
  std::optional<int64_t> limit;
  friend bool operator==(const Count &, const Count &) = default;
};

/// Names of nodes, or none. Texts: "q", "q+q_1" (no name contains a plus sign), "*" for none: the pass chooses.
struct NodeNames {
  std::vector<std::string> names;
  friend bool operator==(const NodeNames &, const NodeNames &) = default;
};

/// The text form of a value type: print() and parse() are inverse to each other. `syntax` is what help shows: <bytes>,
/// <count>.
template <typename T>
struct OptionText;

template <>
struct OptionText<bool> {
  static std::string syntax() { return "true|false"; }
  static std::optional<bool> parse(llvm::StringRef text);
  static std::string print(bool value);
};
template <>
struct OptionText<ByteCount> {
  static std::string syntax() { return "<bytes>|unlimited"; }
  static std::optional<ByteCount> parse(llvm::StringRef text);
  static std::string print(ByteCount value);
};
template <>
struct OptionText<Count> {
  static std::string syntax() { return "<count>|unlimited"; }
  static std::optional<Count> parse(llvm::StringRef text);
  static std::string print(Count value);
};

template <>
struct OptionText<NodeNames> {
  static std::string syntax() { return "<names>|*"; }
  static std::optional<NodeNames> parse(llvm::StringRef text);
  static std::string print(const NodeNames &value);
};

/// The part of an option that parser, printer and help use. The constructor adds the option to its pass, so the order
/// of declaration is the order in help and docs.
class OptionBase {
public:
  OptionBase(const OptionBase &) = delete;
  OptionBase &operator=(const OptionBase &) = delete;
  virtual ~OptionBase() = default;

  /// Kebab-case, without leading dashes, unique within the pass. A pipeline writes it as name=value.
  [[nodiscard]] const std::string &name() const { return name_; }
  /// One sentence without a full stop, for --help-pass and docs/passes.md.
  [[nodiscard]] const std::string &help() const { return help_; }
  /// Returns the form of a value: "grouped|flat", "<bytes>|unlimited".
  [[nodiscard]] virtual std::string syntax() const = 0;
  /// Returns the present value as a pipeline writes it; parse() of it gives the same value.
  [[nodiscard]] virtual std::string text() const = 0;
  /// Returns the value that holds if a pipeline does not set the option.
  [[nodiscard]] virtual std::string defaultText() const = 0;
  /// Sets the value from a text. Returns false and keeps the old value if the text is no value of this option.
  [[nodiscard]] virtual bool parse(llvm::StringRef text) = 0;

protected:
  OptionBase(Pass &pass, llvm::StringRef name, llvm::StringRef help);

private:
  std::string name_;
  std::string help_;
};

/// An option whose text form is OptionText<T>: Option<bool>, Option<ByteCount>, Option<Count>, Option<NodeNames>.
template <typename T>
class Option final : public OptionBase {
public:
  Option(Pass &pass, llvm::StringRef name, T value, llvm::StringRef help)
      : OptionBase(pass, name, help), value_(value), default_(value) {}
  /// Returns the value that the pass uses.
  [[nodiscard]] const T &get() const { return value_; }
  [[nodiscard]] std::string syntax() const override { return OptionText<T>::syntax(); }
  [[nodiscard]] std::string text() const override { return OptionText<T>::print(value_); }
  [[nodiscard]] std::string defaultText() const override { return OptionText<T>::print(default_); }
  [[nodiscard]] bool parse(llvm::StringRef text) override {
    auto value = OptionText<T>::parse(text);
    if (value)
      value_ = *value;
    return value.has_value();
  }

private:
  T value_;
  T default_;
};

/// An option whose value is one of a few words, each for an enumerator of E. The default must be among them.
template <typename E>
class ChoiceOption final : public OptionBase {
public:
  using Words = std::vector<std::pair<std::string, E>>;
  ChoiceOption(Pass &pass, llvm::StringRef name, E value, Words words, llvm::StringRef help)
      : OptionBase(pass, name, help), value_(value), default_(value), words_(std::move(words)) {}
  [[nodiscard]] E get() const { return value_; }
  [[nodiscard]] std::string syntax() const override {
    std::string all;
    for (const auto &[word, ignored] : words_)
      all += (all.empty() ? "" : "|") + word;
    return all;
  }
  [[nodiscard]] std::string text() const override { return word(value_); }
  [[nodiscard]] std::string defaultText() const override { return word(default_); }
  [[nodiscard]] bool parse(llvm::StringRef text) override {
    for (const auto &[word, value] : words_)
      if (text == word)
        return value_ = value, true;
    return false;
  }

private:
  [[nodiscard]] std::string word(E value) const {
    for (const auto &[word, known] : words_)
      if (known == value)
        return word;
    return {};
  }
  E value_;
  E default_;
  Words words_;
};

} // namespace ccgraph
