#include "unit/passes/overlap/sound_schedule.h"

#include "schedule/overlap/replay.h"
#include "schedule/overlap/search.h"
#include "unit/passes/overlap/random_problem.h"

#include <gtest/gtest.h>

#include <set>

namespace ccgraph::overlap::test {

namespace {

constexpr unsigned links = 6;

/// Returns the same problem with a view before each launch, of the launch's input.
Problem withViews(const Problem &problem) {
  std::vector<uint32_t> numberOf;
  Problem result;
  result.storages = problem.storages;
  result.streams = problem.streams;
  result.estimatedTime = [](uint32_t, int64_t bytes) { return 10 * bytes; };
  auto mapped = [&](llvm::ArrayRef<uint32_t> row) {
    std::vector<uint32_t> numbers;
    for (uint32_t step : row)
      numbers.push_back(numberOf[step]);
    return numbers;
  };
  auto add = [&](const Step &step, llvm::ArrayRef<uint32_t> before, llvm::ArrayRef<uint32_t> holds) {
    result.before.append(before);
    result.holds.append(holds);
    result.steps.push_back(step);
    return static_cast<uint32_t>(result.steps.size() - 1);
  };
  for (uint32_t step = 0; step < problem.steps.size(); ++step) {
    std::vector<uint32_t> before = mapped(problem.before[step]);
    if (problem.steps[step].kind == StepKind::Launch) {
      std::vector<uint32_t> reads;
      for (uint32_t storage : problem.holds[step])
        if (storage != step)
          reads.push_back(storage);
      before = {add({.kind = StepKind::Free}, before, reads)};
      result.completes.endList();
    }
    result.completes.append(mapped(problem.completes[step]));
    numberOf.push_back(add(problem.steps[step], before, problem.holds[step]));
  }
  return result;
}

} // namespace

void expectLegal(const Problem &problem, const Schedule &schedule) {
  std::vector<size_t> place(problem.steps.size(), problem.steps.size());
  for (size_t at = 0; at < schedule.order.size(); ++at)
    place[schedule.order[at]] = at;
  EXPECT_EQ(schedule.order.size(), problem.steps.size());
  for (uint32_t step = 0; step < problem.steps.size(); ++step) {
    ASSERT_LT(place[step], problem.steps.size()) << "step " << step << " is gone";
    for (uint32_t before : problem.before[step])
      EXPECT_LT(place[before], place[step]);
  }
  for (const std::vector<uint32_t> &bucket : schedule.buckets)
    for (size_t at = place[bucket.front()]; at <= place[bucket.back()]; ++at) {
      uint32_t step = schedule.order[at];
      EXPECT_TRUE(problem.steps[step].kind == StepKind::Free || llvm::is_contained(bucket, step));
    }
}

int64_t peakWithBuckets(const Problem &problem, const Schedule &schedule) {
  std::vector<uint32_t> bucketOf(problem.steps.size(), none), lastWait(schedule.buckets.size(), none);
  for (uint32_t i = 0; i < schedule.buckets.size(); ++i)
    for (uint32_t member : schedule.buckets[i])
      bucketOf[member] = i;
  for (uint32_t step : schedule.order)
    for (uint32_t launch : problem.completes[step])
      if (bucketOf[launch] != none)
        lastWait[bucketOf[launch]] = step;
  Problem held = problem;
  held.holds = NumberLists();
  for (uint32_t step = 0; step < problem.steps.size(); ++step) {
    std::set<uint32_t> holds(problem.holds[step].begin(), problem.holds[step].end());
    for (uint32_t i = 0; i < schedule.buckets.size(); ++i)
      if (lastWait[i] == step)
        for (uint32_t member : schedule.buckets[i])
          holds.insert(problem.holds[member].begin(), problem.holds[member].end());
    held.holds.append(std::vector<uint32_t>(holds.begin(), holds.end()));
  }
  return replay(held, schedule).peakBytes;
}

Found found(uint64_t seed) {
  Problem problem = seed % 3 == 0 ? randomProblem(seed, links) : withViews(randomProblem(seed, links));
  for (uint32_t step = 0; step < problem.steps.size(); ++step)
    if (Step &it = problem.steps[step]; it.kind == StepKind::Launch && seed % 2 == 0)
      it.mergeKey = it.stream;
  int64_t peak = replay(problem, asItStands(problem)).peakBytes;
  Schedule schedule = search(problem, {peak, 4, 0});
  return {std::move(problem), std::move(schedule), peak + static_cast<int64_t>(seed % 8)};
}

} // namespace ccgraph::overlap::test
