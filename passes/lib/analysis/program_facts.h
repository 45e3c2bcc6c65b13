// ProgramFacts: the facts about every node that the schedule passes need, computed once a pass.
//
// For each node: the storages that it accesses and how, whether it launches, waits or is a view, and its domain. For
// each wait: the launches that it completes (it is the first wait on one of their results). Moving nodes does not
// change these facts, as long as the waits of one storage keep their order.
//
// Ownership: refers into the graph by ids; shares the storage map, which it creates if none is given. Valid until a
// node is created, erased or given other operands.
// Cost: one effectsOf() a node to build, 12 bytes a node and 8 an access, besides the storage map; queries O(1).
// Failure: none.
#pragma once

#include "ccgraph/ir/async_pairs.h"
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/storage.h"

#include <memory>

namespace ccgraph {

/// One storage that a node may access through one of its operands.
struct StorageAccess {
  StorageId storage = 0;
  Access access = Access::Nothing;
};

class ProgramFacts {
public:
  explicit ProgramFacts(const Graph &graph, std::shared_ptr<const StorageMap> storages = nullptr);

  [[nodiscard]] const Graph &graph() const { return graph_; }
  [[nodiscard]] const StorageMap &storages() const { return *storages_; }
  [[nodiscard]] const AsyncPairs &asyncPairs() const { return asyncPairs_; }
  /// Returns the node's accesses to the storages of its operands; a storage may occur more than once.
  [[nodiscard]] llvm::ArrayRef<StorageAccess> accesses(const Node *node) const;
  /// Returns the domain that orders the node besides its data.
  [[nodiscard]] Domain domain(const Node *node) const { return table_[node->id()].domain; }
  /// Returns true for a node that starts an asynchronous collective.
  [[nodiscard]] bool launches(const Node *node) const { return table_[node->id()].launches; }
  /// Returns true for a node that completes what is in flight in the storages of its operands.
  [[nodiscard]] bool waits(const Node *node) const { return table_[node->id()].waits; }
  /// Returns true for a view or getitem: it shares storage, reads no element and has no effect.
  [[nodiscard]] bool views(const Node *node) const { return table_[node->id()].views; }
  /// Returns the launches of which this wait is the first wait on some result, in program order.
  [[nodiscard]] llvm::ArrayRef<Node *> completes(const Node *wait) const { return asyncPairs_.completes(wait); }
  /// Returns the inverse: the first waits on each result of a launch.
  [[nodiscard]] llvm::ArrayRef<Node *> waitsOf(const Node *launch) const { return asyncPairs_.waitsOf(launch); }
  /// Returns the operand accesses in flight that this wait ends: those of the launches that it completes. Input i of a
  /// launch on a list is in flight until the wait on result i, any other operand until the first wait on each result.
  [[nodiscard]] llvm::ArrayRef<StorageAccess> endedAccesses(const Node *wait) const;
  /// Returns the storages that this wait may write again, and that some other step writes: see
  /// CollectiveSpec::waitsRewriteAll.
  [[nodiscard]] llvm::ArrayRef<StorageId> rewrites(const Node *wait) const;
  /// Returns, by storage, whether some step writes it. A wait does not write what it completes, and writes a storage
  /// that it frees.
  [[nodiscard]] std::vector<bool> writtenStorages() const;
  /// Returns, by storage, whether some step (the output too) observes the place of a value in it. See Access::Place.
  [[nodiscard]] std::vector<bool> placedStorages() const;
  /// Returns, by storage, whether some step may reshape a tensor in it. If so, each step that names the storage reads
  /// the shape.
  [[nodiscard]] const std::vector<bool> &reshapedStorages() const { return reshaped_; }
  /// Returns true if some step, at any time, may reshape a tensor in the value's storage. Its type is then valid only
  /// at some positions.
  [[nodiscard]] bool isReshaped(const Node *value) const;

private:
  struct Entry {
    uint32_t firstAccess = 0;
    uint32_t numAccesses = 0;
    Domain domain = Domain::None;
    bool launches = false;
    bool waits = false;
    bool views = false;
  };
  void describe(const Node &node);
  void noteCompletion(const Node &launch);
  void noteRewrites();

  const Graph &graph_;
  std::shared_ptr<const StorageMap> storages_;
  /// by node id
  std::vector<Entry> table_;
  std::vector<StorageAccess> accesses_;
  std::vector<bool> reshaped_;
  AsyncPairs asyncPairs_;
  // Looked up, never iterated.
  llvm::DenseMap<const Node *, llvm::SmallVector<StorageAccess, 2>> completedStorages_;
  llvm::DenseMap<const Node *, llvm::SmallVector<StorageId, 4>> rewrites_;
};

/// Returns true for an access that reads or writes elements now or later: any access but sharing.
inline bool touches(Access access) {
  return hasAny(access, Access::Read | Access::Write | Access::InFlightRead | Access::InFlightWrite);
}
/// Returns true for an access that changes the tensor itself.
inline bool reshapes(Access access) { return has(access, Access::Reshape); }
/// Returns true for an access that changes elements now or later.
inline bool writes(Access access) { return hasAny(access, Access::Write | Access::InFlightWrite); }

} // namespace ccgraph
