#include "ccgraph/ir/pipeline_schedule.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {
namespace {

/// indexed by PipelineActionKind
constexpr llvm::StringLiteral names[numPipelineActionKinds] = {
    "F",      "B",           "I",           "W",       "SEND_F",  "RECV_F",      "SEND_B",
    "RECV_B", "WAIT_SEND_F", "WAIT_SEND_B", "UNSHARD", "RESHARD", "REDUCE_GRAD", "WAIT_REDUCE_GRAD"};

template <typename Test>
bool anyAction(const PipelineSchedule &schedule, Test test) {
  return llvm::any_of(schedule.ranks, [&](const auto &slots) {
    return llvm::any_of(slots, [&](const PipelineSlot &slot) { return llvm::any_of(slot.actions, test); });
  });
}

} // namespace

llvm::StringRef pipelineActionName(PipelineActionKind kind) { return names[static_cast<unsigned>(kind)]; }

std::optional<PipelineActionKind> parsePipelineActionKind(llvm::StringRef name) {
  const auto *found = llvm::find(names, name);
  return found == std::end(names) ? std::nullopt
                                  : std::optional(static_cast<PipelineActionKind>(found - std::begin(names)));
}

bool isCompute(PipelineActionKind kind) { return kind <= PipelineActionKind::BackwardWeight; }

bool isTransfer(PipelineActionKind kind) {
  return kind >= PipelineActionKind::SendForward && kind <= PipelineActionKind::RecvBackward;
}

std::string PipelineAction::str() const {
  std::string text = std::to_string(stage) + pipelineActionName(kind).str();
  return microbatch ? text + std::to_string(*microbatch) : text;
}

std::string PipelineSlot::str() const {
  if (actions.empty())
    return "";
  if (actions.size() == 1)
    return actions.front().str();
  std::string text = "(";
  for (const PipelineAction &action : actions)
    text += (text.size() == 1 ? "" : ";") + action.str();
  return text + ")OVERLAP_F_B";
}

std::vector<std::optional<size_t>> PipelineSchedule::rankOfStages() const {
  std::vector<std::optional<size_t>> owners(static_cast<size_t>(stages));
  for (size_t rank = 0; rank != ranks.size(); ++rank)
    for (const PipelineSlot &slot : ranks[rank])
      for (const PipelineAction &action : slot.actions)
        if (isCompute(action.kind) && action.stage >= 0 && action.stage < stages)
          if (std::optional<size_t> &owner = owners[static_cast<size_t>(action.stage)]; !owner)
            owner = rank;
  return owners;
}

bool PipelineSchedule::hasTransfers() const {
  return anyAction(*this, [](const PipelineAction &action) { return isTransfer(action.kind); });
}

} // namespace ccgraph
