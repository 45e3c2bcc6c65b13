// OwnProgram: a program with its own sizes, where passes decide on a copy of it for one batch.
//
// The sizes of such a copy are numbers, but the program that is rewritten has symbols (ccgraph/ir/bound_types.h). So a
// pass whose rewrite depends on sizes being numbers matches nodes in a program of the same nodes with their own types.
// Without bound sizes, that program is the graph itself.
//
// Ownership: owns the program and its facts, refers to the graph and the context, and is valid until the graph is
// edited. Failure: none. Cost: a copy of the graph if its sizes are bound; a search by name for each node.
#pragma once

#include "ccgraph/ir/bound_types.h"
#include "ccgraph/passes/pass.h"

namespace ccgraph {

class OwnProgram {
public:
  OwnProgram(Graph &graph, PassContext &context);

  /// Returns true if the sizes of the graph are bound.
  [[nodiscard]] bool isOfCopy() const { return copy_ != nullptr; }
  [[nodiscard]] Graph &program() const { return copy_ ? *copy_ : graph_; }
  /// Returns the context of the pass for the program.
  [[nodiscard]] PassContext &context() { return ofCopy_ ? *ofCopy_ : context_; }
  [[nodiscard]] Graph &graph() const { return graph_; }

private:
  Graph &graph_;
  PassContext &context_;
  std::unique_ptr<Graph> copy_;
  std::optional<Analyses> analyses_;
  std::optional<CostsOnDemand> costs_;
  std::optional<PassContext> ofCopy_;
};

/// Edits a graph. Where its sizes are bound, its nodes have the types of the program during the edit.
void editOwnProgram(Graph &graph, PassContext &context, llvm::function_ref<void()> edit);

} // namespace ccgraph
