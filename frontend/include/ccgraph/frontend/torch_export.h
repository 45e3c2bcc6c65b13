// torch.export: the graphs of a `.pt2` archive, and of the `model.json` in it.
//
//   {"graph_module": {"graph": {"inputs": [{"as_tensor": {"name": "x"}}], "outputs": [..], "nodes": [
//      {"target": "torch.ops._c10d_functional.all_reduce.default",
//       "inputs": [{"name": "input", "arg": {"as_tensor": {"name": "x"}}, "kind": 1}, ..],
//       "outputs": [{"as_tensor": {"name": "all_reduce"}}], ..}], "tensor_values": {..}}, ..},
//    "schema_version": {"major": 8, "minor": 20}, ..}
//
// A union is an object with one key. `outputs` names the elements of a list result. They become getitem nodes, as in
// FX, except elements that have no reader and no name of their own (NODE_unused_0). Sizes are expressions of sympy
// (`srepr`), which become the text that sympy prints. The user's own line, the last of the stack trace, becomes the
// frame of a node; its provenance names the parameter or buffer that an input is. The graph is the exported one:
// mutations of buffers in the signature are not replayed.
//
// An unknown major version is rejected. A newer minor version is a warning, since minor versions add kinds of
// arguments; such an argument is kept as its text. Unknown keys are kept with the prefix "export.": those of the file
// as foreign keys of the graph, those of a node in its provenance. Weights, constants and sample inputs of an archive
// are not read.
//
// Ownership: graphs are the caller's and live in `context`. Errors: all of a file, up to the limit, each with JSON
// pointer, node and the user's line; arbitrary bytes never crash. An archive may claim any size, so a model is inflated
// up to largestModel() only. Cost: linear; about 100 bytes a JSON value while a file is read.
#pragma once

#include "ccgraph/frontend/read_graph.h"

namespace ccgraph {

/// The highest schema version that this reader was tested with.
inline constexpr int64_t exportMajor = 8;
inline constexpr int64_t exportMinor = 20;

/// Returns the most bytes that a model may inflate to, given the bytes of the whole archive; a larger size is rejected.
[[nodiscard]] constexpr size_t largestModel(size_t archiveBytes) { return (size_t(1) << 20) + 100 * archiveBytes; }

/// Returns true for bytes that begin as a zip archive does.
[[nodiscard]] bool isZip(llvm::StringRef bytes);
/// Returns true for a JSON object that is a model.json, by its first keys.
[[nodiscard]] bool isExportJson(llvm::StringRef text);

/// Reads the graphs of all models of an archive; each has the name of its model.
[[nodiscard]] llvm::Expected<GraphList> readExportArchive(Context &context, const SourceText &source,
                                                          const ReadOptions &options = {});
/// Reads the graph of a model.json.
[[nodiscard]] llvm::Expected<std::unique_ptr<Graph>> readExportJson(Context &context, const SourceText &source,
                                                                    const ReadOptions &options = {});

} // namespace ccgraph
