// ProgramProblem: the problem of a whole program, with the launches that may be merged, and all that it refers to.
//
// Ownership: refers to the graph, the facts and the costs; neither copied nor moved, because its members refer to each
// other. Failure: none. Cost: that of problemOf() and allowMerging().
#pragma once

#include "analysis/comm_groups.h"
#include "ccgraph/passes/bounds.h"
#include "schedule/overlap/bound.h"
#include "schedule/overlap/merging.h"

namespace ccgraph::overlap {

class ProgramProblem {
public:
  ProgramProblem(Graph &graph, const ProgramFacts &facts, const CostModel &costs, const BoundRules &rules)
      : groups_(graph, rules.spmd),
        dependences_(facts, groups_), options_{facts, groups_, dependences_, costs, rules.spmd},
        given_(problemOf(graph, options_)) {
    (void)allowMerging(given_, graph, options_, rules.bitwise);
  }
  ProgramProblem(const ProgramProblem &) = delete;
  ProgramProblem &operator=(const ProgramProblem &) = delete;

  [[nodiscard]] const GraphProblem &given() const { return given_; }
  [[nodiscard]] const CommGroups &groups() const { return groups_; }
  /// Returns the bound with the name of its stream.
  [[nodiscard]] StepBound named(Bound bound) const {
    return {bound.picoseconds, bound.stream == none ? "" : streamName(groups_, bound.stream)};
  }

private:
  CommGroups groups_;
  Dependences dependences_;
  GraphProblemOptions options_;
  GraphProblem given_;
};

} // namespace ccgraph::overlap
