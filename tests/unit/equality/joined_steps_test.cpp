// Pipelines against the step of one device: their stages and microbatches are joined before they are compared.
#include "ccgraph/equality/joined_steps.h"

#include "support/step_texts.h"

namespace ccgraph::equality {
namespace {

using Kind = AxisPlacement::Kind;

AxisPlacement at(int64_t coordinate) { return {Kind::At, 0, false, coordinate}; }

std::string program(llvm::StringRef inputs, llvm::StringRef lines) {
  return ("class M(torch.nn.Module):\n    def forward(self, " + inputs + "):\n" + lines).str();
}
std::string launch(llvm::StringRef name, llvm::StringRef word, int64_t peer, llvm::StringRef tensor) {
  return ("        " + name + " = torch.ops._c10d_functional.batch_p2p_ops.default(['" + word + "'], [" +
          llvm::Twine(peer) + "], [0], [" + tensor + "], '0')\n")
      .str();
}

// loss = sum(tanh(x a) b), of two rows; the gradient of b is added up over the rows.
constexpr const char *single = R"(
        mul: "f32[2, 4]" = torch.ops.aten.mul.Tensor(x, a)
        tanh: "f32[2, 4]" = torch.ops.aten.tanh.default(mul)
        mul_1: "f32[2, 4]" = torch.ops.aten.mul.Tensor(tanh, b)
        sum_1: "f32[]" = torch.ops.aten.sum.default(mul_1)
        sum_2: "f32[4]" = torch.ops.aten.sum.dim_IntList(tanh, [0])
        mul_2: "f32[4]" = torch.ops.aten.mul.Tensor(a, 2)
        return (sum_1, sum_2, mul_2)
)";

struct JoinedStepsTest : testing::Test, test::StepTexts {
  std::vector<RankStep> ranks;
  StepPlacements placements;

  JoinedStepsTest() { placements.mesh = {{"pp", 2}}; }

  void setStages(const std::string &first, const std::string &second) {
    ranks = {{read(first), test::worldOfTwo()}, {read(second), test::worldOfTwo()}};
  }

  /// Stage 0 has a and both rows of x, stage 1 has b; `sent` are the rows that stage 0 sends, in order.
  void setRows(llvm::StringRef firstSent, llvm::StringRef secondSent, const char *ofSecondRow = "mul") {
    setStages(program(R"(x0: "f32[1, 4]", x1: "f32[1, 4]", a: "f32[4]")", R"(
        mul: "f32[1, 4]" = torch.ops.aten.mul.Tensor(x0, a)
        tanh: "f32[1, 4]" = torch.ops.aten.tanh.default(mul)
        mul_1: "f32[1, 4]" = torch.ops.aten.)" + std::string(ofSecondRow) +
                                                                              R"(.Tensor(x1, a)
        tanh_1: "f32[1, 4]" = torch.ops.aten.tanh.default(mul_1)
)" + launch("batch", "isend", 1, firstSent) + launch("batch_1", "isend", 1, secondSent) +
                                                                              R"(
        mul_2: "f32[4]" = torch.ops.aten.mul.Tensor(a, 2)
        return (mul_2,)
)"),
              program(R"(b: "f32[4]")", R"(
        empty: "f32[1, 4]" = torch.ops.aten.empty.memory_format([1, 4])
)" + launch("batch", "irecv", 0, "empty") +
                                            R"(
        getitem: "f32[1, 4]" = batch[0]
        empty_1: "f32[1, 4]" = torch.ops.aten.empty.memory_format([1, 4])
)" + launch("batch_1", "irecv", 0, "empty_1") +
                                            R"(
        getitem_1: "f32[1, 4]" = batch_1[0]
        wait = torch.ops._c10d_functional.wait_tensors.default([getitem, getitem_1])
        getitem_2: "f32[1, 4]" = wait[0]
        mul: "f32[1, 4]" = torch.ops.aten.mul.Tensor(getitem_2, b)
        sum_1: "f32[]" = torch.ops.aten.sum.default(mul)
        mul_1: "f32[1, 4]" = torch.ops.aten.mul.Tensor(empty_1, b)
        sum_2: "f32[]" = torch.ops.aten.sum.default(mul_1)
        add: "f32[]" = torch.ops.aten.add.Tensor(sum_1, sum_2)
        cat: "f32[2, 4]" = torch.ops.aten.cat.default([getitem_2, empty_1])
        sum_3: "f32[4]" = torch.ops.aten.sum.dim_IntList(cat, [0])
        return (add, sum_3)
)"));
    placements.inputs = {{0, 0, "x", {at(0)}, {}, {}, {}, {}, Microbatch{0, 2}},
                         {1, 0, "x", {at(0)}, {}, {}, {}, {}, Microbatch{1, 2}},
                         {2, 1, "a", {at(0)}, {}, {}},
                         {0, 2, "b", {at(1)}, {}, {}}};
    placements.outputs = {
        {0, 2, "new.a", {at(0)}, {}, {}}, {0, 0, "loss", {at(1)}, {}, {}}, {1, 1, "grad.b", {at(1)}, {}, {}}};
  }

  JoinedSteps joined() {
    llvm::Expected<JoinedSteps> steps = joinSteps(ranks, placements);
    if (!steps) {
      ADD_FAILURE() << llvm::toString(steps.takeError());
      return {};
    }
    return std::move(*steps);
  }
  StepAnswer compare(llvm::StringRef one) {
    JoinedSteps steps = joined();
    if (!steps.problem.empty() || steps.ranks.empty()) {
      ADD_FAILURE() << steps.problem;
      return {};
    }
    StepComparison comparison;
    comparison.single = read(one);
    comparison.ranks = steps.ranks;
    comparison.placements = steps.placements;
    llvm::Expected<StepAnswer> answer = compareSteps(comparison);
    if (!answer) {
      ADD_FAILURE() << llvm::toString(answer.takeError());
      return {};
    }
    for (StepPlace &place : answer->where)
      steps.restore(place);
    for (WrongOutput &output : answer->wrong)
      steps.restore(output);
    return *answer;
  }
  std::string errorOfJoin() {
    llvm::Expected<JoinedSteps> steps = joinSteps(ranks, placements);
    return steps ? "" : llvm::toString(steps.takeError());
  }
};

