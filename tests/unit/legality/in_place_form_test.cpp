// Tests the legality of forms in place: a functional call is replaced by the call that writes over its input, correct
// and with one error.
#include "support/rewrites.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

constexpr const char *type = "f32[4, 2][2, 1]cpu";

class LegalityInPlaceForm : public testing::Test {
protected:
  void load(const std::string &lines) {
    bench_.certificate = {};
    bench_.load(R"(x: "f32[4, 2][2, 1]cpu", y: "f32[4, 2][2, 1]cpu")", ("\n" + lines).c_str());
  }
  /// Loads a program in which s is all_reduce(a), of a buffer that `made` computes. `between` is before the wait w, and
  /// `rest` after it.
  void loadSum(const std::string &made, const std::string &between, const std::string &rest) {
    load("  a: \"f32[4, 2][2, 1]cpu\" = " + made + "\n" +
         "  s: \"f32[4, 2][2, 1]cpu\" = torch.ops._c10d_functional.all_reduce.default(a, 'sum', '0')\n" + between +
         "  w: \"f32[4, 2][2, 1]cpu\" = torch.ops._c10d_functional.wait_tensor.default(s)\n" + rest);
  }
  struct Call {
    const char *target = "_c10d_functional.all_reduce_.default";
    const char *made = type;
    const char *replaced = "s";
  };
  /// Replaces s by this call, and returns the checker's verdict.
  std::string verdict(const std::vector<Actual> &arguments, Call call) {
    Node *old = bench_[call.replaced];
    Node *built = makeCall(old, "built", call.target, arguments, call.made);
    bench_.graph().replaceAllUses(old, built);
    bench_.graph().erase(old);
    bench_.certificate.rules.push_back({"in-place-form", {old}, {built}});
    return bench_.verdict();
  }
  std::string verdict(const std::vector<Actual> &arguments) { return verdict(arguments, Call()); }
  /// Replaces s by the sum of a in place.
  std::string verdict() { return verdict({bench_["a"], "sum", "0"}); }

  RewriteBench bench_;
};

const char *relu = "torch.ops.aten.relu.default(x)";

TEST_F(LegalityInPlaceForm, AcceptsABufferThatNoNodeNamesAnyMore) {
  loadSum(relu, "", "  n: \"f32[4, 2][2, 1]cpu\" = torch.ops.aten.add_.Tensor(w, y)\n  return (n, w)");
  EXPECT_EQ(verdict(), "");
}

TEST_F(LegalityInPlaceForm, AcceptsABufferThatWasReadBefore) {
  load("  a: \"f32[4, 2][2, 1]cpu\" = torch.ops.aten.relu.default(x)\n"
       "  v: \"f32[8][1]cpu\" = torch.ops.aten.view.default(a, [8])\n"
       "  n: \"f32[8][1]cpu\" = torch.ops.aten.neg.default(v)\n"
       "  s: \"f32[4, 2][2, 1]cpu\" = torch.ops._c10d_functional.all_reduce.default(a, 'sum', '0')\n"
       "  w: \"f32[4, 2][2, 1]cpu\" = torch.ops._c10d_functional.wait_tensor.default(s)\n  return (w, n)");
  EXPECT_EQ(verdict(), "");
}

TEST_F(LegalityInPlaceForm, AcceptsABroadcast) {
  load("  a: \"f32[4, 2][2, 1]cpu\" = torch.ops.aten.relu.default(x)\n"
       "  s: \"f32[4, 2][2, 1]cpu\" = torch.ops._c10d_functional.broadcast.default(a, 1, '0')\n"
       "  w: \"f32[4, 2][2, 1]cpu\" = torch.ops._c10d_functional.wait_tensor.default(s)\n  return (w,)");
  EXPECT_EQ(verdict({bench_["a"], 1, "0"}, {.target = "_c10d_functional.broadcast_.default"}), "");
}

TEST_F(LegalityInPlaceForm, RefusesMemoryOfTheCaller) {
  loadSum("torch.ops.aten.view.default(x, [4, 2])", "", "  return (w,)");
  EXPECT_EQ(verdict(), "rule");
}

TEST_F(LegalityInPlaceForm, RefusesALaterReader) {
  loadSum(relu, "", "  n: \"f32[4, 2][2, 1]cpu\" = torch.ops.aten.sub.Tensor(w, a)\n  return (n,)");
  EXPECT_EQ(verdict(), "rule");
}

