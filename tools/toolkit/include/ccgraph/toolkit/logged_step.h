// LoggedStep: the graphs of a log that one rank runs in a training step, and which of them Inductor itself made.
//
// A log prints each compiled graph at several stages. A step runs each graph once: forward, backward, and what else was
// compiled, such as the optimizer. For each of them there are two graphs of interest: the one that our passes start from, and
// Inductor's own result, after its post-grad passes with their buckets and order. The latter is what PyTorch runs without us.
//
// Of a compilation that was begun again (attempts), the last counts. Recompilations count as graphs of their own, since
// layers that share code are compiled so. A graph without a result of Inductor's, where others of the rank have one, was
// never compiled and is no part of the step: compiled autograd takes the backward graphs of AOTAutograd apart, for one.
//
// Ownership: plain values, indices of the list. Failure: none. Cost: linear in the list.
#pragma once

#include "ccgraph/frontend/listed_graph.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <vector>

namespace ccgraph {

struct StepGraph {
  GraphRole role = GraphRole::Whole;
  std::string compileId;
  /// what passes start from
  size_t start = 0;
  /// Inductor's own result, which may be `start`; of a joint graph those of forward and backward; empty: the log has none
  std::vector<size_t> inductor;
  [[nodiscard]] bool startsFromInductor() const { return inductor.size() == 1 && inductor.front() == start; }
};

struct LoggedStep {
  /// in the order in which the log first names them
  std::vector<StepGraph> graphs;
  /// index in `graphs` of the one that was chosen
  size_t chosen = 0;
};

/// Of the rank and the log of the graph `chosen`; empty where that graph is of no stage that a device runs.
[[nodiscard]] std::optional<LoggedStep> stepOf(llvm::ArrayRef<ListedGraph> graphs, size_t chosen);

/// The latest stage whose graphs hold as many collectives as those of any stage; `indices` is not empty.
[[nodiscard]] unsigned fullestStage(llvm::ArrayRef<ListedGraph> graphs, llvm::ArrayRef<size_t> indices);

} // namespace ccgraph
