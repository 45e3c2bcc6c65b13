// StepReport states how long a training step takes and how much memory it needs, as PyTorch runs it and after the
// pipeline.
//
// A log holds several graphs of a step, and for each graph Inductor's result: its own buckets in its own order.
// Inductor's result runs without ccgraph, so gains are measured against it. The time of a step is the sum over its
// graphs, each run once; its memory is that of the graph that needs most. All times are predicted for the same machine,
// in the order of the graph's text. If Inductor's scheduler moves nodes later, no log contains that order.
//
// Ownership: plain values. Failure: if a graph of the step cannot be read, the report has no sums and states the
// reason. Cost: one more run of the pipeline for each graph of the step, and another one where Inductor's result is not
// the start.
#pragma once

#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/toolkit/graph_choice.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ccgraph::report {

/// The cost of one graph in one order.
struct GraphCost {
  int64_t total = 0;   ///< picoseconds
  int64_t compute = 0; ///< picoseconds
  int64_t exposed = 0; ///< picoseconds
  int64_t peakBytes = 0;
  size_t unsized = 0; ///< collectives of unknown size, whose time is not in `total`
};
[[nodiscard]] GraphCost costOf(const Timeline &timeline, int64_t peakBytes);
/// Returns true if the time is shorter, and not because more collectives have an unknown size.
[[nodiscard]] bool isFaster(const GraphCost &cost, const GraphCost &than);

struct StepGraphReport {
  TrainingStepGraph graph;
  /// `graph.start` as it was read
  std::optional<GraphCost> asRead;
  /// Inductor's own result; empty if the log has none
  std::optional<GraphCost> inductor;
  /// the pipeline's result for `graph.start`, or for `betterStart`
  std::optional<GraphCost> optimized;
  /// of a graph that is not the chosen one: the index of Inductor's result, if the pipeline's result for it is faster
  std::optional<size_t> betterStart;
  /// the cost of what PyTorch runs, according to the log
  [[nodiscard]] const std::optional<GraphCost> &baseline() const { return inductor ? inductor : asRead; }
};

struct StepReport {
  std::optional<int64_t> rank;
  std::vector<StepGraphReport> graphs;
  size_t chosen = 0;
  /// the pipeline's result for Inductor's version of the chosen graph, if the chosen graph is not that version
  std::optional<GraphCost> fromInductor;
  /// why some graphs have no times; empty if all have
  std::string obstacle;
  JobWrappers wrappers;
  /// other graphs have the durations of the chosen one for equal calls (carried_durations.h)
  bool carriesDurations = false;
  /// a backward graph of compiled autograd contains collectives, as DDP's python_reducer inserts them
  bool reducesInGraphs = false;

  [[nodiscard]] const StepGraphReport &own() const { return graphs[chosen]; }
  /// Returns the sum of all times and the largest peak; empty if one is missing.
  [[nodiscard]] std::optional<GraphCost> baseline() const;
  [[nodiscard]] std::optional<GraphCost> asRead() const;
  [[nodiscard]] std::optional<GraphCost> optimized() const;
  /// Returns true if each graph has a result of Inductor.
  [[nodiscard]] bool isInductors() const;
};

/// Returns the facts about the step that need no pipeline run: its graphs and the wrappers of the job.
[[nodiscard]] StepReport describeStep(const GraphInput &input);

struct StepQuestion {
  Context &context;
  const GraphInput &input;
  const Pipeline &pipeline;
  /// the options of the pipeline; its durations are those of the chosen graph, and are not used for other graphs
  PassManagerOptions options;
  /// prepares a graph that was just read for the pipeline: groups of --groups, assumed groups
  std::function<llvm::Error(Graph &)> prepare;
  /// returns the durations of a graph other than the chosen one; empty if there are none
  std::function<Durations(const Graph &)> durationsOf;
  /// of the chosen graph; states how its durations scale the machine
  const CostSummary &cost;
  GraphCost asRead;    ///< of the chosen graph
  GraphCost optimized; ///< of the chosen graph
};
/// Adds the times to the report.
void predictStep(StepReport &report, const StepQuestion &question);

} // namespace ccgraph::report