TEST_F(LegalityInPlaceForm, RefusesAReturnedInput) {
  loadSum(relu, "", "  return (w, a)");
  EXPECT_EQ(verdict(), "rule");
}

TEST_F(LegalityInPlaceForm, RefusesAViewThatIsReadLater) {
  load("  a: \"f32[4, 2][2, 1]cpu\" = torch.ops.aten.relu.default(x)\n"
       "  v: \"f32[8][1]cpu\" = torch.ops.aten.view.default(a, [8])\n"
       "  s: \"f32[4, 2][2, 1]cpu\" = torch.ops._c10d_functional.all_reduce.default(a, 'sum', '0')\n"
       "  w: \"f32[4, 2][2, 1]cpu\" = torch.ops._c10d_functional.wait_tensor.default(s)\n"
       "  n: \"f32[8][1]cpu\" = torch.ops.aten.neg.default(v)\n  return (w, n)");
  EXPECT_EQ(verdict(), "rule");
}

TEST_F(LegalityInPlaceForm, RefusesAReaderThatMovedPastTheLaunch) {
  load("  a: \"f32[4, 2][2, 1]cpu\" = torch.ops.aten.relu.default(x)\n"
       "  n: \"f32[4, 2][2, 1]cpu\" = torch.ops.aten.neg.default(a)\n"
       "  s: \"f32[4, 2][2, 1]cpu\" = torch.ops._c10d_functional.all_reduce.default(a, 'sum', '0')\n"
       "  w: \"f32[4, 2][2, 1]cpu\" = torch.ops._c10d_functional.wait_tensor.default(s)\n  return (w, n)");
  bench_.graph().moveBefore(bench_["n"], bench_.graph().output());
  EXPECT_NE(verdict().find("storage-order"), std::string::npos);
}

TEST_F(LegalityInPlaceForm, RefusesAWriteAfterTheLaunch) {
  loadSum(relu, "  n: \"f32[4, 2][2, 1]cpu\" = torch.ops.aten.mul_.Tensor(a, 2)\n", "  return (w, n)");
  EXPECT_NE(verdict().find("rule"), std::string::npos);
}

TEST_F(LegalityInPlaceForm, RefusesAPartOfABuffer) {
  load("  b: \"f32[8, 2][2, 1]cpu\" = torch.ops.aten.cat.default([x, y])\n"
       "  a: \"f32[4, 2][2, 1]cpu\" = torch.ops.aten.slice.Tensor(b, 0, 4, 8)\n"
       "  s: \"f32[4, 2][2, 1]cpu\" = torch.ops._c10d_functional.all_reduce.default(a, 'sum', '0')\n"
       "  w: \"f32[4, 2][2, 1]cpu\" = torch.ops._c10d_functional.wait_tensor.default(s)\n  return (w,)");
  EXPECT_EQ(verdict(), "rule");
}

TEST_F(LegalityInPlaceForm, RefusesMemoryThatAnUnknownOperatorMadeOrMayKeep) {
  loadSum("torch.ops.mylib.table.default(4)", "", "  return (w,)");
  EXPECT_EQ(verdict(), "rule");
  load("  a: \"f32[4, 2][2, 1]cpu\" = torch.ops.aten.relu.default(x)\n"
       "  k: \"f32[4, 2][2, 1]cpu\" = torch.ops.mylib.keep.default(a)\n"
       "  s: \"f32[4, 2][2, 1]cpu\" = torch.ops._c10d_functional.all_reduce.default(a, 'sum', '0')\n"
       "  w: \"f32[4, 2][2, 1]cpu\" = torch.ops._c10d_functional.wait_tensor.default(s)\n  return (w,)");
  EXPECT_EQ(verdict(), "rule");
}

/// The program of a collective t of a that is launched before the sum of a, and waited for before or after.
std::string besides(const std::string &first, bool waitsFirst) {
  std::string wait = "  v: \"f32[4, 2][2, 1]cpu\" = torch.ops._c10d_functional.wait_tensor.default(t)\n";
  return "  a: \"f32[4, 2][2, 1]cpu\" = torch.ops.aten.relu.default(x)\n"
         "  t: \"f32[4, 2][2, 1]cpu\" = torch.ops._c10d_functional." +
         first + "\n" + (waitsFirst ? wait : "") +
         "  s: \"f32[4, 2][2, 1]cpu\" = torch.ops._c10d_functional.all_reduce.default(a, 'sum', '0')\n" +
         (waitsFirst ? "" : wait) +
         "  w: \"f32[4, 2][2, 1]cpu\" = torch.ops._c10d_functional.wait_tensor.default(s)\n  return (w, v)";
}

