// LiveBytes: how much is alive at each step of a program order, kept right while steps move.
//
// An *interval* is a number of bytes that some nodes hold: it is alive from the first of its
// holders to the last, both included. LiveBytes answers what is alive at a node, the largest sum
// anywhere, and the next node at which a bound is passed. Storages give the memory of a program;
// pairs of launch and wait give the bytes in flight.
//
// An example: x = relu(a), y = relu(x), z = relu(y), each of 4 bytes.
//
//   row              a   x   y   z   output
//   interval of a    4   4
//   interval of x        4   4
//   interval of y            4   4
//   interval of z                4   4
//   alive            4   8   8   8   4        peak 8; the first row above 6 is x
//
// Kept as plain numbers, one interval would change every row that it spans, and the peak would be a
// look at all rows. So the rows are the nodes of a binary tree in program order, and a subtree has two
// numbers of its own: the maximum of its rows, and an addition that all of its rows still owe. To add 4
// to all rows up to z, one walk from z to the root is enough: whatever lies to the left is whole
// subtrees, each of which is told once. To add an interval is to add its bytes up to its last holder,
// and to take them off again up to the row before its first one. What is alive at a row is its own
// number and the additions of all subtrees that it is in; the peak is the maximum of the root; to find
// the first row above a limit is to go down only where the maximum is above it.
//
// The tree is a treap: each row has a priority, and the higher ones stand nearer to the root, which
// keeps it shallow without any balancing, as if rows had come in random order. After R. Seidel, C.
// Aragon, "Randomized Search Trees" (Algorithmica 16, 1996); priorities are a hash of the node id,
// so a run is deterministic.
//
// Where each of several nodes holds each of several intervals (the waits on a list, and what its transfer
// holds), a *share* says so once: it has its own first and last holder, and only when one of these moves
// are its intervals looked at.
//
// Ownership: refers to nodes of one graph.
// Cost: O(n) to build; a move O((k + 1) log n) for k intervals that end at the node, plus their
// holders where the last holder of one moves up, plus the holders of the shares that the node is in;
// queries O(log n).
// Fails never.
#pragma once

#include "ccgraph/ir/graph.h"

#include <vector>

namespace ccgraph {

/// True if `a` stands before `b`: an order for sorting.
inline bool standsBefore(const Node *a, const Node *b) { return a->isBefore(b); }

class LiveBytes {
public:
  explicit LiveBytes(Graph &graph);
  /// Builds the tree over the intervals added so far; needed before any question or move, and
  /// cheaper than adding them afterwards.
  void settle();

  using IntervalId = uint32_t;
  /// Makes room for so many intervals.
  void reserve(size_t intervals) { intervals_.reserve(intervals); }
  /// Ends that do not depend on the holders: alive from the first row on, and to the last row.
  struct Reach {
    bool fromStart = false;
    bool forGood = false;
  };
  /// Holders in any order, at least one. Ids count up from 0; one that was removed is given again.
  IntervalId addInterval(int64_t bytes, llvm::ArrayRef<Node *> holders) { return addInterval(bytes, holders, {}); }
  IntervalId addInterval(int64_t bytes, llvm::ArrayRef<Node *> holders, Reach reach);
  /// Alive on every row, as an interval with both ends open would be, for less.
  void addConstant(int64_t bytes) { base_ += bytes; }
  /// One more node that holds the interval; it may reach further then.
  void addHolder(IntervalId interval, Node *holder);
  /// As if it had never been added; it must be in no share.
  void removeInterval(IntervalId interval);

  using ShareId = uint32_t;
  /// Nodes that each hold the same intervals; none of either at first.
  [[nodiscard]] ShareId addShare();
  /// How many it has, for shrink().
  struct Extent {
    size_t intervals = 0;
    size_t holders = 0;
  };
  [[nodiscard]] Extent extent(ShareId share) const {
    return {shares_[share].intervals.size(), shares_[share].holders.size()};
  }
  /// More of both. O(intervals of the share), and O(log n) for each different end that they had.
  void extend(ShareId share, llvm::ArrayRef<IntervalId> intervals, llvm::ArrayRef<Node *> holders);
  /// Undoes what was done since the share had this extent: it alone was extended, and no interval was added to another.
  void shrink(ShareId share, Extent extent);
  /// Makes an interval weigh nothing, and what it weighed before.
  void suspend(IntervalId interval);
  void resume(IntervalId interval);

  /// The largest sum at any row; 0 without rows.
  [[nodiscard]] int64_t peak() const;
  /// The sum at one row, its own intervals included.
  [[nodiscard]] int64_t alive(const Node *node) const;
  /// Alive between this node and the one above it: what a step put there would find.
  [[nodiscard]] int64_t aliveBefore(const Node *node) const { return alive(node) - starts_[node->id()]; }
  /// First row of [from, to) with more than `limit` alive; null if there is none. `to` null: the
  /// end.
  [[nodiscard]] Node *firstAbove(Node *from, const Node *to, int64_t limit) const;
  /// Held by the node, alone or in a share; ascending.
  [[nodiscard]] llvm::SmallVector<IntervalId, 8> intervalsOf(const Node *node) const;
  /// Calls `visit` with each holder; one that also holds it in a share comes more than once.
  void forEachHolder(IntervalId interval, llvm::function_ref<void(Node *)> visit) const;
  [[nodiscard]] int64_t bytes(IntervalId interval) const { return intervals_[interval].bytes; }
  /// The same for an interval that may be suspended.
  [[nodiscard]] int64_t weight(IntervalId interval) const {
    return intervals_[interval].bytes + intervals_[interval].suspended;
  }
  /// First holder, also where the interval is alive from the first row on.
  [[nodiscard]] Node *first(IntervalId interval) const { return intervals_[interval].first; }
  /// Last holder; meaningless where the interval is for good.
  [[nodiscard]] Node *last(IntervalId interval) const { return intervals_[interval].last; }
  [[nodiscard]] bool isForGood(IntervalId interval) const { return intervals_[interval].reach.forGood; }

  /// Moves the node in the graph and here. With several counts on one graph: lift() in each,
  /// move in the graph, drop() in each.
  void move(Node *node, Node *before);
  void lift(Node *node);
  void drop(Node *node);

private:
  static constexpr uint32_t none = ~0U;
  struct Row {
    uint32_t parent = none;
    uint32_t child[2] = {none, none};
    /// alive here, less what is pending on the way from the root
    int64_t own = 0;
    /// pending for the whole subtree, this row included
    int64_t add = 0;
    /// largest in the subtree, less what is pending above it
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
    /// but for those in shares
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
  /// by node id, but for what it holds in shares
  std::vector<llvm::SmallVector<IntervalId, 2>> held_;
  /// of the lifted node: intervals that it was an end of
  llvm::SmallVector<IntervalId, 4> ending_;
};

} // namespace ccgraph
