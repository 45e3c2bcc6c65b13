// The names of the values that a program's caller brings and receives, on each rank: "in.x", "attr.w", "out.0", and
// "after.x" for what the caller sees in the input x after the run. Maps of tensors (TensorMap), plans and files of
// values have these names.
//
// Ownership: none; plain functions from text to text. Failure: none. Cost: a small string each.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstddef>
#include <optional>
#include <string>

namespace ccgraph {

/// Returns "in.x": what the caller brings for the placeholder x.
[[nodiscard]] std::string inputName(llvm::StringRef placeholder);
/// Returns "attr.w": what the caller brings for the target of a get_attr node.
[[nodiscard]] std::string attributeName(llvm::StringRef target);
/// Returns "out.0": an element of what the program returns, with lists flattened.
[[nodiscard]] std::string outputName(size_t index);
/// Returns "after.x": what the placeholder x holds after the run.
[[nodiscard]] std::string afterName(llvm::StringRef placeholder);

/// Returns "x" for "in.x"; empty for other names.
[[nodiscard]] std::optional<llvm::StringRef> placeholderOfInput(llvm::StringRef name);
/// Returns "x" for "after.x"; empty for other names.
[[nodiscard]] std::optional<llvm::StringRef> placeholderOfAfter(llvm::StringRef name);
[[nodiscard]] bool isAttributeName(llvm::StringRef name);
/// Whether the caller receives this value: "out.0", "after.x".
[[nodiscard]] bool isResultName(llvm::StringRef name);

} // namespace ccgraph
