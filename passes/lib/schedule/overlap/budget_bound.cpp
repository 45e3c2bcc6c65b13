#include "schedule/overlap/budget_bound.h"

#include "schedule/overlap/memory_cut.h"
#include "schedule/overlap/memory_windows.h"
#include "schedule/overlap/ordered_problem.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace ccgraph::overlap {

namespace {

/// The chain is divided into parts; in each, the step with the least memory left is examined. Of a large program there
/// are fewer, since each step costs a minimum cut.
constexpr size_t fewParts = 2, manyParts = 16, stepsOfAllParts = 60'000;

/// Visits of a network's edges for each edge and each holder of the program.
constexpr size_t visitsPerEdge = 2;

/// A collective of one stream that may or must be on one side of a step, the far side.
struct Crossing {
  int64_t picoseconds = 0;
  /// the least time beyond the collective on the far side: its tail after the step, its head before the step
  int64_t limit = 0;
  /// that it holds at the step if it is on the near side; 0: it cannot be
  int64_t bytes = 0;
};

/// Returns a number that is not below the time of any of these collectives that fit the bytes: the fractional knapsack.
int64_t timeByBytes(std::vector<Crossing> choice, int64_t room) {
  auto perByte = [](const Crossing &it) { return static_cast<double>(it.picoseconds) / static_cast<double>(it.bytes); };
  llvm::sort(choice, [&](const Crossing &a, const Crossing &b) { return perByte(a) > perByte(b); });
  int64_t time = 0;
  for (const Crossing &it : choice) {
    if (it.bytes > room)
      return time + static_cast<int64_t>(perByte(it) * static_cast<double>(room)) + 1;
    time += it.picoseconds;
    room -= it.bytes;
  }
  return time;
}

/// Returns such a number too: the time of as many of the longest ones as the smallest ones that fit.
int64_t timeByCount(std::vector<Crossing> choice, int64_t room) {
  llvm::sort(choice, [](const Crossing &a, const Crossing &b) { return a.bytes < b.bytes; });
  size_t count = 0;
  for (; count < choice.size() && choice[count].bytes <= room; ++count)
    room -= choice[count].bytes;
  llvm::sort(choice, [](const Crossing &a, const Crossing &b) { return a.picoseconds > b.picoseconds; });
  int64_t time = 0;
  for (const Crossing &it : llvm::ArrayRef(choice).take_front(count))
    time += it.picoseconds;
  return time;
}

/// Returns a number that is not below the time of any collectives that are on the near side within the bytes.
int64_t timeThatFits(llvm::ArrayRef<Crossing> crossings, int64_t room) {
  std::vector<Crossing> choice;
  llvm::copy_if(crossings, std::back_inserter(choice), [](const Crossing &it) { return it.bytes > 0; });
  return std::min(timeByBytes(choice, room), timeByCount(choice, room));
}

/// Returns the maximum, over all limits, of that limit and the time of the collectives with at least that limit that do
/// not fit.
int64_t longestSide(std::vector<Crossing> crossings, int64_t room) {
  if (crossings.empty())
    return 0;
  const int64_t fits = timeThatFits(crossings, room);
  llvm::sort(crossings, [](const Crossing &a, const Crossing &b) { return a.limit > b.limit; });
  int64_t time = 0, longest = 0;
  for (const Crossing &it : crossings) {
    time += it.picoseconds;
    if (time > fits)
      longest = std::max(longest, time - fits + it.limit);
  }
  return longest;
}

/// Who holds what alone, so that no bytes count for two collectives.
struct OnlyHolders {
  explicit OnlyHolders(const Problem &problem);

