// torch.export: the graphs of a `.pt2` archive, and of the `model.json` in it.
//
//   {"graph_module": {"graph": {"inputs": [{"as_tensor": {"name": "x"}}], "outputs": [..], "nodes": [
//      {"target": "torch.ops._c10d_functional.all_reduce.default", "inputs": [{"name": "input", "arg": {"as_tensor": {"name":
//      "x"}}, "kind": 1}, ..], "outputs": [{"as_tensor": {"name": "all_reduce"}}], ..}], "tensor_values": {..}}, ..},
//    "schema_version": {"major": 8, "minor": 20}, ..}
//
// A union is an object with one key. The elements of a list result are named by `outputs`: they become getitem nodes, as FX
// has them, but for those that nothing reads and that have no name of their own (NODE_unused_0). Sizes are expressions of sympy
// (`srepr`), which become what sympy prints. The user's own line, the last of the stack trace, becomes the frame of a node;
// which parameter or buffer an input is stands in its provenance. The graph is as it was exported: what the signature says of
// mutated buffers is not replayed.
//
// An unknown major version is refused and a newer minor one warned of, since minor ones bring arguments of new kinds: such an
// argument is kept as its text. Keys that are not known are kept, with "export." before them: those of the file as foreign keys of the graph, those of a
// node in its provenance. Weights, constants and sample inputs of an archive are not looked at.
//
// Ownership: graphs are the caller's and live in `context`. Errors: all of a file, up to the limit, each with JSON pointer, node and the
// user's line; arbitrary bytes never crash. An archive may claim any size: a model is inflated up to largestModel(). Cost:
// linear; about 100 bytes a JSON value while a file is read.
#pragma once

#include "ccgraph/frontend/read_graph.h"

namespace ccgraph {

/// The highest schema that was read in the making of this reader.
inline constexpr int64_t exportMajor = 8;
inline constexpr int64_t exportMinor = 20;

/// Bytes that a model of an archive may inflate to, by the bytes of the whole archive: what says more is no model.
[[nodiscard]] constexpr size_t largestModel(size_t archiveBytes) { return (size_t(1) << 20) + 100 * archiveBytes; }

/// True of bytes that begin as a zip archive does.
[[nodiscard]] bool isZip(llvm::StringRef bytes);
/// True of a JSON object that is a model.json, by the keys that it begins with.
[[nodiscard]] bool isExportJson(llvm::StringRef text);

/// The graphs of all models of an archive, by the names of the models.
[[nodiscard]] llvm::Expected<GraphList> readExportArchive(Context &context, const SourceText &source,
                                                          const ReadOptions &options = {});
/// The graph of a model.json.
[[nodiscard]] llvm::Expected<std::unique_ptr<Graph>> readExportJson(Context &context, const SourceText &source,
                                                                    const ReadOptions &options = {});

} // namespace ccgraph
