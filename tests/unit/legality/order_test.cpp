// Tests the legality of moves: which node may pass which other node, with an empty certificate. Each rule has accepted
// and refused cases.
#include "support/buckets.h"
#include "support/rewrites.h"

#include <gtest/gtest.h>

#include <functional>

namespace ccgraph::test {
namespace {

using Bench = RewriteBench;

/// One edit of a program, and the rules that refuse it: "" is acceptance.
struct OrderCase {
  const char *name;
  llvm::StringLiteral program;
  std::function<void(Bench &)> edit;
  const char *verdict;
  LegalityOptions options = {};
};

// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest's name
void PrintTo(const OrderCase &order, std::ostream *os) { *os << order.name; }

class LegalityOrder : public testing::TestWithParam<OrderCase> {};

std::string nameOf(const testing::TestParamInfo<OrderCase> &info) { return info.param.name; }

constexpr llvm::StringLiteral twoInputs = R"(x: "f32[8][1]cpu", y: "f32[8][1]cpu")";

std::function<void(Bench &)> move(const char *node, const char *before) {
  return [=](Bench &bench) { bench.move(node, before); };
}

void nothing(Bench &) {}

/// Sets the ranks of the groups of `fenced`, and moves the send before the collective.
std::function<void(Bench &)> moveSendWith(const Group &collective, const Group &transfer) {
  return [=](Bench &bench) {
    bench.graph().groups().set(collective);
    bench.graph().groups().set(transfer);
    bench.snapshot();
    bench.move("send", "a");
  };
}

TEST_P(LegalityOrder, IsJudged) {
  Bench bench;
  bench.load(twoInputs, GetParam().program);
  GetParam().edit(bench);
  EXPECT_EQ(bench.verdict(GetParam().options), GetParam().verdict);
}

/// c10d's own operators return their buffers in a list with a Work.
constexpr llvm::StringLiteral yieldedInAList = R"(
  a: "f32[8][1]cpu" = torch.ops.aten.relu.default(x)
  b: "f32[8][1]cpu" = torch.ops.aten.relu.default(y)
  g = self.g
  op = self.op
  p = torch.ops.c10d.allreduce_.default([a, b], g, op, None)
  l = p[0]
  r: "f32[8][1]cpu" = l[1]
  read: "f32[8][1]cpu" = torch.ops.aten.neg.default(r)
  write: "f32[8][1]cpu" = torch.ops.aten.add_.Tensor(b, x)
  return (read, write))";

TEST(LegalityOfLists, KnowsWhatTheElementOfAnElementShares) {
  Bench bench;
  bench.load(twoInputs, yieldedInAList);
  EXPECT_EQ(bench.verdict(), "");
  bench.move("write", "read");
  EXPECT_EQ(bench.verdict(), "storage-order");
}

// --- Nodes and edges -------------------------------------------------------------------------------------------------

constexpr llvm::StringLiteral overlap = R"(
  ar: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
  wait: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(ar)
  mul: "f32[8][1]cpu" = torch.ops.aten.mul.Tensor(y, y)
  add: "f32[8][1]cpu" = torch.ops.aten.add.Tensor(wait, mul)
  return (add,))";

constexpr llvm::StringLiteral ordered = R"(
  a: "f32[8][1]cpu" = torch.ops.aten.neg.default(x)
  b: "f32[8][1]cpu" = torch.ops.aten.neg.default(y)  # after: a
  c: "f32[8][1]cpu" = torch.ops.aten.abs.default(y)
  return (a, b, c))";

