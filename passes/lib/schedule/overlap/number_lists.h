// NumberLists: lists of numbers of different lengths, one after the other in one array.
//
// Ownership: owns its numbers. Failure: none. Cost: O(1) a list, without an allocation a list.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ccgraph::overlap {

class NumberLists {
public:
  [[nodiscard]] size_t size() const { return start_.size() - 1; }
  llvm::ArrayRef<uint32_t> operator[](size_t list) const {
    return {values_.data() + start_[list], start_[list + 1] - start_[list]};
  }
  /// Returns all lists as one, the first one first.
  [[nodiscard]] llvm::ArrayRef<uint32_t> values() const { return values_; }
  /// Adds to the unfinished list; endList() finishes it.
  void push(uint32_t value) { values_.push_back(value); }
  void endList() { start_.push_back(static_cast<uint32_t>(values_.size())); }
  void append(llvm::ArrayRef<uint32_t> list) {
    values_.insert(values_.end(), list.begin(), list.end());
    endList();
  }
  /// Appends the numbers ascending, each once; sorts them in place.
  void appendSet(llvm::MutableArrayRef<uint32_t> numbers) {
    llvm::sort(numbers);
    append(numbers.take_front(static_cast<size_t>(std::unique(numbers.begin(), numbers.end()) - numbers.begin())));
  }
  /// Returns the inverse, with `size` lists: list v contains the lists that hold v, ascending.
  [[nodiscard]] NumberLists inverse(size_t size) const;

private:
  std::vector<uint32_t> start_ = {0};
  std::vector<uint32_t> values_;
};

} // namespace ccgraph::overlap
