// The pass manager: runs a pipeline over a graph and lets nothing wrong get past a pass.
//
// After each pass it checks, unless told otherwise: a graph said to be unchanged is what it was; the verifier finds no error; the legality checker accepts
// graph before, graph after and certificate. The first failure stops the pipeline. Nothing here prints: callers get records and callbacks.
//
// The memory budget is taken once, when the first pass after the normalize phase is about to run: the caller's, or else the graph's own peak there, since normalisation reveals
// collectives without moving anything.
//
// Ownership: graph and pipeline are the caller's; on an error the graph is unspecified. Cost: about 1 us a node and pass with all checks.
#pragma once

#include "ccgraph/passes/pipeline.h"

#include <functional>

namespace ccgraph {

/// The moment at which a pipeline failed.
struct PassFailure {
  enum class Stage : uint8_t {
    Run,       ///< the pass returned an error: the input is unfit
    Unchanged, ///< it said "unchanged" and was not
    Verify,    ///< the graph after it is malformed
    Legality,  ///< the legality checker refused the rewrite
  };
  size_t index = 0;     ///< of the pass in the pipeline
  Stage stage = Stage::Run;
  std::string pass;     ///< its text, options included
  std::string pipeline; ///< the text up to and including it: with the pipeline's input, this reproduces the failure
  const Graph *graph = nullptr; ///< as the pass left it
};
/// "run", "unchanged", "verify", "legality".
[[nodiscard]] llvm::StringRef stageName(PassFailure::Stage stage);

/// What one pass did.
struct PassRun {
  std::string pass; ///< text, options included
  Changed changed = Changed::No;
  std::vector<Remark> remarks;
  std::vector<std::pair<std::string, int64_t>> statistics;
  double seconds = 0;      ///< in the pass
  double checkSeconds = 0; ///< in the checks behind it
  size_t nodes = 0;        ///< in the graph after it
};

struct PipelineRun {
  std::vector<PassRun> passes;
  std::optional<int64_t> memoryBudget; ///< the one that was held
  [[nodiscard]] bool changed() const;
};

struct PassManagerOptions {
  bool verifyEach = true;
  bool checkLegality = true;
  bool spmd = true; ///< see PassContext::spmd
  bool limitMemory = true;
  std::optional<int64_t> memoryBudget; ///< bytes; empty: the input's own peak
  std::function<void(const Pass &, const Graph &)> afterChange; ///< after each pass that changed the graph
  std::function<void(const PassFailure &)> onFailure;           ///< before the error is returned: write a reproducer
};

/// Runs the passes in order. The error of a failed check names pass and stage, and holds the check's own diagnostics.
[[nodiscard]] llvm::Expected<PipelineRun> runPipeline(Graph &graph, const Pipeline &pipeline, const PassManagerOptions &options = {});

} // namespace ccgraph
