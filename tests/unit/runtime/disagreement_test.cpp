// Tests ranks that disagree about a collective, or never launch it: each kind ends with a diagnostic that names ranks,
// nodes and the difference.
#include "support/rank_program.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

/// Returns a program of one collective, which is named c<rank> so that messages show whose node they name.
std::string calling(const std::string &call, size_t rank) {
  std::string name = "c" + std::to_string(rank);
  return "x: \"f32[4]\"\n " + name + " = _c10d_functional." + call + "\n w = _c10d_functional.wait_tensor.default(" +
         name + ")\n return (w,)";
}

/// Returns the error of two ranks that make one call each.
std::string errorOf(const std::string &first, const std::string &second) {
  RankProgram program(2);
  program.addGraph(calling(first, 0)).addGraph(calling(second, 1)).legibleInput({4});
  return program.error();
}

constexpr const char *order = "  note: every rank of a group must issue the same collectives in the same order, with "
                              "the same reduction, dtype and counts\n";

TEST(Disagreement, AboutTheKind) {
  EXPECT_EQ(errorOf("all_reduce.default(x, 'sum', '0')", "broadcast.default(x, 0, '0')"),
            std::string("error: c1: ranks 0 and 1 disagree about collective 1 on ranks [0, 1]: kind all_reduce against "
                        "broadcast [run.ranks-disagree]\n"
                        "  note: rank 0: all_reduce `c0` sum f32[4]\n"
                        "  note: rank 1: broadcast `c1` from 0 f32[4]\n") +
                order);
}

TEST(Disagreement, AboutTheReduction) {
  EXPECT_EQ(errorOf("all_reduce.default(x, 'sum', '0')", "all_reduce.default(x, 'max', '0')"),
            std::string("error: c1: ranks 0 and 1 disagree about collective 1 on ranks [0, 1]: reduction sum against "
                        "max [run.ranks-disagree]\n"
                        "  note: rank 0: all_reduce `c0` sum f32[4]\n"
                        "  note: rank 1: all_reduce `c1` max f32[4]\n") +
                order);
}

TEST(Disagreement, AboutTheSource) {
  EXPECT_NE(errorOf("broadcast.default(x, 0, '0')", "broadcast.default(x, 1, '0')")
                .find("collective 1 on ranks [0, 1]: source 0 against 1"),
            std::string::npos);
}

TEST(Disagreement, AboutTheDType) {
  RankProgram program(2);
  program.addGraph("x: \"f32[4]\"\n c = _c10d_functional.all_gather_into_tensor.default(x, 2, '0')\n w = "
                   "_c10d_functional.wait_tensor.default(c)\n return (w,)");
  program.addGraph("x: \"f32[4]\"\n y = prims.convert_element_type.default(x, torch.bfloat16)\n c = "
                   "_c10d_functional.all_gather_into_tensor.default(y, 2, '0')\n"
                   " w = _c10d_functional.wait_tensor.default(c)\n return (w,)");
  program.legibleInput({4});
  EXPECT_EQ(program.error(), std::string("error: c: ranks 0 and 1 disagree about collective 1 on ranks [0, 1]: dtype "
                                         "f32 against bf16 [run.ranks-disagree]\n"
                                         "  note: rank 0: all_gather `c` f32[4]\n"
                                         "  note: rank 1: all_gather `c` bf16[4]\n") +
                                 order);
}

TEST(Disagreement, AboutTheCount) {
  RankProgram program(2, "x: \"f32[s0]\"\n c = _c10d_functional.reduce_scatter_tensor.default(x, 'sum', 2, '0')\n w = "
                         "_c10d_functional.wait_tensor.default(c)\n return (w,)");
  program.input(0, "x", hostTensor(DType::F32, {2}, {1, 2})).input(1, "x", hostTensor(DType::F32, {4}, {1, 2, 3, 4}));
  EXPECT_NE(program.error().find("collective 1 on ranks [0, 1]: elements 2 against 4"), std::string::npos);
}