const std::string singleStep = program(R"(x: "f32[2, 4]", a: "f32[4]", b: "f32[4]")", single);

TEST_F(JoinedStepsTest, APipelineOfMicrobatchesIsTheStepOfOneDevice) {
  setRows("tanh", "tanh_1");
  const StepAnswer answer = compare(singleStep);
  EXPECT_EQ(answer.equal, true);
}

TEST_F(JoinedStepsTest, ARowThatIsSentTwiceIsFoundOnTheRanksOfItsStages) {
  setRows("tanh", "tanh");
  const StepAnswer answer = compare(singleStep);
  ASSERT_EQ(answer.equal, false);
  ASSERT_EQ(answer.wrong.size(), 2U);
  EXPECT_EQ(answer.wrong.front().of, "loss");
  EXPECT_EQ(answer.wrong.front().rank, 1);
  for (const StepPlace &place : answer.where)
    EXPECT_NE(ranks[static_cast<size_t>(place.rank)].graph->find(place.node), nullptr) << place.node;
}

TEST_F(JoinedStepsTest, TheNodeOfOneMicrobatchThatComputesAnotherValueIsNamed) {
  setRows("tanh", "tanh_1", "add");
  const StepAnswer answer = compare(singleStep);
  ASSERT_EQ(answer.equal, false);
  ASSERT_FALSE(answer.where.empty());
  EXPECT_EQ(answer.where.front().rank, 0);
  EXPECT_EQ(answer.where.front().node, "mul_1");
}

TEST_F(JoinedStepsTest, JoinedInputsAreThoseOfOneDevice) {
  setRows("tanh", "tanh_1");
  const JoinedSteps steps = joined();
  ASSERT_EQ(steps.ranks.size(), 1U);
  EXPECT_EQ(steps.placements.mesh.front().size, 1);
  EXPECT_EQ(steps.placements.inputs.size(), 3U);
  EXPECT_FALSE(needsJoining(steps.placements));
  EXPECT_NE(steps.ranks.front().graph->find("pp1.sum_2"), nullptr);
}

