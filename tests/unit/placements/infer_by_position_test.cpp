// inferPlacements on programs that depend on what a rank's part is: its maximum, its positions, its count, its place in
// a ring.
#include "unit/placements/placed_program.h"

namespace ccgraph::placements {
namespace {

TEST_F(InferPlacementsTest, ARankMayCompareItsMaximumWithThatOfAllRanks) {
  const char *maximum = R"(
        m: "f32[3]" = torch.ops.aten.amax.default(x, [1])
        r: "f32[3]" = torch.ops._c10d_functional.all_reduce.default(m, 'max', 'tp')
        n: "f32[3]" = torch.ops._c10d_functional.wait_tensor.default(r)
)";
  ask(R"(x: "f32[3, 4]")", std::string(maximum) + R"(
        y: "b8[3]" = torch.ops.aten.eq.Tensor(m, n)
        return (y,)
)");
  input(0, {shard(1)});
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(of(answer(), "y"), "varying");
}

TEST_F(InferPlacementsTest, ARankMayNotCompareItsMaximumWithANumber) {
  ask(R"(x: "f32[3, 4]")", R"(
        m: "f32[3]" = torch.ops.aten.amax.default(x, [1])
        y: "b8[3]" = torch.ops.aten.gt.Scalar(m, 0)
        return (y,)
)");
  input(0, {shard(1)});
  EXPECT_EQ(findings(), "unreduced-operand at y;");
}

TEST_F(InferPlacementsTest, PartsThatGoRoundARingMeetInBlocks) {
  const char *block = R"(
        y: "f32[2, 2]" = torch.ops.aten.mm.default(a, b)
)";
  const char *ring = R"(
        c: "f32[6]" = torch.ops._c10d_functional.all_to_all_single.default(x, [0, 6], [0, 6], 'tp')
        d: "f32[6]" = torch.ops._c10d_functional.wait_tensor.default(c)
)";
  const char *transfer = R"(
        c = torch.ops._c10d_functional.batch_p2p_ops.default(['isend', 'irecv'], [1, 1], [0, 0], [a, x], 'tp')
)";
  const char *state = R"(
        s: "f32[2, 3]" = torch.ops.aten.mul.Tensor(a, 0.5)
        c: "f32[4, 3]" = torch.ops._c10d_functional.all_gather_into_tensor.default(s, 2, 'tp')
)";
  for (const char *passes : {"", ring, transfer, state}) {
    question = {};
    ask(R"(a: "f32[2, 3]", b: "f32[3, 2]", x: "f32[6]")", std::string(block) + passes + "        return (y,)\n");
    input(0, {shard(0)});
    input(1, {shard(1)});
    input(2, {shard(0)});
    EXPECT_EQ(findings(), *passes ? "" : "mismatched-operands at y;") << passes;
  }
}

TEST_F(InferPlacementsTest, PositionsOfAPartThatHasComeRoundARingAreThoseOfAnotherRank) {
  for (const char *passes : {"", R"(
        p = torch.ops._c10d_functional.batch_p2p_ops.default(['isend', 'irecv'], [1, 1], [0, 0], [x, x], 'tp')
)"}) {
    auto positions = [&](llvm::StringRef range) {
      return ("        all: \"i64[4]\" = torch.ops.aten.arange.default(4)\n        part: \"i64[2]\" = "
              "torch.ops.aten.slice.Tensor(all, 0, " +
              range + ")\n" + passes + "        return (part,)\n")
          .str();
    };
    question = {};
    ask(R"(x: "f32[4]")", positions("2, 4"));
    input(0, {AxisPlacement()});
    question.ranks[1].graph =
        read("class M(torch.nn.Module):\n    def forward(self, x: \"f32[4]\"):\n" + positions("0, 2"));
    EXPECT_EQ(findings(), *passes ? "" : "part-of-other-rank at part;");
  }
}

TEST_F(InferPlacementsTest, ANegatedMaximumIsAMinimum) {
  ask(R"(x: "b8[4]")", R"(
        a: "b8[]" = torch.ops.aten.any.default(x)
        n: "b8[]" = torch.ops.aten.logical_not.default(a)
        check = torch.ops.aten._assert_async.msg(n, 'none')
        all: "b8[]" = torch.ops._c10d_functional.all_reduce.default(n, 'min', 'tp')
        return (all,)
)");
  input(0, {shard(0)});
  EXPECT_EQ(of(answer(), "n"), "partial(min)");
  EXPECT_EQ(findings(), "") << "each rank may check its own part";
}

