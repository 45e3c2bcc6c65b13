#include "pipeline/pipeline_run.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::pipeline {

using enum PipelineActionKind;

ActionKey keyOf(const PipelineAction &action) { return {action.kind, action.stage, action.microbatch.value_or(-1)}; }

PipelineAction actionOf(PipelineActionKind kind, int64_t stage, int64_t microbatch) {
  return {kind, stage, microbatch};
}

std::vector<Placed> placedActions(const PipelineSchedule &schedule) {
  std::vector<Placed> all;
  for (size_t rank = 0; rank != schedule.ranks.size(); ++rank) {
    size_t index = 0;
    for (const PipelineSlot &slot : schedule.ranks[rank])
      for (const PipelineAction &action : slot.actions)
        all.push_back({action, rank, &slot, index++});
  }
  return all;
}

bool PipelineNeeds::isRemote(int64_t stage, int64_t other) const {
  std::optional<size_t> a = ownerOf(stage), b = ownerOf(other);
  return a && b && a != b;
}

static Need gradients(int64_t stage, int64_t microbatch) {
  return {{actionOf(Backward, stage, microbatch), actionOf(BackwardInput, stage, microbatch)}};
}

Need PipelineNeeds::inputOf(const PipelineAction &action, int64_t neighbor) const {
  bool isForward = action.kind == Forward;
  int64_t microbatch = action.microbatch.value_or(-1);
  if (transfers_ && isRemote(action.stage, neighbor))
    return {{actionOf(isForward ? RecvForward : RecvBackward, action.stage, microbatch)}};
  return isForward ? Need{{actionOf(Forward, neighbor, microbatch)}} : gradients(neighbor, microbatch);
}

std::vector<Need> PipelineNeeds::of(const PipelineAction &action) const {
  int64_t stage = action.stage, microbatch = action.microbatch.value_or(-1);
  switch (action.kind) {
  case Forward:
    return stage == 0 ? std::vector<Need>() : std::vector<Need>{inputOf(action, stage - 1)};
  case Backward:
  case BackwardInput: {
    std::vector<Need> needs = {{{actionOf(Forward, stage, microbatch)}}};
    if (stage + 1 < stages_)
      needs.push_back(inputOf(action, stage + 1));
    return needs;
  }
  case BackwardWeight:
    return {{{actionOf(BackwardInput, stage, microbatch)}}};
  case SendForward:
    return {{{actionOf(Forward, stage, microbatch)}}};
  case SendBackward:
    return {gradients(stage, microbatch)};
  case WaitSendForward:
    return {{{actionOf(SendForward, stage, microbatch)}}};
  case WaitSendBackward:
    return {{{actionOf(SendBackward, stage, microbatch)}}};
  case RecvForward:
  case RecvBackward:
  case Unshard:
  case Reshard:
  case ReduceGradient:
  case WaitReduceGradient:
    return {};
  }
  return {};
}

PipelineAction PipelineNeeds::senderOf(const PipelineAction &receive) {
  bool isForward = receive.kind == RecvForward;
  return {isForward ? SendForward : SendBackward, receive.stage + (isForward ? -1 : 1), receive.microbatch};
}

PipelineRun::PipelineRun(const PipelineSchedule &schedule) : schedule_(schedule), needs_(schedule) {
  next_.resize(schedule.ranks.size());
  for (const Placed &placed : placedActions(schedule))
    ranks_.try_emplace(keyOf(placed.action), placed.rank);
}

void PipelineRun::run(llvm::function_ref<void(size_t rank, const PipelineSlot &)> ran) {
  for (bool isProgress = true; isProgress;) {
    isProgress = false;
    for (size_t rank = 0; rank != schedule_.ranks.size(); ++rank) {
      if (isAtEnd(rank) || firstNeed(*slotOf(rank)))
        continue;
      for (const PipelineAction &action : slotOf(rank)->actions)
        done_.insert(keyOf(action));
      ran(rank, *slotOf(rank));
      ++next_[rank];
      isProgress = true;
    }
  }
}

/// Returns the action that completes a need: a receive that was posted completes with its send.
static PipelineAction awaited(const PipelineAction &action) {
  bool isReceive = action.kind == RecvForward || action.kind == RecvBackward;
  return isReceive ? PipelineNeeds::senderOf(action) : action;
}

std::optional<PipelineAction> PipelineRun::openNeed(const Need &need, const PipelineSlot &slot) const {
  for (const PipelineAction &one : need.anyOf)
    if (done_.count(keyOf(awaited(one))) > 0 || llvm::is_contained(slot.actions, one))
      return std::nullopt;
  for (const PipelineAction &one : need.anyOf)
    if (ranks_.count(keyOf(awaited(one))) > 0)
      return awaited(one);
  return awaited(need.anyOf.front());
}

std::optional<PipelineAction> PipelineRun::firstNeed(const PipelineSlot &slot) const {
  for (const PipelineAction &action : slot.actions)
    for (const Need &need : needs_.of(action))
      if (std::optional<PipelineAction> open = openNeed(need, slot))
        return open;
  return std::nullopt;
}

} // namespace ccgraph::pipeline
