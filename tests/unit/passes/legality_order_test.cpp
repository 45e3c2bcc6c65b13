// Legality of moves: what may pass what, with an empty certificate. Each rule has what it accepts and what it refuses.
#include "support/buckets.h"
#include "support/rewrites.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

class LegalityOrder : public testing::Test {
protected:
  RewriteBench bench_;
};

constexpr llvm::StringLiteral twoInputs = R"(x: "f32[8][1]cpu", y: "f32[8][1]cpu")";

constexpr llvm::StringLiteral overlap = R"(
  ar: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
  wait: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(ar)
  mul: "f32[8][1]cpu" = torch.ops.aten.mul.Tensor(y, y)
  add: "f32[8][1]cpu" = torch.ops.aten.add.Tensor(wait, mul)
  return (add,))";

TEST_F(LegalityOrder, AcceptsNoChange) {
  bench_.load(twoInputs, overlap);
  EXPECT_EQ(bench_.verdict(), "");
}

TEST_F(LegalityOrder, AcceptsAWaitThatSinksToItsUse) {
  bench_.load(twoInputs, overlap);
  bench_.move("wait", "add");
  EXPECT_EQ(bench_.verdict(), "");
}

TEST_F(LegalityOrder, RefusesAWaitAfterItsUse) {
  bench_.load(twoInputs, overlap);
  bench_.move("wait", "output");
  EXPECT_EQ(bench_.verdict(), "order");
}

// --- Nodes and edges -------------------------------------------------------------------------------------------------

TEST_F(LegalityOrder, RefusesAnotherOperand) {
  bench_.load(twoInputs, overlap);
  bench_.graph().setOperand(bench_["add"], 1, bench_["y"]);
  EXPECT_EQ(bench_.verdict(), "operand");
}

TEST_F(LegalityOrder, RefusesAnotherTargetNameTypeOrArgument) {
  bench_.load(twoInputs, overlap);
  bench_.graph().setTarget(bench_["mul"], bench_.graph().context().identifier("aten.add.Tensor"));
  EXPECT_EQ(bench_.verdict(), "node-changed");
  bench_.load(twoInputs, overlap);
  bench_.graph().rename(bench_["mul"], "other");
  EXPECT_EQ(bench_.verdict(), "node-changed");
  bench_.load(twoInputs, overlap);
  bench_.graph().setType(bench_["mul"], nullptr);
  EXPECT_EQ(bench_.verdict(), "node-changed");
  bench_.load(twoInputs, overlap);
  setCall(bench_["ar"], {bench_["x"], "max", "0"});
  EXPECT_EQ(bench_.verdict(), "node-changed");
}

TEST_F(LegalityOrder, AcceptsTheSameArgumentsBuiltAgain) {
  bench_.load(twoInputs, overlap);
  setCall(bench_["ar"], {bench_["x"], "sum", "0"});
  EXPECT_EQ(bench_.verdict(), "");
}

TEST_F(LegalityOrder, RefusesAnUnlistedNewNode) {
  bench_.load(twoInputs, overlap);
  makeCall(bench_["add"], "extra", "aten.neg.default", {bench_["y"]}, "f32[8][1]cpu");
  EXPECT_EQ(bench_.verdict(), "unlisted");
}

TEST_F(LegalityOrder, RefusesAnUnlistedRemoval) {
  bench_.load(twoInputs, overlap);
  bench_.graph().replaceAllUses(bench_["wait"], bench_["ar"]);
  bench_.graph().erase(bench_["wait"]);
  EXPECT_EQ(bench_.verdict(), "unlisted");
}

constexpr llvm::StringLiteral ordered = R"(
  a: "f32[8][1]cpu" = torch.ops.aten.neg.default(x)
  b: "f32[8][1]cpu" = torch.ops.aten.neg.default(y)  # after: a
  c: "f32[8][1]cpu" = torch.ops.aten.abs.default(y)
  return (a, b, c))";

TEST_F(LegalityOrder, AcceptsMovesThatKeepOrderingEdges) {
  bench_.load(twoInputs, ordered);
  bench_.move("c", "a");
  EXPECT_EQ(bench_.verdict(), "");
}

TEST_F(LegalityOrder, RefusesAnOrderingEdgeThatPointsBack) {
  bench_.load(twoInputs, ordered);
  bench_.move("b", "a");
  EXPECT_EQ(bench_.verdict(), "order");
}

TEST_F(LegalityOrder, RefusesALostOrderingEdge) {
  bench_.load(twoInputs, ordered);
  bench_.graph().removeOrdering(bench_["b"], bench_["a"]);
  EXPECT_EQ(bench_.verdict(), "ordering-edge");
}

