#include "ccgraph/ir/pipeline_verifier.h"

#include "pipeline/pipeline_run.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::pipeline {
namespace {

using enum PipelineActionKind;

std::string at(const Placed &placed) { return "rank " + std::to_string(placed.rank) + " at " + placed.action.str(); }

/// Checks the rules that need no simulation.
class PipelineRules {
public:
  PipelineRules(const PipelineSchedule &schedule, std::vector<Diagnostic> &findings)
      : schedule_(schedule), needs_(schedule), findings_(findings) {}

  void check() {
    std::vector<Placed> all = placedActions(schedule_);
    for (const Placed &placed : all)
      visit(placed);
    for (const Placed &placed : all)
      if (needs_.ownerOf(placed.action.stage))
        checkOrder(placed);
    checkComplete();
    if (schedule_.hasTransfers() && findings_.empty())
      checkTransfers(all);
  }

private:
  Diagnostic &add(llvm::StringRef rule, std::string message, const Placed *placed = nullptr) {
    Diagnostic diagnostic;
    diagnostic.rule = rule.str();
    diagnostic.file = schedule_.origin;
    if (placed) {
      diagnostic.line = placed->slot->line;
      diagnostic.column = placed->slot->column;
      diagnostic.where = at(*placed);
    }
    diagnostic.message = std::move(message);
    findings_.push_back(std::move(diagnostic));
    return findings_.back();
  }

  void visit(const Placed &placed) {
    const PipelineAction &action = placed.action;
    if (!isInRange(placed))
      return;
    if (isCompute(action.kind) && needs_.ownerOf(action.stage) != placed.rank)
      add("pipeline.stage",
          "rank " + std::to_string(placed.rank) + " computes stage " + std::to_string(action.stage) + ", which rank " +
              std::to_string(*needs_.ownerOf(action.stage)) + " computes too; expected one rank for each stage",
          &placed);
    auto [known, isNew] = places_.try_emplace(keyOf(action), placed);
    bool mayRepeat = !isCompute(action.kind) && !isTransfer(action.kind);
    if (!isNew && !mayRepeat)
      add("pipeline.repeated", "this action is repeated, expected it once", &placed)
          .notes.push_back("the first is in line " + std::to_string(known->second.slot->line) + ", column " +
                           std::to_string(known->second.slot->column));
  }

  bool isInRange(const Placed &placed) {
    const PipelineAction &action = placed.action;
    bool isStage = action.stage >= 0 && action.stage < schedule_.stages;
    int64_t microbatch = action.microbatch.value_or(0);
    bool isMicrobatch = microbatch >= 0 && microbatch < schedule_.microbatches;
    if (!isStage)
      add("pipeline.stage",
          "there is no stage " + std::to_string(action.stage) + ", expected 0 to " +
              std::to_string(schedule_.stages - 1),
          &placed);
    if (!isMicrobatch)
      add("pipeline.stage",
          "there is no microbatch " + std::to_string(microbatch) + ", expected 0 to " +
              std::to_string(schedule_.microbatches - 1),
          &placed);
    return isStage && isMicrobatch;
  }

  /// Checks what an action needs of its own rank: it must be earlier in the list.
  void checkOrder(const Placed &placed) {
    for (const Need &need : needs_.of(placed.action)) {
      bool isOwn = llvm::all_of(need.anyOf, [&](const PipelineAction &one) {
        return !isCompute(one.kind) || needs_.ownerOf(one.stage) == needs_.ownerOf(placed.action.stage);
      });
      auto comesBefore = [&](const PipelineAction &one) {
        auto found = places_.find(keyOf(one));
        return found != places_.end() && found->second.rank == placed.rank && found->second.index < placed.index;
      };
      auto exists = [&](const PipelineAction &one) { return places_.count(keyOf(one)) > 0; };
      if (!isOwn || llvm::any_of(need.anyOf, comesBefore))
        continue;
      if (llvm::any_of(need.anyOf, exists))
        add("pipeline.order", "this action comes before " + textOf(need) + ", expected it after, on the same rank",
            &placed);
      else if (!isCompute(need.anyOf.front().kind))
        add("pipeline.missing", "this action needs " + textOf(need) + ", which no rank runs", &placed);
    }
  }

  static std::string textOf(const Need &need) {
    return need.anyOf.size() == 1 ? need.anyOf.front().str()
                                  : need.anyOf.front().str() + " or " + need.anyOf.back().str();
  }

  [[nodiscard]] bool has(PipelineActionKind kind, int64_t stage, int64_t microbatch) const {
    return places_.count({kind, stage, microbatch}) > 0;
  }

  /// Stops after some findings: a file may name a large stage and a large microbatch, and lack all others.
  void checkComplete() {
    constexpr size_t mostFindings = 20;
    for (int64_t stage = 0; stage < schedule_.stages; ++stage)
      for (int64_t microbatch = 0; microbatch < schedule_.microbatches && findings_.size() < mostFindings; ++microbatch)
        checkPair(stage, microbatch);
  }

