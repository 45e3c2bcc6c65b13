// ProgramFacts: what the schedule passes ask of every node, worked out once a pass.
//
// For each node: which storages it touches and how, whether it launches, waits or only views, its
// domain; for each wait, the launches that it completes (it is the first wait on one of their
// results). Moving nodes does not change any of this, as long as the waits of one storage keep
// their order.
//
// Ownership: refers into the graph; ids, not copies; shares the storage map, which it makes where none is given. Valid until a node is made, erased or given
// other operands.
// Cost: one effectsOf() a node to build, 12 bytes a node and 8 an access, besides the storage map; queries O(1).
// Fails never.
#pragma once

#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/flights.h"
#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/storage.h"

#include <memory>

namespace ccgraph {

/// One storage that a node may touch through one of its operands.
struct StorageAccess {
  StorageId storage = 0;
  Access access = Access::Nothing;
};

class ProgramFacts {
public:
  explicit ProgramFacts(const Graph &graph, std::shared_ptr<const StorageMap> storages = nullptr);

  [[nodiscard]] const Graph &graph() const { return graph_; }
  [[nodiscard]] const StorageMap &storages() const { return *storages_; }
  [[nodiscard]] const Flights &flights() const { return flights_; }
  /// What the node does to the storages of its operands; a storage may occur more than once.
  [[nodiscard]] llvm::ArrayRef<StorageAccess> accesses(const Node *node) const;
  /// What besides data orders the node.
  [[nodiscard]] Domain domain(const Node *node) const { return table_[node->id()].domain; }
  /// Starts an asynchronous collective.
  [[nodiscard]] bool launches(const Node *node) const { return table_[node->id()].launches; }
  /// Completes what is in flight in the storages of its operands.
  [[nodiscard]] bool waits(const Node *node) const { return table_[node->id()].waits; }
  /// A view or getitem: shares storage, reads no element, has no effect.
  [[nodiscard]] bool views(const Node *node) const { return table_[node->id()].views; }
  /// Launches of which this wait is the first wait on some result, in program order.
  [[nodiscard]] llvm::ArrayRef<Node *> completes(const Node *wait) const { return flights_.completes(wait); }
  /// The inverse: the first waits on each result of a launch.
  [[nodiscard]] llvm::ArrayRef<Node *> waitsOf(const Node *launch) const { return flights_.waitsOf(launch); }
  /// What is in flight besides results, and what this wait ends: accesses of the launches that it completes. Input i of a
  /// launch on a list is in flight until the wait on result i, any other operand until the first wait on each result.
  [[nodiscard]] llvm::ArrayRef<StorageAccess> lands(const Node *wait) const;
  /// Storages that this wait may write again, and that some other step writes: see CollectiveSpec::waitsRewriteAll.
  [[nodiscard]] llvm::ArrayRef<StorageId> rewrites(const Node *wait) const;
  /// By storage: does some step, other than a wait, write it?
  [[nodiscard]] std::vector<bool> writtenStorages() const;
  /// By storage: does some step (the output too) see where in it a value lies? See Access::Place.
  [[nodiscard]] std::vector<bool> placedStorages() const;
  /// By storage: may some step reshape a tensor in it? Then each step that names the storage reads what that writes.
  [[nodiscard]] const std::vector<bool> &reshapedStorages() const { return reshaped_; }
  /// Of a value, at any time: may some step reshape a tensor in its storage? Then its type holds at one place and not at another.
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
  void noteLanding(const Node &launch);
  void noteRewrites();

  const Graph &graph_;
  std::shared_ptr<const StorageMap> storages_;
  /// by node id
  std::vector<Entry> table_;
  std::vector<StorageAccess> accesses_;
  std::vector<bool> reshaped_;
  Flights flights_;
  // Looked up, never iterated.
  llvm::DenseMap<const Node *, llvm::SmallVector<StorageAccess, 2>> lands_;
  llvm::DenseMap<const Node *, llvm::SmallVector<StorageId, 4>> rewrites_;
};

/// True for an access that touches elements now or later: anything but sharing.
inline bool touches(Access access) {
  return hasAny(access, Access::Read | Access::Write | Access::InFlightRead | Access::InFlightWrite);
}
/// True for an access that changes the tensor itself.
inline bool reshapes(Access access) { return has(access, Access::Reshape); }
/// True for an access that changes elements now or later.
inline bool writes(Access access) { return hasAny(access, Access::Write | Access::InFlightWrite); }

} // namespace ccgraph
