// LiveBytes: the number of live bytes at each step of a program order, updated while steps move.
//
// An *interval* is a number of bytes that some nodes hold: it is live from the first of its holders to the last, both
// included. LiveBytes returns the live bytes at a node, the largest sum of all nodes, and the next node that exceeds a
// limit. Storages give the memory of a program; pairs of launch and wait give the bytes in flight.
//
// Example: x = relu(a), y = relu(x), z = relu(y), each of 4 bytes.
//
//   row              a   x   y   z   output
//   interval of a    4   4
//   interval of x        4   4
//   interval of y            4   4
//   interval of z                4   4
//   live             4   8   8   8   4        peak 8; the first row above 6 is x
//
// In an array of sums, one interval would change every row that it spans, and the peak would require a scan of all
// rows. So the rows are the nodes of a binary tree in program order. Each subtree has two numbers: the maximum of its
// rows, and a pending addition for all of its rows. To add 4 to all rows up to z, one path from z to the root is
// enough. The rows to the left are whole subtrees, and each of them is updated once. To add an interval, its bytes are
// added up to its last holder and subtracted up to the row before its first one. The live bytes of a row are its own
// number plus the pending additions of all subtrees that contain it. The peak is the maximum at the root. The search
// for the first row above a limit descends only where the maximum is above the limit.
//
// The tree is a treap: each row has a priority, and rows of higher priority are nearer to the root. This keeps the tree
// shallow without rebalancing, as if the rows had been inserted in random order. After R. Seidel, C. Aragon,
// "Randomized Search Trees" (Algorithmica 16, 1996); priorities are a hash of the node id, so a run is deterministic.
// An order that is fixed needs no such tree: see MemoryCurve (schedule/overlap/memory_curve.h).
//
// Several nodes may hold the same several intervals (the waits on a list, and the tensors of its collective). A *share*
// stores this once. It has its own first and last holder, and its intervals are updated only when one of these moves.
//
// Ownership: refers to nodes of one graph.
// Cost: O(n) to build; a move O((k + 1) log n) for k intervals that end at the node, plus their holders if the last
// holder of one moves up, plus the holders of the shares that contain the node; queries O(log n).
// Failure: none.
#pragma once

#include "ccgraph/ir/graph.h"

#include <vector>

namespace ccgraph {

/// Returns true if `a` precedes `b`: an order for sorting.
inline bool precedes(const Node *a, const Node *b) { return a->isBefore(b); }

class LiveBytes {
public:
  explicit LiveBytes(Graph &graph);
  /// Builds the tree over the intervals added so far. It must be called before any query or move; intervals added later
  /// cost more.
  void settle();

  using IntervalId = uint32_t;
  /// Reserves space for this many intervals.
  void reserve(size_t intervals) { intervals_.reserve(intervals); }
  /// Ends that do not depend on the holders: live from the first row on, and to the last row.
  struct Reach {
    bool fromStart = false;
    bool forGood = false;
  };
  /// Adds an interval. Holders in any order, at least one. Ids count up from 0; a removed id is used again.
  IntervalId addInterval(int64_t bytes, llvm::ArrayRef<Node *> holders) { return addInterval(bytes, holders, {}); }
  IntervalId addInterval(int64_t bytes, llvm::ArrayRef<Node *> holders, Reach reach);
  /// Adds bytes that are live on every row. Equivalent to an interval with both ends open, but cheaper.
  void addConstant(int64_t bytes) { base_ += bytes; }
  /// Adds one holder to the interval, which may extend it.
  void addHolder(IntervalId interval, Node *holder);
  /// Removes the interval as if it had never been added; it must be in no share.
  void removeInterval(IntervalId interval);

  using ShareId = uint32_t;
  /// Adds a set of nodes that each hold the same intervals; both sets are empty at first.
  [[nodiscard]] ShareId addShare();
  /// The sizes of a share, for shrink().
  struct Extent {
    size_t intervals = 0;
    size_t holders = 0;
  };
  [[nodiscard]] Extent extent(ShareId share) const {
    return {shares_[share].intervals.size(), shares_[share].holders.size()};
  }
  /// Adds intervals and holders. O(intervals of the share), and O(log n) for each different end that they had.
  void extend(ShareId share, llvm::ArrayRef<IntervalId> intervals, llvm::ArrayRef<Node *> holders);
  /// Restores the share to an earlier extent. Since then only this share may have been extended, and no interval added
  /// to another.
  void shrink(ShareId share, Extent extent);
  /// Set the bytes of an interval to 0, and back to their earlier value.
  void suspend(IntervalId interval);
  void resume(IntervalId interval);

