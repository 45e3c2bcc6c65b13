// Tests values in flight: which accesses before their wait are permitted.
#include "support/rank_program.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

using Row = std::vector<double>;

/// Runs `body` on two ranks, in which w is the wait on the launch c; x is f32[4].
RankProgram twoRanks(const std::string &body) {
  RankProgram program(2, "x: \"f32[4]\"\n" + body);
  program.legibleInput({4});
  return program;
}

constexpr const char *launch = "c = _c10d_functional.all_reduce.default(x, 'sum', '0')\n";
constexpr const char *gather = "c = _c10d_functional.all_gather_into_tensor.default(x, 2, '0')\n";
constexpr const char *end = "w = _c10d_functional.wait_tensor.default(c)\n return (w,)";

TEST(InFlight, AReadOfTheResultIsAnError) {
  EXPECT_EQ(twoRanks(std::string(launch) + "a = aten.add.Tensor(c, 1)\n" + end).error(),
            "error: a: rank 0: reads `c`, which all_reduce `c` has in flight [run.in-flight-result]\n"
            "  note: wait for it first: only views, getitem and waits may use it before\n");
}

TEST(InFlight, AWriteOfTheResultIsAnError) {
  EXPECT_NE(twoRanks(std::string(launch) + "a = aten.add_.Scalar(c, 1)\n" + end)
                .error()
                .find("rank 0: writes `c`, which all_reduce `c` has in flight"),
            std::string::npos);
}

TEST(InFlight, AReadThroughAViewIsAnError) {
  EXPECT_NE(twoRanks(std::string(launch) + "v = aten.view.default(c, [2, 2])\n a = aten.add.Tensor(v, 1)\n" + end)
                .error()
                .find("rank 0: reads `v`, which all_reduce `c` has in flight"),
            std::string::npos);
}

TEST(InFlight, LaunchingWithTheResultIsAnError) {
  EXPECT_NE(twoRanks(std::string(launch) + "d = _c10d_functional.all_reduce.default(c, 'sum', '0')\n" + end)
                .error()
                .find("d: rank 0: reads `c`"),
            std::string::npos);
}

TEST(InFlight, AWriteOfAnInputThatIsStillReadIsAnError) {
  EXPECT_EQ(twoRanks(std::string(gather) + "a = aten.add_.Scalar(x, 1)\n" + end).error(),
            "error: a: rank 0: writes `x`, which all_gather `c` still reads [run.in-flight-input]\n"
            "  note: write after the wait on all_gather `c`\n");
}

TEST(InFlight, DisjointSlicesOfOneBufferMayFlyTogether) {
  const std::string body = R"(b = aten.zeros.default([16])
    lo = aten.slice.Tensor(b, 0, 0, 8)
    hi = aten.slice.Tensor(b, 0, 8, 16)
    y = aten.mul.Tensor(x, 2)
    c = _c10d_functional.all_gather_into_tensor_out.default(x, 2, '0', out = lo)
    d = _c10d_functional.all_gather_into_tensor_out.default(y, 2, '0', out = OTHER)
    w = _c10d_functional.wait_tensor.default(c)
    v = _c10d_functional.wait_tensor.default(d)
    return (b,))";
  auto with = [&](const std::string &slice) {
    std::string text = body;
    return twoRanks(text.replace(text.find("OTHER"), 5, slice));
  };
  EXPECT_EQ(with("hi").output(1),
            (Row{100, 101, 102, 103, 200, 201, 202, 203, 200, 202, 204, 206, 400, 402, 404, 406}));
  EXPECT_NE(with("lo").error().find("d: rank 0: reads `lo`, which all_gather `c` has in flight"), std::string::npos)
      << with("lo").error();
}

TEST(InFlight, AReadOfAnInPlaceArgumentIsAnError) {
  EXPECT_NE(twoRanks("c = _c10d_functional.all_reduce_.default(x, 'sum', '0')\n a = aten.mul.Tensor(x, 2)\n" +
                     std::string(end))
                .error()
                .find("rank 0: reads `x`, which all_reduce `c` has in flight"),
            std::string::npos);
}

