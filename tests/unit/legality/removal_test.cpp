// Tests the legality of removed nodes, of new nodes, and of named rules.
#include "support/rewrites.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

class LegalityRemoval : public testing::Test {
protected:
  void erase(const char *name, RemovedReason reason, const char *twin = nullptr) {
    Node *node = bench_[name];
    Node *stands = twin ? bench_[twin] : nullptr;
    if (stands)
      graph().replaceAllUses(node, stands);
    graph().erase(node);
    bench_.certificate.removed.push_back({reason, node, stands});
  }
  Graph &graph() { return bench_.graph(); }
  RewriteBench bench_;
};

constexpr llvm::StringLiteral inputs = R"(x: "f32[8][1]cpu", y: "f32[8][1]cpu")";
constexpr RemovedReason dead = RemovedReason::Dead;
constexpr RemovedReason twin = RemovedReason::Twin;
constexpr RemovedReason forwarded = RemovedReason::Forwarded;

// --- Dead ------------------------------------------------------------------------------------------------------------

constexpr llvm::StringLiteral unread = R"(
  ar: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
  wait: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(ar)
  neg: "f32[8][1]cpu" = torch.ops.aten.neg.default(x)
  rand: "f32[8][1]cpu" = torch.ops.aten.bernoulli.default(x)
  send: "f32[0][1]cpu" = torch.ops._c10d_functional.isend.default(y, 1, 0, '0')
  ws: "f32[0][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(send)
  write: "f32[8][1]cpu" = torch.ops.aten.neg_.default(x)
  return (y,))";

TEST_F(LegalityRemoval, AcceptsADeadLaunchWithItsWait) {
  bench_.load(inputs, unread);
  erase("wait", dead);
  erase("ar", dead);
  EXPECT_EQ(bench_.verdict(), "");
}

TEST_F(LegalityRemoval, AcceptsADeadPureNode) {
  bench_.load(inputs, unread);
  erase("neg", dead);
  EXPECT_EQ(bench_.verdict(), "");
}

TEST_F(LegalityRemoval, RefusesALostWait) {
  bench_.load(inputs, unread);
  erase("wait", dead);
  EXPECT_EQ(bench_.verdict(), "wait-lost");
}

TEST_F(LegalityRemoval, RefusesADeadCollectiveWhereProgramsDiffer) {
  bench_.load(inputs, unread);
  erase("wait", dead);
  erase("ar", dead);
  EXPECT_EQ(bench_.verdict({.spmd = false}), "mpmd");
}

TEST_F(LegalityRemoval, RefusesEffectsThatGo) {
  bench_.load(inputs, unread);
  erase("rand", dead);
  EXPECT_EQ(bench_.verdict(), "removed-effect");
  bench_.certificate = {};
  bench_.load(inputs, unread);
  erase("ws", dead);
  erase("send", dead);
  EXPECT_EQ(bench_.verdict(), "removed-effect");
  bench_.certificate = {};
  bench_.load(inputs, unread);
  erase("write", dead);
  EXPECT_EQ(bench_.verdict(), "removed-effect storage-order");
}

TEST_F(LegalityRemoval, RefusesInputsThatGo) {
  bench_.load(inputs, R"(
    neg: "f32[8][1]cpu" = torch.ops.aten.neg.default(x)
    return (neg,))");
  erase("y", dead);
  EXPECT_EQ(bench_.verdict(), "interface");
}

TEST_F(LegalityRemoval, RefusesAGraphOfAnotherRank) {
  bench_.load(inputs, unread);
  bench_.graph().rank = 1;
  EXPECT_EQ(bench_.verdict(), "interface");
}

TEST_F(LegalityRemoval, RefusesAGraphThatLostWhatItWasTracedWith) {
  bench_.load(inputs, unread);
  bench_.graph().guards = {{GuardFact::Size, "tp", int64_t{2}}};
  bench_.snapshot();
  bench_.graph().guards.clear();
  EXPECT_EQ(bench_.verdict(), "interface");
}

TEST_F(LegalityRemoval, RefusesAValueThatIsStillRead) {
  bench_.load(inputs, R"(
    neg: "f32[8][1]cpu" = torch.ops.aten.neg.default(x)
    abs: "f32[8][1]cpu" = torch.ops.aten.abs.default(neg)
    return (abs,))");
  graph().setOperand(bench_["abs"], 0, bench_["x"]);
  erase("neg", dead);
  EXPECT_EQ(bench_.verdict(), "operand");
}

// --- Twins -----------------------------------------------------------------------------------------------------------