  /// Returns the largest sum of all rows; 0 without rows.
  [[nodiscard]] int64_t peak() const;
  /// Returns the sum at one row, its own intervals included.
  [[nodiscard]] int64_t alive(const Node *node) const;
  /// Returns the bytes live between this node and the previous one: those that a step inserted there would find.
  [[nodiscard]] int64_t aliveBefore(const Node *node) const { return alive(node) - starts_[node->id()]; }
  /// Returns the first row of [from, to) with more than `limit` live bytes; null if there is none. `to` null: the end.
  [[nodiscard]] Node *firstAbove(Node *from, const Node *to, int64_t limit) const;
  /// Held by the node, alone or in a share; ascending.
  [[nodiscard]] llvm::SmallVector<IntervalId, 8> intervalsOf(const Node *node) const;
  /// Calls `visit` with each holder. A node that also holds the interval in a share is visited more than once.
  void forEachHolder(IntervalId interval, llvm::function_ref<void(Node *)> visit) const;
  [[nodiscard]] int64_t bytes(IntervalId interval) const { return intervals_[interval].bytes; }
  /// Returns the same for an interval that may be suspended.
  [[nodiscard]] int64_t weight(IntervalId interval) const {
    return intervals_[interval].bytes + intervals_[interval].suspended;
  }
  /// Returns the first holder, even if the interval is live from the first row on.
  [[nodiscard]] Node *first(IntervalId interval) const { return intervals_[interval].first; }
  /// Returns the last holder; meaningless if the interval lives to the end.
  [[nodiscard]] Node *last(IntervalId interval) const { return intervals_[interval].last; }
  [[nodiscard]] bool isForGood(IntervalId interval) const { return intervals_[interval].reach.forGood; }

  /// Moves the node in the graph and in this object. If several LiveBytes refer to one graph: lift() in each, move in
  /// the graph, drop() in each.
  void move(Node *node, Node *before);
  void lift(Node *node);
  void drop(Node *node);

private:
  static constexpr uint32_t none = ~0U;
  struct Row {
    uint32_t parent = none;
    uint32_t child[2] = {none, none};
    /// live here, without the additions pending on the path from the root
    int64_t own = 0;
    /// pending for the whole subtree, this row included
    int64_t add = 0;
    /// maximum of the subtree, without the additions pending above it
    int64_t max = 0;
  };
  struct Interval {
    int64_t bytes = 0;
    int64_t suspended = 0;
    Node *first = nullptr;
    Node *last = nullptr;
    Reach reach;
    /// index of the last link to a share
    uint32_t link = none;
    /// holders outside shares
    llvm::SmallVector<Node *, 2> holders;
  };
  struct Share {
    std::vector<IntervalId> intervals;
    std::vector<Node *> holders;
    /// in program order; null without holders
    Node *first = nullptr;
    Node *last = nullptr;
  };
  /// An interval is in this share, and in those of the links before.
  struct Link {
    ShareId share;
    uint32_t before;
  };
  struct Ends {
    Node *first;
    Node *last;
  };
  class EndShifts;

  void attach(uint32_t parent, unsigned side, uint32_t row);
  void update(uint32_t row);
  void updateUp(uint32_t row);
  void push(uint32_t row);
  uint32_t merge(uint32_t left, uint32_t right);
  void extract(uint32_t row);
  void insert(uint32_t row, int64_t alive, const Node *next);
  void rotateUp(uint32_t row);
  void addUpTo(const Node *node, int64_t bytes);
  void contribute(const Interval &interval, int sign);
  [[nodiscard]] Ends endsOf(const Interval &interval) const;
  void setEnds(Interval &interval, Ends ends, EndShifts &shifts);
  void widen(Interval &interval, Ends ends, EndShifts &shifts);
  void findEnds(Share &share) const;
  [[nodiscard]] llvm::ArrayRef<ShareId> sharesOf(const Node *node) const;
  void forget(IntervalId interval, Node *holder);
  [[nodiscard]] int64_t pendingAbove(uint32_t row) const;
  [[nodiscard]] uint32_t search(uint32_t row, int64_t limit) const;
  [[nodiscard]] uint32_t searchSubtree(uint32_t row, int64_t limit) const;
  [[nodiscard]] int64_t aliveBetween(const Node *before, const Node *after) const;

  Graph &graph_;
  uint32_t root_ = none;
  int64_t base_ = 0;
  /// by node id
  std::vector<Row> rows_;
  /// by node id: bytes of intervals whose first holder this is
  std::vector<int64_t> starts_;
  /// the same for the last holder; only until settle()
  std::vector<int64_t> ends_;
  /// bytes of intervals from the first row on; only until settle()
  int64_t fromStart_ = 0;
  bool settled_ = false;
  std::vector<Interval> intervals_;
  /// ids that were removed
  std::vector<IntervalId> free_;
  std::vector<Share> shares_;
  std::vector<Link> links_;
  /// looked up only
  llvm::DenseMap<const Node *, llvm::SmallVector<ShareId, 1>> sharesOf_;
  /// by node id: intervals held outside shares
  std::vector<llvm::SmallVector<IntervalId, 2>> held_;
  /// of the lifted node: intervals that it was an end of
  llvm::SmallVector<IntervalId, 4> ending_;
};

} // namespace ccgraph
