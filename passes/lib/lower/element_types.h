// What is known of the types of a node's results, where a text prints none for a list.
//
// Ownership: types are the Context's. Nothing fails: what nobody says is null. Cost: linear in the uses, and one shape rule.
#pragma once

#include "ccgraph/ir/graph.h"

#include <vector>

namespace ccgraph::lower {

/// The node's type, or what follows from those of its operands; null where neither is known.
[[nodiscard]] const Type *typeOf(const Node &node);

/// Types of the elements of a list result: those of `whole` where that is a list, and else what is said where elements are
/// taken. As many as are known of; at least one for each of several results.
[[nodiscard]] std::vector<const Type *> elementTypes(const Node &list, const Type *whole);

} // namespace ccgraph::lower
