// Runs: brings the launches of a bucket next to one another, while computation keeps its order.
//
//   sink   c1 = f(a); w1 = wait(c1); b = g(x); c2 = f(b)    ->  b = g(x); c1 = f(a); c2 = f(b); w1 = wait(c1)
//   rise   c1 = f(a); w1 = wait(c1); d = g(w1); c2 = f(b)   ->  c1 = f(a); c2 = f(b); w1 = wait(c1); d = g(w1)
//
// Launches and waits move. Views, and operators that only move bytes (casts, copies, cats, pads), move along; no other
// node moves. A run sinks to a newcomer if each node that must follow a member comes after the newcomer; waits and the
// nodes that move along are put after the run. Otherwise the newcomer rises to the run if each node that it must follow
// comes before the run; the nodes that move along are put before the run. Data edges, ordering edges and dependences.h
// define which nodes must follow and precede. A cast directly precedes the gather of a sharded parameter: if casts
// stayed, few gathers could be adjacent.
//
// With a memory budget, a join that exceeds it is undone. A newcomer that rises holds its result for longer, and a run
// that sinks holds its inputs for longer, so one direction may fit where the other does not.
//
// Ownership: refers to graph and analyses, and owns the live bytes; buckets must not move in memory. Failure: a
// verdict; the graph is then unchanged.
// Cost: join() takes the members, the nodes that move along, and their edges; with a budget O(log n) for each node
// moved. A long run moves rarely: the nodes between it and the newcomer do, if they are fewer.
#pragma once

#include "analysis/dependences.h"
#include "schedule/coalesce/bucket_room.h"

namespace ccgraph {

/// The result of an attempt to join. All but Joined leave graph and live bytes unchanged.
enum class JoinVerdict : uint8_t {
  Joined,
  /// a required order keeps the two apart
  Dependent,
  /// too many nodes would have to move
  Entangled,
  /// the graph would exceed the memory budget
  OverBudget,
};

/// Returns the limit of an option; INT64_MAX if it has none.
[[nodiscard]] inline int64_t orUnlimited(std::optional<int64_t> limit) { return limit.value_or(INT64_MAX); }

class Runs {
public:
  struct Inputs {
    Graph &graph;
    const ProgramFacts &facts;
    const Dependences &dependences;
    BucketLayout layout;
    /// maximum number of nodes that may move for one join, besides the launches
    int64_t maxMoves;
  };
  /// `budget`: the memory budget in bytes, if there is one.
  Runs(const Inputs &inputs, std::optional<int64_t> budget);
  Runs(const Runs &) = delete;
  Runs &operator=(const Runs &) = delete;

  /// Puts the newcomer's launch, the only one of its bucket, after the last member's, and makes it a member. The
  /// newcomer must follow the run, in the same stretch.
  [[nodiscard]] JoinVerdict join(OpenBucket &bucket, OpenBucket &newcomer);

  /// Returns the number of moves of all joins so far, undone ones included.
  [[nodiscard]] int64_t numMoves() const { return numMoves_; }

private:
  using Nodes = llvm::SmallVector<Node *, 16>;
  /// Return false if order forbids the move; no node moves then.
  [[nodiscard]] bool sink(const Bucket &bucket, Node *newcomer);
  [[nodiscard]] bool rise(const Bucket &bucket, Node *newcomer);
  [[nodiscard]] bool goesAlong(const Node *node) const;
  /// Returns the waits and moving nodes that must follow `nodes` and come before `end`; empty if another node must do
  /// so too.
  [[nodiscard]] std::optional<Nodes> followers(Nodes nodes, const Node *end) const;
  /// Returns the moving nodes that `node` must follow and that do not come before `begin`; empty if another such node
  /// does not either.
  [[nodiscard]] std::optional<Nodes> predecessors(Node *node, const Node *begin) const;
  /// The launches of a run that sinks, and the nodes that must follow it and come before the newcomer.
  struct Sinking {
    const Nodes &launches;
    const Nodes &along;
  };
  /// Returns the other nodes between the run and the newcomer; empty if they are more than those that sink.
  [[nodiscard]] static std::optional<Nodes> fewOthers(const Sinking &sinking, const Node *newcomer);
  [[nodiscard]] bool hasRoom(OpenBucket &bucket, OpenBucket &newcomer);
  /// Returns true if the number is within maxMoves; otherwise the join is entangled.
  [[nodiscard]] bool isFew(const std::optional<Nodes> &along);
  void move(Node *node, Node *before);
  void place(Node *node, Node *before);

  Graph &graph_;
  const ProgramFacts &facts_;
  const Dependences &dependences_;
  /// empty without a budget
  std::optional<LiveBytes> memory_;
  int64_t maxMoves_;
  /// one direction of the present join would move more
  bool isEntangled_ = false;
  /// empty without a budget
  std::optional<BucketRoom> room_;
  /// moves to undo: a node, and its earlier successor
  std::vector<std::pair<Node *, Node *>> moves_;
  int64_t numMoves_ = 0;
};

} // namespace ccgraph
