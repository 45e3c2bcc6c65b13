// Feeders: the operators that may rise along with a launch that they feed.
//
// A feeder only moves bytes: a cast, a copy, a cat, a pad. It has no floating-point operations by
// the operator table, no effect but its result, and a launch reads that result, through views and
// other feeders at most. Work that is not known (a symbolic size) is no feeder's, because what it
// costs to hold the result early is not known either.
//
// Ownership: refers to the facts. Cost: O(nodes + edges) to build, O(1) a query. Fails never.
#pragma once

#include "analysis/program_facts.h"

namespace ccgraph {

class Feeders {
public:
  /// The facts must outlive it.
  explicit Feeders(const ProgramFacts &facts);

  [[nodiscard]] bool isFeeder(const Node *node) const { return feeds_[node->id()]; }
  /// True for a node that a launch takes along: a feeder, or a view, which costs nothing.
  [[nodiscard]] bool goesAlong(const Node *node) const { return isFeeder(node) || facts_.views(node); }
  /// True for a node that a launch passes without gaining time.
  [[nodiscard]] bool isPassedForNothing(const Node *node) const { return goesAlong(node) || facts_.launches(node); }

private:
  [[nodiscard]] bool movesBytesOnly(const Node *node) const;

  const ProgramFacts &facts_;
  /// by node id
  std::vector<bool> feeds_;
};

} // namespace ccgraph
