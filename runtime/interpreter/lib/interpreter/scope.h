// Scope: the values of one graph while one rank executes it.
//
// Ownership: owns the values (tensors share their storage), borrows the graph. Failure: a
// DiagnosticError that names rank and node. Cost: linear in the arguments; a scope holds a slot for
// each node id of its graph.
#pragma once

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/runtime/value.h"
#include "tensor/symbols.h"

namespace ccgraph::runtime {

struct Scope {
  const Graph *graph = nullptr;
  /// the step to execute
  const Node *next = nullptr;
  /// the node whose subgraph this is; null for the program itself
  const Node *caller = nullptr;
  /// by node id
  std::vector<std::optional<Value>> values;
  /// by node id: operands of later steps
  std::vector<uint32_t> readers;
  /// of a subgraph, by position
  std::vector<Value> parameters;
  size_t nextParameter = 0;

  explicit Scope(const Graph &graph);
};

/// The value of an argument tree of `node`.
[[nodiscard]] llvm::Expected<Value> evaluate(const Node &node, const Argument &argument, const Scope &scope,
                                             const Symbols &symbols);

} // namespace ccgraph::runtime