TEST(Disagreement, AboutTheNumberOfTensors) {
  RankProgram program(2);
  program.addGraph("x: \"f32[4]\"\n c = _c10d_functional.all_reduce_coalesced.default([x, x], 'sum', '0')\n w = "
                   "_c10d_functional.wait_tensors.default(c)\n a = w[0]\n return (a,)");
  program.addGraph("x: \"f32[4]\"\n c = _c10d_functional.all_reduce_coalesced.default([x], 'sum', '0')\n w = "
                   "_c10d_functional.wait_tensors.default(c)\n a = w[0]\n return (a,)");
  program.legibleInput({4});
  EXPECT_NE(program.error().find("number of tensors 2 against 1"), std::string::npos);
}

TEST(Disagreement, AboutTheOrder) {
  const std::string a = "a = _c10d_functional.all_reduce.default(x, 'sum', '0')\n",
                    b = "b = _c10d_functional.all_gather_into_tensor.default(x, 2, '0')\n";
  const std::string rest =
      "u = _c10d_functional.wait_tensor.default(a)\n v = _c10d_functional.wait_tensor.default(b)\n return (u, v)";
  RankProgram program(2);
  program.addGraph("x: \"f32[4]\"\n" + a + b + rest).addGraph("x: \"f32[4]\"\n" + b + a + rest).legibleInput({4});
  EXPECT_EQ(program.error(), std::string("error: b: ranks 0 and 1 disagree about collective 1 on ranks [0, 1]: kind "
                                         "all_reduce against all_gather [run.ranks-disagree]\n"
                                         "  note: rank 0: all_reduce `a` sum f32[4]\n"
                                         "  note: rank 1: all_gather `b` f32[4]\n") +
                                 order);
}

TEST(Disagreement, AboutSplits) {
  EXPECT_EQ(
      errorOf("all_to_all_single.default(x, [2, 2], [2, 2], '0')", "all_to_all_single.default(x, [3, 1], [3, 1], '0')"),
      "error: c0: rank 0 sends 2 elements to rank 1, which expects 3 [run.ranks-disagree]\n"
      "  note: the output splits of a rank must be the input splits of its peers\n");
}

TEST(Disagreement, AboutTheGroup) {
  RankProgram program(3);
  for (size_t rank = 0; rank < 3; ++rank)
    program.addGraph(
        calling(rank == 2 ? "all_reduce.default(x, 'sum', 'all')" : "all_reduce.default(x, 'sum', 'pair')", rank));
  program.group("all", {0, 1, 2}).group("pair", {0, 1}).legibleInput({4});
  EXPECT_EQ(
      program.error(),
      "error: w: no rank can continue: rank 2 waits at `w` for all_reduce `c2` (collective 1 on ranks [0, 1, 2]), "
      "which ranks [0, 1] have not launched [run.deadlock]\n"
      "  note: rank 0 has ended, having launched 0 collectives on ranks [0, 1, 2]\n"
      "  note: rank 1 has ended, having launched 0 collectives on ranks [0, 1, 2]\n"
      "  note: every member of a group must launch each of its collectives, and every send needs its receive, "
      "with the same tag\n");
}

TEST(ListForm, OfWhatPyTorchTakesAloneOnly) {
  RankProgram program(2, "x: \"f32[4]\"\n y = prims.convert_element_type.default(x, torch.complex64)\n c = "
                         "_c10d_functional.all_gather_into_tensor_coalesced.default([y], 2, '0')\n w = "
                         "_c10d_functional.wait_tensors.default(c)\n a = w[0]\n return (a,)");
  program.legibleInput({4});
  EXPECT_NE(
      program.error().find("got a list of c64 tensors, expected another dtype: PyTorch refuses this one in a list"),
      std::string::npos);
}

TEST(ListForm, OfTwoDTypes) {
  RankProgram program(2, "x: \"f32[4]\"\n y = prims.convert_element_type.default(x, torch.float64)\n c = "
                         "_c10d_functional.all_reduce_coalesced.default([x, y], 'sum', '0')\n w = "
                         "_c10d_functional.wait_tensors.default(c)\n a = w[0]\n return (a,)");
  program.legibleInput({4});
  EXPECT_NE(program.error().find("got a list of f32 and f64 tensors, expected one dtype"), std::string::npos);
}

TEST(ListForm, OfTwoDTypesThatAreGathered) {
  RankProgram program(2, "x: \"f32[4]\"\n y = prims.convert_element_type.default(x, torch.float64)\n c = "
                         "_c10d_functional.all_gather_into_tensor_coalesced.default([x, y], 2, '0')\n w = "
                         "_c10d_functional.wait_tensors.default(c)\n a = w[0]\n return (a,)");
  program.legibleInput({4});
  EXPECT_EQ(program.output(1).size(), 8U);
}

