// Provides real graphs and the passes' results for them, for trials of the legality checker.
//
// Ownership: a Corpus owns contexts and graphs; a LegalResult owns its own copy of a graph, which lives in the corpus's
// context, so the corpus must outlive it. Failure: a graph that cannot be read, or a pass that fails, ends the test
// program with a message. Cost: a result is one copy of the graph and one run of the pass.
#pragma once

#include "ccgraph/ir/certificate.h"
#include "ccgraph/ir/snapshot.h"
#include "ccgraph/legality/legality.h"
#include "support/random.h"

#include <memory>
#include <string>
#include <vector>

namespace ccgraph::test {

struct SourceGraph {
  std::string name;
  std::unique_ptr<Graph> graph;
};

/// Captured graphs with their groups, and with added ordering edges and one added late write in place.
class Corpus {
public:
  /// `kind` is "large" or "small". It leaves out graphs with more nodes than `maxNodes`, without collectives, or with
  /// verifier errors.
  Corpus(llvm::StringRef kind, size_t maxNodes);
  [[nodiscard]] const std::vector<SourceGraph> &graphs() const { return graphs_; }

private:
  std::unique_ptr<Context> context_;
  std::vector<SourceGraph> graphs_;
};

/// A graph, its original state, and the pass's certificate of its changes.
struct LegalResult {
  std::string made; ///< "graph: pass", for messages
  std::unique_ptr<Graph> graph;
  std::unique_ptr<GraphSnapshot> before;
  Certificate certificate;
};
/// Returns an unchanged copy of the graph.
[[nodiscard]] LegalResult untouched(const SourceGraph &source);
/// Returns a copy of the graph after one pass, without a memory budget.
[[nodiscard]] LegalResult afterPass(const SourceGraph &source, const std::string &pass);
/// Returns a random pass for a trial of the graph, with options.
[[nodiscard]] std::string anyPass(Random &random, const Graph &graph);

} // namespace ccgraph::test
