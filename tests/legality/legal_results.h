// Legal results: real graphs, and what the passes make of them, for the legality checker to be
// tried on.
//
// Ownership: a Corpus owns contexts and graphs; a LegalResult owns its own copy of a graph, which
// lives in the corpus's context, so the corpus must outlive it. Failure: a graph that does not
// read, or a pass that fails, ends the test program with a message. Cost: a result is one copy of
// the graph and one run of the pass.
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

/// Captured graphs, read, with their groups, and with some ordering edges and one late write in
/// place that the captures lack.
class Corpus {
public:
  /// `kind` is "large" or "small". Graphs with more nodes than `maxNodes`, without collectives, or
  /// that the verifier refuses are left out.
  Corpus(llvm::StringRef kind, size_t maxNodes);
  [[nodiscard]] const std::vector<SourceGraph> &graphs() const { return graphs_; }

private:
  std::unique_ptr<Context> context_;
  std::vector<SourceGraph> graphs_;
};

/// A graph, what it was, and what a pass says that it did.
struct LegalResult {
  std::string made; ///< "graph: pass", for messages
  std::unique_ptr<Graph> graph;
  std::unique_ptr<GraphSnapshot> before;
  Certificate certificate;
};
/// A copy of the graph with nothing done to it.
[[nodiscard]] LegalResult untouched(const SourceGraph &source);
/// A copy of the graph after one pass, without a memory budget.
[[nodiscard]] LegalResult afterPass(const SourceGraph &source, const std::string &pass);
/// The passes of a trial, with options.
[[nodiscard]] std::string anyPass(Random &random);

} // namespace ccgraph::test
