// Elements: reading and writing tensors whose dtype is known only at run time.
//
// Arithmetic uses one of three wide types, chosen by the dtype's class: double for floats, int64_t
// for integers and bool, std::complex<double> for complex. A row of elements is widened, computed,
// and rounded once to its dtype when written. For f32 and + - * / sqrt that equals computing in
// f32, since double has more than 2p+2 bits (S. Figueroa, "When is double rounding innocuous?",
// 1995); f16, bf16 and 8-bit floats are rounded to f32 first, because PyTorch computes them in f32.
//
// Ownership: none. Failure: f8e4m3fn and f8e5m2 are converted but not computed with, u64 and the other 8-bit and 4-bit
// floats only moved; callers test computable() or convertible() and report. Cost: one indirect call a row.
#pragma once

#include "ccgraph/runtime/tensor.h"
#include "process/memory_limit.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <complex>

namespace ccgraph::runtime {

using Complex = std::complex<double>;

/// Returns true for dtypes on which operators compute.
[[nodiscard]] bool computable(DType dtype);
/// Returns true for dtypes whose elements convert to and from others: the computable ones, f8e4m3fn and f8e5m2.
[[nodiscard]] bool convertible(DType dtype);

/// A row: `count` elements, `step` bytes apart.
struct Row {
  std::byte *data;
  int64_t step;
};

/// Widens a row of a convertible dtype into `out`. T is double, int64_t or Complex; a narrower class
/// widens exactly as PyTorch casts (float to int64 truncates).
template <typename T>
void readRow(DType dtype, Row row, llvm::MutableArrayRef<T> out);
template <typename T>
void readRow(DType dtype, Row row, Scratch<T> &out) {
  readRow<T>(dtype, row, llvm::MutableArrayRef<T>(out.data(), out.size()));
}
/// Rounds (floats) or wraps (integers) `values` into a row; bool takes "not zero".
template <typename T>
void writeRow(DType dtype, Row row, llvm::ArrayRef<T> values);

/// Every element of a tensor of a convertible real dtype, widened, in row-major order.
[[nodiscard]] Scratch<double> readAll(const Tensor &tensor);

/// One element at an address.
template <typename T>
[[nodiscard]] T readElement(DType dtype, const std::byte *at);
template <typename T>
void writeElement(DType dtype, std::byte *at, T value);

/// Calls `body` with the innermost rows of equally sized tensors, in row-major order, and their
/// common length.
void forEachRow(llvm::ArrayRef<Tensor> tensors, llvm::function_ref<void(llvm::ArrayRef<Row> rows, int64_t count)> body);

/// Visits the same elements in as few calls as strides allow: dimensions that follow one another without gaps in all of
/// the tensors are one row.
void forEachStretch(llvm::ArrayRef<Tensor> tensors,
                    llvm::function_ref<void(llvm::ArrayRef<Row> rows, int64_t count)> body);
/// Visits the same elements in rows of at most blockSize elements, so that a loop's temporary row fits on its stack.
inline constexpr int64_t blockSize = 256;
void forEachBlock(llvm::ArrayRef<Tensor> tensors,
                  llvm::function_ref<void(llvm::ArrayRef<Row> rows, int64_t count)> body);
/// Room for such a row in the wide type T.
template <typename T>
struct Block {
  alignas(64) T values[blockSize];
  [[nodiscard]] llvm::MutableArrayRef<T> first(int64_t count) { return {values, static_cast<size_t>(count)}; }
};

/// Bytes between neighbours of a dimension; 0 for the row of a 0-d tensor.
[[nodiscard]] int64_t strideBytes(const Tensor &tensor, int64_t dim);

/// Converts every element; sizes equal, no overlap.
void copyElements(const Tensor &to, const Tensor &from);
/// Converts a row of at most blockSize elements, as copyElements() does.
void convertRow(DType toType, Row to, DType fromType, Row from, int64_t count);
/// Every element becomes bytes of zeros, whatever the dtype.
void setToZeros(const Tensor &tensor);

/// v as a store to `dtype` and a load back would round it, or wrap it.
[[nodiscard]] double roundTo(DType dtype, double v);
[[nodiscard]] int64_t wrapTo(DType dtype, int64_t v);

} // namespace ccgraph::runtime
