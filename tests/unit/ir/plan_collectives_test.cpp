// Tests the plan verifier's rules about collectives, and the agreement of ranks.
#include "ccgraph/ir/plan_fingerprint.h"
#include "ccgraph/ir/plan_verifier.h"
#include "support/plan_draft.h"

#include <gtest/gtest.h>

namespace ccgraph {
namespace {

using test::PlanDraft;
using Kind = CollectiveKind;

std::string found(const PlanDraft &draft) { return toString(verifyPlan(draft.plan)); }

/// One call on three ranks, from an input of some elements.
struct Call : PlanDraft {
  Call(Kind kind, int64_t sent, int64_t received) {
    uint32_t tp = group("tp", {0, 1, 2});
    comm = isPointToPoint(kind) ? transfers(tp) : collectives(tp);
    a = input("a", sent);
    c = communication("c", received, 0);
    start(comm, {call(kind, comm, kind == Kind::Recv ? std::nullopt : std::optional(a),
                      kind == Kind::Send ? std::nullopt : std::optional(c))});
  }
  PlanCollective &only() { return callOf(0); }
  StreamId comm;
  PlanWindow a, c;
};

bool names(const PlanDraft &draft, llvm::StringRef text) { return found(draft).find(text.str()) != std::string::npos; }

TEST(PlanCollectives, CountsFitTheGroup) {
  EXPECT_EQ(found(Call(Kind::AllReduce, 6, 6)), "");
  EXPECT_EQ(found(Call(Kind::AllReduce, 6, 5)),
            "error: step 0 all_reduce: all_reduce sends 6 elements and receives 5; expected 5, as many [plan.counts]\n"
            "  note: give the windows sizes that fit the group\n");
  EXPECT_EQ(found(Call(Kind::AllGather, 2, 6)), "");
  EXPECT_TRUE(names(Call(Kind::AllGather, 2, 7),
                    "all_gather receives 7 elements and sends 2; expected 6, 3 times as many [plan.counts]"));
  EXPECT_EQ(found(Call(Kind::ReduceScatter, 6, 2)), "");
  EXPECT_TRUE(names(Call(Kind::ReduceScatter, 7, 2),
                    "reduce_scatter sends 7 elements and receives 2; expected 6, 3 times as many [plan.counts]"));
  EXPECT_EQ(found(Call(Kind::Broadcast, 4, 4)), "");
  EXPECT_TRUE(names(Call(Kind::Broadcast, 4, 3), "[plan.counts]"));
  EXPECT_EQ(found(Call(Kind::Scatter, 6, 2)), "");
  EXPECT_TRUE(names(Call(Kind::Scatter, 6, 3), "[plan.counts]"));
  EXPECT_EQ(found(Call(Kind::Send, 6, 0)), "");
  EXPECT_EQ(found(Call(Kind::Recv, 6, 6)), "");
}

TEST(PlanCollectives, AGroupOfUnknownMembersFitsEverything) {
  Call p(Kind::AllGather, 2, 7);
  p.plan.groups[0].ranks.clear();
  EXPECT_EQ(found(p), "");
  p.plan.groups[0].partition = {{0, 1}, {2, 3, 4}};
  EXPECT_EQ(found(p), "");
  p.plan.rank = 1;
  EXPECT_TRUE(names(p, "expected 4, 2 times as many"));
}

TEST(PlanCollectives, PartsOfAnAllToAllAddUp) {
  Call p(Kind::AllToAll, 6, 5);
  p.only().sendCounts = {1, 2, 3};
  p.only().receiveCounts = {0, 5, 0};
  EXPECT_EQ(found(p), "");
  p.only().sendCounts = {1, 2, 4};
  p.only().receiveCounts = {5, 0};
  EXPECT_EQ(found(p),
            "error: step 0 all_to_all: all_to_all sends parts of 7 elements together; expected 6, which is what "
            "its window has [plan.counts]\n"
            "  note: make the parts add up to the window\n"
            "error: step 0 all_to_all: all_to_all receives 2 parts; expected 3, one for each member [plan.counts]\n"
            "  note: state each part, empty ones too\n");
  p.only().sendCounts = {7, -1, 0};
  p.only().receiveCounts = {5, 0, 0};
  EXPECT_TRUE(names(p, "all_to_all sends a part of -1 elements; expected 0 or more"));
}

TEST(PlanCollectives, RootsAndPeersAreMembers) {
  Call p(Kind::Broadcast, 4, 4);
  p.only().root = 2;
  EXPECT_EQ(found(p), "");
  p.only().root = 3;
  EXPECT_EQ(found(p), "error: step 0 broadcast: broadcast has rank 3 as its root; expected 0 to 2 [plan.members]\n"
                      "  note: roots and peers are counted within the group, not globally\n");
  Call q(Kind::Send, 4, 0);
  q.only().peer = -1;
  EXPECT_TRUE(names(q, "send has rank -1 as its peer; expected 0 to 2"));
}

/// Returns the verifier's findings for a call with a number that belongs to another kind.
std::string foundWith(Kind kind, llvm::function_ref<void(PlanCollective &)> change) {
  Call p(kind, 6, kind == Kind::ReduceScatter ? 2 : 6);
  change(p.only());
  return found(p);
}

TEST(PlanCollectives, NumbersOfOtherKindsAreRefused) {
  EXPECT_EQ(foundWith(Kind::AllReduce,
                      [](PlanCollective &call) {
                        call.sendCounts = {2, 2, 2};
                      }),
            "error: step 0 all_reduce: all_reduce has a send_counts of 3 parts; expected none [plan.attributes]\n"
            "  note: drop it: only all_to_all has them\n");
  EXPECT_EQ(foundWith(Kind::Send, [](PlanCollective &call) { call.receiveCounts = {1}; }),
            "error: step 0 send: send has a receive_counts of 1 parts; expected none [plan.attributes]\n"
            "  note: drop it: only all_to_all has them\n");
  EXPECT_EQ(foundWith(Kind::ReduceScatter, [](PlanCollective &call) { call.root = 0; }),
            "error: step 0 reduce_scatter: reduce_scatter has a root 0; expected none [plan.attributes]\n"
            "  note: drop it: only broadcast and scatter have one\n");
  EXPECT_EQ(foundWith(Kind::Broadcast, [](PlanCollective &call) { call.peer = 1; }),
            "error: step 0 broadcast: broadcast has a peer 1; expected none [plan.attributes]\n"
            "  note: drop it: only send and recv have one\n");
  EXPECT_EQ(foundWith(Kind::AllReduce, [](PlanCollective &call) { call.tag = 7; }),
            "error: step 0 all_reduce: all_reduce has a tag 7; expected none [plan.attributes]\n"
            "  note: drop it: only send and recv have one\n");
}

TEST(PlanCollectives, ReductionsAreStatedWhereTheyBelong) {
  Call p(Kind::AllReduce, 4, 4);
  p.only().reduceOp.reset();
  EXPECT_TRUE(names(p, "all_reduce has no reduction; expected one [plan.rows]"));
  Call q(Kind::AllGather, 2, 6);
  q.only().reduceOp = ReduceOp::Sum;
  EXPECT_TRUE(names(q, "all_gather has a reduction; expected none [plan.rows]"));
}

TEST(PlanCollectives, ReductionsAreDefinedOnTheDType) {
  Call p(Kind::AllReduce, 4, 4);
  p.only().reduceOp = ReduceOp::Band;
  EXPECT_TRUE(names(p, "reduces f32 by band; expected a reduction that is defined on this dtype [plan.dtype]"));
  p.only().rows[0] = {p.window(p.a.buffer, 4, 0, DType::I32), p.window(p.c.buffer, 4, 0, DType::I32)};
  EXPECT_EQ(found(p), "");
  p.only().rows[0].receive = p.window(p.c.buffer, 4, 0, DType::U32);
  EXPECT_TRUE(names(p, "all_reduce sends i32 and receives u32; expected one dtype [plan.dtype]")) << found(p);
}

TEST(PlanCollectives, RowsAreContiguous) {
  Call p(Kind::AllReduce, 4, 4);
  Dim sizes[] = {2, 2}, columns[] = {1, 2}, rows[] = {2, 1};
  Device cpu{p.context.identifier("cpu")};
  p.only().rows[0].send->type = p.context.tensor(DType::F32, {sizes, rows}, cpu);
  EXPECT_EQ(found(p), "");
  p.only().rows[0].send->type = p.context.tensor(DType::F32, {sizes, columns}, cpu);
  EXPECT_EQ(found(p),
            "error: step 0 all_reduce: all_reduce sends or receives f32[2, 2][1, 2]cpu of 'a' (buffer 0); expected "
            "elements without gaps, in row-major order [plan.contiguous]\n"
            "  note: copy it into a contiguous buffer first, or out of one\n");
}

TEST(PlanCollectives, RowsHaveTheWindowsOfTheirKind) {
  Call p(Kind::AllReduce, 4, 4);
  p.only().rows[0].receive.reset();
  EXPECT_EQ(found(p),
            "error: step 0 all_reduce: all_reduce has a row that sends and receives nothing; expected one that "
            "sends and receives [plan.rows]\n"
            "  note: give each row the windows that its collective takes\n");
  p.only().rows.clear();
  EXPECT_TRUE(names(p, "all_reduce has no row; expected one for each tensor"));
  Call q(Kind::Send, 4, 4);
  q.only().rows[0].receive = q.c;
  EXPECT_TRUE(names(q, "send has a row that sends and receives; expected one that sends and receives nothing"));
  Call barrier(Kind::AllReduce, 4, 4);
  barrier.only().kind = Kind::Barrier;
  barrier.only().reduceOp.reset();
  EXPECT_TRUE(names(barrier, "is a barrier of 1 rows; expected none"));
  Call batch(Kind::Send, 4, 0);
  batch.only().kind = Kind::BatchP2P;
  EXPECT_TRUE(names(batch, "is a batch_p2p; expected its sends and receives, each a call of the step"));
}

TEST(PlanCollectives, WhatIsCommunicatedLiesOutsideTheArenaOfComputation) {
  Call p(Kind::AllReduce, 4, 4);
  p.plan.buffers[p.c.buffer].home = Home::Compute;
  p.plan.layout.computeBytes = 16;
  EXPECT_EQ(found(p),
            "error: step 0 all_reduce: all_reduce sends from or receives into 'c' (buffer 1) of home compute; "
            "expected communication, growing, or memory of the caller's [plan.home]\n"
            "  note: give the buffer the home communication\n");
  p.plan.layout.communicationBytes = 0;
  EXPECT_EQ(found(p), "");
}

/// A call whose two windows are in one buffer of the caller.
std::string inPlace(Kind kind, PlanWindow (*send)(Call &), PlanWindow (*receive)(Call &)) {
  Call p(kind, 12, 12);
  p.plan.inputs[0].after = PlanValue::tensor(p.a);
  p.only().rows[0] = {send(p), receive(p)};
  std::string text = found(p);
  size_t at = text.find("[plan.");
  return at == std::string::npos ? "" : text.substr(at + 1, text.find(']', at) - at - 1);
}

TEST(PlanCollectives, InPlaceIsAllOrNothing) {
  auto first = [](Call &p) { return p.window(p.a.buffer, 4); };
  auto shifted = [](Call &p) { return p.window(p.a.buffer, 4, 3); };
  auto next = [](Call &p) { return p.window(p.a.buffer, 4, 4); };
  EXPECT_EQ(inPlace(Kind::AllReduce, first, first), "");
  EXPECT_EQ(inPlace(Kind::Broadcast, first, first), "");
  EXPECT_EQ(inPlace(Kind::AllReduce, first, shifted), "plan.in-place");
  EXPECT_EQ(inPlace(Kind::AllReduce, first, next), "");
  auto whole = [](Call &p) { return p.a; };
  EXPECT_EQ(inPlace(Kind::AllGather, first, whole), "plan.in-place");
}

TEST(PlanCollectives, WhatStartsTogetherStandsApart) {
  Call p(Kind::Recv, 8, 8);
  StreamId out = p.comm;
  auto &calls = std::get<CollectiveStep>(p.plan.steps[0].work).calls;
  calls[0].rows[0].receive = p.window(p.c.buffer, 4);
  calls.push_back(p.call(Kind::Recv, out, std::nullopt, p.window(p.c.buffer, 4, 4)));
  calls[1].tag = 1;
  EXPECT_EQ(found(p), "");
  calls[1].rows[0].receive = p.window(p.c.buffer, 4, 3);
  EXPECT_EQ(found(p),
            "error: step 0 recv: starts together what receives into 'c' (buffer 1) and what receives into 'c' "
            "(buffer 1), on common bytes; expected them apart [plan.batch]\n"
            "  note: make two steps of them: what starts together has no order\n");
  calls[0] = p.call(Kind::Send, out, p.window(p.a.buffer, 4), std::nullopt);
  calls[1] = p.call(Kind::Send, out, p.window(p.a.buffer, 4, 2), std::nullopt);
  EXPECT_EQ(found(p), "") << "two may send the same";
}

TEST(PlanCollectives, RowsOfOneCallStandApart) {
  Call p(Kind::AllReduce, 8, 8);
  auto &rows = p.only().rows;
  rows[0] = {p.window(p.a.buffer, 4), p.window(p.c.buffer, 4)};
  rows.push_back({p.window(p.a.buffer, 4), p.window(p.c.buffer, 4, 4)});
  EXPECT_EQ(found(p), "");
  rows[1].receive = p.window(p.c.buffer, 4, 2);
  EXPECT_TRUE(names(p, "[plan.batch]"));
}

TEST(PlanCollectives, CollectivesStartAlone) {
  Call p(Kind::AllReduce, 4, 4);
  auto &calls = std::get<CollectiveStep>(p.plan.steps[0].work).calls;
  calls.push_back(p.call(Kind::AllReduce, p.comm, p.a, p.communication("d", 4, 64)));
  EXPECT_EQ(found(p),
            "error: step 0 all_reduce: starts 2 calls together; expected one collective, or the transfers of a "
            "batch [plan.rows]\n"
            "  note: make a step of each collective\n");
  calls.clear();
  EXPECT_TRUE(names(p, "starts 0 calls together"));
}

// --- Ranks ----------------------------------------------------------------------------------------------------

/// A rank that launches all_reduces of some elements on groups, in order.
struct Rank : PlanDraft {
  explicit Rank(int64_t rank) { plan.rank = rank; }
  void reduce(const std::vector<int64_t> &ranks, int64_t elements, Kind kind = Kind::AllReduce) {
    std::string name = std::to_string(plan.steps.size());
    StreamId comm = collectives(group(name, ranks));
    start(comm, {call(kind, comm, input("a" + name, elements), communication("c" + name, elements, 0))});
  }
  void transfer(Kind kind, int64_t peer, int64_t elements) {
    std::string name = std::to_string(plan.steps.size());
    StreamId channel = transfers(group(name, {0, 1, 2}));
    PlanWindow window = input("a" + name, elements);
    PlanCollective one = call(kind, channel, kind == Kind::Send ? std::optional(window) : std::nullopt,
                              kind == Kind::Recv ? std::optional(window) : std::nullopt);
    one.peer = peer;
    start(channel, {one});
  }
};

std::string disagreement(llvm::ArrayRef<const PlanDraft *> ranks) {
  std::vector<const Plan *> plans;
  for (const PlanDraft *rank : ranks)
    plans.push_back(&rank->plan);
  return toString(verifyAgreement(plans));
}

TEST(PlanAgreement, RanksThatLaunchAlikeAgree) {
  Rank a(0), b(1), c(2);
  a.reduce({0, 1}, 4), a.reduce({0, 2}, 8), a.reduce({0, 1, 2}, 2);
  b.reduce({0, 1}, 4), b.reduce({0, 1, 2}, 2);
  c.reduce({0, 2}, 8), c.reduce({0, 1, 2}, 2);
  EXPECT_EQ(disagreement({&a, &b, &c}), "");
  EXPECT_EQ(disagreement({&a, &b}), "") << "what rank 2 does is not said";
}

TEST(PlanAgreement, CallsThatMeetSayTheSame) {
  Rank a(0), b(1);
  a.reduce({0, 1}, 4), a.reduce({0, 1}, 4);
  b.reduce({0, 1}, 4), b.reduce({0, 1}, 5);
  b.callOf(1).reduceOp = ReduceOp::Max;
  EXPECT_EQ(
      disagreement({&a, &b}),
      "error: ranks 0 and 1: launch together step 1 all_reduce, all_reduce sum f32[4] on ranks [0, 1], and step 1 "
      "all_reduce, all_reduce max f32[5] on ranks [0, 1]: reduction sum against max; expected the same [plan.ranks]\n"
      "  note: make all ranks of a group launch the same calls on it, in one order\n"
      "error: ranks 0 and 1: launch together step 1 all_reduce, all_reduce sum f32[4] on ranks [0, 1], and step 1 "
      "all_reduce, all_reduce max f32[5] on ranks [0, 1]: elements 4 against 5; expected the same [plan.ranks]\n"
      "  note: make all ranks of a group launch the same calls on it, in one order\n");
}

TEST(PlanAgreement, TheFewerAreTheCulprits) {
  Rank a(0), b(1), c(2);
  for (Rank *rank : {&a, &b, &c})
    rank->reduce({0, 1, 2}, 4);
  a.callOf(0).reduceOp = ReduceOp::Max;
  EXPECT_EQ(disagreement({&a, &b, &c}),
            "error: ranks 1 and 0: launch together step 0 all_reduce, all_reduce sum f32[4] on ranks [0, 1, 2], and "
            "step 0 all_reduce, all_reduce max f32[4] on ranks [0, 1, 2]: reduction sum against max; expected the same "
            "[plan.ranks]\n"
            "  note: rank 0 is the culprit: ranks 1 and 2 agree\n"
            "  note: make all ranks of a group launch the same calls on it, in one order\n");
  b.callOf(0).reduceOp = ReduceOp::Min;
  EXPECT_EQ(disagreement({&a, &b, &c}).find("culprit"), std::string::npos) << "no two agree";
}

TEST(PlanAgreement, WhoHasLaunchedLessThanTheOthersIsTheCulprit) {
  Rank a(0), b(1), c(2);
  a.reduce({0, 1, 2}, 4), c.reduce({0, 1, 2}, 4);
  EXPECT_NE(disagreement({&a, &b, &c}).find("note: rank 1 is the culprit: ranks 0 and 2 agree\n"), std::string::npos);
  Rank d(2);
  EXPECT_EQ(disagreement({&a, &b, &d}).find("culprit"), std::string::npos) << "most launch nothing";
}

TEST(PlanAgreement, WhoIsUnlikeAllOthersIsTheCulprit) {
  // In one of two pairs, rank 1 omits what its pair launches: no pair has a majority, and rank 0 waits for ranks that
  // wait.
  Rank a(0), b(1), c(2), d(3);
  for (Rank *rank : {&a, &c})
    rank->reduce({0, 2}, 4), rank->reduce({0, 1, 2, 3}, 8), rank->reduce({0, 2}, 2);
  d.reduce({1, 3}, 4), d.reduce({0, 1, 2, 3}, 8), d.reduce({1, 3}, 2);
  b.reduce({0, 1, 2, 3}, 8), b.reduce({1, 3}, 2);
  EXPECT_EQ(
      disagreement({&a, &b, &c, &d}),
      "error: ranks 3 and 1: rank 3 launches step 0 all_reduce, all_reduce sum f32[4] on ranks [1, 3] while rank 1 "
      "first launches step 0 all_reduce, all_reduce sum f32[8] on ranks [0, 1, 2, 3]; expected both to launch that "
      "next "
      "[plan.ranks]\n"
      "  note: rank 1 is the culprit: ranks 0, 2 and 3 agree\n"
      "  note: give all ranks one order of launches, across groups too\n");
  b.callOf(0).reduceOp = ReduceOp::Max;
  c.callOf(2).reduceOp = ReduceOp::Max;
  EXPECT_EQ(disagreement({&a, &b, &c, &d}).find("culprit"), std::string::npos) << "two are unlike the others";
}

TEST(PlanAgreement, WhoBringsAnotherThingIsTheCulpritByItsProgram) {
  Rank a(0), b(1), c(2), d(3);
  for (Rank *rank : {&a, &b})
    rank->reduce({0, 1}, 4);
  for (Rank *rank : {&c, &d})
    rank->reduce({2, 3}, 4);
  c.callOf(0).reduceOp = ReduceOp::Max;
  EXPECT_NE(disagreement({&a, &b, &c, &d}).find("note: rank 2 is the culprit: ranks 0, 1 and 3 agree\n"),
            std::string::npos);
}

TEST(PlanAgreement, TwoGroupsAreLaunchedInOneOrder) {
  Rank a(0), b(1);
  a.reduce({0, 1}, 4), a.reduce({1, 0}, 4);
  b.reduce({1, 0}, 4), b.reduce({0, 1}, 4);
  EXPECT_EQ(
      disagreement({&a, &b}),
      "error: ranks 0 and 1: rank 0 launches step 0 all_reduce, all_reduce sum f32[4] on ranks [0, 1] while rank 1 "
      "first launches step 0 all_reduce, all_reduce sum f32[4] on ranks [1, 0]; expected both to launch that next "
      "[plan.ranks]\n"
      "  note: give all ranks one order of launches, across groups too\n");
}

TEST(PlanAgreement, ACircleOfRanksIsSeen) {
  Rank a(0), b(1), c(2);
  a.reduce({0, 2}, 4), a.reduce({0, 1}, 4);
  b.reduce({0, 1}, 4), b.reduce({1, 2}, 4);
  c.reduce({1, 2}, 4), c.reduce({0, 2}, 4);
  EXPECT_NE(disagreement({&a, &b, &c}).find("expected both to launch that next"), std::string::npos);
}

TEST(PlanAgreement, NobodyIsLeftAlone) {
  Rank a(0), b(1);
  a.reduce({0, 1}, 4), a.reduce({0, 1}, 4);
  b.reduce({0, 1}, 4);
  EXPECT_EQ(
      disagreement({&a, &b}),
      "error: ranks 0 and 1: rank 0 launches step 1 all_reduce, all_reduce sum f32[4] on ranks [0, 1] while rank 1 has "
      "launched all that it has; expected both to launch that next [plan.ranks]\n"
      "  note: give all ranks one order of launches, across groups too\n");
}

TEST(PlanAgreement, TransfersMeetByChannel) {
  Rank a(0), b(1);
  a.transfer(Kind::Send, 1, 4), a.transfer(Kind::Recv, 1, 8), a.reduce({0, 1}, 2);
  b.reduce({0, 1}, 2), b.transfer(Kind::Send, 0, 8), b.transfer(Kind::Recv, 0, 4);
  EXPECT_EQ(disagreement({&a, &b}), "");
  a.transfer(Kind::Send, 1, 4), b.transfer(Kind::Recv, 0, 5);
  EXPECT_NE(disagreement({&a, &b}).find("elements 4 against 5"), std::string::npos) << disagreement({&a, &b});
  Rank lone(0), deaf(1);
  lone.transfer(Kind::Send, 1, 4);
  EXPECT_EQ(disagreement({&lone, &deaf}),
            "error: ranks 0 and 1: rank 0 launches step 0 send, send f32[4] to rank 1 on ranks [0, 1, 2], but rank 1 "
            "receives "
            "0 times on this channel; expected the other end of each transfer [plan.ranks]\n"
            "  note: let the other rank receive it\n");
  EXPECT_EQ(disagreement({&lone}), "");
}

TEST(PlanAgreement, APlanSaysWhoseItIs) {
  Rank a(0), again(0);
  PlanDraft anybody;
  EXPECT_EQ(disagreement({&a, &again, &anybody}),
            "error: plan draft: is a second one of rank 0; expected one for each rank [plan.ranks]\n"
            "  note: give each rank one plan\n"
            "error: plan draft: states no rank, expected the rank that runs it [plan.ranks]\n"
            "  note: compare the plans of single ranks: one that serves all agrees with itself\n");
}

TEST(PlanAgreement, AFingerprintIsCompleteWhereAllIsKnown) {
  Rank a(1);
  a.reduce({3, 1}, 4);
  EXPECT_EQ(fingerprintOf(a.plan, a.callOf(0), 1).str(), "all_reduce sum f32[4] on ranks [3, 1]");
  EXPECT_TRUE(fingerprintOf(a.plan, a.callOf(0), 1).complete);
  Dim size(a.context.symbolic("s0"));
  a.callOf(0).rows[0].send->type = a.context.contiguousTensor(DType::F32, {size}, {a.context.identifier("cpu")});
  EXPECT_FALSE(fingerprintOf(a.plan, a.callOf(0), 1).complete);
  a.plan.layout.symbols = {{a.context.identifier("s0"), 6}};
  EXPECT_EQ(fingerprintOf(a.plan, a.callOf(0), 1).str(), "all_reduce sum f32[6] on ranks [3, 1]");
}

} // namespace
} // namespace ccgraph
