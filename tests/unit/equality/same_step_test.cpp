// compareSteps on steps that fit on a screen: verdict, counter-example, place, and what cannot be decided.
#include "compared_steps.h"

#include "ccgraph/ir/diagnostic.h"

namespace ccgraph::equality {
namespace {

constexpr const char *single = R"(
class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[4, 3][3, 1]cpu", w: "f32[3, 2][2, 1]cpu"):
        mm: "f32[4, 2][2, 1]cpu" = torch.ops.aten.mm.default(x, w)
        tanh: "f32[4, 2][2, 1]cpu" = torch.ops.aten.tanh.default(mm)
        sum_1: "f32[][]cpu" = torch.ops.aten.sum.default(tanh)
        return (tanh, sum_1)
)";

/// Two ranks share the rows of x; the lines between are those of the test.
std::string dataParallel(llvm::StringRef lines, llvm::StringRef result) {
  return (R"(
class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[2, 3][3, 1]cpu", w: "f32[3, 2][2, 1]cpu"):
        mm: "f32[2, 2][2, 1]cpu" = torch.ops.aten.mm.default(x, w)
        tanh: "f32[2, 2][2, 1]cpu" = torch.ops.aten.tanh.default(mm)
        sum_1: "f32[][]cpu" = torch.ops.aten.sum.default(tanh)
)" + lines +
          "        return (tanh, " + result + ")\n")
      .str();
}
constexpr const char *reduced = R"(
        all_reduce: "f32[][]cpu" = torch.ops._c10d_functional.all_reduce.default(sum_1, 'sum', '0')
        wait_tensor: "f32[][]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce)
)";

struct SameStepTest : ComparedSteps {
  static AxisPlacement shard(int64_t dim) { return {AxisPlacement::Kind::Shard, dim}; }

  void compareWith(llvm::StringRef parallel) {
    setSteps(single, parallel);
    comparison.placements.inputs = {{0, 0, "x", {shard(0)}, {}, {}}, {1, 1, "w", {AxisPlacement()}, {}, {}}};
    comparison.placements.outputs = {{0, 0, "y", {shard(0)}, {}, {}}, {1, 1, "sum", {AxisPlacement()}, {}, {}}};
  }
  std::string errorText() {
    llvm::Expected<StepAnswer> result = compareSteps(comparison);
    return result ? "no error" : llvm::toString(result.takeError());
  }
};

TEST_F(SameStepTest, AReducedSumIsTheSum) {
  compareWith(dataParallel(reduced, "wait_tensor"));
  StepAnswer result = answer();
  EXPECT_EQ(result.equal, true);
  EXPECT_TRUE(result.wrong.empty());
  EXPECT_TRUE(result.where.empty());
  EXPECT_GT(result.errorProbability, 0);
  EXPECT_LT(result.errorProbability, 1e-6);
}

TEST_F(SameStepTest, AMissingReductionIsAWrongOutputWhoseReplicasDiffer) {
  compareWith(dataParallel("", "sum_1"));
  StepAnswer result = answer();
  EXPECT_EQ(result.equal, false);
  ASSERT_EQ(result.wrong.size(), 1U);
  EXPECT_EQ(result.wrong.front().of, "sum");
  EXPECT_TRUE(result.wrong.front().replicasDiffer);
  ASSERT_FALSE(result.where.empty());
  EXPECT_EQ(result.where.front().node, "sum_1");
}

TEST_F(SameStepTest, OutputsThatAreNoNumbersCannotBeDecided) {
  const char *undefined = R"(        sub: "f32[][]cpu" = torch.ops.aten.sub.Tensor(wait_tensor, wait_tensor)
        div: "f32[][]cpu" = torch.ops.aten.div.Tensor(wait_tensor, sub)
)";
  compareWith(dataParallel(reduced + std::string(undefined), "div"));
  std::string whole = single;
  whole.replace(whole.find("        return"), std::string::npos,
                R"(        sub: "f32[][]cpu" = torch.ops.aten.sub.Tensor(sum_1, sum_1)
        div: "f32[][]cpu" = torch.ops.aten.div.Tensor(sum_1, sub)
        return (tanh, div)
)");
  comparison.single = read(whole);
  StepAnswer result = answer();
  EXPECT_EQ(result.equal, std::nullopt);
  ASSERT_EQ(result.assumed.size(), 1U);
  EXPECT_NE(result.assumed.front().find("no numbers"), std::string::npos);
  EXPECT_NE(result.assumed.front().find("the first such value of the single step is div"), std::string::npos);
}

