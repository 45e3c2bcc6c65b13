// Tests the times of steps: how a device's clock is mapped to the host's, and that the records respect streams and
// waits.
#include "nccl/step_clock.h"
#include "recorded_run.h"
#include "support/no_calls.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace ccgraph::test {
namespace {

using runtime::FlightRecorder;
using runtime::StepClock;

/// A device whose clock is 50 behind the host's, and whose clock queries take the durations that the test gives.
class SlowLooks final : public NoCalls {
public:
  explicit SlowLooks(std::vector<int64_t> looks) : looks_(std::move(looks)) {}
  [[nodiscard]] std::optional<int64_t> simulatedClock() const override { return host_; }
  int takeTime(runtime::GpuEvent timer, runtime::GpuStream) override {
    int64_t took = next_ < looks_.size() ? looks_[next_++] : 10;
    taken_[timer.raw] = host_ + took / 2 - 50;
    host_ += took;
    ++takenTimes;
    return 0;
  }
  int elapsed(runtime::GpuEvent from, runtime::GpuEvent to, int64_t &nanoseconds) override {
    nanoseconds = taken_.at(to.raw) - taken_.at(from.raw);
    return 0;
  }
  void pass(int64_t nanoseconds) { host_ += nanoseconds; }
  int takenTimes = 0;

private:
  std::vector<int64_t> looks_;
  size_t next_ = 0;
  int64_t host_ = 1000;
  std::map<uintptr_t, int64_t> taken_;
};

llvm::Error placeOn(StepClock &clock) {
  return clock.place({}, [](runtime::GpuEvent) { return llvm::Error::success(); });
}

TEST(StepClock, TheClosestTrySaysWhereTheDevicesClockStands) {
  SlowLooks calls({900, 400, 8, 300, 700, 600, 500, 800, 0, 0});
  StepClock clock(calls, 0);
  llvm::cantFail(clock.prepare({"a"}));
  llvm::cantFail(placeOn(clock));
  EXPECT_EQ(calls.takenTimes, 8);
  calls.pass(100);
  int64_t began = *calls.simulatedClock();
  llvm::cantFail(clock.begin(0, {}));
  calls.pass(30);
  llvm::cantFail(clock.end(0, {}));
  FlightRecorder::Span span = llvm::cantFail(clock.spanOf(0));
  EXPECT_EQ(span.began, began);
  EXPECT_EQ(span.ended, began + 30);
}

TEST(StepClock, ATryThatTookNoTimeIsTheLast) {
  SlowLooks calls({900, 0});
  StepClock clock(calls, 0);
  llvm::cantFail(clock.prepare({}));
  llvm::cantFail(placeOn(clock));
  EXPECT_EQ(calls.takenTimes, 2);
}

TEST(StepClock, OfAStepOfTheHostItsOwnClockTells) {
  SlowLooks calls({0});
  StepClock clock(calls, 0);
  llvm::cantFail(clock.prepare({""}));
  llvm::cantFail(placeOn(clock));
  clock.beginOnHost(0);
  calls.pass(7);
  clock.endOnHost(0);
  EXPECT_EQ(calls.takenTimes, 1);
  FlightRecorder::Span span = llvm::cantFail(clock.spanOf(0));
  EXPECT_EQ(span.began, 1000);
  EXPECT_EQ(span.ended, 1007);
}

// --- In runs ----------------------------------------------------------------------------------------------------

std::vector<FlightRecord> recordsOf(const runtime::PlanRequest &request) {
  auto plans = llvm::cantFail(runtime::findEngine("nccl-recorded")->prepare(request));
  llvm::cantFail(plans->run(request.inputs));
  llvm::cantFail(plans->run(request.inputs));
  return llvm::cantFail(plans->gatherTraces()).records;
}

/// Returns "" or the problem: steps of a stream must follow one another, and each begins after the steps that it waits
/// for have ended.
std::string orderProblem(const Plan &plan, const FlightRecord &record) {
  std::map<std::string, const FlightStep *> last;
  std::map<EventId, const FlightStep *> events;
  for (const FlightStep &step : record.steps) {
    const PlanStep &planned = plan.steps[static_cast<size_t>(step.position)];
    if (step.times.started <= 0 || step.times.completed < step.times.started)
      return step.name + " has no times";
    if (const FlightStep *before = std::exchange(last[step.stream], &step))
      if (step.times.started < before->times.completed)
        return step.name + " begins before " + before->name + " has ended, on one stream";
    for (EventId event : planned.waits)
      if (step.times.started < events.at(event)->times.completed)
        return step.name + " begins before " + events.at(event)->name + " has ended, which it waits for";
    if (planned.event)
      events[*planned.event] = &step;
  }
  return record.steps.size() == plan.steps.size() ? "" : "steps are missing";
}

TEST(StepClock, StepsOfARunFollowTheirStreamsAndWaits) {
  Overlap program;
  for (bool capture : {false, true})
    for (uint64_t seed = 0; seed < 20; ++seed) {
      runtime::PlanRequest request = requestOf(program.plan, Overlap::inputs());
      request.seed = seed;
      request.capture = capture;
      request.timeSteps = true;
      Overlap::expect(resultsOf(runRecorded(request)));
      for (const FlightRecord &record : recordsOf(request))
        EXPECT_EQ(orderProblem(program.plan, record), "") << "seed " << seed << (capture ? ", captured" : "");
    }
}

/// Returns by rank and step the begin and the end, in microseconds since the first begin.
std::vector<std::vector<std::pair<int64_t, int64_t>>> timesOf(llvm::ArrayRef<FlightRecord> records) {
  int64_t first = INT64_MAX;
  for (const FlightRecord &record : records)
    for (const FlightStep &step : record.steps)
      first = std::min(first, step.times.started);
  std::vector<std::vector<std::pair<int64_t, int64_t>>> times;
  for (const FlightRecord &record : records) {
    times.emplace_back();
    for (const FlightStep &step : record.steps)
      times.back().emplace_back((step.times.started - first) / 1000, (step.times.completed - first) / 1000);
  }
  return times;
}

TEST(StepClock, ASeedRepeatsItsTimes) {
  Overlap program;
  std::set<std::vector<std::vector<std::pair<int64_t, int64_t>>>> seen;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    runtime::PlanRequest request = requestOf(program.plan, Overlap::inputs());
    request.seed = seed;
    request.timeSteps = true;
    auto times = timesOf(recordsOf(request));
    EXPECT_EQ(times, timesOf(recordsOf(request))) << "seed " << seed;
    seen.insert(times);
  }
  EXPECT_GT(seen.size(), 1U) << "orders differ, and so do times";
}

