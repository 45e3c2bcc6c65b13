#include "schedule/coalesce/issue_record.h"

#include "analysis/comm_groups.h"

namespace ccgraph {

IssueRecord::IssueRecord(const Graph &graph) : before_(read(graph)) {}

IssueRecord::Streams IssueRecord::read(const Graph &graph) {
  CommGroups groups(graph, true);
  Streams streams;
  for (uint32_t group = 0; group < groups.numGroups(); ++group)
    streams.push_back({groups.id(group), {}});
  for (Node *node = graph.front(); node; node = node->next())
    if (groups.groupOf(node) != CommGroups::none)
      streams[groups.groupOf(node)].issue.push_back(node);
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
      certificate.moved.push_back({same->group.text, same->issue});
  }
}

} // namespace ccgraph
