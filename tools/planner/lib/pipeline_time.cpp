#include "planner/pipeline_time.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>
#include <set>

namespace ccgraph::planner {
namespace {

constexpr int64_t notYet = -1;

/// What each computation of a microbatch takes, or adds.
struct ByComputation {
  int64_t forward = 0;
  int64_t backward = 0;
  int64_t backwardInput = 0;
  int64_t backwardWeight = 0;
};

/// Returns the amount of an action; 0 for one that computes nothing.
int64_t amountOf(PipelineActionKind kind, const ByComputation &amounts) {
  switch (kind) {
  case PipelineActionKind::Forward:
    return amounts.forward;
  case PipelineActionKind::Backward:
    return amounts.backward;
  case PipelineActionKind::BackwardInput:
    return amounts.backwardInput;
  case PipelineActionKind::BackwardWeight:
    return amounts.backwardWeight;
  case PipelineActionKind::SendForward:
  case PipelineActionKind::RecvForward:
  case PipelineActionKind::SendBackward:
  case PipelineActionKind::RecvBackward:
  case PipelineActionKind::WaitSendForward:
  case PipelineActionKind::WaitSendBackward:
  case PipelineActionKind::Unshard:
  case PipelineActionKind::Reshard:
  case PipelineActionKind::ReduceGradient:
  case PipelineActionKind::WaitReduceGradient:
    return 0;
  }
  llvm_unreachable("all kinds are listed");
}

int64_t durationOf(PipelineActionKind kind, const StageTimes &times) {
  return amountOf(kind, {.forward = times.forward,
                         .backward = times.backward,
                         .backwardInput = times.backward - times.weights,
                         .backwardWeight = times.weights});
}

/// The actions of a rank in their order.
std::vector<PipelineAction> actionsOf(const std::vector<PipelineSlot> &slots) {
  std::vector<PipelineAction> actions;
  for (const PipelineSlot &slot : slots)
    llvm::append_range(actions, slot.actions);
  return actions;
}

std::vector<std::vector<int64_t>> stagesOfRanks(const PipelineSchedule &schedule) {
  std::vector<std::vector<int64_t>> stages(schedule.ranks.size());
  int64_t stage = 0;
  for (std::optional<size_t> owner : schedule.rankOfStages())
    stages[*owner].push_back(stage++);
  return stages;
}

/// Runs whatever can run until all has run.
class Simulation {
public:
  Simulation(const PipelineSchedule &schedule, const PipelineCosts &costs)
      : schedule_(schedule), costs_(costs), owners_(schedule.rankOfStages()), stagesOf_(stagesOfRanks(schedule)),
        forwardEnds_(schedule.stages * schedule.microbatches, notYet),
        backwardEnds_(schedule.stages * schedule.microbatches, notYet) {
    for (size_t rank = 0; rank != schedule.ranks.size(); ++rank)
      ranks_.push_back({actionsOf(schedule.ranks[rank]), 0, sumOf(rank, costs.times, &StageTimes::gather), 0});
  }

  PipelineTime run() {
    for (bool isRunning = true; isRunning;) {
      isRunning = false;
      for (RankState &rank : ranks_)
        isRunning = runWhatCan(rank) || isRunning;
    }
    return result();
  }

private:
  struct RankState {
    std::vector<PipelineAction> actions;
    size_t next = 0;
    int64_t time = 0;
    int64_t bubble = 0;
  };

  [[nodiscard]] const StageTimes &timesOf(int64_t stage) const { return costs_.times[static_cast<size_t>(stage)]; }
  [[nodiscard]] int64_t sumOf(size_t rank, const std::vector<StageTimes> &times, int64_t StageTimes::*part) const {
    int64_t sum = 0;
    for (int64_t stage : stagesOf_[rank])
      sum += times[static_cast<size_t>(stage)].*part;
    return sum;
  }

