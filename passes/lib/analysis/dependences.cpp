#include "analysis/dependences.h"

namespace ccgraph {

namespace {

/// Finds the edges in one traversal of the program.
class EdgeFinder {
public:
  using Edges = std::vector<std::pair<Node *, Node *>>;
  EdgeFinder(const ProgramFacts &facts, const CommGroups &groups)
      : facts_(facts), groups_(groups), changes_(facts.storages().numStorages()), storages_(changes_.size()),
        shapes_(changes_.size()), streams_(groups.numGroups()) {
    for (const Node *node : facts.graph())
      for (const StorageAccess &access : facts.accesses(node))
        if (facts.waits(node) || writes(access.access))
          changes_[access.storage] = true;
  }
  Edges find() {
    for (Node *node : facts_.graph())
      visit(node);
    return std::move(edges_);
  }

private:
  /// The last users of one resource.
  struct Users {
    Node *writer = nullptr;
    llvm::SmallVector<Node *, 2> readers;
  };
  void visit(Node *node);
  void visitStorages(Node *node);
  void visitDomain(Node *node);
  void visitGroup(Node *node);
  void visitTransfer(Node *node);
  void read(Node *node, Users &resource);
  void write(Node *node, Users &resource);
  void edge(Node *from, Node *to);

  const ProgramFacts &facts_;
  const CommGroups &groups_;
  /// by storage: some step writes it or waits for it
  std::vector<bool> changes_;
  std::vector<Users> storages_;
  /// by storage: the steps that reshape a tensor in it, and the steps that name it
  std::vector<Users> shapes_;
  /// by group
  std::vector<Users> streams_;
  /// transfers, and the waits on them
  Users transfers_;
  Users random_;
  Users host_;
  Edges edges_;
};

void EdgeFinder::edge(Node *from, Node *to) {
  if (from && from != to)
    edges_.emplace_back(from, to);
}

// A resource (a storage, the shapes of a storage, the random state, ...) has a last writer and the readers since. A
// reader follows the writer; a writer follows all readers since, or the writer if there is none:
//   w1, r1, r2, w2, r3      w1 -> r1, w1 -> r2, r1 -> w2, r2 -> w2, w2 -> r3
// w1 -> w2 is not needed, because a reader lies between. So each read makes two edges at most, and reads of one
// resource may be reordered.
void EdgeFinder::read(Node *node, Users &resource) {
  edge(resource.writer, node);
  if (resource.readers.empty() || resource.readers.back() != node)
    resource.readers.push_back(node);
}

void EdgeFinder::write(Node *node, Users &resource) {
  if (resource.writer == node)
    return;
  if (resource.readers.empty())
    edge(resource.writer, node);
  for (Node *reader : resource.readers)
    edge(reader, node);
  resource.readers.clear();
  resource.writer = node;
}

void EdgeFinder::visitStorages(Node *node) {
  bool wait = facts_.waits(node);
  for (const StorageAccess &access : facts_.accesses(node)) {
    if (reshapes(access.access))
      write(node, shapes_[access.storage]);
    else if (facts_.reshapedStorages()[access.storage])
      read(node, shapes_[access.storage]);
    if (!changes_[access.storage])
      continue;
    if (wait || writes(access.access))
      write(node, storages_[access.storage]);
    else if (touches(access.access))
      read(node, storages_[access.storage]);
  }
  for (StorageId storage : facts_.rewrites(node))
    write(node, storages_[storage]);
  for (const StorageAccess &access : facts_.endedAccesses(node)) {
    if (has(access.access, Access::InFlightWrite))
      write(node, storages_[access.storage]);
    else if (changes_[access.storage])
      read(node, storages_[access.storage]);
  }
}

void EdgeFinder::visitDomain(Node *node) {
  switch (facts_.domain(node)) {
  case Domain::Rng:
    return write(node, random_);
  case Domain::Host:
    return write(node, host_);
  case Domain::None:
  case Domain::Comm:
  case Domain::All:
    return;
  }
}

// A fence writes the stream of every group that may share two ranks with its own; any other collective reads the stream
// of its own group. So collectives may be reordered here, but none moves across a fence.
void EdgeFinder::visitGroup(Node *node) {
  uint32_t group = groups_.groupOf(node);
  if (group == CommGroups::none)
    return;
  if (!groups_.isFence(node))
    return read(node, streams_[group]);
  for (uint32_t other : groups_.sharing(group))
    write(node, streams_[other]);
}

/// Orders transfers and the waits on them. A rank that waits for a transfer issues nothing until the other end has
/// arrived, so every step that the transfer may need stays before the wait. If each rank received, waited and only then
/// sent, neighbours would deadlock.
void EdgeFinder::visitTransfer(Node *node) {
  bool completes = llvm::any_of(facts_.completes(node), [&](Node *launch) { return groups_.isFence(launch); });
  if (completes || (groups_.isFence(node) && !facts_.launches(node)))
    write(node, transfers_);
  else if (groups_.isFence(node))
    read(node, transfers_);
}

void EdgeFinder::visit(Node *node) {
  visitStorages(node);
  visitDomain(node);
  visitGroup(node);
  visitTransfer(node);
}

} // namespace

Dependences::Dependences(const ProgramFacts &facts, const CommGroups &groups) : stretch_(facts.graph().idLimit()) {
  uint32_t stretch = 0;
  for (const Node *node : facts.graph()) {
    stretch += facts.domain(node) == Domain::All;
    stretch_[node->id()] = stretch;
  }
  index(EdgeFinder(facts, groups).find());
}

/// Builds two arrays of neighbours, sorted by node: counts the edges of each node, sums the counts to the start of each
/// node's range, and then puts each edge into the next free slot of its node.
void Dependences::index(llvm::ArrayRef<std::pair<Node *, Node *>> edges) {
  beforeStart_.assign(stretch_.size() + 1, 0);
  afterStart_.assign(stretch_.size() + 1, 0);
  for (auto [from, to] : edges) {
    ++afterStart_[from->id() + 1];
    ++beforeStart_[to->id() + 1];
  }
  for (size_t i = 1; i < beforeStart_.size(); ++i) {
    beforeStart_[i] += beforeStart_[i - 1];
    afterStart_[i] += afterStart_[i - 1];
  }
  before_.resize(edges.size());
  after_.resize(edges.size());
  std::vector<uint32_t> nextBefore(beforeStart_), nextAfter(afterStart_);
  for (auto [from, to] : edges) {
    after_[nextAfter[from->id()]++] = to;
    before_[nextBefore[to->id()]++] = from;
  }
}

} // namespace ccgraph
