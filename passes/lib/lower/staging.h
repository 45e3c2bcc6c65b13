// Staging: memory in which a tensor has the layout that collectives need.
//
// A collective sends and fills one contiguous window a row. The graph may have pieces instead (a list of tensors,
// chunks along another dimension) or a tensor with gaps. The row then gets memory of its own, with copies before the
// send or after the receive.
//
// Ownership: staging memory is a buffer of the plan. Failure: none. Cost: a copy step a piece.
#pragma once

#include "lower/emitter.h"

namespace ccgraph::lower {

/// One tensor that is sent or filled; several if the call gives it in pieces.
using Pieces = std::vector<TensorObject>;

/// Returns the tensors of a list.
[[nodiscard]] Pieces piecesOf(const LoweredValue &list);

/// Whether staging memory is filled before the call, or emptied after it.
enum class Staging : uint8_t { Sent, Received };

/// Returns one contiguous window: the only piece, if it is contiguous, else new memory and the copies that it needs.
/// Empty if there is no piece.
[[nodiscard]] std::optional<PlanWindow> wholeWindow(Emitter &emitter, const Node &node, const Pieces &pieces,
                                                    std::vector<CopyStep> &copies, Staging staging);
/// Returns a copy of the window in memory of its own.
[[nodiscard]] PlanWindow copiedOut(Emitter &emitter, const Node &node, const PlanWindow &window,
                                   std::vector<CopyStep> &copies);
/// Returns false only if the two are known to have no byte in common.
[[nodiscard]] bool mayOverlap(const Plan &plan, const PlanWindow &a, const PlanWindow &b);

} // namespace ccgraph::lower
