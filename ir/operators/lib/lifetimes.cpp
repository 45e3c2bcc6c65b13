#include "ccgraph/ir/lifetimes.h"

#include "ccgraph/ir/effects.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {

namespace {

bool isNamed(const Node &placeholder, llvm::StringRef prefix) {
  return placeholder.opcode() == Opcode::Placeholder && placeholder.target().str().startswith(prefix);
}

/// Returns true for operators that can launch; effects cost more than this test.
bool mayLaunch(const Node &node) {
  const OpDef *op = node.op();
  return op && (op->collective || op->role == OpRole::HostCopy || op->role == OpRole::ControlDeps);
}

/// Selects the holders that are stored: a caller that only counts bytes needs only the ends of each life.
enum class Holders : uint8_t { All, Ends };

/// Computes the lives in one traversal of the program.
class LifeReader {
public:
  LifeReader(const Graph &graph, const StorageMap &storages, const AsyncPairs &asyncPairs, Holders kept)
      : graph_(graph), storages_(storages), kept_(kept), completions_(asyncPairs.completions()),
        lives_(storages.numStorages()) {
    for (const AsyncPairs::Completion &completion : completions_)
      for (const Node *wait : completion.waits)
        completionsAt_[wait].push_back(&completion);
  }

  StorageLives run() {
    begin();
    for (Node *node : graph_)
      visit(node);
    for (const AsyncPairs::Completion &completion : completions_)
      if (isLong(completion))
        waitAtLast(completion);
    for (const AsyncPair &pair : asyncPairs_)
      finish(pair);
    for (auto [list, last] : longLists_)
      finishList(list, last);
    return {std::move(lives_), std::move(shared_)};
  }

private:
  static constexpr uint32_t none = ~0U;
  /// For n waits on n storages, a pass that moves the last wait examines n storages; a pass that moves all waits would
  /// do so n times. The same applies to the waits on n launches into one buffer. Above this limit only the last wait is
  /// a holder.
  static constexpr size_t mostHeldByEachWait = 512;
  /// This many holders are stored for each storage; more are shared.
  static constexpr size_t fewHeld = 8;
  /// One launch: the storages that it holds to its waits, and those that the collective accesses until the first wait.
  struct AsyncPair {
    llvm::SmallVector<StorageId, 4> held;
    llvm::SmallVector<StorageId, 4> inFlight;
    Node *lastWait = nullptr;
    /// index of the SharedHold of all waits but the first
    uint32_t shared = none;
    /// only the last of the waits holds it
    bool isLong = false;
  };
  static bool isLong(const AsyncPairs::Completion &completion) {
    return completion.launches.size() > mostHeldByEachWait;
  }

  void begin() {
    CallerOwned held(graph_);
    for (StorageId id = 0; id < lives_.size(); ++id) {
      const Node *owner = storages_.owner(id);
      StorageLife &life = lives_[id];
      life.bytes = storages_.numBytes(id).value_or(0);
      life.fromStart = owner->opcode() != Opcode::CallFunction;
      life.toEnd = life.fromStart && (owner->opcode() == Opcode::GetAttr || held(*owner));
      hold(id, graph_.byId(owner->id()));
    }
    for (StorageId id = 0; id < lives_.size(); ++id)
      joinPools(*storages_.owner(id), held);
  }

  /// Extends the life of a pool to the lives of its members: from the start if one of them is an input, to the end if
  /// one is caller-owned. Nodes that allocate members hold the pool, see visit().
  void joinPools(const Node &owner, const CallerOwned &held) {
    if (owner.opcode() == Opcode::CallFunction)
      return;
    for (StorageId id : storages_.storages(&owner)) {
      if (!storages_.isPool(id))
        continue;
      lives_[id].fromStart = true;
      lives_[id].toEnd |= owner.opcode() == Opcode::GetAttr || held(owner);
    }
  }

  /// Records a holder of pools. An order may put any node that allocates a member first, so each of these nodes holds
  /// the pool.
  void holdPools(Node *node) {
    for (StorageId id : storages_.storages(node))
      if (storages_.isPool(id))
        hold(id, node);
  }

  void hold(StorageId id, Node *node) {
    StorageLife &life = lives_[id];
    if (!life.isConstant() && (life.holders.empty() || life.holders.back() != node))
      note(life.holders, node, 2);
  }

