// Products of matrices by cuBLAS, where it takes them (device/gemm_call.h); else by our own kernel.
//
// Ownership: the library's handle is made at the first product and kept, one a process, as a process has one device. Failure: a code of
// cuBLAS. Cost: that of the product.
#pragma once

#include "device/gemm_call.h"

#include <cublas_v2.h>

namespace ccgraph::runtime::device {

[[nodiscard]] cublasStatus_t multiply(const GemmCall &call, cudaStream_t stream);

} // namespace ccgraph::runtime::device
