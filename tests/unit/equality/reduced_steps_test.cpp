// Comparison at smaller sizes: what is reduced, what follows the sizes, and that mistakes are found all the same.
#include "sizes/reduced_steps.h"

#include "compared_steps.h"
#include "sizes/step_cost.h"

#include "llvm/ADT/StringExtras.h"

namespace ccgraph::equality {
namespace {

/// The mistake in the text of the ranks.
struct Mistake {
  /// the reduction of the loss
  std::string reduction = "'sum'";
  /// the divisor of the loss on the ranks: of all rows
  std::string divisor = "131072";
  /// first row of rank r of tp
  int64_t offset = 4000;
};

/// A loss of 131072 rows: 16 ranks of dp share the rows, two ranks of tp the 8000 rows of a table.
struct ReducedStepsTest : ComparedSteps {
  static constexpr int64_t dp = 4, tp = 2;

  static std::string single() {
    return R"(class f(torch.nn.Module):
    def forward(self, i: "i64[131072]", table: "f32[8000, 4096]", w: "f32[4096, 512]"):
        rows: "f32[131072, 4096]" = torch.ops.aten.embedding.default(table, i)
        heads: "f32[131072, 32, 128]" = torch.ops.aten.view.default(rows, [131072, 32, 128])
        tanh: "f32[131072, 32, 128]" = torch.ops.aten.tanh.default(heads)
        flat: "f32[131072, 4096]" = torch.ops.aten.view.default(tanh, [131072, 4096])
        mm: "f32[131072, 512]" = torch.ops.aten.mm.default(flat, w)
        mean: "f32[512]" = torch.ops.aten.mean.dim(mm, [0])
        return (mean, mean)
)";
  }
  static std::string parallel(int64_t rank, const Mistake &mistake) {
    std::string first = std::to_string(rank * mistake.offset);
    return R"(class f(torch.nn.Module):
    def forward(self, i: "i64[32768]", table: "f32[4000, 4096]", w: "f32[1024, 512]"):
        mine: "i64[32768]" = torch.ops.aten.sub.Tensor(i, )" +
           first + R"()
        below: "b8[32768]" = torch.ops.aten.lt.Scalar(mine, 0)
        above: "b8[32768]" = torch.ops.aten.ge.Scalar(mine, 4000)
        out: "b8[32768]" = torch.ops.aten.logical_or.default(below, above)
        row: "i64[32768]" = torch.ops.aten.masked_fill.Scalar(mine, out, 0)
        part: "f32[32768, 4096]" = torch.ops.aten.embedding.default(table, row)
        mask: "b8[32768, 1]" = torch.ops.aten.unsqueeze.default(out, 1)
        masked: "f32[32768, 4096]" = torch.ops.aten.masked_fill.Scalar(part, mask, 0.0)
        ar: "f32[32768, 4096]" = torch.ops._c10d_functional.all_reduce.default(masked, 'sum', 'tp')
        rows: "f32[32768, 4096]" = torch.ops._c10d_functional.wait_tensor.default(ar)
        ag: "f32[4096, 512]" = torch.ops._c10d_functional.all_gather_into_tensor.default(w, 4, 'dp')
        whole: "f32[4096, 512]" = torch.ops._c10d_functional.wait_tensor.default(ag)
        heads: "f32[32768, 32, 128]" = torch.ops.aten.view.default(rows, [32768, 32, 128])
        tanh: "f32[32768, 32, 128]" = torch.ops.aten.tanh.default(heads)
        flat: "f32[32768, 4096]" = torch.ops.aten.view.default(tanh, [32768, 4096])
        mm: "f32[32768, 512]" = torch.ops.aten.mm.default(flat, whole)
        sum_1: "f32[512]" = torch.ops.aten.sum.dim_IntList(mm, [0])
        div: "f32[512]" = torch.ops.aten.div.Tensor(sum_1, )" +
           mistake.divisor + R"()
        lr: "f32[512]" = torch.ops._c10d_functional.all_reduce.default(div, )" +
           mistake.reduction + R"(, 'dp')
        loss: "f32[512]" = torch.ops._c10d_functional.wait_tensor.default(lr)
        rr: "f32[512]" = torch.ops._c10d_functional.all_reduce.default(div, 'sum', 'dp')
        right: "f32[512]" = torch.ops._c10d_functional.wait_tensor.default(rr)
        return (loss, right)
)";
  }

