#include "support/seeded_run.h"

#include "ccgraph/runtime/seeded_inputs.h"

namespace ccgraph::test {
namespace {

bool sameTensor(const HostTensor &a, const HostTensor &b) {
  return a.dtype == b.dtype && a.sizes == b.sizes && a.data == b.data;
}

/// Returns true for an input that was not changed. The interpreter returns inputs that may have been written, and an
/// engine returns those that were.
bool isUnchanged(const std::string &name, const HostTensor &value, const TensorMap &inputs) {
  llvm::StringRef input = name;
  if (!input.consume_front("after."))
    return false;
  auto given = inputs.find(("in." + input).str());
  return given != inputs.end() && sameTensor(given->second, value);
}

} // namespace

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

std::string firstDifference(const runtime::RunResult &wanted, const runtime::RunResult &got,
                            const std::vector<TensorMap> &inputs) {
  for (size_t rank = 0; rank < wanted.size(); ++rank) {
    for (const auto &[name, value] : wanted[rank]) {
      auto found = got[rank].find(name);
      bool equal = found == got[rank].end() ? isUnchanged(name, value, inputs[rank]) : sameTensor(found->second, value);
      if (!equal)
        return "rank " + std::to_string(rank) + " " + name + (found == got[rank].end() ? " is missing" : " differs");
    }
    for (const auto &[name, value] : got[rank])
      if (!wanted[rank].count(name))
        return "rank " + std::to_string(rank) + " " + name + " is too many";
  }
  return "";
}

} // namespace ccgraph::test
