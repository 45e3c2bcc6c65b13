// Activation checkpointing: the backward pass computes values of the forward pass again instead of keeping them.
//
//   a = mm(x, w); b = relu(a); .. ; gb = ..(b)      before: b lives from the forward to the backward pass
//   a = mm(x, w); b = relu(a); .. ; b' = relu(a); gb = ..(b')      after, if mm is kept and relu is not
//
//   none        every value is kept
//   selective   a layer keeps its input and the results of products, of attention, and of collectives on activations
//               other than all_gathers (V. Korthikanti et al., "Reducing Activation Recomputation in Large Transformer
//               Models", 2022; torchtitan's policy keeps the same operators)
//   full        a layer keeps only its input
//
// Weights are a choice of their own, as FSDP2's reshard_after_forward: a layer's gathered weights are kept, or they are
// gathered again in the backward pass. Values outside of the layers (embedding, rotary table, loss) are kept.
//
// A repeated node has the name of the first with "_recompute", its frame and its provenance, and stands directly before
// the first node of the backward pass that needs it.
//
// Ownership: edits the graph. Failure: none. Cost: linear in the nodes.
#pragma once

#include "ccgraph/ir/graph.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <utility>
#include <vector>

namespace ccgraph::models {

enum class Recompute : uint8_t { None, Selective, Full };
/// "none", "selective", "full", with the choice.
[[nodiscard]] const std::vector<std::pair<std::string, Recompute>> &recomputeChoices();

struct RecomputePolicy {
  Recompute activations = Recompute::None;
  bool gathersWeightsAgain = false;

  [[nodiscard]] bool isNone() const { return activations == Recompute::None && !gathersWeightsAgain; }
};

/// Consecutive nodes of a program, both ends included.
struct NodeRange {
  Node *first = nullptr;
  Node *last = nullptr;
};

/// The name of an input with the states of another stage. Other inputs of floating-point numbers are parameters.
inline constexpr llvm::StringLiteral arrivedStates = "states";

/// Rewrites a program with these backward passes: one, or those of a pipeline's microbatches, in their order. All other
/// nodes keep what they read. The modules of layers are "layers.N" and below.
void recomputeForward(Graph &graph, llvm::ArrayRef<NodeRange> backwards, const RecomputePolicy &policy);

} // namespace ccgraph::models