INSTANTIATE_TEST_SUITE_P(
    NodesAndEdges, LegalityOrder,
    testing::Values(
        OrderCase{"AcceptsNoChange", overlap, nothing, ""},
        OrderCase{"AcceptsAWaitThatSinksToItsUse", overlap, move("wait", "add"), ""},
        OrderCase{"RefusesAWaitAfterItsUse", overlap, move("wait", "output"), "order"},
        OrderCase{"RefusesAnotherOperand", overlap,
                  [](Bench &bench) { bench.graph().setOperand(bench["add"], 1, bench["y"]); }, "operand"},
        OrderCase{"RefusesAnotherTarget", overlap,
                  [](Bench &bench) {
                    bench.graph().setTarget(bench["mul"], bench.graph().context().identifier("aten.add.Tensor"));
                  },
                  "node-changed"},
        OrderCase{"RefusesAnotherName", overlap, [](Bench &bench) { bench.graph().rename(bench["mul"], "other"); },
                  "node-changed"},
        OrderCase{"RefusesAnotherType", overlap, [](Bench &bench) { bench.graph().setType(bench["mul"], nullptr); },
                  "node-changed"},
        OrderCase{"RefusesAnotherArgument", overlap,
                  [](Bench &bench) {
                    setCall(bench["ar"], {bench["x"], "max", "0"});
                  },
                  "node-changed"},
        OrderCase{"AcceptsTheSameArgumentsBuiltAgain", overlap,
                  [](Bench &bench) {
                    setCall(bench["ar"], {bench["x"], "sum", "0"});
                  },
                  ""},
        OrderCase{
            "RefusesAnUnlistedNewNode", overlap,
            [](Bench &bench) { makeCall(bench["add"], "extra", "aten.neg.default", {bench["y"]}, "f32[8][1]cpu"); },
            "unlisted"},
        OrderCase{"RefusesAnUnlistedRemoval", overlap,
                  [](Bench &bench) {
                    bench.graph().replaceAllUses(bench["wait"], bench["ar"]);
                    bench.graph().erase(bench["wait"]);
                  },
                  "unlisted"},
        OrderCase{"AcceptsMovesThatKeepOrderingEdges", ordered, move("c", "a"), ""},
        OrderCase{"RefusesAnOrderingEdgeThatPointsBack", ordered, move("b", "a"), "order"},
        OrderCase{"RefusesALostOrderingEdge", ordered,
                  [](Bench &bench) { bench.graph().removeOrdering(bench["b"], bench["a"]); }, "ordering-edge"},
        OrderCase{"RefusesANewOrderingEdge", ordered,
                  [](Bench &bench) { bench.graph().addOrdering(bench["c"], bench["a"]); }, "ordering-edge"},
        OrderCase{"RefusesSwappedInputs", overlap, move("y", "x"), "interface"},
        OrderCase{"RefusesAnotherProvenance", overlap,
                  [](Bench &bench) {
                    Graph &graph = bench.graph();
                    graph.setProvenance(bench["mul"], graph.mergeProvenance({bench["add"]}));
                  },
                  "node-changed"},
        OrderCase{"RefusesOtherGroups", overlap,
                  [](Bench &bench) {
                    bench.graph().groups().set({.name = "0", .ranks = {0, 1}});
                  },
                  "interface"},
        OrderCase{"RefusesOtherSubgraphs", overlap,
                  [](Bench &bench) { bench.graph().addSubgraph(bench.graph().context().identifier("body")); },
                  "interface"},
        OrderCase{"RefusesNodesAfterTheOutput", ordered,
                  [](Bench &bench) { bench.graph().moveAfter(bench["output"], bench["c"]->prev()); },
                  "interface order"}),
    nameOf);

// --- Storages --------------------------------------------------------------------------------------------------------

constexpr llvm::StringLiteral mutation = R"(
  view: "f32[8][1]cpu" = torch.ops.aten.view.default(x, [8])
  read: "f32[8][1]cpu" = torch.ops.aten.neg.default(view)
  write: "f32[8][1]cpu" = torch.ops.aten.add_.Tensor(x, y)
  late: "f32[8][1]cpu" = torch.ops.aten.abs.default(view)
  other: "f32[8][1]cpu" = torch.ops.aten.abs.default(y)
  return (read, write, late, other))";

constexpr llvm::StringLiteral writes = R"(
  first: "f32[8][1]cpu" = torch.ops.aten.add_.Tensor(x, y)
  second: "f32[8][1]cpu" = torch.ops.aten.mul_.Tensor(x, y)
  third: "f32[8][1]cpu" = torch.ops.aten.neg_.default(y)
  return (y,))";

