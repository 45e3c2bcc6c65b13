// Tests the rule of calls that are repeated for all_gathers: the second one is a new collective of every rank.
#include "support/rewrites.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

constexpr llvm::StringLiteral inputs = R"(x: "f32[4, 4][4, 1]cpu", y: "f32[8, 4][4, 1]cpu")";

/// Returns a program that reads a gathered value early and late, with further lines between the readers.
std::string program(llvm::StringRef first, llvm::StringRef between = "") {
  return (first + R"(
  w: "f32[8, 4][4, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(g)
  a: "f32[8, 4][4, 1]cpu" = torch.ops.aten.mm.default(w, x)
)" + between +
          R"(
  c: "f32[8, 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(a, w)
  return (c,))")
      .str();
}

constexpr llvm::StringLiteral gather = R"(
  s: "f32[4, 4][4, 1]cpu" = torch.ops.aten.clone.default(x)
  g: "f32[8, 4][4, 1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(s, 2, '0'))";

class LegalityRepeatedGather : public testing::Test {
protected:
  void load(llvm::StringRef lines) {
    bench_.certificate = {};
    bench_.reordersCollectives = false;
    bench_.load(inputs, lines);
  }
  Node *again(llvm::StringRef first) {
    std::vector<Actual> arguments;
    for (const Argument &argument : bench_[first]->args())
      arguments.push_back(Actual::copyOf(*bench_[first], argument));
    GraphBuilder builder(bench_.graph(), bench_["c"]);
    return builder.call({.target = bench_[first]->target().str(),
                         .args = std::move(arguments),
                         .name = (first + "_again").str(),
                         .type = bench_[first]->type()});
  }
  /// Gathers again before the late reader, which reads the second result, and states it.
  void gatherAgain() {
    Node *launch = again("g"), *wait = again("w");
    bench_.graph().setOperand(wait, 0, launch);
    bench_.graph().setOperand(bench_["c"], 1, wait);
    bench_.certificate.rules.push_back({"repeated-call", {bench_["g"], bench_["w"]}, {launch, wait}});
  }
  std::string verdict(LegalityOptions options = {}) { return bench_.verdict(options); }
  RewriteBench bench_;
};

TEST_F(LegalityRepeatedGather, AcceptsAGatherAndItsWait) {
  load(program(gather));
  gatherAgain();
  EXPECT_EQ(verdict(), "");
}

TEST_F(LegalityRepeatedGather, RefusesRanksOfOtherPrograms) {
  load(program(gather));
  gatherAgain();
  LegalityOptions options;
  options.spmd = false;
  EXPECT_EQ(verdict(options), "repeated-call");
}

TEST_F(LegalityRepeatedGather, RefusesAnotherGroup) {
  load(program(gather));
  gatherAgain();
  std::vector<Actual> arguments = {bench_["s"], 2, "1"};
  setCall(bench_["g_again"], arguments);
  EXPECT_EQ(verdict(), "repeated-call");
}

TEST_F(LegalityRepeatedGather, RefusesASum) {
  load(program(R"(
  s: "f32[8, 4][4, 1]cpu" = torch.ops.aten.clone.default(y)
  g: "f32[8, 4][4, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(s, 'sum', '0'))"));
  gatherAgain();
  EXPECT_EQ(verdict(), "repeated-call");
}

TEST_F(LegalityRepeatedGather, RefusesATransferInTheProgram) {
  load(program(gather, R"(
  p: "f32[0][1]cpu" = torch.ops._c10d_functional.isend.default(y, 1, 0, '0')
  q: "f32[0][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(p))"));
  gatherAgain();
  EXPECT_EQ(verdict(), "repeated-call");
}

TEST_F(LegalityRepeatedGather, RefusesAGatherWithoutAWait) {
  load(program(gather));
  bench_.certificate.rules.push_back({"repeated-call", {bench_["g"]}, {again("g")}});
  EXPECT_EQ(verdict(), "repeated-call");
}

TEST_F(LegalityRepeatedGather, RefusesAWriteOfTheShard) {
  load(program(gather, R"(
  z: "f32[4, 4][4, 1]cpu" = torch.ops.aten.zero_.default(s))"));
  gatherAgain();
  EXPECT_EQ(verdict(), "repeated-call");
}

// The write is after both launches, so that the second one still sends the shard.
TEST_F(LegalityRepeatedGather, RefusesAWriteOfTheShardInFlight) {
  load(program(gather, R"(
  z: "f32[4, 4][4, 1]cpu" = torch.ops.aten.zero_.default(s))"));
  gatherAgain();
  bench_.move("g_again", "z");
  EXPECT_NE(verdict().find("in-flight"), std::string::npos);
}

TEST_F(LegalityRepeatedGather, RefusesAReaderInFlight) {
  load(program(gather));
  gatherAgain();
  bench_.graph().setOperand(bench_["c"], 1, bench_["g_again"]);
  EXPECT_NE(verdict(), "");
}

} // namespace
} // namespace ccgraph::test
