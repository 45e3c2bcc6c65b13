// copyArguments: the arguments of a call for a copy of it that reads other nodes.
//
// Ownership: the trees belong to the builder's graph, the lists to the result. Failure: none. Cost: linear in the
// arguments.
#pragma once

#include "ccgraph/ir/graph.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <vector>

namespace ccgraph {

struct ArgumentCopy {
  std::vector<Argument> positional;
  std::vector<NamedArgument> keyword;
  /// Valid as long as this object.
  [[nodiscard]] Arguments view() const { return {positional, keyword}; }
};

/// `map`: which node the copy reads in place of an operand of the call, by its index.
[[nodiscard]] ArgumentCopy copyArguments(ArgumentBuilder &builder, const Node &call,
                                         llvm::function_ref<Node *(uint32_t operandIndex)> map);

} // namespace ccgraph
