// Log titles: the lines by which TORCH_LOGS announces a graph.
//
//   [rank0]:V1121 08:54:34.206000 27731 torch/...py:1861] [0/0] [__aot_graphs] TRACED GRAPH
//   [rank0]:V1121 08:54:34.206000 27731 torch/...py:1861] [0/0] [__aot_graphs]  ===== Forward graph 0 =====
//   [rank0]:V1121 08:54:34.206000 27731 torch/...py:1861] [0/0] [__aot_graphs]  /venv/lazy.py class M(torch.nn.Module):
//
// is the aot_forward_graph of rank 0 and compilation 0/0. Kinds have the names that TORCH_TRACE gives them.
//
// Ownership: texts are borrowed. Failure: an empty result. Cost: linear in the line.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace ccgraph::fx {

/// "===== Forward graph 0 =====" -> "Forward graph 0"; empty where the line is not a title.
[[nodiscard]] llvm::StringRef titleOf(llvm::StringRef line);

/// "Forward graph 0" -> "aot_forward_graph"; an unknown title is its own kind.
[[nodiscard]] std::string kindOfTitle(llvm::StringRef title);

/// Parse the marks before a line: "[rank0]:" -> 0, "[0/0_1]" -> "0/0_1".
[[nodiscard]] std::optional<int64_t> rankOfMarks(llvm::StringRef marks);
[[nodiscard]] std::string compileIdOfMarks(llvm::StringRef marks);

} // namespace ccgraph::fx