constexpr llvm::StringLiteral twice = R"(
  a: "f32[16][1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(x, 2, '0')
  wa: "f32[16][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(a)
  b: "f32[16][1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(x, 2, '0')
  wb: "f32[16][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(b)
  c: "f32[16][1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(y, 2, '0')
  wc: "f32[16][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(c)
  ua: "f32[16][1]cpu" = torch.ops.aten.neg.default(wa)
  ub: "f32[16][1]cpu" = torch.ops.aten.abs.default(wb)
  uc: "f32[16][1]cpu" = torch.ops.aten.abs.default(wc)
  return (ua, ub, uc))";

TEST_F(LegalityRemoval, AcceptsATwinWithItsWait) {
  bench_.load(inputs, twice);
  erase("wb", twin, "wa");
  erase("b", twin, "a");
  EXPECT_EQ(bench_.text(), "");
}

TEST_F(LegalityRemoval, RefusesATwinOfAnotherValue) {
  bench_.load(inputs, twice);
  erase("wc", twin, "wa");
  erase("c", twin, "a");
  EXPECT_EQ(bench_.verdict(), "twin");
}

TEST_F(LegalityRemoval, RefusesATwinThatComesLater) {
  bench_.load(inputs, twice);
  graph().moveBefore(bench_["wb"], bench_["ua"]);
  graph().moveBefore(bench_["b"], bench_["a"]);
  graph().moveBefore(bench_["wb"], bench_["wa"]);
  erase("wa", twin, "wb");
  erase("a", twin, "b");
  EXPECT_EQ(bench_.verdict(), "twin");
}

TEST_F(LegalityRemoval, RefusesATwinAcrossAWrite) {
  bench_.load(inputs, R"(
    a: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
    wa: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(a)
    write: "f32[8][1]cpu" = torch.ops.aten.neg_.default(x)
    b: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
    wb: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(b)
    return (wa, wb))");
  erase("wb", twin, "wa");
  erase("b", twin, "a");
  EXPECT_EQ(bench_.verdict(), "twin");
}

TEST_F(LegalityRemoval, RefusesATwinAcrossAWaitThatCopiesItsOperandAgain) {
  auto verdict = [&](const std::string &between) {
    bench_.certificate = {};
    bench_.load(inputs, R"(
    rs = torch.ops._c10d_functional.reduce_scatter_tensor_coalesced.default([x, y], 'sum', 2, '0')
    r0: "f32[4][1]cpu" = rs[0]
    r1: "f32[4][1]cpu" = rs[1]
    w0: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(r0)
    mul: "f32[4][1]cpu" = torch.ops.aten.mul_.Tensor(w0, 2)
    a: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(w0, 'sum', '0')
    wa: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(a))" +
                            between + R"(
    b: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(w0, 'sum', '0')
    wb: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(b)
    c: "f32[4][1]cpu" = torch.ops.aten.add.Tensor(wa, wb)
    return (c,))");
    erase("wb", twin, "wa");
    erase("b", twin, "a");
    return bench_.verdict();
  };
  EXPECT_EQ(verdict(""), "");
  EXPECT_EQ(verdict("\n    w1: \"f32[4][1]cpu\" = torch.ops._c10d_functional.wait_tensor.default(r1)"), "twin");
}

TEST_F(LegalityRemoval, RefusesATwinOfAViewThatIsReshapedLater) {
  auto verdict = [&](const std::string &change) {
    bench_.certificate = {};
    bench_.load(inputs, R"(
    c: "f32[8][1]cpu" = torch.ops.aten.clone.default(x)
    a: "f32[2, 4][4, 1]cpu" = torch.ops.aten.view.default(c, [2, 4])
    b: "f32[2, 4][4, 1]cpu" = torch.ops.aten.view.default(c, [2, 4])
    t: )" + change + R"(
    n: "f32[2, 4][4, 1]cpu" = torch.ops.aten.neg.default(a)
    return (n, t))");
    erase("b", twin, "a");
    return bench_.verdict();
  };
  EXPECT_EQ(verdict("\"f32[2, 4][4, 1]cpu\" = torch.ops.aten.abs.default(b)"), "");
  EXPECT_EQ(verdict("\"f32[4, 2][1, 4]cpu\" = torch.ops.aten.t_.default(b)"), "twin");
}

TEST_F(LegalityRemoval, RefusesATwinThatIsWrittenLater) {
  bench_.load(inputs, R"(
    a: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
    wa: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(a)
    b: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
    wb: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(b)
    write: "f32[8][1]cpu" = torch.ops.aten.neg_.default(wb)
    return (wa, write))");
  erase("wb", twin, "wa");
  erase("b", twin, "a");
  EXPECT_EQ(bench_.verdict(), "twin");
}

