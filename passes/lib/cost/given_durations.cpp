#include "cost/given_durations.h"

namespace ccgraph {
namespace {

std::optional<Duration> namedOrCarried(const Node &node, const Durations *durations) {
  if (const Duration *duration = durations ? durations->find(node.name().str()) : nullptr)
    return *duration;
  const int64_t carried = node.provenance().durationPs;
  return carried >= 0 ? std::optional(Duration{carried}) : std::nullopt;
}

} // namespace

GivenDurations::GivenDurations(const Graph &graph, const Durations *durations) : byId_(graph.idLimit()) {
  llvm::StringMap<std::vector<uint32_t>> calls;
  for (const Node *node : graph) {
    byId_[node->id()] = namedOrCarried(*node, durations);
    if (durations && !byId_[node->id()] && durations->calls(node->target().str()))
      calls[node->target().str()].push_back(node->id());
  }
  for (const auto &entry : calls)
    if (const std::vector<Duration> &times = *durations->calls(entry.first()); times.size() == entry.second.size())
      for (size_t i = 0; i < times.size(); ++i)
        byId_[entry.second[i]] = times[i];
}

} // namespace ccgraph
