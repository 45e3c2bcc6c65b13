// NamedFiles holds the pipeline, the schedule and the costs that options name.
//
// Ownership: plain values. Failure: DiagnosticErrors with file and line, or
// with the pass, the option or the machine that is unknown. Cost: that of the readers.
#pragma once

#include "handles.h"

#include "ccgraph/toolkit/cost_files.h"

namespace ccgraph::capi {

struct NamedFiles {
  RunCosts costs;
  std::optional<Schedule> schedule;
  Pipeline pipeline;
};

/// Reads everything that the options name except the groups, which belong to a graph. Warnings of the readers are
/// appended to `warned`. `gpus` choose the machine if the options do not name one.
[[nodiscard]] llvm::Expected<NamedFiles> readNamedFiles(const ccgraph_options &options, const HostGpus &gpus,
                                                        std::string &warned);

} // namespace ccgraph::capi
