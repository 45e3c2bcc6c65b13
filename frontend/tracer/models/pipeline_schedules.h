// The pipeline schedules that ccgraph-gen writes, as lists of computation; withTransfers (pipeline_verifier.h) adds the
// transfers.
//
//   gpipe        all forwards, then all backwards (Y. Huang et al., "GPipe", 2019)
//   1f1b         a forward and a backward in turn after a warm-up (D. Narayanan et al., "PipeDream", 2019, with the
//                flush of "Memory-Efficient Pipeline-Parallel DNN Training", 2021)
//   interleaved  1f1b with several stages a rank, stage s on rank s modulo the ranks (D. Narayanan et al., "Efficient
//                Large-Scale Language Model Training on GPU Clusters Using Megatron-LM", 2021)
//   zbv          two stages a rank in the form of a V, and the backward in halves, so that the gradients of weights
//                fill the bubble (P. Qi et al., "Pipeline Parallelism with Controllable Memory", 2024)
//   dualpipe     DualPipeV: a V too; the forward of one stage overlaps with the backward of the other (DeepSeek-AI,
//                "DeepSeek-V3 Technical Report", 2024, and the V form in its public repository DualPipe)
//
// The orders are those of PyTorch 2.15's ScheduleGPipe, Schedule1F1B, ScheduleInterleaved1F1B, ScheduleZBVZeroBubble
// and ScheduleDualPipeV (torch.distributed.pipelining.schedules), without idle slots. A test compares them.
//
// Ownership: plain values. Failure: a diagnostic with the flag, where a schedule does not exist for the numbers. Cost:
// linear in the actions.
#pragma once

#include "ccgraph/ir/pipeline_schedule.h"

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace ccgraph::models {

enum class PipelineKind : uint8_t { GPipe, OneForwardOneBackward, Interleaved, ZeroBubbleV, DualPipeV };

struct PipelineRequest {
  PipelineKind kind = PipelineKind::OneForwardOneBackward;
  int64_t ranks = 1;
  /// Stages of a rank. Only Interleaved has a choice; 0: one, or two for the schedules that need two.
  int64_t stagesPerRank = 0;
  /// 0: twice the number of stages
  int64_t microbatches = 0;

  [[nodiscard]] int64_t stagesOfRank() const;
  [[nodiscard]] int64_t stages() const { return ranks * stagesOfRank(); }
  [[nodiscard]] int64_t numMicrobatches() const { return microbatches > 0 ? microbatches : 2 * stages(); }
  /// Returns the rank that has a stage.
  [[nodiscard]] int64_t rankOfStage(int64_t stage) const;
};

/// "gpipe", "1f1b", "interleaved", "zbv", "dualpipe", with the kind.
[[nodiscard]] const std::vector<std::pair<std::string, PipelineKind>> &pipelineKinds();

[[nodiscard]] const std::string &pipelineKindName(PipelineKind kind);

/// Returns an error if the schedule does not exist for these numbers.
[[nodiscard]] llvm::Error checkPipelineSchedule(const PipelineRequest &request);

[[nodiscard]] llvm::Expected<PipelineSchedule> makePipelineSchedule(const PipelineRequest &request);

} // namespace ccgraph::models
