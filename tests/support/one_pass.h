// Runs one pass by itself: without the pass manager, the verifier and the legality checker around it.
//
// Ownership: the certificate names nodes of the graph. Failure: a text that is no pipeline, or a pass that fails, ends the
// test program. Cost: that of the pass.
#pragma once

#include "ccgraph/ir/certificate.h"
#include "ccgraph/legality/legality.h"

#include <string>

namespace ccgraph::test {

struct OnePass {
  Certificate certificate;
  /// what the legality checker is to know of the pass
  LegalityOptions options;
};

/// The first pass of the pipeline, e.g. "coalesce-collectives{layout=flat}", without a memory budget, on a program that
/// every rank runs.
OnePass runOnePass(Graph &graph, const std::string &pipeline);

} // namespace ccgraph::test
