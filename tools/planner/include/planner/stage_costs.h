// StageCosts: what one stage of a pipeline takes on its rank, by the parts of stage_programs.h.
//
// Parts are optimized by -O2 each on its own, so communication of one microbatch does not overlap with computation of
// another one.
//
// Ownership: plain values; StageCatalog refers to job and machine. Failure: an error of the generator or of the passes.
// Cost: some milliseconds a part for a bound, and that of -O2 for its time; equal parts of different candidates are
// computed once.
#pragma once

#include "planner/memo.h"
#include "planner/plan_program.h"
#include "planner/plan_space.h"
#include "planner/program_bound.h"

#include "ccgraph/ir/machine.h"
#include "models/stage_programs.h"

namespace ccgraph::planner {

/// Picoseconds of the parts.
struct StageTimes {
  int64_t gather = 0;
  int64_t forward = 0;
  int64_t backward = 0;
  /// the part of `backward` that only the gradients of weights need
  int64_t weights = 0;
  int64_t update = 0;
  /// of a microbatch's states to the rank of the next stage
  int64_t transfer = 0;
};

/// Bytes on the stage's rank.
struct StageMemory {
  /// parameters, and the state of the optimizer
  int64_t stored = 0;
  /// gathered weights
  int64_t gathered = 0;
  /// sums of gradients, from the first backward on
  int64_t sums = 0;
  /// what a microbatch keeps from its forward to its backward
  int64_t saved = 0;
  /// what it keeps from the gradient of its input to those of its weights, where the backward is split
  int64_t pending = 0;
  /// the most that forward and backward of one microbatch need, `saved` included
  int64_t working = 0;
  /// what the update needs, with `stored` and its results; each sum of gradients is freed when it was reduced
  int64_t update = 0;
};

struct StageCosts {
  StageTimes predicted;
  /// no order with any merging of these parts is faster
  StageTimes bound;
  /// stalls for communication, in the predicted times; `weights` and `transfer` are empty
  StageTimes exposed;
  StageMemory memory;
};

/// Lower bounds of the parts of the whole model as one stage, without a limit of the gradients' norm.
struct ModelFloor {
  ProgramBound gradients, microbatch, gather, update;

  /// Returns the bytes of this rank's part of the parameters.
  [[nodiscard]] int64_t parameterBytes() const { return update.sizes[0] - update.sizes[2]; }
  /// Returns those of the optimizer's state for it.
  [[nodiscard]] int64_t optimizerBytes() const { return update.sizes[2]; }
  /// Returns those of all gathered weights and of the sums of their gradients.
  [[nodiscard]] int64_t wholeBytes() const { return microbatch.sizes[0] + microbatch.sizes[1]; }
  /// Returns those of all other values of a microbatch.
  [[nodiscard]] int64_t valueBytes() const { return microbatch.bytes - wholeBytes(); }
};

/// Threads may use one catalog at once.
class StageCatalog {
public:
  StageCatalog(const PlanJob &job, const Machine &machine) : job_(job), machine_(machine) {}

  /// Returns lower bounds, from parts with few layers.
  [[nodiscard]] llvm::Expected<StageCosts> boundOf(const PlanCandidate &candidate, const models::ModelPart &part);
  /// Returns what all candidates have in common that differ only in replicas, shards, ZeRO stage, microbatches of a
  /// step and pipeline; of the parameters, that of these shards. The model has untied weights and one loss.
  [[nodiscard]] llvm::Expected<ModelFloor> floorOf(const PlanCandidate &candidate);
  /// Returns the costs of the whole parts after -O2.
  [[nodiscard]] llvm::Expected<StageCosts> costsOf(const PlanCandidate &candidate, const models::ModelPart &part);

private:
  struct Query;
  [[nodiscard]] llvm::Expected<ProgramBound> boundOf(const Query &query, models::StageProgram program);
  [[nodiscard]] llvm::Expected<PlanProgram> optimized(const Query &query, models::StageProgram program);
  [[nodiscard]] llvm::Expected<int64_t> transferTime(const Query &query);
  [[nodiscard]] llvm::Expected<int64_t> workingBytes(const Query &query);

  const PlanJob &job_;
  const Machine &machine_;
  Memo<LayeredBound> bounds_;
  Memo<PlanProgram> optimized_;
  /// picoseconds of transfers and bytes of microbatches
  Memo<int64_t> sizes_;
};

} // namespace ccgraph::planner
