// Graph files: what belongs to one program and comes from several files: the graph of a file that is
// meant, its group table, the objects that it holds, recorded values.
//
// The readers of ccgraph/frontend take one text each; these functions take paths, choose, and put
// things together in the way that every tool does.
//
// Ownership: graphs are the caller's and live in `context`. Failure: DiagnosticErrors with file and
// line where there is one; a missing file is an error with its path. Nothing is printed: warnings go
// to the collector, and are dropped where there is none. Cost: that of the readers.
#pragma once

#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/read_graph.h"
#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/host_tensor.h"
#include "ccgraph/ir/object_meaning.h"

#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace ccgraph {

/// Infers the types of a graph that was printed without (ccgraph/ir/infer_types.h); any other stays as it is. A warning
/// for each operator that no rule covers.
void completeTypes(Graph &graph, llvm::StringRef file, Diagnostics *warnings = nullptr);

/// Every graph of a file, its types completed; those that `selector` names, by name or by index, where it is not empty. `places` as in
/// ReadOptions.
[[nodiscard]] llvm::Expected<GraphList> loadGraphs(Context &context, const InputFile &file, llvm::StringRef selector,
                                                   Diagnostics *warnings = nullptr, NodePlaces *places = nullptr);

/// The graph of a file that `selector` names, by name or by index; empty: the only one.
[[nodiscard]] llvm::Expected<std::unique_ptr<Graph>>
loadGraph(Context &context, const InputFile &file, llvm::StringRef selector = "", Diagnostics *warnings = nullptr);
/// The same, of the file at `path`.
[[nodiscard]] llvm::Expected<std::unique_ptr<Graph>>
loadGraph(Context &context, llvm::StringRef path, llvm::StringRef selector = "", Diagnostics *warnings = nullptr);

/// Adds the groups of a group file to a graph, over those of the same name.
[[nodiscard]] llvm::Error addGroups(Graph &graph, llvm::StringRef path);

/// What the objects of a program stand for, of the same file that describes its groups.
[[nodiscard]] llvm::Expected<ObjectMeanings> loadObjects(llvm::StringRef path);
/// What the graph's own member `constants` says, for objects that have no meaning yet.
void addOwnObjects(const Graph &graph, ObjectMeanings &objects);
/// Both: the groups to the graph, the objects to those that have no meaning yet. `stated`, where it is given, becomes
/// the table of the file.
[[nodiscard]] llvm::Error addGroupsAndObjects(Graph &graph, ObjectMeanings &objects, llvm::StringRef path,
                                              GroupTable *stated = nullptr);

/// DIR/rank0.safetensors, DIR/rank1.safetensors, ..., by rank.
[[nodiscard]] llvm::Expected<std::vector<TensorMap>> loadValues(llvm::StringRef directory, size_t ranks);

} // namespace ccgraph
