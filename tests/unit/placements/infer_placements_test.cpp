// inferPlacements on programs of a few nodes: one rule each, and what must not be a finding.
#include "unit/placements/placed_program.h"

namespace ccgraph::placements {
namespace {

TEST_F(InferPlacementsTest, AReshapeKeepsBatchAndSequenceApart) {
  ask(R"(x: "f32[2, 4, 6][24, 6, 1]cpu")", R"(
        view: "f32[8, 6][6, 1]cpu" = torch.ops.aten.view.default(x, [8, 6])
        view_1: "f32[2, 4, 6][24, 6, 1]cpu" = torch.ops.aten.view.default(view, [2, 4, 6])
        view_2: "f32[2, 4, 3, 2][24, 6, 2, 1]cpu" = torch.ops.aten.view.default(view, [2, 4, 3, 2])
        return (view_1, view_2)
)");
  input(0, {shard(1)});
  PlacementAnswer result = answer();
  EXPECT_EQ(of(result, "view"), "shard(0) of each of 2 blocks");
  EXPECT_EQ(of(result, "view_1"), "shard(1)");
  EXPECT_EQ(of(result, "view_2"), "shard(1)");
}

TEST_F(InferPlacementsTest, TwoAxesOfOneDimensionAreGatheredInTheirOrder) {
  question.known.mesh = {{"dp", 2}, {"tp", 2}};
  ask(R"(x: "f32[4, 6][6, 1]cpu", y: "f32[8, 6][6, 1]cpu")", R"(
        gather: "f32[8, 6][6, 1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(x, 2, 'dp')
        wait: "f32[8, 6][6, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(gather)
        add: "f32[8, 6][6, 1]cpu" = torch.ops.aten.add.Tensor(wait, y)
        return (add,)
)");
  input(0, {shard(0), shard(0)});
  input(1, {AxisPlacement(), shard(0)});
  question.known.inputs[0].splitOrder = {1, 0};
  EXPECT_EQ(of(answer(), "add"), "replicated, shard(0)");
  EXPECT_EQ(findings(), "");
  question.known.inputs[0].splitOrder = {0, 1};
  EXPECT_EQ(findings(), "mismatched-operands at add;") << "tp cut after dp, so the gathered rows are in another order";
}

TEST_F(InferPlacementsTest, ALinearFunctionOfAPartialSumStaysPartial) {
  ask(R"(x: "f32[4, 6][6, 1]cpu", w: "f32[6, 6][6, 1]cpu")", R"(
        mul: "f32[4, 6][6, 1]cpu" = torch.ops.aten.mul.Tensor(x, 0.5)
        mm: "f32[4, 6][6, 1]cpu" = torch.ops.aten.mm.default(mul, w)
        add: "f32[4, 6][6, 1]cpu" = torch.ops.aten.add.Tensor(mm, x)
        sum_1: "f32[6][1]cpu" = torch.ops.aten.sum.dim_IntList(add, [0])
        relu: "f32[6][1]cpu" = torch.ops.aten.relu.default(sum_1)
        tanh: "f32[6][1]cpu" = torch.ops.aten.tanh.default(relu)
        return (tanh,)
)");
  input(0, {partial()});
  input(1, {AxisPlacement()});
  EXPECT_EQ(of(answer(), "sum_1"), "partial(sum)");
  EXPECT_EQ(findings(), "unreduced-operand at relu;") << "what follows a finding makes no other";
}

TEST_F(InferPlacementsTest, AWholeValueInAPartialSumCountsOnceForEachRank) {
  ask(R"(x: "f32[4, 6][6, 1]cpu", b: "f32[6][1]cpu")", R"(
        add: "f32[4, 6][6, 1]cpu" = torch.ops.aten.add.Tensor(x, b)
        reduce: "f32[4, 6][6, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(add, 'sum', 'tp')
        wait: "f32[4, 6][6, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(reduce)
        share: "f32[6][1]cpu" = torch.ops.aten.div.Tensor(b, 2)
        add_1: "f32[4, 6][6, 1]cpu" = torch.ops.aten.add.Tensor(x, share)
        reduce_1: "f32[4, 6][6, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(add_1, 'sum', 'tp')
        wait_1: "f32[4, 6][6, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(reduce_1)
        return (wait, wait_1)
)");
  input(0, {partial()});
  input(1, {AxisPlacement()});
  EXPECT_EQ(findings(), "added-on-every-rank at reduce;") << "a share of the bias is added rightly";
}

TEST_F(InferPlacementsTest, AReductionOfEqualValuesIsSuperfluous) {
  ask(R"(x: "f32[4][1]cpu", p: "f32[4][1]cpu")", R"(
        reduce: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'avg', 'tp')
        ones: "f32[4][1]cpu" = torch.ops.aten.ones.default([4], dtype = torch.float32)
        count: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(ones, 'sum', 'tp')
        largest: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(p, 'max', 'tp')
        return (reduce, count, largest)
)");
  input(0, {AxisPlacement()});
  input(1, {partial()});
  EXPECT_EQ(findings(), "superfluous-collective at reduce;wrong-reduction at largest;") << "ones count the ranks";
}

TEST_F(InferPlacementsTest, ShardsOfDifferentDimensionsDoNotMeet) {
  ask(R"(x: "f32[4, 4][4, 1]cpu", y: "f32[4, 4][4, 1]cpu", z: "f32[4, 4][4, 1]cpu")", R"(
        add: "f32[4, 4][4, 1]cpu" = torch.ops.aten.add.Tensor(x, y)
        mm: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(x, z)
        softmax: "f32[4, 4][4, 1]cpu" = torch.ops.aten._softmax.default(y, 1, False)
        mm_1: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(y, z)
        reduce: "f32[4, 4][4, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', 'tp')
        return (add, mm, softmax, mm_1, reduce)
)");
  input(0, {shard(0)});
  input(1, {shard(1)});
  input(2, {AxisPlacement()});
  EXPECT_EQ(findings(), "mismatched-operands at add;part-of-dimension at softmax;mismatched-operands at mm_1;"
                        "reduced-parts at reduce;");
}

TEST_F(InferPlacementsTest, AScatterAfterSplitAndCatCutsTheDimensionOfTheSplit) {
  ask(R"(x: "f32[2, 4][4, 1]cpu")", R"(
        split = torch.ops.aten.split.Tensor(x, 2, 1)
        a: "f32[2, 2][4, 1]cpu" = split[0]
        b: "f32[2, 2][4, 1]cpu" = split[1]
        cat: "f32[4, 2][2, 1]cpu" = torch.ops.aten.cat.default([a, b])
        scatter: "f32[2, 2][2, 1]cpu" = torch.ops._c10d_functional.reduce_scatter_tensor.default(cat, 'sum', 2, 'tp')
        wait: "f32[2, 2][2, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(scatter)
        rows: "f32[1, 4][4, 1]cpu" = torch.ops._c10d_functional.reduce_scatter_tensor.default(x, 'sum', 2, 'tp')
        return (wait, rows)
)");
  input(0, {partial()});
  PlacementAnswer result = answer();
  EXPECT_EQ(of(result, "wait"), "shard(1)");
  EXPECT_EQ(of(result, "rows"), "shard(0)");
}

TEST_F(InferPlacementsTest, AnAllToAllExchangesAnAxisWithALocalFactor) {
  ask(R"(x: "f32[4, 8, 2][16, 2, 1]cpu")", R"(
        view: "f32[4, 2, 4, 2][16, 8, 2, 1]cpu" = torch.ops.aten.view.default(x, [4, 2, 4, 2])
        permute: "f32[2, 4, 4, 2][8, 16, 2, 1]cpu" = torch.ops.aten.permute.default(view, [1, 0, 2, 3])
        clone: "f32[2, 4, 4, 2][32, 8, 2, 1]cpu" = torch.ops.aten.clone.default(permute)
        all: "f32[2, 4, 4, 2][32, 8, 2, 1]cpu" = torch.ops._c10d_functional.all_to_all_single.default(clone, [1, 1], [1, 1], 'tp')
        wait: "f32[2, 4, 4, 2][32, 8, 2, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all)
        back: "f32[8, 4, 2][8, 2, 1]cpu" = torch.ops.aten.view.default(wait, [8, 4, 2])
        return (back,)
)");
  // sequence is cut before, heads after
  input(0, {shard(0)});
  EXPECT_EQ(of(answer(), "back"), "shard(1)");
}

TEST_F(InferPlacementsTest, ASliceAtTheOffsetOfTheRankIsAShard) {
  auto slice = [](llvm::StringRef range) {
    return ("        part: \"f32[2][1]cpu\" = torch.ops.aten.slice.Tensor(x, 0, " + range +
            ")\n        return (part,)\n")
        .str();
  };
  constexpr const char *x = R"(x: "f32[4][1]cpu")";
  ask(x, slice("0, 2"));
  input(0, {AxisPlacement()});
  EXPECT_EQ(of(answer(), "part"), "replicated");
  const Graph *first = question.ranks[0].graph;
  const std::string head = std::string("class M(torch.nn.Module):\n    def forward(self, ") + x + "):\n";
  question.ranks[1].graph = read(head + slice("2, 4"));
  EXPECT_EQ(of(answer(), "part"), "shard(0)");
  question.ranks[0].graph = question.ranks[1].graph;
  question.ranks[1].graph = first;
  EXPECT_EQ(findings(), "part-of-other-rank at part;");
  question.known.inputs[0].axes = {partial()};
  question.ranks[0].graph = first;
  question.ranks[1].graph = read(head + slice("2, 4"));
  EXPECT_EQ(findings(), "unreduced-operand at part;");
}

TEST_F(InferPlacementsTest, OneRankThatReadsAnotherValueVaries) {
  constexpr const char *text = R"(class M(torch.nn.Module):
    def forward(self, x: "f32[4][1]cpu"):
        a: "f32[4][1]cpu" = torch.ops.aten.neg.default(x)
        b: "f32[4][1]cpu" = torch.ops.aten.neg.default(%)
        return (b,)
)";
  auto with = [&](const char *value) {
    std::string copy = text;
    return copy.replace(copy.find('%'), 1, value);
  };
  ask(R"(x: "f32[4][1]cpu")", "        return (x,)\n");
  for (RankProgram &rank : question.ranks)
    rank.graph = read(with("a"));
  input(0, {AxisPlacement()});
  question.known.outputs = {{0, 0, "b", {AxisPlacement()}, {}, {}}};
  EXPECT_EQ(findings(), "");
  question.ranks[1].graph = read(with("x"));
  EXPECT_EQ(of(answer(), "b"), "varying");
  EXPECT_EQ(findings(), "wrong-output at b;");
}

