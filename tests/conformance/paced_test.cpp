// Tests runs with simulated durations: the end times of steps are exact, since no test uses the machine's clock.
#include "conformance/engine_under_test.h"
#include "support/plan_builder.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

using runtime::Pace;
using runtime::PaceClock;
using runtime::PreparedPlans;
using std::chrono::nanoseconds;
using Ends = std::vector<int64_t>;

/// Time passes only while the rank is idle, and then immediately.
class VirtualClock final : public PaceClock {
public:
  [[nodiscard]] nanoseconds now() override { return now_; }
  void idleUntil(nanoseconds moment) override { now_ = std::max(now_, moment); }

private:
  nanoseconds now_{0};
};

std::unique_ptr<PaceClock> virtualClock() { return std::make_unique<VirtualClock>(); }

/// `expected` is by rank and step; it has one entry if all ranks have the same.
void expectEnds(const std::vector<const Plan *> &plans, size_t ranks, std::vector<std::vector<int64_t>> times,
                const std::vector<Ends> &expected) {
  if (!runsRanks(ranks) || !runsPaced())
    return;
  for (std::optional<uint64_t> seed :
       {std::optional<uint64_t>(), std::optional<uint64_t>(4), std::optional<uint64_t>(5)})
    for (bool machine : {false, true}) {
      runtime::PlanRequest request{.plans = plans, .ranks = ranks, .seed = seed};
      request.pace = Pace{times};
      if (!machine)
        request.pace->clock = virtualClock;
      auto prepared = engineUnderTest().prepare(request);
      if (!prepared)
        llvm::report_fatal_error(prepared.takeError());
      for (int run = 0; run < 2; ++run) {
        if (auto results = (*prepared)->run(std::vector<TensorMap>(ranks)); !results)
          llvm::report_fatal_error(results.takeError());
        std::vector<Ends> ends = llvm::cantFail((*prepared)->gatherTraces()).statedEnds;
        std::vector<Ends> seen;
        for (size_t rank = 0; rank < ranks; ++rank)
          if (sees(rank))
            seen.push_back(expected[expected.size() == 1 ? 0 : rank]);
        EXPECT_EQ(ends, seen);
      }
    }
}

PlanCollective rowOf(PlanDraft &draft, CollectiveKind kind, StreamId stream, const PlanWindow &send,
                     const PlanWindow &receive) {
  return draft.call(kind, stream, send, receive);
}

/// y = relu(x); c = all_reduce(y); b = relu(x); r = c + b.
struct Overlap : PlanBuilder {
  Overlap() {
    PlanWindow x = input("x", {2}), y = compute("y", {2}), c = comm("c", {2}), b = compute("b", {2}),
               r = compute("r", {2});
    StreamId stream = collectives(group("tp", {0, 1}));
    kernel("y", "aten.relu.default", {x}, y);
    collective("c", stream, {rowOf(*this, CollectiveKind::AllReduce, stream, y, c)});
    kernel("b", "aten.relu.default", {x}, b);
    kernel("r", "aten.add.Tensor", {c, b}, r);
    order("y", "c");
    order("c", "r");
    returns(r);
  }
};

TEST(Paced, WhatCommunicatesRunsBehindWhatComputes) {
  Overlap b;
  expectEnds({&b.plan}, 2, {{10, 100, 70, 5}}, {{10, 110, 80, 115}});
  expectEnds({&b.plan}, 2, {{10, 50, 70, 5}}, {{10, 60, 80, 85}});
}

TEST(Paced, ACollectiveBeginsWhenItsOperandsAreReadyThoughTheHostIssuesOthersBefore) {
  PlanBuilder b;
  PlanWindow x = b.input("x", {2}), y = b.compute("y", {2}), c = b.comm("c", {2}), z = b.compute("z", {2});
  StreamId stream = b.collectives(b.group("tp", {0, 1}));
  b.kernel("y", "aten.relu.default", {x}, y);
  b.kernel("z", "aten.relu.default", {x}, z);
  b.collective("c", stream, {rowOf(b, CollectiveKind::AllReduce, stream, y, c)});
  b.order("y", "c");
  expectEnds({&b.plan}, 2, {{10, 100, 70}}, {{10, 110, 80}});
  b.order("z", "c");
  expectEnds({&b.plan}, 2, {{10, 100, 70}}, {{10, 110, 180}});
}

