#include "rewrite/repeated_collectives.h"

#include "ccgraph/ir/group_id.h"

#include "llvm/ADT/Hashing.h"

namespace ccgraph {

RepeatedCollectives::RepeatedCollectives(const Graph &graph, const ProgramFacts &facts, bool spmd)
    : facts_(facts), spmd_(spmd), written_(facts.writtenStorages()), returned_(written_.size()),
      values_(graph, facts, written_) {
  if (const Node *output = graph.output())
    for (const Use &use : output->operandUses())
      for (StorageId storage : facts.storages().storages(use.def()))
        returned_[storage] = true;
}

bool RepeatedCollectives::isCandidate(const Node *node) const {
  return facts_.launches(node) && node->numOperands() > 0 &&
         llvm::none_of(facts_.accesses(node), [](const StorageAccess &access) { return writes(access.access); });
}

/// A value may be sent on many groups, so only collectives of one group are compared.
RepeatedCollectives::Key RepeatedCollectives::keyOf(const Node *launch) {
  if (last_.first != launch)
    last_ = {launch, {values_.keyOf(launch), llvm::hash_value(groupIdOf(*launch).text) >> 1}};
  return last_.second;
}

/// Returns the only wait on a launch's result if nothing else reads it; null otherwise.
Node *RepeatedCollectives::onlyWait(const Node &launch) const {
  Node *wait = nullptr;
  for (const Use &use : launch.uses()) {
    if (use.isOrdering() || wait || !facts_.waits(use.user()) || use.user()->numOperands() != 1)
      return nullptr;
    wait = use.user();
  }
  return wait;
}

bool RepeatedCollectives::hasAny(const std::vector<bool> &set, const Node *node) const {
  return llvm::any_of(facts_.storages().storages(node), [&](StorageId storage) { return set[storage]; });
}

std::optional<Repetition> RepeatedCollectives::find(Node *node) {
  if (!isCandidate(node))
    return std::nullopt;
  auto known = known_.find(keyOf(node));
  if (known == known_.end())
    return std::nullopt;
  for (Node *earlier : known->second)
    if (std::optional<RepeatedValues::Pairs> operands = values_.match(earlier, node))
      return Repetition{earlier, node, onlyWait(*earlier), onlyWait(*node), std::move(*operands)};
  return std::nullopt;
}

std::optional<RepetitionObstacle> RepeatedCollectives::obstacle(const Repetition &repetition) const {
  const auto &[first, again, wait, waitAgain, operands] = repetition;
  if (!spmd_)
    return RepetitionObstacle::NotSpmd;
  if (!wait || !waitAgain || !wait->isBefore(waitAgain) || wait->op() != waitAgain->op() ||
      wait->type() != waitAgain->type() || wait->numOrdering() + waitAgain->numOrdering() != 0)
    return RepetitionObstacle::Readers;
  if (hasAny(written_, first) || hasAny(written_, again))
    return RepetitionObstacle::Written;
  if (hasAny(returned_, first) && hasAny(returned_, again))
    return RepetitionObstacle::Returned;
  return std::nullopt;
}

void RepeatedCollectives::accept(const Repetition &repetition) {
  for (StorageId storage : facts_.storages().storages(repetition.first))
    returned_[storage] = returned_[storage] || hasAny(returned_, repetition.again);
}

void RepeatedCollectives::advance(Node *node) {
  if (isCandidate(node))
    known_[keyOf(node)].push_back(node);
  values_.advance(node);
}

void removeRepetition(Graph &graph, const Repetition &repetition, Certificate &certificate) {
  auto remove = [&](Node *node, Node *twin) {
    graph.replaceAllUses(node, twin);
    certificate.removed.push_back({RemovedReason::Twin, node, twin});
    graph.erase(node);
  };
  remove(repetition.waitAgain, repetition.wait);
  remove(repetition.again, repetition.first);
  for (const RepeatedValues::Pair &pair : repetition.operands)
    remove(pair.again, pair.first);
}

} // namespace ccgraph
