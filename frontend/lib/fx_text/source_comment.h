// Source comments: the "# File: ..." lines of print_readable <-> Frame.
//
//   # Annotation: {'module_fqn': 'layers.0'} recompute: MUST_SAVE File: /home/user/model.py:12 in forward, code: x @ w
//   # Backward of forward node: File: ...
//   # No stacktrace found for following nodes
//
// A comment holds for all nodes from it to the next one. Other comments say nothing about nodes and
// are not kept. What printSourceComment writes reads back as the same Frame.
//
// Ownership: texts go into the Context. Fails never: what is no source comment gives an empty
// result. Cost: linear in the comment.
#pragma once

#include "ccgraph/ir/graph.h"

#include <optional>

namespace ccgraph::fx {

/// `comment` is a line without the blanks before its '#'. An empty Frame where PyTorch says that it knows none.
[[nodiscard]] std::optional<Frame> parseSourceComment(Context &context, llvm::StringRef comment);

/// The comment, from '#', without a line end.
void printSourceComment(llvm::raw_ostream &os, const Frame &frame);

} // namespace ccgraph::fx
