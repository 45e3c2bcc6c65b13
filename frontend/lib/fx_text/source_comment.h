// Source comments: the "# File: ..." lines of print_readable <-> Frame.
//
//   # Annotation: {'module_fqn': 'layers.0'} recompute: MUST_SAVE File: /home/user/model.py:12 in forward, code: x @ w
//   # Backward of forward node: File: ...
//   # No stacktrace found for following nodes
//
// A comment applies to all nodes from it to the next one. Other comments do not describe nodes and are not kept. The
// output of printSourceComment reads back as the same Frame.
//
// Ownership: texts go into the Context. Never fails: any other comment gives an empty result. Cost: linear in the
// comment.
#pragma once

#include "ccgraph/ir/graph.h"

#include <optional>

namespace ccgraph::fx {

/// Parses `comment`, a line without the blanks before its '#'. Returns an empty Frame where PyTorch states that it has
/// no stack trace.
[[nodiscard]] std::optional<Frame> parseSourceComment(Context &context, llvm::StringRef comment);

/// Prints the comment, from '#', without a line end.
void printSourceComment(llvm::raw_ostream &os, const Frame &frame);

} // namespace ccgraph::fx