TEST(InFlight, AReadOfAnOutBufferIsAnError) {
  EXPECT_NE(
      twoRanks(
          "e = aten.empty.memory_format([8], device = device(type='cpu'), pin_memory = False)\n"
          " c = _c10d_functional.all_gather_into_tensor_out.default(x, 2, '0', out = e)\n a = aten.mul.Tensor(e, 2)\n" +
          std::string(end))
          .error()
          .find("reads `e`, which all_gather `c` has in flight"),
      std::string::npos);
}

TEST(InFlight, AReadOfAReceiveBufferIsAnError) {
  RankProgram program(2);
  program.addGraph("x: \"f32[4]\"\n s = _c10d_functional.isend.default(x, 1, 0, '0')\n w = "
                   "_c10d_functional.wait_tensor.default(s)\n return (x,)");
  program.addGraph("x: \"f32[4]\"\n r = _c10d_functional.irecv.default(x, 0, 0, '0')\n a = aten.mul.Tensor(x, 2)\n w = "
                   "_c10d_functional.wait_tensor.default(r)\n return (a,)");
  program.legibleInput({4});
  EXPECT_NE(program.error().find("a: rank 1: reads `x`, which recv `r` has in flight"), std::string::npos);
}

TEST(InFlight, AWriteOfWhatIsSentIsAnError) {
  RankProgram program(2);
  program.addGraph("x: \"f32[4]\"\n s = _c10d_functional.isend.default(x, 1, 0, '0')\n a = aten.add_.Scalar(x, 1)\n w "
                   "= _c10d_functional.wait_tensor.default(s)\n return (x,)");
  program.addGraph("x: \"f32[4]\"\n r = _c10d_functional.irecv.default(x, 0, 0, '0')\n w = "
                   "_c10d_functional.wait_tensor.default(r)\n return (w,)");
  program.legibleInput({4});
  EXPECT_NE(program.error().find("a: rank 0: writes `x`, which send `s` still reads"), std::string::npos);
}

TEST(InFlight, WaitingForOneElementLeavesTheOthers) {
  const std::string body =
      "c = _c10d_functional.all_reduce_coalesced.default([x, x], 'sum', '0')\n a = c[0]\n b = c[1]\n"
      " u = _c10d_functional.wait_tensor.default(a)\n v = aten.mul.Tensor(u, 2)\n";
  EXPECT_EQ(twoRanks(body + "w = _c10d_functional.wait_tensor.default(b)\n return (v, w)").output(0),
            (Row{600, 604, 608, 612}));
  EXPECT_NE(twoRanks(body + "d = aten.mul.Tensor(b, 2)\n w = _c10d_functional.wait_tensor.default(b)\n return (d, w)")
                .error()
                .find("reads `b`, which all_reduce `c` has in flight"),
            std::string::npos);
}

/// A list of two reduce_scatters, whose first result was awaited and written.
constexpr const char *scatters =
    "y = aten.mul.Tensor(x, 10)\n c = _c10d_functional.reduce_scatter_tensor_coalesced.default([x, y], 'sum', 2, '0')\n"
    " a = c[0]\n b = c[1]\n u = _c10d_functional.wait_tensor.default(a)\n m = aten.mul_.Tensor(u, 2)\n";

TEST(InFlight, AWaitOnOneOfAListOfReduceScattersCopiesAllResultsAgain) {
  const std::string body = scatters;
  EXPECT_EQ(twoRanks(body + "v = _c10d_functional.wait_tensor.default(b)\n return (u, v)").output(0), (Row{300, 302}));
  EXPECT_EQ(twoRanks(body + "return (u, b)").output(0), (Row{600, 604})) << "nobody waits in the program";
  EXPECT_EQ(twoRanks(body + "v = _c10d_functional.wait_tensor.default(b)\n n = aten.mul_.Tensor(u, 2)\n t = "
                            "_c10d_functional.wait_tensor.default(b)\n return (u, t)")
                .output(0),
            (Row{600, 604}))
      << "only the first wait on a result";
}

