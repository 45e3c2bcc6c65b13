#include "models/pipeline_schedules.h"

#include "models/refusal.h"

#include <deque>
#include <map>

namespace ccgraph::models {
namespace {

using enum PipelineActionKind;

/// Records the actions of one rank; each kind of action takes the microbatches of a stage in order.
class RankRecorder {
public:
  void add(PipelineActionKind kind, int64_t stage) { slots_.push_back({{take(kind, stage)}}); }
  void addOverlapped(int64_t forwardStage, int64_t backwardStage) {
    PipelineAction forward = take(Forward, forwardStage);
    slots_.push_back({{forward, take(Backward, backwardStage)}});
  }
  /// Adds the gradient of the weights of the oldest BackwardInput that has none; without one, nothing.
  void addOldestWeight() {
    if (waiting_.empty())
      return;
    slots_.push_back({{waiting_.front()}});
    waiting_.pop_front();
  }

  [[nodiscard]] int64_t count(PipelineActionKind kind, int64_t stage) const {
    auto found = next_.find({kind == Backward ? BackwardInput : kind, stage});
    return found == next_.end() ? 0 : found->second;
  }

  /// Returns the slots without the microbatches from `limit` on.
  [[nodiscard]] std::vector<PipelineSlot> take(int64_t limit) {
    std::vector<PipelineSlot> kept;
    for (PipelineSlot &slot : slots_)
      if (*slot.actions.front().microbatch < limit)
        kept.push_back(std::move(slot));
    return kept;
  }

private:
  /// A whole backward counts as the gradient of the input.
  PipelineAction take(PipelineActionKind kind, int64_t stage) {
    PipelineAction action{kind, stage, next_[{kind == Backward ? BackwardInput : kind, stage}]++};
    if (kind == BackwardInput)
      waiting_.push_back({BackwardWeight, stage, action.microbatch});
    return action;
  }