TEST_F(InferPlacementsTest, MaximaThatStandBesideOneAnotherStayPartial) {
  ask(R"(x: "f32[4]", y: "f32[4]")", R"(
        a: "f32[]" = torch.ops.aten.amax.default(x)
        b: "f32[]" = torch.ops.aten.amax.default(y)
        both: "f32[2]" = torch.ops.aten.stack.default([a, b])
        reduce: "f32[2]" = torch.ops._c10d_functional.all_reduce.default(both, 'max', 'tp')
        sum_1: "f32[]" = torch.ops.aten.add.Tensor(a, b)
        return (reduce, sum_1)
)");
  input(0, {shard(0)});
  input(1, {AxisPlacement()});
  EXPECT_EQ(of(answer(), "both"), "partial(max)");
  EXPECT_EQ(findings(), "unreduced-operand at sum_1;") << "a sum needs the maximum of all ranks";
}

TEST_F(InferPlacementsTest, ElementsPutAlongALaterDimensionKeepCutRows) {
  ask(R"(x: "f32[2, 4]", i: "i64[4]", j: "i64[2]")", R"(
        zeros: "f32[2, 4]" = torch.ops.aten.new_zeros.default(x, [2, 4])
        y: "f32[2, 4]" = torch.ops.aten.index_put.default(zeros, [None, i], x, True)
        z: "f32[2, 4]" = torch.ops.aten.index_put.default(zeros, [j], x, True)
        return (y, z)
)");
  input(0, {shard(0)});
  input(1, {AxisPlacement()});
  input(2, {AxisPlacement()});
  EXPECT_EQ(of(answer(), "y"), "shard(0)");
  EXPECT_EQ(of(answer(), "z"), "partial(sum)");
}

// Positions that a program makes may be those of each part; only indices that it is given are those of the whole.
TEST_F(InferPlacementsTest, MadePositionsOfAPartAreNoFinding) {
  ask(R"(x: "f32[4, 2]", i: "i64[2]")", R"(
        arange: "i64[2]" = torch.ops.aten.arange.default(2)
        part: "f32[2, 2]" = torch.ops.aten.index_select.default(x, 0, arange)
        rows: "f32[2, 2]" = torch.ops.aten.index_select.default(x, 0, i)
        return (part, rows)
)");
  input(0, {shard(0)});
  input(1, {AxisPlacement()});
  EXPECT_EQ(findings(), "index-of-whole at rows;");
}

constexpr const char *localMean = R"(
        ne: "b8[4]" = torch.ops.aten.ne.Scalar(labels, -100)
        count: "i64[]" = torch.ops.aten.sum.default(ne)
        total: "f32[]" = torch.ops.aten.sum.default(x)
        mean: "f32[]" = torch.ops.aten.div.Tensor(total, count)
        return (mean,)
)";

TEST_F(InferPlacementsTest, EachRankDividesByWhatItCounts) {
  ask(R"(x: "f32[4]", labels: "i64[4]")", localMean);
  input(0, {shard(0)});
  input(1, {shard(0)});
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(answer().assumed, std::vector<std::string>{"each rank of tp counts as many elements in count"});
  EXPECT_EQ(of(answer(), "mean"), "partial(sum)");
}

TEST_F(InferPlacementsTest, ACountStaysACountAsAFloat) {
  ask(R"(x: "f32[4]", labels: "i64[4]")", R"(
        kept: "b8[4]" = torch.ops.aten.ne.Scalar(labels, -100)
        count: "i64[]" = torch.ops.aten.sum.default(kept)
        below: "f32[]" = torch.ops.prims.convert_element_type.default(count, torch.float32)
        total: "f32[]" = torch.ops.aten.sum.default(x)
        mean: "f32[]" = torch.ops.aten.div.Tensor(total, below)
        return (mean,)
)");
  input(0, {shard(0)});
  input(1, {shard(0)});
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(of(answer(), "mean"), "partial(sum)");
}

TEST_F(InferPlacementsTest, ASumOfFloatsIsNoCount) {
  ask(R"(x: "f32[4]", w: "f32[4]")", R"(
        below: "f32[]" = torch.ops.aten.sum.default(w)
        total: "f32[]" = torch.ops.aten.sum.default(x)
        mean: "f32[]" = torch.ops.aten.div.Tensor(total, below)
        return (mean,)
)");
  input(0, {shard(0)});
  input(1, {shard(0)});
  EXPECT_EQ(findings(), "unreduced-operand at mean;");
}

} // namespace
} // namespace ccgraph::placements
