#include "transfers.h"

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/node.h"
#include "ccgraph/ir/op_def.h"

namespace ccgraph::equality {
namespace {

/// Returns what a batch does with each of its tensors; a single transfer does one thing.
std::vector<bool> directionsOf(const Node &node, const CollectiveCall &call) {
  if (call.spec->kind != CollectiveKind::BatchP2P)
    return {call.spec->kind == CollectiveKind::Send};
  std::vector<bool> sends;
  if (const Argument *words = argumentAt(node, 0); words && words->isSequence())
    for (const Argument &word : words->elements())
      sends.push_back(word.is(Argument::Kind::String) && word.text() == "isend");
  return sends;
}

} // namespace

std::vector<TransferEnd> transferEnds(const Node &node, const CollectiveCall &call, llvm::ArrayRef<int64_t> members,
                                      int64_t rank) {
  const std::vector<bool> directions = directionsOf(node, call);
  std::vector<TransferEnd> ends;
  size_t sent = 0, received = 0;
  for (size_t i = 0; i != directions.size(); ++i) {
    const bool sends = directions[i];
    llvm::ArrayRef<Node *> tensors = sends ? call.inputs : call.outputs;
    size_t &next = sends ? sent : received;
    if (i >= call.peers.size() || next >= tensors.size() || call.peers[i] < 0 ||
        static_cast<size_t>(call.peers[i]) >= members.size())
      return {};
    const int64_t peer = members[static_cast<size_t>(call.peers[i])], tag = i < call.tags.size() ? call.tags[i] : 0;
    ends.push_back({sends, tensors[next++], sends ? Channel{rank, peer, tag} : Channel{peer, rank, tag}});
  }
  return ends;
}

std::vector<Transfers::Delivery> Transfers::deliver(const Channel &channel) {
  std::vector<Delivery> deliveries;
  Line &line = lines_[channel];
  while (!line.sent.empty() && !line.expected.empty()) {
    deliveries.push_back({line.expected.front(), std::move(line.sent.front())});
    line.sent.pop_front();
    line.expected.pop_front();
  }
  return deliveries;
}

} // namespace ccgraph::equality