TEST(Deadlock, OfRanksThatWaitInCircles) {
  RankProgram program(2);
  const std::string rest = "v = _c10d_functional.wait_tensor.default(b)\n return (u, v)";
  program.addGraph("x: \"f32[4]\"\n a = _c10d_functional.all_reduce.default(x, 'sum', 'one')\n u = "
                   "_c10d_functional.wait_tensor.default(a)\n"
                   " b = _c10d_functional.all_reduce.default(x, 'sum', 'two')\n" +
                   rest);
  program.addGraph("x: \"f32[4]\"\n a = _c10d_functional.all_reduce.default(x, 'sum', 'two')\n u = "
                   "_c10d_functional.wait_tensor.default(a)\n"
                   " b = _c10d_functional.all_reduce.default(x, 'sum', 'one')\n" +
                   rest);
  program.group("one", {0, 1}).group("two", {1, 0}).legibleInput({4});
  EXPECT_EQ(program.error(), "error: u: no rank can continue: rank 0 waits at `u` for all_reduce `a` (collective 1 on "
                             "ranks [0, 1]), which ranks [1] have not launched [run.deadlock]\n"
                             "  note: rank 1 waits at `u` for all_reduce `a` (collective 1 on ranks [1, 0]), which "
                             "ranks [0] have not launched\n"
                             "  note: every member of a group must launch each of its collectives, and every send "
                             "needs its receive, with the same tag\n");
}

TEST(Deadlock, OfALaunchThatIsReturned) {
  RankProgram program(2);
  program.addGraph("x: \"f32[4]\"\n c = _c10d_functional.all_reduce.default(x, 'sum', '0')\n return (c,)");
  program.addGraph("x: \"f32[4]\"\n return (x,)").legibleInput({4});
  EXPECT_NE(program.error().find("rank 0 waits at `output` for all_reduce `c` (collective 1 on ranks [0, 1]), which "
                                 "ranks [1] have not launched"),
            std::string::npos);
}

TEST(Deadlock, OfASynchronousCollective) {
  RankProgram program(2);
  program.addGraph("x: \"f32[2, 2]\"\n c = _dtensor.shard_dim_alltoall.default(x, 0, 1, '0')\n return (c,)");
  program.addGraph("x: \"f32[2, 2]\"\n return (x,)").legibleInput({2, 2});
  EXPECT_NE(program.error().find("rank 0 waits at `c` for shard_dim_alltoall `c`"), std::string::npos);
}

TEST(Transfer, WithAnotherTagIsNotMet) {
  RankProgram program(2);
  program.addGraph("x: \"f32[4]\"\n s = _c10d_functional.isend.default(x, 1, 7, '0')\n w = "
                   "_c10d_functional.wait_tensor.default(s)\n return (x,)");
  program.addGraph("x: \"f32[4]\"\n r = _c10d_functional.irecv.default(x, 0, 8, '0')\n w = "
                   "_c10d_functional.wait_tensor.default(r)\n return (w,)");
  program.legibleInput({4});
  EXPECT_EQ(program.error(),
            "error: w: no rank can continue: rank 0 waits at `w` for send `s`, tag 7, whose other end, "
            "rank 1, has not received [run.deadlock]\n"
            "  note: rank 1 waits at `w` for recv `r`, tag 8, whose other end, rank 0, has not sent\n"
            "  note: every member of a group must launch each of its collectives, and every send "
            "needs its receive, with the same tag\n");
}

TEST(Transfer, OfAnotherCount) {
  RankProgram program(2);
  program.addGraph("x: \"f32[4]\"\n y = aten.slice.Tensor(x, 0, 0, 3)\n s = _c10d_functional.isend.default(y, 1, 0, "
                   "'0')\n w = _c10d_functional.wait_tensor.default(s)\n return (x,)");
  program.addGraph("x: \"f32[4]\"\n r = _c10d_functional.irecv.default(x, 0, 0, '0')\n w = "
                   "_c10d_functional.wait_tensor.default(r)\n return (w,)");
  program.legibleInput({4});
  EXPECT_EQ(program.error(),
            "error: r: ranks 0 and 1 disagree about a transfer: elements 3 against 4 [run.ranks-disagree]\n"
            "  note: rank 0: send `s` f32[3]\n"
            "  note: rank 1: recv `r` f32[4]\n"
            "  note: the two ends of a transfer must agree on dtype and number of elements\n");
}