TEST(Paced, TimesMayBeZero) {
  Overlap b;
  expectEnds({&b.plan}, 2, {{0, 0, 0, 0}}, {{0, 0, 0, 0}});
}

TEST(Paced, LongTimesArePacedToThePicosecond) {
  Overlap b;
  expectEnds({&b.plan}, 2, {{1, 999'999, 500'001, 1}}, {{1, 1'000'000, 500'002, 1'000'001}});
}

TEST(Paced, ACollectiveBeginsWhenTheLastMemberIsReady) {
  Overlap first, second;
  first.plan.rank = 0;
  second.plan.rank = 1;
  expectEnds({&first.plan, &second.plan}, 2, {{10, 100, 70, 5}, {50, 100, 1, 5}},
             {{10, 150, 80, 155}, {50, 150, 51, 155}});
}

TEST(Paced, AStreamRunsOneStepAfterAnother) {
  PlanBuilder b;
  PlanWindow x = b.input("x", {2}), c = b.comm("c", {2}), d = b.comm("d", {2});
  StreamId stream = b.collectives(b.group("tp", {0, 1})), other = b.collectives(b.group("dp", {0, 1}));
  b.collective("c", stream, {rowOf(b, CollectiveKind::AllReduce, stream, x, c)});
  b.collective("d", stream, {rowOf(b, CollectiveKind::AllReduce, stream, x, d)});
  b.collective("e", other, {rowOf(b, CollectiveKind::AllReduce, other, x, b.comm("e", {2}))});
  expectEnds({&b.plan}, 2, {{30, 40, 50}}, {{30, 70, 50}});
}

TEST(Paced, TheHostHoldsUpWhatItHasNotIssued) {
  PlanBuilder b;
  PlanWindow x = b.input("x", {1}), y = b.compute("y", {1});
  b.plan.numSlots = 1;
  b.kernel("early", "aten.relu.default", {x}, b.compute("z", {1}));
  b.host("number", "aten.item.default", {x}, PlanValue::number(0, nullptr));
  b.kernel("late", "aten.relu.default", {x}, y);
  expectEnds({&b.plan}, 1, {{100, 40, 5}}, {{100, 40, 105}});
  expectEnds({&b.plan}, 1, {{10, 40, 5}}, {{10, 40, 45}});
}

TEST(Paced, ATransferBeginsWhenBothEndsAreReady) {
  auto make = [](PlanBuilder &b, bool sends) {
    PlanWindow x = b.input("x", {2}), y = b.compute("y", {2}), z = b.compute("z", {2});
    StreamId there = b.transfers(b.group("pp", {0, 1})), back = b.transfers(0);
    b.plan.rank = sends ? 0 : 1;
    b.kernel("k", "aten.relu.default", {x}, y);
    PlanCollective forth = sends ? b.call(CollectiveKind::Send, there, y, std::nullopt)
                                 : b.call(CollectiveKind::Recv, there, std::nullopt, z);
    PlanCollective reply = sends ? b.call(CollectiveKind::Recv, back, std::nullopt, z)
                                 : b.call(CollectiveKind::Send, back, y, std::nullopt);
    forth.peer = reply.peer = sends ? 1 : 0;
    b.collective("forth", there, {forth});
    b.collective("reply", back, {reply});
    b.order("k", "forth");
  };
  PlanBuilder first, second;
  make(first, true);
  make(second, false);
  expectEnds({&first.plan, &second.plan}, 2, {{10, 20, 7}, {35, 20, 7}}, {{10, 55, 7}, {35, 55, 7}});
}

TEST(Paced, NothingIsComputedAndNothingComesOut) {
  if (!runsRanks(2) || !runsPaced())
    return;
  Overlap b;
  // The plan needs more memory than any machine has, and no input.
  b.plan.layout.computeBytes = int64_t{1} << 60;
  runtime::PlanRequest request{.plans = {&b.plan}, .ranks = 2, .inputs = std::vector<TensorMap>(2)};
  request.pace = Pace{{{1, 2, 3, 4}}, virtualClock};
  runtime::RunResult results = mustRun(request);
  ASSERT_EQ(results.size(), 2u);
  EXPECT_TRUE(results[0].empty());
}

} // namespace
} // namespace ccgraph::test
