// StepReport: how long a training step takes and how much memory it needs, as PyTorch runs it and as the pipeline leaves it.
//
// A log holds several graphs of a step, and of each of them what Inductor made of it: its own buckets in its own order. That
// is what runs without us, so it is what a gain is measured against. A step is the sum of its graphs, each run once; its
// memory is that of the graph that needs most. All times are predicted by the same machine, the order within a graph is that
// of the text: where Inductor's scheduler moves nodes later, no log says so node by node.
//
// Ownership: plain values. Failure: a graph of the step that cannot be read leaves the report without sums, and says so.
// Cost: the pipeline once more for each graph of the step.
#pragma once

#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/toolkit/graph_choice.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ccgraph::report {

/// Of one graph in one order.
struct GraphCost {
  int64_t total = 0;   ///< picoseconds
  int64_t compute = 0; ///< picoseconds
  int64_t exposed = 0; ///< picoseconds
  int64_t peakBytes = 0;
  size_t unsized = 0; ///< collectives of unknown size, whose time is not in `total`
};
[[nodiscard]] GraphCost costOf(const Timeline &timeline, int64_t peakBytes);

struct StepGraphReport {
  StepGraph graph;
  /// as the graph `graph.start` stands
  std::optional<GraphCost> asRead;
  /// of Inductor's own result; empty where the log has none
  std::optional<GraphCost> inductor;
  /// what the pipeline makes of `graph.start`
  std::optional<GraphCost> optimized;
  /// what PyTorch runs, as far as the log says
  [[nodiscard]] const std::optional<GraphCost> &baseline() const { return inductor ? inductor : asRead; }
};

struct StepReport {
  std::optional<int64_t> rank;
  std::vector<StepGraphReport> graphs;
  size_t chosen = 0;
  /// of the chosen graph, where it is not Inductor's own result: what the pipeline makes of that one
  std::optional<GraphCost> fromInductor;
  /// why there are no times of all graphs; empty where there are
  std::string obstacle;
  JobWrappers wrappers;
  /// a backward graph of compiled autograd holds collectives, as DDP's python_reducer puts them there
  bool reducesInGraphs = false;

  [[nodiscard]] const StepGraphReport &own() const { return graphs[chosen]; }
  /// Sum of all graphs, peak of the largest; empty where one is missing.
  [[nodiscard]] std::optional<GraphCost> baseline() const;
  [[nodiscard]] std::optional<GraphCost> asRead() const;
  [[nodiscard]] std::optional<GraphCost> optimized() const;
  /// Whether each graph has a result of Inductor's own.
  [[nodiscard]] bool isInductors() const;
};

/// What is known of the step without running anything: its graphs and the wrappers of the job.
[[nodiscard]] StepReport describeStep(const GraphInput &input);

struct StepQuestion {
  Context &context;
  const GraphInput &input;
  const Pipeline &pipeline;
  /// what the pipeline runs with; durations are those of the chosen graph, and null here
  PassManagerOptions options;
  /// makes a graph that was just read ready for the pipeline: groups of --groups, assumed groups
  std::function<llvm::Error(Graph &)> prepare;
  GraphCost asRead;    ///< of the chosen graph
  GraphCost optimized; ///< of the chosen graph
};
/// Adds the times.
void predictStep(StepReport &report, const StepQuestion &question);

} // namespace ccgraph::report
