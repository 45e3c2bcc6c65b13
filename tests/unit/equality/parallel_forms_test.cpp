// compareForms on forms that fit on a screen: two parallel forms of one step, without the step of one device.
#include "ccgraph/equality/parallel_forms.h"
#include "support/step_texts.h"

namespace ccgraph::equality {
namespace {

/// Each rank has two of the four rows of x.
constexpr const char *rowsForm = R"(
class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[2, 3][3, 1]cpu", w: "f32[3, 4][4, 1]cpu"):
        mm: "f32[2, 4][4, 1]cpu" = torch.ops.aten.mm.default(x, w)
        tanh: "f32[2, 4][4, 1]cpu" = torch.ops.aten.tanh.default(mm)
        sum_1: "f32[][]cpu" = torch.ops.aten.sum.default(tanh)
        all_reduce: "f32[][]cpu" = torch.ops._c10d_functional.all_reduce.default(sum_1, 'sum', '0')
        wait: "f32[][]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce)
        return (tanh, wait)
)";
/// Each rank has two of the four columns of w; the loss is a partial sum.
constexpr const char *columnsForm = R"(
class GraphModule(torch.nn.Module):
    def forward(self, w: "f32[3, 2][2, 1]cpu", x: "f32[4, 3][3, 1]cpu"):
        mm: "f32[4, 2][2, 1]cpu" = torch.ops.aten.mm.default(x, w)
        tanh: "f32[4, 2][2, 1]cpu" = torch.ops.aten.tanh.default(mm)
        sum_1: "f32[][]cpu" = torch.ops.aten.sum.default(tanh)
        return (sum_1, tanh)
)";

AxisPlacement shard(int64_t dim) { return {AxisPlacement::Kind::Shard, dim}; }
TensorPlacement placed(size_t position, std::string of, AxisPlacement placement) {
  return {position, 0, std::move(of), {placement}, {}, {}};
}
const AxisPlacement replicated, partialSum{AxisPlacement::Kind::PartialSum, 0};

struct ParallelFormsTest : testing::Test, test::StepTexts {
  FormComparison forms;

  ParallelForm form(llvm::StringRef text) {
    RankStep rank{read(text), test::worldOfTwo()};
    ParallelForm result{{rank, rank}, {}};
    result.placements.mesh = {{"axis", 2}};
    return result;
  }
  void SetUp() override {
    forms.reference = form(rowsForm);
    forms.reference.placements.inputs = {placed(0, "x", shard(0)), placed(1, "w", replicated)};
    forms.reference.placements.outputs = {placed(0, "y", shard(0)), placed(1, "loss", replicated)};
    compareWith(columnsForm);
  }
  void compareWith(llvm::StringRef text) {
    forms.compared = form(text);
    forms.compared.placements.inputs = {placed(0, "w", shard(1)), placed(1, "x", replicated)};
    forms.compared.placements.outputs = {placed(0, "loss", partialSum), placed(1, "y", shard(1))};
  }
  StepAnswer answer() {
    llvm::Expected<StepAnswer> result = compareForms(forms);
    if (!result) {
      ADD_FAILURE() << llvm::toString(result.takeError());
      return {};
    }
    return *result;
  }
  std::string errorText() {
    llvm::Expected<StepAnswer> result = compareForms(forms);
    return result ? "no error" : llvm::toString(result.takeError());
  }
};

TEST_F(ParallelFormsTest, FormsThatShardOtherTensorsAreTheSame) {
  StepAnswer result = answer();
  EXPECT_EQ(result.equal, true);
  EXPECT_TRUE(result.ofForms);
  EXPECT_TRUE(result.assumed.empty());
}

TEST_F(ParallelFormsTest, AMistakeInTheComparedFormIsNamedThere) {
  std::string wrong = columnsForm;
  wrong.replace(wrong.find("tanh.default(mm)"), 16, "relu.default(mm)");
  compareWith(wrong);
  StepAnswer result = answer();
  EXPECT_EQ(result.equal, false);
  ASSERT_EQ(result.wrong.size(), 2U);
  EXPECT_EQ(result.wrong.front().of, "loss");
  EXPECT_FALSE(result.wrong.front().inReference);
  ASSERT_FALSE(result.where.empty());
  EXPECT_EQ(result.where.front().node, "tanh");
}

TEST_F(ParallelFormsTest, AMistakeInTheReferenceIsNamedThere) {
  std::string wrong = rowsForm;
  wrong.replace(wrong.find("'sum', '0'"), 10, "'avg', '0'");
  ParallelForm reference = form(wrong);
  reference.placements = forms.reference.placements;
  forms.reference = reference;
  StepAnswer result = answer();
  EXPECT_EQ(result.equal, false);
  ASSERT_EQ(result.wrong.size(), 1U);
  EXPECT_EQ(result.wrong.front().of, "loss");
  // The mean lacks a factor, or the sum before it does.
  ASSERT_GE(result.whereInReference.size(), 2U);
  EXPECT_EQ(result.whereInReference[0].node, "sum_1");
  EXPECT_EQ(result.whereInReference[1].node, "all_reduce");
}