  void checkPair(int64_t stage, int64_t microbatch) {
    auto missing = [&](PipelineActionKind kind) {
      std::string action = actionOf(kind, stage, microbatch).str();
      std::optional<size_t> owner = needs_.ownerOf(stage);
      Diagnostic &finding = add("pipeline.missing", owner ? "lacks " + action + ", expected it once"
                                                          : "no rank runs " + action + ", expected one to run it");
      if (!owner)
        return;
      finding.where = "rank " + std::to_string(*owner);
      finding.line = schedule_.ranks[*owner].front().line;
    };
    bool whole = has(Backward, stage, microbatch);
    bool input = has(BackwardInput, stage, microbatch), weight = has(BackwardWeight, stage, microbatch);
    if (!has(Forward, stage, microbatch))
      missing(Forward);
    if (!whole && !input)
      missing(weight ? BackwardInput : Backward);
    if (input && !weight && !whole)
      missing(BackwardWeight);
    if (whole && (input || weight))
      add("pipeline.repeated", "the backward of this action is repeated in parts, expected it once",
          &places_.at({input ? BackwardInput : BackwardWeight, stage, microbatch}));
  }

  // --- Transfers -----------------------------------------------------------------------------------------------------

  void checkTransfers(llvm::ArrayRef<Placed> all) {
    std::map<std::pair<size_t, size_t>, std::pair<std::vector<Placed>, std::vector<Placed>>> channels;
    for (const Placed &placed : all)
      if (isTransfer(placed.action.kind))
        addEnd(placed, channels);
    for (auto &[ranks, ends] : channels)
      comparePairs(ranks, ends);
  }

  template <typename Channels>
  void addEnd(const Placed &placed, Channels &channels) {
    const PipelineAction &action = placed.action;
    bool isSend = action.kind == SendForward || action.kind == SendBackward;
    bool isUp = action.kind == SendForward || action.kind == RecvBackward;
    int64_t other = action.stage + (isUp ? 1 : -1);
    std::optional<size_t> peer = needs_.ownerOf(other);
    if (!peer || needs_.ownerOf(action.stage) != placed.rank) {
      add("pipeline.stage",
          "this transfer needs stages " + std::to_string(action.stage) + " and " + std::to_string(other) +
              ", the first of them on its own rank",
          &placed);
      return;
    }
    if (isSend)
      channels[{placed.rank, *peer}].first.push_back(placed);
    else
      channels[{*peer, placed.rank}].second.push_back(placed);
  }

  void comparePairs(std::pair<size_t, size_t> ranks, const std::pair<std::vector<Placed>, std::vector<Placed>> &ends) {
    const auto &[sends, receives] = ends;
    for (size_t i = 0; i != std::max(sends.size(), receives.size()); ++i) {
      std::string number = std::to_string(i + 1), from = std::to_string(ranks.first), to = std::to_string(ranks.second);
      if (i >= sends.size() || i >= receives.size()) {
        const Placed &lone = i < sends.size() ? sends[i] : receives[i];
        add("pipeline.pairing",
            "rank " + from + " sends " + std::to_string(sends.size()) + " values to rank " + to + ", which receives " +
                std::to_string(receives.size()) + "; this is the first without other end",
            &lone);
        return;
      }
      if (PipelineNeeds::senderOf(receives[i].action) == sends[i].action)
        continue;
      add("pipeline.pairing",
          "receive " + number + " from rank " + from + " is paired with " + sends[i].action.str() + ", expected " +
              PipelineNeeds::senderOf(receives[i].action).str(),
          &receives[i])
          .notes.push_back("NCCL pairs the transfers of two ranks by their order: receive in the order of the sends");
      return;
    }
  }

  const PipelineSchedule &schedule_;
  PipelineNeeds needs_;
  std::vector<Diagnostic> &findings_;
  std::map<ActionKey, Placed> places_;
};

/// Returns the ranks of a circle: each waits for the next, the last for the first.
std::vector<size_t> circleOf(const PipelineRun &run, size_t rank) {
  std::vector<size_t> path;
  while (!llvm::is_contained(path, rank)) {
    path.push_back(rank);
    rank = run.rankOf(*run.firstNeed(*run.slotOf(rank)));
  }
  path.erase(path.begin(), llvm::find(path, rank));
  return path;
}

Diagnostic deadlockOf(const PipelineSchedule &schedule, const PipelineRun &run, const std::vector<size_t> &circle) {
  const PipelineSlot &first = *run.slotOf(circle.front());
  Diagnostic diagnostic;
  diagnostic.rule = "pipeline.deadlock";
  diagnostic.file = schedule.origin;
  diagnostic.line = first.line;
  diagnostic.column = first.column;
  diagnostic.where = "rank " + std::to_string(circle.front()) + " at " + first.str();
  diagnostic.message = circle.size() == 1 ? "this action waits for a later action of its own rank"
                                          : std::to_string(circle.size()) + " ranks wait for one another";
  for (size_t rank : circle) {
    PipelineAction needed = *run.firstNeed(*run.slotOf(rank));
    diagnostic.notes.push_back("rank " + std::to_string(rank) + " stands at " + run.slotOf(rank)->str() +
                               ", which needs " + needed.str() + " of rank " + std::to_string(run.rankOf(needed)));
  }
  return diagnostic;
}

} // namespace
} // namespace ccgraph::pipeline

namespace ccgraph {

std::vector<Diagnostic> verifyPipelineSchedule(const PipelineSchedule &schedule) {
  std::vector<Diagnostic> findings;
  pipeline::PipelineRules(schedule, findings).check();
  if (!findings.empty())
    return findings;
  pipeline::PipelineRun run(schedule);
  run.run([](size_t, const PipelineSlot &) {});
  for (size_t rank = 0; rank != schedule.ranks.size(); ++rank)
    if (!run.isAtEnd(rank)) {
      findings.push_back(pipeline::deadlockOf(schedule, run, pipeline::circleOf(run, rank)));
      break;
    }
  return findings;
}

} // namespace ccgraph