TEST_F(InferPlacementsTest, TheAxesAreThoseOfTheGroups) {
  ask(R"(x: "f32[4][1]cpu")", "        return (x,)\n");
  question.known.mesh.clear();
  question.ranks.resize(4, question.ranks.front());
  for (RankProgram &rank : question.ranks) {
    rank.groups = {};
    for (auto [name, cells] : {std::pair<const char *, std::vector<std::vector<int64_t>>>{"inner", {{0, 1}, {2, 3}}},
                               {"outer", {{0, 2}, {1, 3}}}}) {
      Group group{name};
      group.partition = cells;
      rank.groups.set(group);
    }
  }
  PlacementAnswer result = answer();
  ASSERT_EQ(result.mesh.size(), 2U);
  EXPECT_EQ(result.mesh[0].name + result.mesh[1].name, "outerinner");
  for (RankProgram &rank : question.ranks)
    rank.groups = {};
  llvm::Expected<PlacementAnswer> none = inferPlacements(question);
  ASSERT_FALSE(static_cast<bool>(none));
  EXPECT_NE(llvm::toString(none.takeError()).find("the groups of the ranks do not form a mesh"), std::string::npos);
}

TEST_F(InferPlacementsTest, AnOperatorWithoutARuleKeepsEqualValuesEqual) {
  ask(R"(x: "f32[4, 4][4, 1]cpu", y: "f32[4, 4][4, 1]cpu")", R"(
        a: "f32[4, 4][4, 1]cpu" = torch.ops.aten.linalg_inv.default(x)
        b: "f32[4, 4][4, 1]cpu" = torch.ops.aten.linalg_inv.default(y)
        r: "f32[4, 4][4, 1]cpu" = torch.ops.aten.rand_like.default(x)
        return (a, b, r)
)");
  input(0, {AxisPlacement()});
  input(1, {shard(0)});
  PlacementAnswer result = answer();
  EXPECT_EQ(of(result, "a"), "replicated");
  EXPECT_EQ(of(result, "b"), "undecided");
  EXPECT_EQ(of(result, "r"), "replicated (assumed)");
  ASSERT_EQ(result.undecided.size(), 1U);
  EXPECT_EQ(result.undecided.front(), "b: no rule for aten.linalg_inv");
}

