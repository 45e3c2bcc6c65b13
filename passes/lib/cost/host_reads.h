// readsOnHost: does the host read what a node computed before it can go on?
//
// It does where a number comes out of a tensor (item(), equal) and where the data tell a size (nonzero). A size that an
// operand has already was read before.
//
// Ownership: none. Failure: none; what has no type is taken not to be read. Cost: linear in the operands' dimensions.
#pragma once

#include "ccgraph/ir/graph.h"

namespace ccgraph {

[[nodiscard]] bool readsOnHost(const Node &node);

} // namespace ccgraph
