// What compareSums follows in programs of several ranks, and what it cannot decide, with the reason.
#include "unit/numerics/compared_programs.h"

namespace ccgraph::numerics {
namespace {

using JobTermsTest = ComparedPrograms;

const char *const oneVector = R"(x: "f32[4][1]cpu")";

TEST_F(JobTermsTest, ACopyThatIsSentAndReceivedIsTheSame) {
  const std::string swap = R"(
        buffer: "f32[4][1]cpu" = torch.ops.aten.clone.default(x)
        isend: "f32[0][1]cpu" = torch.ops._c10d_functional.isend.default(x, 1, 0, '0')
        irecv: "f32[4][1]cpu" = torch.ops._c10d_functional.irecv.default(buffer, 1, 0, '0')
        wait: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(irecv)
        return (wait,)
)";
  compare(oneVector, swap, R"(
        gather: "f32[8][1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(x, 2, '0')
        wait: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(gather)
        part: "f32[4][1]cpu" = torch.ops.aten.slice.Tensor(wait, 0, 4, 8)
        return (part,)
)");
  std::string other = swap;
  for (const char *call : {"(x, 1, 0", "(buffer, 1, 0"})
    other.replace(other.find(call) + llvm::StringRef(call).size() - 4, 1, "0");
  comparison.before[1].graph = program(oneVector, other);
  const SumAnswer result = answer();
  ASSERT_EQ(result.outputs.size(), 2U);
  EXPECT_TRUE(result.outputs[0].isBitwiseEqual) << "rank 0 receives what rank 1 has";
  EXPECT_FALSE(result.outputs[1].isBitwiseEqual) << "rank 1 does not";
}

TEST_F(JobTermsTest, AnExchangeMovesTheRowsOfEachRank) {
  compare(oneVector, R"(
        all_to_all: "f32[4][1]cpu" = torch.ops._c10d_functional.all_to_all_single.default(x, [2, 2], [2, 2], '0')
        wait: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_to_all)
        again: "f32[4][1]cpu" = torch.ops._c10d_functional.all_to_all_single.default(wait, [2, 2], [2, 2], '0')
        same: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(again)
        return (same,)
)",
          "        return (x,)\n");
  EXPECT_EQ(verdict(), "equal");
}

TEST_F(JobTermsTest, RandomOperatorsDrawInTheOrderOfTheirCalls) {
  compare(oneVector, R"(
        a: "f32[4][1]cpu" = torch.ops.aten.rand_like.default(x)
        b: "f32[4][1]cpu" = torch.ops.aten.rand_like.default(x)
        return (a, b)
)",
          R"(
        a: "f32[4][1]cpu" = torch.ops.aten.rand_like.default(x)
        b: "f32[4][1]cpu" = torch.ops.aten.rand_like.default(x)
        return (a, a)
)");
  const SumAnswer result = answer();
  EXPECT_TRUE(result.outputs[0].isBitwiseEqual);
  EXPECT_FALSE(result.outputs[1].isBitwiseEqual);
}

TEST_F(JobTermsTest, AnUnknownOperatorMayHaveAState) {
  compare(oneVector, R"(
        a: "f32[4][1]cpu" = torch.ops.mylib.step.default(x)
        return (a,)
)",
          R"(
        b: "f32[4][1]cpu" = torch.ops.mylib.step.default(x)
        a: "f32[4][1]cpu" = torch.ops.mylib.step.default(x)
        return (a,)
)");
  EXPECT_EQ(undecided(), "after, rank 0: a: a tensor is written of which a view has an unknown place, such as one as "
                         "another dtype");
}

TEST_F(JobTermsTest, AWriteToWhatALooseViewShowsIsNotFollowed) {
  compare(oneVector, "        return (x,)\n", R"(
        bits: "i32[4][1]cpu" = torch.ops.aten.view.dtype(x, torch.int32)
        add: "f32[4][1]cpu" = torch.ops.aten.add_.Tensor(x, x)
        return (x,)
)");
  EXPECT_EQ(undecided(), "after, rank 0: add: a tensor is written of which a view has an unknown place, such as one as "
                         "another dtype");
}

TEST_F(JobTermsTest, AViewAsAnotherDtypeMayBeRead) {
  const char *const view = R"(
        bits: "i32[4][1]cpu" = torch.ops.aten.view.dtype(x, torch.int32)
        return (bits,)
)";
  compare(oneVector, view, view);
  EXPECT_EQ(verdict(), "equal");
}

