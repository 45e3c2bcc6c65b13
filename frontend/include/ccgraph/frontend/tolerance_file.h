// Tolerance files: how close each output must come to the recorded one (`--tolerance FILE`).
//
// Recorded values come from other hardware and other kernels, so equality to the bit is not always
// there to be had; the file says for each output what is. Any JSON object serves whose member
// `tolerance` holds `per_output`; all other members are ignored:
//   {"tolerance": {"per_output": [{"output": "out.0", "kind": "bitwise"},
//                                 {"output": "out.1", "kind": "close", "atol": 1e-6, "rtol": 4.8e-7}]}, ...}
// `kind` may be left out where atol or rtol stands. What the two mean is said in
// ccgraph/ir/tolerance.h.
//
// Ownership: a plain value. Errors: every entry that is not well formed (a negative or missing
// number, an output that stands twice), with its place. Cost: one pass over the file; only
// `tolerance` is held in memory.
#pragma once

#include "ccgraph/frontend/source_text.h"
#include "ccgraph/ir/tolerance.h"

#include "llvm/Support/Error.h"

namespace ccgraph {

[[nodiscard]] llvm::Expected<ToleranceMap> readToleranceFile(const SourceText &source);

} // namespace ccgraph