constexpr llvm::StringLiteral reshaped = R"(
  model: "f32[1, 8][8, 1]cpu" = torch.ops.aten.unsqueeze.default(y, 0)
  view: "f32[8][1]cpu" = torch.ops.aten.select.int(model, 0, 0)
  turned: "f32[8, 1][1, 8]cpu" = torch.ops.aten.t_.default(model)
  look: "f32[1][8]cpu" = torch.ops.aten.select.int(model, 0, 1)
  like: "f32[8][1]cpu" = torch.ops.aten.full_like.default(view, 2.0)
  size = torch.ops.aten.sym_size.int(model, 0)
  wide: "f32[8, 8][0, 1]cpu" = torch.ops.aten.expand_as.default(x, model)
  other: "f32[8][1]cpu" = torch.ops.aten.view.default(x, [8])
  return (look, like, size, wide, other))";

constexpr llvm::StringLiteral exchanged = R"(
  set: "f32[8][1]cpu" = torch.ops.aten.set_.source_Tensor(x, y)
  write: "f32[8][1]cpu" = torch.ops.aten.mul_.Tensor(y, 2)
  read: "f32[8][1]cpu" = torch.ops.aten.neg.default(x)
  return (read,))";

INSTANTIATE_TEST_SUITE_P(
    Storages, LegalityOrder,
    testing::Values(
        OrderCase{"AcceptsReadsOfOtherStoragesAndViewsAcrossAWrite", mutation, move("other", "view"), ""},
        OrderCase{"RefusesAReadThatSinksAfterAWrite", mutation, move("read", "late"), "storage-order"},
        OrderCase{"RefusesAReadThatRisesBeforeAWrite", mutation, move("late", "write"), "storage-order"},
        OrderCase{"AcceptsAViewOfAnotherTensorAcrossAReshape", reshaped, move("other", "turned"), ""},
        OrderCase{"RefusesAViewThatRisesBeforeAReshape", reshaped, move("look", "turned"), "storage-order"},
        OrderCase{"RefusesAViewThatSinksAfterAReshape", reshaped, move("view", "look"), "storage-order"},
        OrderCase{"RefusesASizeBeforeAReshape", reshaped, move("size", "turned"), "storage-order"},
        OrderCase{"RefusesAModelOfSizesBeforeItsReshape", reshaped, move("wide", "turned"), "storage-order"},
        OrderCase{"RefusesAReadOfAStorageThatWasGivenAway", exchanged, move("read", "write"), "storage-order"},
        OrderCase{"RefusesSwappedWrites", writes, move("second", "first"), "storage-order"}),
    nameOf);

// --- In flight -------------------------------------------------------------------------------------------------------

constexpr llvm::StringLiteral gathered = R"(
  ag: "f32[16][1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(x, 2, '0')
  look: "f32[16][1]cpu" = torch.ops.aten.view.default(ag, [16])
  wait: "f32[16][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(ag)
  write: "f32[8][1]cpu" = torch.ops.aten.add_.Tensor(x, y)
  read: "f32[16][1]cpu" = torch.ops.aten.neg.default(look)
  return (read, wait))";

constexpr llvm::StringLiteral copiedAtLaunch = R"(
  ar: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
  wait: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(ar)
  write: "f32[8][1]cpu" = torch.ops.aten.add_.Tensor(x, y)
  return (wait,))";

constexpr llvm::StringLiteral readInFlight = R"(
  ag: "f32[16][1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(x, 2, '0')
  early: "f32[16][1]cpu" = torch.ops.aten.neg.default(ag)
  wait: "f32[16][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(ag)
  other: "f32[8][1]cpu" = torch.ops.aten.neg.default(y)
  return (early, wait, other))";

constexpr llvm::StringLiteral twoWaits = R"(
  ag: "f32[16][1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(x, 2, '0')
  wait: "f32[16][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(ag)
  again: "f32[16][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(ag)
  read: "f32[16][1]cpu" = torch.ops.aten.neg.default(again)
  return (read, wait))";

constexpr llvm::StringLiteral inPlaceUnread = R"(
  ar: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce_.default(x, 'sum', '0')
  w: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(x)
  return (y,))";

