// Decides whether a functional collective may write over its input.
//
// s = all_reduce(x) returns new memory: PyTorch copies x into it, and reduces there. all_reduce_(x) needs neither the
// copy nor the memory, if no step can tell that x has another value from then on.
//
// Ownership: refers to the facts of the graph; valid until the graph is edited. Failure: a reason. Cost: linear in the
// program to construct, O(log n) for each tensor of a call.
#pragma once

#include "analysis/buffer_names.h"
#include "simplify/reinplace/sent_buffers.h"

namespace ccgraph {

/// Why a functional collective keeps its form.
enum class NotInPlace : uint8_t {
  /// keyword arguments, or arguments left out
  Arguments,
  /// an input of the program, an attribute, or memory that may be either
  CallerOwned,
  /// memory that an operator of unknown effects, or a subgraph, made
  Opaque,
  /// a part of a buffer, or a tensor with gaps
  Part,
  /// a later step may reshape the result, or give it other memory
  Reshaped,
  /// a later step names the buffer otherwise than through the result, an operator may keep or reshape it, or two
  /// tensors of a list may share it
  Aliased,
  /// an earlier collective that has the buffer is in flight
  InFlight,
};

/// Returns the operator that computes the same in place: "_c10d_functional.all_reduce_.default" for all_reduce. Empty
/// for a node that is no functional collective, or has no such form.
[[nodiscard]] llvm::StringRef inPlaceFormOf(const Node &node);

class InPlaceCalls {
public:
  InPlaceCalls(const Graph &graph, const ProgramFacts &facts)
      : facts_(facts), names_(facts.storages(), graph), sent_(facts) {}

  /// Judges a call that has a form in place; empty if it may write over its inputs.
  [[nodiscard]] std::optional<NotInPlace> obstacle(const Node &launch) const;

private:
  [[nodiscard]] std::optional<NotInPlace> obstacle(const Node &tensor, const Node &launch) const;
  /// Returns true if a node of the program, and none of its inputs, is known to have made the memory of the tensor.
  [[nodiscard]] bool isOfProgram(const Node &tensor) const;

  const ProgramFacts &facts_;
  BufferNames names_;
  SentBuffers sent_;
};

} // namespace ccgraph
