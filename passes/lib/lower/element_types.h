// What is known of the types of a node's results, where a text prints none for a list.
//
// Ownership: types are the Context's. Nothing fails: what nobody says is null. Cost: linear in the uses, and one shape rule.
#pragma once

#include "ccgraph/ir/graph.h"

#include <vector>

namespace ccgraph::lower {

/// The node's type, or what follows from those of its operands; null where neither is known. The types of the
/// operands must be those that they have at the node: see StandIn.
[[nodiscard]] const Type *typeOf(const Node &node);

/// Types of the elements of a list result: those of `whole` where that is a list, and else those of the nodes that take
/// elements. As many as are known; at least one for each of several results.
[[nodiscard]] std::vector<const Type *> elementTypes(const Node &list, const Type *whole);

} // namespace ccgraph::lower