TEST_F(ParallelFormsTest, ReplicasOfTheReferenceThatDifferAreWrong) {
  std::string wrong = rowsForm;
  wrong.replace(wrong.find("(tanh, wait)"), 12, "(tanh, sum_1)");
  ParallelForm reference = form(wrong);
  reference.placements = forms.reference.placements;
  forms.reference = reference;
  StepAnswer result = answer();
  EXPECT_EQ(result.equal, false);
  ASSERT_EQ(result.wrong.size(), 1U);
  EXPECT_TRUE(result.wrong.front().inReference);
  EXPECT_TRUE(result.wrong.front().replicasDiffer);
  EXPECT_EQ(result.wrong.front().rank, 1);
}

TEST_F(ParallelFormsTest, AnOutputOfOneFormAloneCannotBeDecided) {
  forms.compared.placements.outputs[1].of = "z";
  StepAnswer result = answer();
  EXPECT_EQ(result.equal, std::nullopt);
  ASSERT_EQ(result.assumed.size(), 2U);
  EXPECT_EQ(result.assumed[0],
            "output y is stated by the placements of the reference alone: state the counterpart with the same \"of\"");
  EXPECT_EQ(result.assumed[1], "output z is stated by the placements of the compared form alone: state the counterpart "
                               "with the same \"of\"");
}

TEST_F(ParallelFormsTest, AnOutputThatDiffersIsWrongBesideOneThatHasNoCounterpart) {
  std::string wrong = columnsForm;
  wrong.replace(wrong.find("tanh.default(mm)"), 16, "relu.default(mm)");
  compareWith(wrong);
  forms.compared.placements.outputs[1].of = "z";
  StepAnswer result = answer();
  EXPECT_EQ(result.equal, false);
  EXPECT_EQ(result.assumed.size(), 2U);
}

TEST_F(ParallelFormsTest, AnInputOfOneFormAloneCannotBeDecided) {
  forms.reference.placements.inputs[0].of = "other";
  StepAnswer result = answer();
  EXPECT_EQ(result.equal, std::nullopt);
  EXPECT_EQ(result.assumed.size(), 2U);
}

TEST_F(ParallelFormsTest, AnInputOfOtherSizesInTheTwoFormsIsAnError) {
  forms.compared.placements.inputs[1].axes = {shard(0)};
  EXPECT_NE(errorText().find("input 'x' is"), std::string::npos) << errorText();
}

TEST_F(ParallelFormsTest, TwoOutputsOfOneNameAreAnError) {
  forms.compared.placements.outputs[1].of = "loss";
  EXPECT_NE(errorText().find("two outputs are called 'loss'"), std::string::npos) << errorText();
}

TEST_F(ParallelFormsTest, AFormWithoutThePlacementOfAnInputIsAnError) {
  forms.reference.placements.inputs.pop_back();
  EXPECT_NE(errorText().find("no placement is of input 1"), std::string::npos) << errorText();
}

/// Each rank looks up the rows that it has; tokens of other ranks are masked.
std::string vocabularyForm(int64_t offset) {
  return R"(
class GraphModule(torch.nn.Module):
    def forward(self, tokens: "i64[32][1]cpu", table: "f32[4, 2][2, 1]cpu"):
        sub: "i64[32][1]cpu" = torch.ops.aten.sub.Tensor(tokens, )" +
         std::to_string(offset) + R"()
        ge: "b8[32][1]cpu" = torch.ops.aten.ge.Scalar(sub, 0)
        lt: "b8[32][1]cpu" = torch.ops.aten.lt.Scalar(sub, 4)
        mask: "b8[32][1]cpu" = torch.ops.aten.logical_and.default(ge, lt)
        zero: "i64[][]cpu" = torch.ops.aten.full.default([], 0, dtype = torch.int64)
        where: "i64[32][1]cpu" = torch.ops.aten.where.self(mask, sub, zero)
        rows: "f32[32, 2][2, 1]cpu" = torch.ops.aten.embedding.default(table, where)
        unsqueeze: "b8[32, 1][1, 1]cpu" = torch.ops.aten.unsqueeze.default(mask, 1)
        none: "f32[][]cpu" = torch.ops.aten.full.default([], 0.0, dtype = torch.float32)
        kept: "f32[32, 2][2, 1]cpu" = torch.ops.aten.where.self(unsqueeze, rows, none)
        return (kept,)
)";
}

TEST_F(ParallelFormsTest, TokensReachTheRowsOfAllRanks) {
  auto vocabulary = [&](int64_t second) {
    ParallelForm result = form(vocabularyForm(0));
    result.ranks[1].graph = read(vocabularyForm(second));
    result.placements.inputs = {placed(0, "tokens", replicated), placed(1, "table", shard(0))};
    result.placements.outputs = {placed(0, "rows", partialSum)};
    return result;
  };
  forms.reference = vocabulary(4);
  forms.compared = vocabulary(4);
  EXPECT_EQ(answer().equal, true);
  // Tokens from 4 on alone tell an offset of 5 from one of 4: those below 4 are masked by both.
  forms.compared = vocabulary(5);
  EXPECT_EQ(answer().equal, false);
}

} // namespace
} // namespace ccgraph::equality
