#include "schedule/overlap/number_lists.h"

namespace ccgraph::overlap {

NumberLists NumberLists::inverse(size_t size) const {
  NumberLists result;
  result.start_.assign(size + 1, 0);
  for (uint32_t value : values_)
    ++result.start_[value + 1];
  for (size_t i = 0; i < size; ++i)
    result.start_[i + 1] += result.start_[i];
  result.values_.resize(values_.size());
  std::vector<uint32_t> next(result.start_.begin(), result.start_.end() - 1);
  for (size_t list = 0; list < this->size(); ++list)
    for (uint32_t value : (*this)[list])
      result.values_[next[value]++] = static_cast<uint32_t>(list);
  return result;
}

} // namespace ccgraph::overlap
