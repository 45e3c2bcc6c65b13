// GraphNames: finds a name of a node that breaks the grammar of names (ccgraph/ir/internal/names.h).
//
// Each writer checks a graph before it writes, because a graph may also be imported through the C ABI or made by calls:
// the text would be refused, or would mean something else, when it is read.
//
// Ownership: what is returned refers to the graph. Failure: none. Cost: linear in the names of nodes; each distinct
// target and keyword is checked once.
#pragma once

#include "accepted_names.h"

#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/internal/names.h"

#include <optional>

namespace ccgraph {

struct BadName {
  llvm::StringRef role; ///< of the name in the node: "target"
  llvm::StringRef got;
  llvm::StringRef expected;
};

class GraphNames {
public:
  /// The first name that breaks the grammar: the node's own, its target or a keyword of its call.
  [[nodiscard]] std::optional<BadName> findBad(const Node &node);

private:
  [[nodiscard]] std::optional<BadName> findBadTarget(const Node &node);

  AcceptedNames attributes_{isAttributePath};
  AcceptedNames targets_{isCallTarget};
  AcceptedNames keywords_{isArgumentName};
};

} // namespace ccgraph
