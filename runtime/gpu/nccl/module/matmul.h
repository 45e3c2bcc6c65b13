// Products of matrices by cuBLAS, where it supports them (device/gemm_call.h); else by our own kernel.
//
// Workspace on a stream that may be captured: for a plain product the library allocates it in the order of the stream,
// so that a capture gets memory nodes of its own (NVIDIA's cuBLAS manual, "CUDA Graphs Support"; child graphs do not
// support them, but a plan's capture is not a child graph). A product with a bias uses cuBLASLt, whose caller supplies
// the workspace: it gets none, so an algorithm without workspace is chosen.
//
// Ownership: the library's handle is made at the first product and kept, one a process, as a process has one device.
// Failure: a code of cuBLAS; CUBLAS_STATUS_NOT_SUPPORTED where it has no such algorithm for a bias, and nothing is
// enqueued. Cost: that of the product; with a bias some microseconds of the host, which selects an algorithm each time.
#pragma once

#include "device/gemm_call.h"

#include <cublas_v2.h>

namespace ccgraph::runtime::device {

[[nodiscard]] cublasStatus_t multiply(const GemmCall &call, cudaStream_t stream);

} // namespace ccgraph::runtime::device
