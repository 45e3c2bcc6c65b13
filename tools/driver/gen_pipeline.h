// Writes the job of a pipeline (ccgraph-gen --pp): a folder with the graphs of its ranks and what describes them.
//
//   pp0.json, pp1.json, ...   the graph of each rank of the pipeline, which serves all ranks of its stages; with --tp,
//                             pp0-tp0.json and so on, since graphs then differ by tensor rank
//   groups.json               the ranks of all groups
//   job.json                  which graph is of which ranks
//   schedule.csv              the schedule in PyTorch's form, with transfers
//
// Ownership: borrows. Failure: diagnostics about the request; a file that cannot be written. Cost: that of the graphs.
#pragma once

#include "driver/gen_options.h"

namespace ccgraph::driver {

/// `options.request` has the model and all sizes; `options.output` is the folder, which is created.
[[nodiscard]] llvm::Error writePipeline(const GenOptions &options);

/// Implements --emit csv: writes the schedule without transfers to --output or `out`.
[[nodiscard]] llvm::Error writeSchedule(const GenOptions &options, llvm::raw_ostream &out);

} // namespace ccgraph::driver
