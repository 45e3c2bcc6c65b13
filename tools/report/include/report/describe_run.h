// The facts of an optimization that every tool records alike: what was read, what was decided before the passes, and
// what the passes did. ccgraph-opt and the C API call these functions around rewriteGraph(), so that their reports of
// one run hold the same facts.
//
// Ownership: a Summary owns its facts. Failure: none. Cost: linear in nodes.
#pragma once

#include "ccgraph/toolkit/rank_comparison.h"
#include "report/summary.h"

namespace ccgraph::report {

/// An optimization that is about to begin.
struct PlannedRun {
  /// verified, with all its groups
  const Graph &graph;
  const Pipeline &pipeline;
  /// "-O2", "--schedule FILE", or the pipeline as given
  std::string level;
  /// what the passes will run with
  const PassManagerOptions &manager;
  /// the graphs of other ranks, where a log holds them
  const RankComparison &ranks;
  /// the GPUs that the log lists
  const HostGpus &gpus;
  /// the user named a machine
  bool machineGiven = false;
  /// a schedule is applied, which has a memory limit of its own
  bool appliesSchedule = false;
};

/// Records the decisions before the passes.
void describePlan(Summary &summary, const PlannedRun &run);

/// Records the graph before the passes: its collectives and memory, and the guesses on which predicted times depend.
void describeInput(Summary &summary, const PlannedRun &run);

/// Records what the passes did to the graph, and the time that they took.
void describeResult(Summary &summary, PipelineRun run, const Graph &after);

} // namespace ccgraph::report
