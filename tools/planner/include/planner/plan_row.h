// PlanRequest and PlanRow: what is planned, and the prediction of one candidate.
//
// Ownership: plain values. Failure: none. Cost: none.
#pragma once

#include "planner/plan_program.h"
#include "planner/plan_space.h"

namespace ccgraph::planner {

struct PlanRequest {
  PlanJob job;
  PlanChoices choices;
  Machine machine;
  /// bytes of one rank
  int64_t memoryBytes = 0;
  /// how many of the best are returned, at least one
  size_t rows = 10;
  /// true: no candidate is dropped because of its bound
  bool isExhaustive = false;
};

struct PlanRow {
  PlanCandidate candidate;
  /// of the whole step, as are the other times; before the program was generated
  int64_t earlyBoundPs = 0;
  int64_t stepPs = 0;
  int64_t boundPs = 0;
  int64_t exposedPs = 0;
  int64_t peakBytes = 0;
  double tokensPerSecondOfRank = 0;
  /// of a pipeline: the time for which the last rank to end waits for values of other ranks
  int64_t bubblePs = 0;
  /// without a pipeline: the last microbatch; the others, if there are several
  PlanProgram last;
  std::optional<PlanProgram> each;
};

} // namespace ccgraph::planner
