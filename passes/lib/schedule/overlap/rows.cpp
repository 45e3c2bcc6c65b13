#include "schedule/overlap/rows.h"

namespace ccgraph::overlap {

Rows Rows::inverse(size_t size) const {
  Rows result;
  result.start_.assign(size + 1, 0);
  for (uint32_t value : values_)
    ++result.start_[value + 1];
  for (size_t i = 0; i < size; ++i)
    result.start_[i + 1] += result.start_[i];
  result.values_.resize(values_.size());
  std::vector<uint32_t> next(result.start_.begin(), result.start_.end() - 1);
  for (size_t row = 0; row < this->size(); ++row)
    for (uint32_t value : (*this)[row])
      result.values_[next[value]++] = static_cast<uint32_t>(row);
  return result;
}

} // namespace ccgraph::overlap
