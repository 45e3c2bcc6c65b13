// Writes what was done to a whole job (ccgraph/toolkit/job_rewrite.h), as text and as JSON:
//   {"ranks": 4, "graphs": 4, "changed": 4, "proved": true, "reason": "", "safe": ["dataflow", "streams", ...],
//    "warnings": ""}
// `reason` states why each rank keeps its order across groups; it is empty if the rewritten job was proved. `safe`
// lists the semantics under which no rank of a proved job waits for ever. `warnings` has those of the readers, as the
// tools print them.
//
// Ownership: borrows the result. Failure: none; the stream keeps the system's error. Cost: negligible.
#pragma once

#include "ccgraph/toolkit/job_rewrite.h"

#include "llvm/Support/raw_ostream.h"

namespace ccgraph::report {

void writeJobRewriteText(llvm::raw_ostream &os, const JobRewrite &result);
void writeJobRewriteJson(llvm::raw_ostream &os, const JobRewrite &result, llvm::StringRef warnings);

} // namespace ccgraph::report