/// One call that is invalid for its group, and the required content of the message.
struct BadCall {
  const char *name;
  const char *call;
  const char *message;
};

class BadCallTest : public testing::TestWithParam<BadCall> {};

TEST_P(BadCallTest, IsRefused) {
  std::string error = errorOf(GetParam().call, GetParam().call);
  EXPECT_NE(error.find(GetParam().message), std::string::npos) << error;
}

const BadCall badCalls[] = {
    {"unknown_group", "all_reduce.default(x, 'sum', 'tp')",
     "c0: rank 0: group 'tp' has no ranks: the group table has '0' [run.collective]\n  note: give the ranks of each "
     "group with --groups FILE"},
    {"premul_sum", "all_reduce.default(x, 'premul_sum', '0')",
     "got the text 'premul_sum', expected one of sum, avg, product, min, max, band, bor, bxor"},
    {"bitwise_on_floats", "all_reduce.default(x, 'band', '0')",
     "rank 0: reduction band on f32: expected one of sum, avg, product, min, max"},
    {"group_size", "all_gather_into_tensor.default(x, 4, '0')",
     "states a group of 4 ranks, expected 2, the members [0, 1]"},
    {"source", "broadcast.default(x, 2, '0')", "got source 2, expected a rank within the group, 0 to 1"},
    {"splits_too_few", "all_to_all_single.default(x, [4], [4], '0')", "got 1 splits, expected one for each of 2 ranks"},
    {"splits_too_many_rows", "all_to_all_single.default(x, [2, 3], [2, 3], '0')",
     "got input splits of 5 elements together, expected 4"},
};

INSTANTIATE_TEST_SUITE_P(All, BadCallTest, testing::ValuesIn(badCalls),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(BadCall, ScattersWhatDoesNotDivide) {
  RankProgram program(2, "x: \"f32[3]\"\n c = _c10d_functional.reduce_scatter_tensor.default(x, 'sum', 2, '0')\n w = "
                         "_c10d_functional.wait_tensor.default(c)\n return (w,)");
  program.legibleInput({3});
  EXPECT_NE(program.error().find("got sizes [3] to scatter, expected a first dimension that is a multiple of 2"),
            std::string::npos);
}

TEST(BadCall, ByARankOutsideTheGroup) {
  RankProgram program(3, calling("all_reduce.default(x, 'sum', 'pair')", 0));
  program.group("pair", {0, 1}).legibleInput({4});
  EXPECT_NE(program.error().find("rank 2: is not a member of the group that it communicates on, [0, 1]"),
            std::string::npos);
}

TEST(BadCall, OnAGroupOfMoreRanksThanRun) {
  RankProgram program(2, calling("all_reduce.default(x, 'sum', 'wide')", 0));
  program.group("wide", {0, 1, 5}).legibleInput({4});
  EXPECT_NE(program.error().find("group [0, 1, 5] contains rank 5, but only 2 ranks run"), std::string::npos);
}

TEST(BadCall, ToAPeerOutsideTheGroup) {
  RankProgram program(2, "x: \"f32[4]\"\n s = _c10d_functional.isend.default(x, 2, 0, '0')\n w = "
                         "_c10d_functional.wait_tensor.default(s)\n return (x,)");
  program.legibleInput({4});
  EXPECT_NE(program.error().find("got peer 2, expected a rank within the group, 0 to 1"), std::string::npos);
}

TEST(BadCall, OfAnObjectThatNobodyExplains) {
  RankProgram program(
      1,
      "x: \"f32[4]\"\n g = self.g\n op = self.op\n p = c10d.allreduce_.default([x], g, op, None, False)\n return (x,)");
  program.legibleInput({4});
  EXPECT_NE(program.error().find("the reduction is the object `op`, whose meaning no file states"), std::string::npos);
  program.object("op", {.reduceOp = "sum", .group = ""}).group("1", {0});
  EXPECT_NE(program.error().find("the group is the object `g`, and the group table has '0', '1'"), std::string::npos);
  program.object("g", {.reduceOp = "", .group = "1"});
  EXPECT_EQ(program.error(), "");
}

} // namespace
} // namespace ccgraph::test
