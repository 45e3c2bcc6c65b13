#include "schedule/overlap/memory_curve.h"

#include <algorithm>
#include <limits>

namespace ccgraph::overlap {

/// The value of an unused leaf: so small that it is never the maximum, whatever is added.
static constexpr int64_t nothing = std::numeric_limits<int64_t>::min() / 4;

namespace {

/// Two nodes of one level with the positions of a range between them. At first these are the leaves beside the range.
struct Borders {
  Borders(size_t leaves, size_t from, size_t to) : left(leaves + from), right(leaves + to + 1) {}
  /// Returns true if no part of the range lies between them, at this level and above.
  [[nodiscard]] bool areSiblings() const { return (left ^ right) == 1; }
  /// Returns true if the node beside the left border covers exactly a part of the range that no higher node covers.
  [[nodiscard]] bool takesLeft() const { return left % 2 == 0; }
  [[nodiscard]] bool takesRight() const { return right % 2 == 1; }
  void climb() {
    left /= 2;
    right /= 2;
  }
  size_t left, right;
};

} // namespace

MemoryCurve::MemoryCurve(llvm::ArrayRef<int64_t> bytes) {
  while (leaves_ < bytes.size() + 2)
    leaves_ *= 2;
  nodes_.assign(2 * leaves_, {nothing, 0});
  for (size_t place = 0; place < bytes.size(); ++place)
    nodes_[leaves_ + 1 + place].largest = bytes[place];
  for (size_t node = leaves_; node-- > 1;)
    update(node);
}

void MemoryCurve::addAt(size_t node, int64_t bytes) {
  nodes_[node].largest += bytes;
  nodes_[node].added += bytes;
}

void MemoryCurve::update(size_t node) {
  nodes_[node].largest = std::max(nodes_[2 * node].largest, nodes_[2 * node + 1].largest) + nodes_[node].added;
}

void MemoryCurve::add(size_t from, size_t to, int64_t bytes) {
  if (from >= to)
    return;
  Borders borders(leaves_, from, to);
  while (!borders.areSiblings()) {
    if (borders.takesLeft())
      addAt(borders.left + 1, bytes);
    if (borders.takesRight())
      addAt(borders.right - 1, bytes);
    borders.climb();
    update(borders.left);
    update(borders.right);
  }
  for (size_t node = borders.left / 2; node > 0; node /= 2) {
    const int64_t before = nodes_[node].largest;
    update(node);
    if (nodes_[node].largest == before)
      return; // so is that of all nodes above
  }
}

int64_t MemoryCurve::largest(size_t from, size_t to) const {
  if (from >= to)
    return nothing;
  int64_t left = nothing, right = nothing;
  Borders borders(leaves_, from, to);
  while (!borders.areSiblings()) {
    if (borders.takesLeft())
      left = std::max(left, nodes_[borders.left + 1].largest);
    if (borders.takesRight())
      right = std::max(right, nodes_[borders.right - 1].largest);
    borders.climb();
    left += nodes_[borders.left].added;
    right += nodes_[borders.right].added;
  }
  int64_t result = std::max(left, right);
  for (size_t node = borders.left / 2; node > 0; node /= 2)
    result += nodes_[node].added;
  return result;
}

} // namespace ccgraph::overlap
