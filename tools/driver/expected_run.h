// ExpectedRun: what --expect compares with: another graph, executed by the interpreter on the same inputs.
//
// Callers give inputs by position, so the graph's placeholders may have other names than the program's. One graph serves
// every rank. Its groups are those of --groups (of the first file), else those of the plan that is compared with it; what remains is assumed.
//
// Ownership: owns graph and file; borrows program and options. Failure: diagnostics with file and place. Cost: a run of the
// interpreter.
#pragma once

#include "ccgraph/runtime/interpreter.h"
#include "driver/run_program.h"

namespace ccgraph::driver {

class ExpectedRun {
public:
  ExpectedRun(const RunOptions &options, RunProgram &program) : options_(options), program_(program) {}

  /// Warnings of the reader go to `err`.
  [[nodiscard]] llvm::Error load(llvm::raw_ostream &err);
  /// After load(): that the program which is run takes as many inputs.
  [[nodiscard]] llvm::Error checkInputs() const;
  /// By the names that the program gives its inputs. `inputs` by rank, of the program.
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
