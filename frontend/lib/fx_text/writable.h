// checkWritable: whether the names, targets and arguments of a graph read back unchanged from FX text.
//
// FX text is Python. Its words outside quotes must follow ccgraph/ir/internal/names.h and constant_text.h. A graph that
// did not come from a reader (C++, the C ABI) may break these rules; it is rejected before a byte is written.
//
// Failure: a DiagnosticError with the first name of each kind that cannot be written. Cost: linear in the graph.
#pragma once

#include "ccgraph/ir/graph.h"

#include "llvm/Support/Error.h"

namespace ccgraph::fx {

[[nodiscard]] llvm::Error checkWritable(const Graph &graph);
/// The layouts and memory formats of PyTorch, without "torch.".
[[nodiscard]] bool isLayout(llvm::StringRef word);
[[nodiscard]] bool isMemoryFormat(llvm::StringRef word);

} // namespace ccgraph::fx
