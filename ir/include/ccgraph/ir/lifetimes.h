// Lifetimes: which nodes keep a storage alive, and the peak memory of a graph that follows.
//
// One set of rules, for the passes, their budget, the summary and the interpreter (the legality
// checker has them on its own):
//   any step      a storage lives from the step that allocates it to the last step that names a value
//                 which may share it, both included
//   collective    what it reads, writes and yields lives on to the last wait on any of its results
//                 (flights.h says which these are), also where the transfer copies its input: a backend may leave that copy out. Where
//                 there is no wait, what it reads, writes and yields in flight lives to the end
//   output        what is returned lives from the step that allocates it to the end
//   placeholder   all live from the first step, and to the end, because the caller holds them. But
//                 where AOTAutograd named them, the caller holds primals* alone (parameters and
//                 inputs of the forward); the others (tangents, saved activations, buffers made for
//                 the step) were given away, and go after their last reader
//   get_attr      lives from the first step to the end
// A pool (storage.h) lives from the first beginning among its members to the last end, with the bytes of all of them.
// Elements of a list result are storages with bytes of their own; who names the list, each getitem
// among them, keeps them all. A size that is not known counts 0, because every rank must come to the
// same number. The peak is the largest sum at any one step.
//
// Example, with a caller's x and values of 64 bytes each:
//   a = relu(x); c = all_reduce(a); b = relu(x); w = wait(c); r = add(w, b); return r
// a is alive up to w, and c, whose storage w is, up to r: at w there are x, a, c and b, 256 bytes,
// and at r there are x, c, b and r.
//
// It is a number to compare two orders of one program by, not what an allocator will report: no
// rounding, no fragmentation, no workspace of kernels.
//
// The n waits on a list of n results hold all n between them, and so do the n getitems that take it apart.
// Written down for each storage that would be n * n holders, so all but the first of them are told once
// for all storages (SharedHold).
//
// Ownership: refers to the nodes of the graph. Cost: O(nodes + edges); peakMemory makes a StorageMap
// too. Fails never.
#pragma once

#include "ccgraph/ir/flights.h"

namespace ccgraph {

/// Which placeholders the caller holds to the end.
class CallerHeld {
public:
  explicit CallerHeld(const Graph &graph);
  [[nodiscard]] bool operator()(const Node &placeholder) const;

private:
  bool namesTell_ = false;
};

/// One storage, as the rules above have it.
struct StorageLife {
  /// 0 where the size is not known
  int64_t bytes = 0;
  /// alive from the first step of the program, whatever its holders
  bool fromStart = false;
  /// alive to the last
  bool toEnd = false;
  /// A collective on a long list holds it, or one of many that fly in one buffer together, or it is an
  /// element of a long list; and of the waits (of the getitems) only the last is among the holders: if another one goes after it, the storage lives
  /// longer than they tell.
  bool lastWaitOnly = false;
  /// the node that allocates it first, then in program order all that keep it alive, some more than
  /// once, but for those that it shares; of no meaning where it is alive on every step
  llvm::SmallVector<Node *, 4> holders;

  [[nodiscard]] bool isConstant() const { return fromStart && toEnd; }
};

/// Each of these nodes keeps each of these storages alive.
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
/// `storages` and `flights` are those of this graph, and the order one in which definitions stand before uses.
[[nodiscard]] StorageLives storageLives(const Graph &graph, const StorageMap &storages, const Flights &flights);

/// Bytes on one rank, and where.
struct MemoryPeak {
  int64_t bytes = 0;
  /// the first step that needs so much; null for an empty graph
  const Node *at = nullptr;
};
/// Of the graph in its present order, without its subgraphs.
[[nodiscard]] MemoryPeak peakMemory(const Graph &graph);
[[nodiscard]] MemoryPeak peakMemory(const Graph &graph, const StorageMap &storages);
/// Bytes alive at each node, in program order; the largest is the peak.
[[nodiscard]] std::vector<int64_t> memoryCurve(const Graph &graph, const StorageMap &storages);

} // namespace ccgraph
