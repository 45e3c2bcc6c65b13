// Writes whether two programs compute bitwise equal outputs, as text and as JSON.
//
//   {"equal": true, "bitwise_equal": false, "order": "any",
//    "outputs": [{"name": "out.0", "rank": 0, "dtype": "bf16", "bitwise_equal": false, "same_function": true,
//                 "cause": "bucket", "difference_ulps": 4.0, "error_ulps": {"before": 2.0, "after": 2.0},
//                 "before": [{"rank": 0, "node": "all_reduce", "source": "", "what": "sum over ranks 0, 1 and 2 ..."}],
//                 "after": [...]}],
//    "assumed": []}
//
// Where the values of a parallel step differ from those of one device, the answer is that of same_step_report.h.
//
// `equal` is null where it cannot be decided; a bound that is not known is null.
//
// Ownership: borrows the answer. Failure: none; the stream keeps the system's error. Cost: linear in the answer.
#pragma once

#include "ccgraph/checks/numerics_files.h"

#include "llvm/Support/raw_ostream.h"

namespace ccgraph::report {

void writeNumericsText(llvm::raw_ostream &os, const NumericsAnswer &answer);
void writeNumericsJson(llvm::raw_ostream &os, const NumericsAnswer &answer);

} // namespace ccgraph::report
