#include "schedule/overlap/tasks.h"

#include <algorithm>

namespace ccgraph::overlap {

namespace {

/// A wait or view with more sources is a task of its own, so that a chain of them stays linear.
constexpr size_t maxFoldedSources = 64;
/// The longest computation of a leaf, including all that it needs, as a fraction of all computation.
constexpr int64_t leafParts = 100;
/// A gather is late if this fraction of all computation is between its sources and its place in program order.
constexpr int64_t lateParts = 100;
/// A task is deferrable if the path after it is below this fraction of the remaining computation.
constexpr int64_t asideFraction = 4;

/// A task that a step needs, possibly through folded steps.
struct Source {
  uint32_t task;
  bool completed;
};

/// Collects the sources of one step, each once.
class SourceSet {
public:
  void add(Source source) {
    if (source.task >= at_.size())
      at_.resize(source.task + 1, none);
    uint32_t &at = at_[source.task];
    if (at < sources_.size() && sources_[at].task == source.task) {
      sources_[at].completed |= source.completed;
      return;
    }
    at = static_cast<uint32_t>(sources_.size());
    sources_.push_back(source);
  }
  std::vector<Source> take() {
    std::sort(sources_.begin(), sources_.end(), [](Source a, Source b) { return a.task < b.task; });
    std::vector<Source> taken;
    taken.swap(sources_);
    return taken;
  }

private:
  std::vector<Source> sources_;
  /// by task: its index among the sources, valid only if that entry is the task
  std::vector<uint32_t> at_;
};

} // namespace

Tasks::Tasks(const Problem &problem)
    : problem_(problem), followers_(problem.before.inverse(problem.steps.size())),
      waitsOf_(problem.completes.inverse(problem.steps.size())) {
  fold();
  measure();
  findNeeds();
  findLeaves();
}

void Tasks::fold() {
  taskOf_.assign(problem_.steps.size(), none);
  std::vector<std::vector<Source>> folded(problem_.steps.size());
  SourceSet set;
  for (uint32_t step = 0; step < problem_.steps.size(); ++step) {
    StepKind kind = problem_.steps[step].kind;
    for (uint32_t from : problem_.before[step]) {
      if (taskOf_[from] != none)
        set.add({taskOf_[from], false});
      for (Source source : folded[from])
        set.add(source);
    }
    std::vector<Source> sources = set.take();
    if (kind == StepKind::Wait)
      for (Source &source : sources)
        source.completed |= launches(source.task);
    bool folds = kind == StepKind::Wait || kind == StepKind::Free;
    if (folds && sources.size() <= maxFoldedSources) {
      folded[step] = std::move(sources);
      continue;
    }
    taskOf_[step] = size();
    stepOf_.push_back(step);
    for (Source source : sources) {
      before_.push(source.task);
      if (source.completed)
        completed_.push(source.task);
    }
    before_.endList();
    completed_.endList();
  }
  after_ = before_.inverse(size());
}

void Tasks::measure() {
  allocates_.assign(size(), 0);
  std::vector<bool> held(problem_.storages.size());
  for (uint32_t step = 0; step < problem_.steps.size(); ++step)
    for (uint32_t storage : problem_.holds[step]) {
      if (!held[storage] && taskOf_[step] != none && !problem_.storages[storage].fromStart)
        allocates_[taskOf_[step]] += problem_.storages[storage].bytes;
      held[storage] = true;
    }
  computeBefore_.assign(size() + 1, 0);
  for (uint32_t task = 0; task < size(); ++task)
    computeBefore_[task + 1] = computeBefore_[task] + (launches(task) ? 0 : step(task).picoseconds);
}

/// Returns true for a launch that holds more memory than what it reads, and whose sources are done long before its
/// place. The program issues it late to save this memory.
bool Tasks::isLate(uint32_t task) const {
  if (!launches(task) || step(task).fixed || before(task).empty())
    return false;
  int64_t held = 0;
  for (uint32_t storage : problem_.holds[stepOf(task)])
    held += problem_.storages[storage].bytes;
  return allocates(task) > held - allocates(task) &&
         computeBefore(task) - computeBefore(before(task).back() + 1) > computeBefore(size()) / lateParts;
}

// A task is deferrable if the longest path from it to the end is short compared with the computation that still follows
// it: the gradient of a weight is, the gradient of an activation is not. Tasks that only feed deferrable tasks are
// deferrable too. Deferrable tasks need the result of a late launch as others do, since it is live until they run.
void Tasks::findNeeds() {
  neededBy_.assign(size(), size() - 1);
  std::vector<int64_t> tail(size(), 0);
  std::vector<bool> aside(size(), false);
  late_.assign(size(), false);
  for (uint32_t task = size(); task-- > 0;) {
    late_[task] = isLate(task);
    for (uint32_t user : after(task)) {
      const bool waits = launches(user) || (aside[user] && !late_[task]);
      neededBy_[task] = std::min(neededBy_[task], waits ? neededBy_[user] : user);
      tail[task] = std::max(tail[task], tail[user]);
    }
    tail[task] += step(task).picoseconds;
    aside[task] = asideFraction * tail[task] < computeBefore_[size()] - computeBefore_[task];
  }
}

void Tasks::findLeaves() {
  leaf_.assign(size(), false);
  prefetchable_.assign(size(), false);
  feedsPrefetch_.assign(size(), false);
  // A common dependence of two sources counts twice: the estimate is too high rather than too low, which is accurate
  // enough for the limit.
  const int64_t limit = computeBefore_[size()] / leafParts;
  std::vector<int64_t> cost(size(), 0);
  for (uint32_t task = 0; task < size(); ++task) {
    bool leaves = true;
    for (uint32_t from : before(task)) {
      leaves &= leaf_[from];
      cost[task] = std::min(cost[task] + cost[from], limit + 1);
    }
    if (launches(task)) {
      prefetchable_[task] = (leaves || late_[task]) && !step(task).fixed && neededBy_[task] + 1 < size();
      continue;
    }
    cost[task] = std::min(cost[task] + step(task).picoseconds, limit + 1);
    leaf_[task] = leaves && cost[task] <= limit;
  }
  for (uint32_t task = 0; task < size(); ++task) {
    feedsPrefetch_[task] =
        leaf_[task] && !step(task).input && !after(task).empty() &&
        std::all_of(after(task).begin(), after(task).end(), [&](uint32_t user) { return prefetchable_[user]; });
    if (leaf_[task] && !feedsPrefetch_[task] && step(task).picoseconds > 0)
      otherLeaves_.push_back(task);
  }
}

} // namespace ccgraph::overlap
