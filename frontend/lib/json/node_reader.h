// NodeReader: one entry of `nodes` becomes a node of the graph.
//
// Keys may stand in any order; operands are counted positional arguments first, as the IR has it.
// Keys that are not known become attributes of the node's provenance, so that writing gives them
// back. Nodes come in program order, so every reference looks back.
//
// Ownership: everything goes into the graph's arena. Failure: through the scope's report; reading
// goes on with the next node. Cost: about a microsecond a node.
#pragma once

#include "json/graph_scope.h"

namespace ccgraph {

/// Appends the node that `value` describes to the scope's graph; where it has errors they are
/// reported, and the node is left out only if it has no name or no opcode.
void readNode(GraphScope &scope, const JsonValue &value);

} // namespace ccgraph
