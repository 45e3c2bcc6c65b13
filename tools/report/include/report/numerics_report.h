// Writes whether two programs compute bitwise equal outputs, as text and as JSON.
//
//   {"equal": true, "bitwise_equal": false, "order": "any",
//    "outputs": [{"name": "out.0", "rank": 0, "dtype": "bf16", "bitwise_equal": false, "same_function": true,
//                 "cause": "bucket", "difference_ulps": 4.0, "error_ulps": {"before": 2.0, "after": 2.0},
//                 "before": [{"rank": 0, "node": "all_reduce", "source": "", "what": "sum over ranks 0, 1 and 2 ..."}],
//                 "after": [...]}],
//    "assumed": []}
//
// `equal` is null where it cannot be decided; a bound that is not known is null.
//
// Ownership: borrows the answer. Failure: none; the stream keeps the system's error. Cost: linear in the answer.
#pragma once

#include "ccgraph/equality/same_step.h"
#include "ccgraph/numerics/compare_sums.h"

#include "llvm/Support/raw_ostream.h"

namespace ccgraph::report {

/// What an answer is about.
struct NumericsSubject {
  /// the order of sums that was assumed
  numerics::SumOrder order = numerics::SumOrder::Any;
  /// of a parallel step beside that of one device: whether their values are the same, which decides `equal`; null: the
  /// two are programs of one job
  const equality::StepAnswer *step = nullptr;
};

void writeNumericsText(llvm::raw_ostream &os, const numerics::SumAnswer &answer, const NumericsSubject &subject);
void writeNumericsJson(llvm::raw_ostream &os, const numerics::SumAnswer &answer, const NumericsSubject &subject);

} // namespace ccgraph::report
