// TextPool: texts by number.
//
// Ownership: owns the texts. Failure: none. Cost: a look-up in a hash table.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"

#include <cstdint>
#include <vector>

namespace ccgraph::jobs {

using Id = uint32_t;
inline constexpr Id none = ~Id{0};

class TextPool {
public:
  Id add(llvm::StringRef text) {
    auto [entry, isNew] = ids_.try_emplace(text, static_cast<Id>(texts_.size()));
    if (isNew)
      texts_.push_back(entry->getKey());
    return entry->getValue();
  }
  [[nodiscard]] llvm::StringRef operator[](Id id) const { return texts_[id]; }

private:
  llvm::StringMap<Id> ids_;
  std::vector<llvm::StringRef> texts_;
};

} // namespace ccgraph::jobs
