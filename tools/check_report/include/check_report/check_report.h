// Writes the result of a check of a job: as text, JSON, SARIF, a picture in the DOT language, and a page.
//
// The text has a paragraph for each finding, the worst first, and a verdict under each semantics. The JSON lists all
// findings:
//   {"verdict": {"streams": "ok" | "deadlock", ...},
//    "findings": [{"rule": "reduction", "group": [0, 1], "sequence": 3, "culprits": [1],
//                  "nodes": [{"rank": 1, "node": "all_reduce_2"}], "places": ["train.py:41 in step"]}, ...],
//    "resident": {"needed": 2, "order": [{"ranks": [1], "launches": ["all_reduce_2", "all_gather"]}]},
//    "replay": {"streams": {"ends": false, "text": "rank 0 waits for ..."}},
//    "assumed": ["rank 7, which has no graph, launches what its groups need"], "ranks": 2, "programs": 2}
// `repair` is an edit that was tried, if one succeeded. `places` has the source line of each node, empty where the
// graph does not state it. `group` and `sequence` are null if the finding is not about one group or one place; a
// deadlock has `under`. `resident` is there if streams was checked; `needed` is null if no number of resident
// communicators is enough. `replay` is there if the job was replayed. Names of groups belong to one rank, so groups are
// ranks.
//
// The picture has a node for each launch at which a rank stands, and an edge to the rank that it waits for, so a
// deadlock is a circle. The page shows the same circle over a timeline for each rank; it needs no other file and runs
// no script.
//
// Ownership: borrows the result. Failure: none; the stream keeps the system's error. Cost: linear in the findings and
// the ranks that they list, and in the launches of the timelines.
#pragma once

#include "ccgraph/checks/job_check.h"

#include "llvm/Support/raw_ostream.h"

namespace ccgraph::report {

void writeCheckText(llvm::raw_ostream &os, llvm::ArrayRef<CheckedJob> checked);
/// One object for all jobs: a deadlock of one is the verdict of all, and findings have the key `compilation`.
void writeCheckJson(llvm::raw_ostream &os, llvm::ArrayRef<CheckedJob> checked);
/// Each finding is a result; its places are the lines of the user's program. `input` is the file of a result without
/// such a line.
void writeCheckSarif(llvm::raw_ostream &os, llvm::ArrayRef<CheckedJob> checked, const std::string &input);
void writeCheckDot(llvm::raw_ostream &os, llvm::ArrayRef<CheckedJob> checked);
/// Needs CheckedJob::timelines.
void writeCheckPage(llvm::raw_ostream &os, llvm::ArrayRef<CheckedJob> checked, const std::string &input);

/// Returns whether the nodes of the finding are ranks that wait for each other.
[[nodiscard]] bool isCircle(const jobs::Finding &finding);
/// Returns one line about the finding, without its rule: "ranks 0-1 wait for each other".
[[nodiscard]] std::string findingText(const jobs::Finding &finding);

} // namespace ccgraph::report
