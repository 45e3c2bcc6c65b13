// JsonValue: one parsed JSON value, small and short-lived.
//
// Readers never hold a tree of a whole file: they receive one value at a time (one node, one frame), and its memory is
// reused for the next. Members keep the order of the text. Every value stores its offset, so a place is computed only
// for an error.
//
// Ownership: values and their strings live in the parser's arena until the sink's value() returns; copy what is needed
// later. Failure: none; reading a field of another kind yields its default (`integer` and `real` share their memory:
// test the kind first). Cost: about 100 bytes a value, O(1) an access except member().
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/iterator_range.h"

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace ccgraph {

/// Numbers have three kinds; HugeInteger is one that signed 64 bits do not hold, and has no value.
enum class JsonKind : uint8_t { Null, Bool, Integer, Float, HugeInteger, String, Array, Object };

struct JsonValue;

/// Walks the elements of an array or the members of an object, in the order of the text. Valid as long as the value is.
class JsonIterator {
public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = const JsonValue;
  using difference_type = std::ptrdiff_t;
  using pointer = const JsonValue *;
  using reference = const JsonValue &;
  explicit JsonIterator(const JsonValue *value = nullptr) : value_(value) {}
  reference operator*() const { return *value_; }
  pointer operator->() const { return value_; }
  JsonIterator &operator++();
  JsonIterator operator++(int) {
    auto old = *this;
    ++*this;
    return old;
  }
  friend bool operator==(JsonIterator a, JsonIterator b) { return a.value_ == b.value_; }

private:
  const JsonValue *value_;
};

/// The parser alone writes a value; readers see it const. Fields of other kinds keep their defaults, so an access
/// without a test, such as `text` of a number, yields an empty result.
struct JsonValue {
  JsonKind kind = JsonKind::Null;
  bool boolean = false;
  /// elements or members
  uint32_t count = 0;
  union {
    int64_t integer = 0; ///< Integer
    double real;         ///< Float
  };
  /// String: decoded; HugeInteger: its text
  llvm::StringRef text;
  /// where the value is a member: its key, decoded
  llvm::StringRef key;
  /// offset of its first byte, in the text that is being parsed
  size_t offset = 0;
  /// offset after its last byte; only for containers, because the text shows the end of a scalar
  size_t end = 0;
  const JsonValue *first = nullptr;
  const JsonValue *next = nullptr;

  [[nodiscard]] bool is(JsonKind wanted) const { return kind == wanted; }
  [[nodiscard]] llvm::iterator_range<JsonIterator> elements() const { return {JsonIterator(first), JsonIterator()}; }
  /// Returns null where absent or not an object. Linear: the objects of our files have a handful of members.
  [[nodiscard]] const JsonValue *member(llvm::StringRef name) const {
    for (const JsonValue &value : elements())
      if (kind == JsonKind::Object && value.key == name)
        return &value;
    return nullptr;
  }
};

inline JsonIterator &JsonIterator::operator++() {
  value_ = value_->next;
  return *this;
}

} // namespace ccgraph
