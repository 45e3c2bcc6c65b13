// The arguments of a call, as numbers, sizes and types of tensors.
//
// Each function returns an empty result where the argument is absent, symbolic, or of another kind. Ownership: types
// are the context's. Failure: none. Cost: linear in the argument.
#pragma once

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/graph.h"

namespace ccgraph {

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
/// A number, a symbolic expression, or a node whose type states its value.
[[nodiscard]] std::optional<Dim> dimOf(const Node &node, const Argument &argument);
/// A list of these.
[[nodiscard]] std::optional<llvm::SmallVector<Dim, 6>> dimsAt(const Node &node, int parameter);
/// A bool argument, or the schema's default; empty where it is absent or no literal.
[[nodiscard]] std::optional<bool> boolAt(const Node &node, int parameter);

/// `dim` counted from the front; empty if it is not in [-rank, rank).
[[nodiscard]] std::optional<unsigned> wrapDim(int64_t dim, size_t rank);

/// Members of the group of a collective call: as the call states it, else as the group table does.
[[nodiscard]] std::optional<int64_t> groupSizeOf(const Node &node, const CollectiveCall &call);

} // namespace ccgraph
