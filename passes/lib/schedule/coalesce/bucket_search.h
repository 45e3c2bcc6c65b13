// BucketSearch: does this bucket need that one, and if not, what has to move to bring them together?
//
// Two collectives can be one if neither needs the other: no path leads from a member to the newcomer
// through data, storages, domains, ordering edges, or a bucket made before (whose members count as one
// node, so that no cycle can close through it). Both ends are searched at once, in turns: the newcomer's
// ancestors upwards and the bucket's descendants downwards, each within the stretch of program between
// the two. If one search meets the other end, there is a path. The search that has nothing left to look
// at first proves that there is none, and what it found is exactly what has to move. For example, to
// bring c2 to c1:
//
//   1: c1 = all_reduce(a)     up from c2 finds m, whose inputs stand above c1: nothing left, so there is
//   2: w1 = wait(c1)          no path; m rises before c1, and c2 comes to stand after it
//   3: n = neg(w1)            down from c1 would find w1, n, ...: all that uses c1 would have to sink
//   4: m = mul(b, 2)          after c2
//   5: c2 = all_reduce(m)     had m read n, up would have found n, w1, and met c1
//
// Turns cost no more than twice the smaller of the two sets, however large the other is. After D. Pearce,
// P. Kelly, "A Dynamic Topological Sort Algorithm for Directed Acyclic Graphs" (JEA 11, 2006), with an
// edge contracted instead of inserted.
//
// Ownership: refers into graph and analyses; buckets must not move in memory. Failure: a verdict.
// Cost of find(): twice the smaller of the two sets.
#pragma once

#include "analysis/dependences.h"
#include "analysis/what_if.h"
#include "schedule/coalesce/bucket.h"

namespace ccgraph {

/// What became of an attempt to join two buckets. All but Joined leave graph and live bytes as they were.
enum class MergeVerdict : uint8_t {
  Joined,
  /// one needs the other
  Dependent,
  /// too many nodes would have to move
  Entangled,
  /// the program would need more memory than the budget
  OverBudget,
};

class BucketSearch {
public:
  /// `maxMoves`: most nodes that may move, besides the collectives themselves; empty: any number.
  BucketSearch(const Graph &graph, const Dependences &dependences, std::optional<int64_t> maxMoves)
      : dependences_(dependences), maxMoves_(maxMoves),
        bucketOf_(graph.idLimit()), stamp_{std::vector<uint32_t>(graph.idLimit()),
                                           std::vector<uint32_t>(graph.idLimit())} {}

  /// From now on the member counts as a part of this bucket.
  void own(Bucket &bucket, const Candidate &member) { bucketOf_[member.launch->id()] = &bucket; }
  /// The bucket of a launch; null for any other node.
  [[nodiscard]] Bucket *bucketOf(const Node *node) const { return bucketOf_[node->id()]; }

  /// Joined: neither needs the other, and `side` is what needs the fewer moves: the newcomer goes up with its ancestors,
  /// or the bucket down with its descendants. The whole newcomer must stand after the whole bucket.
  [[nodiscard]] MergeVerdict find(const Bucket &bucket, const Bucket &newcomer, Side &side);
  /// Goes on with one side of the last find() until nothing is left. False if too many nodes would have to move.
  [[nodiscard]] bool exhaust(Side side);
  /// What one side found, the launches of its end included, in order of discovery.
  [[nodiscard]] llvm::ArrayRef<Node *> reached(Side side) const { return frontier_[index(side)].reached; }

private:
  /// Nodes reached from one end.
  struct Frontier {
    std::vector<Node *> reached;
    size_t next = 0;
    [[nodiscard]] bool exhausted() const { return next == reached.size(); }
  };
  static size_t index(Side side) { return static_cast<size_t>(side); }
  void start();
  [[nodiscard]] MergeVerdict searchBoth(Side &side);
  [[nodiscard]] bool expand(Side side);
  [[nodiscard]] bool visit(Side side, Node *node);
  void reach(Side side, Node *node);
  [[nodiscard]] size_t limit(Side side) const;

  const Dependences &dependences_;
  std::optional<int64_t> maxMoves_;
  /// by node id
  std::vector<Bucket *> bucketOf_;
  /// by node id: search in which it was reached, for each side
  std::vector<uint32_t> stamp_[2];
  uint32_t search_ = 0;
  Frontier frontier_[2];
  /// of the search at hand
  const Bucket *bucket_ = nullptr;
  const Bucket *newcomer_ = nullptr;
};

} // namespace ccgraph
