#include "collectives/reduce_rows.h"

#include "collectives/combine.h"
#include "collectives/reduce.h"
#include "tensor/half_rows.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace ccgraph::runtime {
namespace {

/// Elements that are combined before the next ones are read: a block of the widest type fits in the first cache.
constexpr size_t blockSize = 1024;

// --- Stores past the caches -------------------------------------------------------------------------------------
/// A result that fits into the caches should stay there, and one that overlaps the read rows is in the caches already.
bool resultsOutgrowCaches(const ReduceRows &reduction, size_t elementSize) {
  constexpr size_t large = size_t{8} << 20;
  size_t bytes = static_cast<size_t>(reduction.elements) * elementSize * reduction.destinations.size();
  auto isRead = [&](const std::byte *to) { return llvm::is_contained(reduction.rows, to); };
  return bytes >= large && llvm::none_of(reduction.destinations, isRead);
}

#if defined(__x86_64__)
bool isStreamable(const std::byte *to, size_t bytes) {
  return reinterpret_cast<uintptr_t>(to) % 16 == 0 && bytes % 16 == 0;
}

void streamBytes(std::byte *to, const std::byte *from, size_t bytes) {
  for (size_t i = 0; i < bytes; i += 16)
    _mm_stream_si128(reinterpret_cast<__m128i *>(to + i), _mm_load_si128(reinterpret_cast<const __m128i *>(from + i)));
}
/// Such stores are not ordered with others, so they must complete before another rank is notified.
void finishStreams() { _mm_sfence(); }
#else
bool isStreamable(const std::byte *, size_t) { return false; }
void streamBytes(std::byte *, const std::byte *, size_t) {}
void finishStreams() {}
#endif

template <typename E>
constexpr bool hasHalfTheBits = std::is_same_v<E, Half> || std::is_same_v<E, BFloat16>;

/// The loops of one dtype and one operator over one block. `E` is the element type, `W` the type of the arithmetic. The
/// first two rows are combined in one loop, and the last one is narrowed as it is combined, so that two rows need no
/// intermediate wide block. Rows of f16 and bf16 are converted to f32 and back as a block, since the processor has
/// instructions for that.
template <typename E, typename W, ReduceOp op>
class Block {
public:
  explicit Block(const ReduceRows &reduction)
      : reduction_(reduction), streams_(resultsOutgrowCaches(reduction, sizeof(E))) {}
  ~Block() {
    if (streams_)
      finishStreams();
  }
  Block(const Block &) = delete;
  Block &operator=(const Block &) = delete;

  /// Combines elements begin..begin+count. A full block has a compile-time count, which lets the compiler vectorise it.
  void run(int64_t begin, size_t count) {
    at_ = begin * static_cast<int64_t>(sizeof(E));
    if (count == blockSize)
      runCounted([] { return blockSize; });
    else
      runCounted([=] { return count; });
  }

private:
  static constexpr ReduceOp step = op == ReduceOp::Avg ? ReduceOp::Sum : op;
  static constexpr bool isHalf = hasHalfTheBits<E>;
  /// The type in which elements of a row are combined after reading.
  using Read = std::conditional_t<isHalf, float, E>;

  template <typename Count>
  void runCounted(Count count) {
    size_t last = reduction_.rows.size() - 1;
    if (last == 0)
      narrowAll(count, [row = row(0, count())](size_t i) { return load(row, i); });
    else if (last == 1 && isHalf && step == ReduceOp::Sum)
      addTwo(count());
    else if (last == 1)
      narrowAll(count,
                [a = row(0, count()), b = row(1, count())](size_t i) { return combine(step, load(a, i), load(b, i)); });
    else
      combineMany(last, count);
    for (std::byte *to : reduction_.destinations)
      store(to + at_, count() * sizeof(E));
  }

  /// Past the caches where a result is larger than they are: else each line would be read before it is written.
  void store(std::byte *to, size_t bytes) const {
    if (streams_ && isStreamable(to, bytes))
      streamBytes(to, reinterpret_cast<const std::byte *>(narrow_), bytes);
    else
      std::memcpy(to, narrow_, bytes);
  }

  /// The sum or average of two rows of 16 bits, as they are.
  void addTwo([[maybe_unused]] size_t count) {
    if constexpr (isHalf) {
      const auto *a = reinterpret_cast<const E *>(reduction_.rows[0] + at_);
      const auto *b = reinterpret_cast<const E *>(reduction_.rows[1] + at_);
      op == ReduceOp::Avg ? averageHalves(a, b, narrow_, count) : addHalves(a, b, narrow_, count);
    }
  }

  template <typename Count>
  void combineMany(size_t last, Count count) {
    widenAll(count,
             [a = row(0, count()), b = row(1, count())](size_t i) { return combine(step, load(a, i), load(b, i)); });
    for (size_t k = 2; k < last; ++k)
      widenAll(count, [this, next = row(k, count())](size_t i) { return combine(step, wide_[i], load(next, i)); });
    narrowAll(count, [this, next = row(last, count())](size_t i) { return combine(step, wide_[i], load(next, i)); });
  }

  template <typename Count, typename Compute>
  void widenAll(Count count, Compute compute) {
    for (size_t i = 0, n = count(); i < n; ++i)
      wide_[i] = compute(i);
  }

  template <typename Count, typename Compute>
  void narrowAll(Count count, Compute compute) {
    if constexpr (isHalf)
      return narrowHalves(count, compute);
    for (size_t i = 0, n = count(); i < n; ++i) {
      E element = narrow<E>(compute(i));
      if constexpr (op == ReduceOp::Avg)
        element = narrow<E>(wideOf(element) / divisor_);
      narrow_[i] = element;
    }
  }

