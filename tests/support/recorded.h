// Loads recorded programs: captured graphs with PyTorch's inputs and outputs of every rank, ready to run.
//
// Ownership: a RecordedProgram is a plain list of paths; a LoadedProgram owns its graphs, which live in the caller's
// context. Failure: a file that cannot be read is an error with its path. Cost: that of the readers.
#pragma once

#include "ccgraph/runtime/comparison.h"
#include "ccgraph/runtime/interpreter.h"

#include <memory>

namespace ccgraph::test {

struct RecordedProgram {
  /// "transformer_moe_w4/fw"
  std::string name;
  /// one, or one for each rank
  std::vector<std::string> graphs;
  /// the same number of files: groups, tolerances, objects
  std::vector<std::string> facts;
  /// folders of values, one for each recorded call
  std::vector<std::string> values;
};

/// Returns all programs of the captured graphs that have values, sorted by name.
[[nodiscard]] std::vector<RecordedProgram> recordedPrograms();

struct LoadedProgram {
  std::vector<std::unique_ptr<Graph>> graphs;
  runtime::RunRequest request;
  runtime::ComparisonRules rules;
};

/// Loads one recorded call: request.inputs holds inputs and expected outputs.
[[nodiscard]] llvm::Expected<LoadedProgram> load(Context &context, const RecordedProgram &program,
                                                 const std::string &values);

} // namespace ccgraph::test
