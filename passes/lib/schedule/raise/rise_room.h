// RiseRoom: how far a launch may rise as far as memory goes.
//
// A launch and what rises with it are one unit. With the unit above a row, each storage that some
// of it holds is alive at that row exactly if a step outside the unit holds it there or below: a
// result because it is used later, an operand because somebody else still needs it. So what changes
// at a row does not depend on how far above it the unit stands, and the highest place is found by
// asking for the lowest row that has no room. What changes at the unit's own rows does depend on
// the place, and is summed up anew for each place tried, from the highest down.
//
// Ownership: two counts of live bytes on the graph, kept right by move().
// Cost: O(n) to build; a question O(k log n) for k storages that the unit holds, and O(k) for each
// place that has room below it, but not for the unit itself.
// Fails never.
#pragma once

#include "analysis/lifetimes.h"

namespace ccgraph {

class RiseRoom {
public:
  struct Limits {
    std::optional<int64_t> memory;
    std::optional<int64_t> inFlight;
  };
  RiseRoom(Graph &graph, const ProgramFacts &facts, const Limits &limits);

  /// What stopped a launch.
  enum class Stop : uint8_t { Input, Budget, InFlight };
  struct Answer {
    /// the launch itself if it has to stay
    Node *slot = nullptr;
    Stop stop = Stop::Input;
  };
  /// The highest place, from before `slot` down to where it stands, at which the launch has room:
  /// it and those of its unit that stand at `slot` or below. The launch is the last of the unit,
  /// which is in program order.
  [[nodiscard]] Answer highest(Node *slot, llvm::ArrayRef<Node *> unit) const;
  /// How many bytes more of memory budget would let it rise to `slot`, as far as that is what stops it.
  [[nodiscard]] int64_t shortage(Node *slot, llvm::ArrayRef<Node *> unit) const;
  /// Moves a node in the graph and in the counts of live bytes.
  void move(Node *node, Node *before);

private:
  /// A storage that some of the unit hold.
  struct Held {
    int64_t bytes = 0;
    Node *first = nullptr;
    /// last holder, and last that is not of the unit (null if all are); meaningless where `forGood`
    Node *last = nullptr;
    Node *lastOther = nullptr;
    bool forGood = false;
    /// positions in the unit, ascending
    llvm::SmallVector<unsigned, 2> members;

    [[nodiscard]] bool outlives(const Node *row) const { return forGood || (lastOther && !lastOther->isBefore(row)); }
  };
  using HeldList = llvm::SmallVector<Held, 8>;

  [[nodiscard]] HeldList heldBy(llvm::ArrayRef<Node *> unit) const;
  /// A unit, what it holds, and the bytes that may be alive.
  struct Question {
    llvm::ArrayRef<Node *> unit;
    HeldList held;
    int64_t limit = 0;
  };
  [[nodiscard]] Node *belowFullRows(Node *slot, const Question &question) const;
  [[nodiscard]] bool fits(const Node *slot, const Question &question) const;
  [[nodiscard]] Node *withinInFlight(Node *slot, Node *launch) const;

  Graph &graph_;
  Limits limits_;
  std::optional<LiveBytes> memory_;
  std::optional<LiveBytes> inFlight_;
};

} // namespace ccgraph
