#include "tensor/elements.h"

#include "tensor/half_rows.h"
#include "tensor/nest.h"

#include <cstring>

namespace ccgraph::runtime {
namespace {

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

bool convertible(DType dtype) { return computable(dtype) || dtype == DType::F8E4M3FN || dtype == DType::F8E5M2; }

/// A row of f16 or bf16 without gaps, in pieces that fit on the stack.
template <typename E>
static void readHalves(const std::byte *from, llvm::MutableArrayRef<double> out) {
  alignas(64) float floats[blockSize];
  while (!out.empty()) {
    size_t count = std::min<size_t>(out.size(), blockSize);
    floatsFromHalves(reinterpret_cast<const E *>(from), floats, count);
    std::copy(floats, floats + count, out.begin());
    out = out.drop_front(count);
    from += count * sizeof(E);
  }
}

template <typename E>
static void writeHalves(std::byte *to, llvm::ArrayRef<double> values) {
  alignas(64) float floats[blockSize];
  while (!values.empty()) {
    size_t count = std::min<size_t>(values.size(), blockSize);
    for (size_t i = 0; i < count; ++i)
      floats[i] = static_cast<float>(values[i]);
    halvesFromFloats(floats, reinterpret_cast<E *>(to), count);
    values = values.drop_front(count);
    to += count * sizeof(E);
  }
}

template <typename T>
void readRow(DType dtype, Row row, llvm::MutableArrayRef<T> out) {
  if constexpr (std::is_same_v<T, double>) {
    if (dtype == DType::F16 && row.step == sizeof(Half))
      return readHalves<Half>(row.data, out);
    if (dtype == DType::BF16 && row.step == sizeof(BFloat16))
      return readHalves<BFloat16>(row.data, out);
  }
  withConvertible(dtype, [&](auto element) { readAs<decltype(element)>(row, out); });
}

template <typename T>
void writeRow(DType dtype, Row row, llvm::ArrayRef<T> values) {
  if constexpr (std::is_same_v<T, double>) {
    if (dtype == DType::F16 && row.step == sizeof(Half))
      return writeHalves<Half>(row.data, values);
    if (dtype == DType::BF16 && row.step == sizeof(BFloat16))
      return writeHalves<BFloat16>(row.data, values);
  }
  withConvertible(dtype, [&](auto element) { writeAs<decltype(element)>(row, values); });
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
// dimension's stride. Where it wraps, the address goes back by (size - 1) strides and the next slower dimension steps.
// No multiplication per element is needed, and tensors of any strides, also expanded ones (stride 0), advance together.
void forEachRow(llvm::ArrayRef<Tensor> tensors,
                llvm::function_ref<void(llvm::ArrayRef<Row> rows, int64_t count)> body) {
  const Tensor &first = tensors.front();
  if (first.numElements() == 0)
    return;
  int64_t inner = first.rank() - 1;
  llvm::SmallVector<Row, 4> rows;
  for (const Tensor &tensor : tensors)
    rows.push_back({tensor.data(), strideBytes(tensor, inner)});
  IntList index(first.rank(), 0);
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

void forEachStretch(llvm::ArrayRef<Tensor> tensors,
                    llvm::function_ref<void(llvm::ArrayRef<Row> rows, int64_t count)> body) {
  llvm::SmallVector<std::byte *, 6> begin;
  for (const Tensor &tensor : tensors)
    begin.push_back(tensor.data());
  walk(LoopNest(tensors), begin, body);
}

void forEachBlock(llvm::ArrayRef<Tensor> tensors,
                  llvm::function_ref<void(llvm::ArrayRef<Row> rows, int64_t count)> body) {
  forEachStretch(tensors, [&](llvm::ArrayRef<Row> rows, int64_t count) {
    llvm::SmallVector<Row, 6> block(rows.begin(), rows.end());
    for (int64_t done = 0; done < count; done += blockSize) {
      body(block, std::min(blockSize, count - done));
      for (Row &row : block)
        row.data += row.step * blockSize;
    }
  });
}

template <typename T>
static void convertThrough(DType toType, Row to, DType fromType, Row from, int64_t count) {
  Block<T> block;
  readRow<T>(fromType, from, block.first(count));
  writeRow<T>(toType, to, block.first(count));
}

void convertRow(DType toType, Row to, DType fromType, Row from, int64_t count) {
  if (isComplex(fromType))
    return convertThrough<Complex>(toType, to, fromType, from, count);
  if (isFloat(fromType))
    return convertThrough<double>(toType, to, fromType, from, count);
  convertThrough<int64_t>(toType, to, fromType, from, count);
}

/// Bytes of one element, moved as one number.
template <typename Bits>
static void moveRow(Row to, Row from, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(to.data + i * to.step, from.data + i * from.step, sizeof(Bits));
}

static void moveRow(size_t size, Row to, Row from, int64_t count) {
  auto step = static_cast<int64_t>(size);
  if (to.step == step && from.step == step)
    std::memcpy(to.data, from.data, static_cast<size_t>(count) * size);
  else if (size == 4)
    moveRow<uint32_t>(to, from, count);
  else if (size == 2)
    moveRow<uint16_t>(to, from, count);
  else if (size == 8)
    moveRow<uint64_t>(to, from, count);
  else if (size == 1)
    moveRow<uint8_t>(to, from, count);
  else
    moveRow<Complex>(to, from, count);
}

void copyElements(const Tensor &to, const Tensor &from) {
  auto size = static_cast<size_t>(to.elementSize());
  if (to.dtype() == from.dtype())
    return forEachStretch({to, from},
                          [&](llvm::ArrayRef<Row> rows, int64_t count) { moveRow(size, rows[0], rows[1], count); });
  forEachBlock({to, from}, [&](llvm::ArrayRef<Row> rows, int64_t count) {
    convertRow(to.dtype(), rows[0], from.dtype(), rows[1], count);
  });
}

void setToZeros(const Tensor &tensor) {
  auto size = static_cast<size_t>(tensor.elementSize());
  forEachStretch(tensor, [&](llvm::ArrayRef<Row> rows, int64_t count) {
    if (rows[0].step == static_cast<int64_t>(size))
      std::memset(rows[0].data, 0, static_cast<size_t>(count) * size);
    else
      for (int64_t i = 0; i < count; ++i)
        std::memset(rows[0].data + i * rows[0].step, 0, size);
  });
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
