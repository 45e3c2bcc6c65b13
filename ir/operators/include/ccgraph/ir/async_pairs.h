// AsyncPairs: matches the waits of a graph with the launches that they complete.
//
// A launch puts the storages of its results in flight, and the buffers that it fills. A wait completes every launch in
// flight in the storages of its operand (Access::Complete), since PyTorch registers a launch under its storage, not
// under a name. Two launches may be in flight in one storage (in two slices of one buffer): the first wait completes
// both. A wrapper (control_deps) launches and waits like the calls in it, as far as these are not matched inside it; it
// does not wait on its predecessors.
//
// Example:  b = launch_out(x, out = s0); c = launch_out(y, out = s1); v = wait(c); w = wait(b) with s0 and s1 slices of
// one buffer: v completes both launches, w none. They are one `Completion`, of the launches b and c and the waits v and
// w.
//
// Ownership: refers to the graph; valid as StorageMap is, as long as the waits of one storage keep their order.
// Failure: none; unknown storages count as shared. Cost: O(nodes + edges of launches and waits) to build; a query is a
// look-up.
#pragma once

#include "ccgraph/ir/storage.h"

#include "llvm/ADT/DenseSet.h"

namespace ccgraph {

class AsyncPairs {
public:
  AsyncPairs(const Graph &graph, const StorageMap &storages);

  /// Launches that are in flight in one storage together, and the waits on it in program order. The first wait
  /// completes them; later waits, up to the next launch in that storage, have no effect.
  struct Completion {
    llvm::SmallVector<Node *, 1> launches;
    llvm::SmallVector<Node *, 1> waits;
  };
  /// Returns one for each storage that a launch puts in flight, and for each time that it does so again.
  [[nodiscard]] llvm::ArrayRef<Completion> completions() const { return completions_; }
  /// Returns the launches of which this wait is the first wait on some result, in program order.
  [[nodiscard]] llvm::ArrayRef<Node *> completes(const Node *wait) const;
  /// Returns the inverse: the first waits on each result of a launch.
  [[nodiscard]] llvm::ArrayRef<Node *> waitsOf(const Node *launch) const;
  /// Returns true if some result of the launch is never waited for.
  [[nodiscard]] bool staysOpen(const Node *launch) const { return open_.contains(launch); }
  /// Returns true if the wait is on some storage without a launch here: its launch, if any, is outside this graph.
  [[nodiscard]] bool waitsForOthers(const Node *wait) const { return others_.contains(wait); }

private:
  void launch(Node *node, const Effects &effects, const StorageMap &storages);
  void wait(Node *node, const Effects &effects, const StorageMap &storages);
  void launch(Node *launch, StorageId storage);
  void complete(Node *wait, StorageId storage);
  using Matches = llvm::DenseMap<const Node *, llvm::SmallVector<Node *, 1>>;
  void link(Node *launch, Node *wait);

  static constexpr uint32_t none = ~0U;
  std::vector<Completion> completions_;
  /// by storage: its completion at the current node
  std::vector<uint32_t> current_;
  // Looked up, never iterated.
  Matches completes_;
  Matches waitsOf_;
  llvm::DenseSet<const Node *> open_;
  llvm::DenseSet<const Node *> others_;
};

} // namespace ccgraph
