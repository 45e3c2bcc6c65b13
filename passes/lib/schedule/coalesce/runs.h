// Runs: brings the launches of a bucket next to one another, while computation keeps its order.
//
//   sink   c1 = f(a); w1 = wait(c1); b = g(x); c2 = f(b)    ->  b = g(x); c1 = f(a); c2 = f(b); w1 = wait(c1)
//   rise   c1 = f(a); w1 = wait(c1); d = g(w1); c2 = f(b)   ->  c1 = f(a); c2 = f(b); w1 = wait(c1); d = g(w1)
//
// Launches and waits move; views, and operators that only move bytes (casts, copies, cats, pads), go along; no other
// node moves. A run sinks to a newcomer if each node that must follow a member stands after the newcomer; waits and
// what goes along are put after the run. Else the newcomer rises to the run if each node that it must follow stands
// before the run; what goes along is put before the run. What must follow and precede: data and ordering edges, and
// dependences.h. A cast stands right before the gather of a sharded parameter: if casts stayed, few gathers could stand
// together.
//
// Where there is a memory budget, a join that exceeds it is taken back: a newcomer that rises holds its result for
// longer, and a run that sinks holds its inputs for longer, so one way may fit where the other does not.
//
// Ownership: refers to graph, analyses and live bytes; buckets must not move in memory. Failure: a verdict; the graph
// is then as before.
// Cost of join(): the nodes that go along, and their edges; with a budget O(log n) for each node moved.
#pragma once

#include "analysis/dependences.h"
#include "schedule/coalesce/bucket_room.h"

namespace ccgraph {

/// What became of an attempt to join. All but Joined leave graph and live bytes as they were.
enum class JoinVerdict : uint8_t {
  Joined,
  /// an order that must stay keeps the two apart
  Dependent,
  /// too many nodes would have to move
  Entangled,
  /// the program would need more memory than the budget
  OverBudget,
};

class Runs {
public:
  struct Inputs {
    Graph &graph;
    const ProgramFacts &facts;
    const Dependences &dependences;
    BucketLayout layout;
    /// most nodes that may move for one join, besides the launches
    int64_t maxMoves;
  };
  /// `memory` null: there is no budget. All must outlive it.
  Runs(const Inputs &inputs, LiveBytes *memory, int64_t budget);

  /// Puts the newcomer's launch, the only one of its bucket, after the last member's, and makes it a member. The
  /// newcomer stands after the run, in the same stretch.
  [[nodiscard]] JoinVerdict join(OpenBucket &bucket, OpenBucket &newcomer);

private:
  using Nodes = llvm::SmallVector<Node *, 16>;
  /// False where order forbids it; nothing moves then.
  [[nodiscard]] bool sink(const Bucket &bucket, Node *newcomer);
  [[nodiscard]] bool rise(const Bucket &bucket, Node *newcomer);
  [[nodiscard]] bool goesAlong(const Node *node) const;
  /// Waits and nodes that go along that must follow `nodes` and stand before `end`; empty: another such node does.
  [[nodiscard]] std::optional<Nodes> followers(Nodes nodes, const Node *end) const;
  /// Nodes that go along that `node` must follow and that do not stand before `begin`; empty: another such node does
  /// not either.
  [[nodiscard]] std::optional<Nodes> predecessors(Node *node, const Node *begin) const;
  [[nodiscard]] bool hasRoom(OpenBucket &bucket, OpenBucket &newcomer);
  /// Within maxMoves; else the join is entangled.
  [[nodiscard]] bool isFew(const std::optional<Nodes> &along);
  void move(Node *node, Node *before);
  void place(Node *node, Node *before);

  Graph &graph_;
  const ProgramFacts &facts_;
  const Dependences &dependences_;
  LiveBytes *memory_;
  int64_t maxMoves_;
  /// some way of the join at hand would move more
  bool isEntangled_ = false;
  /// empty where there is no budget
  std::optional<BucketRoom> room_;
  /// to be taken back: a node, and what stood after it
  std::vector<std::pair<Node *, Node *>> moves_;
};

} // namespace ccgraph