// The view may show one head of each rank, or a dimension that was added: sizes do not tell.
TEST_F(InferPlacementsTest, AnAxisBesideADimensionOfOneIsAGuess) {
  for (int64_t dim : {1, 2}) {
    question = {};
    ask(R"(x: "f32[3, 4]", y: "f32[3, 1, 4]")", R"(
        view: "f32[3, 1, 4]" = torch.ops.aten.view.default(x, [3, 1, 4])
        add: "f32[3, 1, 4]" = torch.ops.aten.add.Tensor(view, y)
        return (add,)
)");
    input(0, {shard(1)});
    input(1, {shard(dim)});
    EXPECT_EQ(findings(), "");
  }
}

TEST_F(InferPlacementsTest, AnAxisOfAnotherDimensionIsAFinding) {
  ask(R"(x: "f32[3, 2, 4]", y: "f32[3, 2, 4]")", R"(
        add: "f32[3, 2, 4]" = torch.ops.aten.add.Tensor(x, y)
        return (add,)
)");
  input(0, {shard(2)});
  input(1, {shard(1)});
  EXPECT_EQ(findings(), "mismatched-operands at add;");
}

TEST_F(InferPlacementsTest, AllPartsInTheirOrderAreTheTensor) {
  ask(R"(x: "f32[4, 6]")", R"(
        split = torch.ops.aten.split.Tensor(x, 2)
        a: "f32[2, 6]" = split[0]
        b: "f32[2, 6]" = split[1]
        cat: "f32[4, 6]" = torch.ops.aten.cat.default([a, b])
        add: "f32[4, 6]" = torch.ops.aten.add.Tensor(cat, x)
        return (add,)
)");
  input(0, {shard(0)});
  EXPECT_EQ(of(answer(), "cat"), "shard(0)");
  EXPECT_EQ(findings(), "");
}

