// Shape rules: the type of a result from the types of the arguments, as PyTorch infers it.
//
// A rule answers null where it cannot tell (a symbolic size, an unknown operand, strides that
// depend on more than shapes): never a guess. It fails where the arguments are wrong, with a
// diagnostic that names got, expected and repair. Ownership: types are the context's. Cost: linear
// in the ranks, and one look-up in the context a result.
#pragma once

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/effects.h"

namespace ccgraph {

using TypeResult = llvm::Expected<const Type *>;

[[nodiscard]] inline Context &contextOf(const Node &node) { return node.graph()->context(); }

/// Type of the node given for a parameter, if it is a tensor of known type; null otherwise.
[[nodiscard]] const Type *tensorAt(const Node &node, int parameter);
/// Types of the nodes in a list argument; an entry is null where its type is unknown. Empty where
/// the argument is no list of nodes.
[[nodiscard]] std::optional<llvm::SmallVector<const Type *, 8>> tensorsAt(const Node &node, int parameter);
/// An integer argument, or the schema's default; empty where it is symbolic or absent.
[[nodiscard]] std::optional<int64_t> intAt(const Node &node, int parameter);
/// A list of integers; empty if any is symbolic.
[[nodiscard]] std::optional<llvm::SmallVector<int64_t, 6>> intsAt(const Node &node, int parameter);
/// The same with symbolic entries, be they literals or nodes whose type says their value.
[[nodiscard]] std::optional<llvm::SmallVector<Dim, 6>> dimsAt(const Node &node, int parameter);
/// A bool argument, or the schema's default; empty where it is absent or no literal.
[[nodiscard]] std::optional<bool> boolAt(const Node &node, int parameter);

/// `dim` counted from the front; empty if it is not in [-rank, rank).
[[nodiscard]] std::optional<unsigned> wrapDim(int64_t dim, size_t rank);

/// Diagnostic of a node whose arguments are wrong.
[[nodiscard]] llvm::Error shapeError(const Node &node, const llvm::Twine &message, const llvm::Twine &repair);

/// Members of the group of a collective call: as the call states it, else as the group table does.
[[nodiscard]] std::optional<int64_t> groupSizeOf(const Node &node, const CollectiveCall &call);

/// Result of a call of this collective; used by the table for every operator with a CollectiveSpec.
[[nodiscard]] TypeResult collectiveShape(const Node &node);
[[nodiscard]] TypeResult waitShape(const Node &node);
[[nodiscard]] TypeResult getItemShape(const Node &node);

} // namespace ccgraph
