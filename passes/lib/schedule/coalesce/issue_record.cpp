#include "schedule/coalesce/issue_record.h"

#include "ccgraph/ir/effects.h"

namespace ccgraph {

IssueRecord::IssueRecord(const Graph &graph) : before_(read(graph)) {}

IssueRecord::Streams IssueRecord::read(const Graph &graph) {
  Streams streams;
  llvm::StringMap<size_t> index;
  for (Node *node = graph.front(); node; node = node->next()) {
    if (!collectiveOf(*node))
      continue;
    auto [found, isNew] = index.try_emplace(groupKey(*node), streams.size());
    if (isNew)
      streams.push_back({found->getKey().str(), {}});
    streams[found->second].issue.push_back(node);
  }
  return streams;
}

void IssueRecord::stateMoves(const Graph &graph, Certificate &certificate) const {
  llvm::DenseMap<const Node *, Node *> performer;
  for (const MergedEntry &entry : certificate.merged)
    for (const BucketMember &member : entry.members)
      performer[member.launch] = entry.launch;
  Streams after = read(graph);
  for (const Stream &stream : before_) {
    std::vector<Node *> expected;
    for (Node *node : stream.issue) {
      auto found = performer.find(node);
      Node *now = found == performer.end() ? node : found->second;
      if (expected.empty() || expected.back() != now)
        expected.push_back(now);
    }
    auto same = llvm::find_if(after, [&](const Stream &other) { return other.group == stream.group; });
    if (same != after.end() && same->issue != expected)
      certificate.moved.push_back({same->group, same->issue});
  }
}

} // namespace ccgraph
