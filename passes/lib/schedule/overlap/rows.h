// Rows: lists of numbers of different lengths, one after the other in one array.
//
// Ownership: owns its numbers. Failure: none. Cost: O(1) a row, without an allocation a row.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <vector>

namespace ccgraph::overlap {

class Rows {
public:
  [[nodiscard]] size_t size() const { return start_.size() - 1; }
  llvm::ArrayRef<uint32_t> operator[](size_t row) const {
    return llvm::ArrayRef(values_).slice(start_[row], start_[row + 1] - start_[row]);
  }
  /// Adds to the unfinished row; endRow() finishes it.
  void push(uint32_t value) { values_.push_back(value); }
  void endRow() { start_.push_back(static_cast<uint32_t>(values_.size())); }
  void append(llvm::ArrayRef<uint32_t> row) {
    values_.insert(values_.end(), row.begin(), row.end());
    endRow();
  }
  /// Returns the inverse, with `size` rows: row v contains the rows that hold v, ascending.
  [[nodiscard]] Rows inverse(size_t size) const;

private:
  std::vector<uint32_t> start_ = {0};
  std::vector<uint32_t> values_;
};

} // namespace ccgraph::overlap