  int64_t &endOf(std::vector<int64_t> &ends, int64_t stage, int64_t microbatch) const {
    return ends[static_cast<size_t>(stage * schedule_.microbatches + microbatch)];
  }
  /// Returns when the result of another stage is there.
  int64_t arrival(std::vector<int64_t> &ends, int64_t from, const PipelineAction &action) {
    const int64_t end = endOf(ends, from, *action.microbatch);
    const bool isTransferred = owners_[static_cast<size_t>(from)] != owners_[static_cast<size_t>(action.stage)];
    return end == notYet || !isTransferred ? end : end + timesOf(std::min(from, action.stage)).transfer;
  }
  /// Returns when the values are there that the action needs; notYet if they are not known.
  int64_t readyAt(const PipelineAction &action) {
    const bool isForward = action.kind == PipelineActionKind::Forward;
    const bool isBackward =
        action.kind == PipelineActionKind::Backward || action.kind == PipelineActionKind::BackwardInput;
    if (isForward && action.stage > 0)
      return arrival(forwardEnds_, action.stage - 1, action);
    if (isBackward && action.stage + 1 < schedule_.stages)
      return arrival(backwardEnds_, action.stage + 1, action);
    return 0;
  }

  bool runWhatCan(RankState &rank) {
    const size_t before = rank.next;
    for (; rank.next != rank.actions.size(); ++rank.next) {
      const PipelineAction &action = rank.actions[rank.next];
      const int64_t ready = readyAt(action);
      if (ready == notYet)
        break;
      rank.bubble += std::max<int64_t>(ready - rank.time, 0);
      rank.time = std::max(rank.time, ready) + durationOf(action.kind, timesOf(action.stage));
      if (action.kind == PipelineActionKind::Forward)
        endOf(forwardEnds_, action.stage, *action.microbatch) = rank.time;
      else if (action.kind != PipelineActionKind::BackwardWeight)
        endOf(backwardEnds_, action.stage, *action.microbatch) = rank.time;
    }
    return rank.next != before;
  }

  [[nodiscard]] PipelineTime result() const {
    PipelineTime last;
    std::vector<int64_t> busy;
    for (size_t rank = 0; rank != ranks_.size(); ++rank) {
      assert(ranks_[rank].next == ranks_[rank].actions.size() && "a verified schedule runs to its end");
      const int64_t end = ranks_[rank].time + sumOf(rank, costs_.times, &StageTimes::update);
      busy.push_back(end - ranks_[rank].bubble);
      if (end > last.stepPs)
        last = {end, ranks_[rank].bubble, exposedOf(rank)};
    }
    last.busyPs = std::move(busy);
    return last;
  }
  [[nodiscard]] int64_t exposedOf(size_t rank) const {
    auto sum = [&](int64_t StageTimes::*part) { return sumOf(rank, costs_.exposed, part); };
    return sum(&StageTimes::gather) + sum(&StageTimes::update) +
           schedule_.microbatches * (sum(&StageTimes::forward) + sum(&StageTimes::backward));
  }

