#include "kernels/elements.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/ErrorHandling.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace ccgraph::runtime {
namespace {

struct Half {
  uint16_t bits;
};
struct Brain {
  uint16_t bits;
};
struct Truth {
  uint8_t bits;
};

uint16_t brainFromFloat(float value) {
  auto bits = llvm::bit_cast<uint32_t>(value);
  if (std::isnan(value))
    return 0x7fc0;
  // Because ties go to even: add half an ulp, less one if the kept part is even. 0x3f808000 lies in the middle between
  // 0x3f80 and 0x3f81; with 0x7fff added it stays below 0x3f81. 0x3f818000 has an odd neighbour below: 0x8000 is added,
  // and it becomes 0x3f82.
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

/// Round to nearest even through the double grid of half's spacing: exact, since a double holds
/// every step (IEEE 754 binary16).
uint16_t halfFromFloat(float value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  double magnitude = std::fabs(static_cast<double>(value));
  if (std::isnan(value))
    return sign | 0x7e00;
  if (magnitude >= 65520)
    return sign | 0x7c00;
  int exponent = magnitude < 0x1p-14 ? -14 : std::ilogb(magnitude);
  auto steps = static_cast<int>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  if (magnitude < 0x1p-14)
    return sign | static_cast<uint16_t>(steps);
  return static_cast<uint16_t>(sign | (((exponent + 15) << 10) + (steps - 1024)));
}

float floatFromHalf(uint16_t bits) {
  int exponent = (bits >> 10) & 31;
  int fraction = bits & 1023;
  double magnitude = exponent == 0    ? std::ldexp(fraction, -24)
                     : exponent == 31 ? (fraction ? NAN : INFINITY)
                                      : std::ldexp(1024 + fraction, exponent - 25);
  return static_cast<float>(bits & 0x8000 ? -magnitude : magnitude);
}

template <typename E>
auto widen(E element) {
  if constexpr (std::is_same_v<E, Half>)
    return static_cast<double>(floatFromHalf(element.bits));
  else if constexpr (std::is_same_v<E, Brain>)
    return static_cast<double>(llvm::bit_cast<float>(static_cast<uint32_t>(element.bits) << 16));
  else if constexpr (std::is_same_v<E, Truth>)
    return static_cast<int64_t>(element.bits != 0);
  else if constexpr (std::is_floating_point_v<E>)
    return static_cast<double>(element);
  else if constexpr (std::is_integral_v<E>)
    return static_cast<int64_t>(element);
  else
    return Complex(element.real(), element.imag());
}

/// Truncates as x86's conversions do where the value does not fit: the type's minimum. There is one to 32 bits and one
/// to 64, so that narrower types take the low bits of 64.
template <typename Integer>
Integer truncate(double value) {
  constexpr double limit = sizeof(Integer) == 4 ? 0x1p31 : 0x1p63;
  bool fits = value > -limit - 1 && value < limit;
  return fits ? static_cast<Integer>(value) : std::numeric_limits<Integer>::min();
}

template <typename To, typename From>
To convert(From value) {
  if constexpr (std::is_same_v<To, From>)
    return value;
  else if constexpr (std::is_same_v<From, Complex>)
    return convert<To>(value.real());
  else if constexpr (std::is_same_v<To, int64_t>)
    return truncate<int64_t>(value);
  else
    return static_cast<To>(value);
}

template <typename E, typename T>
E narrow(T value) {
  if constexpr (std::is_same_v<E, Half>)
    return {halfFromFloat(static_cast<float>(convert<double>(value)))};
  else if constexpr (std::is_same_v<E, Brain>)
    return {brainFromFloat(static_cast<float>(convert<double>(value)))};
  else if constexpr (std::is_same_v<E, Truth>)
    return {static_cast<uint8_t>(value != T(0))};
  else if constexpr (std::is_same_v<E, int32_t> && !std::is_same_v<T, int64_t>)
    return truncate<int32_t>(convert<double>(value));
  else if constexpr (std::is_integral_v<E>)
    return static_cast<E>(convert<int64_t>(value));
  else if constexpr (std::is_floating_point_v<E> && std::is_same_v<T, int64_t>)
    return static_cast<E>(value); // Because through double it would round twice.
  else if constexpr (std::is_floating_point_v<E>)
    return static_cast<E>(convert<double>(value));
  else {
    auto wide = convert<Complex>(value);
    return E(static_cast<typename E::value_type>(wide.real()), static_cast<typename E::value_type>(wide.imag()));
  }
}

template <typename E, typename T>
void readAs(Row row, llvm::MutableArrayRef<T> out) {
  for (T &value : out) {
    E element;
    std::memcpy(&element, row.data, sizeof(E));
    value = convert<T>(widen(element));
    row.data += row.step;
  }
}

template <typename E, typename T>
void writeAs(Row row, llvm::ArrayRef<T> values) {
  for (const T &value : values) {
    E element = narrow<E>(value);
    std::memcpy(row.data, &element, sizeof(E));
    row.data += row.step;
  }
}

// NOLINTBEGIN(bugprone-branch-clone): the branches differ in the type of the element.
/// Calls body with a default-made element of the dtype's C++ type.
template <typename Body>
void withElement(DType dtype, Body body) {
  switch (dtype) {
  case DType::U8:
    return body(uint8_t());
  case DType::I8:
    return body(int8_t());
  case DType::I16:
    return body(int16_t());
  case DType::I32:
    return body(int32_t());
  case DType::I64:
    return body(int64_t());
  case DType::U16:
    return body(uint16_t());
  case DType::U32:
    return body(uint32_t());
  case DType::F16:
    return body(Half());
  case DType::BF16:
    return body(Brain());
  case DType::F32:
    return body(float());
  case DType::F64:
    return body(double());
  case DType::C64:
    return body(std::complex<float>());
  case DType::C128:
    return body(std::complex<double>());
  case DType::Bool:
    return body(Truth());
  case DType::U64:
  case DType::C32:
  case DType::F8E4M3FN:
  case DType::F8E5M2:
  case DType::F8E4M3FNUZ:
  case DType::F8E5M2FNUZ:
  case DType::F8E8M0FNU:
  case DType::F4E2M1FNX2:
    llvm_unreachable("callers ask computable() first");
  }
}
// NOLINTEND(bugprone-branch-clone)

} // namespace

bool computable(DType dtype) {
  switch (dtype) {
  case DType::U8:
  case DType::I8:
  case DType::I16:
  case DType::I32:
  case DType::I64:
  case DType::U16:
  case DType::U32:
  case DType::F16:
  case DType::BF16:
  case DType::F32:
  case DType::F64:
  case DType::C64:
  case DType::C128:
  case DType::Bool:
    return true;
  case DType::U64:
  case DType::C32:
  case DType::F8E4M3FN:
  case DType::F8E5M2:
  case DType::F8E4M3FNUZ:
  case DType::F8E5M2FNUZ:
  case DType::F8E8M0FNU:
  case DType::F4E2M1FNX2:
    return false;
  }
  llvm_unreachable("dtype");
}

template <typename T>
void readRow(DType dtype, Row row, llvm::MutableArrayRef<T> out) {
  withElement(dtype, [&](auto element) { readAs<decltype(element)>(row, out); });
}

template <typename T>
void writeRow(DType dtype, Row row, llvm::ArrayRef<T> values) {
  withElement(dtype, [&](auto element) { writeAs<decltype(element)>(row, values); });
}

Scratch<double> readAll(const Tensor &tensor) {
  Tensor flat = tensor.contiguous();
  Scratch<double> result(static_cast<size_t>(flat.numElements()));
  if (!result.empty())
    readRow<double>(flat.dtype(), {flat.data(), flat.elementSize()}, result);
  return result;
}

template <typename T>
T readElement(DType dtype, const std::byte *at) {
  T value;
  readRow<T>(dtype, {const_cast<std::byte *>(at), 0}, value);
  return value;
}

template <typename T>
void writeElement(DType dtype, std::byte *at, T value) {
  writeRow<T>(dtype, {at, 0}, value);
}

#define CCGRAPH_WIDE_TYPE(T)                                                                                           \
  template void readRow<T>(DType, Row, llvm::MutableArrayRef<T>);                                                      \
  template void writeRow<T>(DType, Row, llvm::ArrayRef<T>);                                                            \
  template T readElement<T>(DType, const std::byte *);                                                                 \
  template void writeElement<T>(DType, std::byte *, T);
CCGRAPH_WIDE_TYPE(double)
CCGRAPH_WIDE_TYPE(int64_t)
CCGRAPH_WIDE_TYPE(Complex)
#undef CCGRAPH_WIDE_TYPE

int64_t strideBytes(const Tensor &tensor, int64_t dim) {
  return dim >= 0 ? tensor.stride(dim) * tensor.elementSize() : 0;
}

// Counts like an odometer over all dimensions but the last. A step of one dimension moves every address by that
// dimension's stride; where it wraps, the address goes back by (size - 1) strides and the next slower dimension steps.
// Nothing is multiplied out per element, and tensors of any strides, stretched ones (stride 0) too, go along together.
void forEachRow(llvm::ArrayRef<Tensor> tensors,
                llvm::function_ref<void(llvm::ArrayRef<Row> rows, int64_t count)> body) {
  const Tensor &first = tensors.front();
  if (first.numElements() == 0)
    return;
  int64_t inner = first.rank() - 1;
  llvm::SmallVector<Row, 4> rows;
  for (const Tensor &tensor : tensors)
    rows.push_back({tensor.data(), strideBytes(tensor, inner)});
  Dims index(first.rank(), 0);
  for (;;) {
    body(rows, inner >= 0 ? first.size(inner) : 1);
    int64_t dim = inner - 1;
    for (; dim >= 0; --dim) {
      bool wraps = ++index[dim] == first.size(dim);
      for (size_t i = 0; i < tensors.size(); ++i)
        rows[i].data += strideBytes(tensors[i], dim) * (wraps ? 1 - first.size(dim) : 1);
      if (!wraps)
        break;
      index[dim] = 0;
    }
    if (dim < 0)
      return;
  }
}

template <typename T>
static void convertElements(const Tensor &to, const Tensor &from) {
  Scratch<T> buffer;
  forEachRow({to, from}, [&](llvm::ArrayRef<Row> rows, int64_t count) {
    buffer.resize(static_cast<size_t>(count));
    readRow<T>(from.dtype(), rows[1], buffer);
    writeRow<T>(to.dtype(), rows[0], buffer);
  });
}

static void moveElements(const Tensor &to, const Tensor &from) {
  auto size = static_cast<size_t>(to.elementSize());
  forEachRow({to, from}, [&](llvm::ArrayRef<Row> rows, int64_t count) {
    Row target = rows[0];
    Row source = rows[1];
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(target.data + i * target.step, source.data + i * source.step, size);
  });
}

void copyElements(const Tensor &to, const Tensor &from) {
  if (to.dtype() == from.dtype())
    return moveElements(to, from);
  if (isComplex(from.dtype()))
    return convertElements<Complex>(to, from);
  if (isFloat(from.dtype()))
    return convertElements<double>(to, from);
  convertElements<int64_t>(to, from);
}

template <typename T>
static T throughMemory(DType dtype, T v) {
  std::byte place[16];
  writeElement<T>(dtype, place, v);
  return readElement<T>(dtype, place);
}

double roundTo(DType dtype, double v) { return throughMemory(dtype, v); }
int64_t wrapTo(DType dtype, int64_t v) { return throughMemory(dtype, v); }

} // namespace ccgraph::runtime