TEST_F(LegalityRemoval, RefusesToMakeTwoReturnedValuesOne) {
  constexpr const char *lines = R"(
    a: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
    wa: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(a)
    na: "f32[8][1]cpu" = torch.ops.aten.neg.default(wa)
    b: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
    wb: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(b)
    c: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
    wc: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(c)
    nc: "f32[8][1]cpu" = torch.ops.aten.neg.default(wc)
    return )";
  auto verdict = [&](const char *returned) {
    bench_.certificate = {};
    bench_.load(inputs, lines + std::string(returned));
    erase("wc", twin, "wb");
    erase("c", twin, "b");
    erase("wb", twin, "wa");
    erase("b", twin, "a");
    return bench_.verdict();
  };
  EXPECT_EQ(verdict("(na, wb, nc)"), "");
  EXPECT_EQ(verdict("(wa, wb, nc)"), "twin");
  EXPECT_EQ(verdict("(na, wb, wc)"), "twin");
  EXPECT_EQ(verdict("(wa, nc, wc)"), "twin") << "through a third one";
}

TEST_F(LegalityRemoval, RefusesARandomTwin) {
  bench_.load(inputs, R"(
    a: "f32[8][1]cpu" = torch.ops.aten.bernoulli.default(x)
    b: "f32[8][1]cpu" = torch.ops.aten.bernoulli.default(x)
    return (a, b))");
  erase("b", twin, "a");
  EXPECT_EQ(bench_.verdict(), "removed-effect");
}

TEST_F(LegalityRemoval, RefusesATwinThatIsGoneToo) {
  bench_.load(inputs, twice);
  erase("wb", twin, "wa");
  erase("b", twin, "a");
  bench_.certificate.removed[1].twin = bench_.certificate.removed[0].node;
  bench_.certificate.removed[0].twin = bench_.certificate.removed[1].node;
  EXPECT_EQ(bench_.verdict(), "entry");
}

TEST_F(LegalityRemoval, RefusesATwinBeyondAnOpaqueStep) {
  bench_.load(inputs, R"(
    a: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
    wa: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(a)
    o: "f32[8][1]cpu" = torch.ops.mylib.thing.default(y)
    b: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
    wb: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(b)
    c: "f32[8][1]cpu" = torch.ops.aten.add.Tensor(wa, wb)
    return (c, o))");
  erase("wb", twin, "wa");
  erase("b", twin, "a");
  EXPECT_EQ(bench_.verdict(), "twin");
}

// --- Forwarded -------------------------------------------------------------------------------------------------------

constexpr llvm::StringLiteral waitedTwice = R"(
  ar: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
  wait: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(ar)
  again: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(wait)
  neg: "f32[8][1]cpu" = torch.ops.aten.neg.default(again)
  return (neg,))";

TEST_F(LegalityRemoval, AcceptsASecondWaitThatIsSkipped) {
  bench_.load(inputs, waitedTwice);
  erase("again", forwarded, "wait");
  EXPECT_EQ(bench_.verdict(), "");
}

TEST_F(LegalityRemoval, RefusesTheFirstWaitThatIsSkipped) {
  bench_.load(inputs, waitedTwice);
  erase("wait", forwarded, "ar");
  EXPECT_EQ(bench_.verdict(), "forwarded");
}

TEST_F(LegalityRemoval, RefusesAnotherValueInPlaceOfAWait) {
  bench_.load(inputs, waitedTwice);
  erase("again", forwarded, "x");
  EXPECT_EQ(bench_.verdict(), "forwarded");
}

// --- Added -----------------------------------------------------------------------------------------------------------

TEST_F(LegalityRemoval, AcceptsAWaitThatIsAdded) {
  bench_.load(inputs, R"(
    ar: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
    return (y,))");
  bench_.certificate.added.push_back(
      {makeCall(bench_["output"], "wait", "_c10d_functional.wait_tensor.default", {bench_["ar"]}, "f32[8][1]cpu"),
       "wait"});
  EXPECT_EQ(bench_.verdict(), "");
}

TEST_F(LegalityRemoval, RefusesAnAddedEffect) {
  bench_.load(inputs, unread);
  bench_.certificate.added.push_back(
      {makeCall(bench_["output"], "more", "aten.neg_.default", {bench_["y"]}, "f32[8][1]cpu"), "helper"});
  EXPECT_EQ(bench_.verdict(), "added");
}

TEST_F(LegalityRemoval, RefusesAnAddedCollective) {
  bench_.load(inputs, unread);
  bench_.certificate.added.push_back({makeCall(bench_["output"], "more", "_c10d_functional.all_reduce.default",
                                               {bench_["y"], "sum", "0"}, "f32[8][1]cpu"),
                                      "helper"});
  EXPECT_EQ(bench_.verdict(), "added issue-order");
}