// The rows of all ranks come first after a gather; the parts go back to the dimension that was cut.
TEST_F(InferPlacementsTest, AGatheredDimensionIsScatteredWhereItWasCut) {
  question.known.mesh = {{"dp", 2}, {"tp", 2}};
  ask(R"(x: "f32[2, 4, 6]")", R"(
        gather: "f32[4, 4, 6]" = torch.ops._c10d_functional.all_gather_into_tensor.default(x, 2, 'tp')
        wait: "f32[4, 4, 6]" = torch.ops._c10d_functional.wait_tensor.default(gather)
        split = torch.ops.aten.split.Tensor(wait, 2)
        a: "f32[2, 4, 6]" = split[0]
        b: "f32[2, 4, 6]" = split[1]
        whole: "f32[2, 8, 6]" = torch.ops.aten.cat.default([a, b], 1)
        view: "f32[2, 2, 4, 6]" = torch.ops.aten.view.default(whole, [2, 2, 4, 6])
        permute: "f32[2, 2, 4, 6]" = torch.ops.aten.permute.default(view, [1, 0, 2, 3])
        clone: "f32[2, 2, 4, 6]" = torch.ops.aten.clone.default(permute)
        rows: "f32[4, 4, 6]" = torch.ops.aten.view.default(clone, [4, 4, 6])
        scatter: "f32[2, 4, 6]" = torch.ops._c10d_functional.reduce_scatter_tensor.default(rows, 'avg', 2, 'tp')
        part: "f32[2, 4, 6]" = torch.ops._c10d_functional.wait_tensor.default(scatter)
        return (part,)
)");
  input(0, {shard(0), shard(1)});
  EXPECT_EQ(of(answer(), "part"), "shard(0), shard(1)");
}