TEST(InFlight, WhatIsCopiedAgainMayNotBeInUse) {
  const std::string wait =
      "v = _c10d_functional.wait_tensor.default(b)\n w = _c10d_functional.wait_tensor.default(d)\n";
  const std::string send = "d = _c10d_functional.all_gather_into_tensor.default(u, 2, '0')\n";
  EXPECT_EQ(
      twoRanks(scatters + send + wait + "return (w, v)").error(),
      "error: c: rank 1: a wait on one of its results copies all of them again, and one that was written since is "
      "still used by all_gather `d` [run.copied-again]\n"
      "  note: wait for all its results before one of them is changed or sent on\n");
  std::string unwritten = scatters;
  unwritten.replace(unwritten.find("aten.mul_"), 9, "aten.mul");
  EXPECT_EQ(twoRanks(unwritten + send + wait + "return (w, v)").error(), "")
      << "to copy the same again changes nothing";
  EXPECT_NE(twoRanks(std::string(scatters) + "d = aten.resize_.default(u, [5])\n" + wait + "return (w, v)")
                .error()
                .find("copies all of them again, and one has been resized"),
            std::string::npos);
}

TEST(InFlight, AReshapeThatMustCopyIsARead) {
  const std::string transposed =
      std::string("m = aten.view.default(x, [2, 2])\n c = _c10d_functional.all_reduce.default(m, 'sum', '0')\n");
  EXPECT_EQ(twoRanks(transposed +
                     "r = aten.reshape.default(c, [4])\n w = _c10d_functional.wait_tensor.default(r)\n return (w,)")
                .output(0),
            (Row{300, 302, 304, 306}));
  EXPECT_NE(twoRanks(transposed + "t = aten.t.default(c)\n r = aten.reshape.default(t, [4])\n w = "
                                  "_c10d_functional.wait_tensor.default(c)\n return (r,)")
                .error()
                .find("r: rank 0: reads `t`"),
            std::string::npos);
}

TEST(InFlight, ViewsMayBeTakenAndWaitedFor) {
  EXPECT_EQ(twoRanks(std::string(launch) +
                     "v = aten.view.default(c, [2, 2])\n t = aten.t.default(v)\n w = "
                     "_c10d_functional.wait_tensor.default(t)\n a = aten.add.Tensor(c, 1)\n return (a,)")
                .output(1),
            (Row{301, 303, 305, 307}));
}

TEST(InFlight, AFunctionalAllReduceHasCopiedItsInput) {
  EXPECT_EQ(twoRanks(std::string(launch) + "a = aten.add_.Scalar(x, 1)\n" + end).output(0), (Row{300, 302, 304, 306}));
}

TEST(InFlight, AnInputMayBeReadAndSentTwice) {
  EXPECT_EQ(twoRanks(std::string(gather) +
                     "d = _c10d_functional.all_gather_into_tensor.default(x, 2, '0')\n a = aten.mul.Tensor(x, 2)\n v = "
                     "_c10d_functional.wait_tensor.default(d)\n" +
                     end)
                .error(),
            "");
}

TEST(InFlight, AnInputIsFreeAfterTheWait) {
  EXPECT_EQ(twoRanks(std::string(gather) +
                     "w = _c10d_functional.wait_tensor.default(c)\n a = aten.add_.Scalar(x, 1)\n return (w,)")
                .output(0),
            (Row{100, 101, 102, 103, 200, 201, 202, 203}));
}

TEST(InFlight, ASecondWaitAndAWaitOnNothingDoNothing) {
  EXPECT_EQ(twoRanks(std::string(launch) +
                     "w = _c10d_functional.wait_tensor.default(c)\n v = _c10d_functional.wait_tensor.default(w)\n y = "
                     "_c10d_functional.wait_tensor.default(x)\n return (v, y)")
                .output(0),
            (Row{300, 302, 304, 306}));
}

TEST(InFlight, WhatIsReturnedIsWaitedFor) {
  EXPECT_EQ(twoRanks(std::string(launch) + "return (c,)").output(1), (Row{300, 302, 304, 306}));
}

TEST(InFlight, AnInPlaceResultIsSeenThroughTheArgument) {
  RankProgram program = twoRanks("c = _c10d_functional.all_reduce_.default(x, 'sum', '0')\n w = "
                                 "_c10d_functional.wait_tensor.default(c)\n a = aten.add.Tensor(x, 1)\n return (a,)");
  EXPECT_EQ(program.output(0), (Row{301, 303, 305, 307}));
  EXPECT_EQ(program.output(0, "after.x"), (Row{300, 302, 304, 306}));
}

} // namespace
} // namespace ccgraph::test
