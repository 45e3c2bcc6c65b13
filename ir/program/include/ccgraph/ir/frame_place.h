// Frame places: reads locations in the user's own program from frames.
//
// PyTorch prints one frame of a node, the innermost. That may be a line of PyTorch's own library, which does not help
// the user: torch/nn/modules/linear.py. The module path is in an annotation or, if a text was printed with
// `additional_meta=["nn_module_stack"]`, before the file:
//
//   # Annotation: {'module_fqn': 'layers.0'} File: /job/model.py:12 in forward, code: x @ w
//   # nn_module_stack: {'1': ("L['self'].layers.0", <class 'Block'>)} # File: /job/model.py:12 in forward, code: x @ w
//
// Ownership: results are values, or texts of the caller. Failure: none; a missing part is empty. Cost: linear in the
// texts.
#pragma once

#include "ccgraph/ir/graph.h"

#include <string>

namespace ccgraph {

/// Returns whether a path is one of PyTorch's own files, or code that PyTorch generates, such as "<eval_with_key>.5".
[[nodiscard]] bool isPyTorchFile(llvm::StringRef path);

/// Returns "layers.0.up"; empty if the frame names no module.
[[nodiscard]] std::string moduleOf(const Frame &frame);

/// Returns the frame that best locates a node in the user's own program: its own frame, unless that is PyTorch's. In
/// that case it is the user's frame of the nearest node that it reads, else of the nearest reader. If there is none
/// nearby, it is the node's own frame.
[[nodiscard]] const Frame &userFrameOf(const Node &node);

} // namespace ccgraph
