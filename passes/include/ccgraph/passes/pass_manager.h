// The pass manager: runs a pipeline over a graph and checks the result of each pass.
//
// The verifier must find no error in the input. After each pass, unless disabled, the manager checks three points. A
// graph reported as unchanged is unchanged; the verifier finds no error; the legality checker accepts the graph before,
// the graph after and the certificate. The first failure stops the pipeline. The manager does not print: callers get
// records and callbacks.
//
// The memory budget is fixed once, when the first pass after the normalize phase is about to run. It is the caller's
// budget, or else the graph's own peak at that point, since normalization reveals collectives without moving nodes. The
// peak of a known order (known_order.h) raises the latter, because the program runs with that memory already.
//
// Ownership: the caller owns graph and pipeline; callbacks are called before runPipeline returns. After an error the
// graph is unspecified.
// Failure: one DiagnosticError. Its first diagnostic is `pass.input`, `pass.run`, `pass.unchanged`, `pass.verify` or
// `pass.legality`, and names the pass and the pipeline that reproduces it. The check's own diagnostics follow. All but
// the first two are bugs of the pass, never of the user's graph. Or guards.fact, before any pass.
// Cost: about 1 us a node and pass with all checks. A snapshot takes 100 bytes a node while the pass runs.
#pragma once

#include "ccgraph/passes/exposure.h"
#include "ccgraph/passes/known_order.h"
#include "ccgraph/passes/pipeline.h"
#include "ccgraph/passes/schedule_record.h"
#include "ccgraph/passes/timeline.h"

#include <functional>

namespace ccgraph {

/// The stage at which a pipeline failed.
struct PassFailure {
  enum class Stage : uint8_t {
    /// the graph was malformed before the first pass
    Input,
    /// the pass returned an error: the input is unfit
    Run,
    /// the pass reported "unchanged" but changed the graph
    Unchanged,
    /// the graph after the pass is malformed
    Verify,
    /// the legality checker rejected the rewrite
    Legality,
  };
  /// index of the pass in the pipeline
  size_t index = 0;
  Stage stage = Stage::Run;
  /// the pass's text, options included
  std::string pass;
  /// the pipeline's text up to and including the pass: with the pipeline's input, this reproduces the failure
  std::string pipeline;
  /// see Pass::Traits
  bool asTold = false;
  /// the graph as the pass left it
  const Graph *graph = nullptr;
};
/// "input", "run", "unchanged", "verify", "legality".
[[nodiscard]] llvm::StringRef stageName(PassFailure::Stage stage);
/// Returns false if the graph is at fault (Input, Run), or the file that the pass follows.
[[nodiscard]] bool isDefectOfPass(const PassFailure &failure);

/// The result of one pass.
struct PassRun {
  /// text, options included
  std::string pass;
  Changed changed = Changed::No;
  std::vector<Remark> remarks;
  std::vector<std::pair<std::string, int64_t>> statistics;
  /// seconds in the pass
  double seconds = 0;
  /// seconds in the checks after it
  double checkSeconds = 0;
  /// nodes of the graph after it, without its subgraphs
  size_t nodes = 0;
};

/// The result of a whole pipeline, with one entry a pass, in order.
struct PipelineRun {
  std::vector<PassRun> passes;
  /// wall-clock seconds of the whole run, and of the trials that decided, before the passes that choose nodes, how they
  /// choose
  double seconds = 0, choiceSeconds = 0;
  /// the budget that was enforced, in bytes; empty if there was none, or no pass that uses one
  std::optional<int64_t> memoryBudget;
  /// what costs are based on; empty where no pass used them and no machine or durations were given
  std::optional<CostSummary> cost;
  /// With PassManagerOptions::predictTimes: timelines of the graph when the first pass after the normalize phase
  /// begins, and at the end.
  std::optional<Timeline> timeBefore, timeAfter;
  /// With PassManagerOptions::recordSchedules: schedules of the graph before the first pass after the normalize phase
  /// (else of the input) and at the end.
  std::optional<ScheduleRecord> scheduleBefore, scheduleAfter;
  /// With timeBefore, as PassManagerOptions::predictBounds asks: lower bounds for any order and any merging of the
  /// graph that the schedule phase receives. A pass that removes collectives before that phase lowers the bounds.
  std::optional<StepBounds> bounds;
  /// with timeAfter: the collectives with the longest exposure at the end, at most PassManagerOptions::explainExposed
  std::vector<Exposure> exposed;
  /// Returns true if any pass changed the graph.
  [[nodiscard]] bool changed() const;
};

/// Which lower bounds of the step are computed.
enum class PredictBounds : uint8_t {
  None,
  /// those that take memory as free
  AnyMemory,
  /// also those within the memory budget
  WithinBudget,
};

/// Selects checks, memory budget and callbacks. The defaults are what tools use.
struct PassManagerOptions {
  bool verifyEach = true;
  /// with verifyEach; false: the caller has just verified the input
  bool verifyInput = true;
  bool checkLegality = true;
  /// see PassContext::spmd
  bool spmd = true;
  /// see PassContext::bitwise
  bool bitwise = false;
  /// false: no budget, even if memoryBudget is set
  bool limitMemory = true;
  /// bytes; empty: the graph's own peak when the first pass after the normalize phase begins, or that of a known order
  /// if it is higher
  std::optional<int64_t> memoryBudget;
  /// the budget in percent of the peak of the input, if there is no memoryBudget
  std::optional<int64_t> memoryPercent;
  /// Returns whether the caller chose a budget.
  [[nodiscard]] bool hasBudget() const { return memoryBudget || memoryPercent; }
  /// orders of this graph that other schedulers chose
  std::vector<KnownOrder> knownOrders;
  /// empty: the default machine (machine.h)
  std::optional<Machine> machine;
  /// durations of the graph's nodes; null: all are predicted
  const Durations *durations = nullptr;
  /// the types of the program, if the graph is a copy of it with bound sizes; null: the sizes are its own
  const BoundTypes *boundTypes = nullptr;
  /// the meanings of the objects that the graph holds; null: none are given
  const ObjectMeanings *objects = nullptr;
  /// whether times are predicted for the graph before and after
  bool predictTimes = false;
  /// with predictTimes
  PredictBounds predictBounds = PredictBounds::WithinBudget;
  /// whether schedules are recorded of the graph before and after; this stores strings for every node
  bool recordSchedules = false;
  /// with predictTimes: the number of exposed collectives that are explained
  size_t explainExposed = 0;
  /// after each pass that changed the graph and whose checks held
  std::function<void(const Pass &, const Graph &)> afterChange;
  /// after each pass that changed the graph and whose checks held: its certificate, valid for the graph in its present
  /// state
  std::function<void(const Pass &, const Certificate &)> onRewrite;
  /// before the error is returned: write a reproducer
  std::function<void(const PassFailure &)> onFailure;
};

/// Runs the passes in order. The error of a failed check names pass and stage, and contains the check's own
/// diagnostics.
[[nodiscard]] llvm::Expected<PipelineRun> runPipeline(Graph &graph, const Pipeline &pipeline,
                                                      const PassManagerOptions &options = {});

} // namespace ccgraph