TEST_F(LegalityOrder, RefusesANewOrderingEdge) {
  bench_.load(twoInputs, ordered);
  bench_.graph().addOrdering(bench_["c"], bench_["a"]);
  EXPECT_EQ(bench_.verdict(), "ordering-edge");
}

TEST_F(LegalityOrder, RefusesSwappedInputs) {
  bench_.load(twoInputs, overlap);
  bench_.move("y", "x");
  EXPECT_EQ(bench_.verdict(), "interface");
}

TEST_F(LegalityOrder, RefusesAnotherProvenance) {
  bench_.load(twoInputs, overlap);
  Graph &graph = bench_.graph();
  graph.setProvenance(bench_["mul"], graph.mergeProvenance({bench_["add"]}));
  EXPECT_EQ(bench_.verdict(), "node-changed");
}

TEST_F(LegalityOrder, RefusesOtherGroupsAndSubgraphs) {
  bench_.load(twoInputs, overlap);
  bench_.graph().groups().set({.name = "0", .ranks = {0, 1}});
  EXPECT_EQ(bench_.verdict(), "interface");
  bench_.load(twoInputs, overlap);
  bench_.graph().addSubgraph(bench_.graph().context().identifier("body"));
  EXPECT_EQ(bench_.verdict(), "interface");
}

TEST_F(LegalityOrder, RefusesNodesBehindTheOutput) {
  bench_.load(twoInputs, ordered);
  bench_.graph().moveAfter(bench_["output"], bench_["c"]->prev());
  EXPECT_EQ(bench_.verdict(), "interface order");
}

// --- Storages --------------------------------------------------------------------------------------------------------

constexpr llvm::StringLiteral mutation = R"(
  view: "f32[8][1]cpu" = torch.ops.aten.view.default(x, [8])
  read: "f32[8][1]cpu" = torch.ops.aten.neg.default(view)
  write: "f32[8][1]cpu" = torch.ops.aten.add_.Tensor(x, y)
  late: "f32[8][1]cpu" = torch.ops.aten.abs.default(view)
  other: "f32[8][1]cpu" = torch.ops.aten.abs.default(y)
  return (read, write, late, other))";

TEST_F(LegalityOrder, AcceptsReadsOfOtherStoragesAndViewsAcrossAWrite) {
  bench_.load(twoInputs, mutation);
  bench_.move("other", "view");
  EXPECT_EQ(bench_.verdict(), "");
}

TEST_F(LegalityOrder, RefusesAReadThatPassesAWrite) {
  bench_.load(twoInputs, mutation);
  bench_.move("read", "late");
  EXPECT_EQ(bench_.verdict(), "storage-order");
  bench_.load(twoInputs, mutation);
  bench_.move("late", "write");
  EXPECT_EQ(bench_.verdict(), "storage-order");
}

constexpr llvm::StringLiteral writes = R"(
  first: "f32[8][1]cpu" = torch.ops.aten.add_.Tensor(x, y)
  second: "f32[8][1]cpu" = torch.ops.aten.mul_.Tensor(x, y)
  third: "f32[8][1]cpu" = torch.ops.aten.neg_.default(y)
  return (y,))";

TEST_F(LegalityOrder, RefusesSwappedWrites) {
  bench_.load(twoInputs, writes);
  bench_.move("second", "first");
  EXPECT_EQ(bench_.verdict(), "storage-order");
}

// --- In flight -------------------------------------------------------------------------------------------------------

constexpr llvm::StringLiteral gathered = R"(
  ag: "f32[16][1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(x, 2, '0')
  look: "f32[16][1]cpu" = torch.ops.aten.view.default(ag, [16])
  wait: "f32[16][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(ag)
  write: "f32[8][1]cpu" = torch.ops.aten.add_.Tensor(x, y)
  read: "f32[16][1]cpu" = torch.ops.aten.neg.default(look)
  return (read, wait))";

TEST_F(LegalityOrder, AcceptsAViewOfWhatIsInFlight) {
  bench_.load(twoInputs, gathered);
  bench_.move("look", "write");
  EXPECT_EQ(bench_.verdict(), "");
}

TEST_F(LegalityOrder, RefusesAReadThroughAViewBeforeTheWait) {
  bench_.load(twoInputs, gathered);
  bench_.move("read", "wait");
  EXPECT_EQ(bench_.verdict(), "in-flight");
}

TEST_F(LegalityOrder, RefusesAWriteToWhatIsBeingSent) {
  bench_.load(twoInputs, gathered);
  bench_.move("write", "wait");
  EXPECT_EQ(bench_.verdict(), "in-flight");
}

