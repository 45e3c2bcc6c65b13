#include "device_kernels.cuh"

namespace ccgraph::runtime::device {
namespace {

constexpr int threads = 256;

int blocksFor(int64_t count) {
  int64_t blocks = (count + threads - 1) / threads;
  return static_cast<int>(blocks < 65535 ? blocks : 65535);
}

template <typename T>
__global__ void copyKernel(Elements elements) {
  int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < elements.count; i += step) {
    int64_t left = i, from = 0, to = 0;
    for (int d = elements.dimensions - 1; d >= 0; --d) {
      int64_t at = left % elements.sizes[d];
      left /= elements.sizes[d];
      from += at * elements.fromStrides[d];
      to += at * elements.toStrides[d];
    }
    reinterpret_cast<T *>(elements.to)[to] = reinterpret_cast<const T *>(elements.from)[from];
  }
}

template <typename T>
__device__ T combine(Reduction reduction, T a, T b) {
  switch (reduction) {
  case Reduction::Sum:
    return static_cast<T>(a + b);
  case Reduction::Product:
    return static_cast<T>(a * b);
  case Reduction::Min:
    return b < a ? b : a;
  case Reduction::Max:
    return a < b ? b : a;
  case Reduction::And:
    return static_cast<T>(a & b);
  case Reduction::Or:
    return static_cast<T>(a | b);
  case Reduction::Xor:
    return static_cast<T>(a ^ b);
  }
  return a;
}

template <typename T>
__global__ void reduceKernel(Rows rows) {
  int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < rows.elements; i += step) {
    T sum = reinterpret_cast<const T *>(rows.rows)[i];
    for (int64_t row = 1; row < rows.numRows; ++row)
      sum = combine(rows.reduction, sum, reinterpret_cast<const T *>(rows.rows + row * rows.rowBytes)[i]);
    if (rows.average)
      sum = static_cast<T>(sum / static_cast<T>(rows.numRows));
    reinterpret_cast<T *>(rows.to)[i] = sum;
  }
}

template <typename T>
cudaError_t launchReduce(const Rows &rows, cudaStream_t stream) {
  reduceKernel<T><<<blocksFor(rows.elements), threads, 0, stream>>>(rows);
  return cudaGetLastError();
}

template <typename T>
cudaError_t launchCopy(const Elements &elements, cudaStream_t stream) {
  copyKernel<T><<<blocksFor(elements.count), threads, 0, stream>>>(elements);
  return cudaGetLastError();
}

} // namespace

cudaError_t copyElements(const Elements &elements, cudaStream_t stream) {
  if (elements.count == 0)
    return cudaSuccess;
  switch (elements.elementSize) {
  case 1:
    return launchCopy<char>(elements, stream);
  case 2:
    return launchCopy<short>(elements, stream);
  case 4:
    return launchCopy<int>(elements, stream);
  case 8:
    return launchCopy<long long>(elements, stream);
  case 16:
    return launchCopy<int4>(elements, stream);
  default:
    return cudaErrorInvalidValue;
  }
}

cudaError_t reduceRows(const Rows &rows, cudaStream_t stream) {
  if (rows.elements == 0)
    return cudaSuccess;
  switch (rows.elementSize) {
  case 1:
    return rows.isSigned ? launchReduce<signed char>(rows, stream) : launchReduce<unsigned char>(rows, stream);
  case 2:
    return rows.isSigned ? launchReduce<short>(rows, stream) : launchReduce<unsigned short>(rows, stream);
  case 4:
    return rows.isSigned ? launchReduce<int>(rows, stream) : launchReduce<unsigned>(rows, stream);
  case 8:
    return rows.isSigned ? launchReduce<long long>(rows, stream) : launchReduce<unsigned long long>(rows, stream);
  default:
    return cudaErrorInvalidValue;
  }
}

} // namespace ccgraph::runtime::device