  const PipelineSchedule &schedule_;
  const PipelineCosts &costs_;
  std::vector<std::optional<size_t>> owners_;
  std::vector<std::vector<int64_t>> stagesOf_;
  std::vector<RankState> ranks_;
  /// by stage and microbatch
  std::vector<int64_t> forwardEnds_, backwardEnds_;
};

/// Sums what a rank's stages have.
struct RankMemory {
  int64_t whole = 0;
  int64_t update = 0;
};

RankMemory memoryOfRank(const std::vector<StageMemory> &stages, llvm::ArrayRef<int64_t> own) {
  RankMemory memory;
  for (int64_t stage : own) {
    const StageMemory &of = stages[static_cast<size_t>(stage)];
    memory.whole += of.stored + of.gathered;
    memory.update += of.update;
  }
  return memory;
}

/// Returns by how much the bytes of microbatches in flight change with an action.
int64_t changeBy(PipelineActionKind kind, const StageMemory &stage) {
  return amountOf(kind, {.forward = stage.saved,
                         .backward = -stage.saved,
                         .backwardInput = stage.pending - stage.saved,
                         .backwardWeight = -stage.pending});
}

/// Returns the most bytes of microbatches in flight and of sums of gradients. While a forward or a backward runs, its
/// microbatch needs `working`, which includes what is saved.
int64_t microbatchBytes(llvm::ArrayRef<PipelineAction> actions, const std::vector<StageMemory> &stages) {
  int64_t inFlight = 0, most = 0;
  std::set<int64_t> withSums;
  for (const PipelineAction &action : actions) {
    const StageMemory &stage = stages[static_cast<size_t>(action.stage)];
    if (action.kind == PipelineActionKind::Forward)
      most = std::max(most, inFlight + stage.working);
    else if (action.kind != PipelineActionKind::BackwardWeight)
      most = std::max(most, inFlight - stage.saved + stage.working);
    inFlight += changeBy(action.kind, stage);
    if (action.kind != PipelineActionKind::Forward && withSums.insert(action.stage).second)
      inFlight += stage.sums;
    most = std::max(most, inFlight);
  }
  return most;
}

std::vector<std::vector<int64_t>> stagesOfRanks(const models::PipelineRequest &request) {
  std::vector<std::vector<int64_t>> stages(static_cast<size_t>(request.ranks));
  for (int64_t stage = 0; stage != request.stages(); ++stage)
    stages[static_cast<size_t>(request.rankOfStage(stage))].push_back(stage);
  return stages;
}

} // namespace

PipelineTime pipelineTime(const PipelineSchedule &schedule, const PipelineCosts &costs) {
  return Simulation(schedule, costs).run();
}

int64_t pipelineMemory(const PipelineSchedule &schedule, const std::vector<StageMemory> &stages) {
  int64_t most = 0;
  const std::vector<std::vector<int64_t>> own = stagesOfRanks(schedule);
  for (size_t rank = 0; rank != own.size(); ++rank) {
    const RankMemory memory = memoryOfRank(stages, own[rank]);
    most = std::max({most, memory.update, memory.whole + microbatchBytes(actionsOf(schedule.ranks[rank]), stages)});
  }
  return most;
}

int64_t busiestRankTime(const models::PipelineRequest &request, const std::vector<StageTimes> &times) {
  std::vector<int64_t> arrivals = {0};
  for (int64_t stage = 0; stage + 1 != request.stages(); ++stage) {
    const StageTimes &of = times[static_cast<size_t>(stage)];
    const bool isTransferred = request.rankOfStage(stage) != request.rankOfStage(stage + 1);
    arrivals.push_back(arrivals.back() + of.forward + (isTransferred ? of.transfer : 0));
  }
  int64_t most = 0;
  for (const std::vector<int64_t> &own : stagesOfRanks(request)) {
    int64_t gather = 0, busy = 0;
    for (int64_t stage : own) {
      const StageTimes &of = times[static_cast<size_t>(stage)];
      gather += of.gather;
      busy += request.numMicrobatches() * (of.forward + of.backward) + of.update;
    }
    most = std::max(most, std::max(gather, arrivals[static_cast<size_t>(own.front())]) + busy);
  }
  return most;
}

int64_t leastPipelineMemory(const models::PipelineRequest &request, const std::vector<StageMemory> &stages) {
  int64_t most = 0;
  for (const std::vector<int64_t> &own : stagesOfRanks(request)) {
    const RankMemory memory = memoryOfRank(stages, own);
    int64_t largest = 0, smallest = std::numeric_limits<int64_t>::max(), sums = 0;
    for (int64_t stage : own) {
      const StageMemory &of = stages[static_cast<size_t>(stage)];
      largest = std::max(largest, of.working);
      smallest = std::min(smallest, of.working);
      sums += of.sums;
    }
    // The last backward of several microbatches runs beside the sums of all stages.
    const int64_t atEnd = sums + (request.numMicrobatches() > 1 ? smallest : 0);
    most = std::max({most, memory.update, memory.whole + largest, memory.whole + atEnd});
  }
  return most;
}

} // namespace ccgraph::planner
