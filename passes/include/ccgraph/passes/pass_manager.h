// The pass manager: runs a pipeline over a graph and lets nothing wrong get past a pass.
//
// The verifier must find no error in the input. After each pass it checks, unless told otherwise: a
// graph said to be unchanged is what it was; the verifier finds no error; the legality checker accepts graph before, graph after and
// certificate. The first failure stops the pipeline. Nothing here prints: callers get records and
// callbacks.
//
// The memory budget is taken once, when the first pass after the normalize phase is about to run:
// the caller's, or else the graph's own peak there, since normalisation reveals collectives without
// moving anything.
//
// Ownership: graph and pipeline are the caller's, callbacks are called before runPipeline returns;
// on an error the graph is unspecified.
// Failure: one DiagnosticError: first `pass.input`, `pass.run`, `pass.unchanged`, `pass.verify` or
// `pass.legality`, which names the pass and the pipeline that shows it again, then the check's own
// diagnostics; all but the first two are bugs of the pass, never of the user's graph. Or guards.fact, before any pass.
// Cost: about 1 us a node and pass with all checks, of which a snapshot takes 100 bytes a node
// while the pass runs.
#pragma once

#include "ccgraph/passes/exposure.h"
#include "ccgraph/passes/pipeline.h"
#include "ccgraph/passes/schedule_record.h"
#include "ccgraph/passes/timeline.h"

#include <functional>

namespace ccgraph {

/// The moment at which a pipeline failed.
struct PassFailure {
  enum class Stage : uint8_t {
    /// the graph was malformed before the first pass
    Input,
    /// the pass returned an error: the input is unfit
    Run,
    /// it said "unchanged" and was not
    Unchanged,
    /// the graph after it is malformed
    Verify,
    /// the legality checker refused the rewrite
    Legality,
  };
  /// of the pass in the pipeline
  size_t index = 0;
  Stage stage = Stage::Run;
  /// its text, options included
  std::string pass;
  /// the text up to and including it: with the pipeline's input, this reproduces the failure
  std::string pipeline;
  /// see Pass::Traits
  bool asTold = false;
  /// as the pass left it
  const Graph *graph = nullptr;
};
/// "input", "run", "unchanged", "verify", "legality".
[[nodiscard]] llvm::StringRef stageName(PassFailure::Stage stage);
/// False where the graph is to blame (Input, Run), or what the pass was told.
[[nodiscard]] bool isDefectOfPass(const PassFailure &failure);

/// What one pass did.
struct PassRun {
  /// text, options included
  std::string pass;
  Changed changed = Changed::No;
  std::vector<Remark> remarks;
  std::vector<std::pair<std::string, int64_t>> statistics;
  /// in the pass
  double seconds = 0;
  /// in the checks after it
  double checkSeconds = 0;
  /// nodes of the graph after it, without its subgraphs
  size_t nodes = 0;
};

/// What a whole pipeline did; one entry a pass, in order.
struct PipelineRun {
  std::vector<PassRun> passes;
  /// the one that was held, in bytes; empty if there was none, or no pass that asks for one
  std::optional<int64_t> memoryBudget;
  /// what costs rest on; empty where no pass asked for them and no machine or durations were given
  std::optional<CostSummary> cost;
  /// Where PassManagerOptions::predictTimes: of the graph when the first pass after the normalize phase begins, and at the end.
  std::optional<Timeline> timeBefore, timeAfter;
  /// Where PassManagerOptions::recordSchedules: of the graph before the first pass after the normalize phase, else of the input, and
  /// at the end.
  std::optional<ScheduleRecord> scheduleBefore, scheduleAfter;
  /// with timeBefore: how fast any order of that graph can be
  std::optional<StepBounds> bounds;
  /// with timeAfter: the worst transfers of the graph at the end, at most PassManagerOptions::explainExposed
  std::vector<Exposure> exposed;
  /// True if any pass changed the graph.
  [[nodiscard]] bool changed() const;
};

/// What is checked, which memory is allowed, and who is told. The defaults are what tools use.
struct PassManagerOptions {
  bool verifyEach = true;
  /// where verifyEach; false: the caller has just verified the input itself
  bool verifyInput = true;
  bool checkLegality = true;
  /// see PassContext::spmd
  bool spmd = true;
  /// see PassContext::bitwise
  bool bitwise = false;
  /// false: no budget, whatever memoryBudget says
  bool limitMemory = true;
  /// bytes; empty: the graph's own peak when the first pass after the normalize phase begins
  std::optional<int64_t> memoryBudget;
  /// empty: the default machine (machine.h)
  std::optional<Machine> machine;
  /// of the graph's nodes; null: all is predicted
  const Durations *durations = nullptr;
  /// what the objects that the graph holds stand for; null: nobody says
  const ObjectMeanings *objects = nullptr;
  /// whether times are predicted for the graph before and after
  bool predictTimes = false;
  /// whether all that happens is recorded of the graph before and after: strings for every node
  bool recordSchedules = false;
  /// where predictTimes: of how many exposed transfers it is said why
  size_t explainExposed = 0;
  /// after each pass that changed the graph and whose checks held
  std::function<void(const Pass &, const Graph &)> afterChange;
  /// after each pass that changed the graph and whose checks held: what it said that it did, of the graph as it is now
  std::function<void(const Pass &, const Certificate &)> onRewrite;
  /// before the error is returned: write a reproducer
  std::function<void(const PassFailure &)> onFailure;
};

/// Runs the passes in order. The error of a failed check names pass and stage, and holds the
/// check's own diagnostics.
[[nodiscard]] llvm::Expected<PipelineRun> runPipeline(Graph &graph, const Pipeline &pipeline,
                                                      const PassManagerOptions &options = {});

} // namespace ccgraph
