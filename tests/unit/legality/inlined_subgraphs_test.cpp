// Tests the legality of a rewrite that replaces calls of subgraphs by the nodes of the subgraphs. Each illegal rewrite
// is the legal one of the pass, with one change.
#include "support/rewrites.h"

#include "ccgraph/passes/pass_manager.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

class LegalityInlinedSubgraphs : public testing::Test {
protected:
  void SetUp() override {
    bench_.load(R"(x: "f32[8, 8][8, 1]cpu", y: "f32[8, 8][8, 1]cpu")", R"(
      n: "f32[8, 8][8, 1]cpu" = torch.ops.aten.neg.default(y)
      layer = self.layer
      call = torch.ops.higher_order.invoke_subgraph(layer, 'layer', x, n, 2)  # after: n
      a: "f32[8, 8][8, 1]cpu" = call[0]
      b: "f32[8, 8][8, 1]cpu" = call[1]
      call_1 = torch.ops.higher_order.invoke_subgraph(layer, 'layer', a, b, 3)
      c: "f32[8, 8][8, 1]cpu" = call_1[0]
      m: "f32[8, 8][8, 1]cpu" = torch.ops.aten.neg.default(c)  # after: call
      return (m, n))",
                R"(
      class layer(torch.nn.Module):
          def forward(self, h: "f32[8, 8][8, 1]cpu", w: "f32[8, 8][8, 1]cpu", k):
              mm: "f32[8, 8][8, 1]cpu" = torch.ops.aten.mm.default(h, w)
              ar: "f32[8, 8][8, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(mm, 'sum', '0')
              sin: "f32[8, 8][8, 1]cpu" = torch.ops.aten.sin.default(w)
              wait: "f32[8, 8][8, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(ar)
              mul: "f32[8, 8][8, 1]cpu" = torch.ops.aten.mul.Tensor(wait, k)
              return (mul, sin))");
    inlineCalls();
  }

  void inlineCalls() {
    PassManagerOptions options;
    options.checkLegality = false;
    options.onRewrite = [&](const Pass &, const Certificate &certificate) { bench_.certificate = certificate; };
    llvm::cantFail(runPipeline(graph(), llvm::cantFail(Pipeline::parse("inline-subgraphs")), options).takeError());
  }

  Graph &graph() { return bench_.graph(); }
  std::vector<Node *> &built(size_t entry) { return bench_.certificate.rules[entry].built; }
  void expectRefused() { EXPECT_EQ(bench_.verdict(), "inlined"); }
  RewriteBench bench_;
};

TEST_F(LegalityInlinedSubgraphs, AcceptsTheNodesOfBothCalls) {
  EXPECT_EQ(bench_.text(), "");
  EXPECT_EQ(bench_.verdict({.spmd = false, .bitwise = true}), "");
  EXPECT_EQ(graph().size(), 15U) << "two inputs, n, m, the output, and five nodes for each call";
}

TEST_F(LegalityInlinedSubgraphs, FindingNamesTheNodeAndTheEntry) {
  graph().setOperand(bench_["mm_1"], 0, bench_["x"]);
  std::string text = bench_.text();
  EXPECT_NE(text.find("mm_1: is not 'mm' in the subgraph of 'call_1': it has other arguments"), std::string::npos)
      << text;
  EXPECT_NE(text.find("rule entry 1"), std::string::npos) << text;
}

TEST_F(LegalityInlinedSubgraphs, RefusesSwappedArguments) {
  Node *mm = bench_["mm"];
  Node *first = mm->operand(0), *second = mm->operand(1);
  graph().setOperand(mm, 0, second);
  graph().setOperand(mm, 1, first);
  expectRefused();
}

TEST_F(LegalityInlinedSubgraphs, RefusesAnotherLiteral) {
  setCall(bench_["mul"], {bench_["wait"], 3});
  expectRefused();
}

TEST_F(LegalityInlinedSubgraphs, RefusesANodeLeftOut) {
  Node *mul = bench_["mul"];
  graph().replaceAllUses(mul, bench_["wait"]);
  graph().erase(mul);
  built(0).pop_back();
  expectRefused();
}

TEST_F(LegalityInlinedSubgraphs, RefusesTheLastNodeOfTheProgramLeftOut) {
  for (Node *node : {bench_["output"], bench_["m"]})
    graph().erase(node);
  expectRefused();
}

TEST_F(LegalityInlinedSubgraphs, RefusesANodeTwice) {
  built(1).push_back(makeCall(bench_["m"], "more", "aten.sin.default", {bench_["mul_1"]}, "f32[8, 8][8, 1]cpu"));
  expectRefused();
}

TEST_F(LegalityInlinedSubgraphs, RefusesANodeMovedAcrossACollective) {
  bench_.move("sin", "ar");
  expectRefused();
}

