// safetensors: named tensors in one file (github.com/huggingface/safetensors, "Format").
//
// Recorded inputs and outputs use this format, one file a rank. The first eight bytes, little-endian, are the length of
// a JSON header. The header maps each name to dtype, shape and the range of its bytes after the header. The ranges must
// cover these bytes exactly, without overlap, and each must match its shape and dtype. So a truncated or altered file
// is rejected, never read in part. `__metadata__` is ignored.
//
// Ownership: the tensors own copies of their bytes; the text may be freed. Errors: each tensor that does not fit, by
// name; a duplicate name; an unknown dtype. Positions in the header count from the header's beginning. Cost: one copy
// of the data; no allocation is larger than the file, whatever its header claims.
#pragma once

#include "ccgraph/frontend/source_text.h"
#include "ccgraph/ir/host_tensor.h"

#include "llvm/Support/Error.h"

namespace ccgraph {

[[nodiscard]] llvm::Expected<TensorMap> readSafetensors(const SourceText &source);

/// Writes the tensors in name order, without gaps. Fails on a dtype that the format has no name for, before anything is
/// written.
[[nodiscard]] llvm::Error writeSafetensors(llvm::raw_ostream &os, const TensorMap &tensors);

} // namespace ccgraph
