#include "unit/passes/overlap/exact_schedule.h"

#include <algorithm>
#include <map>

namespace ccgraph::overlap::test {

namespace {

using StepSet = uint32_t;
/// Times of computation, of each stream, and the end of each step that is a launch.
using Moments = std::vector<int64_t>;

constexpr size_t maxSteps = 20;

class Exact {
public:
  Exact(const Problem &problem, int64_t budget)
      : problem_(problem), budget_(budget), steps_(problem.steps.size()), holders_(problem.storages.size()),
        before_(steps_) {
    for (size_t step = 0; step < steps_; ++step) {
      for (uint32_t from : problem.before[step])
        before_[step] |= bit(from);
      for (uint32_t storage : problem.holds[step])
        holders_[storage] |= bit(step);
    }
  }

  std::optional<int64_t> run() {
    const StepSet all = bit(steps_) - 1;
    fronts_[0].push_back(Moments(1 + problem_.streams + steps_, 0));
    // What is added to a set has a larger number, so a set is complete when it is the first one.
    while (!fronts_.empty() && fronts_.begin()->first != all)
      extendFirst();
    std::optional<int64_t> best;
    for (const Moments &moments : fronts_[all]) {
      int64_t end = *std::max_element(moments.begin(), moments.end());
      best = best ? std::min(*best, end) : end;
    }
    return best;
  }

private:
  static StepSet bit(size_t step) { return StepSet{1} << step; }

  void extendFirst() {
    const auto [set, front] = *fronts_.begin();
    fronts_.erase(fronts_.begin());
    for (size_t step = 0; step < steps_; ++step)
      if (canFollow(set, step))
        for (const Moments &moments : front)
          insert(fronts_[set | bit(step)], issue(moments, step));
  }

  bool canFollow(StepSet set, size_t step) const {
    bool outputLast = step + 1 < steps_ || set == bit(step) - 1;
    return outputLast && !(set & bit(step)) && (before_[step] & ~set) == 0 && aliveAt(set, step) <= budget_;
  }

  /// Returns the live bytes while the step is issued after the set: values that began and have not ended, and values
  /// that the step begins.
  int64_t aliveAt(StepSet set, size_t step) const {
    int64_t bytes = 0;
    for (size_t storage = 0; storage < holders_.size(); ++storage) {
      const Storage &it = problem_.storages[storage];
      bool begun = it.fromStart || (holders_[storage] & (set | bit(step)));
      bool ended = !it.toEnd && (holders_[storage] & ~set) == 0;
      bytes += begun && !ended ? it.bytes : 0;
    }
    return bytes;
  }

  Moments issue(Moments moments, size_t step) const {
    const Step &it = problem_.steps[step];
    int64_t &now = moments[0];
    if (it.kind == StepKind::Compute)
      now += it.picoseconds;
    for (uint32_t launch : problem_.completes[step])
      now = std::max(now, moments[end(launch)]);
    if (it.kind == StepKind::Launch) {
      int64_t &free = moments[1 + it.stream];
      free = std::max(free, now) + it.picoseconds;
      moments[end(step)] = free;
    }
    forget(moments);
    return moments;
  }

  /// A collective that has already completed affects nothing any more, so it must not distinguish two states.
  void forget(Moments &moments) const {
    for (size_t step = 0; step < steps_; ++step)
      if (moments[end(step)] <= moments[0])
        moments[end(step)] = 0;
  }
  [[nodiscard]] size_t end(size_t launch) const { return 1 + problem_.streams + launch; }

  static bool isNoLater(const Moments &a, const Moments &b) {
    return std::equal(a.begin(), a.end(), b.begin(), [](int64_t x, int64_t y) { return x <= y; });
  }
  static void insert(std::vector<Moments> &front, Moments moments) {
    for (const Moments &known : front)
      if (isNoLater(known, moments))
        return;
    front.erase(
        std::remove_if(front.begin(), front.end(), [&](const Moments &known) { return isNoLater(moments, known); }),
        front.end());
    front.push_back(std::move(moments));
  }

  const Problem &problem_;
  int64_t budget_;
  size_t steps_;
  /// by storage
  std::vector<StepSet> holders_;
  /// by step
  std::vector<StepSet> before_;
  /// by issued steps: the moments of the orders of these steps, without those that others are no later than
  std::map<StepSet, std::vector<Moments>> fronts_;
};

} // namespace

std::optional<int64_t> exactSchedule(const Problem &problem, int64_t budget) {
  return problem.steps.size() > maxSteps ? std::nullopt : Exact(problem, budget).run();
}

} // namespace ccgraph::overlap::test
