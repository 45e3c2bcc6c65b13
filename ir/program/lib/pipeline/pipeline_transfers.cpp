#include "ccgraph/ir/pipeline_verifier.h"
#include "pipeline/pipeline_run.h"

namespace ccgraph::pipeline {
namespace {

using enum PipelineActionKind;

/// Returns the transfer of an action's result to another rank, and the receive there; empty if it stays on its rank.
std::optional<std::pair<PipelineAction, PipelineAction>> transferOf(const PipelineAction &action,
                                                                    const PipelineNeeds &needs) {
  if (action.kind == BackwardWeight || !isCompute(action.kind))
    return std::nullopt;
  bool isForward = action.kind == Forward;
  int64_t other = action.stage + (isForward ? 1 : -1);
  if (!needs.isRemote(action.stage, other))
    return std::nullopt;
  return std::pair(PipelineAction{isForward ? SendForward : SendBackward, action.stage, action.microbatch},
                   PipelineAction{isForward ? RecvForward : RecvBackward, other, action.microbatch});
}

/// Adds the transfers to a schedule.
class TransferPlacement {
public:
  explicit TransferPlacement(const PipelineSchedule &schedule)
      : schedule_(schedule), needs_(schedule), result_(schedule) {
    for (auto &slots : result_.ranks)
      slots.clear();
  }

  PipelineSchedule place() {
    PipelineRun run(schedule_);
    run.run([&](size_t rank, const PipelineSlot &slot) { add(rank, slot); });
    for (size_t rank = 0; rank != schedule_.ranks.size(); ++rank)
      for (const PipelineSlot &slot : run.rest(rank)) {
        for (const PipelineAction &action : slot.actions)
          for (const PipelineAction &receive : receivesOf(action))
            addReceive(rank, receive, slot);
        add(rank, slot);
      }
    return std::move(result_);
  }

private:
  /// Adds a slot, the sends of its results, and at the other ranks their receives.
  void add(size_t rank, const PipelineSlot &slot) {
    if (!slot.actions.empty())
      result_.ranks[rank].push_back(slot);
    for (const PipelineAction &action : slot.actions)
      if (auto transfer = transferOf(action, needs_)) {
        result_.ranks[rank].push_back({{transfer->first}, slot.line, slot.column});
        addReceive(*needs_.ownerOf(transfer->second.stage), transfer->second, slot);
      }
  }

  void addReceive(size_t rank, const PipelineAction &receive, const PipelineSlot &slot) {
    if (received_.insert(keyOf(receive)).second)
      result_.ranks[rank].push_back({{receive}, slot.line, slot.column});
  }

  /// The receives of the values that an action reads from other ranks.
  [[nodiscard]] std::vector<PipelineAction> receivesOf(const PipelineAction &action) const {
    bool isForward = action.kind == Forward;
    if (!isForward && action.kind != Backward && action.kind != BackwardInput)
      return {};
    if (!needs_.isRemote(action.stage, action.stage + (isForward ? -1 : 1)))
      return {};
    return {{isForward ? RecvForward : RecvBackward, action.stage, action.microbatch}};
  }

  const PipelineSchedule &schedule_;
  PipelineNeeds needs_;
  PipelineSchedule result_;
  std::set<ActionKey> received_;
};

} // namespace
} // namespace ccgraph::pipeline

namespace ccgraph {

PipelineSchedule withTransfers(const PipelineSchedule &schedule) {
  return pipeline::TransferPlacement(schedule).place();
}

} // namespace ccgraph