  std::vector<PipelineSlot> slots_;
  std::map<std::pair<PipelineActionKind, int64_t>, int64_t> next_;
  std::deque<PipelineAction> waiting_;
};

struct RankOfPipeline {
  int64_t rank = 0;
  int64_t ranks = 1;
  int64_t stagesOfRank = 1;
  int64_t microbatches = 1;
};

std::vector<PipelineSlot> gpipe(const RankOfPipeline &of) {
  RankRecorder record;
  for (PipelineActionKind kind : {Forward, Backward})
    for (int64_t i = 0; i != of.microbatches; ++i)
      record.add(kind, of.rank);
  return record.take(of.microbatches);
}

std::vector<PipelineSlot> oneForwardOneBackward(const RankOfPipeline &of) {
  RankRecorder record;
  int64_t warmup = std::min(of.ranks - 1 - of.rank, of.microbatches);
  for (int64_t i = 0; i != of.microbatches + warmup; ++i) {
    if (i < of.microbatches)
      record.add(Forward, of.rank);
    if (i >= warmup)
      record.add(Backward, of.rank);
  }
  return record.take(of.microbatches);
}

// A rank takes its stages in turn, `round` microbatches each: forwards from its first stage on, backwards from its
// last.
std::vector<PipelineSlot> interleaved(const RankOfPipeline &of) {
  RankRecorder record;
  int64_t rounds = std::max<int64_t>(1, of.microbatches / of.ranks), round = of.microbatches / rounds;
  int64_t all = of.microbatches * of.stagesOfRank;
  int64_t warmup = std::min((of.stagesOfRank - 1) * round + 2 * (of.ranks - 1 - of.rank), all);
  auto stageOf = [&](int64_t chunk) { return chunk * of.ranks + of.rank; };
  for (int64_t i = 0; i != all + warmup; ++i) {
    if (i < all)
      record.add(Forward, stageOf(i / round % of.stagesOfRank));
    if (i >= warmup)
      record.add(Backward, stageOf(of.stagesOfRank - 1 - (i - warmup) / round % of.stagesOfRank));
  }
  return record.take(of.microbatches);
}

/// The two stages of a rank in a V: `down` is near the input, `up` is near the loss.
struct Pair {
  explicit Pair(const RankOfPipeline &of) : down(of.rank), up(2 * of.ranks - 1 - of.rank) {}
  int64_t down;
  int64_t up;
};

void addZeroBubbleWarmup(RankRecorder &record, const RankOfPipeline &of, Pair stages) {
  for (int64_t i = 0; i != 2 * (of.ranks - of.rank) - 1; ++i)
    record.add(Forward, stages.down);
  for (int64_t i = 0; i != of.rank; ++i) {
    record.add(Forward, stages.up);
    record.add(Forward, stages.down);
  }
  for (int64_t i = 0; i != of.ranks - of.rank; ++i)
    for (PipelineActionKind kind : {Forward, BackwardInput, BackwardWeight})
      record.add(kind, stages.up);
}

// The steady state needs 2 * ranks - 1 microbatches. With fewer, the schedule is made for as many, and the actions of
// the others are left out.
std::vector<PipelineSlot> zeroBubbleV(const RankOfPipeline &of) {
  RankRecorder record;
  Pair stages(of);
  int64_t microbatches = std::max(2 * of.ranks - 1, of.microbatches);
  addZeroBubbleWarmup(record, of, stages);
  auto forwards = [&](int64_t stage) { return record.count(Forward, stage); };
  while (forwards(stages.up) < forwards(stages.down) || forwards(stages.down) < microbatches) {
    if (forwards(stages.down) < microbatches)
      record.add(Forward, stages.down);
    for (int64_t stage : {stages.down, stages.up}) {
      if (stage == stages.up)
        record.add(Forward, stage);
      record.add(BackwardInput, stage);
      record.add(BackwardWeight, stage);
    }
  }
  for (int64_t i = 0; i != of.rank; ++i)
    for (int64_t stage : {stages.down, stages.up})
      record.add(BackwardInput, stage);
  for (int64_t i = 0; i != of.ranks - of.rank; ++i)
    for (PipelineActionKind kind : {BackwardInput, BackwardWeight})
      record.add(kind, stages.down);
  for (int64_t stage : {stages.up, stages.down})
    while (record.count(BackwardWeight, stage) < record.count(BackwardInput, stage))
      record.add(BackwardWeight, stage);
  return record.take(of.microbatches);
}

void addDualPipeWarmup(RankRecorder &record, const RankOfPipeline &of, Pair stages) {
  const int64_t after = of.ranks - of.rank - 1;
  for (int64_t i = 0; i != 2 * after; ++i)
    record.add(Forward, stages.down);
  for (int64_t i = 0; i != of.rank + 1; ++i) {
    record.add(Forward, stages.down);
    record.add(Forward, stages.up);
  }
  for (int64_t i = 0; i != after; ++i) {
    record.add(BackwardInput, stages.up);
    record.addOldestWeight();
    record.add(Forward, stages.up);
  }
}

void addDualPipeSteady(RankRecorder &record, const RankOfPipeline &of, Pair stages) {
  for (int64_t i = 0; i != of.microbatches - 2 * of.ranks + of.rank + 1; ++i) {
    // On the last rank, the first pair does not overlap, which makes the bubble smaller.
    if (i == 0 && of.rank == of.ranks - 1) {
      record.add(Forward, stages.down);
      record.add(Backward, stages.up);
    } else {
      record.addOverlapped(stages.down, stages.up);
    }
    record.addOverlapped(stages.up, stages.down);
  }
  for (int64_t i = 0; i != of.ranks - of.rank - 1; ++i) {
    record.add(Backward, stages.up);
    record.addOverlapped(stages.up, stages.down);
  }
}

// The backwards of the second half are split; odd ranks begin with the upper stage, even ranks with the lower one.
std::vector<PipelineSlot> dualPipeV(const RankOfPipeline &of) {
  RankRecorder record;
  Pair stages(of);
  addDualPipeWarmup(record, of, stages);
  addDualPipeSteady(record, of, stages);
  const int64_t last = of.rank + 1;
  for (int64_t i = 0; i != last; ++i) {
    bool isUpSplit = of.rank % 2 == 1 ? i >= last / 2 : i > last / 2;
    record.add(isUpSplit ? BackwardInput : Backward, stages.up);
    record.add(i >= last / 2 ? BackwardInput : Backward, stages.down);
  }
  for (int64_t i = 0; i != of.ranks - of.rank - 1; ++i) {
    record.addOldestWeight();
    record.add(BackwardInput, stages.down);
  }
  for (int64_t i = 0; i != last; ++i)
    record.addOldestWeight();
  return record.take(of.microbatches);
}

std::vector<PipelineSlot> slotsOf(PipelineKind kind, const RankOfPipeline &of) {
  switch (kind) {
  case PipelineKind::GPipe:
    return gpipe(of);
  case PipelineKind::OneForwardOneBackward:
    return oneForwardOneBackward(of);
  case PipelineKind::Interleaved:
    return interleaved(of);
  case PipelineKind::ZeroBubbleV:
    return zeroBubbleV(of);
  case PipelineKind::DualPipeV:
    return dualPipeV(of);
  }
  llvm_unreachable("all kinds are listed");
}

bool isPaired(PipelineKind kind) { return kind == PipelineKind::ZeroBubbleV || kind == PipelineKind::DualPipeV; }

} // namespace

llvm::Error checkPipelineSchedule(const PipelineRequest &request) {
  const std::string &name = pipelineKindName(request.kind);
  int64_t fixed = isPaired(request.kind) ? 2 : 1, microbatches = request.numMicrobatches();
  if (request.kind != PipelineKind::Interleaved && request.stagesOfRank() != fixed)
    return refusal("gen.schedule", name,
                   "--stages-per-rank " + std::to_string(request.stagesPerRank) + ", expected " +
                       std::to_string(fixed) + ", as this schedule has",
                   "only --schedule interleaved has a choice");
  if (int64_t rounds = std::max<int64_t>(1, microbatches / request.ranks);
      request.kind == PipelineKind::Interleaved && microbatches % rounds != 0)
    return refusal("gen.schedule", name,
                   "--microbatches " + std::to_string(microbatches) + " on " + std::to_string(request.ranks) +
                       " ranks, expected a multiple of the ranks",
                   "the next multiple is " + std::to_string((microbatches / request.ranks + 1) * request.ranks));
  if (request.kind == PipelineKind::DualPipeV && microbatches < request.stages())
    return refusal("gen.schedule", name,
                   "--microbatches " + std::to_string(microbatches) + ", expected at least one for each of the " +
                       std::to_string(request.stages()) + " stages",
                   "the two directions of the schedule need as many to overlap");
  return llvm::Error::success();
}

int64_t PipelineRequest::stagesOfRank() const {
  if (stagesPerRank > 0)
    return stagesPerRank;
  return kind == PipelineKind::GPipe || kind == PipelineKind::OneForwardOneBackward ? 1 : 2;
}

int64_t PipelineRequest::rankOfStage(int64_t stage) const {
  return isPaired(kind) && stage >= ranks ? 2 * ranks - 1 - stage : stage % ranks;
}

const std::string &pipelineKindName(PipelineKind kind) {
  for (const auto &[name, one] : pipelineKinds())
    if (one == kind)
      return name;
  llvm_unreachable("all kinds have names");
}

const std::vector<std::pair<std::string, PipelineKind>> &pipelineKinds() {
  static const std::vector<std::pair<std::string, PipelineKind>> kinds = {{"gpipe", PipelineKind::GPipe},
                                                                          {"1f1b", PipelineKind::OneForwardOneBackward},
                                                                          {"interleaved", PipelineKind::Interleaved},
                                                                          {"zbv", PipelineKind::ZeroBubbleV},
                                                                          {"dualpipe", PipelineKind::DualPipeV}};
  return kinds;
}

llvm::Expected<PipelineSchedule> makePipelineSchedule(const PipelineRequest &request) {
  if (llvm::Error error = checkPipelineSchedule(request))
    return error;
  PipelineSchedule schedule;
  schedule.stages = request.stages();
  schedule.microbatches = request.numMicrobatches();
  for (int64_t rank = 0; rank != request.ranks; ++rank)
    schedule.ranks.push_back(
        slotsOf(request.kind, {rank, request.ranks, request.stagesOfRank(), schedule.microbatches}));
  return schedule;
}

} // namespace ccgraph::models