TEST_F(InferPlacementsTest, TheGatheredPartsOfAShardStayInTheShard) {
  question.known.mesh = {{"dp", 2}, {"tp", 2}};
  ask(R"(w: "f32[4, 3]", x: "f32[4, 6]")", R"(
        gather: "f32[8, 3]" = torch.ops._c10d_functional.all_gather_into_tensor.default(w, 2, 'dp')
        wait: "f32[8, 3]" = torch.ops._c10d_functional.wait_tensor.default(gather)
        split = torch.ops.aten.split.Tensor(wait, 4)
        a: "f32[4, 3]" = split[0]
        b: "f32[4, 3]" = split[1]
        cat: "f32[4, 6]" = torch.ops.aten.cat.default([a, b], 1)
        add: "f32[4, 6]" = torch.ops.aten.add.Tensor(cat, x)
        return (add,)
)");
  input(0, {shard(1), shard(1)});
  question.known.inputs[0].splitOrder = {1, 0};
  input(1, {AxisPlacement(), shard(1)});
  EXPECT_EQ(of(answer(), "add"), "replicated, shard(1)");
  EXPECT_EQ(findings(), "");
}

TEST_F(InferPlacementsTest, AScatterInOneDimensionStaysThere) {
  question.known.mesh = {{"dp", 2}, {"tp", 2}};
  ask(R"(x: "f32[2, 4, 6]", y: "f32[2, 4, 6]")", R"(
        view: "f32[8, 6]" = torch.ops.aten.view.default(x, [8, 6])
        rows: "f32[2, 4, 6]" = torch.ops.aten.view.default(view, [2, 4, 6])
        scatter: "f32[1, 4, 6]" = torch.ops._c10d_functional.reduce_scatter_tensor.default(rows, 'sum', 2, 'tp')
        part: "f32[1, 4, 6]" = torch.ops._c10d_functional.wait_tensor.default(scatter)
        gather: "f32[2, 4, 6]" = torch.ops._c10d_functional.all_gather_into_tensor.default(part, 2, 'tp')
        wait: "f32[2, 4, 6]" = torch.ops._c10d_functional.wait_tensor.default(gather)
        add: "f32[2, 4, 6]" = torch.ops.aten.add.Tensor(wait, y)
        return (add,)
)");
  input(0, {shard(0), partial()});
  input(1, {shard(0), AxisPlacement()});
  EXPECT_EQ(of(answer(), "add"), "shard(0), replicated");
  EXPECT_EQ(findings(), "");
}

TEST_F(InferPlacementsTest, ADimensionOfOneTakesNoAxisThatCutsElements) {
  ask(R"(x: "f32[2, 4, 6]")", R"(
        view: "f32[1, 8, 6]" = torch.ops.aten.view.default(x, [1, 8, 6])
        return (view,)
)");
  input(0, {shard(0)});
  EXPECT_EQ(of(answer(), "view"), "shard(1)");
}

