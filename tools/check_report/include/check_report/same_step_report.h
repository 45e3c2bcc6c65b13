// Writes whether a parallel step is the single one, as text and as JSON.
//
//   {"equal": false, "outputs_wrong": ["grad.wq"], "where": [{"rank": 0, "node": "mm_3", "source": ""}],
//    "where_in_reference": [],
//    "counter_examples": [{"of": "grad.wq", "rank": 0, "element": [0, 1], "replicas_differ": false,
//                          "in_reference": false}],
//    "assumed": [], "error_probability": 0.0}
//
// `equal` is null for a step that cannot be decided; `assumed` then says why, and `error_probability` is null.
//
// Ownership: borrows the answer. Failure: none; the stream keeps the system's error. Cost: linear in the answer.
#pragma once

#include "ccgraph/equality/same_step.h"

#include "llvm/Support/raw_ostream.h"

namespace ccgraph::report {

void writeSameStepText(llvm::raw_ostream &os, const equality::StepAnswer &answer);
void writeSameStepJson(llvm::raw_ostream &os, const equality::StepAnswer &answer);

} // namespace ccgraph::report
