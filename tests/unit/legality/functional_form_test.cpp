// Tests the legality of functional forms: a call is replaced by another form, correct and with one error.
#include "support/rewrites.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

constexpr const char *type = "f32[4, 2][2, 1]cpu";

class LegalityFunctionalForm : public testing::Test {
protected:
  void load(const std::string &lines) {
    bench_.certificate = {};
    bench_.load(R"(x: "f32[4, 2][2, 1]cpu", y: "f32[4, 2][2, 1]cpu")", ("\n" + lines).c_str());
  }
  /// Loads a program in which p is all_reduce_(a), of a buffer that `made` computes and which `rest` reads.
  void loadInPlace(const std::string &made, const std::string &rest) {
    load("  a: \"f32[4, 2][2, 1]cpu\" = " + made + "\n" +
         "  p: \"f32[4, 2][2, 1]cpu\" = torch.ops._c10d_functional.all_reduce_.default(a, 'sum', '0')\n"
         "  w: \"f32[4, 2][2, 1]cpu\" = torch.ops._c10d_functional.wait_tensor.default(p)\n" +
         rest);
  }
  void loadOlder(const char *tag = "") {
    load(std::string("  p: \"f32[4, 2][2, 1]cpu\" = torch.ops.c10d_functional.all_reduce.default(x, 'sum', '") + tag +
         "', [0, 1], 2)\n"
         "  w: \"f32[4, 2][2, 1]cpu\" = torch.ops._c10d_functional.wait_tensor.default(p)\n"
         "  return (w,)");
  }
  void name(const char *name, std::vector<int64_t> ranks, bool assumed = false) {
    Group group;
    group.name = name;
    group.ranks = std::move(ranks);
    group.assumed = assumed;
    bench_.graph().groups().set(group);
    bench_.snapshot();
  }
  /// Replaces p by this call, and returns the checker's verdict.
  std::string verdict(const std::vector<Actual> &arguments, const char *target = "_c10d_functional.all_reduce.default",
                      const char *made = type) {
    Node *old = bench_["p"];
    Node *built = makeCall(old, "built", target, arguments, made);
    bench_.graph().replaceAllUses(old, built);
    bench_.graph().erase(old);
    bench_.certificate.rules.push_back({"functional-form", {old}, {built}});
    return bench_.verdict();
  }
  RewriteBench bench_;
};

const char *relu = "torch.ops.aten.relu.default(x)";

TEST_F(LegalityFunctionalForm, AcceptsABufferThatNobodyNamesAnyMore) {
  loadInPlace(relu, "  n: \"f32[4, 2][2, 1]cpu\" = torch.ops.aten.add_.Tensor(w, y)\n  return (n, w)");
  EXPECT_EQ(verdict({bench_["a"], "sum", "0"}), "");
}

TEST_F(LegalityFunctionalForm, RefusesABufferThatIsReadByItsFirstName) {
  loadInPlace(relu, "  return (a, w)");
  EXPECT_EQ(verdict({bench_["a"], "sum", "0"}), "rule");
}

TEST_F(LegalityFunctionalForm, RefusesABufferOfTheCaller) {
  loadInPlace("torch.ops.aten.view.default(x, [4, 2])", "  return (w,)");
  EXPECT_EQ(verdict({bench_["a"], "sum", "0"}), "rule");
}

TEST_F(LegalityFunctionalForm, RefusesAPartOfABuffer) {
  load("  b: \"f32[8, 2][2, 1]cpu\" = torch.ops.aten.cat.default([x, y])\n"
       "  a: \"f32[4, 2][2, 1]cpu\" = torch.ops.aten.slice.Tensor(b, 0, 4, 8)\n"
       "  p: \"f32[4, 2][2, 1]cpu\" = torch.ops._c10d_functional.all_reduce_.default(a, 'sum', '0')\n"
       "  w: \"f32[4, 2][2, 1]cpu\" = torch.ops._c10d_functional.wait_tensor.default(p)\n  return (w,)");
  EXPECT_EQ(verdict({bench_["a"], "sum", "0"}), "rule");
}

TEST_F(LegalityFunctionalForm, RefusesABufferThatAnUnknownOperatorMayKeep) {
  load("  a: \"f32[4, 2][2, 1]cpu\" = torch.ops.aten.relu.default(x)\n"
       "  k: \"f32[4, 2][2, 1]cpu\" = torch.ops.mylib.keep.default(a)\n"
       "  p: \"f32[4, 2][2, 1]cpu\" = torch.ops._c10d_functional.all_reduce_.default(a, 'sum', '0')\n"
       "  w: \"f32[4, 2][2, 1]cpu\" = torch.ops._c10d_functional.wait_tensor.default(p)\n  return (w,)");
  EXPECT_EQ(verdict({bench_["a"], "sum", "0"}), "rule");
}

