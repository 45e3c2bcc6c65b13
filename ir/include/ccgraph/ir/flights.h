// Flights: which wait ends which launch of a program.
//
// A launch puts the storages of its results in flight, and the buffers that it fills; a wait lands
// whatever flies in the storages of what it waits on (Access::Land), since PyTorch registers a launch
// under its storage, not under a name. Two launches may fly in one storage (into two slices of one
// buffer): the first wait lands both. A wrapper (control_deps) launches and waits as the calls in it do,
// as far as these are not matched inside of it; its predecessors it does not wait on.
//
// Example:  b = launch_out(x, out = s0); c = launch_out(y, out = s1); v = wait(c); w = wait(b)
// with s0 and s1 slices of one buffer: v completes both launches, w none. They are one landing, of the
// launches b and c and the waits v and w.
//
// Ownership: refers to the graph; valid as StorageMap is, as long as the waits of one storage keep
// their order. Failure: none; what is not known is taken to share. Cost: O(nodes + edges of launches
// and waits) to build; a query is a look-up.
#pragma once

#include "ccgraph/ir/storage.h"

#include "llvm/ADT/DenseSet.h"

namespace ccgraph {

class Flights {
public:
  Flights(const Graph &graph, const StorageMap &storages);

  /// Launches that fly in one storage together, and the waits on it in program order. The first wait lands them; the others
  /// come until something is launched there again, and find nothing to do.
  struct Landing {
    llvm::SmallVector<Node *, 1> launches;
    llvm::SmallVector<Node *, 1> waits;
  };
  /// One for each storage that a launch puts in flight, and each time that it does so anew.
  [[nodiscard]] llvm::ArrayRef<Landing> landings() const { return landings_; }
  /// Launches of which this wait is the first wait on some result, in program order.
  [[nodiscard]] llvm::ArrayRef<Node *> completes(const Node *wait) const;
  /// The inverse: the first waits on each result of a launch.
  [[nodiscard]] llvm::ArrayRef<Node *> waitsOf(const Node *launch) const;
  /// Some result of the launch is never waited for.
  [[nodiscard]] bool staysOpen(const Node *launch) const { return open_.contains(launch); }
  /// The wait is on some storage that nobody launched here: its launch, if any, is outside of this graph.
  [[nodiscard]] bool waitsForOthers(const Node *wait) const { return others_.contains(wait); }

private:
  void launch(Node *node, const Effects &effects, const StorageMap &storages);
  void wait(Node *node, const Effects &effects, const StorageMap &storages);
  void fly(Node *launch, StorageId storage);
  void land(Node *wait, StorageId storage);
  using Matches = llvm::DenseMap<const Node *, llvm::SmallVector<Node *, 1>>;
  void link(Node *launch, Node *wait);

  static constexpr uint32_t none = ~0U;
  std::vector<Landing> landings_;
  /// by storage: its landing at the node at hand
  std::vector<uint32_t> current_;
  // Looked up, never iterated.
  Matches completes_;
  Matches waitsOf_;
  llvm::DenseSet<const Node *> open_;
  llvm::DenseSet<const Node *> others_;
};

} // namespace ccgraph
