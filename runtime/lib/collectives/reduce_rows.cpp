#include "collectives/reduce_rows.h"

#include "collectives/combine.h"
#include "collectives/reduce.h"
#include "kernels/element_types.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace ccgraph::runtime {
namespace {

/// Elements that are combined before the next ones are read: a block of the widest type fits in the first cache.
constexpr size_t blockSize = 1024;

/// One dtype's and one operator's loops over one block. `E` is the element, `W` what it widens to. The first two rows are
/// combined in one loop, and the last one is narrowed as it is combined, so that two rows need no wide block between.
template <typename E, typename W, ReduceOp op>
class Block {
public:
  explicit Block(const ReduceRows &reduction) : reduction_(reduction) {}

  /// Elements begin..begin+count. A full block has a count that the compiler knows, which is what it makes vectors of.
  void run(int64_t begin, size_t count) {
    at_ = begin * static_cast<int64_t>(sizeof(E));
    if (count == blockSize)
      runCounted([] { return blockSize; });
    else
      runCounted([=] { return count; });
  }

private:
  static constexpr ReduceOp step = op == ReduceOp::Avg ? ReduceOp::Sum : op;

  template <typename Count>
  void runCounted(Count count) {
    size_t last = reduction_.rows.size() - 1;
    if (last == 0)
      narrowAll(count, [row = row(0)](size_t i) { return load(row, i); });
    else if (last == 1)
      narrowAll(count, [a = row(0), b = row(1)](size_t i) { return combine(step, load(a, i), load(b, i)); });
    else
      combineMany(last, count);
    for (std::byte *to : reduction_.destinations)
      std::memcpy(to + at_, narrow_, count() * sizeof(E));
  }

  template <typename Count>
  void combineMany(size_t last, Count count) {
    widenAll(count, [a = row(0), b = row(1)](size_t i) { return combine(step, load(a, i), load(b, i)); });
    for (size_t k = 2; k < last; ++k)
      widenAll(count, [this, next = row(k)](size_t i) { return combine(step, wide_[i], load(next, i)); });
    narrowAll(count, [this, next = row(last)](size_t i) { return combine(step, wide_[i], load(next, i)); });
  }

  template <typename Count, typename Compute>
  void widenAll(Count count, Compute compute) {
    for (size_t i = 0, n = count(); i < n; ++i)
      wide_[i] = compute(i);
  }
  template <typename Count, typename Compute>
  void narrowAll(Count count, Compute compute) {
    for (size_t i = 0, n = count(); i < n; ++i) {
      E element = narrow<E>(compute(i));
      if constexpr (op == ReduceOp::Avg)
        element = narrow<E>(widen(element) / divisor_);
      narrow_[i] = element;
    }
  }

  [[nodiscard]] const std::byte *row(size_t index) const { return reduction_.rows[index] + at_; }
  static W load(const std::byte *row, size_t i) {
    E element;
    std::memcpy(&element, row + i * sizeof(E), sizeof(E));
    return widen(element);
  }

  const ReduceRows &reduction_;
  using Divisor = std::conditional_t<std::is_same_v<W, Complex>, double, W>;
  Divisor divisor_ = static_cast<Divisor>(reduction_.rows.size());
  int64_t at_ = 0;
  alignas(64) W wide_[blockSize];
  alignas(64) E narrow_[blockSize];
};

template <typename E, ReduceOp op>
void reduceAll(const ReduceRows &reduction) {
  Block<E, decltype(widen(E())), op> block(reduction);
  auto step = static_cast<int64_t>(blockSize);
  for (int64_t begin = 0; begin < reduction.elements; begin += step)
    block.run(begin, static_cast<size_t>(std::min(step, reduction.elements - begin)));
}

/// One loop for each operator, because a choice within the loop would keep it from becoming vectors.
template <typename E>
void reduceBy(ReduceOp op, const ReduceRows &reduction) {
  switch (op) {
  case ReduceOp::Sum:
    return reduceAll<E, ReduceOp::Sum>(reduction);
  case ReduceOp::Avg:
    return reduceAll<E, ReduceOp::Avg>(reduction);
  case ReduceOp::Product:
    return reduceAll<E, ReduceOp::Product>(reduction);
  case ReduceOp::Min:
    return reduceAll<E, ReduceOp::Min>(reduction);
  case ReduceOp::Max:
    return reduceAll<E, ReduceOp::Max>(reduction);
  case ReduceOp::Band:
    return reduceAll<E, ReduceOp::Band>(reduction);
  case ReduceOp::Bor:
    return reduceAll<E, ReduceOp::Bor>(reduction);
  case ReduceOp::Bxor:
    return reduceAll<E, ReduceOp::Bxor>(reduction);
  }
}

} // namespace

void reduceRows(const ReduceRows &reduction) {
  withElement(reduction.dtype,
              [&](auto element) { reduceBy<decltype(element)>(operatorOn(reduction.op, reduction.dtype), reduction); });
}

} // namespace ccgraph::runtime