// --- Entries ---------------------------------------------------------------------------------------------------------

TEST_F(LegalityRemoval, RefusesEntriesThatDoNotFit) {
  bench_.load(inputs, unread);
  bench_.certificate.removed.push_back({dead, bench_["neg"], nullptr});
  EXPECT_EQ(bench_.verdict(), "entry") << "it is still there";
  bench_.certificate = {};
  erase("neg", dead);
  bench_.certificate.removed.push_back(bench_.certificate.removed[0]);
  EXPECT_EQ(bench_.verdict(), "entry") << "it stands in two entries";
  bench_.certificate = {};
  bench_.certificate.removed.push_back({dead, nullptr, nullptr});
  EXPECT_EQ(bench_.verdict(), "entry unlisted") << "it names no node";
}

// --- Rules -----------------------------------------------------------------------------------------------------------

/// A control_deps around `inner(arg_0, arg_1)`, with dependences on `neg`.
class LegalityControlDeps : public LegalityRemoval {
protected:
  void SetUp() override {
    bench_.load(inputs, R"(
      neg: "f32[8][1]cpu" = torch.ops.aten.neg.default(y)
      body = self.body
      held: "f32[8][1]cpu" = torch.ops.higher_order.control_deps((neg,), body, x, y)
      use: "f32[8][1]cpu" = torch.ops.aten.abs.default(held)
      return (use,))",
                R"(
      class body(torch.nn.Module):
          def forward(self, arg_0: "f32[8][1]cpu", arg_1: "f32[8][1]cpu"):
              add: "f32[8][1]cpu" = torch.ops.aten.add.Tensor(arg_0, arg_1)
              return add)");
  }

  /// Replaces the control_deps by a call with these arguments.
  Node *inlineCall(const std::vector<Actual> &arguments, const char *target = "aten.add.Tensor") {
    Node *held = bench_["held"];
    Node *body = bench_["body"];
    Node *built = makeCall(held, "built", target, arguments, "f32[8][1]cpu");
    graph().addOrdering(built, bench_["neg"]);
    graph().replaceAllUses(held, built);
    graph().erase(held);
    graph().erase(body);
    graph().eraseSubgraph(graph().context().identifier("body"));
    bench_.certificate.rules.push_back({"inline-control-deps", {held, body}, {built}});
    return built;
  }
};

TEST_F(LegalityControlDeps, AcceptsAnInlinedCall) {
  inlineCall({bench_["x"], bench_["y"]});
  EXPECT_EQ(bench_.text(), "");
}

TEST_F(LegalityControlDeps, RefusesSwappedArguments) {
  inlineCall({bench_["y"], bench_["x"]});
  EXPECT_EQ(bench_.verdict(), "rule");
}

TEST_F(LegalityControlDeps, RefusesAnotherCall) {
  inlineCall({bench_["x"], bench_["y"]}, "aten.sub.Tensor");
  EXPECT_EQ(bench_.verdict(), "rule");
}

TEST_F(LegalityControlDeps, RefusesALostDependence) {
  graph().removeOrdering(inlineCall({bench_["x"], bench_["y"]}), bench_["neg"]);
  EXPECT_EQ(bench_.verdict(), "rule");
}

TEST_F(LegalityControlDeps, RefusesASubgraphThatChangedOrWentTooEarly) {
  Graph *body = graph().subgraph(graph().context().identifier("body"));
  body->setTarget(body->find("add"), graph().context().identifier("aten.sub.Tensor"));
  EXPECT_EQ(bench_.verdict(), "interface");
  SetUp();
  graph().eraseSubgraph(graph().context().identifier("body"));
  EXPECT_EQ(bench_.verdict(), "interface");
}

TEST_F(LegalityControlDeps, RefusesARuleWithoutTemplate) {
  inlineCall({bench_["x"], bench_["y"]});
  bench_.certificate.rules[0].name = "make-it-faster";
  EXPECT_EQ(bench_.verdict(), "rule");
}

// --- The list of rules -----------------------------------------------------------------------------------------------

TEST(LegalityRules, AreSortedAndSayWhatTheyDemand) {
  auto rules = legalityRules();
  EXPECT_TRUE(std::is_sorted(rules.begin(), rules.end(), [](const auto &a, const auto &b) { return a.id < b.id; }));
  for (const LegalityRule &rule : rules) {
    EXPECT_TRUE(rule.id.startswith("legality.")) << rule.id.str();
    EXPECT_TRUE(rule.demand.endswith(".")) << rule.id.str();
  }
}

} // namespace
} // namespace ccgraph::test
