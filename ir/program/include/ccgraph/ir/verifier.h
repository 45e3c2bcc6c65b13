// The verifier: checks whether a graph is well formed.
//
// Every later part relies on it: readers produce graphs that parse, the verifier decides whether they are meaningful,
// and passes may assume that they are. It runs on each graph that is read and again after each pass. There are three
// families of rules, each rule with an id that diagnostics, documentation and tests share (docs/verifier.md):
//   structure.*  names, order, opcodes, arguments, subgraphs, ordering edges: requirements on every graph;
//   types.*      requirements of collectives, waits and getitem on their operands' and results' types, and groups;
//   async.*      launches, waits, and values in flight.
// A pattern of PyTorch's own graphs is at most a warning: a launch without wait (an error under `strict`), a wait on a
// value that is not in flight.
//
// Ownership: reads only, and keeps no reference; findings own their texts. Failure: none. Findings contain node, got,
// expected and repair, and the user's source line if the graph has it.
// Cost: O(nodes + edges), about 100 ns a node.
#pragma once

#include "ccgraph/ir/diagnostic.h"

namespace ccgraph {

class StorageMap;

struct VerifyOptions {
  /// warnings of the async family become errors
  bool strict = false;
  /// whether warnings are reported
  bool warnings = true;
  /// maximum number of errors
  size_t limit = 20;
  /// storages of the graph in its present state, if the caller has them
  const StorageMap *storages = nullptr;
};

/// Returns all findings, those of the graph before those of its subgraphs, each in program order; nodes of a subgraph
/// are named "subgraph/node". Empty: the graph is well formed.
[[nodiscard]] std::vector<Diagnostic> verify(const Graph &graph, const VerifyOptions &options = {});
/// Returns success if there is no error (warnings are dropped).
[[nodiscard]] llvm::Error verifyOrError(const Graph &graph, const VerifyOptions &options = {});

/// A rule of the verifier. The rules are sorted by id; docs list them and tests iterate over them.
struct VerifierRule {
  llvm::StringRef id;
  /// one sentence
  llvm::StringRef demand;
};
[[nodiscard]] llvm::ArrayRef<VerifierRule> verifierRules();

} // namespace ccgraph
