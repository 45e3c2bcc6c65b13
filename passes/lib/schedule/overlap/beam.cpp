#include "schedule/overlap/beam.h"

#include <algorithm>
#include <unordered_map>

namespace ccgraph::overlap {

namespace {

using StepSet = uint64_t;
constexpr size_t maxSteps = 64;

/// The times of computation, of each stream, and the end of each launch that has not completed.
using Moments = std::vector<int64_t>;

struct State {
  StepSet issued = 0;
  Moments moments;
  int64_t peak = 0;
  int64_t bound = 0;
  /// the last step, and the index of the previous state in the level above
  uint32_t step = none;
  uint32_t parent = none;
};

class Beam {
public:
  Beam(const Problem &problem, const BeamOptions &options)
      : problem_(problem), options_(options), before_(problem.steps.size()), holders_(problem.storages.size()) {
    for (uint32_t step = 0; step < problem.steps.size(); ++step) {
      for (uint32_t from : problem.before[step])
        before_[step] |= bit(from);
      for (uint32_t storage : problem.holds[step])
        holders_[storage] |= bit(step);
      if (problem.steps[step].input)
        inputs_ |= bit(step);
    }
  }
  std::optional<BeamResult> run();

private:
  using Level = std::vector<State>;
  static StepSet bit(uint32_t step) { return StepSet{1} << step; }
  [[nodiscard]] bool canFollow(const State &state, uint32_t step) const;
  [[nodiscard]] uint32_t forced(const State &state) const;
  [[nodiscard]] int64_t aliveAt(StepSet issued, uint32_t step) const;
  [[nodiscard]] State follow(const State &state, uint32_t index, uint32_t step, int64_t alive) const;
  [[nodiscard]] int64_t boundOf(const State &state) const;
  Level next(const Level &level);
  void expand(const State &state, uint32_t index, Level &level);
  void insert(Level &level, State state);
  [[nodiscard]] Schedule trace(const State &last) const;

