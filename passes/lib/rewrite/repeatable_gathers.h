// RepeatableGathers: finds the all_gathers whose result may be gathered again instead of being kept.
//
//   g = all_gather(x); w = wait(g); r(w); ...; s(w)   ->   g = all_gather(x); w = wait(g); r(w);
//                                                          ...; h = all_gather(x); u = wait(h); s(u)
//
// A gather copies, so the second result is bitwise equal. All ranks must run the same program, since each of them must
// issue the second gather, at the same place. A program with point-to-point transfers or barriers gets no new
// collectives, because a rank may be at such a step while another one is at the gather.
//
// Ownership: refers to the facts. Failure: none. Cost: O(nodes) to build, O(uses) a query.
#pragma once

#include "analysis/program_facts.h"

namespace ccgraph {

class RepeatableGathers {
public:
  RepeatableGathers(const Graph &graph, const ProgramFacts &facts, bool spmd);

  /// Returns true for a functional all_gather on one tensor, if a wait is the only reader of its result in flight.
  [[nodiscard]] bool isRepeatable(const Node *launch) const;
  /// Returns the launch of a wait on such an all_gather; null for any other node.
  [[nodiscard]] Node *launchOf(const Node *wait) const;

private:
  const ProgramFacts &facts_;
  bool mayAdd_;
};

} // namespace ccgraph
