// FX text: the Python that PyTorch prints of a graph, read and written.
//
//   class GraphModule(torch.nn.Module):
//       def forward(self, x: "f32[4, 4][4, 1]cpu"):
//           # File: model.py:3 in forward, code: y = funcol.all_reduce(x, "sum", group)
//           all_reduce: "f32[4, 4][4, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0');  x = None
//           wait_tensor: "f32[4, 4][4, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce)
//           return (wait_tensor,)
//
// print_readable() prints this form, and TORCH_LOGS=aot_graphs, TORCH_TRACE and fx_graph_runnable files contain it.
// Types, source comments and a logger's prefix on each line are optional. A text may hold several graphs. Text around
// the graphs is skipped. Classes inside a class are subgraphs, named as get_attr names them. "operator.le" stands for
// `a <= 7`, "aten.mm.default" for torch.ops.aten.mm.default, "torch.sym_sum" for itself. Calls of modules and methods
// are rejected: they hide the operators that run.
//
// This form does not contain groups, rank, world size, measured durations, or the types of list results (PyTorch prints
// none); writing it loses them. Ordering edges are a comment at the end of a line, `# after: a, b`, and guards
// (ccgraph/ir/guard.h) a comment below the header, `# guards: [...]`; both are read back.
//
// Ownership: graphs are the caller's and live in `context`; the text may be freed once readFxText returns. Errors: all
// of a text, up to the limit, each with line, column, got, expected and repair; arbitrary bytes never crash. Cost:
// linear; some 100 MB/s in two passes, one of them for logs only.
#pragma once

#include "ccgraph/frontend/read_graph.h"

namespace ccgraph {

/// Reads the graphs in the order of the text, at least one.
[[nodiscard]] llvm::Expected<GraphList> readFxText(Context &context, const SourceText &source,
                                                   const ReadOptions &options = {});

struct FxTextOptions {
  bool comments = true;   ///< source comments
  bool liveness = true;   ///< ";  a = None" after the last use
  bool listTypes = false; ///< types of list results too: nothing is lost, but PyTorch would not print them
};

/// Prints the graph with its subgraphs as print_readable(include_stride=True, include_device=True) does: subgraphs are
/// classes inside its class. Fails if a name, target or argument would not read back unchanged
/// (ccgraph/ir/internal/names.h); then it writes nothing. Errors of the system stay in the stream.
[[nodiscard]] llvm::Error writeFxText(llvm::raw_ostream &os, const Graph &graph, const FxTextOptions &options = {});

} // namespace ccgraph