// A receive whose buffer is read before anything waits for it would read what is not there.
TEST_F(JoinedStepsTest, AStageThatWaitsForNoSenderIsAProblem) {
  setRows("tanh", "tanh_1");
  ranks[0].graph = read(program(R"(x0: "f32[1, 4]", x1: "f32[1, 4]", a: "f32[4]")", R"(
        mul: "f32[4]" = torch.ops.aten.mul.Tensor(a, 2)
        return (mul,)
)"));
  EXPECT_EQ(joined().problem, "'pp1.wait' waits for what no other stage sends or reduces");
}

struct ReductionsOfStagesTest : JoinedStepsTest {
  /// Both stages reduce a number of their own over all ranks.
  void setReduction(llvm::StringRef collective) {
    const std::string lines = ("        reduced: \"f32[4]\" = torch.ops._c10d_functional." + collective + R"(
        wait_tensor: "f32[4]" = torch.ops._c10d_functional.wait_tensor.default(reduced)
        mul: "f32[4]" = torch.ops.aten.mul.Tensor(w, wait_tensor)
        return (mul,)
)")
                                  .str();
    ranks = {};
    const Graph *first = read(program(R"(w: "f32[4]")", lines)), *second = read(program(R"(w: "f32[4]")", lines));
    const int64_t count = numRanks(placements.mesh);
    for (int64_t rank = 0; rank != count; ++rank)
      ranks.push_back({coordinatesOf(rank, placements.mesh).front() == 0 ? first : second, test::worldOf(count)});
    const std::vector<AxisPlacement> others(placements.mesh.size() - 1);
    for (int64_t stage : {0, 1}) {
      const std::string name(1, static_cast<char>('a' + stage));
      std::vector<AxisPlacement> axes = {at(stage)};
      axes.insert(axes.end(), others.begin(), others.end());
      placements.inputs.push_back({0, static_cast<size_t>(stage), name, axes, {}, {}});
      placements.outputs.push_back({0, static_cast<size_t>(stage), "new." + name, axes, {}, {}});
    }
  }
  /// Multiplies both tensors by their total times a number.
  static std::string singleOf(llvm::StringRef total, llvm::StringRef number = "1") {
    return program(R"(a: "f32[4]", b: "f32[4]")", ("        total = torch.ops.aten." + total + R"(
        t = torch.ops.aten.mul.Tensor(total, )" + number +
                                                   R"()
        mul: "f32[4]" = torch.ops.aten.mul.Tensor(a, t)
        mul_1: "f32[4]" = torch.ops.aten.mul.Tensor(b, t)
        return (mul, mul_1)
)")
                                                      .str());
  }
};

TEST_F(ReductionsOfStagesTest, AnAllReduceOverTwoStagesIsTheirSum) {
  setReduction("all_reduce.default(w, 'sum', '0')");
  EXPECT_EQ(compare(singleOf("add.Tensor(a, b)")).equal, true);
  EXPECT_EQ(compare(singleOf("maximum.default(a, b)")).equal, false);
}

TEST_F(ReductionsOfStagesTest, AMaximumOverTwoStagesIsTheirMaximum) {
  setReduction("all_reduce.default(w, 'max', '0')");
  EXPECT_EQ(compare(singleOf("maximum.default(a, b)")).equal, true);
  EXPECT_EQ(compare(singleOf("minimum.default(a, b)")).equal, false);
}

// Two ranks on each stage hold equal values, so the sum over all four is twice that of the stages.
TEST_F(ReductionsOfStagesTest, AnAllReduceOverStagesAndReplicasAddsBoth) {
  placements.mesh = {{"pp", 2}, {"dp", 2}};
  setReduction("all_reduce.default(w, 'sum', '0')");
  const JoinedSteps steps = joined();
  ASSERT_EQ(steps.ranks.size(), 2U);
  EXPECT_EQ(steps.ranks[0].graph, steps.ranks[1].graph);
  EXPECT_EQ(compare(singleOf("add.Tensor(a, b, alpha = 1)")).equal, false);
  EXPECT_EQ(compare(singleOf("add.Tensor(a, b)", "2")).equal, true);
}

TEST_F(ReductionsOfStagesTest, AMeanOverStagesAndReplicasIsTheMeanOfAll) {
  placements.mesh = {{"pp", 2}, {"dp", 2}};
  setReduction("all_reduce.default(w, 'avg', '0')");
  EXPECT_EQ(compare(singleOf("add.Tensor(a, b)", "0.5")).equal, true);
}

TEST_F(ReductionsOfStagesTest, AnotherCollectiveOverTwoStagesIsAProblem) {
  setReduction("broadcast.default(w, 0, '0')");
  EXPECT_EQ(joined().problem, "'pp0.reduced' is a collective over several stages that is no all_reduce of a sum, mean, "
                              "least or largest value");
}

// The gradient of w is the sum of the terms of three microbatches; `sum` is how it is added up.
std::string gradientStep(const char *sum) {
  return program(R"(x0: "f32[2, 4]", x1: "f32[2, 4]", x2: "f32[2, 4]", w: "f32[4, 3]")", std::string(R"(
        mm: "f32[2, 3]" = torch.ops.aten.mm.default(x0, w)
        tanh: "f32[2, 3]" = torch.ops.aten.tanh.default(mm)
        t: "f32[4, 2]" = torch.ops.aten.t.default(x0)
        term: "f32[4, 3]" = torch.ops.aten.mm.default(t, tanh)
        mm_1: "f32[2, 3]" = torch.ops.aten.mm.default(x1, w)
        tanh_1: "f32[2, 3]" = torch.ops.aten.tanh.default(mm_1)
        t_1: "f32[4, 2]" = torch.ops.aten.t.default(x1)
        term_1: "f32[4, 3]" = torch.ops.aten.mm.default(t_1, tanh_1)
        mm_2: "f32[2, 3]" = torch.ops.aten.mm.default(x2, w)
        tanh_2: "f32[2, 3]" = torch.ops.aten.tanh.default(mm_2)
        t_2: "f32[4, 2]" = torch.ops.aten.t.default(x2)
        term_2: "f32[4, 3]" = torch.ops.aten.mm.default(t_2, tanh_2)
)") + sum + R"(
        mul: "f32[4, 3]" = torch.ops.aten.mul.Tensor(w, total)
        return (mul,)
)");
}

struct TermsOfMicrobatchesTest : JoinedStepsTest {
  TermsOfMicrobatchesTest() {
    placements.mesh = {{"dp", 1}};
    for (size_t i : {0, 1, 2})
      placements.inputs.push_back(
          {i, 0, "x", {AxisPlacement()}, {}, {}, {}, {}, Microbatch{static_cast<int64_t>(i), 3}});
    placements.inputs.push_back({3, 1, "w", {AxisPlacement()}, {}, {}});
    placements.outputs = {{0, 0, "grad.w", {AxisPlacement()}, {}, {}}};
  }
  StepAnswer answerOf(const char *sum) { return answerOfStep(gradientStep(sum)); }
  StepAnswer answerOfStep(const std::string &text) {
    ranks = {{read(text), test::worldOf(1)}};
    return compare(program(R"(x: "f32[6, 4]", w: "f32[4, 3]")", R"(
        mm: "f32[6, 3]" = torch.ops.aten.mm.default(x, w)
        tanh: "f32[6, 3]" = torch.ops.aten.tanh.default(mm)
        t: "f32[4, 6]" = torch.ops.aten.t.default(x)
        total: "f32[4, 3]" = torch.ops.aten.mm.default(t, tanh)
        mul: "f32[4, 3]" = torch.ops.aten.mul.Tensor(w, total)
        return (mul,)
)"));
  }
};

TEST_F(TermsOfMicrobatchesTest, TheTermsAddUpToTheGradient) {
  EXPECT_EQ(answerOf(R"(
        part: "f32[4, 3]" = torch.ops.aten.add.Tensor(term_2, term)
        total: "f32[4, 3]" = torch.ops.aten.add.Tensor(part, term_1))")
                .equal,
            true);
}

TEST_F(TermsOfMicrobatchesTest, ATermThatIsAddedAgainIsNamedAndNoRightTermIs) {
  const StepAnswer answer = answerOf(R"(
        part: "f32[4, 3]" = torch.ops.aten.add.Tensor(term, term_1)
        total: "f32[4, 3]" = torch.ops.aten.add.Tensor(part, term_1))");
  ASSERT_EQ(answer.equal, false);
  ASSERT_FALSE(answer.where.empty());
  EXPECT_EQ(answer.where.front().node, "total");
  for (const StepPlace &place : answer.where)
    EXPECT_FALSE(llvm::StringRef(place.node).startswith("tanh")) << place.node;
}

// Terms 0 and 2 are both of microbatch 0, so microbatch 2 is missing.
TEST_F(TermsOfMicrobatchesTest, TheCallThatReadsAMicrobatchAgainIsNamed) {
  std::string text = gradientStep(R"(
        part: "f32[4, 3]" = torch.ops.aten.add.Tensor(term, term_1)
        total: "f32[4, 3]" = torch.ops.aten.add.Tensor(part, term_2))");
  const std::string right = "mm.default(x2, w)";
  text.replace(text.find(right), right.size(), "mm.default(x0, w)");
  const StepAnswer answer = answerOfStep(text);
  ASSERT_EQ(answer.equal, false);
  ASSERT_FALSE(answer.where.empty());
  EXPECT_EQ(answer.where.front().node, "mm_2");
}

struct MicrobatchesTest : JoinedStepsTest {
  MicrobatchesTest() {
    placements.mesh = {{"dp", 2}};
    const Graph *parallel = read(program(R"(x0: "f32[1, 4]", x1: "f32[1, 4]")", R"(
        neg: "f32[1, 4]" = torch.ops.aten.neg.default(x0)
        neg_1: "f32[1, 4]" = torch.ops.aten.neg.default(x1)
        return (neg, neg_1)
)"));
    ranks = {{parallel, test::worldOfTwo()}, {parallel, test::worldOfTwo()}};
    const AxisPlacement rows{Kind::Shard, 0};
    for (size_t i : {0, 1}) {
      const Microbatch part{static_cast<int64_t>(i), 2};
      placements.inputs.push_back({i, 0, "x", {rows}, {}, {}, {}, {}, part});
      placements.outputs.push_back({i, 0, "y", {rows}, {}, {}, {}, {}, part});
    }
  }
};

const std::string negated = program(R"(x: "f32[4, 4]")", R"(
        neg: "f32[4, 4]" = torch.ops.aten.neg.default(x)
        return (neg,)
)");

TEST_F(MicrobatchesTest, MicrobatchesOfARankArePartsOfItsShard) { EXPECT_EQ(compare(negated).equal, true); }

TEST_F(MicrobatchesTest, MicrobatchesInAnotherOrderDiffer) {
  std::swap(placements.outputs[0].microbatch, placements.outputs[1].microbatch);
  EXPECT_EQ(compare(negated).equal, false);
}

TEST_F(MicrobatchesTest, AnOutputWithoutOneOfItsMicrobatchesIsAnError) {
  placements.outputs[1].microbatch = std::nullopt;
  EXPECT_NE(errorOfJoin().find("output 'y' has 1 of its 2 microbatches"), std::string::npos) << errorOfJoin();
}

TEST_F(JoinedStepsTest, PlacementsThatDoNotFitTheStagesAreErrors) {
  setRows("tanh", "tanh_1");
  const StepPlacements right = placements;
  auto errorAfter = [&](llvm::function_ref<void()> change) {
    placements = right;
    change();
    return errorOfJoin();
  };
  auto holds = [](const std::string &text, const char *part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(holds(errorAfter([&] { placements.inputs[2].axes = {AxisPlacement()}; }),
                    "'a' is replicate on the axis 'pp' of stages, expected at(0) to at(1)"));
  EXPECT_TRUE(holds(errorAfter([&] { placements.inputs[2].axes = {at(2)}; }), "'a' is at(2)"));
  EXPECT_TRUE(holds(errorAfter([&] { placements.inputs[3].position = 1; }),
                    "input 'b' is at position 1 of stage 1, expected a position below 1"));
  EXPECT_TRUE(holds(errorAfter([&] { placements.inputs.erase(placements.inputs.begin()); }),
                    "no placement is of input 0 of stage 0"));
  EXPECT_TRUE(
      holds(errorAfter([&] { placements.outputs[2].position = 0; }), "two placements are of output 0 of stage 1"));
  EXPECT_TRUE(holds(errorAfter([&] { placements.mesh = {{"pp", 4}}; }), "the mesh has 4 ranks, the job has 2"));
}

TEST_F(JoinedStepsTest, StagesOnTwoAxesAreAnError) {
  setRows("tanh", "tanh_1");
  placements.mesh = {{"pp", 2}, {"other", 1}};
  for (std::vector<TensorPlacement> *list : {&placements.inputs, &placements.outputs})
    for (TensorPlacement &tensor : *list)
      tensor.axes.push_back(at(0));
  EXPECT_NE(errorOfJoin().find("tensors are at stages of two axes, 'pp' and 'other'"), std::string::npos);
}

// compareSteps itself takes ranks that have the same inputs and outputs.
TEST_F(JoinedStepsTest, StagesThatAreNotJoinedAreAnError) {
  setRows("tanh", "tanh_1");
  StepComparison comparison;
  comparison.single = read(singleStep);
  comparison.ranks = ranks;
  comparison.placements = placements;
  EXPECT_NE(llvm::toString(compareSteps(comparison).takeError()).find("join them first"), std::string::npos);
}

} // namespace
} // namespace ccgraph::equality
