// planTraining ranks the parallelisms of a training step on a machine by their predicted time.
//
//   1. list the candidates                              planCandidates
//   2. bound time and memory of each                    boundOf: few layers, no schedule
//   3. drop those whose memory floor is above the limit
//   4. in the order of their bounds: generate the programs of a candidate, run -O2 within the memory of a rank, and
//      predict its step
//   5. stop at the first candidate whose bound is not below the slowest of the `rows` best: no later one is better
//
// A pipeline is bounded twice: first by its busiest rank, then, when its turn comes, by a simulation of its schedule
// with the bounds of its stages. Its step is the same simulation with the times of its stages (pipeline_time.h).
//
// So the result is the same as without step 5 (PlanRequest::isExhaustive), as long as bounds are bounds; a test
// compares both. Rows are ordered by step time, then memory, then the order of the candidates.
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
#include "planner/plan_program.h"

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
