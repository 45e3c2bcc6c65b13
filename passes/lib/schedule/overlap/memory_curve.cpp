#include "schedule/overlap/memory_curve.h"

#include <algorithm>
#include <limits>

namespace ccgraph::overlap {

static constexpr int64_t nothing = std::numeric_limits<int64_t>::min() / 4;

MemoryCurve::MemoryCurve(llvm::ArrayRef<int64_t> bytes) {
  while (size_ < bytes.size())
    size_ *= 2;
  largest_.assign(2 * size_, nothing);
  added_.assign(2 * size_, 0);
  std::copy(bytes.begin(), bytes.end(), largest_.begin() + static_cast<ptrdiff_t>(size_));
  for (size_t node = size_; node-- > 1;)
    largest_[node] = std::max(largest_[2 * node], largest_[2 * node + 1]);
}

void MemoryCurve::add(Part part, size_t from, size_t to, int64_t bytes) {
  if (to <= part.from || part.to <= from)
    return;
  if (from <= part.from && part.to <= to) {
    largest_[part.node] += bytes;
    added_[part.node] += bytes;
    return;
  }
  add(part.left(), from, to, bytes);
  add(part.right(), from, to, bytes);
  largest_[part.node] = std::max(largest_[2 * part.node], largest_[2 * part.node + 1]) + added_[part.node];
}

int64_t MemoryCurve::largest(Part part, size_t from, size_t to) const {
  if (to <= part.from || part.to <= from)
    return nothing;
  if (from <= part.from && part.to <= to)
    return largest_[part.node];
  return std::max(largest(part.left(), from, to), largest(part.right(), from, to)) + added_[part.node];
}

} // namespace ccgraph::overlap