  const Problem &problem_;
  BeamOptions options_;
  /// by step, by storage
  std::vector<StepSet> before_, holders_;
  StepSet inputs_ = 0;
  std::vector<Level> levels_;
  /// of the level under construction: the states of each set
  std::unordered_multimap<StepSet, uint32_t> bySet_;
  bool pruned_ = false;
};

/// Returns the live bytes while the step is issued after the set: storages that have begun and not ended, and those
/// that the step begins.
int64_t Beam::aliveAt(StepSet issued, uint32_t step) const {
  int64_t bytes = 0;
  for (size_t storage = 0; storage < holders_.size(); ++storage) {
    const Storage &it = problem_.storages[storage];
    bool begun = it.fromStart || (holders_[storage] & (issued | bit(step))) != 0;
    bool ended = !it.toEnd && (holders_[storage] & ~issued) == 0;
    bytes += begun && !ended ? it.bytes : 0;
  }
  return bytes;
}

/// The last step returns the results of the program, and stays last.
bool Beam::canFollow(const State &state, uint32_t step) const {
  bool inputsFirst = problem_.steps[step].input || (inputs_ & ~state.issued) == 0;
  bool outputLast = step + 1 < problem_.steps.size() || state.issued == bit(step) - 1;
  return inputsFirst && outputLast && (state.issued & bit(step)) == 0 && (before_[step] & ~state.issued) == 0;
}

/// A view or an input costs nothing at any position, so the first one that can be next is chosen.
uint32_t Beam::forced(const State &state) const {
  for (uint32_t step = 0; step < problem_.steps.size(); ++step)
    if ((problem_.steps[step].input || problem_.steps[step].kind == StepKind::Free) && canFollow(state, step))
      return step;
  return none;
}

int64_t Beam::boundOf(const State &state) const {
  int64_t bound = state.moments[0];
  std::vector<int64_t> ends(state.moments.begin(),
                            state.moments.begin() + static_cast<ptrdiff_t>(1 + problem_.streams));
  for (uint32_t step = 0; step < problem_.steps.size(); ++step) {
    const Step &it = problem_.steps[step];
    if ((state.issued & bit(step)) == 0 && (it.kind == StepKind::Compute || it.kind == StepKind::Launch))
      ends[it.kind == StepKind::Compute ? 0 : 1 + it.stream] += it.picoseconds;
  }
  for (int64_t end : ends)
    bound = std::max(bound, end);
  return bound;
}

State Beam::follow(const State &state, uint32_t index, uint32_t step, int64_t alive) const {
  State next = state;
  const Step &it = problem_.steps[step];
  const size_t firstEnd = 1 + problem_.streams;
  int64_t &now = next.moments[0];
  if (it.kind == StepKind::Compute)
    now += it.picoseconds;
  for (uint32_t launch : problem_.completes[step])
    now = std::max(now, next.moments[firstEnd + launch]);
  if (it.kind == StepKind::Launch) {
    int64_t &free = next.moments[1 + it.stream];
    free = std::max(free, now) + it.picoseconds;
    next.moments[firstEnd + step] = free;
  }
  // Completed collectives have no further influence, so they must not distinguish two states.
  for (size_t end = firstEnd; end < next.moments.size(); ++end)
    next.moments[end] = next.moments[end] <= now ? 0 : next.moments[end];
  next.issued |= bit(step);
  next.peak = std::max(state.peak, alive);
  next.step = step;
  next.parent = index;
  next.bound = boundOf(next);
  return next;
}

static bool isNoLater(const Moments &a, const Moments &b) {
  return std::equal(a.begin(), a.end(), b.begin(), [](int64_t x, int64_t y) { return x <= y; });
}

/// Inserts the state unless another order of the same set is no later in any component. States that it dominates stay,
/// and lose in the ranking.
void Beam::insert(Level &level, State state) {
  auto [first, last] = bySet_.equal_range(state.issued);
  for (auto known = first; known != last; ++known) {
    State &other = level[known->second];
    if (isNoLater(other.moments, state.moments))
      return;
    if (isNoLater(state.moments, other.moments)) {
      other = std::move(state);
      return;
    }
  }
  bySet_.emplace(state.issued, static_cast<uint32_t>(level.size()));
  level.push_back(std::move(state));
}

void Beam::expand(const State &state, uint32_t index, Level &level) {
  uint32_t only = forced(state);
  for (uint32_t step = 0; step < problem_.steps.size(); ++step) {
    if (only != none ? step != only : !canFollow(state, step))
      continue;
    int64_t alive = aliveAt(state.issued, step);
    if (alive <= options_.budget)
      insert(level, follow(state, index, step, alive));
  }
}

Beam::Level Beam::next(const Level &level) {
  Level below;
  bySet_.clear();
  for (uint32_t index = 0; index < level.size(); ++index)
    expand(level[index], index, below);
  if (below.size() <= options_.width)
    return below;
  pruned_ = true;
  auto better = [](const State &a, const State &b) {
    return std::tie(a.bound, a.moments, a.issued) < std::tie(b.bound, b.moments, b.issued);
  };
  auto cut = below.begin() + static_cast<ptrdiff_t>(options_.width);
  std::nth_element(below.begin(), cut, below.end(), better);
  below.erase(cut, below.end());
  std::sort(below.begin(), below.end(), better);
  return below;
}

Schedule Beam::trace(const State &last) const {
  Schedule schedule;
  schedule.picoseconds = last.bound;
  schedule.peakBytes = last.peak;
  const State *state = &last;
  for (size_t level = levels_.size(); level-- > 1;) {
    schedule.order.push_back(state->step);
    state = &levels_[level - 1][state->parent];
  }
  std::reverse(schedule.order.begin(), schedule.order.end());
  return schedule;
}

std::optional<BeamResult> Beam::run() {
  State first;
  first.moments.assign(1 + problem_.streams + problem_.steps.size(), 0);
  levels_.push_back({first});
  for (size_t level = 0; level < problem_.steps.size(); ++level)
    levels_.push_back(next(levels_[level]));
  if (levels_.back().empty())
    return std::nullopt;
  auto best = std::min_element(levels_.back().begin(), levels_.back().end(),
                               [](const State &a, const State &b) { return a.bound < b.bound; });
  return BeamResult{trace(*best), !pruned_};
}

} // namespace

bool isSmallForBeam(const Problem &problem) { return problem.steps.size() <= maxSteps; }

std::optional<BeamResult> beam(const Problem &problem, const BeamOptions &options) {
  return isSmallForBeam(problem) ? Beam(problem, options).run() : std::nullopt;
}

} // namespace ccgraph::overlap
