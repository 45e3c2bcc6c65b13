// GroupLaunch: a call of a process group as the launch that ranks compare and transports move.
//
// Transports move contiguous rows. A tensor that is not contiguous, and a list of tensors that becomes one row, are
// staged: copied into a row before the launch, and out of one after it. Operations become these kinds:
//
//   reduce                  an all_reduce, whose result other ranks than the root discard
//   gather                  an all_to_all, in which each rank sends all elements to the root
//   a list of tensors       one row, the tensors one after another
//   a coalesced call        as many rows
//   premul_sum              a sum of staged rows, multiplied before
//
// Ownership: the launch shares the tensors of the call, or owns their copies. Failure: run.collective for counts that
// do not fit. Cost: a copy of each staged tensor.
#pragma once

#include "ccgraph/runtime/group_call.h"
#include "collectives/launch.h"
#include "process_groups/call_checks.h"

namespace ccgraph::runtime {

class GroupLaunch {
public:
  using Clock = std::chrono::steady_clock;
  /// `rank`: within the group.
  GroupLaunch(GroupCall &&call, int64_t rank, llvm::ArrayRef<int64_t> members, Clock::time_point begun = Clock::now());
  GroupLaunch(const GroupLaunch &) = delete;
  GroupLaunch &operator=(const GroupLaunch &) = delete;

  [[nodiscard]] const GroupCall &call() const { return call_; }
  [[nodiscard]] const Launch &launch() const { return launch_; }
  /// When the call must have met those of the other ranks: its timeout after its begin.
  [[nodiscard]] Clock::time_point deadline() const { return deadline_; }
  /// Calls of different classes do not match, although their launches do: "reduce" and "all_reduce".
  [[nodiscard]] bool matches(const GroupLaunch &other) const {
    return launch_.kind == other.launch_.kind && isOwnClass() == other.isOwnClass();
  }
  /// The class of the call, for messages.
  [[nodiscard]] llvm::StringRef matchName() const;
  /// Copies staged results into the outputs; once, when the launch is complete.
  void takeResults() const;
  /// What the call fills.
  [[nodiscard]] std::vector<Tensor> result() const;

private:
  struct StagedOutput {
    Buffer outputs;
    Tensor row;
  };
  [[nodiscard]] bool isRoot() const { return call_.root == rank_; }
  [[nodiscard]] bool isOwnClass() const { return call_.op == GroupOp::Reduce || call_.op == GroupOp::Gather; }
  void addRow(llvm::ArrayRef<Tensor> inputs, llvm::ArrayRef<Tensor> outputs);
  void addInPlace();
  [[nodiscard]] Buffer sentRow(llvm::ArrayRef<Tensor> tensors) const;
  [[nodiscard]] Buffer receivedRow(llvm::ArrayRef<Tensor> tensors);
  void addRows();
  void addCounts();
  void addSplitCounts();
  void addListCounts();

  GroupCall call_;
  Clock::time_point deadline_;
  int64_t rank_;
  int64_t size_;
  Launch launch_;
  std::vector<StagedOutput> staged_;
};

/// Checks the launches of one group.
class LaunchChecker {
public:
  /// Returns why the launch of a group of so many members is not valid; empty where it is. A launch of the form of the
  /// last one is not checked again.
  [[nodiscard]] std::string check(const GroupLaunch &launch, size_t members);

private:
  /// of the last valid launch
  std::optional<CallForm> checked_;
};

/// The kind of the launch.
[[nodiscard]] CollectiveKind kindOf(GroupOp op);

} // namespace ccgraph::runtime
