// ExpectedRun executes the graph of --expect in the interpreter on the same inputs, so that its results can be compared
// with the run.
//
// Callers give inputs by position, so the graph's placeholders may have other names than the program's. One graph
// serves every rank. Its groups come from --groups (the first file), else from the plan that is compared with it; the
// remaining groups are assumed.
//
// Ownership: owns graph and file; borrows program and options. Failure: diagnostics with file and place. Cost: a run of
// the interpreter.
#pragma once

#include "ccgraph/runtime/interpreter.h"
#include "driver/run_program.h"

namespace ccgraph::driver {

class ExpectedRun {
public:
  ExpectedRun(const RunOptions &options, RunProgram &program) : options_(options), program_(program) {}

  /// Loads the graph; the reader writes warnings to `err`.
  [[nodiscard]] llvm::Error load(llvm::raw_ostream &err);
  /// Checks that the program takes as many inputs as the graph; call after load().
  [[nodiscard]] llvm::Error checkInputs() const;
  /// Runs the graph. `inputs` holds the program's inputs by rank, under the program's names.
  [[nodiscard]] llvm::Expected<runtime::RunResult> run(std::vector<TensorMap> inputs) const;
  [[nodiscard]] const Graph &graph() const { return *graph_; }

private:
  [[nodiscard]] llvm::Error addGroupsOfProgram();
  [[nodiscard]] GraphChoice place() const { return {*file_, ""}; }

  const RunOptions &options_;
  RunProgram &program_;
  std::optional<InputFile> file_;
  std::unique_ptr<Graph> graph_;
  std::vector<std::string> names_; ///< "in.x" of each placeholder
  ObjectMeanings objects_;
};

} // namespace ccgraph::driver
