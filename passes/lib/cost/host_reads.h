// readsOnHost: decides whether the host must read a node's result before it can continue.
//
// This is the case if a tensor yields a number (item(), equal) or a size depends on data (nonzero). A size that an
// operand already has was read before.
//
// Ownership: none. Failure: none; a node without type counts as not read. Cost: linear in the operands' dimensions.
#pragma once

#include "ccgraph/ir/graph.h"

namespace ccgraph {

[[nodiscard]] bool readsOnHost(const Node &node);

} // namespace ccgraph
