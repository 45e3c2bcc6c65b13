// JsonValue: one parsed JSON value, small and short-lived.
//
// Readers never hold a tree of a whole file: they are handed one value at a time (one node, one
// frame) and its memory is used again for the next. Members keep the order of the text, and every
// value knows where it starts, so that a place is computed only for an error.
//
// Ownership: values and their strings live in the parser's arena until the sink's value() returns;
// what is needed later must be copied. Failure: none; a look at what a value is not sees nothing
// (`integer` and `real` share their place: ask for the kind first).
// Cost: about 100 bytes a value, O(1) an access but for member().
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/iterator_range.h"

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace ccgraph {

/// Numbers come in three kinds: HugeInteger is one that 64 bits with sign do not hold, and has no value.
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

/// A value is written by the parser alone; readers see it const. Fields that do not belong to the
/// kind keep their defaults, so that a careless look at `text` of a number sees nothing rather than
/// something else.
struct JsonValue {
  JsonKind kind = JsonKind::Null;
  bool boolean = false;
  /// elements or members
  uint32_t count = 0;
  union {
    int64_t integer = 0; ///< Integer
    double real;         ///< Float
  };
  /// String: decoded; HugeInteger (one that 64 bits do not hold): its spelling
  llvm::StringRef text;
  /// where the value is a member: its key, decoded
  llvm::StringRef key;
  /// of its first byte, in the text that is being parsed
  size_t offset = 0;
  /// after its last byte; containers only, because a scalar's end is found by a look at the text
  size_t end = 0;
  const JsonValue *first = nullptr;
  const JsonValue *next = nullptr;

  [[nodiscard]] bool is(JsonKind wanted) const { return kind == wanted; }
  [[nodiscard]] llvm::iterator_range<JsonIterator> elements() const { return {JsonIterator(first), JsonIterator()}; }
  /// Null where absent or not an object. Linear: the objects of our files have a handful of members.
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