/// A loss over labels with the lines of the test behind it.
std::string lossText(llvm::StringRef sizes, llvm::StringRef lines) {
  const std::string rows = sizes.str();
  return "class M(torch.nn.Module):\n    def forward(self, x: \"f32[" + rows + ", 3]\", t: \"i64[" + rows +
         "]\"):\n        l: \"f32[" + rows +
         R"(, 3]" = torch.ops.aten._log_softmax.default(x, 1, False)
        n = torch.ops.aten.nll_loss_forward.default(l, t, None, 2, -100)
        s: "f32[]" = n[0]
        k: "b8[)" +
         rows + "]\" = torch.ops.aten.ne.Scalar(t, -100)\n" + lines.str();
}
constexpr const char *meanOfAll = R"(        c: "i64[]" = torch.ops.aten.sum.default(k)
        y: "f32[]" = torch.ops.aten.div.Tensor(s, c)
        return (y,)
)";

TEST_F(SameStepTest, IgnoredLabelsMustNotCount) {
  const char *counted = R"(        a: "f32[]" = torch.ops._c10d_functional.all_reduce.default(s, 'sum', '0')
        b: "f32[]" = torch.ops._c10d_functional.wait_tensor.default(a)
        d: "f32[]" = torch.ops.aten.div.Tensor(b, 8)
        return (d,)
)";
  setSteps(lossText("8", meanOfAll), lossText("4", counted));
  comparison.placements.inputs = {{0, 0, "x", {shard(0)}, {}, {}}, {1, 1, "t", {shard(0)}, {}, {}}};
  comparison.placements.outputs = {{0, 0, "loss", {AxisPlacement()}, {}, {}}};
  EXPECT_EQ(answer().equal, false);
}

TEST_F(SameStepTest, AMeanOfMeansAssumesThatRanksIgnoreAsManyLabels) {
  const std::string mean = std::string(meanOfAll).substr(0, std::string(meanOfAll).find("        return"));
  const char *averaged = R"(        a: "f32[]" = torch.ops._c10d_functional.all_reduce.default(y, 'avg', '0')
        b: "f32[]" = torch.ops._c10d_functional.wait_tensor.default(a)
        return (b,)
)";
  setSteps(lossText("8", meanOfAll), lossText("4", mean + averaged));
  comparison.placements.inputs = {{0, 0, "x", {shard(0)}, {}, {}}, {1, 1, "t", {shard(0)}, {}, {}}};
  comparison.placements.outputs = {{0, 0, "loss", {AxisPlacement()}, {}, {}}};
  StepAnswer result = answer();
  EXPECT_EQ(result.equal, true);
  ASSERT_EQ(result.assumed.size(), 1U);
  EXPECT_NE(result.assumed.front().find("ignored (-100)"), std::string::npos);
}

TEST_F(SameStepTest, ARankThatAveragesWhereOthersAddIsFound) {
  compareWith(dataParallel(reduced, "wait_tensor"));
  std::string average = dataParallel(reduced, "wait_tensor");
  average.replace(average.find("'sum'"), 5, "'avg'");
  comparison.ranks[1].graph = read(average);
  StepAnswer result = answer();
  EXPECT_EQ(result.equal, false);
  ASSERT_FALSE(result.where.empty());
  EXPECT_EQ(result.where.front().node, "all_reduce");
  EXPECT_EQ(result.where.front().rank, 1);
}

/// The rows of the other rank, by a send and a receive.
std::string exchanged(llvm::StringRef sent, llvm::StringRef peer) {
  return (R"(
class M(torch.nn.Module):
    def forward(self, x: "f32[2, 3]"):
        y: "f32[2, 3]" = torch.ops.aten.neg.default(x)
        isend: "f32[2, 3]" = torch.ops._c10d_functional.isend.default()" +
          sent + ", " + peer + R"(, 0, '0')
        empty: "f32[2, 3]" = torch.ops.aten.empty_like.default(x)
        irecv: "f32[2, 3]" = torch.ops._c10d_functional.irecv.default(empty, )" +
          peer + R"(, 0, '0')
        a: "f32[2, 3]" = torch.ops._c10d_functional.wait_tensor.default(isend)
        b: "f32[2, 3]" = torch.ops._c10d_functional.wait_tensor.default(irecv)
        return (b,)
)")
      .str();
}

