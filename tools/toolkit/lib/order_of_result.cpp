#include "ccgraph/toolkit/order_of_result.h"

#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/lifetimes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

#include <tuple>

namespace ccgraph {
namespace {

bool communicates(const Node &node) { return collectiveOf(node) || isWait(node); }

class Matcher {
public:
  Matcher(const Graph &start, const Graph &result) : start_(start), result_(result) {
    for (const Node *node : result)
      placeOf_[node] = placeOf_.size();
    for (const Node *node : result)
      if (collectiveOf(*node))
        for (const Node *source : sourcesOf(*node, start))
          readersOf_[source].push_back(node);
  }
  KnownOrder match();

private:
  /// Returns the node of this name in the result, and the start's node for one of the result; null if there is none.
  static const Node *counterpart(const Node &node, const Graph &other);
  [[nodiscard]] std::vector<const Node *> sourcesOf(const Node &launch, const Graph &other) const;
  [[nodiscard]] const Node *launchFor(const Node &launch) const;
  [[nodiscard]] const Node *waitOf(const Node &launch) const;
  [[nodiscard]] const Node *resultFor(const Node &node);

  const Graph &start_;
  const Graph &result_;
  llvm::DenseMap<const Node *, size_t> placeOf_;
  /// by common node of the start: the collectives of the result that read it
  llvm::DenseMap<const Node *, std::vector<const Node *>> readersOf_;
  /// by collective of the start
  llvm::DenseMap<const Node *, const Node *> launches_;
};

const Node *Matcher::counterpart(const Node &node, const Graph &other) {
  const Node *found = communicates(node) ? nullptr : other.find(node.name().str());
  return found && !communicates(*found) ? found : nullptr;
}

/// Returns the nearest nodes that the collective reads and that both graphs contain, as nodes of the start.
std::vector<const Node *> Matcher::sourcesOf(const Node &launch, const Graph &other) const {
  std::vector<const Node *> open = {&launch}, found;
  llvm::DenseSet<const Node *> seen;
  while (!open.empty()) {
    const Node *node = open.back();
    open.pop_back();
    for (const Use &use : node->operandUses()) {
      if (!seen.insert(use.def()).second)
        continue;
      if (const Node *common = counterpart(*use.def(), other))
        found.push_back(&other == &start_ ? common : use.def());
      else
        open.push_back(use.def());
    }
  }
  return found;
}

/// Returns the collective of the result that is, or contains, this one of the start; the first if several could. Null
/// if there is none.
const Node *Matcher::launchFor(const Node &launch) const {
  const CollectiveKind kind = collectiveOf(launch)->kind;
  auto isOfKind = [&](const Node *node) { return collectiveOf(*node) && collectiveOf(*node)->kind == kind; };
  if (const Node *same = result_.find(launch.name().str()); same && isOfKind(same))
    return same;
  llvm::MapVector<const Node *, size_t> reads;
  const std::vector<const Node *> sources = sourcesOf(launch, result_);
  for (const Node *source : sources)
    if (auto readers = readersOf_.find(source); readers != readersOf_.end())
      for (const Node *reader : readers->second)
        reads[reader] += isOfKind(reader) ? 1 : 0;
  for (const auto &[reader, count] : reads)
    if (count == sources.size() && count > 0)
      return reader;
  return nullptr;
}

/// Returns the first wait on the result of a collective, or on an element of its list; null if there is none.
const Node *Matcher::waitOf(const Node &launch) const {
  const Node *first = nullptr;
  std::vector<const Node *> open = {&launch};
  while (!open.empty()) {
    const Node *node = open.back();
    open.pop_back();
    for (const Use &use : node->uses())
      if (isWait(*use.user()))
        first = !first || use.user()->isBefore(first) ? use.user() : first;
      else if (getItemIndex(*use.user()))
        open.push_back(use.user());
  }
  return first;
}

/// Returns the node of the result whose position a node of the start takes; null if it has none.
const Node *Matcher::resultFor(const Node &node) {
  if (collectiveOf(node))
    return launches_[&node] = launchFor(node);
  if (!isWait(node))
    return counterpart(node, result_);
  const Node *awaited = node.operand(0);
  if (getItemIndex(*awaited))
    awaited = awaited->operand(0);
  const Node *launch = launches_.lookup(awaited);
  return launch ? waitOf(*launch) : nullptr;
}

KnownOrder Matcher::match() {
  std::vector<std::pair<size_t, const Node *>> placed;
  llvm::MapVector<const Node *, std::vector<std::string>> members;
  for (const Node *node : start_)
    if (const Node *at = resultFor(*node)) {
      placed.emplace_back(placeOf_.lookup(at), node);
      if (collectiveOf(*node))
        members[at].push_back(node->name().str().str());
    }
  llvm::stable_sort(placed, llvm::less_first());
  KnownOrder known;
  known.peakBytes = peakMemory(result_).bytes;
  for (const auto &[place, node] : placed)
    known.order.push_back(node->name().str().str());
  for (auto &[launch, names] : members)
    if (names.size() > 1)
      known.buckets.push_back(std::move(names));
  return known;
}

} // namespace

KnownOrder orderOfResult(const Graph &start, const Graph &result) { return Matcher(start, result).match(); }

} // namespace ccgraph
