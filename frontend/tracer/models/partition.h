// Splits a joint program as PyTorch's compiler does: the forward pass returns the values that the backward pass reads,
// and the backward pass takes them as inputs.
//
// Values are passed unchanged, and no value is computed twice. Inputs of the forward pass that the backward pass reads
// are passed too, so all inputs of the backward pass are results of the forward pass.
//
// Ownership: both functions take a joint graph and return it changed. Failure: an error of the verifier, which would be
// a defect of ccgraph. Cost: linear in the nodes.
#pragma once

#include "ccgraph/ir/graph.h"

#include "llvm/Support/Error.h"

namespace ccgraph::models {

/// Returns the forward pass, whose results are those of the joint program, then the saved values. `boundary` is the
/// last node of the forward pass.
[[nodiscard]] llvm::Expected<std::unique_ptr<Graph>> forwardPart(std::unique_ptr<Graph> joint, Node *boundary);
/// Returns the backward pass, whose results are those of the joint program without the first. Its inputs are the saved
/// values, under their names.
[[nodiscard]] llvm::Expected<std::unique_ptr<Graph>> backwardPart(std::unique_ptr<Graph> joint, Node *boundary);

} // namespace ccgraph::models