TEST_F(SameStepTest, ASendReachesItsReceive) {
  for (llvm::StringRef sent : {"x", "y"}) {
    setSteps(R"(
class M(torch.nn.Module):
    def forward(self, x: "f32[4, 3]"):
        a: "f32[2, 3]" = torch.ops.aten.slice.Tensor(x, 0, 2, 4)
        b: "f32[2, 3]" = torch.ops.aten.slice.Tensor(x, 0, 0, 2)
        c: "f32[4, 3]" = torch.ops.aten.cat.default([a, b])
        return (c,)
)",
             exchanged(sent, "1"));
    comparison.ranks[1].graph = read(exchanged(sent, "0"));
    comparison.placements.inputs = {{0, 0, "x", {shard(0)}, {}, {}}};
    comparison.placements.outputs = {{0, 0, "y", {shard(0)}, {}, {}}};
    EXPECT_EQ(answer().equal, sent == "x");
  }
}

TEST_F(SameStepTest, APartialSumIsNoErrorWhereThePlacementSaysSo) {
  compareWith(dataParallel("", "sum_1"));
  comparison.placements.outputs[1].axes[0].kind = AxisPlacement::Kind::PartialSum;
  EXPECT_EQ(answer().equal, true);
  comparison.placements.outputs[1].axes[0].kind = AxisPlacement::Kind::PartialAvg;
  EXPECT_EQ(answer().equal, false);
}

TEST_F(SameStepTest, AnAverageInPlaceOfASumIsNamed) {
  std::string lines = reduced;
  lines.replace(lines.find("'sum'"), 5, "'avg'");
  compareWith(dataParallel(lines, "wait_tensor"));
  StepAnswer result = answer();
  EXPECT_EQ(result.equal, false);
  ASSERT_FALSE(result.where.empty());
  EXPECT_EQ(result.where.front().node, "all_reduce");
}

TEST_F(SameStepTest, ATinyWrongTermIsWrong) {
  std::string lines = std::string(reduced) +
                      R"(        mul: "f32[][]cpu" = torch.ops.aten.mul.Tensor(sum_1, 1e-30)
        add: "f32[][]cpu" = torch.ops.aten.add.Tensor(wait_tensor, mul)
)";
  compareWith(dataParallel(lines, "add"));
  EXPECT_EQ(answer().equal, false);
}

TEST_F(SameStepTest, AnOperatorWithoutRuleCannotBeDecided) {
  std::string lines = std::string(reduced) +
                      R"(        i0: "f32[][]cpu" = torch.ops.aten.i0.default(wait_tensor)
)";
  compareWith(dataParallel(lines, "i0"));
  StepAnswer result = answer();
  EXPECT_EQ(result.equal, std::nullopt);
  ASSERT_EQ(result.assumed.size(), 1U);
  EXPECT_EQ(result.assumed.front(), "rank 0: i0: no rule for aten.i0");
}

TEST_F(SameStepTest, ACollectiveThatOneRankSkipsCannotBeDecided) {
  compareWith(dataParallel(reduced, "wait_tensor"));
  comparison.ranks[1].graph = read(dataParallel("", "sum_1"));
  StepAnswer result = answer();
  EXPECT_EQ(result.equal, std::nullopt);
  ASSERT_EQ(result.assumed.size(), 1U);
  EXPECT_EQ(result.assumed.front(),
            "rank 0: wait_tensor: it waits for a collective that not all ranks of its group launch");
}

TEST_F(SameStepTest, AGroupWithoutRanksCannotBeDecided) {
  compareWith(dataParallel(reduced, "wait_tensor"));
  comparison.ranks[0].groups = {};
  StepAnswer result = answer();
  EXPECT_EQ(result.equal, std::nullopt);
  EXPECT_EQ(result.assumed.front(), "rank 0: all_reduce: the ranks of group '0' are not known");
}

TEST_F(SameStepTest, OneRankAloneMayBeWrong) {
  compareWith(dataParallel(reduced, "wait_tensor"));
  std::string lines = reduced;
  lines.replace(lines.find("(sum_1"), 6, "(tanh_sum");
  lines = R"(        tanh_sum: "f32[][]cpu" = torch.ops.aten.mul.Tensor(sum_1, 2)
)" + lines;
  std::string first = lines;
  first.replace(first.find("sum_1, 2"), 8, "sum_1, 1");
  comparison.ranks[0].graph = read(dataParallel(first, "wait_tensor"));
  EXPECT_EQ(answer().equal, true) << "rank 1 multiplies by nothing yet";
  comparison.ranks[1].graph = read(dataParallel(lines, "wait_tensor"));
  StepAnswer result = answer();
  EXPECT_EQ(result.equal, false);
  EXPECT_EQ(result.where.front().node, "tanh_sum");
}

