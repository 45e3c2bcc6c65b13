// The candidates of a plan: all ways to distribute one training step over a number of ranks.
//
//   ranks = tensor x data        data = replicas x shards         experts divide shards x tensor
//   batch = data x microbatch x accumulation                      sequences of a step
//
// Tensor parallel ranks are on one node, since they communicate within each layer. A candidate also chooses what the
// backward pass computes again (recompute.h), and the ZeRO stage:
//   0   whole weights on each rank                  1   as 0, and the optimizer is sharded over the replicas
//   2   sharded weights, gathered once a microbatch  3   as 2, gathered again in the backward pass
// Stage 1 excludes several microbatches, clipping and the foreach form of the optimizer, as in the generator.
//
// Candidates are listed in a fixed order, so that every run gives the same plan.
//
// Ownership: plain values. Failure: a diagnostic that names the flag and what to change: a batch or a number of ranks
// that no candidate divides, or a fixed choice that does not fit the model. Cost: linear in the candidates.
#pragma once

#include "models/training_step.h"

#include <optional>
#include <string>
#include <vector>

namespace ccgraph::planner {

/// What is planned.
struct PlanJob {
  /// model, dtype, device, optimizer, learning rate, loss chunks and sequence length; the plan sets everything else
  models::GenerateRequest step;
  int64_t ranks = 0;
  /// of the machine
  int64_t ranksPerNode = 8;
  /// sequences of a training step, over all ranks
  int64_t batch = 0;
};

/// Choices that are fixed beforehand; an empty one is planned.
struct PlanChoices {
  std::optional<int64_t> replicas, shards, tensor, experts, microbatch, zero;
  std::optional<models::Recompute> recompute;
};

struct PlanCandidate {
  models::Parallelism parallel;
  /// sequences that a rank computes at once
  int64_t microbatch = 1;
  /// microbatches of a step
  int64_t accumulation = 1;
  models::Recompute recompute = models::Recompute::None;
  int64_t zero = 0;

  /// Returns "hsdp 4x8, tp 8": the parallelism only.
  [[nodiscard]] std::string parallelText() const;
  /// Returns the flags of ccgraph-gen for this candidate: "--hsdp 4x8 --tp 8 --batch 2 --recompute full --zero 3".
  [[nodiscard]] std::string flags() const;
};

/// "none", "selective" or "full".
[[nodiscard]] std::string recomputeName(models::Recompute recompute);

[[nodiscard]] llvm::Expected<std::vector<PlanCandidate>> planCandidates(const PlanJob &job, const PlanChoices &choices);

/// Returns the request whose program a rank runs: Part::Step for the last microbatch, Part::Joint for each before it,
/// which has no optimizer.
[[nodiscard]] models::GenerateRequest requestOf(const PlanJob &job, const PlanCandidate &candidate, models::Part part);

} // namespace ccgraph::planner
