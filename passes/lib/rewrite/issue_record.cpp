#include "rewrite/issue_record.h"

#include "analysis/comm_groups.h"

#include "llvm/ADT/StringMap.h"

namespace ccgraph {

/// Returns equal keys exactly for equal identities: see GroupId::text.
static std::string keyOf(const GroupId &group) {
  return static_cast<char>('0' + static_cast<int>(group.kind)) + group.text;
}

IssueRecord::IssueRecord(const Graph &graph) : before_(read(graph)) {}

IssueRecord::Streams IssueRecord::read(const Graph &graph) {
  CommGroups groups(graph, true);
  Streams streams;
  for (uint32_t group = 0; group < groups.numGroups(); ++group)
    streams.push_back({groups.id(group), {}});
  for (Node *node : graph)
    if (groups.groupOf(node) != CommGroups::none)
      streams[groups.groupOf(node)].issue.push_back(node);
  return streams;
}

// Members of a bucket count as the bucket. For a group that issued c1, c2, d, the expected order is bucket, d: there is
// nothing to state. For one that issued c1, d, c2, the expected order would be bucket, d, bucket, which is impossible;
// so its present order is stated.
void IssueRecord::stateMoves(const Graph &graph, Certificate &certificate) const {
  llvm::DenseMap<const Node *, Node *> performer;
  for (const MergedEntry &entry : certificate.merged)
    for (const BucketMember &member : entry.members)
      performer[member.launch] = entry.launch;
  Streams after = read(graph);
  llvm::StringMap<const Stream *> byGroup;
  for (const Stream &stream : after)
    byGroup[keyOf(stream.group)] = &stream;
  for (const Stream &stream : before_) {
    std::vector<Node *> expected;
    for (Node *node : stream.issue) {
      auto found = performer.find(node);
      Node *now = found == performer.end() ? node : found->second;
      if (expected.empty() || expected.back() != now)
        expected.push_back(now);
    }
    const Stream *same = byGroup.lookup(keyOf(stream.group));
    if (same && same->issue != expected)
      certificate.moved.push_back({same->group.text, same->issue});
  }
}

} // namespace ccgraph