TEST_F(SameStepTest, AMistakeOfOneOfThreeRanksNamesThisRank) {
  constexpr const char *rows = R"(
class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[6][1]cpu"):
        mul: "f32[6][1]cpu" = torch.ops.aten.mul.Tensor(x, 2)
        exp: "f32[6][1]cpu" = torch.ops.aten.exp.default(mul)
        return (exp,)
)";
  std::string right = rows, wrong;
  for (size_t at = right.find("[6]"); at != std::string::npos; at = right.find("[6]"))
    right.replace(at, 3, "[2]");
  wrong = right;
  wrong.replace(wrong.find("(x, 2)"), 6, "(x, 3)");
  comparison.single = read(rows);
  comparison.ranks = {{read(right), {}}, {read(right), {}}, {read(wrong), {}}};
  comparison.placements.mesh = {{"dp", 3}};
  comparison.placements.inputs = {{0, 0, "x", {shard(0)}, {}, {}}};
  comparison.placements.outputs = {{0, 0, "y", {shard(0)}, {}, {}}};
  StepAnswer result = answer();
  ASSERT_FALSE(result.where.empty());
  EXPECT_EQ(result.where.front().node, "mul");
  EXPECT_EQ(result.where.front().rank, 2);
}

TEST_F(SameStepTest, AMistakeInOneMicroBatchIsNamedThere) {
  comparison.single = read(R"(
class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[4, 3][3, 1]cpu"):
        exp: "f32[4, 3][3, 1]cpu" = torch.ops.aten.exp.default(x)
        tanh: "f32[4, 3][3, 1]cpu" = torch.ops.aten.tanh.default(exp)
        sum_1: "f32[3][1]cpu" = torch.ops.aten.sum.dim_IntList(tanh, [0])
        return (sum_1,)
)");
  const Graph *parallel = read(R"(
class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[2, 3][3, 1]cpu"):
        first: "f32[1, 3][3, 1]cpu" = torch.ops.aten.slice.Tensor(x, 0, 0, 1)
        second: "f32[1, 3][3, 1]cpu" = torch.ops.aten.slice.Tensor(x, 0, 1, 2)
        exp: "f32[1, 3][3, 1]cpu" = torch.ops.aten.exp.default(first)
        tanh: "f32[1, 3][3, 1]cpu" = torch.ops.aten.tanh.default(exp)
        exp_1: "f32[1, 3][3, 1]cpu" = torch.ops.aten.exp.default(second)
        sigmoid: "f32[1, 3][3, 1]cpu" = torch.ops.aten.sigmoid.default(exp_1)
        add: "f32[1, 3][3, 1]cpu" = torch.ops.aten.add.Tensor(tanh, sigmoid)
        sum_1: "f32[3][1]cpu" = torch.ops.aten.sum.dim_IntList(add, [0])
        return (sum_1,)
)");
  comparison.ranks = {{parallel, {}}, {parallel, {}}};
  comparison.placements.mesh = {{"dp", 2}};
  comparison.placements.inputs = {{0, 0, "x", {shard(0)}, {}, {}}};
  comparison.placements.outputs = {{0, 0, "y", {{AxisPlacement::Kind::PartialSum, 0}}, {}, {}}};
  StepAnswer result = answer();
  ASSERT_FALSE(result.where.empty());
  EXPECT_EQ(result.where.front().node, "sigmoid");
}