TEST_F(LegalityInlinedSubgraphs, RefusesANodeOfTheCallerAmongTheCopies) {
  Node *other = bench_["n"];
  graph().moveBefore(bench_["mm"], other);
  EXPECT_EQ(bench_.verdict(), "inlined order");
  graph().moveBefore(other, bench_["mm"]);
  EXPECT_EQ(bench_.verdict(), "");
  bench_.move("m", "mul_1");
  EXPECT_EQ(bench_.verdict(), "inlined order");
}

TEST_F(LegalityInlinedSubgraphs, RefusesAnotherOperator) {
  graph().setTarget(bench_["sin_1"], graph().context().identifier("aten.cos.default"));
  expectRefused();
}

TEST_F(LegalityInlinedSubgraphs, RefusesAnotherType) {
  graph().setType(bench_["mul"], nullptr);
  expectRefused();
}

TEST_F(LegalityInlinedSubgraphs, RefusesAnotherStackFrame) {
  graph().setFrame(bench_["mul"], graph().addFrame({.line = 7}));
  expectRefused();
}

TEST_F(LegalityInlinedSubgraphs, RefusesAnotherResult) {
  graph().replaceAllUses(bench_["mul_1"], bench_["sin_1"]);
  expectRefused();
}

TEST_F(LegalityInlinedSubgraphs, RefusesLostAndNewOrderingEdges) {
  graph().removeOrdering(bench_["sin"], bench_["n"]);
  expectRefused();
  graph().addOrdering(bench_["sin"], bench_["n"]);
  EXPECT_EQ(bench_.verdict(), "");
  graph().removeOrdering(bench_["m"], bench_["ar"]);
  expectRefused();
  graph().addOrdering(bench_["m"], bench_["ar"]);
  graph().addOrdering(bench_["m"], bench_["wait_1"]);
  expectRefused();
}

TEST_F(LegalityInlinedSubgraphs, RefusesOtherChanges) {
  graph().rename(bench_["m"], "p");
  expectRefused();
  graph().rename(bench_["p"], "m");
  EXPECT_EQ(bench_.verdict(), "");
  graph().setOperand(bench_["output"], 1, bench_["m"]);
  expectRefused();
}

TEST_F(LegalityInlinedSubgraphs, RefusesASubgraphThatChanged) {
  const Graph *body = graph().erasedSubgraph(graph().context().identifier("layer"));
  ASSERT_NE(body, nullptr);
  const_cast<Graph *>(body)->setTarget(body->find("sin"), graph().context().identifier("aten.cos.default"));
  expectRefused();
}

TEST_F(LegalityInlinedSubgraphs, RefusesAnEntryThatDoesNotFit) {
  const Certificate legal = bench_.certificate;
  std::swap(built(0), built(1));
  expectRefused();
  bench_.certificate = legal;
  bench_.certificate.rules[0].matched.clear();
  expectRefused();
  bench_.certificate = legal;
  bench_.certificate.rules[0].matched.pop_back();
  expectRefused();
  bench_.certificate = legal;
  bench_.certificate.rules[1].matched.push_back(legal.rules[0].matched.back());
  expectRefused();
  bench_.certificate = legal;
  bench_.certificate.rules[1].matched.push_back(bench_["m"]);
  expectRefused();
  bench_.certificate = legal;
  bench_.certificate.rules[1].matched.push_back(nullptr);
  expectRefused();
}

TEST_F(LegalityInlinedSubgraphs, RefusesEntriesOfOtherKinds) {
  bench_.certificate.added.push_back({bench_["mm"], "copy"});
  expectRefused();
  bench_.certificate.added.clear();
  bench_.certificate.rules.push_back({"functional-form", {}, {}});
  expectRefused();
}

TEST_F(LegalityInlinedSubgraphs, RefusesMoreMemoryThanTheBudget) {
  bench_.load(R"(x: "f32[8, 8][8, 1]cpu")", R"(
    layer = self.layer
    call = torch.ops.higher_order.invoke_subgraph(layer, 'layer', x)
    a: "f32[8, 8][8, 1]cpu" = call[0]
    return (a,))",
              R"(
    class layer(torch.nn.Module):
        def forward(self, h: "f32[8, 8][8, 1]cpu"):
            cat: "f32[32, 8][8, 1]cpu" = torch.ops.aten.cat.default([h, h, h, h])
            ar: "f32[32, 8][8, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(cat, 'sum', '0')
            wait: "f32[32, 8][8, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(ar)
            sum: "f32[8, 8][8, 1]cpu" = torch.ops.aten.mm.default(h, h)
            return (sum,))");
  inlineCalls();
  EXPECT_EQ(bench_.verdict({.memoryBudget = 1 << 20}), "");
  EXPECT_EQ(bench_.verdict({.memoryBudget = 0}), "memory");
}

