#include "ccgraph/ir/pipeline_verifier.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>
#include <tuple>

namespace ccgraph {
namespace {

using enum PipelineStep;

/// An action and where it is.
struct Placed {
  PipelineAction action;
  size_t rank = 0;
  const PipelineSlot *slot = nullptr;
  /// position in the list of the rank; actions of one slot follow each other
  size_t index = 0;
};

/// Identifies an action: step, stage, microbatch.
using ActionKey = std::tuple<PipelineStep, int64_t, int64_t>;
ActionKey keyOf(const PipelineAction &action) { return {action.step, action.stage, action.microbatch.value_or(-1)}; }
PipelineAction actionOf(PipelineStep step, int64_t stage, int64_t microbatch) { return {step, stage, microbatch}; }

std::string at(const Placed &placed) { return "rank " + std::to_string(placed.rank) + " at " + placed.action.str(); }

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
  [[nodiscard]] bool isRemote(int64_t stage, int64_t other) const {
    std::optional<size_t> a = ownerOf(stage), b = ownerOf(other);
    return a && b && a != b;
  }

  /// Returns what must have run before the action, besides what is earlier in its rank's list.
  [[nodiscard]] std::vector<Need> of(const PipelineAction &action) const {
    int64_t stage = action.stage, microbatch = action.microbatch.value_or(-1);
    switch (action.step) {
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

  /// Returns the send that completes a receive.
  [[nodiscard]] static PipelineAction senderOf(const PipelineAction &receive) {
    bool isForward = receive.step == RecvForward;
    return {isForward ? SendForward : SendBackward, receive.stage + (isForward ? -1 : 1), receive.microbatch};
  }

private:
  static Need gradients(int64_t stage, int64_t microbatch) {
    return {{actionOf(Backward, stage, microbatch), actionOf(BackwardInput, stage, microbatch)}};
  }
  /// The value that a computation reads from the neighbor: from a receive, or from the neighbor's computation.
  [[nodiscard]] Need inputOf(const PipelineAction &action, int64_t neighbor) const {
    bool isForward = action.step == Forward;
    int64_t microbatch = action.microbatch.value_or(-1);
    if (transfers_ && isRemote(action.stage, neighbor))
      return {{actionOf(isForward ? RecvForward : RecvBackward, action.stage, microbatch)}};
    return isForward ? Need{{actionOf(Forward, neighbor, microbatch)}} : gradients(neighbor, microbatch);
  }

  int64_t stages_;
  std::vector<std::optional<size_t>> owners_;
  bool transfers_;
};

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
    if (isCompute(action.step) && needs_.ownerOf(action.stage) != placed.rank)
      add("pipeline.stage",
          "rank " + std::to_string(placed.rank) + " computes stage " + std::to_string(action.stage) + ", which rank " +
              std::to_string(*needs_.ownerOf(action.stage)) + " computes too; expected one rank for each stage",
          &placed);
    auto [known, isNew] = places_.try_emplace(keyOf(action), placed);
    bool mayRepeat = !isCompute(action.step) && !isTransfer(action.step);
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
        return !isCompute(one.step) || needs_.ownerOf(one.stage) == needs_.ownerOf(placed.action.stage);
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
      else if (!isCompute(need.anyOf.front().step))
        add("pipeline.missing", "this action needs " + textOf(need) + ", which no rank runs", &placed);
    }
  }

  static std::string textOf(const Need &need) {
    return need.anyOf.size() == 1 ? need.anyOf.front().str()
                                  : need.anyOf.front().str() + " or " + need.anyOf.back().str();
  }

  [[nodiscard]] bool has(PipelineStep step, int64_t stage, int64_t microbatch) const {
    return places_.count({step, stage, microbatch}) > 0;
  }

  /// Stops after some findings: a file may name a large stage and a large microbatch, and lack all others.
  void checkComplete() {
    constexpr size_t mostFindings = 20;
    for (int64_t stage = 0; stage < schedule_.stages; ++stage)
      for (int64_t microbatch = 0; microbatch < schedule_.microbatches && findings_.size() < mostFindings; ++microbatch)
        checkPair(stage, microbatch);
  }

