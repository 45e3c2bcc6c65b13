// The verifier: is this graph well formed?
//
// Three families of rules, each rule with an id that diagnostics, documentation and tests share (docs/verifier.md):
//   structure.*  names, order, opcodes, arguments, subgraphs, ordering edges: what every graph must satisfy;
//   types.*      what collectives, waits and getitem demand of their operands' and results' types, and groups;
//   async.*      launches, waits, and values in flight.
// What PyTorch's own graphs do is at most a warning: a launch without wait (an error under `strict`), a wait on what is
// not in flight.
//
// Cost: O(nodes + edges), about 100 ns a node. Never edits. Errors come with place, got, expected and repair.
#pragma once

#include "ccgraph/ir/diagnostic.h"

namespace ccgraph {

struct VerifyOptions {
  /// warnings of the async family become errors
  bool strict = false;
  /// report warnings at all
  bool warnings = true;
  /// errors kept
  size_t limit = 20;
};

/// All findings, subgraphs included, in program order. Empty: the graph is well formed.
[[nodiscard]] std::vector<Diagnostic> verify(const Graph &graph, const VerifyOptions &options = {});
/// Success if there is no error (warnings are dropped).
[[nodiscard]] llvm::Error verifyOrError(const Graph &graph, const VerifyOptions &options = {});

/// The rules, sorted by id: what docs list and tests walk through.
struct VerifierRule {
  llvm::StringRef id;
  /// one sentence
  llvm::StringRef demand;
};
[[nodiscard]] llvm::ArrayRef<VerifierRule> verifierRules();

} // namespace ccgraph