TEST_F(SameStepTest, PlacementsMustFitTheGraphs) {
  compareWith(dataParallel(reduced, "wait_tensor"));
  StepPlacements right = comparison.placements;
  comparison.placements.inputs[0].axes[0] = shard(1);
  EXPECT_NE(errorText().find("input 'x' is f32[2, 3][3, 1]cpu on rank 0 ('x'), its placement gives the sizes [4, 2]"),
            std::string::npos);
  comparison.placements.inputs[0].axes[0] = shard(2);
  EXPECT_NE(errorText().find("input 'x' cannot be cut: shard(2) of a tensor of 2 dimensions"), std::string::npos);
  comparison.placements = right;
  comparison.placements.inputs[0].as = {5, 5};
  EXPECT_NE(errorText().find("the shape [5, 5] does not have the elements of [4, 3]"), std::string::npos);
  comparison.placements = right;
  comparison.placements.inputs.pop_back();
  EXPECT_NE(errorText().find("no placement is of input 1 of the parallel graph"), std::string::npos);
  comparison.placements = right;
  comparison.placements.outputs[1].position = 0;
  EXPECT_NE(errorText().find("two placements are of output 0"), std::string::npos);
  comparison.placements.outputs[1].position = 7;
  EXPECT_NE(errorText().find("expected positions below 2 and 2"), std::string::npos);
  comparison.placements = right;
  comparison.placements.outputs[0].axes[0] = AxisPlacement();
  EXPECT_NE(errorText().find("output 'y' has the sizes [2, 2] on rank 0, its placement gives [4, 2]"),
            std::string::npos);
  comparison.placements = right;
  comparison.placements.mesh[0].size = 4;
  EXPECT_NE(errorText().find("the mesh has 4 ranks, the job has 2"), std::string::npos);
}

TEST_F(SameStepTest, AnInputThatIsAPartialSumIsMadeOfParts) {
  compareWith(dataParallel(reduced, "wait_tensor"));
  comparison.single = read(R"(
class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[4][1]cpu"):
        return (x,)
)");
  const Graph *parallel = read(R"(
class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[4][1]cpu"):
        all_reduce: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
        wait_tensor: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce)
        return (wait_tensor,)
)");
  for (RankStep &rank : comparison.ranks)
    rank.graph = parallel;
  comparison.placements.inputs = {{0, 0, "x", {{AxisPlacement::Kind::PartialSum, 0}}, {}, {}}};
  comparison.placements.outputs = {{0, 0, "x", {AxisPlacement()}, {}, {}}};
  EXPECT_EQ(answer().equal, true);
  comparison.placements.inputs[0].axes[0].kind = AxisPlacement::Kind::PartialAvg;
  EXPECT_EQ(answer().equal, false) << "the sum of parts of a mean is twice the mean";
}

TEST_F(SameStepTest, RandomOperatorsAreAssumedToDrawAlikeAndNeverWrong) {
  std::string lines = std::string(reduced) +
                      R"(        rand: "f32[][]cpu" = torch.ops.aten.rand.default([], dtype = torch.float32)
        mul: "f32[][]cpu" = torch.ops.aten.mul.Tensor(wait_tensor, rand)
)";
  compareWith(dataParallel(lines, "mul"));
  StepAnswer result = answer();
  EXPECT_EQ(result.equal, std::nullopt);
  ASSERT_EQ(result.assumed.size(), 1U);
  EXPECT_EQ(result.assumed.front(), "random operators draw equal numbers on both sides, in the order of their calls");
}

// The two rows of the mesh hold the value at one node in other dimensions.
TEST_F(SameStepTest, ValuesOfOtherDimensionsAreNotJoined) {
  auto text = [](llvm::StringRef view) {
    return dataParallel((view + R"(
        mul: "f32[2, 2][2, 1]cpu" = torch.ops.aten.mul.Tensor(tanh, 3.0)
        mean: "f32[]" = torch.ops.aten.mean.default(view)
)")
                            .str(),
                        "mean");
  };
  std::string wide = text(R"(        view: "f32[2, 2]" = torch.ops.aten.view.default(tanh, [2, 2]))");
  std::string flat = text(R"(        view: "f32[4]" = torch.ops.aten.view.default(tanh, [4]))");
  compareWith(wide);
  RankStep first = comparison.ranks.front(), second{read(flat), first.groups};
  comparison.ranks = {first, first, second, second};
  comparison.placements.mesh = {{"dp", 2}, {"rep", 2}};
  comparison.placements.inputs[0].axes = {AxisPlacement(), shard(0)};
  comparison.placements.inputs[1].axes.resize(2);
  comparison.placements.outputs[0].axes = {AxisPlacement(), shard(0)};
  comparison.placements.outputs[1].axes.resize(2);
  StepAnswer result = answer();
  EXPECT_EQ(result.equal, false);
  EXPECT_FALSE(result.where.empty());
}

} // namespace
} // namespace ccgraph::equality