  /// by storage: its first holder; its only wait, none or a number beyond all steps if it has none or several
  std::vector<uint32_t> first, wait;
  /// by step of a launch: its only wait, in the same way
  std::vector<uint32_t> waitOf;
};

OnlyHolders::OnlyHolders(const Problem &problem)
    : first(problem.storages.size(), none), wait(problem.storages.size(), none), waitOf(problem.steps.size(), none) {
  const auto several = static_cast<uint32_t>(problem.steps.size());
  auto note = [&](uint32_t &only, uint32_t step) { only = only == none ? step : several; };
  for (uint32_t step = 0; step < problem.steps.size(); ++step) {
    for (uint32_t storage : problem.holds[step]) {
      first[storage] = std::min(first[storage], step);
      if (problem.steps[step].kind == StepKind::Wait)
        note(wait[storage], step);
    }
    for (uint32_t launch : problem.completes[step])
      note(waitOf[launch], step);
  }
}

/// Returns the peaks, and in each part of the chain the step with the least memory left; no launches, since launches of
/// one bucket have no order.
std::vector<uint32_t> stepsToExamine(const Problem &problem, const MemoryWindows &windows,
                                     llvm::ArrayRef<uint32_t> peaks) {
  std::vector<uint32_t> steps;
  auto add = [&](uint32_t step) {
    if (problem.steps[step].kind != StepKind::Launch && !problem.steps[step].input && !llvm::is_contained(steps, step))
      steps.push_back(step);
  };
  for (uint32_t peak : peaks)
    add(peak);
  llvm::ArrayRef<uint32_t> chain = windows.chain();
  const size_t parts = std::clamp(stepsOfAllParts / problem.steps.size(), fewParts, manyParts);
  for (size_t part = 0; part < parts; ++part) {
    const size_t begin = chain.size() * part / parts, end = chain.size() * (part + 1) / parts;
    size_t least = begin;
    for (size_t place = begin; place < end; ++place)
      if (windows.slack(place) < windows.slack(least))
        least = place;
    if (begin < end)
      add(chain[least]);
  }
  return steps;
}

void raise(Bound &known, const Bound &other) {
  if (other.picoseconds > known.picoseconds)
    known = other;
}

/// One step at which memory is short, and what it forces.
class Shortage {
public:
  Shortage(const Problem &problem, const OnlyHolders &only, uint32_t step, int64_t budget)
      : problem_(problem), only_(only), step_(step),
        sides_(memorySides(problem, step, budget,
                           visitsPerEdge * (problem.before.values().size() + problem.holds.values().size()))),
        room_(budget - sides_.bytes) {}

  [[nodiscard]] bool isFeasible() const { return room_ >= 0; }
  void addEdges(std::vector<StepPair> &edges) const;
  [[nodiscard]] Bound bound(const JobTimes &jobs, TransferCase which) const;

private:
  using Streams = std::vector<std::vector<Crossing>>;
  [[nodiscard]] int64_t bytesIfBefore(uint32_t step) const;
  [[nodiscard]] Streams later(const JobTimes &jobs, TransferCase which) const;
  [[nodiscard]] Streams earlier(const JobTimes &jobs, TransferCase which) const;

