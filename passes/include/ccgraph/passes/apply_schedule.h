// Schedules: recorded from a run and applied again (ccgraph/ir/schedule.h).
//
// A schedule is applied as a pipeline: the passes of `prepare`, then the pass apply-schedule, which merges the buckets
// and puts all nodes in the recorded order. The pipeline is checked like any other. apply-schedule is not a registered
// pass, since no pipeline text can hold its input. Its input comes from a file, so the file is at fault if a check
// rejects the result (Pass::Traits::asTold).
//
//   ScheduleRecorder recorder(graph);
//   options.onRewrite = [&](const Pass &pass, const Certificate &certificate) { recorder.note(pass, certificate); };
//   ... runPipeline(graph, pipeline, options) ...
//   Expected<Schedule> schedule = recorder.take(graph, run->memoryBudget);
//
// Ownership: plain values; a recorder holds names only. Failure: DiagnosticErrors of rules `schedule.*`, which name the
// file, the node and the repair. Cost: linear in nodes; the recorder hashes the graph once.
#pragma once

#include "ccgraph/ir/schedule.h"
#include "ccgraph/passes/pipeline.h"

#include "llvm/ADT/StringSet.h"

namespace ccgraph {

/// Returns an error if the schedule was recorded for another graph. The error shows both digests.
[[nodiscard]] llvm::Error checkSchedule(const Schedule &schedule, const Graph &graph);

/// Returns the pipeline that applies the schedule. Returns an error if `prepare` names an unknown pass or a pass that
/// chooses an order.
[[nodiscard]] llvm::Expected<Pipeline> pipelineOf(const Schedule &schedule);

/// A ScheduleRecorder notes what the passes of a pipeline do.
class ScheduleRecorder {
public:
  /// `input`: the graph before the first pass.
  explicit ScheduleRecorder(const Graph &input);
  /// For PassManagerOptions::onRewrite.
  void note(const Pass &pass, const Certificate &certificate);
  /// Returns the schedule; `after` is the graph that the pipeline produced. Returns an error if no schedule can express
  /// what the pipeline did: a pass rewrote the graph after another pass had ordered the nodes, or merged a bucket
  /// again.
  [[nodiscard]] llvm::Expected<Schedule> take(const Graph &after, std::optional<int64_t> memoryBudget);

private:
  void noteBucket(const Pass &pass, const MergedEntry &entry);
  Schedule schedule_;
  /// the first pass that ordered or merged
  std::string ordered_;
  /// why no schedule can express the run; empty if one can
  std::string obstacle_;
  llvm::StringSet<> made_;
};

} // namespace ccgraph
