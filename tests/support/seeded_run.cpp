#include "support/seeded_run.h"

#include "ccgraph/runtime/seeded_inputs.h"

namespace ccgraph::test {

runtime::RunRequest seededRequest(const Graph &graph, size_t ranks, uint64_t seed) {
  runtime::RunRequest request;
  request.graphs = {&graph};
  request.ranks = ranks;
  for (size_t rank = 0; rank < ranks; ++rank)
    request.inputs.push_back(runtime::seededInputs(graph, static_cast<int64_t>(rank), seed));
  return request;
}

std::string differencesIn(const runtime::EquivalenceReport &report) {
  std::string text = report.beforeFailure + report.afterFailure;
  for (const runtime::Difference &difference : report.comparison.differences)
    text += "rank " + std::to_string(difference.rank) + " " + difference.output + ": " + difference.message + "\n";
  return text;
}

} // namespace ccgraph::test
