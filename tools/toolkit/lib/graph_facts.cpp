#include "ccgraph/toolkit/graph_facts.h"

#include "ccgraph/ir/async_pairs.h"
#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/digest.h"
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/group_id.h"
#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/ir/subgraph_calls.h"

#include "llvm/ADT/MapVector.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace ccgraph {
namespace {

/// Calls `visit` with each subgraph that a node may run.
void forEachBody(const Node &node, llvm::function_ref<void(const Graph &)> visit) {
  for (unsigned i = 0; i < node.numOperands(); ++i)
    if (const Graph *body = namedSubgraph(*node.operand(i)))
      visit(*body);
}

/// CollectiveCount finds the row of each collective in a table that may have as many rows as collectives. Those in a
/// subgraph count for each call of it.
class CollectiveCount {
public:
  void addAll(const Graph &graph, size_t times = 1) {
    llvm::MapVector<const Graph *, size_t> calls;
    for (const Node *node : graph) {
      if (const CollectiveSpec *spec = collectiveOf(*node))
        add(*node, spec->kind, times);
      forEachBody(*node, [&](const Graph &body) { ++calls[&body]; });
    }
    for (const auto &[body, count] : calls)
      addAll(*body, times * count);
  }
  [[nodiscard]] size_t launches() const {
    return std::accumulate(rows_.begin(), rows_.end(), size_t{0},
                           [](size_t sum, const CollectiveRow &row) { return sum + row.launches; });
  }
  std::vector<CollectiveRow> rows() { return std::move(rows_); }

private:
  // Counts the larger of input and output: the output of an all_gather, the input of a reduce_scatter.
  void add(const Node &node, CollectiveKind kind, size_t times) {
    CollectiveRow &row = rowOf(kind, groupIdOf(node).text);
    auto in = inputBytes(node);
    auto out = outputBytes(node);
    row.launches += times;
    row.bytes += static_cast<int64_t>(times) * std::max(in.value_or(0), out.value_or(0));
    row.unknownSizes += !in && !out ? times : 0;
  }

  CollectiveRow &rowOf(CollectiveKind kind, std::string group) {
    auto [known, isNew] = index_.try_emplace({kind, group}, rows_.size());
    if (isNew)
      rows_.push_back({kind, std::move(group), 0, 0, 0});
    return rows_[known->second];
  }

  std::map<std::pair<CollectiveKind, std::string>, size_t> index_;
  std::vector<CollectiveRow> rows_;
};

/// Returns the operators that neither PyTorch's table nor the user declares. The most frequent come first, since
/// declaring them helps most; ties are in the order of the program.
std::vector<std::pair<std::string, size_t>> opaqueOperators(const Graph &graph) {
  std::vector<std::pair<std::string, size_t>> found;
  llvm::DenseMap<const OpDef *, size_t> index;
  for (const Node *node : graph) {
    if (!node->op() || !node->op()->opaque)
      continue;
    auto [entry, isNew] = index.try_emplace(node->op(), found.size());
    if (isNew)
      found.emplace_back(node->target().str().str(), 0);
    ++found[entry->second].second;
  }
  llvm::stable_sort(found, [](const auto &a, const auto &b) { return a.second > b.second; });
  return found;
}

// In  c = all_reduce(x); r = relu(y); v = view(r); w = wait(c)  there is one computing step between launch and wait:
// the relu. Views, getitem and other communication overlap with nothing, so they are not counted. computed_ is the
// number of such steps so far, and the distance of a launch is its increase up to the first wait.

/// Visits the program once and counts the steps between each launch and its first wait.
class OverlapCount {
public:
  explicit OverlapCount(const Graph &graph)
      : asyncPairs_(graph, StorageMap(graph)), steps_(graph.idLimit()), waited_(graph.idLimit()) {
    for (const Node *node : graph)
      visit(*node);
  }

  OverlapFacts facts() {
    OverlapFacts facts;
    facts.waited = distances_.size();
    facts.exposed = static_cast<size_t>(llvm::count(distances_, 0));
    if (!distances_.empty()) {
      auto middle = distances_.begin() + static_cast<std::ptrdiff_t>(distances_.size() / 2);
      std::nth_element(distances_.begin(), middle, distances_.end());
      facts.median = *middle;
    }
    return facts;
  }
  std::vector<const Node *> exposed() { return std::move(exposed_); }

private:
  void visit(const Node &node) {
    steps_[node.id()] = computed_;
    for (const Node *launch : asyncPairs_.completes(&node))
      close(launch);
    if (node.opcode() == Opcode::CallFunction && !isTransfer(node) && !isGetItem(node) && !isViewLike(node))
      ++computed_;
  }

  /// Returns true for a collective, a wait, or a wrapper of one.
  [[nodiscard]] static bool isTransfer(const Node &node) {
    const Node *call = wrappedCall(node);
    return call && (collectiveOf(*call) || isWait(*call));
  }

  void close(const Node *launch) {
    if (waited_[launch->id()])
      return;
    waited_[launch->id()] = true;
    distances_.push_back(computed_ - steps_[launch->id()]);
    if (distances_.back() == 0)
      exposed_.push_back(launch);
  }

  AsyncPairs asyncPairs_;
  std::vector<int64_t> steps_; ///< by id: number of steps before it
  std::vector<bool> waited_;
  std::vector<int64_t> distances_;
  std::vector<const Node *> exposed_; ///< with distance 0
  int64_t computed_ = 0;
};

/// Counts the collectives in the subgraphs that the node may run.
size_t collectivesInside(const Node &node) {
  CollectiveCount count;
  forEachBody(node, [&](const Graph &body) { count.addAll(body); });
  return count.launches();
}

SubgraphFacts subgraphFacts(const Graph &graph) {
  SubgraphFacts facts;
  for (const Node *node : graph) {
    bool hides = node->op() && node->op()->role == OpRole::HigherOrder;
    size_t inside = hides ? collectivesInside(*node) : 0;
    if (inside == 0)
      continue;
    if (facts.target.empty())
      facts.target = node->target().str().str();
    facts.collectives += inside;
  }
  return facts;
}

} // namespace

size_t GraphFacts::launches() const {
  size_t sum = 0;
  for (const CollectiveRow &row : rows)
    sum += row.launches;
  return sum;
}

std::vector<const Node *> launchesWithoutOverlap(const Graph &graph) { return OverlapCount(graph).exposed(); }

GraphFacts gatherFacts(const Graph &graph) {
  GraphFacts facts;
  facts.nodes = graph.size();
  CollectiveCount collectives;
  collectives.addAll(graph);
  facts.rows = collectives.rows();
  facts.opaque = opaqueOperators(graph);
  facts.overlap = OverlapCount(graph).facts();
  facts.subgraphs = subgraphFacts(graph);
  facts.peakBytes = peakMemory(graph).bytes;
  facts.digest = digestOf(graph).str();
  return facts;
}

} // namespace ccgraph
