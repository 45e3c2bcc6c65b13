// NodeReader: turns one entry of `nodes` into a node of the graph.
//
// Keys may have any order. Operands are counted positional arguments first, as in the IR. Unknown keys become
// attributes of the node's provenance, so that they are written back. Nodes come in program order, so every reference
// names an earlier node.
//
// Ownership: everything goes into the graph's arena. Failure: through the scope's report; reading continues with the
// next node. Cost: about a microsecond a node.
#pragma once

#include "json/graph_scope.h"

namespace ccgraph {

/// Appends the node that `value` describes to the scope's graph and reports its errors. The node is left out only if it
/// has no name or no opcode.
void readNode(GraphScope &scope, const JsonValue &value);

} // namespace ccgraph
