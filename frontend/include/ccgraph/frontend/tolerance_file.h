// Tolerance files: how close each output must be to the recorded one (`--tolerance FILE`).
//
// Recorded values come from other hardware and other kernels, so bitwise equality is not always possible; the file
// states the required closeness for each output. A tolerance file is any JSON object whose member `tolerance` holds
// `per_output`; all other members are ignored:
//   {"tolerance": {"per_output": [{"output": "out.0", "kind": "bitwise"},
//                                 {"output": "out.1", "kind": "close", "atol": 1e-6, "rtol": 4.8e-7}]}, ...}
// `kind` may be omitted where atol or rtol is given. ccgraph/ir/tolerance.h defines both numbers. `per_output` is null
// where no output is listed.
//
// Ownership: a plain value. Errors: every malformed entry (a negative or missing number, a duplicate output), with its
// place. Cost: one pass over the file; only `tolerance` is held in memory.
#pragma once

#include "ccgraph/frontend/source_text.h"
#include "ccgraph/ir/tolerance.h"

#include "llvm/Support/Error.h"

namespace ccgraph {

[[nodiscard]] llvm::Expected<ToleranceMap> readToleranceFile(const SourceText &source);

} // namespace ccgraph
