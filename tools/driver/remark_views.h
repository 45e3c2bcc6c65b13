// Adds the properties of nodes to remarks, filters remarks, and writes them as files.
//
// A remark states what a pass did; the schedules state the group of the node, the bytes that it moves, how long that
// takes and for how long it is exposed. This file joins the two by the name of the node: the name before the pass, or
// the new name for a new node.
//
// Files have the fields of LLVM's optimization records, so that opt-viewer and similar tools read them: a change is
// Passed, a node left alone is Missed, and a node that was already right is Analysis. The texts of Args form a
// sentence. Function is the graph, and Hotness is the number of microseconds for which the node is exposed.
//
// Ownership: plain values. Failure: only for an invalid pattern. Cost: linear in remarks and nodes.
#pragma once

#include "ccgraph/passes/pass_manager.h"

#include "llvm/Support/raw_ostream.h"

namespace ccgraph::driver {

/// Returns all remarks of a run with recorded schedules, in their order. A remark whose node communicates or waits has
/// the arguments `group`, `bytes`, `us` and `exposed-us`.
[[nodiscard]] std::vector<Remark> detailedRemarks(const PipelineRun &run);

/// Returns the remarks whose line (print() in remark.h) matches an extended regular expression, and all remarks for an
/// empty text.
[[nodiscard]] std::vector<Remark> matchingRemarks(std::vector<Remark> remarks, llvm::StringRef pattern);

/// Writes one YAML document for each remark.
void writeRemarkYaml(llvm::raw_ostream &os, llvm::StringRef graph, llvm::ArrayRef<Remark> remarks);
/// Writes an array of the same fields, with the tag as "Type".
void writeRemarkJson(llvm::raw_ostream &os, llvm::StringRef graph, llvm::ArrayRef<Remark> remarks);

} // namespace ccgraph::driver