  void checkPair(int64_t stage, int64_t microbatch) {
    auto missing = [&](PipelineStep step) {
      std::string action = actionOf(step, stage, microbatch).str();
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
      if (isTransfer(placed.action.step))
        addEnd(placed, channels);
    for (auto &[ranks, ends] : channels)
      comparePairs(ranks, ends);
  }

  template <typename Channels>
  void addEnd(const Placed &placed, Channels &channels) {
    const PipelineAction &action = placed.action;
    bool isSend = action.step == SendForward || action.step == SendBackward;
    bool isUp = action.step == SendForward || action.step == RecvBackward;
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

/// Runs whatever can run, until nothing can.
class PipelineRun {
public:
  explicit PipelineRun(const PipelineSchedule &schedule) : schedule_(schedule), needs_(schedule) {
    next_.resize(schedule.ranks.size());
    for (const Placed &placed : placedActions(schedule))
      ranks_.try_emplace(keyOf(placed.action), placed.rank);
  }

  /// Calls the observer for each slot that runs.
  void run(llvm::function_ref<void(size_t rank, const PipelineSlot &)> ran) {
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

  /// Returns what the rank has not run.
  [[nodiscard]] llvm::ArrayRef<PipelineSlot> rest(size_t rank) const {
    return llvm::makeArrayRef(schedule_.ranks[rank]).drop_front(next_[rank]);
  }
  [[nodiscard]] bool isAtEnd(size_t rank) const { return next_[rank] == schedule_.ranks[rank].size(); }
  [[nodiscard]] const PipelineSlot *slotOf(size_t rank) const { return &schedule_.ranks[rank][next_[rank]]; }

  /// Returns what a slot waits for; empty if it can run.
  [[nodiscard]] std::optional<PipelineAction> firstNeed(const PipelineSlot &slot) const {
    for (const PipelineAction &action : slot.actions)
      for (const Need &need : needs_.of(action))
        if (std::optional<PipelineAction> open = openNeed(need, slot))
          return open;
    return std::nullopt;
  }

  /// Returns the rank whose list has the action.
  [[nodiscard]] size_t rankOf(const PipelineAction &action) const { return ranks_.at(keyOf(action)); }

private:
  /// A receive that was posted completes with its send.
  static PipelineAction awaited(const PipelineAction &action) {
    bool isReceive = action.step == RecvForward || action.step == RecvBackward;
    return isReceive ? PipelineNeeds::senderOf(action) : action;
  }

  [[nodiscard]] std::optional<PipelineAction> openNeed(const Need &need, const PipelineSlot &slot) const {
    for (const PipelineAction &one : need.anyOf)
      if (done_.count(keyOf(awaited(one))) > 0 || llvm::is_contained(slot.actions, one))
        return std::nullopt;
    for (const PipelineAction &one : need.anyOf)
      if (ranks_.count(keyOf(awaited(one))) > 0)
        return awaited(one);
    return awaited(need.anyOf.front());
  }

  const PipelineSchedule &schedule_;
  PipelineNeeds needs_;
  std::vector<size_t> next_;
  std::set<ActionKey> done_;
  std::map<ActionKey, size_t> ranks_; ///< the rank whose list has the action
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

/// Returns the transfer of an action's result to another rank, and the receive there; empty if it stays on its rank.
std::optional<std::pair<PipelineAction, PipelineAction>> transferOf(const PipelineAction &action,
                                                                    const PipelineNeeds &needs) {
  if (action.step == BackwardWeight || !isCompute(action.step))
    return std::nullopt;
  bool isForward = action.step == Forward;
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
    bool isForward = action.step == Forward;
    if (!isForward && action.step != Backward && action.step != BackwardInput)
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

std::vector<Diagnostic> verifyPipelineSchedule(const PipelineSchedule &schedule) {
  std::vector<Diagnostic> findings;
  PipelineRules(schedule, findings).check();
  if (!findings.empty())
    return findings;
  PipelineRun run(schedule);
  run.run([](size_t, const PipelineSlot &) {});
  for (size_t rank = 0; rank != schedule.ranks.size(); ++rank)
    if (!run.isAtEnd(rank)) {
      findings.push_back(deadlockOf(schedule, run, circleOf(run, rank)));
      break;
    }
  return findings;
}

PipelineSchedule withTransfers(const PipelineSchedule &schedule) { return TransferPlacement(schedule).place(); }

} // namespace ccgraph
