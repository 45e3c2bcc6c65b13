#include "matmul.h"

namespace ccgraph::runtime::device {
namespace {

cudaDataType_t typeOf(Element element) {
  switch (element) {
  case Element::F16:
    return CUDA_R_16F;
  case Element::BF16:
    return CUDA_R_16BF;
  case Element::F64:
    return CUDA_R_64F;
  default: // NOLINT: a call has no other
    return CUDA_R_32F;
  }
}

cublasOperation_t readingOf(const GemmMatrix &matrix) { return matrix.turned ? CUBLAS_OP_T : CUBLAS_OP_N; }
int leadingOf(const GemmMatrix &matrix) { return static_cast<int>(matrix.leading); }

/// Null where it cannot be made.
cublasHandle_t theHandle() {
  static const cublasHandle_t handle = [] {
    cublasHandle_t made = nullptr;
    return cublasCreate(&made) == CUBLAS_STATUS_SUCCESS ? made : nullptr;
  }();
  return handle;
}

} // namespace

cublasStatus_t multiply(const GemmCall &call, cudaStream_t stream) {
  cublasHandle_t handle = theHandle();
  if (!handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  if (cublasStatus_t status = cublasSetStream(handle, stream))
    return status;
  bool isDouble = call.element == Element::F64;
  float alpha = static_cast<float>(call.alpha), beta = static_cast<float>(call.beta);
  const void *byAlpha = isDouble ? static_cast<const void *>(&call.alpha) : &alpha;
  const void *byBeta = isDouble ? static_cast<const void *>(&call.beta) : &beta;
  cudaDataType_t type = typeOf(call.element);
  return cublasGemmStridedBatchedEx(
      handle, readingOf(call.first), readingOf(call.second), call.rows, call.columns, call.depth, byAlpha,
      call.first.data, type, leadingOf(call.first), call.first.batchStride, call.second.data, type,
      leadingOf(call.second), call.second.batchStride, byBeta, call.result.data, type, leadingOf(call.result),
      call.result.batchStride, call.batch, isDouble ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}

} // namespace ccgraph::runtime::device