TEST_F(LegalityOrder, AcceptsAWriteBehindALaunchThatCopies) {
  bench_.load(twoInputs, R"(
    ar: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
    wait: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(ar)
    write: "f32[8][1]cpu" = torch.ops.aten.add_.Tensor(x, y)
    return (wait,))");
  bench_.move("write", "wait");
  EXPECT_EQ(bench_.verdict(), "");
}

constexpr llvm::StringLiteral readInFlight = R"(
  ag: "f32[16][1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(x, 2, '0')
  early: "f32[16][1]cpu" = torch.ops.aten.neg.default(ag)
  wait: "f32[16][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(ag)
  other: "f32[8][1]cpu" = torch.ops.aten.neg.default(y)
  return (early, wait, other))";

TEST_F(LegalityOrder, AcceptsAReadInFlightThatWasThereBefore) {
  bench_.load(twoInputs, readInFlight);
  bench_.move("other", "early");
  EXPECT_EQ(bench_.verdict(), "");
}

TEST_F(LegalityOrder, AcceptsTheSecondOfTwoWaitsFirst) {
  bench_.load(twoInputs, R"(
    ag: "f32[16][1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(x, 2, '0')
    wait: "f32[16][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(ag)
    again: "f32[16][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(ag)
    read: "f32[16][1]cpu" = torch.ops.aten.neg.default(again)
    return (read, wait))");
  bench_.move("wait", "read");
  EXPECT_EQ(bench_.verdict(), "");
}

// --- Domains ---------------------------------------------------------------------------------------------------------

constexpr llvm::StringLiteral random = R"(
  r1: "f32[8][1]cpu" = torch.ops.aten.bernoulli.default(x)
  r2: "f32[8][1]cpu" = torch.ops.aten.bernoulli.default(y)
  neg: "f32[8][1]cpu" = torch.ops.aten.neg.default(x)
  opaque: "f32[8][1]cpu" = torch.ops.mylib.step.default(y)
  ar: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
  wait: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(ar)
  return (r1, r2, neg, wait))";

TEST_F(LegalityOrder, AcceptsPureStepsAcrossDomains) {
  bench_.load(twoInputs, random);
  bench_.move("neg", "r1");
  EXPECT_EQ(bench_.verdict(), "");
  bench_.load(twoInputs, random);
  bench_.move("neg", "ar");
  EXPECT_EQ(bench_.verdict(), "");
}

TEST_F(LegalityOrder, RefusesSwappedRandomSteps) {
  bench_.load(twoInputs, random);
  bench_.move("r2", "r1");
  EXPECT_EQ(bench_.verdict(), "domain");
}

TEST_F(LegalityOrder, RefusesWhatPassesAnOpaqueStep) {
  bench_.load(twoInputs, random);
  bench_.move("ar", "opaque");
  EXPECT_EQ(bench_.verdict(), "domain");
  bench_.load(twoInputs, random);
  bench_.move("r1", "ar");
  EXPECT_EQ(bench_.verdict(), "domain");
}

// --- Issue order -----------------------------------------------------------------------------------------------------

constexpr llvm::StringLiteral groups = R"(
  a: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
  b: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(y, 'sum', '0')
  c: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(y, 'sum', '1')
  wa: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(a)
  wb: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(b)
  wc: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(c)
  return (wa, wb, wc))";

TEST_F(LegalityOrder, AcceptsAnotherOrderAcrossGroups) {
  bench_.load(twoInputs, groups);
  bench_.move("c", "a");
  EXPECT_EQ(bench_.verdict(), "");
}

TEST_F(LegalityOrder, RefusesAnotherOrderAcrossGroupsWhereProgramsDiffer) {
  bench_.load(twoInputs, groups);
  bench_.move("c", "a");
  EXPECT_EQ(bench_.verdict({.spmd = false}), "mpmd");
}

TEST_F(LegalityOrder, RefusesSwappedCollectivesOfAGroup) {
  bench_.load(twoInputs, groups);
  bench_.move("b", "a");
  EXPECT_EQ(bench_.verdict(), "issue-order");
}

TEST_F(LegalityOrder, AcceptsAMovedEntryOfAPassThatDeclaresIt) {
  bench_.load(twoInputs, groups);
  bench_.move("b", "a");
  stateOrder(bench_["a"], bench_.certificate);
  EXPECT_EQ(bench_.verdict(), "");
}

TEST_F(LegalityOrder, RefusesAMovedEntryOfAPassThatDoesNot) {
  bench_.load(twoInputs, groups);
  bench_.move("b", "a");
  stateOrder(bench_["a"], bench_.certificate);
  bench_.certificate.reordersCollectives = false;
  EXPECT_EQ(bench_.verdict(), "issue-order moved");
}