/// A wait on one result of such a list may copy the other result again, which is written here and not written above.
constexpr llvm::StringLiteral copiedAgain = R"(
  rs = torch.ops._c10d_functional.reduce_scatter_tensor_coalesced.default([x, y], 'sum', 2, '0')
  r0: "f32[4][1]cpu" = rs[0]
  r1: "f32[4][1]cpu" = rs[1]
  w0: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(r0)
  mul: "f32[4][1]cpu" = torch.ops.aten.mul_.Tensor(w0, 2)
  ag: "f32[8][1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(w0, 2, '0')
  wag: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(ag)
  w1: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(r1)
  neg: "f32[4][1]cpu" = torch.ops.aten.neg.default(w0)
  return (wag, w1, neg))";

constexpr llvm::StringLiteral copiedToNoEffect = R"(
  rs = torch.ops._c10d_functional.reduce_scatter_tensor_coalesced.default([x, y], 'sum', 2, '0')
  r0: "f32[4][1]cpu" = rs[0]
  r1: "f32[4][1]cpu" = rs[1]
  w0: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(r0)
  ag: "f32[8][1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(w0, 2, '0')
  wag: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(ag)
  w1: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(r1)
  neg: "f32[4][1]cpu" = torch.ops.aten.neg.default(w0)
  return (wag, w1, neg))";

INSTANTIATE_TEST_SUITE_P(
    InFlight, LegalityOrder,
    testing::Values(
        OrderCase{"AcceptsAViewOfWhatIsInFlight", gathered, move("look", "write"), ""},
        OrderCase{"RefusesAReadThroughAViewBeforeTheWait", gathered, move("read", "wait"), "in-flight"},
        OrderCase{"RefusesAWriteToWhatIsBeingSent", gathered, move("write", "wait"), "in-flight"},
        OrderCase{"AcceptsAWriteAfterALaunchThatCopies", copiedAtLaunch, move("write", "wait"), ""},
        OrderCase{"AcceptsAReadInFlightThatWasThereBefore", readInFlight, move("other", "early"), ""},
        OrderCase{"AcceptsTheSecondOfTwoWaitsFirst", twoWaits, move("wait", "read"), ""},
        OrderCase{"RefusesAWaitThatSinksPastOneThatCopiesAgain", copiedAgain, move("wag", "neg"), "in-flight"},
        OrderCase{"RefusesAReadBeforeAWaitThatCopiesAgain", copiedAgain, move("neg", "w1"), "storage-order"},
        OrderCase{"RefusesAWaitThatCopiesAgainBeforeAWrite", copiedAgain, move("w1", "mul"), "storage-order"},
        OrderCase{"AcceptsWhatCopiesTheSameAgain", copiedToNoEffect, move("wag", "neg"), ""},
        OrderCase{"AcceptsAReadOfWhatIsCopiedToNoEffect", copiedToNoEffect, move("neg", "w1"), ""},
        OrderCase{"RefusesAWaitAboveTheLaunchThatItIsFor", inPlaceUnread, move("w", "ar"), "wait-lost"}),
    nameOf);

// --- Domains ---------------------------------------------------------------------------------------------------------

constexpr llvm::StringLiteral random = R"(
  r1: "f32[8][1]cpu" = torch.ops.aten.bernoulli.default(x)
  r2: "f32[8][1]cpu" = torch.ops.aten.bernoulli.default(y)
  neg: "f32[8][1]cpu" = torch.ops.aten.neg.default(x)
  opaque: "f32[8][1]cpu" = torch.ops.mylib.step.default(y)
  ar: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
  wait: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(ar)
  return (r1, r2, neg, wait))";

constexpr llvm::StringLiteral waitsAroundAnOpaqueStep = R"(
  a: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
  b: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(y, 'sum', '0')
  wa: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(a)
  opaque: "f32[8][1]cpu" = torch.ops.mylib.step.default(y)
  wb: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(b)
  neg: "f32[8][1]cpu" = torch.ops.aten.neg.default(x)
  return (opaque, neg, wa, wb))";