// --- Calls that no nodes can replace ---------------------------------------------------------------------------------

/// Replaces the call of a body `all_reduce(h); wait` by two nodes that read `x`, whatever the call is.
class LegalityInlinedCall : public testing::Test {
protected:
  std::string verdictOf(const std::string &call, const std::string &body) {
    bench_.certificate = {};
    bench_.load(R"(x: "f32[8][1]cpu", y: "f32[8][1]cpu")",
                "  layer = self.layer\n  call = torch.ops.higher_order." + call +
                    "\n  a: \"f32[8][1]cpu\" = call[0]\n  return (a,)",
                "  class layer(torch.nn.Module):\n      def forward(self, " + body);
    Node *call_ = bench_["call"], *read = bench_["a"], *layer = bench_["layer"];
    Node *ar = makeCall(call_, "ar", "_c10d_functional.all_reduce.default", {bench_["x"], "sum", "0"}, type);
    Node *wait = makeCall(call_, "wait", "_c10d_functional.wait_tensor.default", {ar}, type);
    Graph &graph = bench_.graph();
    graph.replaceAllUses(read, wait);
    for (Node *node : {read, call_, layer})
      graph.erase(node);
    graph.eraseSubgraph(graph.context().identifier("layer"));
    bench_.certificate.rules.push_back({"inline-subgraphs", {call_, read, layer}, {ar, wait}});
    return bench_.verdict();
  }
  static constexpr llvm::StringLiteral type = "f32[8][1]cpu";
  static constexpr const char *steps = R"(
              ar: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(h, 'sum', '0')
              wait: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(ar)
              )";
  RewriteBench bench_;
};

TEST_F(LegalityInlinedCall, AcceptsTheNodesOfTheSubgraph) {
  const std::string body = R"(h: "f32[8][1]cpu"):)" + std::string(steps) + "return (wait,)";
  EXPECT_EQ(verdictOf("invoke_subgraph(layer, 'layer', x)", body), "") << bench_.text();
}

TEST_F(LegalityInlinedCall, RefusesOtherOperators) {
  const std::string body = R"(h: "f32[8][1]cpu"):)" + std::string(steps) + "return (wait,)";
  EXPECT_EQ(verdictOf("map_impl(layer, [x], [])", body), "inlined");
  EXPECT_EQ(verdictOf("control_deps((y,), layer, x)", body), "inlined");
}

TEST_F(LegalityInlinedCall, RefusesArgumentsThatDoNotFit) {
  const std::string body = R"(h: "f32[8][1]cpu"):)" + std::string(steps) + "return (wait,)";
  EXPECT_EQ(verdictOf("invoke_subgraph(layer, 'layer', x, y)", body), "inlined");
  EXPECT_EQ(verdictOf("invoke_subgraph(layer, 'layer')", body), "inlined");
  EXPECT_EQ(verdictOf("invoke_subgraph(layer, 'layer', x, key = y)", body), "inlined");
  EXPECT_EQ(verdictOf("invoke_subgraph(layer, 'layer', [x])", body), "inlined");
  EXPECT_EQ(verdictOf("invoke_subgraph(layer, 'layer', y)", body), "inlined");
}

TEST_F(LegalityInlinedCall, RefusesOtherTypes) {
  EXPECT_EQ(
      verdictOf("invoke_subgraph(layer, 'layer', x)", R"(h: "f32[4][1]cpu"):)" + std::string(steps) + "return (wait,)"),
      "inlined");
}

TEST_F(LegalityInlinedCall, RefusesAnotherResult) {
  EXPECT_EQ(verdictOf("invoke_subgraph(layer, 'layer', x)",
                      R"(h: "f32[8][1]cpu"):)" + std::string(steps) + "return (ar, wait)"),
            "inlined");
  EXPECT_EQ(verdictOf("invoke_subgraph(layer, 'layer', x)",
                      R"(h: "f32[8][1]cpu"):)" + std::string(steps) + "return (None, wait)"),
            "inlined");
}

TEST_F(LegalityInlinedCall, RefusesConstantsAndOrderingEdgesInside) {
  EXPECT_EQ(verdictOf("invoke_subgraph(layer, 'layer', x)", R"(h: "f32[8][1]cpu"):
              k = self.k)" + std::string(steps) + "return (wait,)"),
            "inlined");
  EXPECT_EQ(verdictOf("invoke_subgraph(layer, 'layer', x)", R"(h: "f32[8][1]cpu"):
              ar: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(h, 'sum', '0')
              wait: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(ar)  # after: h
              return (wait,))"),
            "inlined");
}

} // namespace
} // namespace ccgraph::test