TEST_F(LegalityFunctionalForm, RefusesAnotherReductionTensorGroupOrOperator) {
  const char *rest = "  return (w,)";
  loadInPlace(relu, rest);
  EXPECT_EQ(verdict({bench_["a"], "max", "0"}), "rule");
  loadInPlace(relu, rest);
  EXPECT_EQ(verdict({bench_["y"], "sum", "0"}), "rule");
  loadInPlace(relu, rest);
  EXPECT_EQ(verdict({bench_["a"], "sum", "1"}), "rule");
  loadInPlace(relu, rest);
  EXPECT_EQ(verdict({bench_["a"], 1, "0"}, "_c10d_functional.broadcast.default"), "rule");
  loadInPlace(relu, rest);
  EXPECT_EQ(verdict({bench_["a"], "sum", "0"}, "_c10d_functional.all_reduce.default", "f32[8][1]cpu"), "rule");
}

TEST_F(LegalityFunctionalForm, AcceptsTheOneNameOfTheRanks) {
  loadOlder();
  name("tp", {0, 1});
  name("dp", {0, 2});
  EXPECT_EQ(verdict({bench_["x"], "sum", "tp"}), "");
}

TEST_F(LegalityFunctionalForm, RefusesANameThatIsNotTheOneOfTheRanks) {
  loadOlder();
  name("tp", {1, 0});
  EXPECT_EQ(verdict({bench_["x"], "sum", "tp"}), "rule") << "another order of ranks is another group";
  loadOlder();
  name("tp", {0, 1}, true);
  EXPECT_EQ(verdict({bench_["x"], "sum", "tp"}), "rule") << "nobody said that these are its ranks";
  loadOlder();
  name("tp", {0, 1});
  name("cp", {0, 1});
  EXPECT_EQ(verdict({bench_["x"], "sum", "tp"}), "rule") << "the call does not say which of the two";
  loadOlder("context");
  name("tp", {0, 1});
  EXPECT_EQ(verdict({bench_["x"], "sum", "tp"}), "rule") << "the tag is that of another group";
}

TEST_F(LegalityFunctionalForm, RefusesALostOrderingEdge) {
  load("  n: \"f32[4, 2][2, 1]cpu\" = torch.ops.aten.neg.default(y)\n"
       "  p: \"f32[8, 2][2, 1]cpu\" = torch.ops._c10d_functional_autograd.all_gather_into_tensor.default(x, 2, '0')  # "
       "after: n\n"
       "  w: \"f32[8, 2][2, 1]cpu\" = torch.ops._c10d_functional.wait_tensor.default(p)\n  return (w, n)");
  EXPECT_EQ(verdict({bench_["x"], 2, "0"}, "_c10d_functional.all_gather_into_tensor.default", "f32[8, 2][2, 1]cpu"),
            "rule");
}

class LegalityWaitsApart : public LegalityFunctionalForm {
protected:
  /// Replaces l = wait_tensors([p, q]); x1 = l[0]; x2 = l[1] by two waits, on p and q or on the given values.
  std::string verdictOf(const char *first, const char *second, bool listBoth = true) {
    Node *list = bench_["l"];
    Node *a = makeCall(list, "a", "_c10d_functional.wait_tensor.default", {bench_[first]}, type);
    Node *b = makeCall(list, "b", "_c10d_functional.wait_tensor.default", {bench_[second]}, type);
    Node *x1 = bench_["x1"], *x2 = bench_["x2"];
    bench_.graph().replaceAllUses(x1, a);
    bench_.graph().replaceAllUses(x2, b);
    for (Node *node : {x1, x2, list})
      bench_.graph().erase(node);
    bench_.certificate.rules.push_back({"waits-apart", {list, x1, x2}, {a, b}});
    if (!listBoth)
      bench_.certificate.rules.back().built.pop_back();
    return bench_.verdict();
  }
  void SetUp() override {
    load("  p: \"f32[4, 2][2, 1]cpu\" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')\n"
         "  q: \"f32[4, 2][2, 1]cpu\" = torch.ops._c10d_functional.all_reduce.default(y, 'sum', '0')\n"
         "  l = torch.ops._c10d_functional.wait_tensors.default([p, q])\n"
         "  x1: \"f32[4, 2][2, 1]cpu\" = l[0]\n  x2: \"f32[4, 2][2, 1]cpu\" = l[1]\n  return (x1, x2)");
  }
};

TEST_F(LegalityWaitsApart, AcceptsAWaitForEachElement) { EXPECT_EQ(verdictOf("p", "q"), ""); }

TEST_F(LegalityWaitsApart, RefusesWaitsInAnotherOrder) { EXPECT_EQ(verdictOf("q", "p"), "rule"); }

TEST_F(LegalityWaitsApart, RefusesAnElementThatIsNotWaitedFor) {
  EXPECT_NE(verdictOf("p", "p").find("rule"), std::string::npos);
}

TEST_F(LegalityWaitsApart, RefusesAWaitThatIsNotListed) { EXPECT_NE(verdictOf("p", "q", false), ""); }

} // namespace
} // namespace ccgraph::test