  static Group partition(llvm::StringRef name, int64_t size, int64_t stride) {
    Group group;
    group.name = name.str();
    for (int64_t rank = 0; rank != dp * tp; ++rank)
      if (rank / stride % size == 0) {
        group.partition.emplace_back();
        for (int64_t i = 0; i != size; ++i)
          group.partition.back().push_back(rank + i * stride);
      }
    return group;
  }

  void compare(const Mistake &mistake = {}) {
    comparison.single = read(single());
    std::vector<const Graph *> texts;
    for (int64_t rank = 0; rank != tp; ++rank)
      texts.push_back(read(parallel(rank, mistake)));
    RankStep step;
    step.groups.set(partition("dp", dp, tp));
    step.groups.set(partition("tp", tp, 1));
    for (int64_t rank = 0; rank != dp * tp; ++rank) {
      step.graph = texts[static_cast<size_t>(rank % tp)];
      comparison.ranks.push_back(step);
    }
    comparison.placements.mesh = {{"dp", dp}, {"tp", tp}};
    AxisPlacement whole, rows{AxisPlacement::Kind::Shard, 0};
    comparison.placements.inputs = {
        {0, 0, "i", {rows, whole}, {}, {}}, {1, 1, "table", {whole, rows}, {}, {}}, {2, 2, "w", {rows, whole}, {}, {}}};
    comparison.placements.outputs = {{0, 0, "loss", {whole, whole}, {}, {}}, {1, 1, "right", {whole, whole}, {}, {}}};
    comparison.sizes = StepSizesChoice::Reduced;
  }
};

TEST_F(ReducedStepsTest, AStepThatIsTooLargeForMemoryIsTheSameAtSmallerSizes) {
  compare();
  EXPECT_GT(costOf(comparison).bytes, int64_t{16} << 30);
  comparison.sizes = StepSizesChoice::Automatic;
  StepAnswer result = answer();
  EXPECT_EQ(result.equal, true);
  ASSERT_FALSE(result.assumed.empty());
  EXPECT_NE(result.assumed.back().find("4 ranks of dp as"), std::string::npos) << result.assumed.back();
}

TEST_F(ReducedStepsTest, AtItsOwnSizesItCannotBeDecidedAndTheTextStatesTheMemory) {
  compare();
  comparison.sizes = StepSizesChoice::Own;
  StepAnswer result = answer();
  EXPECT_FALSE(result.equal);
  ASSERT_EQ(result.assumed.size(), 1U);
  EXPECT_NE(result.assumed.front().find("GiB, more than 8.0 GiB"), std::string::npos) << result.assumed.front();
}

