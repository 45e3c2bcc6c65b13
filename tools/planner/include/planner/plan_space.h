// The candidates of a plan: all ways to distribute one training step over a number of ranks.
//
//   ranks = pipeline x tensor x data     data = replicas x shards     experts divide shards x tensor
//   batch = data / context x microbatch x microbatches of a step      sequences of a step
//
// A pipeline has each schedule of pipeline_schedules.h, as far as the model has layers for its stages; the interleaved
// schedule has 2 or 4 stages a rank. Ranks of cp share a sequence, so they are compared where a rank computes one
// sequence at once: with n sequences, the same ranks without cp compute n / cp sequences each, with equal work, equal
// memory and less communication.
//
// Tensor parallel ranks are on one node, since they communicate within each layer. A candidate also chooses what the
// backward pass computes again (recompute.h), and the ZeRO stage:
//   0   whole weights on each rank                  1   as 0, and the optimizer is sharded over the replicas
//   2   sharded weights, gathered once a microbatch  3   as 2, gathered again in the backward pass
// Stage 1 excludes several microbatches, clipping and the foreach form of the optimizer, and a pipeline has stage 0 or
// 2, as in the generator.
//
// Candidates are listed in a fixed order, so that every run gives the same plan.
//
// Ownership: plain values. Failure: a diagnostic that names the flag and what to change: a batch or a number of ranks
// that no candidate divides, or a fixed choice that does not fit the model. Cost: linear in the candidates.
#pragma once

#include "models/pipeline_schedules.h"
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
  std::optional<int64_t> context, stagesPerRank;
  /// ranks of the pipeline; 1: no pipeline
  std::optional<int64_t> pipeline;
  std::optional<models::PipelineKind> schedule;
};

struct PlanCandidate {
  models::Parallelism parallel;
  /// sequences that a rank computes at once
  int64_t microbatch = 1;
  /// microbatches of a step without a pipeline
  int64_t accumulation = 1;
  models::Recompute recompute = models::Recompute::None;
  int64_t zero = 0;
  /// has the microbatches of a step
  std::optional<models::PipelineRequest> pipeline = std::nullopt;

  [[nodiscard]] int64_t microbatches() const { return pipeline ? pipeline->numMicrobatches() : accumulation; }
  /// Returns "hsdp 4x8, tp 8, pp 4 zbv": the parallelism only.
  [[nodiscard]] std::string parallelText() const;
  /// Returns the flags of ccgraph-gen for this candidate: "--hsdp 4x8 --tp 8 --batch 2 --recompute full --zero 3".
  [[nodiscard]] std::string flags() const;
};

/// "none", "selective" or "full".
[[nodiscard]] std::string recomputeName(models::Recompute recompute);

[[nodiscard]] llvm::Expected<std::vector<PlanCandidate>> planCandidates(const PlanJob &job, const PlanChoices &choices);

/// Returns the request whose program a rank runs: Part::Step for the last microbatch, Part::Joint for each before it,
/// which has no optimizer. A pipeline has no such programs; its request is that of its stages (stage_costs.h).
[[nodiscard]] models::GenerateRequest requestOf(const PlanJob &job, const PlanCandidate &candidate, models::Part part);

} // namespace ccgraph::planner