// A bucket of gradients of which only some are parts is neither whole nor the parts of one tensor.
TEST_F(InferPlacementsTest, ABucketOfPartsAndWholeTensorsIsNotKnown) {
  ask(R"(x: "f32[4]", y: "f32[4]")", R"(
        bucket: "f32[8]" = torch.ops.aten.cat.default([x, y])
        square: "f32[8]" = torch.ops.aten.mul.Tensor(bucket, bucket)
        norm: "f32[]" = torch.ops.aten.sum.default(square)
        reduce: "f32[]" = torch.ops._c10d_functional.all_reduce.default(norm, 'sum', 'tp')
        return (bucket, reduce)
)");
  input(0, {AxisPlacement()});
  input(1, {shard(0)});
  question.known.outputs = {{0, 0, "bucket", {AxisPlacement()}, {}, {}}};
  PlacementAnswer result = answer();
  EXPECT_EQ(of(result, "bucket"), "varying");
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(result.undecided, std::vector<std::string>{"output bucket over tp"});
}

// Where the operand is not known, each rank receives rows of something; the rows may be those of any dimension.
TEST_F(InferPlacementsTest, AScatterOfAnUnknownValueIsAGuess) {
  ask(R"(x: "f32[4, 4]", y: "f32[2, 4]")", R"(
        inverse: "f32[4, 4]" = torch.ops.aten.linalg_inv.default(x)
        scatter: "f32[2, 4]" = torch.ops._c10d_functional.reduce_scatter_tensor.default(inverse, 'sum', 2, 'tp')
        add: "f32[2, 4]" = torch.ops.aten.add.Tensor(scatter, y)
        return (add,)
)");
  input(0, {shard(0)});
  input(1, {shard(1)});
  EXPECT_EQ(findings(), "");
}

// Rows of a gather beside another axis: the order in which both cut is not known.
TEST_F(InferPlacementsTest, AGatheredFactorBesideAnAxisIsAGuess) {
  question.known.mesh = {{"dp", 2}, {"tp", 2}};
  ask(R"(x: "f32[2, 4]", y: "f32[4, 4]")", R"(
        gather: "f32[4, 4]" = torch.ops._c10d_functional.all_gather_into_tensor.default(x, 2, 'dp')
        view: "f32[2, 2, 4]" = torch.ops.aten.view.default(gather, [2, 2, 4])
        permute: "f32[2, 2, 4]" = torch.ops.aten.permute.default(view, [1, 0, 2])
        rows: "f32[4, 4]" = torch.ops.aten.view.default(permute, [4, 4])
        add: "f32[4, 4]" = torch.ops.aten.add.Tensor(rows, y)
        return (add,)
)");
  input(0, {shard(1), shard(0)});
  input(1, {AxisPlacement(), shard(0)});
  EXPECT_EQ(findings(), "");
}

TEST_F(InferPlacementsTest, AStackOfEachRanksOwnSumIsNoFinding) {
  ask(R"(x: "f32[4, 3]")", R"(
        s: "f32[3]" = torch.ops.aten.sum.dim_IntList(x, [0])
        u: "f32[1, 3]" = torch.ops.aten.unsqueeze.default(s, 0)
        a: "f32[1, 3]" = torch.ops.aten.alias.default(u)
        return (a, s)
)");
  input(0, {shard(0)});
  question.known.outputs = {{0, 0, "left over", {shard(0)}, {}, {}}, {1, 1, "sum", {shard(0)}, {}, {}}};
  EXPECT_EQ(findings(), "unreduced-output at s;");
}

TEST_F(InferPlacementsTest, ARepeatedShardIsTheShardOfEachRepetition) {
  ask(R"(x: "f32[2, 3]", y: "f32[2, 3]")", R"(
        rows: "f32[4, 4, 3]" = torch.ops.aten.repeat.default(x, [4, 2, 1])
        once: "f32[2, 6]" = torch.ops.aten.repeat.default(x, [1, 2])
        sums: "f32[4, 3]" = torch.ops.aten.repeat.default(y, [2, 1])
        return (rows, once, sums)
)");
  input(0, {shard(0)});
  input(1, {partial()});
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(of(answer(), "rows"), "shard(1) of each of 2 blocks");
  EXPECT_EQ(of(answer(), "once"), "shard(0)");
  EXPECT_EQ(of(answer(), "sums"), "partial(sum)");
}

