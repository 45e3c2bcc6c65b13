// Tests that runs of one program on the same inputs are compared bitwise with the first run.
#include "driver/timed_runs.h"

#include "support/rank_program.h"

#include <gtest/gtest.h>

namespace ccgraph::driver {
namespace {

using test::hostTensor;

const std::vector<TensorMap> inputs = {{{"in.x", hostTensor(DType::F32, {2}, {1, 2})}}, {}};

runtime::RunResult resultOf(double last) {
  return {{{"out.0", hostTensor(DType::F32, {2}, {3, 4})}}, {{"out.0", hostTensor(DType::F32, {2}, {5, last})}}};
}

TEST(TimedRuns, OfEqualValuesDoNotDiffer) {
  EXPECT_EQ(differenceFromFirst(2, resultOf(6), resultOf(6), inputs), "");
  EXPECT_EQ(differenceFromFirst(2, resultOf(std::nan("")), resultOf(std::nan("")), inputs), "");
}

TEST(TimedRuns, ThatDifferSayWhichAndWhere) {
  EXPECT_EQ(differenceFromFirst(3, resultOf(6), resultOf(7), inputs),
            "error: run 3 gives other values than run 1\n"
            "rank 1 out.0: element [1] is 7, expected 6 (1 of 2 elements differ; held bitwise)\n");
}

TEST(TimedRuns, AllRunThoughOneDiffers) {
  size_t run = 0;
  llvm::Expected<RepeatedRuns> runs = repeatRuns(
      5, [&]() -> llvm::Expected<runtime::RunResult> { return resultOf(++run < 3 ? 6 : static_cast<double>(run)); },
      inputs);
  ASSERT_TRUE(static_cast<bool>(runs));
  EXPECT_EQ(run, 5U) << "the process of another rank sees no difference, and goes on";
  EXPECT_NE(runs->difference.find("run 3 gives other values"), std::string::npos) << runs->difference;
  EXPECT_EQ(runs->difference.find("run 4"), std::string::npos);
}

} // namespace
} // namespace ccgraph::driver
