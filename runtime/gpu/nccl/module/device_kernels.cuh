// The module's own device kernels: copies between strides, and sums that NCCL does not support.
//
// Plain functions, which enqueue to the stream. Failure: the CUDA runtime's code. Cost: one kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>

namespace ccgraph::runtime::device {

inline constexpr int mostCopyDimensions = 16;

/// Strides are in elements.
struct Elements {
  const std::byte *from;
  std::byte *to;
  int64_t elementSize;
  int64_t count;
  int dimensions;
  int64_t sizes[mostCopyDimensions];
  int64_t fromStrides[mostCopyDimensions];
  int64_t toStrides[mostCopyDimensions];
};
cudaError_t copyElements(const Elements &elements, cudaStream_t stream);

enum class Reduction : uint8_t { Sum, Product, Min, Max, And, Or, Xor };

/// Integers and bool, of 1, 2, 4 or 8 bytes, one row after another.
struct Rows {
  const std::byte *rows;
  int64_t rowBytes;
  int64_t numRows;
  std::byte *to;
  int64_t elements;
  int elementSize;
  bool isSigned;
  Reduction reduction;
  /// the sum is divided by the number of rows
  bool average;
};
cudaError_t reduceRows(const Rows &rows, cudaStream_t stream);

} // namespace ccgraph::runtime::device
