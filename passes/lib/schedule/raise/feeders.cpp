#include "schedule/raise/feeders.h"

namespace ccgraph {

namespace {

bool isTensors(const Type *type) {
  return type && (type->isTensor() || (type->isList() && llvm::all_of(type->elements(), isTensors)));
}

} // namespace

// From the end to the beginning, so that every reader of a node has been seen: a launch makes feeders of the casts and
// copies that it reads, these of those that they read, and so on through views.
Feeders::Feeders(const ProgramFacts &facts) : facts_(facts), feeds_(facts.graph().idLimit()) {
  std::vector<bool> read(feeds_.size()); // by node id: does a launch, as a feeder reads?
  for (const Node *node = facts.graph().back(); node; node = node->prev()) {
    feeds_[node->id()] = read[node->id()] && movesBytesOnly(node);
    if (!facts.launches(node) && !feeds_[node->id()] && !(read[node->id()] && facts.views(node)))
      continue;
    for (unsigned i = 0; i < node->numOperands(); ++i)
      read[node->operand(i)->id()] = true;
  }
}

bool Feeders::movesBytesOnly(const Node *node) const {
  if (node->opcode() != Opcode::CallFunction || node->op()->role != OpRole::Compute || !isTensors(node->type()))
    return false;
  if (facts_.domain(node) != Domain::None || facts_.views(node) || !node->op()->movesBytes)
    return false;
  for (const StorageAccess &access : facts_.accesses(node))
    if (writes(access.access))
      return false;
  return node->op()->work(*node).has_value(); // because what it costs to carry along must be known
}

} // namespace ccgraph
