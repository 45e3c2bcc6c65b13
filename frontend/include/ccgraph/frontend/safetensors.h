// safetensors: named tensors in one file (github.com/huggingface/safetensors, "Format").
//
// Recorded inputs and outputs come in this form, one file a rank. Eight bytes, little-endian, give
// the length of a JSON header; it maps each name to dtype, shape and the range of its bytes after
// the header. The ranges must cover these bytes exactly, without overlap, and each must be as long
// as its shape and dtype say: a file that is cut off or altered is refused, never read half.
// `__metadata__` is ignored.
//
// Ownership: the tensors own copies of their bytes; the text may go. Errors: each tensor that does
// not fit, by name, a name that stands twice, a dtype that is not known; positions of the header
// are given within the header. Cost: one copy of the data; no allocation is larger than the file,
// whatever its header claims.
#pragma once

#include "ccgraph/frontend/source_text.h"
#include "ccgraph/ir/host_tensor.h"

#include "llvm/Support/Error.h"

namespace ccgraph {

[[nodiscard]] llvm::Expected<TensorMap> readSafetensors(const SourceText &source);

/// In name order, without gaps. Error: a dtype that the format has no name for, before anything is
/// written.
[[nodiscard]] llvm::Error writeSafetensors(llvm::raw_ostream &os, const TensorMap &tensors);

} // namespace ccgraph
