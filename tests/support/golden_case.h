// GoldenCase holds the parsed `pipeline`, `options` and `input` sections of a golden, ready to run.
//
// Ownership: owns context and graphs. Failure: a section that cannot be read is an error; the caller must verify the
// input. Cost: one reading of a small text.
#pragma once

#include "support/golden_file.h"

#include "ccgraph/ir/durations.h"
#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/object_meaning.h"
#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/runtime/comparison.h"
#include "ccgraph/runtime/interpreter.h"
#include "ccgraph/toolkit/bound_sizes.h"

#include "llvm/ADT/STLFunctionalExtras.h"

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
  /// of the option `sizes: s0=2, s0=5`: the graphs before and after are executed with each of these values of a symbol
  SymbolValues sizes;
  /// of the option `bind: s0=8`: the passes decide for these sizes
  SymbolValues bound;

  [[nodiscard]] static llvm::Expected<GoldenCase> read(const GoldenFile &file);
  /// Runs the pipeline on a graph, with decisions for the bound sizes if there are any.
  [[nodiscard]] llvm::Expected<RewriteResult> rewrite(Graph &graph, const PassManagerOptions &options,
                                                      bool makesSchedule = false) const;
  /// Calls the function for each of `sizes`, with requests that give the symbol this value; once if there are none.
  void forEachSize(llvm::function_ref<void()> call);
  /// Returns a request that runs the inputs on all ranks with seeded values. The request refers to the inputs.
  [[nodiscard]] runtime::RunRequest request() const;
  /// Requires bitwise equality, or approximate equality if options and pipeline permit it.
  [[nodiscard]] runtime::ComparisonRules rules() const;
};

} // namespace ccgraph::test
