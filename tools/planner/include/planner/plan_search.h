// planTraining ranks the parallelisms of a training step on a machine by their predicted time.
//
//   1. list the candidates                                       planCandidates
//   2. bound time and memory of all of them                      PlanEstimator::first
//   3. take the candidates of the least bounds: drop those whose memory floor is above the limit, and make the bounds
//      of the others sharper, up to their predicted steps        PlanEstimator::next
//   4. end when the least bound is above the slowest of the `rows` best: no other candidate is better
//
// So a candidate costs only what it takes to see that it is no row. The result is the same as without step 4
// (PlanRequest::isExhaustive), as long as bounds are bounds; a test compares both. Rows are ordered by step time, then
// memory, then the order of the candidates.
//
// Step 3 takes a fixed number of candidates at once, which the threads of the machine share. So the same candidates are
// generated on every machine.
//
// A step of several microbatches is the joint program for each microbatch but the last, then the step program
// (training_step.h), one after the other. Its memory is the larger of the two, plus the state of the optimizer while
// the joint program runs. The memory is that of the tensors in the graph (ccgraph/ir/lifetimes.h): a device also needs
// memory for its context, for NCCL and for fragments, so the limit should leave some.
//
// Ownership: plain values. Failure: an error of planCandidates, of the generator or of the passes; plan.memory, if no
// candidate fits. Nothing is printed. Cost: some tens of milliseconds for a bound; a second for a program of 30,000
// nodes.
#pragma once

#include "planner/plan_bound.h"
#include "planner/plan_row.h"

namespace ccgraph::planner {

/// A candidate that was bounded, and why it is no row.
struct PlanPoint {
  PlanCandidate candidate;
  PlanBound bound;
  enum class Fate : uint8_t {
    /// generated; it is among PlanResult::rows if it is fast enough
    Row,
    /// its memory floor is above the limit
    TooLarge,
    /// generated, and above the limit
    OverMemory,
    /// its bound is above the slowest row
    NotGenerated
  };
  Fate fate = Fate::NotGenerated;
};

struct PlanResult {
  /// the best first
  std::vector<PlanRow> rows;
  /// all candidates, in the order of their bounds
  std::vector<PlanPoint> points;
  [[nodiscard]] size_t count(PlanPoint::Fate fate) const;
};

[[nodiscard]] llvm::Expected<PlanResult> planTraining(const PlanRequest &request);

} // namespace ccgraph::planner
