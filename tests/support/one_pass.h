// Runs one pass without the pass manager, the verifier and the legality checker.
//
// Ownership: the certificate refers to nodes of the graph. Failure: an invalid pipeline text, or a pass that fails,
// ends the test program. Cost: that of the pass.
#pragma once

#include "ccgraph/ir/certificate.h"
#include "ccgraph/legality/legality.h"

#include <string>

namespace ccgraph::test {

struct OnePass {
  Certificate certificate;
  /// the facts about the pass that the legality checker needs
  LegalityOptions options;
};

/// Runs the first pass of the pipeline, e.g. "coalesce-collectives{layout=flat}", without a memory budget, on a program
/// that every rank runs.
OnePass runOnePass(Graph &graph, const std::string &pipeline);

} // namespace ccgraph::test
