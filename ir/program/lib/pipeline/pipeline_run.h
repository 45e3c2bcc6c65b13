// PipelineRun: a simulation of a pipeline schedule, and what its actions need (ccgraph/ir/pipeline_verifier.h).
//
// Ownership: refers to the schedule, which must outlive these objects. Failure: none; an action that the schedule lacks
// is never run. Cost: linear in actions times the number of rounds.
#pragma once

#include "ccgraph/ir/pipeline_schedule.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <set>
#include <tuple>

namespace ccgraph::pipeline {

/// An action and its place.
struct Placed {
  PipelineAction action;
  size_t rank = 0;
  const PipelineSlot *slot = nullptr;
  /// position in the list of the rank; actions of one slot are consecutive
  size_t index = 0;
};
/// Returns all actions, rank by rank.
[[nodiscard]] std::vector<Placed> placedActions(const PipelineSchedule &schedule);

/// Identifies an action: kind, stage, microbatch.
using ActionKey = std::tuple<PipelineActionKind, int64_t, int64_t>;
[[nodiscard]] ActionKey keyOf(const PipelineAction &action);
[[nodiscard]] PipelineAction actionOf(PipelineActionKind kind, int64_t stage, int64_t microbatch);

/// What an action needs: one of `anyOf` must have run.
struct Need {
  std::vector<PipelineAction> anyOf;
};

/// Determines what each action needs.
class PipelineNeeds {
public:
  explicit PipelineNeeds(const PipelineSchedule &schedule)
      : stages_(schedule.stages), owners_(schedule.rankOfStages()), transfers_(schedule.hasTransfers()) {}

  [[nodiscard]] std::optional<size_t> ownerOf(int64_t stage) const {
    return stage >= 0 && stage < stages_ ? owners_[static_cast<size_t>(stage)] : std::nullopt;
  }
  /// Returns true if both stages exist and have different ranks.
  [[nodiscard]] bool isRemote(int64_t stage, int64_t other) const;
  /// Returns what must have run before the action, besides the earlier actions of its rank.
  [[nodiscard]] std::vector<Need> of(const PipelineAction &action) const;
  /// Returns the send that completes a receive.
  [[nodiscard]] static PipelineAction senderOf(const PipelineAction &receive);

private:
  /// The value that a computation reads from the neighbor: from a receive, or from the neighbor's computation.
  [[nodiscard]] Need inputOf(const PipelineAction &action, int64_t neighbor) const;

  int64_t stages_;
  std::vector<std::optional<size_t>> owners_;
  bool transfers_;
};

/// Runs every slot whose needs have run, until no other slot can run.
class PipelineRun {
public:
  explicit PipelineRun(const PipelineSchedule &schedule);

  /// Calls the observer for each slot that runs.
  void run(llvm::function_ref<void(size_t rank, const PipelineSlot &)> ran);

  /// Returns the slots that the rank has not run.
  [[nodiscard]] llvm::ArrayRef<PipelineSlot> rest(size_t rank) const {
    return llvm::makeArrayRef(schedule_.ranks[rank]).drop_front(next_[rank]);
  }
  [[nodiscard]] bool isAtEnd(size_t rank) const { return next_[rank] == schedule_.ranks[rank].size(); }
  [[nodiscard]] const PipelineSlot *slotOf(size_t rank) const { return &schedule_.ranks[rank][next_[rank]]; }
  /// Returns the action for which a slot waits; empty if the slot can run.
  [[nodiscard]] std::optional<PipelineAction> firstNeed(const PipelineSlot &slot) const;
  /// Returns the rank whose list has the action.
  [[nodiscard]] size_t rankOf(const PipelineAction &action) const { return ranks_.at(keyOf(action)); }

private:
  [[nodiscard]] std::optional<PipelineAction> openNeed(const Need &need, const PipelineSlot &slot) const;

  const PipelineSchedule &schedule_;
  PipelineNeeds needs_;
  std::vector<size_t> next_;
  std::set<ActionKey> done_;
  std::map<ActionKey, size_t> ranks_; ///< the rank whose list has the action
};

} // namespace ccgraph::pipeline
