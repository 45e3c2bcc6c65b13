// Tests the legality of sums in 16 bits: correct, and with one error each.
#include "support/rewrites.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

constexpr const char *inputs = R"(x: "f32[4][1]cpu", y: "f32[4][1]cpu")";
constexpr const char *lines = R"(
  ar: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
  n: "f32[4][1]cpu" = torch.ops.aten.neg.default(y)
  war: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(ar)
  z: "f32[4][1]cpu" = torch.ops.aten.add.Tensor(war, n)
  return (z,))";

class LegalityCompressedSum : public testing::Test {
protected:
  struct Parts {
    const char *sent = "x";
    DType narrow = DType::BF16;
    const char *narrowType = "bf16[4][1]cpu";
    const char *reduceOp = "sum";
    const char *group = "0";
    bool waits = true;
    const char *lines = test::lines;
  };

  static Node *cast(Node *before, const char *name, Node *value, DType dtype, const char *type) {
    Node *node = makeCall(before, name, "aten._to_copy.default", {value}, type);
    GraphBuilder builder(*before->graph(), before);
    Node *call = builder.call({.target = "aten._to_copy.default", .args = {value}, .kwargs = {{"dtype", dtype}}});
    before->graph()->setType(call, node->type());
    before->graph()->erase(node);
    return call;
  }

  void compress(const Parts &parts) {
    bench_.certificate = {};
    bench_.load(inputs, parts.lines);
    Node *launch = bench_["ar"], *wait = bench_["war"];
    Node *sent = cast(launch, "sent", bench_[parts.sent], parts.narrow, parts.narrowType);
    Node *reduced = makeCall(launch, "reduced", "_c10d_functional.all_reduce.default",
                             {sent, parts.reduceOp, parts.group}, parts.narrowType);
    Node *waited = parts.waits
                       ? makeCall(wait, "waited", "_c10d_functional.wait_tensor.default", {reduced}, parts.narrowType)
                       : makeCall(wait, "waited", "aten.alias.default", {reduced}, parts.narrowType);
    Node *result = cast(wait, "result", waited, DType::F32, "f32[4][1]cpu");
    bench_.graph().replaceAllUses(wait, result);
    bench_.graph().erase(wait);
    bench_.graph().erase(launch);
    bench_.certificate.rules.push_back({"compressed-sum", {launch, wait}, {result, sent, reduced, waited}});
  }

  RewriteBench bench_;
};

TEST_F(LegalityCompressedSum, AcceptsBothDTypes) {
  compress({});
  EXPECT_EQ(bench_.text(), "");
  compress({.narrow = DType::F16, .narrowType = "f16[4][1]cpu"});
  EXPECT_EQ(bench_.text(), "");
}

TEST_F(LegalityCompressedSum, RefusesOtherDTypes) {
  compress({.narrow = DType::F64, .narrowType = "f64[4][1]cpu"});
  EXPECT_EQ(bench_.verdict(), "compressed-sum");
  compress({.narrow = DType::F8E4M3FN, .narrowType = "f8e4m3fn[4][1]cpu"});
  EXPECT_EQ(bench_.verdict(), "compressed-sum");
}

TEST_F(LegalityCompressedSum, RefusesAnotherValueReductionOrGroup) {
  compress({.sent = "y"});
  EXPECT_EQ(bench_.verdict(), "compressed-sum");
  compress({.reduceOp = "avg"});
  EXPECT_EQ(bench_.verdict(), "compressed-sum");
  compress({.group = "1"});
  EXPECT_EQ(bench_.verdict(), "compressed-sum issue-order");
}

TEST_F(LegalityCompressedSum, RefusesAResultThatIsNotWaitedFor) {
  compress({.waits = false});
  EXPECT_NE(bench_.verdict().find("compressed-sum"), std::string::npos) << bench_.verdict();
}

TEST_F(LegalityCompressedSum, RefusesWhereBitsMustStayOrRanksDiffer) {
  compress({});
  EXPECT_EQ(bench_.verdict({.bitwise = true}), "bitwise");
  compress({});
  EXPECT_NE(bench_.verdict({.spmd = false}).find("mpmd"), std::string::npos) << bench_.verdict({.spmd = false});
}

TEST_F(LegalityCompressedSum, RefusesOtherCollectives) {
  compress({.lines = R"(
  ar: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'max', '0')
  war: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(ar)
  return (war,))"});
  EXPECT_EQ(bench_.verdict(), "compressed-sum");
}

TEST_F(LegalityCompressedSum, RefusesAnInputThatIsReshapedInPlace) {
  compress({.sent = "c", .lines = R"(
  c: "f32[4][1]cpu" = torch.ops.aten.clone.default(x)
  ar: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(c, 'sum', '0')
  war: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(ar)
  u: "f32[1, 4][4, 1]cpu" = torch.ops.aten.unsqueeze_.default(c, 0)
  return (war, u))"});
  EXPECT_EQ(bench_.verdict(), "compressed-sum");
}

TEST_F(LegalityCompressedSum, RefusesAnIncompleteEntry) {
  compress({});
  bench_.certificate.rules.back().built.pop_back();
  EXPECT_NE(bench_.verdict(), "");
}

} // namespace
} // namespace ccgraph::test
