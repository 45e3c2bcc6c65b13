// GoldenCase: what a golden's `pipeline`, `options` and `input` sections say, ready to run.
//
// Ownership: owns context and graphs. Failure: a section that cannot be read is an error; an input
// that does not verify is left to whoever runs it. Cost: one reading of a small text.
#pragma once

#include "support/golden_file.h"

#include "ccgraph/ir/durations.h"
#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/object_meaning.h"
#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/runtime/comparison.h"
#include "ccgraph/runtime/interpreter.h"

namespace ccgraph::test {

struct GoldenCase {
  std::unique_ptr<Context> context;
  /// one that serves all ranks, or one for each rank
  std::vector<std::unique_ptr<Graph>> inputs;
  Pipeline pipeline;
  /// refers to `durations` and `objects`
  PassManagerOptions manager;
  std::unique_ptr<Durations> durations;
  std::unique_ptr<ObjectMeanings> objects;
  size_t ranks = 2;
  std::map<std::string, std::string> options;

  [[nodiscard]] static llvm::Expected<GoldenCase> read(const GoldenFile &file);
  /// The inputs on all ranks with seeded values. Refers to the inputs.
  [[nodiscard]] runtime::RunRequest request() const;
  /// Equal to the bit, or close where options and pipeline say so.
  [[nodiscard]] runtime::ComparisonRules rules() const;
};

} // namespace ccgraph::test
