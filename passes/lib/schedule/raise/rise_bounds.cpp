#include "schedule/raise/rise_bounds.h"

namespace ccgraph {

RiseBounds::RiseBounds(const ProgramFacts &facts, const Feeders &feeders, const CommGroups &groups)
    : facts_(facts), feeders_(feeders), groups_(groups) {
  for (const Node *node : facts.graph())
    for (const StorageAccess &access : facts.accesses(node))
      if (facts.launches(node) && writes(access.access))
        readers_.try_emplace(access.storage);
  for (Node *node : facts.graph()) {
    if (!feeders.isFeeder(node))
      continue;
    for (const StorageAccess &access : facts.accesses(node))
      if (auto found = readers_.find(access.storage); found != readers_.end() && touches(access.access))
        found->second.push_back(node);
  }
}

void RiseBounds::startRound() {
  written_.assign(facts_.storages().numStorages(), nullptr);
  accessed_.assign(facts_.storages().numStorages(), nullptr);
  reshaped_.assign(facts_.storages().numStorages(), nullptr);
  issued_.assign(groups_.numGroups(), nullptr);
  fences_.assign(groups_.numGroups(), nullptr);
  section_ = 0;
  earlier_ = lastIssued_ = nullptr;
  source_.clear();
  opaque_ = lastInput_ = nullptr;
}

/// Because a launch that rose stands above nodes that were noted before it, the lowest is kept and
/// not the latest.
void RiseBounds::lowest(Node *&bound, Node *candidate) {
  if (candidate && (!bound || bound->isBefore(candidate)))
    bound = candidate;
}

/// What made that which the access sees: whoever reads no element (full_like, what a control_deps only comes after) may
/// stand before writes and waits.
Node *RiseBounds::sourceOf(const StorageAccess &access) const {
  Node *source = reshaped_[access.storage];
  if (touches(access.access))
    lowest(source, written_[access.storage]);
  return source;
}

void RiseBounds::note(Node *node) {
  if (feeders_.isFeeder(node)) {
    // Because a feeder may rise with a later launch, nothing is remembered by its place.
    Node *&source = source_[node];
    for (const StorageAccess &access : facts_.accesses(node))
      lowest(source, sourceOf(access));
    return;
  }
  if (facts_.views(node))
    for (const StorageAccess &access : facts_.accesses(node))
      if (Node *reshaper = reshaped_[access.storage])
        lowest(source_[node], reshaper);
  if (node->opcode() == Opcode::Placeholder)
    lastInput_ = node;
  if (facts_.domain(node) == Domain::All)
    opaque_ = node;
  noteAccesses(node);
  if (groups_.groupOf(node) != CommGroups::none)
    noteIssue(node);
}

void RiseBounds::noteIssue(Node *node) {
  uint32_t group = groups_.groupOf(node);
  if (groups_.section(node) != section_)
    earlier_ = lastIssued_;
  section_ = groups_.section(node);
  lowest(lastIssued_, node);
  lowest(issued_[group], node);
  if (groups_.isFence(node))
    lowest(fences_[group], node);
}

void RiseBounds::noteAccesses(Node *node) {
  bool wait = facts_.waits(node);
  for (const StorageAccess &access : facts_.accesses(node)) {
    if (wait || writes(access.access))
      lowest(written_[access.storage], node);
    if (wait || touches(access.access))
      lowest(accessed_[access.storage], node);
    if (reshapes(access.access))
      lowest(reshaped_[access.storage], node);
  }
  for (StorageId storage : facts_.rewrites(node)) {
    lowest(written_[storage], node);
    lowest(accessed_[storage], node);
  }
  for (const StorageAccess &access : facts_.lands(node))
    lowest(has(access.access, Access::InFlightWrite) ? written_[access.storage] : accessed_[access.storage], node);
}

void RiseBounds::boundByAccesses(const Node *launch, Node *&bound) const {
  for (const StorageAccess &access : facts_.accesses(launch)) {
    lowest(bound, sourceOf(access));
    if (writes(access.access))
      lowest(bound, accessed_[access.storage]);
  }
}

void RiseBounds::boundByOrder(const Node *launch, Node *&bound) const {
  uint32_t group = groups_.groupOf(launch);
  if (group == CommGroups::none)
    return;
  lowest(bound, issued_[group]);
  lowest(bound, groups_.section(launch) == section_ ? earlier_ : lastIssued_);
  if (groups_.isFence(launch))
    for (uint32_t other : groups_.sharing(group))
      lowest(bound, issued_[other]);
  else
    for (uint32_t other : groups_.fencing(group))
      lowest(bound, fences_[other]);
}

/// Because what stands above the bound stays there, nothing is asked of it.
void RiseBounds::boundByOperands(const Node *node, Node *&bound) {
  for (const Use &use : node->operandUses()) {
    Node *def = use.def();
    if (use.isOrdering() || !feeders_.goesAlong(def)) {
      lowest(bound, def);
    } else if ((!bound || bound->isBefore(def)) && isFound_.insert(def).second) {
      found_.push_back(def);
      lowest(bound, source_.lookup(def));
    }
  }
}

/// What the launch writes, feeders may still have to read: all but those that rise before it.
void RiseBounds::boundByReaders(const Node *launch, Node *&bound) const {
  for (const StorageAccess &access : facts_.accesses(launch)) {
    auto readers = writes(access.access) ? readers_.find(access.storage) : readers_.end();
    if (readers == readers_.end())
      continue;
    for (Node *reader : readers->second)
      if (reader->isBefore(launch) && !isFound_.contains(reader))
        lowest(bound, reader);
  }
}

// The bound is the lowest node that must stay above; everything below it may be passed. For
//   1: p = placeholder     2: a = mm(x, y)     3: c = _to_copy(p)     4: b = mm(a, y)     5: g = all_gather(c)
// g reads c, which is a feeder and may rise too, and c reads p: the bound is p, the unit is c and g, and both rise
// above a. If another collective on g's group stood at 4, g would have to follow it, and would stay where it is.
RiseBounds::Rise RiseBounds::riseOf(Node *launch) {
  Rise rise;
  rise.after = lastInput_;
  // Because whoever names the tensor would have to follow, a launch that reshapes one stays.
  if (llvm::any_of(facts_.accesses(launch), [](const StorageAccess &access) { return reshapes(access.access); }))
    lowest(rise.after, launch->prev());
  lowest(rise.after, opaque_);
  boundByAccesses(launch, rise.after);
  boundByOrder(launch, rise.after);
  found_.clear();
  isFound_.clear();
  boundByOperands(launch, rise.after);
  for (size_t i = 0; i < found_.size(); ++i)
    boundByOperands(found_[i], rise.after);
  boundByReaders(launch, rise.after);
  for (Node *node : found_)
    if (!rise.after || rise.after->isBefore(node))
      rise.unit.push_back(node);
  llvm::sort(rise.unit, [](const Node *a, const Node *b) { return a->isBefore(b); });
  rise.unit.push_back(launch);
  return rise;
}

} // namespace ccgraph
