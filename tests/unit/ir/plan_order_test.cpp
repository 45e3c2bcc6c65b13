// Tests the plan verifier's rules about order: plan.order, plan.in-flight, plan.overwritten, plan.unwritten,
// plan.waits.
#include "ccgraph/ir/plan_verifier.h"
#include "support/plan_draft.h"

#include <gtest/gtest.h>

namespace ccgraph {
namespace {

using test::PlanDraft;

std::string found(const PlanDraft &draft) { return toString(verifyPlan(draft.plan)); }

/// Two streams of collectives and an input.
struct Streams : PlanDraft {
  Streams() {
    first = collectives(group("tp", {0, 1}));
    second = collectives(group("dp", {0, 2}));
    a = input("a", 4);
  }
  size_t relu(const PlanWindow &from, const PlanWindow &to) { return kernel("aten.relu.default", {reads(from)}, to); }
  StreamId first, second;
  PlanWindow a;
};

TEST(PlanOrder, AReadAfterACollectiveWaitsForIt) {
  Streams p;
  PlanWindow c = p.communication("c", 4, 0);
  p.allReduce(p.first, p.a, c);
  size_t read = p.relu(c, p.compute("r", 4, 0));
  EXPECT_EQ(found(p),
            "error: step 1 relu: reads bytes 0 to 16 of 'c' (buffer 1) while 'all_reduce' (step 0) may still be "
            "writing it; expected it after the end of that collective [plan.in-flight]\n"
            "  note: let that step record an event, and this one wait for it\n");
  p.wait(read, 0);
  EXPECT_EQ(found(p), "");
}

TEST(PlanOrder, AWriteWaitsForWhatReads) {
  Streams p;
  p.plan.inputs[0].after = PlanValue::tensor(p.a);
  p.allReduce(p.first, p.a, p.communication("c", 4, 0));
  size_t write = p.kernel("aten.relu_.default", {p.changes(p.a)}, p.a);
  EXPECT_EQ(found(p),
            "error: step 1 relu_: writes bytes 0 to 16 of 'a' (buffer 0) while 'all_reduce' (step 0) may still be "
            "reading it; expected it after the end of that collective [plan.in-flight]\n"
            "  note: let that step record an event, and this one wait for it\n");
  p.wait(write, 0);
  EXPECT_EQ(found(p), "");
}

TEST(PlanOrder, ACollectiveWaitsForWhatItSends) {
  Streams p;
  PlanWindow c = p.communication("c", 4, 0);
  size_t made = p.relu(p.a, c);
  size_t other = p.allReduce(p.second, p.a, p.communication("e", 4, 64));
  size_t launch = p.allReduce(p.first, c, p.communication("d", 4, 128));
  size_t use = p.relu(c, p.compute("r", 4, 0));
  p.plan.steps[made].event = 0;
  p.plan.numEvents = 1;
  p.plan.steps[other].waits.push_back(0);
  std::string text = found(p);
  EXPECT_NE(
      text.find("error: step 2 all_reduce: reads bytes 0 to 16 of 'c' (buffer 1) while 'relu' (step 0) may still be "
                "writing it; expected it after the end of that step [plan.order]\n"
                "  note: let it wait for event 0, which that step records\n"),
      std::string::npos)
      << text;
  p.plan.steps[other].waits.clear();
  p.plan.steps[launch].waits.push_back(0);
  EXPECT_EQ(found(p), "");
  EXPECT_EQ(p.plan.steps[use].waits.size(), 0U);
}

TEST(PlanOrder, TwoReadsNeedNoOrder) {
  Streams p;
  p.allReduce(p.first, p.a, p.communication("c", 4, 0));
  p.allReduce(p.second, p.a, p.communication("d", 4, 64));
  p.relu(p.a, p.compute("r", 4, 0));
  EXPECT_EQ(found(p), "");
}

TEST(PlanOrder, NeighbouringBytesNeedNoOrder) {
  Streams p;
  BufferId c = p.buffer("c", Home::Communication, 8);
  p.allReduce(p.first, p.a, p.window(c, 4));
  p.allReduce(p.second, p.a, p.window(c, 4, 4));
  EXPECT_EQ(found(p), "");
  std::get<CollectiveStep>(p.plan.steps[1].work).calls[0].rows[0].receive = p.window(c, 4, 3);
  EXPECT_NE(
      found(p).find("writes bytes 12 to 16 of 'c' (buffer 1) while 'all_reduce' (step 0) may still be writing it"),
      std::string::npos)
      << found(p);
}

TEST(PlanOrder, AnEventTellsOfAllThatCameBefore) {
  Streams p;
  PlanWindow c = p.communication("c", 4, 0), d = p.communication("d", 4, 64);
  p.allReduce(p.first, p.a, c);
  size_t launch = p.allReduce(p.first, p.a, d);
  size_t read = p.kernel("aten.add.Tensor", {p.reads(c), p.reads(d)}, p.compute("r", 4, 0));
  p.wait(read, launch);
  EXPECT_EQ(found(p), "");
}

TEST(PlanOrder, KnowledgePassesOverAThirdStream) {
  Streams p;
  PlanWindow c = p.communication("c", 4, 0), d = p.communication("d", 4, 64);
  size_t one = p.allReduce(p.first, p.a, c);
  size_t two = p.allReduce(p.second, c, d);
  size_t read = p.kernel("aten.add.Tensor", {p.reads(c), p.reads(d)}, p.compute("r", 4, 0));
  p.wait(two, one);
  p.wait(read, two);
  EXPECT_EQ(found(p), "");
  p.wait(read, one);
  EXPECT_EQ(found(p), "error: step 2 add: waits for event 0 of 'all_reduce' (step 0), which has ended by then anyway; "
                      "expected no wait that orders nothing [plan.waits]\n"
                      "  note: drop the wait\n");
}

TEST(PlanOrder, WhatFollowsAHostStepIsAfterIt) {
  Streams p;
  p.plan.numSlots = 1;
  PlanWindow c = p.communication("c", 4, 0);
  size_t launch = p.allReduce(p.first, p.a, c);
  size_t item =
      p.kernel("aten._local_scalar_dense.default", {p.reads(c)}, PlanValue::number(0, nullptr), Plan::hostStream);
  p.wait(item, launch);
  p.relu(c, p.compute("r", 4, 0));
  EXPECT_EQ(found(p), "");
  std::swap(p.plan.steps[1], p.plan.steps[2]);
  EXPECT_NE(found(p).find("step 1 relu: reads bytes 0 to 16 of 'c'"), std::string::npos) << found(p);
}

TEST(PlanOrder, MemoryThatIsUsedAgainWaitsForItsFormerUse) {
  Streams p;
  PlanWindow c = p.communication("c", 4, 0), d = p.communication("d", 4, 0);
  size_t one = p.allReduce(p.first, p.a, c);
  PlanWindow r = p.compute("r", 4, 0);
  size_t read = p.relu(c, r);
  p.wait(read, one);
  size_t two = p.allReduce(p.second, p.a, d);
  EXPECT_EQ(found(p),
            "error: step 2 all_reduce: writes bytes 0 to 16 of 'd' (buffer 2) while 'all_reduce' (step 0) may "
            "still be writing 'c' (buffer 1) there; expected it after the end of that collective [plan.in-flight]\n"
            "  note: let it wait for event 0, which that step records\n"
            "error: step 2 all_reduce: writes bytes 0 to 16 of 'd' (buffer 2) while 'relu' (step 1) may still be "
            "reading 'c' (buffer 1) there; expected it after the end of that step [plan.order]\n"
            "  note: let that step record an event, and this one wait for it\n");
  p.wait(two, read);
  EXPECT_EQ(found(p), "");
}

TEST(PlanOrder, WhatIsReadIsStillThere) {
  Streams p;
  PlanWindow x = p.compute("x", 4, 0), y = p.compute("y", 4, 0);
  p.relu(p.a, x);
  p.relu(p.a, y);
  p.relu(x, p.compute("r", 4, 64));
  p.returns(x);
  EXPECT_EQ(found(p),
            "error: step 2 relu: reads bytes 0 to 16 of 'x' (buffer 1), where 'relu' (step 1) has put 'y' (buffer "
            "2) since; expected the bytes unchanged [plan.overwritten]\n"
            "  note: place the two buffers on different bytes: the first is still in use\n"
            "error: out.0: reads bytes 0 to 16 of 'x' (buffer 1), where 'relu' (step 1) has put 'y' (buffer 2) "
            "since; expected the bytes unchanged [plan.overwritten]\n"
            "  note: place the two buffers on different bytes: the first is still in use\n");
}

TEST(PlanOrder, WhatIsReadHasBeenWritten) {
  Streams p;
  PlanWindow x = p.compute("x", 8, 0);
  p.relu(p.a, p.window(x.buffer, 4, 1));
  p.relu(p.window(x.buffer, 4, 1), p.compute("r", 4, 64));
  EXPECT_EQ(found(p), "");
  p.plan.numSlots = 1;
  p.kernel("aten.relu.default", {p.reads(p.window(x.buffer, 4, 2))}, p.compute("s", 4, 128));
  p.kernel("aten.full.default", {{PlanValue::number(0, nullptr)}}, p.compute("t", 4, 192));
  EXPECT_EQ(found(p),
            "error: step 2 relu: reads bytes 20 to 24 of 'x' (buffer 1), which nothing has written; expected a step "
            "before that does [plan.unwritten]\n"
            "  note: let a step write it first, or make it an input\n"
            "error: step 3 full: reads number 0, which nothing has written; expected a step before that does "
            "[plan.unwritten]\n"
            "  note: let a step write it first, or make it an input\n");
}

TEST(PlanOrder, AnInputThatNobodyBringsIsUnwritten) {
  Streams p;
  p.plan.inputs.clear();
  p.relu(p.a, p.compute("r", 4, 0));
  EXPECT_NE(found(p).find("reads bytes 0 to 16 of 'a' (buffer 0), which nothing has written"), std::string::npos)
      << found(p);
}

TEST(PlanOrder, AnEmptyWindowIsTouchedByNobody) {
  Streams p;
  PlanWindow c = p.communication("c", 4, 0);
  p.allReduce(p.first, p.a, c);
  p.relu(p.window(c.buffer, 0), p.window(p.buffer("r", Home::Compute, 0), 0));
  EXPECT_EQ(found(p), "");
}

TEST(PlanOrder, WhatGrowsIsOneStretch) {
  Streams p;
  Dim size(p.context.symbolic("s0"));
  const Type *type = p.context.contiguousTensor(DType::F32, {size}, {p.context.identifier("cpu")});
  PlanWindow grown{p.buffer("g", Home::Growing, 0), type, 0};
  PlanWindow rest{grown.buffer, type, Dim(p.context.symbolic("2*s0"))};
  size_t made = p.relu(p.a, grown);
  size_t launch = p.start(p.first, {p.call(CollectiveKind::Broadcast, p.first, p.a, rest)});
  EXPECT_NE(found(p).find("while 'relu' (step 0) may still be writing it"), std::string::npos) << found(p);
  p.wait(launch, made);
  EXPECT_EQ(found(p), "");
}

TEST(PlanOrder, RandomNumbersAreDrawnInOrder) {
  Streams p;
  p.kernel("aten.bernoulli.default", {p.reads(p.a)}, p.compute("x", 4, 0));
  size_t second = p.kernel("aten.bernoulli.default", {p.reads(p.a)}, p.compute("y", 4, 64), Plan::hostStream);
  EXPECT_EQ(found(p),
            "error: step 1 bernoulli: writes what no window shows (random numbers, or what the host sees) while "
            "'bernoulli' (step 0) may still be writing it; expected it after the end of that step [plan.order]\n"
            "  note: let that step record an event, and this one wait for it\n");
  p.wait(second, 0);
  EXPECT_EQ(found(p), "");
}

// --- Waits ----------------------------------------------------------------------------------------------------

TEST(PlanOrder, AWaitWithinAStreamIsIdle) {
  Streams p;
  PlanWindow x = p.compute("x", 4, 0);
  p.relu(p.a, x);
  size_t second = p.relu(x, p.compute("y", 4, 64));
  p.wait(second, 0);
  EXPECT_NE(found(p).find("waits for event 0 of 'relu' (step 0), which has ended by then anyway"), std::string::npos);
}

TEST(PlanOrder, AWaitForWhatNobodyTouchesIsIdle) {
  Streams p;
  size_t launch = p.allReduce(p.first, p.a, p.communication("c", 4, 0));
  size_t read = p.relu(p.a, p.compute("y", 4, 0));
  p.wait(read, launch);
  EXPECT_EQ(found(p),
            "error: step 1 relu: waits for event 0 of 'all_reduce' (step 0), but nothing comes too early without; "
            "expected no wait that orders nothing [plan.waits]\n"
            "  note: drop the wait\n");
}

TEST(PlanOrder, AWaitMayServeALaterStep) {
  Streams p;
  PlanWindow c = p.communication("c", 4, 0), d = p.communication("d", 4, 64);
  size_t launch = p.allReduce(p.first, p.a, c);
  size_t early = p.relu(p.a, p.compute("y", 4, 0));
  size_t on = p.allReduce(p.second, p.a, d);
  size_t read = p.relu(c, p.compute("z", 4, 64));
  p.wait(early, launch);
  EXPECT_EQ(found(p), "");
  p.wait(read, on);
  EXPECT_NE(found(p).find("step 3 relu: waits for event 1"), std::string::npos) << found(p);
}

TEST(PlanOrder, AnEventWaitedForTwiceIsIdleOnce) {
  Streams p;
  PlanWindow c = p.communication("c", 4, 0);
  size_t launch = p.allReduce(p.first, p.a, c);
  size_t read = p.relu(c, p.compute("y", 4, 0));
  p.wait(read, launch);
  p.wait(read, launch);
  EXPECT_EQ(verifyPlan(p.plan).size(), 2U) << "each of the two can do without the other";
}

TEST(PlanOrder, ABarrierMayBeWaitedFor) {
  Streams p;
  size_t barrier = p.start(p.first, {p.call(CollectiveKind::Barrier, p.first, std::nullopt, std::nullopt)});
  size_t read = p.relu(p.a, p.compute("y", 4, 0));
  p.wait(read, barrier);
  EXPECT_EQ(found(p), "");
  p.wait(p.relu(p.a, p.compute("z", 4, 64)), barrier);
  EXPECT_NE(found(p).find("which has ended by then anyway"), std::string::npos);
}

} // namespace
} // namespace ccgraph
