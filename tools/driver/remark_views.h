// Remark views: remarks with what is known of their nodes, filtered, and as files.
//
// A remark says what a pass did; the schedules say which group the node is on, how many bytes it moves, how long that takes and for how
// long it is exposed. The two are put together here, by the name of the node: as it was before, or as it is where it is new.
//
// Files have the fields of LLVM's optimisation records, so that opt-viewer and its kin read them: what was done is Passed, what was left
// alone Missed, what stands right already Analysis. The texts of Args, one after another, are a sentence. Function is the graph, Hotness the
// microseconds for which the node is exposed.
//
// Ownership: plain values. Failure: none; the pattern is one. Cost: linear in remarks and nodes.
#pragma once

#include "ccgraph/passes/pass_manager.h"

#include "llvm/Support/raw_ostream.h"

namespace ccgraph::driver {

/// All remarks of a run whose schedules were recorded, in their order, each with the arguments `group`, `bytes`, `us` and `exposed-us`
/// where its node communicates or waits.
[[nodiscard]] std::vector<Remark> detailedRemarks(const PipelineRun &run);

/// Those whose line (print() in remark.h) matches an extended regular expression; all for an empty text.
[[nodiscard]] std::vector<Remark> matchingRemarks(std::vector<Remark> remarks, llvm::StringRef pattern);

/// One YAML document a remark.
void writeRemarkYaml(llvm::raw_ostream &os, llvm::StringRef graph, llvm::ArrayRef<Remark> remarks);
/// An array of the same fields, with the tag as "Type".
void writeRemarkJson(llvm::raw_ostream &os, llvm::StringRef graph, llvm::ArrayRef<Remark> remarks);

} // namespace ccgraph::driver
