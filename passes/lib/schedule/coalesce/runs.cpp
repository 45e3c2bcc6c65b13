#include "schedule/coalesce/runs.h"

#include "ccgraph/ir/op_def.h"

#include "analysis/lifetimes.h"

#include "llvm/ADT/DenseSet.h"

namespace ccgraph {

Runs::Runs(const Inputs &inputs, std::optional<int64_t> budget)
    : graph_(inputs.graph), facts_(inputs.facts), dependences_(inputs.dependences), maxMoves_(inputs.maxMoves) {
  if (!budget)
    return;
  memory_.emplace(liveMemory(graph_, facts_));
  room_.emplace(*memory_, *budget, inputs.layout);
}

/// Returns true for a view, or an operator without effects that only moves bytes: a cast, a copy, a cat, a pad.
bool Runs::goesAlong(const Node *node) const {
  if (facts_.views(node))
    return true;
  return node->opcode() == Opcode::CallFunction && node->op()->role == OpRole::Compute && node->op()->movesBytes &&
         facts_.domain(node) == Domain::None &&
         llvm::none_of(facts_.accesses(node), [](const StorageAccess &access) { return writes(access.access); });
}

std::optional<Runs::Nodes> Runs::followers(Nodes nodes, const Node *end) const {
  Nodes found;
  llvm::DenseSet<const Node *> seen;
  auto mayFollow = [&](Node *node) {
    if (end->isBefore(node) || !seen.insert(node).second)
      return true;
    if (node == end || !(facts_.waits(node) || goesAlong(node)))
      return false;
    found.push_back(node);
    nodes.push_back(node);
    return true;
  };
  while (!nodes.empty()) {
    Node *node = nodes.pop_back_val();
    for (const Use &use : node->uses())
      if (!mayFollow(use.user()))
        return std::nullopt;
    for (Node *after : dependences_.after(node))
      if (!mayFollow(after))
        return std::nullopt;
  }
  llvm::sort(found, precedes);
  return found;
}

std::optional<Runs::Nodes> Runs::predecessors(Node *node, const Node *begin) const {
  Nodes found, left = {node};
  llvm::DenseSet<const Node *> seen;
  auto mayPrecede = [&](Node *before) {
    if (before->isBefore(begin) || !seen.insert(before).second)
      return true;
    if (!goesAlong(before))
      return false;
    found.push_back(before);
    left.push_back(before);
    return true;
  };
  while (!left.empty()) {
    Node *next = left.pop_back_val();
    for (const Use &use : next->operandUses())
      if (!mayPrecede(use.def()))
        return std::nullopt;
    for (Node *before : dependences_.before(next))
      if (!mayPrecede(before))
        return std::nullopt;
  }
  llvm::sort(found, precedes);
  return found;
}

void Runs::place(Node *node, Node *before) {
  ++numMoves_;
  if (memory_)
    memory_->move(node, before);
  else
    graph_.moveBefore(node, before);
}

void Runs::move(Node *node, Node *before) {
  if (node == before || node->next() == before)
    return;
  moves_.emplace_back(node, node->next());
  place(node, before);
}

bool Runs::isFew(const std::optional<Nodes> &along) {
  bool few = along && static_cast<int64_t>(along->size()) <= maxMoves_;
  isEntangled_ |= along && !few;
  return few;
}

std::optional<Runs::Nodes> Runs::fewOthers(const Sinking &sinking, const Node *newcomer) {
  Nodes others;
  const auto *follower = sinking.along.begin();
  for (Node *node = sinking.launches.back()->next(); node != newcomer; node = node->next())
    if (follower != sinking.along.end() && *follower == node)
      ++follower;
    else if (others.size() < sinking.launches.size() + sinking.along.size())
      others.push_back(node);
    else
      return std::nullopt;
  return others;
}

// A long run has many launches and waits, and few nodes between it and the newcomer. If these are fewer, they are put
// before the run, and the newcomer after it, which yields the same order:
//   c1 c2 w1 w2 a c3   ->   a c1 c2 c3 w1 w2
bool Runs::sink(const Bucket &bucket, Node *newcomer) {
  Nodes launches;
  for (const Candidate &member : bucket.members)
    launches.push_back(member.launch);
  std::optional<Nodes> along = followers(launches, newcomer);
  if (!isFew(along))
    return false;
  if (std::optional<Nodes> others = fewOthers({launches, *along}, newcomer)) {
    for (Node *node : *others)
      move(node, launches.front());
    move(newcomer, launches.back()->next());
    return true;
  }
  for (Node *launch : launches)
    move(launch, newcomer);
  Node *after = newcomer->next();
  for (Node *node : *along)
    move(node, after);
  return true;
}

bool Runs::rise(const Bucket &bucket, Node *newcomer) {
  Node *first = bucket.members.front().launch;
  std::optional<Nodes> along = predecessors(newcomer, first);
  if (!isFew(along))
    return false;
  for (Node *node : *along)
    move(node, first);
  move(newcomer, bucket.members.back().launch->next());
  return true;
}

/// Undoes the moves if the graph would exceed the budget, and returns whether it fits.
bool Runs::hasRoom(OpenBucket &bucket, OpenBucket &newcomer) {
  bool fits = !room_ || room_->hold(bucket, newcomer);
  if (!fits) {
    room_->drop();
    for (auto [node, next] : llvm::reverse(moves_))
      place(node, next);
  } else if (room_) {
    room_->accept();
  }
  moves_.clear();
  return fits;
}

JoinVerdict Runs::join(OpenBucket &bucket, OpenBucket &newcomer) {
  Candidate member = newcomer.members.front();
  isEntangled_ = false;
  bool sinks = sink(bucket, member.launch);
  bool joined = sinks && hasRoom(bucket, newcomer);
  bool rises = !joined && rise(bucket, member.launch);
  joined |= rises && hasRoom(bucket, newcomer);
  if (!joined)
    return sinks || rises ? JoinVerdict::OverBudget : isEntangled_ ? JoinVerdict::Entangled : JoinVerdict::Dependent;
  bucket.members.push_back(member);
  bucket.bytes += member.bytes();
  bucket.firstWait = std::min(bucket.firstWait, newcomer.firstWait, precedes);
  bucket.lastWait = std::max(bucket.lastWait, newcomer.lastWait, precedes);
  return JoinVerdict::Joined;
}

} // namespace ccgraph
