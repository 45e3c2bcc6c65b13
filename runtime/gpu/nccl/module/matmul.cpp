#include "matmul.h"

#include <cublasLt.h>
#include <memory>

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

// --- With a bias: cuBLASLt ----------------------------------------------------------------------------------

template <auto destroy>
struct Destroyed {
  template <typename T>
  void operator()(T *made) const {
    (void)destroy(made);
  }
};
using Operation = std::unique_ptr<cublasLtMatmulDescOpaque_t, Destroyed<cublasLtMatmulDescDestroy>>;
using Layout = std::unique_ptr<cublasLtMatrixLayoutOpaque_t, Destroyed<cublasLtMatrixLayoutDestroy>>;
using Preference = std::unique_ptr<cublasLtMatmulPreferenceOpaque_t, Destroyed<cublasLtMatmulPreferenceDestroy>>;

Operation operationOf(const GemmCall &call) {
  cublasLtMatmulDesc_t made = nullptr;
  if (cublasLtMatmulDescCreate(&made, CUBLAS_COMPUTE_32F, CUDA_R_32F) != CUBLAS_STATUS_SUCCESS)
    return nullptr;
  Operation operation(made);
  auto set = [&](cublasLtMatmulDescAttributes_t what, const auto &value) {
    return cublasLtMatmulDescSetAttribute(made, what, &value, sizeof(value)) == CUBLAS_STATUS_SUCCESS;
  };
  bool isSet = set(CUBLASLT_MATMUL_DESC_TRANSA, readingOf(call.first)) &&
               set(CUBLASLT_MATMUL_DESC_TRANSB, readingOf(call.second)) &&
               set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS) &&
               set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, typeOf(call.element)) &&
               set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, call.bias);
  return isSet ? std::move(operation) : nullptr;
}

/// The layout in memory: `rows` x `columns` are those of the product, before transposition.
Layout layoutOf(const GemmMatrix &matrix, Element element, int rows, int columns) {
  cublasLtMatrixLayout_t made = nullptr;
  auto lying = [&](int one, int other) { return static_cast<uint64_t>(matrix.turned ? other : one); };
  if (cublasLtMatrixLayoutCreate(&made, typeOf(element), lying(rows, columns), lying(columns, rows), matrix.leading) !=
      CUBLAS_STATUS_SUCCESS)
    return nullptr;
  return Layout(made);
}

/// The power of two up to 256 that divides an address.
uint32_t alignmentOf(const std::byte *data) {
  auto address = reinterpret_cast<uintptr_t>(data);
  uint32_t alignment = 256;
  while (address % alignment != 0)
    alignment /= 2;
  return alignment;
}

/// No memory to work in, and no address that is aligned better than these are.
Preference preferenceOf(const GemmCall &call) {
  cublasLtMatmulPreference_t made = nullptr;
  if (cublasLtMatmulPreferenceCreate(&made) != CUBLAS_STATUS_SUCCESS)
    return nullptr;
  Preference preference(made);
  auto set = [&](cublasLtMatmulPreferenceAttributes_t what, const auto &value) {
    return cublasLtMatmulPreferenceSetAttribute(made, what, &value, sizeof(value)) == CUBLAS_STATUS_SUCCESS;
  };
  bool isSet = set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, uint64_t{0}) &&
               set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignmentOf(call.first.data)) &&
               set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignmentOf(call.second.data)) &&
               set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignmentOf(call.result.data)) &&
               set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignmentOf(call.result.data));
  return isSet ? std::move(preference) : nullptr;
}

cublasStatus_t multiplyAndAdd(const GemmCall &call, cublasLtHandle_t handle, cudaStream_t stream) {
  Operation operation = operationOf(call);
  Layout first = layoutOf(call.first, call.element, call.rows, call.depth);
  Layout second = layoutOf(call.second, call.element, call.depth, call.columns);
  Layout result = layoutOf(call.result, call.element, call.rows, call.columns);
  Preference preference = preferenceOf(call);
  if (!operation || !first || !second || !result || !preference)
    return CUBLAS_STATUS_ALLOC_FAILED;
  cublasLtMatmulHeuristicResult_t found = {};
  int count = 0;
  if (cublasStatus_t status =
          cublasLtMatmulAlgoGetHeuristic(handle, operation.get(), first.get(), second.get(), result.get(), result.get(),
                                         preference.get(), 1, &found, &count))
    return status;
  if (count == 0)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  float alpha = static_cast<float>(call.alpha), beta = 0;
  return cublasLtMatmul(handle, operation.get(), &alpha, call.first.data, first.get(), call.second.data, second.get(),
                        &beta, call.result.data, result.get(), call.result.data, result.get(), &found.algo, nullptr, 0,
                        stream);
}

} // namespace

cublasStatus_t multiply(const GemmCall &call, cudaStream_t stream) {
  cublasHandle_t handle = theHandle();
  if (!handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  // A handle of cuBLAS is one of cuBLASLt.
  if (call.bias)
    return multiplyAndAdd(call, reinterpret_cast<cublasLtHandle_t>(handle), stream);
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
