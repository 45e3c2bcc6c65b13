// RiseRoom: how far a launch may rise as far as memory goes.
//
// A launch and what rises with it are one unit. What changes at a row that the unit passes does not
// depend on how far above it the unit stands (what_if.h), so the highest place is found by asking for
// the lowest row that has no room. What the unit's own rows need does depend on the place, and is
// asked for each place tried, from the highest down.
//
// Ownership: two counts of live bytes on the graph, kept right by move().
// Cost: O(n) to build; a question O(k log n) for k storages that the unit holds, and O(k) for each
// place that has room below it, but not for the unit itself.
// Fails never.
#pragma once

#include "analysis/lifetimes.h"
#include "analysis/what_if.h"

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
  [[nodiscard]] Node *withinInFlight(Node *slot, Node *launch) const;

  Graph &graph_;
  Limits limits_;
  std::optional<LiveBytes> memory_;
  std::optional<LiveBytes> inFlight_;
};

} // namespace ccgraph
