// Partition: a joint program cut in two, as PyTorch's compiler cuts it: a forward pass that returns what the backward pass reads
// of it, and a backward pass that takes that.
//
// Values are handed over as they are: nothing is computed twice. What the backward pass reads of the forward pass's inputs is
// handed over too, so that its inputs are the forward pass's results alone.
//
// Ownership: both functions take a joint graph and give it back changed. Failure: the verifier's, which would be a
// mistake of ours. Cost: linear in the nodes.
#pragma once

#include "ccgraph/ir/graph.h"

#include "llvm/Support/Error.h"

namespace ccgraph::models {

/// Results: the joint program's first, then what is handed over. `boundary`: the last node of the forward pass.
[[nodiscard]] llvm::Expected<std::unique_ptr<Graph>> forwardPart(std::unique_ptr<Graph> joint, Node *boundary);
/// Results: the joint program's without the first. Inputs: what is handed over, by its name.
[[nodiscard]] llvm::Expected<std::unique_ptr<Graph>> backwardPart(std::unique_ptr<Graph> joint, Node *boundary);

} // namespace ccgraph::models
