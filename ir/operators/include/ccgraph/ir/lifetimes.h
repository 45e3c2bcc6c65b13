// Lifetimes: defines which nodes keep a storage alive, and the resulting peak memory of a graph.
//
// This is one set of rules for the passes, their budget, the summary and the interpreter (the legality checker has its
// own code for them):
//   any step     a storage lives from the step that allocates it to the last step that names a value which may share
//                it, both included
//   collective   tensors that it reads, writes and returns live until the last wait on any of its results
//                (async_pairs.h). This includes an input that is copied at launch: a backend may omit that copy.
//                Without a wait, tensors that it reads, writes and returns in flight live to the end
//   offload      a value in the host's memory takes no bytes; the wait that frees a storage is the last step that
//                names it
//   output       a returned value lives from the step that allocates it to the end
//   placeholder  all placeholders live from the first step, and to the end, because the caller owns them. But if
//                AOTAutograd named them, only primals* (parameters and inputs of the forward) are caller-owned; the
//                others (tangents, saved activations, buffers of the step) were given away, and die after their last
//                reader
//   get_attr     lives from the first step to the end
// A pool (storage.h) lives from the earliest start of its members to the latest end, with the bytes of all of them.
// Elements of a list result are storages with bytes of their own; a node that names the list, such as a getitem, keeps
// all of them alive. An unknown size counts as 0, because every rank must compute the same number. The peak is the
// largest sum at any one step.
//
// Example, with a caller-owned x and values of 64 bytes each:
//   a = relu(x); c = all_reduce(a); b = relu(x); w = wait(c); r = add(w, b); return r
// a is live up to w, and c, whose storage w is, up to r. At w the live values are x, a, c and b, 256 bytes, and at r
// they are x, c, b and r.
//
// The peak serves to compare two orders of one program; it is not what an allocator will report: it excludes rounding,
// fragmentation and workspace of kernels.
//
// The n waits on a list of n results each hold all n storages, and so do the n getitems of its elements. Stored for
// each storage, this would be n * n holders, so all but the first of them are stored once for all storages
// (SharedHold).
//
// Ownership: refers to the nodes of the graph. Failure: none. Cost: O(nodes + edges); peakMemory builds a StorageMap
// too.
#pragma once

#include "ccgraph/ir/async_pairs.h"

namespace ccgraph {

/// Decides which placeholders are caller-owned, and so live to the end.
class CallerOwned {
public:
  explicit CallerOwned(const Graph &graph);
  [[nodiscard]] bool operator()(const Node &placeholder) const;

private:
  bool namesTell_ = false;
};

/// The life of one storage, by the rules above.
struct StorageLife {
  /// 0 if the size is unknown
  int64_t bytes = 0;
  /// live from the first step of the program, whatever its holders
  bool fromStart = false;
  /// live to the last step
  bool toEnd = false;
  /// Among the waits (or getitems) only the last is a holder: a collective on a long list accesses the storage, or many
  /// are in flight in one buffer, or it is an element of a long list. If another wait or getitem moves after the last
  /// one, the storage lives longer than the holders show.
  bool lastWaitOnly = false;
  /// the node that allocates it first, then in program order all nodes that keep it alive, some more than once, except
  /// those in SharedHold; meaningless if it is live on every step
  llvm::SmallVector<Node *, 4> holders;

  [[nodiscard]] bool isConstant() const { return fromStart && toEnd; }
};

/// Each of these holders keeps each of these storages alive.
struct SharedHold {
  llvm::SmallVector<StorageId, 4> held;
  /// in program order
  llvm::SmallVector<Node *, 4> holders;
};

struct StorageLives {
  /// by storage id
  std::vector<StorageLife> storages;
  std::vector<SharedHold> shared;
};
/// `storages` and `asyncPairs` must be those of this graph, and definitions must precede their uses.
[[nodiscard]] StorageLives storageLives(const Graph &graph, const StorageMap &storages, const AsyncPairs &asyncPairs);

/// The peak in bytes on one rank, and its position.
struct MemoryPeak {
  int64_t bytes = 0;
  /// the first step with this many live bytes; null for an empty graph
  const Node *at = nullptr;
};
/// Returns the peak of the graph in its present order, without its subgraphs.
[[nodiscard]] MemoryPeak peakMemory(const Graph &graph);
[[nodiscard]] MemoryPeak peakMemory(const Graph &graph, const StorageMap &storages);
/// Returns the live bytes at each node, in program order; the largest is the peak.
[[nodiscard]] std::vector<int64_t> memoryCurve(const Graph &graph, const StorageMap &storages);

} // namespace ccgraph
