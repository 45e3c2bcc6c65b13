// Memo: values by key, each computed once, even where several threads ask for the same key at once.
//
// Ownership: the memo owns its values, and returns copies. Failure: that of the computation, which is tried again when
// the key is asked for again. Cost: a look-up and a copy; a thread waits while another one computes the same key.
#pragma once

#include "llvm/Support/Error.h"

#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace ccgraph::planner {

template <typename Value>
class Memo {
public:
  /// `compute` returns llvm::Expected<Value>.
  template <typename Compute>
  [[nodiscard]] llvm::Expected<Value> of(const std::string &key, Compute compute) {
    Entry &entry = entryOf(key);
    const std::lock_guard<std::mutex> guard(entry.lock);
    if (entry.value)
      return *entry.value;
    llvm::Expected<Value> value = compute();
    if (value)
      entry.value = *value;
    return value;
  }

private:
  struct Entry {
    std::mutex lock;
    std::optional<Value> value;
  };

  Entry &entryOf(const std::string &key) {
    const std::lock_guard<std::mutex> guard(lock_);
    return entries_[key];
  }

  std::mutex lock_;
  /// entries keep their address
  std::map<std::string, Entry> entries_;
};

} // namespace ccgraph::planner
