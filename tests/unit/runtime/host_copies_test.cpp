// Tests copies to the host's memory and back in the interpreter: elements, layouts, and what may be used when.
#include "support/rank_program.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

RankProgram twoRanks(const std::string &body) {
  RankProgram program(2, "x: \"f32[2, 3]\"\n" + body);
  program.legibleInput({2, 3});
  return program;
}

constexpr const char *away = "v = aten.mul.Tensor(x, 2)\n o = ao.offload.default(v)\n";
constexpr const char *freed = "h = ao.wait_tensor.default(o, v)\n";
constexpr const char *back = "l = ao.reload.default(h, device(type='cpu'))\n w = ao.wait_tensor.default(l, h)\n";

TEST(HostCopies, AValueComesBackUnchanged) {
  RankProgram there = twoRanks(std::string(away) + freed + back + "return (w,)");
  RankProgram plain = twoRanks("v = aten.mul.Tensor(x, 2)\n return (v,)");
  EXPECT_EQ(there.error(), "");
  for (size_t rank : {0U, 1U})
    EXPECT_EQ(there.output(rank), plain.output(rank));
}

TEST(HostCopies, TheStatedStridesComeBack) {
  const std::string transposed = "t = aten.t.default(x)\n v = aten.mul.Tensor(t, 2)\n o = ao.offload.default(v)\n";
  const std::string reload = "l: \"f32[3, 2][1, 3]\" = ao.reload.default(h, device(type='cpu'), [3, 2], [1, 3])\n"
                             "w: \"f32[3, 2][1, 3]\" = ao.wait_tensor.default(l, h)\n return (w,)";
  RankProgram there = twoRanks(transposed + freed + reload);
  RankProgram plain = twoRanks("t = aten.t.default(x)\n v = aten.mul.Tensor(t, 2)\n return (v,)");
  EXPECT_EQ(there.error(), "");
  EXPECT_EQ(there.output(0), plain.output(0));
}

TEST(HostCopies, AReadOfAFreedStorageIsAnError) {
  EXPECT_EQ(twoRanks(std::string(away) + freed + "a = aten.add.Tensor(v, 1)\n return (a, h)").error(),
            "error: a: rank 0: reads `v`, whose memory `h` has freed [run.freed]\n"
            "  note: use it before that wait, or use what comes back from the host\n");
}

TEST(HostCopies, AReturnOfAFreedStorageIsAnError) {
  EXPECT_NE(twoRanks(std::string(away) + freed + "return (v, h)").error().find("reads `v`, whose memory `h` has freed"),
            std::string::npos);
}

TEST(HostCopies, AReadBeforeTheWaitIsAnError) {
  EXPECT_EQ(twoRanks(std::string(away) + "a = aten.add.Tensor(o, 1)\n" + freed + "return (a, h)").error(),
            "error: a: rank 0: reads `o`, which the copy `o` has in flight [run.in-flight-result]\n"
            "  note: wait for it first: only views, getitem and waits may use it before\n");
}

TEST(HostCopies, AWriteBeforeTheWaitIsAnError) {
  EXPECT_EQ(twoRanks(std::string(away) + "a = aten.add_.Scalar(v, 1)\n" + freed + "return (h,)").error(),
            "error: a: rank 0: writes `v`, which the copy `o` still reads [run.in-flight-input]\n"
            "  note: write after the wait on `o`\n");
}

TEST(HostCopies, AWaitWithoutACopyIsAnError) {
  EXPECT_NE(
      twoRanks("v = aten.mul.Tensor(x, 2)\n h = ao.wait_tensor.default(v)\n return (h,)").error().find("[run.no-copy]"),
      std::string::npos);
}

} // namespace
} // namespace ccgraph::test
