// Staging: memory in which a tensor lies as collectives need it.
//
// A collective sends and fills one contiguous window a row. Where the program gives pieces (a list of tensors, chunks along another
// dimension) or a tensor with gaps, the row gets memory of its own, and copies go before what is sent or after what is received.
//
// Ownership: staging memory is a buffer of the plan. Nothing fails. Cost: a copy step a piece.
#pragma once

#include "lower/emitter.h"

namespace ccgraph::lower {

/// One tensor that is sent or filled; several where the call takes it in pieces.
using Pieces = std::vector<TensorObject>;

/// The tensors of a list.
[[nodiscard]] Pieces piecesOf(const LoweredValue &list);
/// Product of the sizes.
[[nodiscard]] Dim elementsOf(Context &context, llvm::ArrayRef<Dim> sizes);

/// Are the pieces filled before, or emptied after?
enum class Staging : uint8_t { Sent, Received };

/// One contiguous window: the only piece, if it is contiguous, else memory of its own and the copies that it needs. Empty for no
/// piece.
[[nodiscard]] std::optional<PlanWindow> wholeWindow(Emitter &emitter, const Node &node, const Pieces &pieces,
                                                    std::vector<CopyStep> &copies, Staging staging);
/// A copy of the window in memory of its own.
[[nodiscard]] PlanWindow copiedOut(Emitter &emitter, const Node &node, const PlanWindow &window,
                                   std::vector<CopyStep> &copies);
/// False only where the two are known to have no byte in common.
[[nodiscard]] bool mayOverlap(const Plan &plan, const PlanWindow &a, const PlanWindow &b);

} // namespace ccgraph::lower
