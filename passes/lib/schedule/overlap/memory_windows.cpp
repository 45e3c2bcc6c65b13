#include "schedule/overlap/memory_windows.h"

#include "schedule/overlap/longest_chain.h"
#include "schedule/overlap/memory_curve.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>

namespace ccgraph::overlap {

namespace {

constexpr unsigned mostRounds = 8;
/// Storages of one step that are counted. More of them only make the step's memory larger.
constexpr size_t mostStorages = 64;

/// Bytes that count from a chain step on, or up to it.
struct Reach {
  int64_t place = 0;
  int64_t bytes = 0;
};
using Reaches = llvm::SmallVector<Reach, 8>;

class Curve {
public:
  explicit Curve(llvm::ArrayRef<int64_t> bytes) : curve_(bytes) {}

  /// Returns the last place in [from, to) with more bytes than `most`; -1 if there is none.
  [[nodiscard]] int64_t last(int64_t from, int64_t to, int64_t most) const {
    return find(from, to, most, [&](int64_t middle) { return exceeds(middle, to, most); });
  }
  /// Returns the first such place.
  [[nodiscard]] int64_t first(int64_t from, int64_t to, int64_t most) const {
    return find(from, to, most, [&](int64_t middle) { return !exceeds(from, middle, most); });
  }

private:
  /// Halves [from, to), the caller's own, and keeps the upper half where `inUpper` says so.
  template <class InUpper>
  int64_t find(int64_t &from, int64_t &to, int64_t most, InUpper inUpper) const {
    if (!exceeds(from, to, most))
      return -1;
    while (to - from > 1) {
      const int64_t middle = from + (to - from) / 2;
      (inUpper(middle) ? from : to) = middle;
    }
    return from;
  }
  [[nodiscard]] bool exceeds(int64_t from, int64_t to, int64_t most) const {
    return from < to && curve_.largest(static_cast<size_t>(from), static_cast<size_t>(to)) > most;
  }

  MemoryCurve curve_;
};

} // namespace

class MemoryWindows::Forcer {
public:
  explicit Forcer(MemoryWindows &windows) : w_(windows), curve_(windows.certain_) {}
  bool run();

private:
  bool force(uint32_t step);
  [[nodiscard]] int64_t lastWithout(uint32_t step, int64_t from, int64_t to) const;
  [[nodiscard]] int64_t firstWithout(uint32_t step, int64_t from, int64_t to) const;
  [[nodiscard]] llvm::ArrayRef<uint32_t> storages(uint32_t step) const {
    return w_.problem_.holds[step].take_front(mostStorages);
  }

