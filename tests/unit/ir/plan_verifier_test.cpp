// Tests the plan verifier's rules about structure, memory, kernels and collectives: each is broken once, at its limit.
#include "ccgraph/ir/plan_verifier.h"
#include "support/plan_draft.h"

#include <gtest/gtest.h>

#include <fstream>

namespace ccgraph {
namespace {

using test::PlanDraft;

std::string found(const PlanDraft &draft) { return toString(verifyPlan(draft.plan)); }

/// A plan that computes a -> all_reduce -> c -> relu -> r, while b = relu(a) runs.
struct Simple : PlanDraft {
  Simple() {
    tp = group("tp", {0, 1});
    comm = collectives(tp);
    a = input("a", 4);
    c = communication("c", 4, 0);
    b = compute("b", 4, 0);
    r = compute("r", 4, 64);
    launch = allReduce(comm, a, c);
    other = kernel("aten.relu.default", {reads(a)}, b);
    read = kernel("aten.add.Tensor", {reads(c), reads(b)}, r);
    wait(read, launch);
    returns(r);
  }
  uint32_t tp;
  StreamId comm;
  PlanWindow a, b, c, r;
  size_t launch, other, read;
};

TEST(PlanVerifier, ASoundPlanHasNoFindings) { EXPECT_EQ(found(Simple()), ""); }

TEST(PlanVerifier, AnErrorHoldsAllFindingsAsTheyAre) {
  Simple p;
  EXPECT_FALSE(verifyPlanOrError(p.plan));
  p.plan.steps[p.read].waits.clear();
  p.plan.steps[p.launch].event.reset();
  p.plan.numEvents = 0;
  EXPECT_EQ(llvm::toString(verifyPlanOrError(p.plan)), found(p));
}

TEST(PlanVerifier, FindingsAreCountedBeyondTheLimit) {
  Simple p;
  for (int i = 0; i < 5; ++i)
    p.plan.steps[p.read].waits.push_back(7);
  std::vector<Diagnostic> diagnostics = verifyPlan(p.plan, {.limit = 2});
  ASSERT_EQ(diagnostics.size(), 3U);
  EXPECT_EQ(diagnostics[2].message, "3 more errors are not shown");
}

TEST(PlanVerifier, WhatItWasTracedWithIsSo) {
  Simple p;
  p.plan.guards = {{GuardFact::Size, "tp", int64_t{2}}};
  EXPECT_EQ(found(p), "");
  p.plan.guards = {{GuardFact::Size, "tp", int64_t{4}}};
  EXPECT_EQ(found(p), "error: group tp: the graph was traced with size 4, and it is 2 now [plan.guards]\n"
                      "  note: trace the program again where it runs, or give it the groups that it was traced with\n");
}

// --- Structure ------------------------------------------------------------------------------------------------

TEST(PlanVerifier, EveryIndexNamesSomething) {
  Simple p;
  p.plan.steps[p.other].stream = 3;
  p.plan.steps[p.read].waits.push_back(1);
  p.kernelOf(p.read).result.window.buffer = 4;
  p.kernelOf(p.read).operands.pop_back();
  p.callOf(p.launch).group = 1;
  p.plan.outputs.push_back(PlanValue::number(0, nullptr));
  EXPECT_EQ(found(p),
            "error: step 0 all_reduce: names group 1; expected one of the 1 that there are, counted from 0 "
            "[plan.indices]\n"
            "  note: name one that is there, or add it\n"
            "error: step 1 relu: names stream 3; expected one of the 3 that there are, counted from 0 "
            "[plan.indices]\n"
            "  note: name one that is there, or add it\n"
            "error: step 2 add: names event 1; expected one of the 1 that there are, counted from 0 "
            "[plan.indices]\n"
            "  note: name one that is there, or add it\n"
            "error: step 2 add: names operand 1; expected one of the 1 that there are, counted from 0 "
            "[plan.indices]\n"
            "  note: name one that is there, or add it\n"
            "error: step 2 add: names buffer 4; expected one of the 4 that there are, counted from 0 "
            "[plan.indices]\n"
            "  note: name one that is there, or add it\n"
            "error: out.1: names slot 0; expected one of the 0 that there are, counted from 0 [plan.indices]\n"
            "  note: name one that is there, or add it\n");
}

TEST(PlanVerifier, AKernelHasAnOperator) {
  Simple p;
  p.kernelOf(p.read).op = nullptr;
  EXPECT_EQ(found(p), "error: step 2 add: calls no operator; expected one [plan.indices]\n"
                      "  note: name the operator\n");
}

TEST(PlanVerifier, AWindowHasATensorTypeWithStrides) {
  Simple p;
  Dim size = 4;
  p.kernelOf(p.read).result.window.type =
      p.context.tensor(DType::F32, {size, {}, false}, {p.context.identifier("cpu")});
  p.callOf(p.launch).rows[0].receive->type = nullptr;
  EXPECT_EQ(found(p), "error: step 0 all_reduce: has a window of type -; expected a tensor with strides [plan.types]\n"
                      "  note: give the window the type of the tensor, strides included\n"
                      "error: step 2 add: has a window of type f32[4]cpu; expected a tensor with strides [plan.types]\n"
                      "  note: give the window the type of the tensor, strides included\n");
}

TEST(PlanVerifier, ACopyIsBetweenWindowsOfOneShape) {
  Simple p;
  PlanWindow to = p.compute("to", 4, 128);
  p.copy(p.r, to);
  EXPECT_EQ(found(p), "");
  p.copy(p.r, p.window(to.buffer, 3));
  p.copy(p.r, p.window(to.buffer, 4, 0, DType::I32));
  EXPECT_EQ(found(p), "error: step 4 copy: copies f32[4][1]cpu into f32[3][1]cpu; expected equal sizes and dtype "
                      "[plan.types]\n"
                      "  note: copy between windows of one shape\n"
                      "error: step 5 copy: copies f32[4][1]cpu into i32[4][1]cpu; expected equal sizes and dtype "
                      "[plan.types]\n"
                      "  note: copy between windows of one shape\n");
}

TEST(PlanVerifier, AnEventIsRecordedOnceAndBeforeItIsWaitedFor) {
  Simple p;
  p.plan.numEvents = 4;
  p.plan.steps[p.launch].waits.push_back(0);
  p.plan.steps[p.other].event = 0;
  p.plan.steps[p.read].event = 2;
  EXPECT_EQ(found(p), "error: step 0 all_reduce: waits for event 0, which no step before it records [plan.events]\n"
                      "  note: let an earlier step record the event\n"
                      "error: step 1 relu: records event 0, as 'all_reduce' (step 0) does; expected one step that does "
                      "[plan.events]\n"
                      "  note: give each its own event\n"
                      "error: event 1: is recorded by no step; expected one [plan.events]\n"
                      "  note: let the step record it that others wait for, or drop it\n"
                      "error: step 2 add: records event 2, for which no step waits [plan.events]\n"
                      "  note: drop the event, or let the step wait that needs this one\n"
                      "error: event 3: is recorded by no step; expected one [plan.events]\n"
                      "  note: let the step record it that others wait for, or drop it\n");
}

TEST(PlanVerifier, TheFirstStreamsAreThoseOfHostAndComputation) {
  Simple p;
  std::swap(p.plan.streams[0], p.plan.streams[1]);
  EXPECT_EQ(found(p), "error: streams: do not begin with that of the host and that of computation [plan.streams]\n"
                      "  note: make the first two those, whatever the program\n");
}

TEST(PlanVerifier, TheHostHasOneStream) {
  Simple p;
  p.plan.streams.push_back({PlanStream::Kind::Host, "second", {}});
  EXPECT_EQ(found(p), "error: stream second: is a second stream of the host; expected stream 0 alone [plan.streams]\n"
                      "  note: give it another kind\n");
}

TEST(PlanVerifier, StepsRunOnStreamsOfTheirKind) {
  Simple p;
  p.plan.steps[p.other].stream = p.comm;
  std::string text = found(p);
  EXPECT_NE(text.find("error: step 1 relu: runs a kernel on 'comm:tp' (stream 2), which is for collectives; expected "
                      "the host's or one of computation [plan.streams]\n"
                      "  note: move the step to the stream of computation\n"),
            std::string::npos)
      << text;
  Simple q;
  q.plan.steps[q.launch].stream = Plan::computeStream;
  EXPECT_NE(found(q).find("starts all_reduce on 'compute' (stream 1), which is for computation; expected one of "
                          "collectives [plan.streams]"),
            std::string::npos)
      << found(q);
}

TEST(PlanVerifier, GroupsMayShareAStreamThatIsOfNoneOfThem) {
  Simple p;
  p.plan.streams[p.comm].group.reset();
  EXPECT_EQ(found(p), "");
  Simple q;
  q.plan.groups.push_back({"dp", {0, 1}});
  q.plan.streams[q.comm].group = 1;
  EXPECT_NE(found(q).find("communicates in group 'tp' on 'comm:tp' (stream 2), which is that of group 'dp'"),
            std::string::npos)
      << found(q);
}

TEST(PlanVerifier, AStreamOfTransfersIsOfAGroup) {
  Simple p;
  p.plan.streams.push_back({PlanStream::Kind::Transfer, "send:tp:1:0", {}});
  EXPECT_EQ(found(p), "error: stream send:tp:1:0: is one of transfers and names no group; expected one [plan.streams]\n"
                      "  note: give the group of its channel\n");
}

TEST(PlanVerifier, CopiesRunAnywhereButOnTheHost) {
  Simple p;
  PlanWindow to = p.communication("to", 4, 64);
  size_t copy = p.copy(p.c, to, p.comm);
  EXPECT_EQ(found(p), "");
  p.plan.steps[copy].stream = Plan::hostStream;
  p.wait(copy, p.launch);
  EXPECT_EQ(found(p), "error: step 3 copy: copies on 'host' (stream 0), which is for the host; expected any other: the "
                      "host would stall [plan.streams]\n"
                      "  note: move the step to the stream of computation\n");
}

TEST(PlanVerifier, NumbersAreYieldedOnTheHost) {
  Simple p;
  p.plan.numSlots = 1;
  size_t item = p.kernel("aten._local_scalar_dense.default", {p.reads(p.b)}, PlanValue::number(0, nullptr));
  EXPECT_EQ(found(p), "error: step 3 _local_scalar_dense: yields a number on 'compute' (stream 1), which is for "
                      "computation; expected the host's, since only the host has numbers [plan.streams]\n"
                      "  note: move the step to the host\n");
  p.plan.steps[item].stream = Plan::hostStream;
  p.wait(item, p.other);
  EXPECT_EQ(found(p), "");
}

TEST(PlanVerifier, WhatTellsASizeRunsOnTheHost) {
  Simple p;
  Identifier cpu = p.context.identifier("cpu");
  const Type *type = p.context.tensor(DType::I64, {{Dim(p.context.symbolic("u0"))}, {Dim(1)}}, {cpu});
  p.plan.buffers.push_back({p.context.identifier("z"), Home::Growing, Dim(p.context.symbolic("8*u0"))});
  p.plan.layout.offsets.push_back(0);
  PlanWindow z{static_cast<BufferId>(p.plan.buffers.size() - 1), type, Dim(0)};
  size_t tells = p.kernel("aten.nonzero.default", {p.reads(p.b)}, z);
  EXPECT_NE(
      found(p).find("error: step 3 nonzero: determines the size u0 on 'compute' (stream 1), which is for computation; "
                    "expected the host's, which needs the size before it issues more [plan.streams]\n"),
      std::string::npos)
      << found(p);
  p.plan.steps[tells].stream = Plan::hostStream;
  p.wait(tells, p.other);
  EXPECT_EQ(found(p), "");
}

TEST(PlanVerifier, AGroupHasOneStream) {
  Simple p;
  StreamId second = p.collectives(p.tp);
  size_t again = p.allReduce(second, p.a, p.communication("again", 4, 64));
  EXPECT_EQ(found(p),
            "error: step 3 all_reduce: runs on 'comm:tp' (stream 3), where earlier calls of this group run on "
            "'comm:tp' (stream 2); expected one stream [plan.streams]\n"
            "  note: move all of them to one stream, or nothing keeps their order\n");
  p.callOf(again).group = p.group("dp", {0, 1});
  EXPECT_EQ(found(p), "error: step 3 all_reduce: communicates in group 'dp' on 'comm:tp' (stream 3), which is that of "
                      "group 'tp'; expected one of its own group [plan.streams]\n"
                      "  note: move the step to a stream of its group\n");
}

TEST(PlanVerifier, AChannelHasOneStream) {
  Simple p;
  StreamId first = p.transfers(p.tp), second = p.transfers(p.tp);
  p.start(first, {p.call(CollectiveKind::Send, first, p.a, std::nullopt)});
  size_t other = p.start(second, {p.call(CollectiveKind::Send, second, p.a, std::nullopt)});
  EXPECT_NE(found(p).find("earlier calls of this channel run on"), std::string::npos) << found(p);
  p.callOf(other).tag = 5;
  EXPECT_EQ(found(p), "");
}

// --- Memory ---------------------------------------------------------------------------------------------------

TEST(PlanVerifier, WindowsLieInBuffers) {
  Simple p;
  p.kernelOf(p.other).result.window = p.window(p.b.buffer, 4, 1);
  EXPECT_NE(
      found(p).find("error: step 1 relu: reaches bytes 4 to 20 of 'b' (buffer 2); expected it within its 16 bytes "
                    "[plan.bounds]\n"
                    "  note: make the buffer larger, or the window's offset smaller\n"),
      std::string::npos)
      << found(p);
  p.kernelOf(p.other).result.window = p.window(p.b.buffer, 3, 1);
  EXPECT_EQ(found(p).find("plan.bounds"), std::string::npos);
}

TEST(PlanVerifier, BuffersLieInArenasAtAlignedOffsets) {
  Simple p;
  p.plan.layout.computeBytes = 79;
  p.plan.layout.offsets[p.b.buffer] = -64;
  p.plan.layout.offsets[p.c.buffer] = 32;
  p.plan.layout.communicationBytes = 48;
  EXPECT_EQ(found(p), "error: buffer 1 c: begins at byte 32; expected a multiple of 64 [plan.bounds]\n"
                      "  note: round its offset up\n"
                      "error: buffer 2 b: takes bytes -64 to -48 of the compute arena; expected it within its 79 bytes "
                      "[plan.bounds]\n"
                      "  note: make the arena larger, or the offset smaller\n"
                      "error: buffer 3 r: takes bytes 64 to 80 of the compute arena; expected it within its 79 bytes "
                      "[plan.bounds]\n"
                      "  note: make the arena larger, or the offset smaller\n");
}

TEST(PlanVerifier, ALayoutPlacesEachBufferAndBindsEachSymbol) {
  Simple p;
  p.plan.layout.offsets.pop_back();
  EXPECT_EQ(found(p), "error: layout: has 3 offsets; expected 4, one for each buffer [plan.layout]\n"
                      "  note: give 0 to a buffer that lies in no arena\n");
  Simple q;
  Dim size(q.context.symbolic("s0"));
  q.plan.buffers[q.b.buffer].bytes = Dim(q.context.symbolic("4*s0"));
  PlanWindow sized{q.b.buffer, q.context.contiguousTensor(DType::F32, {size}, {q.context.identifier("cpu")}), 0};
  q.kernelOf(q.other).result.window = sized;
  q.kernelOf(q.read).operands[1].value.window = sized;
  EXPECT_NE(found(q).find("error: buffer 2 b: has 4*s0 bytes; expected a number that is known before the program runs, "
                          "0 or more [plan.layout]\n"),
            std::string::npos);
  EXPECT_NE(found(q).find("error: step 1 relu: has a window f32[s0][1]cpu from element 0 of 'b' (buffer 2); expected "
                          "numbers, or symbols of known value, 0 or more [plan.layout]\n"),
            std::string::npos)
      << found(q);
  PlanLayout bound = q.plan.layout;
  bound.symbols = {{q.context.identifier("s0"), 4}};
  EXPECT_EQ(toString(verifyPlan(q.plan, {.layout = &bound})), "");
  bound.symbols[0].second = 16;
  EXPECT_EQ(toString(verifyPlan(q.plan, {.layout = &bound})), "");
  bound.symbols[0].second = 17;
  EXPECT_NE(toString(verifyPlan(q.plan, {.layout = &bound})).find("plan.overlap"), std::string::npos);
}

TEST(PlanVerifier, ABufferThatGrowsNeedsNoSize) {
  Simple p;
  p.plan.buffers[p.b.buffer].home = Home::Growing;
  Dim size(p.context.symbolic("s0"));
  PlanWindow sized{p.b.buffer, p.context.contiguousTensor(DType::F32, {size}, {p.context.identifier("cpu")}), 0};
  p.kernelOf(p.other).result.window = sized;
  p.kernelOf(p.read).operands[1].value.window = sized;
  EXPECT_EQ(found(p), "");
}

TEST(PlanVerifier, InputsLieInTheCallersMemory) {
  Simple p;
  p.plan.inputs.push_back({"in.odd", PlanValue::tensor(p.b), PlanValue()});
  EXPECT_NE(found(p).find("error: in.odd: lies in 'b' (buffer 2) of home compute; expected input or attribute "
                          "[plan.inputs]\n"),
            std::string::npos)
      << found(p);
}

TEST(PlanVerifier, AnInputHasANameOfItsOwn) {
  Simple p;
  p.plan.inputs.push_back(p.plan.inputs.front());
  EXPECT_EQ(found(p), "error: " + p.plan.inputs.front().name +
                          ": is a second input of this name; expected one [plan.inputs]\n"
                          "  note: let all who use it use the buffer of the first\n");
}

TEST(PlanVerifier, AnInputThatIsWrittenSaysWhatIsLeftThere) {
  Simple p;
  size_t write = p.kernel("aten.relu_.default", {p.changes(p.a)}, p.a);
  p.wait(write, p.launch);
  std::string idle = found(p);
  EXPECT_NE(
      idle.find("error: step 3 relu_: writes 'a' (buffer 0), which is the caller's, but no input states the value "
                "after the run; expected an input with 'after' [plan.inputs]\n"
                "  note: state the value that the caller reads afterwards\n"),
      std::string::npos)
      << idle;
  p.plan.inputs[0].after = PlanValue::tensor(p.a);
  EXPECT_EQ(found(p).find("plan.inputs"), std::string::npos);
}

TEST(PlanVerifier, WhatAStepWritesLiesApart) {
  Simple p;
  p.plan.layout.offsets[p.r.buffer] = 0;
  p.kernelOf(p.read).op = p.context.ops().lookup("aten.dot.default");
  EXPECT_EQ(found(p), "error: step 2 add: writes 'r' (buffer 3) over bytes 0 to 16 of its arena, where it also touches "
                      "'b' (buffer 2); expected them apart [plan.overlap]\n"
                      "  note: place the two buffers on different bytes: both are in use at once\n");
  Simple q;
  q.kernelOf(q.read).result.window = q.b;
  q.plan.outputs[0].window = q.b;
  EXPECT_EQ(found(q), "error: step 2 add: writes its result over its operand in 'b' (buffer 2), which it only reads; "
                      "expected memory of its own [plan.overlap]\n"
                      "  note: give the result another buffer\n");
}

TEST(PlanVerifier, AnElementwiseResultMayTakeTheOnlyPlaceOfAnOperand) {
  Simple p;
  p.plan.layout.offsets[p.r.buffer] = 0;
  EXPECT_EQ(found(p), "");
  p.kernelOf(p.read).operands[0] = p.reads(p.b);
  EXPECT_NE(found(p).find("error: step 2 add: writes 'r' (buffer 3) over bytes 0 to 16 of its arena"),
            std::string::npos)
      << "the operand has two names";
  Simple q;
  q.plan.layout.offsets[q.r.buffer] = 0;
  q.returns(q.b);
  EXPECT_NE(found(q).find("[plan.overwritten]"), std::string::npos) << "the operand is needed afterwards";
}

TEST(PlanVerifier, AnOperatorThatWorksInPlaceYieldsItsOperand) {
  Simple p;
  size_t change = p.kernel("aten.relu_.default", {p.changes(p.r)}, p.r);
  EXPECT_EQ(found(p), "");
  p.kernelOf(change).result.window = p.b;
  EXPECT_EQ(found(p),
            "error: step 3 relu_: yields element 0 of 'b' (buffer 2) and on, but works in place on element 0 of "
            "'r' (buffer 3); expected one window [plan.overlap]\n"
            "  note: give the result the window of the operand 'self'\n");
}

TEST(PlanVerifier, ACopyWithinABufferKeepsApart) {
  Simple p;
  PlanWindow wide = p.compute("wide", 8, 128);
  p.kernel("aten.relu.default", {p.reads(p.a)}, p.window(wide.buffer, 4));
  size_t copy = p.copy(p.window(wide.buffer, 4), p.window(wide.buffer, 4, 4));
  EXPECT_EQ(found(p), "");
  std::get<CopyStep>(p.plan.steps[copy].work).to = p.window(wide.buffer, 4, 3);
  EXPECT_EQ(found(p), "error: step 4 copy: copies bytes 128 to 144 of 'wide' (buffer 4) to bytes 140 to 156 of it; "
                      "expected them apart [plan.overlap]\n"
                      "  note: copy by way of another buffer\n");
}

// --- Kernels --------------------------------------------------------------------------------------------------

TEST(PlanVerifier, OperandsAreMarkedAsTheSchemaSays) {
  Simple p;
  p.kernelOf(p.other).operands[0].reads = false;
  p.kernelOf(p.read).operands[0].writes = true;
  std::string text = found(p);
  EXPECT_NE(text.find("error: step 1 relu: marks operand 0 as not read; aten.relu.default reads it [plan.access]\n"
                      "  note: mark each operand as the operator's schema does\n"),
            std::string::npos)
      << text;
  EXPECT_NE(
      text.find("error: step 2 add: marks operand 0 as written; aten.add.Tensor does not write it [plan.access]\n"),
      std::string::npos)
      << text;
}

TEST(PlanVerifier, AWrittenOperandIsMarkedSo) {
  Simple p;
  size_t change = p.kernel("aten.relu_.default", {p.reads(p.r)}, p.r);
  EXPECT_NE(found(p).find("error: step 3 relu_: marks operand 0 as not written; aten.relu_.default writes it"),
            std::string::npos)
      << found(p);
  p.kernelOf(change).operands[0] = p.changes(p.r);
  EXPECT_EQ(found(p), "");
}

TEST(PlanVerifier, AnOperandOfWhichSizesAloneAreLookedAtIsNotRead) {
  Simple p;
  size_t zeros = p.kernel("aten.zeros_like.default", {p.reads(p.r)}, p.compute("z", 4, 128));
  EXPECT_EQ(found(p),
            "error: step 3 zeros_like: marks operand 0 as read; aten.zeros_like.default looks at no element of "
            "it [plan.access]\n"
            "  note: mark each operand as the operator's schema does\n");
  p.kernelOf(zeros).operands[0].reads = false;
  EXPECT_EQ(found(p), "");
}

TEST(PlanVerifier, AnOperandThatIsOverwrittenIsNotRead) {
  Simple p;
  size_t copy = p.kernel("aten.copy_.default", {p.writes(p.r), p.reads(p.b)}, p.r);
  EXPECT_EQ(found(p), "");
  p.kernelOf(copy).operands[0].reads = true;
  EXPECT_NE(found(p).find("marks operand 0 as read; aten.copy_.default looks at no element of it"), std::string::npos)
      << found(p);
}

TEST(PlanVerifier, AViewThatHasAStepReadsWhatItIsOf) {
  Simple p;
  size_t view = p.kernel("aten.t.default", {p.reads(p.r)}, p.compute("t", 4, 128));
  EXPECT_EQ(found(p), "");
  p.kernelOf(view).operands[0].reads = false;
  EXPECT_NE(found(p).find("marks operand 0 as not read; aten.t.default reads it"), std::string::npos) << found(p);
}

TEST(PlanVerifier, EachOperandStandsInAnArgument) {
  Simple p;
  p.kernelOf(p.other).operands.push_back(p.reads(p.a));
  EXPECT_EQ(found(p),
            "error: step 1 relu: has operand 1, which no argument mentions; expected each in one [plan.access]\n"
            "  note: drop the operand, or name it in an argument\n");
}

// --- Rules ----------------------------------------------------------------------------------------------------

TEST(PlanVerifierRules, AreSortedAndStandInTheDocumentation) {
  std::ifstream file(CCGRAPH_SOURCE_DIR "/docs/plan-verifier.md");
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EQ(text, planVerifierMarkdown()) << "tools/docs writes it";
  llvm::ArrayRef<VerifierRule> rules = planVerifierRules();
  for (size_t i = 0; i < rules.size(); ++i) {
    EXPECT_TRUE(i == 0 || rules[i - 1].id < rules[i].id) << rules[i].id.str();
    EXPECT_EQ(rules[i].demand.back(), '.') << rules[i].id.str();
  }
}

} // namespace
} // namespace ccgraph
