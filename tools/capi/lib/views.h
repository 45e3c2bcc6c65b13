// Makes the views of an optimization: the report page, the trace of both schedules, and advice.
//
// Ownership: Views owns a copy of the graph before the optimization, which lives in the context of the handle. Failure:
// only usage errors. Cost: the page and the trace are linear in the nodes; advice runs the pipeline about ten times.
#pragma once

#include "named_files.h"

#include "llvm/Support/raw_ostream.h"

namespace ccgraph::capi {

/// The data with which advice runs the same pipeline on the same graph with other options.
struct Views {
  std::unique_ptr<Graph> input;
  NamedFiles files;
  PassManagerOptions manager; ///< borrows the durations of `files`
  std::optional<unsigned> level;
};

[[nodiscard]] bool isViewForm(llvm::StringRef form);
/// Returns NULL if the graph has this view.
[[nodiscard]] ccgraph_error *checkView(const ccgraph_graph &handle);
void printView(const ccgraph_graph &handle, llvm::StringRef form, llvm::raw_ostream &os);

} // namespace ccgraph::capi