/// A parameter that tp and then dp cut, gathered over dp, as FSDP over tensor parallel shards does. The gathered rows
/// stand where dp cut them, so the heads that they are split into are those of the tp rank.
TEST_F(InferPlacementsTest, AParameterThatIsGatheredWhereItWasCutIsNoGuess) {
  question.known.mesh = {{"dp", 2}, {"tp", 2}};
  ask(R"(w: "f32[4, 3]")", R"(
        gather: "f32[8, 3]" = torch.ops._c10d_functional.all_gather_into_tensor.default(w, 2, 'dp')
        heads: "f32[2, 4, 3]" = torch.ops.aten.view.default(gather, [2, 4, 3])
        most: "f32[4, 3]" = torch.ops.aten.amax.default(heads, [0])
        return (most,)
)");
  question.known.inputs.push_back({0, 0, "w", {shard(0), shard(0)}, {1, 0}, {}});
  question.known.outputs.push_back({0, 0, "most", {AxisPlacement(), AxisPlacement()}, {}, {}});
  EXPECT_EQ(of(answer(), "heads"), "replicated, shard(0)");
  EXPECT_EQ(of(answer(), "most"), "replicated, partial(max)");
  EXPECT_EQ(findings(), "unreduced-output at most;");
}

/// Rows that each rank sorts by expert, multiplied expert by expert.
TEST_F(InferPlacementsTest, AnOperatorWithoutARuleMakesOfVaryingValuesWhatVaries) {
  ask(R"(x: "f32[4, 3]", w: "f32[2, 3, 3]", chosen: "i64[4]")", R"(
        sort = torch.ops.aten.sort.default(chosen)
        order: "i64[4]" = sort[1]
        rows: "f32[4, 3]" = torch.ops.aten.index.Tensor(x, [order])
        grouped: "f32[4, 3]" = torch.ops.aten._grouped_mm.default(rows, w)
        parts: "f32[4, 3]" = torch.ops.aten._grouped_mm.default(x, w)
        return (grouped, parts)
)");
  input(0, {shard(0)});
  input(1, {AxisPlacement()});
  input(2, {shard(0)});
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(of(answer(), "rows"), "varying");
  EXPECT_EQ(of(answer(), "grouped"), "varying");
  EXPECT_EQ(of(answer(), "parts"), "undecided");
}

/// After a reduce_scatter along the second dimension, tp has a guessed place behind dp. So the order in which both cut
/// the joined rows is not known, and dp, which is certain, gives no finding either.
TEST_F(InferPlacementsTest, AnOrderBesideAGuessIsNoFinding) {
  question.known.mesh = {{"dp", 2}, {"tp", 2}};
  ask(R"(z: "f32[2, 8, 3]", x: "f32[2, 4, 3]", c: "f32[2, 4, 3]")", R"(
        split = torch.ops.aten.split.Tensor(z, 4, 1)
        a: "f32[2, 4, 3]" = split[0]
        b: "f32[2, 4, 3]" = split[1]
        cat: "f32[4, 4, 3]" = torch.ops.aten.cat.default([a, b])
        scatter: "f32[2, 4, 3]" = torch.ops._c10d_functional.reduce_scatter_tensor.default(cat, 'sum', 2, 'tp')
        sum_1: "f32[2, 4, 3]" = torch.ops.aten.add.Tensor(c, scatter)
        rows: "f32[8, 3]" = torch.ops.aten.view.default(sum_1, [8, 3])
        others: "f32[8, 3]" = torch.ops.aten.view.default(x, [8, 3])
        t: "f32[3, 8]" = torch.ops.aten.t.default(rows)
        mm: "f32[3, 3]" = torch.ops.aten.mm.default(t, others)
        add: "f32[8, 3]" = torch.ops.aten.add.Tensor(rows, others)
        return (mm, add)
)");
  input(0, {shard(0), partial()});
  input(1, {shard(0), shard(0)});
  input(2, {shard(0), AxisPlacement()});
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(of(answer(), "mm"), "varying, varying");
}

} // namespace
} // namespace ccgraph::placements
