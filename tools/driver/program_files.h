// Program files: what the tools load beside one another: graphs, group tables, recorded values.
//
// Ownership: graphs are the caller's and live in `context`. Failure: DiagnosticErrors with file and line where there is one; a missing file is an
// error with its path. Cost: that of the readers.
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/host_tensor.h"

#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace ccgraph::driver {

/// The graph of a file that `selector` names, by name or by index; empty: the only one.
[[nodiscard]] llvm::Expected<std::unique_ptr<Graph>> loadGraph(Context &context, llvm::StringRef path,
                                                               llvm::StringRef selector = "");

/// Adds the groups of a group file to a graph, over those of the same name.
[[nodiscard]] llvm::Error addGroups(Graph &graph, llvm::StringRef path);

/// Takes each group that collectives name and no table knows as ranks 0..ranks-1, marked as assumed. Returns their names, in program order.
std::vector<std::string> assumeGroups(Graph &graph, size_t ranks);

/// DIR/rank0.safetensors, DIR/rank1.safetensors, ..., by rank.
[[nodiscard]] llvm::Expected<std::vector<TensorMap>> loadValues(llvm::StringRef directory, size_t ranks);

} // namespace ccgraph::driver
