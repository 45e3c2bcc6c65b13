// Schedules, made of a run and applied again (ccgraph/ir/schedule.h).
//
// A schedule is applied as a pipeline: the passes of `prepare`, then one pass, apply-schedule, which merges the buckets and puts all
// nodes in the order. It is checked as any pass is. It is not among the registered passes, since no text holds what it needs, and
// what it is told comes from a file: where a check refuses the result, the file is at fault (Pass::Traits::asTold).
//
//   ScheduleRecorder recorder(graph);
//   options.onRewrite = [&](const Pass &pass, const Certificate &certificate) { recorder.note(pass, certificate); };
//   ... runPipeline(graph, pipeline, options) ...
//   Expected<Schedule> schedule = recorder.take(graph, run->memoryBudget);
//
// Ownership: plain values; a recorder holds names only. Failure: DiagnosticErrors of rules `schedule.*`, which name the file, the node
// and the repair. Cost: linear in nodes; the recorder hashes the graph once.
#pragma once

#include "ccgraph/ir/schedule.h"
#include "ccgraph/passes/pipeline.h"

#include "llvm/ADT/StringSet.h"

namespace ccgraph {

/// An error where the schedule is for another graph; it says both digests.
[[nodiscard]] llvm::Error checkSchedule(const Schedule &schedule, const Graph &graph);

/// What applies it. An error where `prepare` names a pass that is not known, or one that chooses an order.
[[nodiscard]] llvm::Expected<Pipeline> pipelineOf(const Schedule &schedule);

/// Notes what the passes of a pipeline do.
class ScheduleRecorder {
public:
  /// Of the graph before the first pass.
  explicit ScheduleRecorder(const Graph &input);
  /// For PassManagerOptions::onRewrite.
  void note(const Pass &pass, const Certificate &certificate);
  /// The schedule, where `after` is what the pipeline has made. An error where no schedule could say it: a pass rewrote after
  /// another had put nodes in order, or merged what was merged.
  [[nodiscard]] llvm::Expected<Schedule> take(const Graph &after, std::optional<int64_t> memoryBudget);

private:
  void noteBucket(const Pass &pass, const MergedEntry &entry);
  Schedule schedule_;
  /// the first pass that ordered or merged
  std::string ordered_;
  /// why no schedule says it; empty where one does
  std::string obstacle_;
  llvm::StringSet<> made_;
};

} // namespace ccgraph
