// FX text: the Python that PyTorch prints of a graph, read and written.
//
//   class GraphModule(torch.nn.Module):
//       def forward(self, x: "f32[4, 4][4, 1]cpu"):
//           # File: model.py:3 in forward, code: y = funcol.all_reduce(x, "sum", group)
//           all_reduce: "f32[4, 4][4, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0');  x = None
//           wait_tensor: "f32[4, 4][4, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce)
//           return (wait_tensor,)
//
// It is what print_readable() prints and what TORCH_LOGS=aot_graphs, TORCH_TRACE and fx_graph_runnable files hold, with
// or without types and source comments, with or without a logger's prefix on each line, one graph or several. Text
// around the graphs is passed over. Classes inside of a class are subgraphs, named as get_attr names them.
// "operator.le" stands for `a <= 7`, "aten.mm.default" for torch.ops.aten.mm.default, "torch.sym_sum" for itself. Calls
// of modules and methods are refused: they hide what runs.
//
// Not in this form, and so lost by writing it: groups, rank, world size, measured durations, and the
// types of list results (PyTorch prints none). Ordering edges are a comment at the end of a line, `# after: a, b`, that
// reading takes back, and guards (ccgraph/ir/guard.h) one below the header, `# guards: [...]`.
//
// Ownership: graphs are the caller's and live in `context`; the text may go once readFxText returns.
// Errors: all of a text, up to the limit, each with line, column, got, expected and repair; arbitrary bytes never
// crash. Cost: linear; some 100 MB/s, two passes of which one only for logs.
#pragma once

#include "ccgraph/frontend/read_graph.h"

namespace ccgraph {

/// Graphs in the order of the text, at least one.
[[nodiscard]] llvm::Expected<GraphList> readFxText(Context &context, const SourceText &source,
                                                   const ReadOptions &options = {});

struct FxTextOptions {
  bool comments = true;   ///< source comments
  bool liveness = true;   ///< ";  a = None" after the last use
  bool listTypes = false; ///< types of list results too: nothing is lost, but PyTorch would not print them
};

/// Prints the graph with its subgraphs as print_readable(include_stride=True, include_device=True) does: classes inside of its class.
/// Error: a name, target or argument would not read back as it is (ccgraph/ir/names.h); nothing is written then. The stream keeps what the
/// system said.
[[nodiscard]] llvm::Error writeFxText(llvm::raw_ostream &os, const Graph &graph, const FxTextOptions &options = {});

} // namespace ccgraph
