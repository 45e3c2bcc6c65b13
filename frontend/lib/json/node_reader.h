// NodeReader: one entry of `nodes` becomes a node of the graph.
#pragma once

#include "json/graph_scope.h"

namespace ccgraph {

/// Appends the node that `value` describes to the scope's graph; where it has errors they are reported, and the node is left
/// out only if it has no name or no opcode.
void readNode(GraphScope &scope, const JsonValue &value);

} // namespace ccgraph
