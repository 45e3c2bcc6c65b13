// Writes the result of a check of a job, as text and as JSON.
//
// The text has a paragraph for each finding, the worst first, and a verdict under each semantics. The JSON lists all
// findings:
//   {"verdict": {"streams": "ok" | "deadlock", ...},
//    "findings": [{"rule": "reduction", "group": [0, 1], "sequence": 3, "culprits": [1],
//                  "nodes": [{"rank": 1, "node": "all_reduce_2"}], "places": ["train.py:41 in step"]}, ...],
//    "assumed": ["rank 7, which has no graph, launches what its groups need"], "ranks": 2, "programs": 2}
// `repair` is an edit that was tried, if one succeeded. `places` has the source line of each node, empty where the graph
// does not state it. `group` and `sequence` are null if the finding is not about one group or one place; a deadlock has `under`. Names of
// groups belong to one rank, so groups are ranks.
//
// Ownership: borrows the result. Failure: none; the stream keeps the system's error. Cost: linear in the findings and
// the ranks that they list.
#pragma once

#include "ccgraph/jobs/check.h"

#include "llvm/Support/raw_ostream.h"

namespace ccgraph::report {

/// The result of one job of a run.
struct CheckedJob {
  /// the compilation that a log names; empty if the input is one job
  std::string compilation;
  jobs::CheckResult result;
};

void writeCheckText(llvm::raw_ostream &os, llvm::ArrayRef<CheckedJob> checked);
/// One object for all jobs: a deadlock of one is the verdict of all, and findings have the key `compilation`.
void writeCheckJson(llvm::raw_ostream &os, llvm::ArrayRef<CheckedJob> checked);

} // namespace ccgraph::report