TEST_F(ReducedStepsTest, TypesLiteralsAndGroupsFollowTheSizes) {
  compare();
  SizeReduction reduction(comparison);
  ASSERT_EQ(llvm::toString(reduction.build()), "");
  ASSERT_TRUE(reduction.find(SizeTies::Forms));
  ASSERT_EQ(reduction.numFound(), 2U);
  ReducedSteps steps = reduction.apply(0, 0);
  const NamedAxis &axis = steps.comparison.placements.mesh.front();
  EXPECT_LT(axis.size, 6);
  EXPECT_EQ(steps.comparison.ranks.size(), static_cast<size_t>(axis.size * tp));
  const Graph &graph = *steps.comparison.ranks[1].graph;
  const Node &gather = *graph.find("ag"), &view = *graph.find("heads"), &table = *graph.find("table");
  EXPECT_EQ(gather.args()[1].integer(), axis.size);
  EXPECT_EQ(view.args()[1].elements()[1].integer(), view.type()->sizes()[1].value());
  EXPECT_EQ(graph.find("mine")->args()[1].integer(), table.type()->sizes()[0].value());
  EXPECT_EQ(graph.find("above")->args()[1].integer(), table.type()->sizes()[0].value());
  EXPECT_EQ(steps.comparison.ranks[1].groups.find("dp")->ranks.size(), static_cast<size_t>(axis.size));
  EXPECT_EQ(steps.comparison.ranks[1].groups.find("tp")->ranks, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(steps.rankOf[3], 3);
}

TEST_F(ReducedStepsTest, TheTwoTrialsHaveDifferentNumbersOfRanks) {
  compare();
  SizeReduction reduction(comparison);
  ASSERT_EQ(llvm::toString(reduction.build()), "");
  ASSERT_TRUE(reduction.find(SizeTies::Forms));
  EXPECT_NE(reduction.apply(0, 0).comparison.placements.mesh.front().size,
            reduction.apply(1, 0).comparison.placements.mesh.front().size);
}

TEST_F(ReducedStepsTest, AMissingReductionIsFound) {
  Mistake mistake;
  mistake.reduction = "'avg'";
  compare(mistake);
  StepAnswer result = answer();
  EXPECT_EQ(result.equal, false);
  ASSERT_EQ(result.wrong.size(), 1U) << "where the divisor follows the sizes, the other output is right";
  EXPECT_EQ(result.wrong.front().of, "loss");
}

TEST_F(ReducedStepsTest, AWrongDivisorIsFound) {
  for (const char *divisor : {"32768", "4", "65536", "131071"}) {
    Mistake mistake;
    mistake.divisor = divisor;
    comparison.ranks.clear();
    compare(mistake);
    EXPECT_EQ(answer().equal, false) << divisor;
  }
}

TEST_F(ReducedStepsTest, AnOffsetOfAnotherRankOrNextToItIsFound) {
  for (int64_t offset : {0, 3999, 4001}) {
    Mistake mistake;
    mistake.offset = offset;
    comparison.ranks.clear();
    compare(mistake);
    EXPECT_EQ(answer().equal, false) << offset;
  }
}

TEST_F(ReducedStepsTest, AMistakeInTheTextOfOneRankKeepsAllRanksAndIsFoundThere) {
  compare();
  Mistake mistake;
  mistake.divisor = "65536";
  comparison.ranks[5].graph = read(parallel(1, mistake));
  SizeReduction reduction(comparison);
  ASSERT_EQ(llvm::toString(reduction.build()), "");
  ASSERT_TRUE(reduction.find(SizeTies::Forms));
  EXPECT_EQ(reduction.apply(0, 0).comparison.ranks.size(), static_cast<size_t>(dp * tp));
  EXPECT_EQ(answer().equal, false);
}

TEST_F(ReducedStepsTest, AGroupThatIsNoAxisKeepsAllRanks) {
  compare();
  for (RankStep &rank : comparison.ranks) {
    Group half = *rank.groups.find("dp");
    for (std::vector<int64_t> &cell : half.partition)
      std::swap(cell[0], cell[1]);
    rank.groups.set(half);
  }
  SizeReduction reduction(comparison);
  ASSERT_EQ(llvm::toString(reduction.build()), "");
  ASSERT_TRUE(reduction.find(SizeTies::Forms));
  EXPECT_EQ(reduction.apply(0, 0).comparison.ranks.size(), static_cast<size_t>(dp * tp));
  EXPECT_EQ(answer().equal, false) << "the ranks gather the shards of w in another order";
}

TEST_F(ReducedStepsTest, SizesWithoutARelationAreReported) {
  compare();
  comparison.placements.inputs[2].axes[0] = {};
  SizeReduction reduction(comparison);
  EXPECT_EQ(llvm::toString(reduction.build()), "the sizes of 'w' have no relation to those of the single step");
}

/// 8192 is the length of `z`, which can only be 2^13, and that of a sequence.
constexpr const char *twoLengths = R"(class f(torch.nn.Module):
    def forward(self, x: "f32[8192, 64]", z: "f32[8192]", q: "f32[64]"):
        powers: "f32[2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]" = torch.ops.aten.view.default(z, [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2])
        fewer: "f32[2, 2, 2, 2, 2, 2]" = torch.ops.aten.view.default(q, [2, 2, 2, 2, 2, 2])
        t: "f32[64, 8192]" = torch.ops.aten.t.default(x)
        mm: "f32[8192, 8192]" = torch.ops.aten.mm.default(x, t)
        sum_1: "f32[]" = torch.ops.aten.sum.default(mm)
        return (sum_1, powers, fewer)
)";

TEST_F(ReducedStepsTest, SizesOfOneValuePartWhereOneNumberForAllCostsMuch) {
  setSteps(twoLengths, twoLengths);
  const AxisPlacement whole;
  for (size_t i = 0; i != 3; ++i) {
    comparison.placements.inputs.push_back({i, i, "input", {whole}, {}, {}});
    comparison.placements.outputs.push_back({i, i, "output", {whole}, {}, {}});
  }
  StepAnswer result = answer();
  EXPECT_EQ(result.equal, true);
  ASSERT_FALSE(result.assumed.empty());
  EXPECT_NE(result.assumed.back().find("8192 as "), std::string::npos) << result.assumed.back();
}

} // namespace
} // namespace ccgraph::equality
