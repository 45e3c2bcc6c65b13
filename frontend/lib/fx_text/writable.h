// What FX text can say of a graph: whether its names, targets and arguments read back from the text as they are.
//
// FX text is Python. What stands in it outside of quotes is held to ccgraph/ir/names.h and constant_text.h; a graph that came in by another way
// than a reader (C++, the C ABI) may not follow them, and is refused before a byte is written.
//
// Failure: a DiagnosticError with the first name of each kind that cannot be written. Cost: linear in the graph.
#pragma once

#include "ccgraph/ir/graph.h"

#include "llvm/Support/Error.h"

namespace ccgraph::fx {

[[nodiscard]] llvm::Error checkWritable(const Graph &graph);
/// The layouts and memory formats of PyTorch, as they stand after "torch.".
[[nodiscard]] bool isLayout(llvm::StringRef word);
[[nodiscard]] bool isMemoryFormat(llvm::StringRef word);

} // namespace ccgraph::fx
