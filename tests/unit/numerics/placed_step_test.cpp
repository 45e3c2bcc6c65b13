// compareSums on a parallel step beside the step of one device.
#include "unit/numerics/compared_programs.h"

namespace ccgraph::numerics {
namespace {

struct PlacedStepTest : ComparedPrograms {
  static AxisPlacement shard(int64_t dim) { return {AxisPlacement::Kind::Shard, dim}; }

  /// The sum of four rows on one device, and of two rows on each of two ranks.
  void compareSumOfRows() {
    comparison.before = {{program(R"(x: "f32[4, 3][3, 1]cpu")", R"(
        sum_1: "f32[3][1]cpu" = torch.ops.aten.sum.dim_IntList(x, [0])
        return (x, sum_1)
)"),
                          {}}};
    const Graph *rank = program(R"(x: "f32[2, 3][3, 1]cpu")", R"(
        sum_1: "f32[3][1]cpu" = torch.ops.aten.sum.dim_IntList(x, [0])
        all_reduce: "f32[3][1]cpu" = torch.ops._c10d_functional.all_reduce.default(sum_1, 'sum', '0')
        wait: "f32[3][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce)
        return (x, wait)
)");
    Group world{"0"};
    world.ranks = {0, 1};
    RankGraph each{rank, {}};
    each.groups.set(world);
    comparison.after = {each, each};
    StepPlacements placements;
    placements.mesh = {{"dp", 2}};
    placements.inputs = {{0, 0, "x", {shard(0)}, {}, {}}};
    placements.outputs = {{0, 0, "copy of x", {shard(0)}, {}, {}}, {1, 1, "sum", {AxisPlacement()}, {}, {}}};
    comparison.placements = placements;
  }
};

TEST_F(PlacedStepTest, AShardIsThePartAndASumIsSplit) {
  compareSumOfRows();
  const SumAnswer result = answer();
  ASSERT_EQ(result.outputs.size(), 4U);
  EXPECT_EQ(result.outputs[1].name, "copy of x");
  EXPECT_EQ(result.outputs[1].rank, 1);
  EXPECT_TRUE(result.outputs[1].isBitwiseEqual);
  EXPECT_EQ(result.outputs[2].name, "sum");
  EXPECT_EQ(result.outputs[2].cause, "split sum");
  EXPECT_TRUE(result.outputs[2].isSameFunction);
  EXPECT_TRUE(result.outputs[2].differenceUlps.has_value());
}

TEST_F(PlacedStepTest, TheShardOfAnotherRankIsNotEqual) {
  compareSumOfRows();
  comparison.placements->inputs[0].axes = {AxisPlacement()};
  comparison.before.front().graph = program(R"(x: "f32[2, 3][3, 1]cpu")", R"(
        sum_1: "f32[3][1]cpu" = torch.ops.aten.sum.dim_IntList(x, [0])
        part: "f32[1, 3][3, 1]cpu" = torch.ops.aten.slice.Tensor(x, 0, 0, 1)
        other: "f32[1, 3][3, 1]cpu" = torch.ops.aten.slice.Tensor(x, 0, 1, 2)
        cat: "f32[4, 3][3, 1]cpu" = torch.ops.aten.cat.default([part, other, other, other])
        return (cat, sum_1)
)");
  const SumAnswer result = answer();
  EXPECT_TRUE(result.outputs[0].isBitwiseEqual);
  EXPECT_FALSE(result.outputs[1].isBitwiseEqual);
}

TEST_F(PlacedStepTest, ARankHoldsAChunkFromTheHeadAndOneFromTheTail) {
  compareSumOfRows();
  AxisPlacement headTail = shard(0);
  headTail.isHeadTail = true;
  comparison.placements->inputs.front().axes = {headTail};
  comparison.placements->outputs.front().axes = {headTail};
  EXPECT_TRUE(answer().outputs[0].isBitwiseEqual);
  EXPECT_TRUE(answer().outputs[1].isBitwiseEqual);
  comparison.placements->outputs.front().axes = {shard(0)};
  EXPECT_FALSE(answer().outputs[0].isBitwiseEqual);
}

TEST_F(PlacedStepTest, APartialSumIsLeftToTheCaller) {
  compareSumOfRows();
  comparison.placements->outputs[1].axes = {{AxisPlacement::Kind::PartialSum, 0}};
  const SumAnswer result = answer();
  EXPECT_EQ(result.outputs.size(), 2U);
  EXPECT_EQ(result.assumed, std::vector<std::string>{"the sum of 'sum' over the ranks is made outside of the step"});
}

TEST_F(PlacedStepTest, AMeshOfAnotherSizeIsRejected) {
  compareSumOfRows();
  comparison.placements->mesh = {{"dp", 3}};
  EXPECT_EQ(undecided(), "error: the mesh has 3 ranks, the job has 2 [same.numerics]\n  note: state the mesh in the "
                         "placements: \"mesh\": {\"axes\": [\"dp\", \"tp\"], \"sizes\": [2, 4]}\n");
}

TEST_F(PlacedStepTest, PositionsBeyondTheGraphsAreRejected) {
  compareSumOfRows();
  comparison.placements->inputs[0].single = 3;
  EXPECT_EQ(undecided(), "error: input 'x' is at position 3 of the single graph, which has 1 [same.numerics]\n"
                         "  note: positions count the inputs of each graph from 0\n");
  comparison.placements->inputs[0].single = 0;
  comparison.placements->outputs[1].position = 5;
  EXPECT_EQ(undecided(),
            "error: output 'sum' is at position 5 and at 1 of the single graph, expected positions below 2 "
            "and 2 [same.numerics]\n  note: positions count the outputs of each graph from 0\n");
}

} // namespace
} // namespace ccgraph::numerics
