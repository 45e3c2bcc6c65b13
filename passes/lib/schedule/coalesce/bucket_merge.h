// BucketMerger: may this bucket (often of one) join that one, and if so, brings them together.
//
// Two collectives can be one if neither needs the other: no path leads from a member to the
// newcomer through data, storages, domains, ordering edges, or a bucket made before (whose members
// count as one node, so that no cycle can close through it). Both ends are searched at once, the
// newcomer's ancestors and the bucket's descendants within the stretch of program between them; the
// end that is exhausted first proves independence, and what it found is exactly what has to move:
// the ancestors up before the bucket, or the descendants down behind the newcomer. After D. Pearce,
// P. Kelly, "A Dynamic Topological Sort Algorithm for Directed Acyclic Graphs" (JEA 11, 2006), with
// an edge contracted instead of inserted.
//
// Ownership: refers into graph and analyses.
// Failure: a verdict; the graph is then as it was.
// Cost of join(): the smaller of the two sets, twice, and O(log n) for each node moved.
#pragma once

#include "analysis/dependences.h"
#include "schedule/coalesce/bucket.h"

namespace ccgraph {

/// What became of a join(). All but Joined leave graph and timeline as they were.
enum class MergeVerdict : uint8_t {
  Joined,
  /// one needs the other
  Dependent,
  /// too many nodes would have to move
  Entangled,
  /// the program would need more memory than the budget
  OverBudget,
};

class BucketMerger {
public:
  struct Inputs {
    Graph &graph;
    const ProgramFacts &facts;
    const Dependences &dependences;
    BucketLayout layout;
    /// most nodes that may move, besides the collectives themselves, to let one join; empty: any
    /// number
    std::optional<int64_t> maxMoves;
  };
  /// `memory` null: there is no budget. Graph, analyses and timeline must outlive the merger, and agree: it
  /// moves nodes in graph and timeline together.
  BucketMerger(const Inputs &inputs, Timeline *memory, int64_t budget);

  /// Puts the newcomer's launches behind the last member's, and leaves the newcomer without
  /// members. Both must be open, and the whole newcomer must stand behind the whole bucket in the
  /// program.
  [[nodiscard]] MergeVerdict join(Bucket &bucket, Bucket &newcomer);
  /// Tells that a bucket of one was opened. Buckets must not move in memory afterwards.
  void open(Bucket &bucket);

private:
  /// Which end moves: the newcomer with its ancestors up, or the bucket with its descendants down.
  enum class Side : uint8_t { Up, Down };
  /// Nodes reached from one end, in order of discovery.
  struct Frontier {
    std::vector<Node *> reached;
    size_t next = 0;
    [[nodiscard]] bool exhausted() const { return next == reached.size(); }
  };
  /// A move, to be taken back: what stood behind the node before.
  struct Step {
    Node *node;
    Node *next;
  };

  void own(Bucket &bucket, const Candidate &member);
  // The search from both ends.
  void startSearch();
  [[nodiscard]] bool expand(Side side);
  [[nodiscard]] bool visit(Side side, Node *node);
  void reach(Side side, Node *node);
  [[nodiscard]] MergeVerdict searchBoth(Side &side);
  [[nodiscard]] size_t limit(Side side) const;
  [[nodiscard]] bool exhaust(Side side);
  // Would it fit; bringing the two together; what the merged launch will hold; taking all of it back.
  [[nodiscard]] MergeVerdict tryPlace(Side side);
  [[nodiscard]] bool mayFit(Side side) const;
  [[nodiscard]] bool movedMayFit(Side side) const;
  struct Shift;
  [[nodiscard]] Shift shifted(Timeline::IntervalId id, Side side) const;
  [[nodiscard]] std::vector<Shift> shifts(Side side) const;
  [[nodiscard]] int64_t aliveAfter(const Node *row, llvm::ArrayRef<Shift> shifts) const;
  void rearrange(Side side);
  void move(Node *node, Node *before);
  void undoMoves();
  [[nodiscard]] bool hold();
  void addHolder(Timeline::IntervalId interval, Node *node);
  void holdInFlight();
  void holdAll(const Candidate &member, Node *wait);
  void holdForMovedWaits();
  void addExtras();
  void addBuffers(Node *launch);
  void putResultsAside(const Bucket &part);
  void addResults(Node *launch);
  void addExtra(int64_t bytes, llvm::ArrayRef<Node *> holders, bool forGood = false);
  [[nodiscard]] int64_t bytesFreedAtLaunch(const Candidate &member) const;
  void dropHolds();
  void accept();

  Inputs in_;
  Timeline *memory_;
  int64_t budget_;
  /// by id of a launch
  std::vector<Bucket *> bucketOf_;
  /// by id of a wait
  std::vector<Bucket *> waitOf_;
  /// by node id: search in which it was reached, for each side
  std::vector<uint32_t> stamp_[2];
  uint32_t search_ = 0;
  Frontier frontier_[2];
  /// of the search at hand
  Bucket *bucket_ = nullptr;
  Bucket *newcomer_ = nullptr;
  std::vector<Step> moves_;
  std::vector<std::pair<Timeline::IntervalId, Node *>> holders_;
  /// buckets that a rearrangement gave another last wait
  std::vector<std::pair<Bucket *, Node *>> later_;
  std::vector<Timeline::IntervalId> extras_;
  std::vector<Timeline::IntervalId> oldExtras_;
  /// of all members, where they are to come out of one buffer
  std::vector<Bucket::Result> results_;
  /// those of them that this join put aside
  std::vector<Timeline::IntervalId> suspended_;
};

} // namespace ccgraph