INSTANTIATE_TEST_SUITE_P(
    Domains, LegalityOrder,
    testing::Values(
        OrderCase{"AcceptsAPureStepBeforeRandomOnes", random, move("neg", "r1"), ""},
        OrderCase{"AcceptsAPureStepAfterAnOpaqueOne", random, move("neg", "ar"), ""},
        OrderCase{"RefusesSwappedRandomSteps", random, move("r2", "r1"), "domain"},
        OrderCase{"RefusesALaunchThatPassesAnOpaqueStep", random, move("ar", "opaque"), "domain"},
        OrderCase{"RefusesARandomStepThatPassesAnOpaqueStep", random, move("r1", "ar"), "domain"},
        OrderCase{"RefusesAWaitThatSinksPastAnOpaqueStep", waitsAroundAnOpaqueStep, move("wa", "neg"), "domain"},
        OrderCase{"AcceptsAWaitThatStandsBeforeAnOpaqueStep", waitsAroundAnOpaqueStep, move("wb", "wa"), ""}),
    nameOf);

// --- Issue order -----------------------------------------------------------------------------------------------------

constexpr llvm::StringLiteral groups = R"(
  a: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
  b: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(y, 'sum', '0')
  c: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(y, 'sum', '1')
  wa: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(a)
  wb: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(b)
  wc: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(c)
  return (wa, wb, wc))";

constexpr llvm::StringLiteral fenced = R"(
  a: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
  send: "f32[0][1]cpu" = torch.ops._c10d_functional.isend.default(y, 1, 0, '1')
  b: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(y, 'sum', '0')
  wa: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(a)
  ws: "f32[0][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(send)
  wb: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(b)
  return (wa, ws, wb))";

INSTANTIATE_TEST_SUITE_P(
    IssueOrder, LegalityOrder,
    testing::Values(
        OrderCase{"AcceptsAnotherOrderAcrossGroups", groups, move("c", "a"), ""},
        OrderCase{
            "RefusesAnotherOrderAcrossGroupsWhereProgramsDiffer", groups, move("c", "a"), "mpmd", {.spmd = false}},
        OrderCase{"RefusesSwappedCollectivesOfAGroup", groups, move("b", "a"), "issue-order"},
        OrderCase{"AcceptsAMovedEntryOfAPassThatDeclaresIt", groups,
                  [](Bench &bench) {
                    bench.move("b", "a");
                    stateOrder(bench["a"], bench.certificate);
                  },
                  ""},
        OrderCase{"RefusesAMovedEntryOfAPassThatDoesNot", groups,
                  [](Bench &bench) {
                    bench.move("b", "a");
                    stateOrder(bench["a"], bench.certificate);
                    bench.reordersCollectives = false;
                  },
                  "issue-order moved"},
        OrderCase{"RefusesAMovedEntryThatIsNotTheOrder", groups,
                  [](Bench &bench) {
                    stateOrder(bench["a"], bench.certificate);
                    bench.move("b", "a");
                  },
                  "issue-order moved"},
        OrderCase{"RefusesASendThatPassesAnUnknownGroup", fenced, move("send", "a"), "fence"},
        OrderCase{
            "AcceptsASendThatPassesAGroupOfNoTwoSharedRanks", fenced,
            moveSendWith({.name = "0", .partition = {{0, 1}, {2, 3}}}, {.name = "1", .partition = {{0, 2}, {1, 3}}}),
            ""},
        OrderCase{"RefusesASendThatPassesAGroupOfTwoSharedRanks", fenced,
                  moveSendWith({.name = "0", .ranks = {0, 1, 2, 3}}, {.name = "1", .partition = {{0, 2}, {1, 3}}}),
                  "fence"}),
    nameOf);

TEST(LegalityTransfers, KeepTheirOrderThoughAnEntryStatesAnother) {
  Bench bench;
  bench.load(twoInputs, R"(
    s: "f32[0][1]cpu" = torch.ops._c10d_functional.isend.default(x, 1, 0, '0')
    t: "f32[0][1]cpu" = torch.ops._c10d_functional.isend.default(y, 1, 0, '0')
    ws: "f32[0][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(s)
    wt: "f32[0][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(t)
    return (ws, wt))");
  bench.move("t", "s");
  bench.certificate.moved.push_back({"0", {bench["t"], bench["s"]}});
  EXPECT_EQ(bench.verdict(), "fence");
}

// --- Waits between ranks ---------------------------------------------------------------------------------------------

