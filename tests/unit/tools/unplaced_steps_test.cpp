// compareUnplacedSteps: what names, sizes and values tell without placements, and what they do not.
#include "ccgraph/checks/unplaced_steps.h"
#include "support/step_texts.h"

#include "llvm/ADT/StringExtras.h"

namespace ccgraph {
namespace {

using equality::StepAnswer;

struct UnplacedStepsTest : testing::Test, test::StepTexts {
  UnplacedSteps steps;

  /// Two ranks of the axis "dp".
  void setSteps(llvm::StringRef single, llvm::StringRef parallel) {
    steps.single = read(single);
    equality::RankStep rank{read(parallel), test::worldOfTwo()};
    steps.ranks = {rank, rank};
  }
  StepAnswer answer() {
    llvm::Expected<StepAnswer> result = compareUnplacedSteps(steps);
    if (!result) {
      ADD_FAILURE() << llvm::toString(result.takeError());
      return {};
    }
    return *result;
  }
  static bool says(const StepAnswer &answer, llvm::StringRef words) {
    return llvm::StringRef(llvm::join(answer.assumed, "\n")).contains(words);
  }
};

/// A step with the names of two inputs of four rows, the operator of each, and the outputs.
std::string step(int rows, const std::string &lines, const std::string &outputs, llvm::StringRef a = "x",
                 llvm::StringRef b = "y") {
  std::string type = "\"f32[" + std::to_string(rows) + ", 3][3, 1]cpu\"";
  std::string text = "class f(torch.nn.Module):\n    def forward(self, " + a.str() + ": " + type + ", " + b.str() +
                     ": " + type + "):\n";
  llvm::SmallVector<llvm::StringRef> calls;
  llvm::StringRef(lines).split(calls, ';', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef call : calls)
    text += "        " + call.trim().str() + "\n";
  return text + "        return (" + outputs + ",)\n";
}
std::string elementwise(int rows, llvm::StringRef name, llvm::StringRef function, llvm::StringRef of) {
  return (name + ": \"f32[" + llvm::Twine(rows) + ", 3][3, 1]cpu\" = torch.ops.aten." + function + ".default(" + of +
          ");")
      .str();
}
std::string scalar(llvm::StringRef name, llvm::StringRef function, llvm::StringRef of) {
  return (name + ": \"f32[][]cpu\" = torch.ops.aten." + function + ".default(" + of + ");").str();
}

TEST_F(UnplacedStepsTest, NamedInputsCorrespondInAnyOrder) {
  auto lines = [](int rows) { return elementwise(rows, "a", "tanh", "x") + elementwise(rows, "b", "relu", "y"); };
  setSteps(step(4, lines(4), "a, b"), step(2, lines(2), "a, b", "y", "x"));
  StepAnswer result = answer();
  EXPECT_EQ(result.equal, true);
  EXPECT_TRUE(says(result, "correspond by name, position and sizes"));
}

TEST_F(UnplacedStepsTest, ADifferenceOfNamedInputsIsCertain) {
  setSteps(step(4, elementwise(4, "a", "tanh", "x"), "a"), step(2, elementwise(2, "a", "relu", "x"), "a"));
  StepAnswer result = answer();
  EXPECT_EQ(result.equal, false);
  ASSERT_EQ(result.wrong.size(), 1U);
  EXPECT_EQ(result.wrong.front().of, "output 0 (a)");
  ASSERT_FALSE(result.where.empty());
  EXPECT_EQ(result.where.front().node, "a");
}

TEST_F(UnplacedStepsTest, AnonymousInputsOfOneSizeAreTriedByPosition) {
  auto lines = [](int rows) {
    return elementwise(rows, "a", "tanh", "arg0_1") + elementwise(rows, "b", "relu", "arg1_1");
  };
  setSteps(step(4, lines(4), "a, b", "arg0_1", "arg1_1"), step(2, lines(2), "a, b", "arg0_1", "arg1_1"));
  StepAnswer result = answer();
  EXPECT_EQ(result.equal, true);
  EXPECT_TRUE(
      says(result, "inputs arg0_1, arg1_1 of a rank may be arg0_1 or arg1_1 of the single step, and were matched"));
}

TEST_F(UnplacedStepsTest, ADifferenceOfAnonymousInputsCannotBeDecided) {
  auto lines = [](int rows, llvm::StringRef a, llvm::StringRef b) {
    return elementwise(rows, "a", "tanh", a) + elementwise(rows, "b", "relu", b);
  };
  setSteps(step(4, lines(4, "arg0_1", "arg1_1"), "a, b", "arg0_1", "arg1_1"),
           step(2, lines(2, "arg1_1", "arg0_1"), "a, b", "arg0_1", "arg1_1"));
  StepAnswer result = answer();
  EXPECT_EQ(result.equal, std::nullopt);
  EXPECT_TRUE(says(result, "2 outputs differ (output 0 (a), output 1 (b))"));
  EXPECT_TRUE(says(result, "may be arg0_1 or arg1_1"));
  EXPECT_TRUE(says(result, "give --placements FILE"));
}

TEST_F(UnplacedStepsTest, OutputsInAnotherOrderCannotBeDecided) {
  auto lines = [](int rows) { return elementwise(rows, "a", "tanh", "x") + elementwise(rows, "b", "tanh", "a"); };
  setSteps(step(4, lines(4), "a, b"), step(2, lines(2), "b, a"));
  StepAnswer result = answer();
  EXPECT_EQ(result.equal, std::nullopt);
  EXPECT_TRUE(says(result, "output 0 (b) is equal to output 1 of the single step, where output 0 was expected"));
}

TEST_F(UnplacedStepsTest, ALossMayBeTheMeanOrTheSumOfThoseOfTheRanks) {
  setSteps(step(4, scalar("a", "mean", "x"), "a"), step(2, scalar("a", "mean", "x"), "a"));
  StepAnswer result = answer();
  EXPECT_EQ(result.equal, true);
  EXPECT_TRUE(says(result, "output 0 (a) is meant to be partial(avg) over "));
  setSteps(step(4, scalar("a", "sum", "x"), "a"), step(2, scalar("a", "sum", "x"), "a"));
  result = answer();
  EXPECT_EQ(result.equal, true);
  EXPECT_TRUE(says(result, "output 0 (a) is meant to be partial(sum) over "));
}

TEST_F(UnplacedStepsTest, AnOutputOfSeveralNumbersThatIsAPartialSumCannotBeDecided) {
  auto text = [](int rows) {
    return step(rows,
                "t: \"f32[3, " + std::to_string(rows) +
                    "][1, 3]cpu\" = torch.ops.aten.permute.default(x, [1, 0]);"
                    "m: \"f32[3, 3][3, 1]cpu\" = torch.ops.aten.mm.default(t, y);",
                "m");
  };
  setSteps(text(4), text(2));
  StepAnswer result = answer();
  EXPECT_EQ(result.equal, std::nullopt);
  EXPECT_TRUE(says(result, "output 0 (m) is equal to that of the single step as partial(sum) over "));
}

TEST_F(UnplacedStepsTest, AnInputThatIsNoCutIsNamed) {
  setSteps(step(4, elementwise(4, "a", "tanh", "x"), "a"), step(3, elementwise(3, "a", "tanh", "x"), "a"));
  StepAnswer result = answer();
  EXPECT_EQ(result.equal, std::nullopt);
  EXPECT_TRUE(says(result, "input x (f32[3, 3][3, 1]cpu) of a rank is no cut of x (f32[4, 3][3, 1]cpu)"));
}

TEST_F(UnplacedStepsTest, OtherNumbersOfInputsAndOutputsAreNamed) {
  std::string lines = elementwise(2, "a", "tanh", "x");
  setSteps(step(4, elementwise(4, "a", "tanh", "x"), "a, a"), step(2, lines, "a"));
  EXPECT_TRUE(says(answer(), "a rank has 1 output, the single step has 2"));
  std::string fewer = step(2, lines, "a");
  fewer.replace(fewer.find(", y: \"f32[2, 3][3, 1]cpu\""), 25, "");
  setSteps(step(4, elementwise(4, "a", "tanh", "x"), "a"), fewer);
  EXPECT_TRUE(says(answer(), "a rank has 1 input, the single step has 2"));
}

TEST_F(UnplacedStepsTest, APartOfACutDimensionMayBeThatOfAFusedWeight) {
  auto text = [](int rows) {
    std::string half = std::to_string(rows / 2);
    return step(rows, "s: \"f32[" + half + ", 3][3, 1]cpu\" = torch.ops.aten.slice.Tensor(x, 0, 0, " + half + ");",
                "s");
  };
  setSteps(text(4), text(2));
  StepAnswer result = answer();
  EXPECT_EQ(result.equal, std::nullopt);
  EXPECT_TRUE(says(result, "s divides a dimension that is cut, so one of x, y may be a fused weight"));
}

TEST_F(UnplacedStepsTest, GroupsThatFormNoMeshCannotBeDecided) {
  setSteps(step(4, elementwise(4, "a", "tanh", "x"), "a"), step(2, elementwise(2, "a", "tanh", "x"), "a"));
  for (equality::RankStep &rank : steps.ranks)
    rank.groups = {};
  EXPECT_TRUE(says(answer(), "the groups of the ranks do not form a mesh"));
}

/// The sum of tokens, each times the weight of its position. `weights`: how a rank gets those of its tokens.
std::string weightedTokens(int tokens, llvm::StringRef weights, llvm::StringRef reduction) {
  const std::string count = std::to_string(tokens);
  return "class f(torch.nn.Module):\n    def forward(self, tokens: \"i64[1, " + count + "][" + count +
         ", 1]cpu\", w: \"f32[8][1]cpu\"):\n" + weights.str() + "        mul: \"f32[1, " + count + "][" + count +
         ", 1]cpu\" = torch.ops.aten.mul.Tensor(tokens, mine)\n"
         "        s: \"f32[][]cpu\" = torch.ops.aten.sum.default(mul)\n" +
         reduction.str();
}
std::string weightsFrom(llvm::StringRef name, int start) {
  return ("        " + name + ": \"f32[2][1]cpu\" = torch.ops.aten.slice.Tensor(w, 0, " + llvm::Twine(start) + ", " +
          llvm::Twine(start + 2) + ")\n")
      .str();
}
std::string rankOfTokens(int head, int tail) {
  return weightedTokens(
      4,
      weightsFrom("a", head) + weightsFrom("b", tail) +
          "        mine: \"f32[4][1]cpu\" = torch.ops.aten.cat.default([a, b])\n",
      "        r: \"f32[][]cpu\" = torch.ops._c10d_functional.all_reduce.default(s, 'sum', '0')\n"
      "        t: \"f32[][]cpu\" = torch.ops._c10d_functional.wait_tensor.default(r)\n        return (t,)\n");
}

TEST_F(UnplacedStepsTest, ASequenceMayBeHeldFromBothEnds) {
  steps.single = read(
      weightedTokens(8, "        mine: \"f32[8][1]cpu\" = torch.ops.aten.alias.default(w)\n", "        return (s,)\n"));
  steps.ranks = {{read(rankOfTokens(0, 6)), test::worldOfTwo()}, {read(rankOfTokens(2, 4)), test::worldOfTwo()}};
  StepAnswer result = answer();
  EXPECT_EQ(result.equal, true);
  EXPECT_TRUE(says(result, "the ranks of 0 hold parts of the sequence from both ends (head_tail)"));
  // Weights of other positions are wrong, whichever end they are from.
  steps.ranks.front().graph = read(rankOfTokens(0, 4));
  EXPECT_NE(answer().equal, true);
}

} // namespace
} // namespace ccgraph
