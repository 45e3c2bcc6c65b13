// Reads the communication of one graph into a Program.
//
// Ownership: writes into the pools of `data`. Failure: diagnostics at the node. Cost: linear in the nodes, plus the
// storages of their operands.
#pragma once

#include "job_data.h"

#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/storage.h"

#include "llvm/Support/Error.h"

namespace ccgraph::jobs {

/// `storages` are those of the graph; null: they are found here. `calledRanks` receives, by group of the program, the
/// ranks of groups that a call lists itself; empty for names of the table.
[[nodiscard]] llvm::Expected<ReadProgram> readProgram(const Graph &graph, const StorageMap *storages, JobData &data,
                                                      std::vector<std::vector<int64_t>> &calledRanks);

} // namespace ccgraph::jobs