  MemoryWindows &w_;
  Curve curve_;
};

// A storage that the step begins is live at each chain step from there to the last one that is sure to precede a
// holder.
int64_t MemoryWindows::Forcer::lastWithout(uint32_t step, int64_t from, int64_t to) const {
  Reaches reaches;
  for (uint32_t storage : storages(step))
    if (int64_t until = std::min(w_.begin_[storage] - 1, w_.end_[storage]); until >= from)
      reaches.push_back({until, w_.problem_.storages[storage].bytes});
  llvm::sort(reaches, [](const Reach &a, const Reach &b) { return a.place > b.place; });
  int64_t bytes = 0;
  for (size_t i = 0; i < reaches.size(); ++i) {
    bytes += reaches[i].bytes;
    int64_t below = i + 1 < reaches.size() ? std::max(from, reaches[i + 1].place + 1) : from;
    if (int64_t found = curve_.last(below, std::min(to, reaches[i].place + 1), w_.budget_ - bytes); found >= 0)
      return found;
  }
  return -1;
}

// A storage that the step is the last to hold is live at each chain step from the first one that is sure to follow a
// holder.
int64_t MemoryWindows::Forcer::firstWithout(uint32_t step, int64_t from, int64_t to) const {
  Reaches reaches;
  for (uint32_t storage : storages(step))
    if (int64_t since = std::max(w_.end_[storage] + 1, w_.begin_[storage]); since < to)
      reaches.push_back({since, w_.problem_.storages[storage].bytes});
  llvm::sort(reaches, [](const Reach &a, const Reach &b) { return a.place < b.place; });
  int64_t bytes = 0;
  for (size_t i = 0; i < reaches.size(); ++i) {
    bytes += reaches[i].bytes;
    int64_t above = i + 1 < reaches.size() ? std::min(to, reaches[i + 1].place) : to;
    if (int64_t found = curve_.first(std::max(from, reaches[i].place), above, w_.budget_ - bytes); found >= 0)
      return found;
  }
  return -1;
}

bool MemoryWindows::Forcer::force(uint32_t step) {
  const int64_t from = w_.after_[step] + 1, to = w_.before_[step];
  if (from >= to || w_.problem_.steps[step].input)
    return false;
  int64_t last = lastWithout(step, from, to), first = firstWithout(step, from, to);
  if (last >= 0)
    w_.forcedAfter_[step] = w_.after_[step] = last;
  if (first >= 0)
    w_.forcedBefore_[step] = w_.before_[step] = first;
  w_.feasible_ &= w_.after_[step] < w_.before_[step];
  return last >= 0 || first >= 0;
}

bool MemoryWindows::Forcer::run() {
  bool any = false;
  for (uint32_t step = 0; step < w_.after_.size() && w_.feasible_; ++step)
    any |= force(step);
  return any;
}

MemoryWindows::MemoryWindows(const Problem &problem, int64_t budget)
    : problem_(problem), budget_(budget), followers_(problem.before.inverse(problem.steps.size())),
      chain_(longestChain(problem)), placeOf_(problem.steps.size(), -1), forcedAfter_(problem.steps.size(), -1),
      forcedBefore_(problem.steps.size(), none) {
  if (problem.steps.empty())
    return;
  if (chain_.back() + 1 != problem.steps.size())
    chain_.push_back(static_cast<uint32_t>(problem.steps.size() - 1));
  for (size_t place = 0; place < chain_.size(); ++place)
    placeOf_[chain_[place]] = static_cast<int64_t>(place);
  for (unsigned round = 0; round < mostRounds; ++round) {
    findOrder();
    findLives();
    if (!feasible_ || !Forcer(*this).run())
      break;
  }
}

void MemoryWindows::findOrder() {
  const auto end = static_cast<int64_t>(chain_.size());
  // Inputs precede all steps that are no inputs.
  const auto behindInputs = static_cast<int64_t>(
      llvm::find_if(chain_, [&](uint32_t step) { return !problem_.steps[step].input; }) - chain_.begin());
  after_ = forcedAfter_;
  before_.assign(problem_.steps.size(), end - 1); // of the last step, which follows all others
  for (uint32_t step = 0; step < problem_.steps.size(); ++step) {
    for (uint32_t from : problem_.before[step])
      after_[step] = std::max(after_[step], after_[from]);
    after_[step] = std::max(after_[step], placeOf_[step]);
  }
  after_.back() = end - 1;
  for (auto step = static_cast<uint32_t>(problem_.steps.size()); step-- > 0;) {
    for (uint32_t follower : followers_[step])
      before_[step] = std::min(before_[step], before_[follower]);
    before_[step] = std::min(before_[step], forcedBefore_[step]);
    if (placeOf_[step] >= 0)
      before_[step] = std::min(before_[step], placeOf_[step]);
    if (problem_.steps[step].input && placeOf_[step] < 0)
      before_[step] = std::min(before_[step], behindInputs);
    feasible_ &= after_[step] < before_[step] || (placeOf_[step] >= 0 && after_[step] == before_[step]);
  }
}

void MemoryWindows::findLives() {
  const auto last = static_cast<int64_t>(chain_.size()) - 1;
  begin_.assign(problem_.storages.size(), last + 1);
  end_.assign(problem_.storages.size(), -1);
  for (uint32_t step = 0; step < problem_.steps.size(); ++step)
    for (uint32_t storage : problem_.holds[step]) {
      begin_[storage] = std::min(begin_[storage], before_[step]);
      end_[storage] = std::max(end_[storage], after_[step]);
    }
  std::vector<int64_t> change(chain_.size() + 1);
  for (size_t storage = 0; storage < problem_.storages.size(); ++storage) {
    const Storage &it = problem_.storages[storage];
    begin_[storage] = it.fromStart ? 0 : begin_[storage];
    end_[storage] = it.toEnd ? last : end_[storage];
    if (begin_[storage] > end_[storage])
      continue;
    change[static_cast<size_t>(begin_[storage])] += it.bytes;
    change[static_cast<size_t>(end_[storage]) + 1] -= it.bytes;
  }
  certain_.assign(chain_.size(), 0);
  int64_t bytes = 0;
  for (size_t place = 0; place < chain_.size(); ++place) {
    certain_[place] = bytes += change[place];
    feasible_ &= bytes <= budget_;
  }
}

std::vector<StepPair> MemoryWindows::edges() const {
  auto launches = [&](int64_t place) { return problem_.steps[chain_[place]].kind == StepKind::Launch; };
  std::vector<StepPair> edges;
  for (uint32_t step = 0; step < problem_.steps.size(); ++step) {
    int64_t after = forcedAfter_[step], before = forcedBefore_[step];
    while (after >= 0 && launches(after))
      --after;
    while (before < static_cast<int64_t>(chain_.size()) && launches(before))
      ++before;
    if (after >= 0)
      edges.emplace_back(chain_[after], step);
    if (before < static_cast<int64_t>(chain_.size()))
      edges.emplace_back(step, chain_[before]);
  }
  return edges;
}

} // namespace ccgraph::overlap
