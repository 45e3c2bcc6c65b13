// Options of a pass: typed members, declared once.
//
// A pass writes
//   Option<ByteCount> maxBytes{*this, "max-bytes", ByteCount{64 << 20}, "largest bucket"};
// among its members, and that one declaration feeds the pipeline parser, the printer, --help-pass
// and docs/passes.md. Nothing else lists options. Units stand in the type (ByteCount, Count), so
// that a text with the wrong one does not parse.
//
// Ownership: an option belongs to its pass, which keeps a list of pointers; passes therefore never
// move or copy. Options of one pass are set before it runs and not while it does.
// Failure: parse() says whether the text was a value; it leaves the old one where not, and the
// pipeline parser reports what syntax() expected (pipeline.bad-value). Cost: irrelevant, once a
// run.
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

/// A number of bytes, or no limit. Texts: "unlimited", "1500", "64KiB", "24.6GiB", "40g" (powers of 1024), "80GB" (of 1000), in any case;
/// printed in the largest unit that divides it. More than 2^63 - 1 bytes do not parse.
struct ByteCount {
  std::optional<int64_t> limit;
  friend bool operator==(const ByteCount &, const ByteCount &) = default;
};

/// A number of things, or no limit. Texts: "unlimited" or a number from 0.
struct Count {
  std::optional<int64_t> limit;
  friend bool operator==(const Count &, const Count &) = default;
};

/// Text of a value type: parse() of "x" gives a value whose print() parses to the same value.
/// `syntax` is what help shows: <bytes>, <count>.
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

/// What parser, printer and help see of an option. It enters itself in its pass when it is made, so
/// that the order of declaration is the order in help and docs.
class OptionBase {
public:
  OptionBase(const OptionBase &) = delete;
  OptionBase &operator=(const OptionBase &) = delete;
  virtual ~OptionBase() = default;

  /// Kebab-case, without dashes in front, unique within the pass: it stands in a pipeline as
  /// name=value.
  [[nodiscard]] const std::string &name() const { return name_; }
  /// One sentence without a full stop, for --help-pass and docs/passes.md.
  [[nodiscard]] const std::string &help() const { return help_; }
  /// What a value looks like: "grouped|flat", "<bytes>|unlimited".
  [[nodiscard]] virtual std::string syntax() const = 0;
  /// The present value as a pipeline would spell it; parse() of it gives the same value.
  [[nodiscard]] virtual std::string text() const = 0;
  /// The value that holds where a pipeline says nothing.
  [[nodiscard]] virtual std::string defaultText() const = 0;
  /// Takes the value that a text says. False if it is no value of this option; the old one stays.
  [[nodiscard]] virtual bool parse(llvm::StringRef text) = 0;

protected:
  OptionBase(Pass &pass, llvm::StringRef name, llvm::StringRef help);

private:
  std::string name_;
  std::string help_;
};

/// An option whose texts OptionText<T> knows: Option<bool>, Option<ByteCount>, Option<Count>.
template <typename T>
class Option final : public OptionBase {
public:
  Option(Pass &pass, llvm::StringRef name, T value, llvm::StringRef help)
      : OptionBase(pass, name, help), value_(value), default_(value) {}
  /// What the pass reads when it runs.
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

/// One of a few words, each standing for an enumerator of E. The default must be among them.
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