/// On one rank without a seed, each action takes a tick, in the order of the streams.
TEST(StepClock, ATickOfTheModelIsAMicrosecond) {
  PlanBuilder b;
  PlanWindow x = b.input("x", {2}), y = b.compute("y", {2}), z = b.compute("z", {2});
  b.kernel("y", "aten.neg.default", {x}, y);
  b.kernel("z", "aten.neg.default", {y}, z);
  b.returns(z);
  runtime::PlanRequest request = requestOf(b.plan, {{{"in.x", f32({2}, {1, 2})}}});
  request.timeSteps = true;
  using Times = std::vector<std::vector<std::pair<int64_t, int64_t>>>;
  EXPECT_EQ(timesOf(recordsOf(request)), (Times{{{0, 1}, {1, 2}}}));
}

TEST(StepClock, TimesOfCallsAreThoseOfTheirSteps) {
  Overlap program;
  runtime::PlanRequest request = requestOf(program.plan, Overlap::inputs());
  request.timeSteps = true;
  for (const FlightRecord &record : recordsOf(request)) {
    ASSERT_EQ(record.calls.size(), 1U);
    const FlightCall &call = record.calls.front();
    const FlightStep &step =
        *llvm::find_if(record.steps, [&](const FlightStep &s) { return s.position == call.position; });
    EXPECT_EQ(call.times.started, step.times.started);
    EXPECT_EQ(call.times.completed, step.times.completed);
    EXPECT_LE(call.times.scheduled, call.times.started);
  }
}

/// Returns the calls of rank 0.
std::string callsOf(const Plan &plan, bool times) {
  runtime::PlanRequest request = requestOf(plan, Overlap::inputs());
  request.recordCalls = true;
  request.timeSteps = times;
  auto plans = llvm::cantFail(runtime::findEngine("nccl-recorded")->prepare(request));
  llvm::cantFail(plans->run(request.inputs));
  return plans->recordedCalls().front();
}

TEST(StepClock, WhereNoTimesAreAskedForNothingIsCalled) {
  Overlap program;
  EXPECT_EQ(callsOf(program.plan, false).find("time"), std::string::npos);
  EXPECT_NE(callsOf(program.plan, true).find("take the time, the beginning of c, on "), std::string::npos);
}

} // namespace
} // namespace ccgraph::test
