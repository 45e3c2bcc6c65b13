// NamedFiles holds the pipeline, the schedule and the cost files that options name.
//
// Ownership: plain values; PassManagerOptions borrows the durations. Failure: DiagnosticErrors with file and line, or
// with the pass, the option or the machine that is unknown. Cost: that of the readers.
#pragma once

#include "handles.h"

#include "ccgraph/toolkit/cost_files.h"

namespace ccgraph::capi {

struct NamedFiles {
  std::optional<DurationFile> durations;
  std::optional<Schedule> schedule;
  Pipeline pipeline;
};

/// Reads everything that the options name except the groups, which belong to a graph. Warnings of the readers are
/// appended to `warned`.
[[nodiscard]] llvm::Error readNamedFiles(const ccgraph_options &options, NamedFiles &files, PassManagerOptions &manager,
                                         std::string &warned);

} // namespace ccgraph::capi
