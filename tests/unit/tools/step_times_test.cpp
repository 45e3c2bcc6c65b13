// Tests the durations of a plan's steps, computed from the durations of the nodes.
#include "ccgraph/toolkit/step_times.h"

#include "support/plan_builder.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

/// Two kernels of one node, and a collective between two copies.
struct Parts : PlanBuilder {
  Parts() {
    PlanWindow x = input("x", {2}), y = compute("y", {2}), c = comm("c", {2});
    StreamId stream = collectives(group("tp", {0, 1}));
    kernel("k", "aten.relu.default", {x}, y);
    kernel("k", "aten.relu.default", {y}, y);
    copy("ar", y, c);
    collective("ar", stream, {call(CollectiveKind::AllReduce, stream, c, c)});
    copy("ar", c, y);
  }
};

TEST(StepTimes, ANodeSharesItsTimeOutAndCopiesOfLoweringTakeNone) {
  Parts parts;
  StepTimes times =
      timesOfSteps(parts.plan, [](llvm::StringRef name) { return std::optional<int64_t>(name == "k" ? 7 : 90); });
  EXPECT_EQ(times.steps, (std::vector<int64_t>{3, 4, 0, 90, 0}));
  EXPECT_EQ(times.computation, 7);
  EXPECT_EQ(times.communication, 90);
  EXPECT_TRUE(times.unknown.empty());
}

TEST(StepTimes, NodesWithoutATimeAreNamedOnce) {
  Parts parts;
  StepTimes times = timesOfSteps(parts.plan, [](llvm::StringRef) { return std::optional<int64_t>(); });
  EXPECT_EQ(times.steps, std::vector<int64_t>(5));
  EXPECT_EQ(times.unknown, (std::vector<std::string>{"k", "ar"}));
}

} // namespace
} // namespace ccgraph::test