  const Problem &problem_;
  const OnlyHolders &only_;
  uint32_t step_;
  MemorySides sides_;
  int64_t room_;
};

int64_t Shortage::bytesIfBefore(uint32_t step) const {
  int64_t bytes = 0;
  for (uint32_t storage : problem_.holds[step])
    if (only_.first[storage] == step)
      bytes += sides_.ifBegun[storage];
  return bytes;
}

void Shortage::addEdges(std::vector<StepPair> &edges) const {
  for (uint32_t step : sides_.forced)
    edges.push_back(sides_.side[step] == Side::After ? StepPair(step_, step) : StepPair(step, step_));
}

/// Returns, by stream, the collectives that are issued after the step, or hold memory there.
Shortage::Streams Shortage::later(const JobTimes &jobs, TransferCase which) const {
  Streams streams(problem_.streams);
  for (uint32_t step = 0; step < problem_.steps.size(); ++step) {
    if (problem_.steps[step].kind != StepKind::Launch || sides_.side[step] == Side::Before)
      continue;
    const bool must = sides_.side[step] == Side::After;
    const int64_t held = must ? 0 : bytesIfBefore(step);
    if (must || held > 0)
      streams[problem_.steps[step].stream].push_back({jobs.times[step][which], jobs.tails[step][which], held});
  }
  return streams;
}

/// Returns, by stream, the collectives that complete before the step, or hold memory there.
Shortage::Streams Shortage::earlier(const JobTimes &jobs, TransferCase which) const {
  Streams streams(problem_.streams);
  for (uint32_t step = 0; step < problem_.steps.size(); ++step) {
    const uint32_t wait = only_.waitOf[step];
    if (problem_.steps[step].kind != StepKind::Launch || wait >= problem_.steps.size() ||
        sides_.side[wait] == Side::After)
      continue;
    const bool must = sides_.side[wait] == Side::Before;
    int64_t held = 0;
    for (uint32_t storage : problem_.holds[wait])
      if (!must && only_.wait[storage] == wait)
        held += sides_.ifKept[storage];
    if (must || held > 0)
      streams[problem_.steps[step].stream].push_back({jobs.times[step][which], jobs.heads[step][which], held});
  }
  return streams;
}

// The step is not reached before the collectives that complete before it, and those that are issued after it do not
// begin before its end. So what a stream has on both sides adds up.
Bound Shortage::bound(const JobTimes &jobs, TransferCase which) const {
  const int64_t own = problem_.steps[step_].kind == StepKind::Compute ? jobs.times[step_][which] : 0;
  Streams after = later(jobs, which), before = earlier(jobs, which);
  Bound reached{jobs.heads[step_][which], none};
  for (uint32_t stream = 0; stream < problem_.streams; ++stream)
    raise(reached, {longestSide(std::move(before[stream]), room_), stream});
  Bound left{jobs.tails[step_][which], reached.stream};
  for (uint32_t stream = 0; stream < problem_.streams; ++stream)
    raise(left, {longestSide(std::move(after[stream]), room_), stream});
  return {reached.picoseconds + own + left.picoseconds, left.stream};
}

/// Returns the moments by step of the original problem.
std::vector<Moments> byStep(const std::vector<Moments> &moments, const std::vector<size_t> &numberOf) {
  std::vector<Moments> result;
  for (size_t number : numberOf)
    result.push_back(moments[number]);
  return result;
}

/// Returns the job times of the problem with these edges too; nullopt if no order has them all.
std::optional<JobTimes> jobTimesWith(const Problem &problem, const std::vector<StepPair> &edges) {
  std::optional<OrderedProblem> ordered = withEdges(problem, edges);
  if (!ordered)
    return std::nullopt;
  const JobTimes jobs = jobTimes(ordered->problem);
  const std::vector<size_t> &numberOf = ordered->numberOf;
  return JobTimes{byStep(jobs.times, numberOf), byStep(jobs.heads, numberOf), byStep(jobs.tails, numberOf)};
}

} // namespace

std::optional<Bounds> lowerBoundsUnder(const Problem &problem, const JobTimes &free, int64_t budget,
                                       llvm::ArrayRef<uint32_t> peaks) {
  MemoryWindows windows(problem, budget);
  if (!windows.isFeasible())
    return std::nullopt;
  std::vector<StepPair> edges = windows.edges();
  const OnlyHolders only(problem);
  std::vector<Shortage> shortages;
  for (uint32_t step : stepsToExamine(problem, windows, peaks)) {
    shortages.emplace_back(problem, only, step, budget);
    if (!shortages.back().isFeasible())
      return std::nullopt;
    shortages.back().addEdges(edges);
  }
  std::optional<JobTimes> forced;
  if (!edges.empty() && !(forced = jobTimesWith(problem, edges)))
    return std::nullopt;
  const JobTimes &jobs = forced ? *forced : free;
  Bounds bounds = lowerBounds(problem, jobs);
  for (const Shortage &shortage : shortages) {
    raise(bounds.anyOrder, shortage.bound(jobs, Unmerged));
    raise(bounds.anyMerging, shortage.bound(jobs, Merged));
  }
  return bounds;
}

} // namespace ccgraph::overlap
