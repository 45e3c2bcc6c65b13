// Tests the legality of copies of results that are gone: their readers read the result, correct and with one error.
#include "support/rewrites.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

constexpr const char *inputs = R"(x: "f32[4, 2][2, 1]cpu", y: "f32[4, 2][2, 1]cpu")";
constexpr const char *type = "f32[4, 2][2, 1]cpu";

std::string line(const std::string &name, const std::string &call, const std::string &made = type) {
  return "  " + name + ": \"" + made + "\" = torch.ops." + call + "\n";
}
const std::string sum = line("s", "_c10d_functional.all_reduce.default(x, 'sum', '0')");
const std::string awaited = line("w", "_c10d_functional.wait_tensor.default(s)");
const std::string copied = line("c", "aten.copy.default(y, w)");

class LegalityForwardedCopy : public testing::Test {
protected:
  void load(const std::string &lines) {
    bench_.certificate = {};
    bench_.load(inputs, ("\n" + lines).c_str());
  }
  /// Loads a sum w and its copy c, and what follows.
  void loadCopy(const std::string &rest) { load(sum + awaited + copied + rest); }
  void forward(const char *copy, const char *result) {
    Node *gone = bench_[copy];
    bench_.graph().replaceAllUses(gone, bench_[result]);
    bench_.graph().erase(gone);
    bench_.certificate.rules.push_back({"forwarded-copy", {gone}, {bench_[result]}});
  }
  std::string verdict(const char *copy = "c", const char *result = "w") {
    forward(copy, result);
    return bench_.verdict();
  }
  RewriteBench bench_;
};

TEST_F(LegalityForwardedCopy, AcceptsACopyThatIsRead) {
  loadCopy(line("n", "aten.add.Tensor(c, w)") + "  return (n,)");
  EXPECT_EQ(verdict(), "");
}

TEST_F(LegalityForwardedCopy, AcceptsACopyThatIsReturned) {
  loadCopy(line("n", "aten.neg.default(w)") + "  return (n, c)");
  EXPECT_EQ(verdict(), "");
}

TEST_F(LegalityForwardedCopy, AcceptsAWriteOfTheCopyAfterTheLastUseOfTheResult) {
  loadCopy(line("n", "aten.neg.default(w)") + line("m", "aten.mul_.Tensor(c, 2)") + "  return (n, m)");
  EXPECT_EQ(verdict(), "");
}

TEST_F(LegalityForwardedCopy, AcceptsACopyOfACopy) {
  loadCopy(line("d", "aten.copy.default(y, c)") + "  return (d,)");
  forward("c", "w");
  EXPECT_EQ(verdict("d"), "");
}

TEST_F(LegalityForwardedCopy, RefusesAWriteOfOneWhileTheOtherIsUsed) {
  loadCopy(line("m", "aten.mul_.Tensor(c, 2)") + line("n", "aten.add.Tensor(m, w)") + "  return (n,)");
  EXPECT_EQ(verdict(), "rule");
  loadCopy(line("m", "aten.mul_.Tensor(w, 2)") + line("n", "aten.add.Tensor(m, c)") + "  return (n,)");
  EXPECT_EQ(verdict(), "rule");
}

TEST_F(LegalityForwardedCopy, RefusesAWriteWhileTheResultIsSent) {
  loadCopy(line("t", "_c10d_functional.all_to_all_single.default(w, [2, 2], [2, 2], '0')") +
           line("m", "aten.mul_.Tensor(c, 2)") + line("v", "_c10d_functional.wait_tensor.default(t)") +
           "  return (v, m)");
  EXPECT_NE(verdict().find("rule"), std::string::npos);
}

TEST_F(LegalityForwardedCopy, RefusesTwoReturnedValuesThatBecomeOne) {
  loadCopy("  return (w, c)");
  EXPECT_EQ(verdict(), "rule");
  loadCopy(line("d", "aten.copy.default(y, w)") + "  return (d, c)");
  forward("c", "w");
  EXPECT_EQ(verdict("d"), "rule");
}

TEST_F(LegalityForwardedCopy, RefusesTwoCopiesOfWhichOneIsWritten) {
  loadCopy(line("d", "aten.copy.default(y, w)") + line("m", "aten.mul_.Tensor(c, 2)") +
           line("n", "aten.add.Tensor(m, d)") + "  return (n,)");
  forward("c", "w");
  EXPECT_EQ(verdict("d"), "rule");
}

TEST_F(LegalityForwardedCopy, RefusesAnotherTypeOrValue) {
  load(sum + awaited + line("c", "aten.copy.default(y, w)", "f32[4, 2][1, 4]cpu") + "  return (x,)");
  EXPECT_EQ(verdict(), "rule");
  load(sum + awaited + line("c", "aten.copy.default(w, y)") + "  return (c,)");
  EXPECT_EQ(verdict(), "rule");
  loadCopy("  return (c,)");
  EXPECT_NE(verdict("c", "y").find("rule"), std::string::npos);
}

TEST_F(LegalityForwardedCopy, RefusesAnotherOperator) {
  load(sum + awaited + line("c", "aten.neg.default(w)") + "  return (c,)");
  EXPECT_EQ(verdict(), "rule");
}

TEST_F(LegalityForwardedCopy, RefusesMemoryOfTheCaller) {
  load(line("s", "_c10d_functional.all_reduce_.default(x, 'sum', '0')") + awaited + copied + "  return (c,)");
  EXPECT_EQ(verdict(), "rule");
}

TEST_F(LegalityForwardedCopy, RefusesAReshapedCopyAndOneThatAnOpaqueStepHas) {
  loadCopy(line("u", "aten.t_.default(c)", "f32[2, 4][1, 2]cpu") + "  return (u,)");
  EXPECT_NE(verdict().find("rule"), std::string::npos);
  loadCopy(line("o", "mylib.look.default(c)") + "  return (o,)");
  EXPECT_NE(verdict().find("rule"), std::string::npos);
}

TEST_F(LegalityForwardedCopy, RefusesOrderingEdgesOfTheCopyAndMoves) {
  loadCopy(line("n", "aten.neg.default(x)") + "  return (c, n)");
  bench_.move("n", "w");
  bench_.graph().addOrdering(bench_["c"], bench_["n"]);
  bench_.snapshot();
  EXPECT_EQ(verdict(), "rule");
  loadCopy(line("n", "aten.neg.default(w)") + line("m", "aten.mul_.Tensor(c, 2)") + "  return (n, m)");
  bench_.move("m", "n");
  EXPECT_NE(verdict().find("rule"), std::string::npos);
}

} // namespace
} // namespace ccgraph::test
