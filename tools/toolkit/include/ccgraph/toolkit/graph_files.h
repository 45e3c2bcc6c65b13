// Loads the parts of a program from several files: the chosen graph of a file, its group table, its objects, recorded
// values.
//
// The readers of ccgraph/frontend take one text each; these functions take paths, choose a graph, and combine the parts
// in the same way for every tool.
//
// Ownership: the caller owns the graphs, which live in `context`. Failure: DiagnosticErrors with file and line if there
// is one; a missing file is an error with its path. Nothing is printed: warnings go to the collector, and are dropped
// if there is none. Cost: that of the readers.
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

/// Infers the types of a graph that was printed without types (ccgraph/ir/infer_types.h); other graphs stay as they
/// are. Adds a warning for each operator that no rule covers.
void completeTypes(Graph &graph, llvm::StringRef file, Diagnostics *warnings = nullptr);

/// Returns every graph of a file with complete types, or those that `selector` names, by name or index, if it is not
/// empty. `places` is described in ReadOptions.
[[nodiscard]] llvm::Expected<GraphList> loadGraphs(Context &context, const InputFile &file, llvm::StringRef selector,
                                                   Diagnostics *warnings = nullptr, NodePlaces *places = nullptr);

/// Returns the graph of a file that `selector` names, by name or index; empty: the only one.
[[nodiscard]] llvm::Expected<std::unique_ptr<Graph>>
loadGraph(Context &context, const InputFile &file, llvm::StringRef selector = "", Diagnostics *warnings = nullptr);
/// Does the same for the file at `path`.
[[nodiscard]] llvm::Expected<std::unique_ptr<Graph>>
loadGraph(Context &context, llvm::StringRef path, llvm::StringRef selector = "", Diagnostics *warnings = nullptr);

/// Adds the groups of a group file to a graph; they replace groups of the same name.
[[nodiscard]] llvm::Error addGroups(Graph &graph, llvm::StringRef path);

/// Returns the meanings of a program's objects, from the same file that describes its groups.
[[nodiscard]] llvm::Expected<ObjectMeanings> loadObjects(llvm::StringRef path);
/// Adds the meanings of the graph's own member `constants`, for objects that have no meaning yet.
void addOwnObjects(const Graph &graph, ObjectMeanings &objects);
/// Adds the groups of the file to the graph, and meanings to the objects that have none yet: those of the file, then
/// those of the graph itself. `path` is empty without a file. `stated`, if given, receives the table of the file.
[[nodiscard]] llvm::Error addGroupsAndObjects(Graph &graph, ObjectMeanings &objects, llvm::StringRef path,
                                              GroupTable *stated = nullptr);

/// Reads DIR/rank0.safetensors, DIR/rank1.safetensors, ..., by rank.
[[nodiscard]] llvm::Expected<std::vector<TensorMap>> loadValues(llvm::StringRef directory, size_t ranks);

} // namespace ccgraph
