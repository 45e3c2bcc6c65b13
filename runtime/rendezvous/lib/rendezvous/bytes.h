// ByteWriter, ByteReader: the messages between processes of one job, as bytes.
//
// Numbers are eight bytes in the machine's own order, texts are a length and their characters: both ends run the same
// build, which the first message verifies (program_agreement.h). Reading beyond the end yields zeros and empty texts,
// and isWhole() is then false.
//
// Ownership: a writer owns its bytes, a reader borrows them. Failure: isWhole(). Cost: linear in the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace ccgraph::runtime {

class ByteWriter {
public:
  void number(int64_t value) { raw(&value, sizeof(value)); }
  void text(llvm::StringRef text) {
    number(static_cast<int64_t>(text.size()));
    raw(text.data(), text.size());
  }
  void numbers(llvm::ArrayRef<int64_t> values) {
    number(static_cast<int64_t>(values.size()));
    raw(values.data(), values.size() * sizeof(int64_t));
  }
  void raw(const void *data, size_t size) {
    const auto *from = static_cast<const std::byte *>(data);
    bytes.insert(bytes.end(), from, from + size);
  }
  std::vector<std::byte> bytes;
};

class ByteReader {
public:
  explicit ByteReader(llvm::ArrayRef<std::byte> bytes) : rest_(bytes) {}

  int64_t number() {
    int64_t value = 0;
    take(&value, sizeof(value));
    return value;
  }
  std::string text() {
    std::string text(length(1), '\0');
    take(text.data(), text.size());
    return text;
  }
  std::vector<int64_t> numbers() {
    std::vector<int64_t> values(length(sizeof(int64_t)));
    take(values.data(), values.size() * sizeof(int64_t));
    return values;
  }
  void take(void *to, size_t size) {
    if (size > rest_.size()) {
      whole_ = false;
      rest_ = {};
      return;
    }
    if (size != 0)
      std::memcpy(to, rest_.data(), size);
    rest_ = rest_.drop_front(size);
  }
  /// How many elements of `size` bytes follow; 0 where they cannot.
  size_t length(size_t size) {
    auto count = static_cast<uint64_t>(number());
    if (count <= rest_.size() / size)
      return count;
    whole_ = false;
    return 0;
  }
  [[nodiscard]] bool isWhole() const { return whole_; }
  [[nodiscard]] bool atEnd() const { return rest_.empty(); }

private:
  llvm::ArrayRef<std::byte> rest_;
  bool whole_ = true;
};

} // namespace ccgraph::runtime
