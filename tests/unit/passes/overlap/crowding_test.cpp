// Tests machines on which collectives share links and slow computation down: by hand, against a perfect machine,
// against a simulation in small ticks, and with the search.
#include "schedule/overlap/bound.h"
#include "schedule/overlap/replay.h"
#include "schedule/overlap/search.h"
#include "unit/passes/overlap/problem_text.h"
#include "unit/passes/overlap/random_problem.h"

#include <cmath>
#include <deque>

using namespace ccgraph::overlap;
using namespace ccgraph::overlap::test;

namespace {

constexpr unsigned programs = 2000;
constexpr unsigned links = 5;

Replay replayOf(const Problem &problem) { return replay(problem, asItStands(problem)); }

Replay onOneLink(llvm::StringRef text, int64_t slowdownPpm = 0) {
  NamedProblem named = problemOf(text);
  named.problem.crowding = {std::vector<uint32_t>(named.problem.streams, 0), slowdownPpm};
  return replayOf(named.problem);
}

/// All streams share one link; each collective has a latency of a fifth, and the slowdown depends on the seed.
Problem crowdedProblem(uint64_t seed) {
  constexpr int64_t finer = 1000;
  Problem problem = randomProblem(seed, links);
  for (Step &step : problem.steps) {
    step.picoseconds *= finer;
    step.latency = step.kind == StepKind::Launch ? step.picoseconds / 5 : 0;
  }
  problem.crowding = {std::vector<uint32_t>(problem.streams, 0), static_cast<int64_t>(seed % 3) * 500'000};
  return problem;
}

/// Returns an order in which collectives run concurrently, unlike in the program's own order.
Schedule overlapped(Problem problem) {
  problem.crowding = {};
  return search(problem, {unlimited, 8, 0});
}

/// Simulates a machine in ticks: the state of each stream, independent of the library's clock.
class TickMachine {
public:
  explicit TickMachine(const Problem &problem) : problem_(problem), ended_(problem.steps.size()) {
    streams_.resize(problem.streams);
  }
  double total(const std::vector<uint32_t> &order) {
    for (uint32_t step : order)
      issue(step);
    while (isRunning())
      tick();
    return now_;
  }

private:
  struct Running {
    uint32_t launch;
    double latency, work;
  };
  void issue(uint32_t step) {
    const Step &it = problem_.steps[step];
    if (it.kind == StepKind::Launch)
      streams_[it.stream].push_back(
          {step, static_cast<double>(it.latency), static_cast<double>(it.picoseconds - it.latency)});
    if (it.kind == StepKind::Compute)
      for (double left = static_cast<double>(it.picoseconds); left > 0;) {
        double speed = isRunning() ? 1 / (1 + static_cast<double>(problem_.crowding.slowdownPpm) / 1e6) : 1;
        left -= tickLength * speed;
        tick();
      }
    for (uint32_t launch : problem_.completes[step])
      while (!ended_[launch])
        tick();
  }
  [[nodiscard]] bool isRunning() const {
    return std::any_of(streams_.begin(), streams_.end(), [](const auto &stream) { return !stream.empty(); });
  }
  void tick() {
    double crowd = 0;
    for (const auto &stream : streams_)
      crowd += !stream.empty() && stream.front().latency <= 0;
    for (auto &stream : streams_) {
      if (stream.empty())
        continue;
      Running &first = stream.front();
      (first.latency > 0 ? first.latency : first.work) -= first.latency > 0 ? tickLength : tickLength / crowd;
      if (first.latency <= 0 && first.work <= 0) {
        ended_[first.launch] = true;
        stream.pop_front();
      }
    }
    now_ += tickLength;
  }

  static constexpr double tickLength = 20;
  const Problem &problem_;
  std::vector<std::deque<Running>> streams_;
  std::vector<bool> ended_;
  double now_ = 0;
};

} // namespace

TEST(Crowding, TransfersOnOneLinkShareItEvenly) {
  llvm::StringRef text = "g launch 10\n"
                         "h launch 30 stream 1\n"
                         "w wait completes g\n"
                         "v wait completes h\n";
  Replay shared = onOneLink(text);
  EXPECT_EQ(shared.end[0], 20);
  EXPECT_EQ(shared.end[1], 40) << "ten of its thirty beside the other, twenty alone";
  EXPECT_EQ(shared.exposedBy[0], 20);
  EXPECT_EQ(shared.exposedBy[1], 20);
  EXPECT_EQ(shared.busy[1], 40);
  EXPECT_EQ(replayOf(problemOf(text).problem).total, 30) << "of a perfect machine";
}

TEST(Crowding, LatencyIsNotShared) {
  Replay result = onOneLink("g launch 10 latency 10\n"
                            "h launch 30 stream 1 latency 5\n"
                            "w wait completes g\n"
                            "v wait completes h\n");
  EXPECT_EQ(result.end[0], 10);
  EXPECT_EQ(result.end[1], 30);
}

TEST(Crowding, AStreamWithALinkOfItsOwnIsAlone) {
  NamedProblem named = problemOf("g launch 10\n"
                                 "h launch 10 stream 1\n"
                                 "i launch 10 stream 2\n"
                                 "w wait completes i\n");
  named.problem.crowding.linkOf = {0, 0, none};
  EXPECT_EQ(replayOf(named.problem).end[2], 10);
  EXPECT_EQ(replayOf(named.problem).total, 20);
}

TEST(Crowding, ComputationIsSlowerWhileATransferRuns) {
  Replay result = onOneLink("g launch 15\n"
                            "a compute 20\n"
                            "w wait completes g\n",
                            500'000);
  // During the collective, computation takes 15 for the work of 10; the other 10 run alone.
  EXPECT_EQ(result.total, 25);
  EXPECT_EQ(result.compute, 25);
  EXPECT_EQ(result.exposed, 0);
  EXPECT_EQ(result.left[1], 25);
}

TEST(Crowding, TransfersThatTakeNoTimeEndAsTheyBegin) {
  std::string text = "g launch 7\n";
  constexpr unsigned many = 100'000;
  for (unsigned i = 0; i < many; ++i)
    text += "z" + std::to_string(i) + " launch 0\n";
  text += "w wait completes z" + std::to_string(many - 1) + "\n";
  Replay result = onOneLink(text);
  EXPECT_EQ(result.end[many], 7);
  EXPECT_EQ(result.total, 7);
}

TEST(Crowding, WithoutSharersAndSlowdownAMachineIsPerfect) {
  for (unsigned seed = 1; seed <= programs; ++seed) {
    Problem problem = randomProblem(seed, links);
    Replay perfect = replayOf(problem);
    problem.crowding.linkOf.assign(problem.streams, none);
    Replay alone = replayOf(problem);
    EXPECT_EQ(alone.total, perfect.total) << "seed " << seed;
    EXPECT_EQ(alone.begin, perfect.begin) << "seed " << seed;
    EXPECT_EQ(alone.end, perfect.end) << "seed " << seed;
    EXPECT_EQ(alone.exposedBy, perfect.exposedBy) << "seed " << seed;
  }
}

TEST(Crowding, AgreesWithAMachineInTicks) {
  unsigned stretched = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    Problem problem = crowdedProblem(seed);
    Schedule schedule = overlapped(problem);
    int64_t total = replay(problem, schedule).total;
    double ticks = TickMachine(problem).total(schedule.order);
    // At most one tick is lost at the end of each collective and each computation.
    EXPECT_NEAR(static_cast<double>(total), ticks, 40.0 * static_cast<double>(problem.steps.size())) << "seed " << seed;
    Problem perfect = problem;
    perfect.crowding = {};
    stretched += total > replay(perfect, schedule).total;
  }
  EXPECT_GE(stretched, 50U) << "too few programs are crowded";
}

TEST(Crowding, IsNeverFasterThanAPerfectMachineOrABound) {
  for (unsigned seed = 1; seed <= programs; ++seed) {
    Problem problem = crowdedProblem(seed);
    Schedule schedule = overlapped(problem);
    int64_t total = replay(problem, schedule).total;
    EXPECT_GE(total, lowerBounds(problem).anyOrder.picoseconds) << "seed " << seed;
    problem.crowding = {};
    EXPECT_GE(total, replay(problem, schedule).total) << "seed " << seed;
  }
}

TEST(Crowding, TheSearchIsJudgedByTheCrowdedClock) {
  unsigned faster = 0;
  for (unsigned seed = 1; seed <= programs / 4; ++seed) {
    Problem problem = crowdedProblem(seed);
    Replay before = replayOf(problem);
    Schedule found = search(problem, {before.peakBytes, 16, 32});
    Replay after = replay(problem, found);
    EXPECT_EQ(after.total, found.picoseconds) << "seed " << seed;
    EXPECT_LE(after.total, before.total) << "seed " << seed;
    faster += after.total < before.total;
  }
  EXPECT_GE(faster, programs / 16);
}