constexpr llvm::StringLiteral exchangedWithNeighbours = R"(
  recv: "f32[8][1]cpu" = torch.ops._c10d_functional.irecv.default(x, 1, 0, '0')
  ar: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(y, 'sum', '1')
  neg: "f32[8][1]cpu" = torch.ops.aten.neg.default(y)
  send: "f32[0][1]cpu" = torch.ops._c10d_functional.isend.default(neg, 1, 0, '0')
  wr: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(recv)
  ws: "f32[0][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(send)
  war: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(ar)
  return (wr, ws, war))";

INSTANTIATE_TEST_SUITE_P(
    Blocking, LegalityOrder,
    testing::Values(
        OrderCase{"RefusesToWaitForAReceiveBeforeTheSend", exchangedWithNeighbours, move("wr", "send"), "blocked"},
        OrderCase{"RefusesASendAfterTheWaitForAReceive", exchangedWithNeighbours, move("send", "ws"), "blocked"},
        OrderCase{"AcceptsWaitsForTransfersThatAreOnTheirWay", exchangedWithNeighbours, move("ws", "wr"), ""},
        OrderCase{"AcceptsASendThatIsEarlier", exchangedWithNeighbours, move("neg", "ar"), ""},
        OrderCase{"AcceptsToWaitForACollectiveBeforeATransfer", exchangedWithNeighbours, move("war", "send"), ""},
        OrderCase{
            "RefusesThatWhereProgramsDiffer", exchangedWithNeighbours, move("war", "send"), "blocked", {.spmd = false}},
        OrderCase{"RefusesToWaitForACollectiveBeforeTheNextWhereProgramsDiffer",
                  groups,
                  move("wa", "c"),
                  "blocked",
                  {.spmd = false}},
        OrderCase{"AcceptsItWhereAllRanksDo", groups, move("wa", "c"), ""}),
    nameOf);

// --- Memory ----------------------------------------------------------------------------------------------------------

constexpr llvm::StringLiteral chain = R"(
  a: "f32[8][1]cpu" = torch.ops.aten.neg.default(x)
  b: "f32[][]cpu" = torch.ops.aten.sum.default(a)
  c: "f32[8][1]cpu" = torch.ops.aten.neg.default(y)
  d: "f32[][]cpu" = torch.ops.aten.sum.default(c)
  return (b, d))";

constexpr llvm::StringLiteral sent = R"(
  t: "f32[8][1]cpu" = torch.ops.aten.neg.default(x)
  ag: "f32[16][1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(t, 2, '0')
  wait: "f32[16][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(ag)
  big: "f32[8][1]cpu" = torch.ops.aten.neg.default(y)
  sum: "f32[][]cpu" = torch.ops.aten.sum.default(big)
  return (wait, sum))";

INSTANTIATE_TEST_SUITE_P(
    Memory, LegalityOrder,
    testing::Values(OrderCase{"AcceptsMemoryWithinTheBudget", chain, move("c", "b"), "", {.memoryBudget = 4 * 32 + 4}},
                    OrderCase{
                        "RefusesMemoryOverTheBudget", chain, move("c", "b"), "memory", {.memoryBudget = 4 * 32 + 3}},
                    OrderCase{"AcceptsMemoryOverTheBudgetThatWasNeededBefore", chain, nothing, "", {.memoryBudget = 1}},
                    OrderCase{"AcceptsWhatIsInFlightUntilTheWaitWithinTheBudget",
                              sent,
                              move("wait", "output"),
                              "",
                              {.memoryBudget = 2 * 32 + 64 + 4 + 32 + 32}},
                    OrderCase{"RefusesWhatIsInFlightUntilTheWaitOverTheBudget",
                              sent,
                              move("wait", "output"),
                              "memory",
                              {.memoryBudget = 2 * 32 + 64 + 4 + 32 + 31}}),
    nameOf);

// --- Diagnostics -----------------------------------------------------------------------------------------------------

TEST(LegalityOrderText, NamesPlaceGotExpectedAndPass) {
  Bench bench;
  bench.load(twoInputs, groups);
  bench.certificate.pass = "my-pass";
  bench.move("b", "a");
  std::string text = bench.text();
  EXPECT_NE(text.find("is issued as number 0 of group '0', expected 'a' there [legality.issue-order]"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("note: pass 'my-pass' may not do this"), std::string::npos) << text;
}

} // namespace
} // namespace ccgraph::test