TEST_F(LegalityOrder, RefusesAMovedEntryThatIsNotTheOrder) {
  bench_.load(twoInputs, groups);
  stateOrder(bench_["a"], bench_.certificate);
  bench_.move("b", "a");
  EXPECT_EQ(bench_.verdict(), "issue-order moved");
}

constexpr llvm::StringLiteral fenced = R"(
  a: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
  send: "f32[0][1]cpu" = torch.ops._c10d_functional.isend.default(y, 1, 0, '1')
  b: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(y, 'sum', '0')
  wa: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(a)
  ws: "f32[0][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(send)
  wb: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(b)
  return (wa, ws, wb))";

TEST_F(LegalityOrder, RefusesACollectiveThatPassesPointToPointOfAnUnknownGroup) {
  bench_.load(twoInputs, fenced);
  bench_.move("send", "a");
  EXPECT_EQ(bench_.verdict(), "fence");
}

TEST_F(LegalityOrder, AcceptsItWhereTheGroupsShareNoTwoRanks) {
  bench_.load(twoInputs, fenced);
  bench_.graph().groups().set({.name = "0", .partition = {{0, 1}, {2, 3}}});
  bench_.graph().groups().set({.name = "1", .partition = {{0, 2}, {1, 3}}});
  bench_.snapshot();
  bench_.move("send", "a");
  EXPECT_EQ(bench_.verdict(), "");
}

TEST_F(LegalityOrder, RefusesItWhereTheGroupsShareTwoRanks) {
  bench_.load(twoInputs, fenced);
  bench_.graph().groups().set({.name = "0", .ranks = {0, 1, 2, 3}});
  bench_.graph().groups().set({.name = "1", .partition = {{0, 2}, {1, 3}}});
  bench_.snapshot();
  bench_.move("send", "a");
  EXPECT_EQ(bench_.verdict(), "fence");
}

// --- Memory ----------------------------------------------------------------------------------------------------------

constexpr llvm::StringLiteral chain = R"(
  a: "f32[8][1]cpu" = torch.ops.aten.neg.default(x)
  b: "f32[][]cpu" = torch.ops.aten.sum.default(a)
  c: "f32[8][1]cpu" = torch.ops.aten.neg.default(y)
  d: "f32[][]cpu" = torch.ops.aten.sum.default(c)
  return (b, d))";

TEST_F(LegalityOrder, AcceptsMemoryWithinTheBudget) {
  bench_.load(twoInputs, chain);
  bench_.move("c", "b");
  EXPECT_EQ(bench_.verdict({.memoryBudget = 4 * 32 + 8}), "");
}

TEST_F(LegalityOrder, RefusesMemoryOverTheBudget) {
  bench_.load(twoInputs, chain);
  bench_.move("c", "b");
  EXPECT_EQ(bench_.verdict({.memoryBudget = 4 * 32 + 7}), "memory");
}

TEST_F(LegalityOrder, AcceptsMemoryOverTheBudgetThatWasNeededBefore) {
  bench_.load(twoInputs, chain);
  EXPECT_EQ(bench_.verdict({.memoryBudget = 1}), "");
}

TEST_F(LegalityOrder, CountsWhatIsInFlightUntilTheWait) {
  constexpr llvm::StringLiteral sent = R"(
    t: "f32[8][1]cpu" = torch.ops.aten.neg.default(x)
    ag: "f32[16][1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(t, 2, '0')
    wait: "f32[16][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(ag)
    big: "f32[8][1]cpu" = torch.ops.aten.neg.default(y)
    sum: "f32[][]cpu" = torch.ops.aten.sum.default(big)
    return (wait, sum))";
  bench_.load(twoInputs, sent);
  bench_.move("wait", "output");
  EXPECT_EQ(bench_.verdict({.memoryBudget = 2 * 32 + 64 + 4 + 32 + 32}), "");
  EXPECT_EQ(bench_.verdict({.memoryBudget = 2 * 32 + 64 + 4 + 32 + 31}), "memory");
}

// --- Diagnostics -----------------------------------------------------------------------------------------------------

TEST_F(LegalityOrder, NamesPlaceGotExpectedAndPass) {
  bench_.load(twoInputs, groups);
  bench_.certificate.pass = "my-pass";
  bench_.move("b", "a");
  std::string text = bench_.text();
  EXPECT_NE(text.find("is issued as number 0 of group '0', expected 'a' there [legality.issue-order]"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("note: pass 'my-pass' may not do this"), std::string::npos) << text;
}

} // namespace
} // namespace ccgraph::test
