#include "collectives/reduce_rows.h"

#include "collectives/combine.h"
#include "collectives/reduce.h"
#include "kernels/element_types.h"

#include <cstring>

namespace ccgraph::runtime {
namespace {

/// Elements that are combined before the next ones are read: a block of the widest type fits in the first cache.
constexpr size_t blockSize = 1024;

/// One dtype's loops over one block. `E` is the element, `W` what it widens to.
template <typename E, typename W>
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
  template <typename Count>
  void runCounted(Count count) {
    for (size_t i = 0, n = count(); i < n; ++i)
      wide_[i] = load(reduction_.rows[0] + at_, i);
    for (const std::byte *row : reduction_.rows.drop_front())
      add(row + at_, count);
    for (size_t i = 0, n = count(); i < n; ++i)
      narrow_[i] = narrow<E>(wide_[i]);
    if (reduction_.op == ReduceOp::Avg)
      for (size_t i = 0, n = count(); i < n; ++i)
        narrow_[i] = narrow<E>(widen(narrow_[i]) / divisor_);
    for (std::byte *to : reduction_.destinations)
      std::memcpy(to + at_, narrow_, count() * sizeof(E));
  }

  static W load(const std::byte *row, size_t i) {
    E element;
    std::memcpy(&element, row + i * sizeof(E), sizeof(E));
    return widen(element);
  }

  /// One loop for each operator, because a choice within the loop would keep it from becoming vectors.
  template <typename Count>
  void add(const std::byte *row, Count count) {
    switch (reduction_.op) {
    case ReduceOp::Sum:
    case ReduceOp::Avg:
      return combineAll<ReduceOp::Sum>(row, count);
    case ReduceOp::Product:
      return combineAll<ReduceOp::Product>(row, count);
    case ReduceOp::Min:
      return combineAll<ReduceOp::Min>(row, count);
    case ReduceOp::Max:
      return combineAll<ReduceOp::Max>(row, count);
    case ReduceOp::Band:
      return combineAll<ReduceOp::Band>(row, count);
    case ReduceOp::Bor:
      return combineAll<ReduceOp::Bor>(row, count);
    case ReduceOp::Bxor:
      return combineAll<ReduceOp::Bxor>(row, count);
    }
  }
  template <ReduceOp op, typename Count>
  void combineAll(const std::byte *__restrict row, Count count) {
    W *__restrict wide = wide_;
    for (size_t i = 0, n = count(); i < n; ++i)
      wide[i] = combine(op, wide[i], load(row, i));
  }

  const ReduceRows &reduction_;
  using Divisor = std::conditional_t<std::is_same_v<W, Complex>, double, W>;
  Divisor divisor_ = static_cast<Divisor>(reduction_.rows.size());
  int64_t at_ = 0;
  alignas(64) W wide_[blockSize];
  alignas(64) E narrow_[blockSize];
};

} // namespace

void reduceRows(const ReduceRows &reduction) {
  withElement(reduction.dtype, [&](auto element) {
    using E = decltype(element);
    ReduceRows onElements = reduction;
    onElements.op = operatorOn(reduction.op, reduction.dtype);
    Block<E, decltype(widen(E()))> block(onElements);
    auto step = static_cast<int64_t>(blockSize);
    for (int64_t begin = 0; begin < reduction.elements; begin += step)
      block.run(begin, static_cast<size_t>(std::min(step, reduction.elements - begin)));
  });
}

} // namespace ccgraph::runtime
