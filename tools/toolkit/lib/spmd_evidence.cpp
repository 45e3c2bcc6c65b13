#include "ccgraph/toolkit/spmd_evidence.h"

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/group_id.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

namespace ccgraph {
namespace {

std::string listText(llvm::ArrayRef<int64_t> numbers) {
  std::string text;
  for (int64_t number : numbers.take_front(8))
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "[" + text + (numbers.size() > 8 ? ", ..." : "") + "]";
}

bool allEqual(llvm::ArrayRef<int64_t> numbers) {
  return llvm::all_of(numbers, [&](int64_t number) { return number == numbers.front(); });
}

/// Returns the number of elements of each tensor; empty if a size is unknown.
std::vector<int64_t> elementCounts(llvm::ArrayRef<Node *> tensors) {
  std::vector<int64_t> counts;
  for (const Node *tensor : tensors) {
    std::optional<int64_t> count =
        tensor->type() && tensor->type()->isTensor() ? tensor->type()->numElements() : std::nullopt;
    if (!count)
      return {};
    counts.push_back(*count);
  }
  return counts;
}

class Contradictions {
public:
  void search(const Graph &graph) {
    for (const Node *node : graph)
      if (const Node *call = wrappedCall(*node))
        if (std::optional<CollectiveCall> read = collectiveCall(*call)) {
          checkSplits(*call, *read);
          checkPeers(*call, *read);
          checkLists(*call, *read);
          checkShards(*call, *read);
          checkMembership(*node, *call, *read);
        }
    for (const auto &[name, subgraph] : graph.subgraphs())
      search(*subgraph);
  }
  std::vector<SpmdContradiction> take() { return std::move(found_); }

private:
  void add(llvm::StringRef rule, const Node &node, const llvm::Twine &message) {
    found_.push_back({rule.str(), node.name().str().str(), (node.name().str() + " " + message).str()});
  }

  // Rank i sends in[j] rows to rank j, which expects out[i]. If all ranks have the same lists, in[j] == out[i] for all
  // i and j, so all numbers are equal.
  void checkSplits(const Node &node, const CollectiveCall &call) {
    std::vector<int64_t> sent = call.inputSplits.value_or(std::vector<int64_t>());
    std::vector<int64_t> expected = call.outputSplits.value_or(std::vector<int64_t>());
    std::vector<int64_t> all = sent;
    all.insert(all.end(), expected.begin(), expected.end());
    if (all.size() > 1 && !allEqual(all))
      add("splits", node,
          (sent.empty() ? "" : "sends " + listText(sent) + " rows") +
              (sent.empty() || expected.empty() ? "" : " and ") +
              (expected.empty() ? "" : "expects " + listText(expected) + " rows") +
              ", which cannot be the splits of every rank");
  }

  void checkPeers(const Node &node, const CollectiveCall &call) {
    if (!isPointToPoint(call.spec->kind) || call.peers.empty() || call.groupSize.value_or(0) == 1)
      return;
    add("peers", node,
        "transfers to or from rank " + std::to_string(call.peers.front()) +
            " of its group, and that rank has another peer");
  }

  /// Checks lists with one tensor for each rank of the group.
  void checkLists(const Node &node, const CollectiveCall &call) {
    if (!call.spec->legacy || call.spec->coalesced)
      return;
    for (llvm::ArrayRef<Node *> tensors : {llvm::ArrayRef<Node *>(call.inputs), llvm::ArrayRef<Node *>(call.outputs)})
      if (std::vector<int64_t> counts = elementCounts(tensors); counts.size() > 1 && !allEqual(counts))
        return add("shards", node,
                   "has tensors of " + listText(counts) + " elements for its ranks, so shards differ by rank");
  }

  // A dimension of 10 on 4 ranks has shards of 3, 3, 3 and 1. All ranks gather 4 * 3 and slice the result to 10, and
  // one of them pads its shard first. If all shards were padded equally, the result would be sliced to a multiple of 4.
  void checkShards(const Node &node, const CollectiveCall &call) {
    if (call.spec->kind != CollectiveKind::AllGather || call.groupSize.value_or(0) < 2)
      return;
    const int64_t ranks = *call.groupSize;
    std::vector<const Node *> reached = {&node};
    std::set<const Node *> seen;
    constexpr size_t most = 64;
    for (size_t i = 0; i < reached.size() && i < most; ++i)
      for (const Use &use : reached[i]->uses()) {
        const Node &reader = *use.user();
        if (isCutToUneven(*reached[i], reader, ranks))
          return add("shards", node,
                     "gathers shards of " + std::to_string(ranks) + " ranks, which " + reader.name().str() +
                         " cuts to a size that equal shards do not have");
        if (passesOn(reader) && seen.insert(&reader).second)
          reached.push_back(&reader);
      }
  }

  static bool passesOn(const Node &reader) {
    if (reader.opcode() != Opcode::CallFunction || !reader.op())
      return false;
    llvm::StringRef target = reader.target().str();
    return reader.op()->isView || reader.op()->role == OpRole::Wait || reader.op()->role == OpRole::GetItem ||
           target.startswith("aten.split") || target.startswith("aten.cat.") || target.startswith("aten.chunk");
  }

  /// Returns true for aten.slice(x, dim, 0, 10) of a dimension of 12, on 4 ranks.
  static bool isCutToUneven(const Node &value, const Node &reader, int64_t ranks) {
    if (reader.opcode() != Opcode::CallFunction || !reader.op() || reader.target().str() != "aten.slice.Tensor" ||
        reader.numOperands() == 0 || reader.operand(0) != &value)
      return false;
    const Type *from = value.type(), *to = reader.type();
    if (!from || !to || !from->isTensor() || !to->isTensor() || from->sizes().size() != to->sizes().size())
      return false;
    const Argument *start = argumentAt(reader, 2);
    if (start && start->is(Argument::Kind::Int) && start->integer() != 0)
      return false;
    for (size_t i = 0; i < from->sizes().size(); ++i) {
      if (!from->sizes()[i].isStatic() || !to->sizes()[i].isStatic())
        return false;
      int64_t whole = from->sizes()[i].value(), kept = to->sizes()[i].value();
      if (whole != kept)
        return whole % ranks == 0 && whole / ranks > 1 && whole - kept < ranks && kept % ranks != 0;
    }
    return false;
  }

  void checkMembership(const Node &node, const Node &call, const CollectiveCall &read) {
    const Graph &graph = *node.graph();
    const Group *group = graph.groups().find(read.group);
    if (!graph.rank || !group || group->assumed || (group->ranks.empty() && group->partition.empty()))
      return;
    if (!llvm::is_contained(group->members(*graph.rank), *graph.rank))
      add("outside", call,
          "communicates on group " + read.group + ", and rank " + std::to_string(*graph.rank) + " is not in it");
  }

  std::vector<SpmdContradiction> found_;
};

} // namespace

std::vector<SpmdContradiction> spmdContradictions(const Graph &graph) {
  Contradictions contradictions;
  contradictions.search(graph);
  return contradictions.take();
}

std::string ranksDifferText(const Graph &graph, const RankComparison &others) {
  if (!others.difference.empty())
    return others.difference;
  std::vector<SpmdContradiction> found = spmdContradictions(graph);
  if (found.empty())
    return "";
  std::string more = found.size() > 1 ? " (and " + std::to_string(found.size() - 1) + " more)" : "";
  return "not every rank can run this program: " + found.front().message + more;
}

} // namespace ccgraph
