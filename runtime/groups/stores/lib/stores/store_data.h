// StoreData: the keys, values and queues of a store, without waiting: what a hash store and the server of a tcp store
// keep.
//
// Ownership: owns its contents. Not thread-safe. Failure: store.value, and then nothing has changed. Cost: a hash of
// the key, and that of the bytes.
#pragma once

#include "ccgraph/runtime/store.h"

#include "llvm/ADT/StringMap.h"

#include <deque>

namespace ccgraph::runtime {

/// Returns the sum of the number that `text` begins with and `amount`, as torch.distributed's stores compute it; empty
/// text counts as 0. Fails with "stoll".
[[nodiscard]] llvm::Expected<int64_t> addToText(llvm::StringRef key, llvm::StringRef text, int64_t amount);

class StoreData {
public:
  explicit StoreData(StoreLimits limits) : limits_(limits) {}

  [[nodiscard]] llvm::Error set(llvm::StringRef key, llvm::StringRef value);
  /// Null where the key is absent; valid until the next change.
  [[nodiscard]] const std::string *find(llvm::StringRef key) const;
  [[nodiscard]] llvm::Expected<int64_t> add(llvm::StringRef key, int64_t amount);
  [[nodiscard]] llvm::Expected<std::string> compareSet(llvm::StringRef key, llvm::StringRef expected,
                                                       llvm::StringRef desired);
  [[nodiscard]] llvm::Error append(llvm::StringRef key, llvm::StringRef value);
  bool erase(llvm::StringRef key);
  [[nodiscard]] size_t numKeys() const { return values_.size(); }
  [[nodiscard]] std::vector<std::string> keys() const;
  /// A value or a queue with items.
  [[nodiscard]] bool has(llvm::StringRef key) const;

  [[nodiscard]] llvm::Error push(llvm::StringRef queue, llvm::StringRef value);
  /// Empty where the queue is empty.
  [[nodiscard]] std::optional<std::string> pop(llvm::StringRef queue);
  [[nodiscard]] size_t length(llvm::StringRef queue) const;

  [[nodiscard]] int64_t bytes() const { return bytes_; }

private:
  /// Checks that a key may have a value of `after` bytes instead of `before`; `isNew`: the key is not there yet.
  struct Change {
    llvm::StringRef key;
    size_t before = 0;
    size_t after = 0;
    bool isNew = false;
  };
  [[nodiscard]] llvm::Error reserve(const Change &change);

  StoreLimits limits_;
  llvm::StringMap<std::string> values_;
  llvm::StringMap<std::deque<std::string>> queues_;
  int64_t bytes_ = 0;
};

} // namespace ccgraph::runtime