TEST_F(LegalityInPlaceForm, RefusesABufferThatAnotherCollectiveHasInFlight) {
  for (const char *first : {"all_to_all_single.default(a, [2, 2], [2, 2], '0')", "all_reduce.default(a, 'avg', '0')"}) {
    load(besides(first, true));
    EXPECT_EQ(verdict(), "") << first;
    load(besides(first, false));
    EXPECT_EQ(verdict(), "rule") << first;
  }
}

TEST_F(LegalityInPlaceForm, RefusesAnotherReductionTensorGroupTypeOrOperator) {
  const char *rest = "  return (w,)";
  loadSum(relu, "", rest);
  EXPECT_EQ(verdict({bench_["a"], "max", "0"}), "rule");
  loadSum(relu, "", rest);
  EXPECT_NE(verdict({bench_["y"], "sum", "0"}).find("rule"), std::string::npos);
  loadSum(relu, "", rest);
  EXPECT_EQ(verdict({bench_["a"], "sum", "1"}), "rule");
  loadSum(relu, "", rest);
  EXPECT_EQ(verdict({bench_["a"], 1, "0"}, {.target = "_c10d_functional.broadcast_.default"}), "rule");
  loadSum(relu, "", rest);
  EXPECT_EQ(verdict({bench_["a"], "sum", "0"}, {.target = "_c10d_functional.all_reduce.default"}), "rule");
  loadSum(relu, "", rest);
  EXPECT_EQ(verdict({bench_["a"], "sum", "0"}, {.made = "f32[8][1]cpu"}), "rule");
}

TEST_F(LegalityInPlaceForm, RefusesALostOrderingEdge) {
  load("  a: \"f32[4, 2][2, 1]cpu\" = torch.ops.aten.relu.default(x)\n"
       "  n: \"f32[4, 2][2, 1]cpu\" = torch.ops.aten.neg.default(y)\n"
       "  s: \"f32[4, 2][2, 1]cpu\" = torch.ops._c10d_functional.all_reduce.default(a, 'sum', '0')  # after: n\n"
       "  w: \"f32[4, 2][2, 1]cpu\" = torch.ops._c10d_functional.wait_tensor.default(s)\n  return (w, n)");
  EXPECT_EQ(verdict(), "rule");
}

/// A list of two tensors, of which the second is this one.
std::string listWith(const std::string &second) {
  return "  a: \"f32[4, 2][2, 1]cpu\" = torch.ops.aten.relu.default(x)\n"
         "  b: \"f32[4, 2][2, 1]cpu\" = torch.ops.aten.neg.default(x)\n"
         "  l = torch.ops._c10d_functional.all_reduce_coalesced.default([a, " +
         second +
         "], 'sum', '0')\n"
         "  p: \"f32[4, 2][2, 1]cpu\" = l[0]\n  q: \"f32[4, 2][2, 1]cpu\" = l[1]\n"
         "  wp: \"f32[4, 2][2, 1]cpu\" = torch.ops._c10d_functional.wait_tensor.default(p)\n"
         "  wq: \"f32[4, 2][2, 1]cpu\" = torch.ops._c10d_functional.wait_tensor.default(q)\n  return (wp, wq)";
}

class LegalityInPlaceList : public LegalityInPlaceForm {
protected:
  std::string verdictWith(const char *second) {
    load(listWith(second));
    return verdict({Actual::list({bench_["a"], bench_[second]}), "sum", "0"},
                   {.target = "_c10d_functional.all_reduce_coalesced_.default", .made = "", .replaced = "l"});
  }
};

TEST_F(LegalityInPlaceList, AcceptsBuffersOfTheProgram) { EXPECT_EQ(verdictWith("b"), ""); }
TEST_F(LegalityInPlaceList, RefusesMemoryOfTheCaller) { EXPECT_EQ(verdictWith("y"), "rule"); }
TEST_F(LegalityInPlaceList, RefusesOneBufferTwice) { EXPECT_NE(verdictWith("a").find("rule"), std::string::npos); }

} // namespace
} // namespace ccgraph::test
