// The verifier: is this graph well formed?
//
// Every later part relies on it: readers give graphs that parse, the verifier says whether they
// mean something, and passes may assume that. It runs on what is read and again after each pass.
// Three families of rules, each rule with an id that diagnostics, documentation and tests share
// (docs/verifier.md):
//   structure.*  names, order, opcodes, arguments, subgraphs, ordering edges: what every graph must satisfy;
//   types.*      what collectives, waits and getitem demand of their operands' and results' types, and groups;
//   async.*      launches, waits, and values in flight.
// What PyTorch's own graphs do is at most a warning: a launch without wait (an error under
// `strict`), a wait on what is not in flight.
//
// Ownership: reads only, and keeps nothing; findings own their texts. Failure: none of its own.
// Findings come with node, got, expected and repair, and with the user's source line where the
// graph has it.
// Cost: O(nodes + edges), about 100 ns a node.
#pragma once

#include "ccgraph/ir/diagnostic.h"

namespace ccgraph {

class StorageMap;

struct VerifyOptions {
  /// warnings of the async family become errors
  bool strict = false;
  /// report warnings at all
  bool warnings = true;
  /// errors kept
  size_t limit = 20;
  /// of the graph as it stands, where the caller has it
  const StorageMap *storages = nullptr;
};

/// All findings, those of the graph before those of its subgraphs, each in program order; nodes of a
/// subgraph are named "subgraph/node". Empty: the graph is well formed.
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