  /// Nodes come in program order, so the node recorded last is the last of all.
  void note(llvm::SmallVectorImpl<Node *> &holders, Node *node, size_t ends) const {
    if (kept_ == Holders::Ends && holders.size() == ends)
      holders.back() = node;
    else
      holders.push_back(node);
  }

  /// Adds a node that holds all of these, as earlier nodes did.
  void share(uint32_t &number, llvm::ArrayRef<StorageId> held, Node *node) {
    if (number == none) {
      number = static_cast<uint32_t>(shared_.size());
      shared_.emplace_back().held.assign(held.begin(), held.end());
    }
    note(shared_[number].holders, node, 1);
  }

  void visit(Node *node) {
    if (takeFromList(node))
      return;
    if (node->opcode() == Opcode::CallFunction)
      holdPools(node);
    for (const Node *operand : node->dataOperands())
      for (StorageId id : storages_.storages(operand)) {
        hold(id, node);
        lives_[id].toEnd |= node->opcode() == Opcode::Output;
      }
    if (auto completions = completionsAt_.find(node); completions != completionsAt_.end())
      for (const AsyncPairs::Completion *completion : completions->second)
        wait(node, *completion);
    if (mayLaunch(*node))
      launch(node, effectsOf(*node));
  }

  /// Each getitem names all elements of its list, so getitems share them; for a long list only the last getitem holds
  /// them all. Returns false for a getitem of a short list, and for any other node.
  bool takeFromList(Node *node) {
    auto index = getItemIndex(*node);
    if (!index || storages_.storages(node->operand(0)).size() <= fewHeld)
      return false;
    const Node *list = node->operand(0);
    llvm::ArrayRef<StorageId> all = storages_.storages(list);
    if (all.size() > mostHeldByEachWait) {
      takeFromLongList(node, static_cast<unsigned>(*index));
      return true;
    }
    auto [known, isFirst] = sharedByGetItems_.try_emplace(list, none);
    if (!isFirst)
      share(known->second, all, node);
    for (StorageId id : isFirst ? all : llvm::ArrayRef<StorageId>())
      hold(id, node);
    return true;
  }

  void takeFromLongList(Node *node, unsigned index) {
    for (StorageId id : storages_.storages(node->operand(0), index))
      hold(id, node);
    auto [known, isNew] = takenFrom_.try_emplace(node->operand(0), longLists_.size());
    if (isNew)
      longLists_.push_back({node->operand(0), node});
    longLists_[known->second].second = node;
  }

  void finishList(const Node *list, Node *last) {
    for (StorageId id : storages_.storages(list))
      holdByLast(id, last);
  }

  /// Adds one of many holders, all others of which precede it.
  void holdByLast(StorageId id, Node *last) {
    StorageLife &life = lives_[id];
    life.lastWaitOnly = true;
    if (!life.isConstant() && life.holders.back()->isBefore(last))
      hold(id, last);
  }

  void wait(Node *node, const AsyncPairs::Completion &completion) {
    if (isLong(completion))
      return;
    for (const Node *launch : completion.launches)
      wait(node, asyncPairs_[pairOf_.lookup(launch)]);
  }

  void wait(Node *node, AsyncPair &pair) {
    const Node *before = std::exchange(pair.lastWait, node);
    if (before == node || pair.isLong)
      return;
    if (before && pair.held.size() > fewHeld)
      return share(pair.shared, pair.held, node);
    for (StorageId id : pair.held)
      hold(id, node);
  }

  void waitAtLast(const AsyncPairs::Completion &completion) {
    for (const Node *launch : completion.waits.empty() ? llvm::ArrayRef<Node *>() : completion.launches) {
      AsyncPair &pair = asyncPairs_[pairOf_.lookup(launch)];
      pair.isLong = true;
      if (!pair.lastWait || pair.lastWait->isBefore(completion.waits.back()))
        pair.lastWait = completion.waits.back();
    }
  }

  void finish(const AsyncPair &pair) {
    if (!pair.lastWait)
      for (StorageId id : pair.inFlight)
        lives_[id].toEnd = true;
    else if (pair.isLong)
      for (StorageId id : pair.held)
        holdByLast(id, pair.lastWait);
  }

