// LoggedTrainingStep lists the graphs of a log that one rank runs in a training step, and which of them are Inductor's
// results.
//
// A log prints each compiled graph at several stages. A step runs each graph once: forward, backward, and other
// compiled code such as the optimizer. Two stages of each graph matter: the one from which ccgraph's passes start, and
// Inductor's own result after its post-grad passes, with Inductor's buckets and order. PyTorch runs the latter without
// ccgraph.
//
// If a compilation was restarted (attempts), the last attempt counts. Recompilations count as graphs of their own,
// since layers that share code are compiled so. If a graph has no result of Inductor while others of the rank have one,
// it was never compiled and is no part of the step; for example, compiled autograd splits the backward graphs of
// AOTAutograd.
//
// Ownership: plain values, indices of the list. Failure: none. Cost: linear in the list.
#pragma once

#include "ccgraph/frontend/listed_graph.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <vector>

namespace ccgraph {

struct TrainingStepGraph {
  GraphRole role = GraphRole::Whole;
  std::string compileId;
  /// the graph from which passes start
  size_t start = 0;
  /// Inductor's own result, which may be `start`; for a joint graph, the results of forward and backward; empty: the
  /// log has none
  std::vector<size_t> inductor;
  [[nodiscard]] bool startsFromInductor() const { return inductor.size() == 1 && inductor.front() == start; }
};

struct LoggedTrainingStep {
  /// in the order in which the log first names them
  std::vector<TrainingStepGraph> graphs;
  /// index of the chosen graph in `graphs`
  size_t chosen = 0;
};

/// Returns the step of the graph `chosen`, of its rank and log; empty if no device runs a graph of that stage.
[[nodiscard]] std::optional<LoggedTrainingStep> trainingStepOf(llvm::ArrayRef<ListedGraph> graphs, size_t chosen);

/// Returns the latest stage whose graphs have as many collectives as those of any stage; `indices` must not be empty.
[[nodiscard]] unsigned fullestStage(llvm::ArrayRef<ListedGraph> graphs, llvm::ArrayRef<size_t> indices);

} // namespace ccgraph
