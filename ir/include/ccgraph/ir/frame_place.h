// Frame places: what a frame says of the user's own program.
//
// PyTorch prints one frame of a node, the innermost, and that may be a line of PyTorch's own library, which tells the user
// nothing: torch/nn/modules/linear.py. The module path stands in an annotation or, where a text was printed with
// `additional_meta=["nn_module_stack"]`, before the file:
//
//   # Annotation: {'module_fqn': 'layers.0'} File: /job/model.py:12 in forward, code: x @ w
//   # nn_module_stack: {'1': ("L['self'].layers.0", <class 'Block'>)} # File: /job/model.py:12 in forward, code: x @ w
//
// Ownership: results are values, or texts of the caller. Failure: none; what is not said is empty. Cost: linear in the texts.
#pragma once

#include "ccgraph/ir/graph.h"

#include <string>

namespace ccgraph {

/// Whether a path is one of PyTorch's own files, or code that PyTorch generates, such as "<eval_with_key>.5".
[[nodiscard]] bool isPyTorchFile(llvm::StringRef path);

/// "layers.0.up"; empty where the frame names no module.
[[nodiscard]] std::string moduleOf(const Frame &frame);

/// The frame that tells most of where a node comes from in the user's own program: its own, or where that is PyTorch's,
/// the user's frame of the nearest node that it reads, else of the nearest that reads it; its own where none is near.
[[nodiscard]] const Frame &userFrameOf(const Node &node);

} // namespace ccgraph
