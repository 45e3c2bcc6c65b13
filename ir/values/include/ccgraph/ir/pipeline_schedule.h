// PipelineSchedule: the order in which each rank of a pipeline runs its stages on microbatches.
//
// A model is cut into stages; a rank has one or several. For each microbatch, stage s runs forward after stage s - 1,
// and backward after stage s + 1. A backward may be split in two: the gradient of the input (which stage s - 1 needs)
// and the gradient of the weights (which no stage needs). The form is that of PyTorch's pipelining schedules
// (torch.distributed.pipelining): a list of actions a rank, in the order in which the rank runs them, either of
// computation alone or with the transfers between the ranks.
//
// Invariant of the value: none; verifyPipelineSchedule (pipeline_verifier.h) checks it. Ownership: plain values.
// Failure: none. Cost: negligible.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ccgraph {

enum class PipelineActionKind : uint8_t {
  Forward,
  /// both gradients
  Backward,
  BackwardInput,
  BackwardWeight,
  /// the output of a stage to the rank of the next stage, and its receipt by the next stage
  SendForward,
  RecvForward,
  /// the gradient of a stage's input to the rank of the previous stage, and its receipt by the previous stage
  SendBackward,
  RecvBackward,
  WaitSendForward,
  WaitSendBackward,
  /// of a stage, without microbatch: gather its weights, free them, reduce their gradients, wait for that
  Unshard,
  Reshard,
  ReduceGradient,
  WaitReduceGradient
};
inline constexpr unsigned numPipelineActionKinds = 14;
/// "F", "B", "I", "W", "SEND_F", ...: PyTorch's spelling.
[[nodiscard]] llvm::StringRef pipelineActionName(PipelineActionKind kind);
/// Returns the kind with this name; empty for other words.
[[nodiscard]] std::optional<PipelineActionKind> parsePipelineActionKind(llvm::StringRef name);
/// Returns true for Forward and the three kinds of backward.
[[nodiscard]] bool isCompute(PipelineActionKind kind);
/// Returns true for the two sends and the two receives.
[[nodiscard]] bool isTransfer(PipelineActionKind kind);

struct PipelineAction {
  PipelineActionKind kind = PipelineActionKind::Forward;
  int64_t stage = 0;
  /// empty for the actions of a stage as a whole
  std::optional<int64_t> microbatch;

  /// Returns "2F0".
  [[nodiscard]] std::string str() const;
  friend bool operator==(const PipelineAction &, const PipelineAction &) = default;
};

/// One cell of a schedule: one action, several that overlap, or none.
struct PipelineSlot {
  std::vector<PipelineAction> actions;
  /// in the file, from 1; 0: the schedule has no file
  unsigned line = 0;
  unsigned column = 0;

  /// Returns "2F0", "(2F3;1B0)OVERLAP_F_B", or "".
  [[nodiscard]] std::string str() const;
};

struct PipelineSchedule {
  /// file, for messages; empty if there is none
  std::string origin;
  int64_t stages = 0;
  int64_t microbatches = 0;
  /// by rank
  std::vector<std::vector<PipelineSlot>> ranks;

  /// Returns the rank with computation of this stage, the lowest if there are several; empty if there is none.
  [[nodiscard]] std::vector<std::optional<size_t>> rankOfStages() const;
  /// Returns true if some action is a transfer: then all must be there.
  [[nodiscard]] bool hasTransfers() const;
};

} // namespace ccgraph
