// Finds the types of a node's results where a text prints no type for a list.
//
// Ownership: the Context owns the types. Failure: none: an unknown type is null. Cost: linear in the uses, and one
// type rule.
#pragma once

#include "ccgraph/ir/graph.h"

#include <vector>

namespace ccgraph::lower {

/// Returns the node's type, or the type that follows from its operands; null if neither is known. The types of the
/// operands must be those that they have at the node: see StandIn.
[[nodiscard]] const Type *typeOf(const Node &node);

/// Returns the types of the elements of a list result: those of `whole` if that is a list, else those of the nodes that
/// read elements. Returns as many as are known, and at least one for each of several results.
[[nodiscard]] std::vector<const Type *> elementTypes(const Node &list, const Type *whole);

} // namespace ccgraph::lower