TEST_F(JobTermsTest, AGroupWithoutRanksIsNamed) {
  const char *const sum = R"(
        all_reduce: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', 'tp')
        return (all_reduce,)
)";
  compare(oneVector, sum, sum);
  EXPECT_EQ(undecided(), "before, rank 0: all_reduce: the ranks of group 'tp' are not known");
}

TEST_F(JobTermsTest, ARankOutsideOfItsGroupIsNamed) {
  const char *const sum = R"(
        all_reduce: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', 'tp')
        return (all_reduce,)
)";
  compare(oneVector, sum, sum);
  Group tp{"tp"};
  tp.ranks = {0};
  for (RankGraph &rank : comparison.before)
    rank.groups.set(tp);
  EXPECT_EQ(undecided(), "before, rank 1: all_reduce: rank 1 is no member of its group 'tp'");
}

TEST_F(JobTermsTest, ACollectiveOfOneRankNeverEnds) {
  const char *const sum = R"(
        all_reduce: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
        wait: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce)
        return (wait,)
)";
  compare(oneVector, sum, sum);
  comparison.after[1].graph = program(oneVector, "        return (x,)\n");
  EXPECT_EQ(undecided(), "after, rank 0: wait: it waits for a collective that not all ranks of its group launch");
}

TEST_F(JobTermsTest, RanksThatLaunchDifferentCollectivesAreNamed) {
  const char *const sum = R"(
        all_reduce: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
        wait: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce)
        return (wait,)
)";
  compare(oneVector, sum, sum);
  std::string other = sum;
  other.replace(other.find("'sum'"), 5, "'max'");
  comparison.after[1].graph = program(oneVector, other);
  EXPECT_EQ(undecided(), "after, rank 0: all_reduce: the ranks of its group launch different collectives");
}

TEST_F(JobTermsTest, TensorsOfDifferentSizesAreNamed) {
  const char *const sum = R"(
        part: "f32[2][1]cpu" = torch.ops.aten.slice.Tensor(x, 0, 0, 2)
        all_reduce: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
        return (all_reduce,)
)";
  compare(oneVector, sum, sum);
  std::string other = sum;
  other.replace(other.find("(x, 'sum'"), 9, "(part, 'sum'");
  comparison.before[1].graph = program(oneVector, other);
  EXPECT_EQ(undecided(),
            "before, rank 0: all_reduce: the ranks of its group send tensors of different sizes or dtypes");
}

TEST_F(JobTermsTest, RowsThatCannotBeSharedAreNamed) {
  ranks = 3;
  const char *const scatter = R"(
        reduce_scatter: "f32[1][1]cpu" = torch.ops._c10d_functional.reduce_scatter_tensor.default(x, 'sum', 3, '0')
        return (reduce_scatter,)
)";
  compare(oneVector, scatter, scatter);
  EXPECT_EQ(undecided(), "before, rank 0: reduce_scatter: the ranks of its group cannot share the rows of [4]");
}

TEST_F(JobTermsTest, AnOlderFormOfACollectiveHasNoRule) {
  const char *const sum = R"(
        all_reduce: "f32[4][1]cpu" = torch.ops.c10d_functional.all_reduce.default(x, 'sum', 'tag', [0, 1], 2)
        return (all_reduce,)
)";
  compare(oneVector, sum, sum);
  EXPECT_EQ(undecided(), "before, rank 0: all_reduce: there is no rule for this form of a collective");
}

TEST_F(JobTermsTest, OutputsOfOtherSizesAreRejected) {
  compare(oneVector, "        return (x,)\n", R"(
        part: "f32[2][1]cpu" = torch.ops.aten.slice.Tensor(x, 0, 0, 2)
        return (part,)
)");
  EXPECT_EQ(undecided(), "error: out.0 of rank 0 is f32[4] before and f32[2] after [same.numerics]\n"
                         "  note: compare two programs of one job, with equal outputs in one order\n");
}

TEST_F(JobTermsTest, AnotherNumberOfOutputsIsRejected) {
  compare(oneVector, "        return (x,)\n", "        return (x, x)\n");
  EXPECT_EQ(undecided(), "error: rank 0 has 1 outputs before and 2 after [same.numerics]\n"
                         "  note: compare two programs of one job, with equal outputs in one order\n");
}

} // namespace
} // namespace ccgraph::numerics