  template <typename Count, typename Compute>
  void narrowHalves(Count count, Compute compute) {
    for (size_t i = 0, n = count(); i < n; ++i)
      sums_[i] = static_cast<float>(compute(i));
    halvesFromFloats(sums_, narrow_, count());
    if constexpr (op == ReduceOp::Avg) {
      floatsFromHalves(narrow_, sums_, count());
      for (size_t i = 0, n = count(); i < n; ++i)
        sums_[i] = static_cast<float>(static_cast<W>(sums_[i]) / divisor_);
      halvesFromFloats(sums_, narrow_, count());
    }
  }

  /// Returns the address from which this block of a row is read.
  const std::byte *row(size_t index, [[maybe_unused]] size_t count) {
    const std::byte *from = reduction_.rows[index] + at_;
    if constexpr (isHalf) {
      float *floats = floats_[std::min<size_t>(index, 1)];
      floatsFromHalves(reinterpret_cast<const E *>(from), floats, count);
      from = reinterpret_cast<const std::byte *>(floats);
    }
    return from;
  }
  static W load(const std::byte *row, size_t i) {
    Read element;
    std::memcpy(&element, row + i * sizeof(Read), sizeof(Read));
    return wideOf(element);
  }
  template <typename Element>
  static W wideOf(Element element) {
    return static_cast<W>(widen(element));
  }

  const ReduceRows &reduction_;
  bool streams_;
  using Divisor = std::conditional_t<std::is_same_v<W, Complex>, double, W>;
  Divisor divisor_ = static_cast<Divisor>(reduction_.rows.size());
  int64_t at_ = 0;
  alignas(64) W wide_[blockSize];
  alignas(64) E narrow_[blockSize];
  /// of f16 and bf16: the row that came first, or the one that comes next, and their sums
  alignas(64) float floats_[2][isHalf ? blockSize : 1];
  alignas(64) float sums_[isHalf ? blockSize : 1];
};

template <typename E, typename W, ReduceOp op>
void reduceIn(const ReduceRows &reduction) {
  Block<E, W, op> block(reduction);
  auto step = static_cast<int64_t>(blockSize);
  for (int64_t begin = 0; begin < reduction.elements; begin += step)
    block.run(begin, static_cast<size_t>(std::min(step, reduction.elements - begin)));
}

/// Combines two numbers of 16 bits in f32, with the same result as in f64: f32 has more than 2p+2 bits (elements.h), so
/// rounding to f32 first does not change the final rounding.
template <typename E, ReduceOp op>
void reduceAll(const ReduceRows &reduction) {
  if constexpr (hasHalfTheBits<E>)
    if (reduction.rows.size() <= 2)
      return reduceIn<E, float, op>(reduction);
  reduceIn<E, decltype(widen(E())), op>(reduction);
}

/// The operator whose loop computes `op` on E. combine() adds elements that have no such operator, so they share the
/// loop of the sum.
template <typename E>
constexpr ReduceOp loopOf(ReduceOp op) {
  constexpr bool isInteger = std::is_integral_v<E> || std::is_same_v<E, Truth>;
  constexpr bool isReal = std::is_floating_point_v<E> || hasHalfTheBits<E>;
  bool isBitwise = op == ReduceOp::Band || op == ReduceOp::Bor || op == ReduceOp::Bxor;
  bool has = isInteger || op == ReduceOp::Avg || (isReal && !isBitwise);
  return has ? op : ReduceOp::Sum;
}

/// An element whose loop gives the same bits: integers wrap, so that only averages and comparisons depend on the sign.
template <typename E, ReduceOp op>
auto elementOf() {
  constexpr bool comparesOrDivides = op == ReduceOp::Avg || op == ReduceOp::Min || op == ReduceOp::Max;
  if constexpr (std::is_integral_v<E> && sizeof(E) < sizeof(int64_t) && !comparesOrDivides)
    return std::make_unsigned_t<E>();
  else
    return E();
}

template <typename E, ReduceOp op>
void reduceAs(const ReduceRows &reduction) {
  reduceAll<decltype(elementOf<E, op>()), loopOf<E>(op)>(reduction);
}

/// One loop for each operator, because a choice within the loop would keep it from becoming vectors.
template <typename E>
void reduceBy(ReduceOp op, const ReduceRows &reduction) {
  switch (op) {
  case ReduceOp::Sum:
    return reduceAs<E, ReduceOp::Sum>(reduction);
  case ReduceOp::Avg:
    return reduceAs<E, ReduceOp::Avg>(reduction);
  case ReduceOp::Product:
    return reduceAs<E, ReduceOp::Product>(reduction);
  case ReduceOp::Min:
    return reduceAs<E, ReduceOp::Min>(reduction);
  case ReduceOp::Max:
    return reduceAs<E, ReduceOp::Max>(reduction);
  case ReduceOp::Band:
    return reduceAs<E, ReduceOp::Band>(reduction);
  case ReduceOp::Bor:
    return reduceAs<E, ReduceOp::Bor>(reduction);
  case ReduceOp::Bxor:
    return reduceAs<E, ReduceOp::Bxor>(reduction);
  }
}

} // namespace

void reduceRows(const ReduceRows &reduction) {
  withElement(reduction.dtype,
              [&](auto element) { reduceBy<decltype(element)>(operatorOn(reduction.op, reduction.dtype), reduction); });
}

} // namespace ccgraph::runtime
