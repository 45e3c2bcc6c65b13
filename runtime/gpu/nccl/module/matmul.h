// Products of matrices by cuBLAS, where it takes them (device/gemm_call.h); else by our own kernel.
//
// Memory that the library works in, of a stream that may be captured: a plain product leaves it to the library, which takes it in the order
// of the stream, so that a capture gets nodes of memory of its own (NVIDIA's cuBLAS manual, "CUDA Graphs Support"; a plan's capture is no
// child graph, where these would not be supported). A product with a bias is cuBLASLt's, whose caller brings the memory: it gets none, so an
// algorithm is chosen that needs none.
//
// Ownership: the library's handle is made at the first product and kept, one a process, as a process has one device. Failure: a code of
// cuBLAS; CUBLAS_STATUS_NOT_SUPPORTED where it has no such algorithm for a bias, and nothing is enqueued. Cost: that of the product; with a
// bias some microseconds of the host, which asks for an algorithm each time.
#pragma once

#include "device/gemm_call.h"

#include <cublas_v2.h>

namespace ccgraph::runtime::device {

[[nodiscard]] cublasStatus_t multiply(const GemmCall &call, cudaStream_t stream);

} // namespace ccgraph::runtime::device