  void launch(const Node *node, const Effects &effects) {
    if (!effects.launches)
      return;
    pairOf_[node] = asyncPairs_.size();
    AsyncPair &pair = asyncPairs_.emplace_back();
    llvm::append_range(pair.inFlight, storages_.storages(node));
    for (unsigned i = 0; i < node->numOperands(); ++i)
      for (StorageId id : storages_.storages(node->operand(i))) {
        if (hasAny(effects.operands[i], Access::InFlightRead | Access::InFlightWrite))
          pair.inFlight.push_back(id);
        if (effects.operands[i] != Access::Nothing)
          pair.held.push_back(id);
      }
    llvm::append_range(pair.held, storages_.storages(node));
    pair.isLong = pair.held.size() > mostHeldByEachWait;
  }

  const Graph &graph_;
  const StorageMap &storages_;
  Holders kept_;
  llvm::ArrayRef<AsyncPairs::Completion> completions_;
  llvm::DenseMap<const Node *, llvm::SmallVector<const AsyncPairs::Completion *, 1>>
      completionsAt_; ///< by wait; looked up only
  std::vector<StorageLife> lives_;
  std::vector<SharedHold> shared_;
  /// by list: index of the SharedHold of its getitems, `none` after the first of them; looked up only
  llvm::DenseMap<const Node *, uint32_t> sharedByGetItems_;
  std::vector<AsyncPair> asyncPairs_;
  llvm::DenseMap<const Node *, size_t> pairOf_; ///< by launch; looked up only
  /// lists of more than mostHeldByEachWait elements, and the last getitem of each, in program order
  std::vector<std::pair<const Node *, Node *>> longLists_;
  llvm::DenseMap<const Node *, size_t> takenFrom_;
};

} // namespace

CallerOwned::CallerOwned(const Graph &graph) {
  for (const Node *node = graph.front(); node && node->opcode() != Opcode::CallFunction; node = node->next())
    namesTell_ |= isNamed(*node, "primals") || isNamed(*node, "tangents");
}

bool CallerOwned::operator()(const Node &placeholder) const { return !namesTell_ || isNamed(placeholder, "primals"); }

StorageLives storageLives(const Graph &graph, const StorageMap &storages, const AsyncPairs &asyncPairs) {
  return LifeReader(graph, storages, asyncPairs, Holders::All).run();
}

namespace {

/// Calls `visit` with each node, in program order, and the live bytes there.
template <typename Visit>
void walkAliveBytes(const Graph &graph, const StorageMap &storages, Visit visit) {
  std::vector<int64_t> starts(graph.idLimit()), ends(graph.idLimit());
  int64_t alive = 0;
  StorageLives lives = LifeReader(graph, storages, AsyncPairs(graph, storages), Holders::Ends).run();
  for (const SharedHold &shared : lives.shared)
    for (StorageId id : shared.held)
      if (auto &holders = lives.storages[id].holders;
          !holders.empty() && holders.back()->isBefore(shared.holders.back()))
        holders.push_back(shared.holders.back());
  for (const StorageLife &life : lives.storages) {
    (life.fromStart ? alive : starts[life.holders.front()->id()]) += life.bytes;
    if (!life.toEnd)
      ends[life.holders.back()->id()] += life.bytes;
  }
  for (const Node *node : graph) {
    alive += starts[node->id()];
    visit(node, alive);
    alive -= ends[node->id()];
  }
}

} // namespace

MemoryPeak peakMemory(const Graph &graph) { return peakMemory(graph, StorageMap(graph)); }

MemoryPeak peakMemory(const Graph &graph, const StorageMap &storages) {
  MemoryPeak peak;
  walkAliveBytes(graph, storages, [&](const Node *node, int64_t alive) {
    if (!peak.at || alive > peak.bytes)
      peak = {alive, node};
  });
  return peak;
}

std::vector<int64_t> memoryCurve(const Graph &graph, const StorageMap &storages) {
  std::vector<int64_t> curve;
  curve.reserve(graph.size());
  walkAliveBytes(graph, storages, [&](const Node *, int64_t alive) { curve.push_back(alive); });
  return curve;
}

} // namespace ccgraph
