// Tests what a step of a plan reads and writes: windows, results in place and elsewhere, numbers, memory that grows.
#include "engine/arena.h"
#include "engine/request_check.h"
#include "support/plan_builder.h"
#include "support/rank_program.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

using Row = std::vector<double>;

HostTensor f32(std::vector<int64_t> sizes, const Row &values) {
  return hostTensor(DType::F32, std::move(sizes), values);
}

/// Runs a plan on one rank; a run that fails ends the test.
TensorMap run(const PlanBuilder &b, TensorMap inputs, uint64_t seed = 0) {
  return resultsOf(runLocally(b.plan, {std::move(inputs)}, seed)).front();
}
Row out(const TensorMap &results, const std::string &name = "out.0") { return numbersOf(results.at(name)); }

TEST(PlanSteps, AResultGoesIntoItsWindow) {
  PlanBuilder b;
  PlanWindow x = b.input("x", {3}), y = b.compute("y", {3});
  b.kernel("y", "aten.add.Tensor", {x, x}, y);
  b.returns(y);
  EXPECT_EQ(out(run(b, {{"in.x", f32({3}, {1, 2, 3})}})), (Row{2, 4, 6}));
}

TEST(PlanSteps, AResultGoesIntoAWindowWithGaps) {
  PlanBuilder b;
  PlanWindow x = b.input("x", {2, 2}), all = b.compute("all", {2, 4});
  PlanWindow right{all.buffer, b.stridedType({2, 2}, {4, 1}), Dim(2)};
  b.kernel(
      "zeros", "aten.full.default",
      {PlanActual(Argument::sequence(Argument::Kind::List, b.plan.keep({Argument::integer(2), Argument::integer(4)}))),
       0.0},
      all);
  b.kernel("y", "aten.neg.default", {x}, right);
  b.returns(all);
  b.returns(right);
  TensorMap results = run(b, {{"in.x", f32({2, 2}, {1, 2, 3, 4})}});
  EXPECT_EQ(out(results), (Row{0, 0, -1, -2, 0, 0, -3, -4}));
  EXPECT_EQ(out(results, "out.1"), (Row{-1, -2, -3, -4}));
}

TEST(PlanSteps, AViewIsAnotherWindow) {
  PlanBuilder b;
  PlanWindow x = b.input("x", {2, 3}), y = b.compute("y", {3, 2});
  PlanWindow transposed{x.buffer, b.stridedType({3, 2}, {1, 3}), Dim(0)};
  b.kernel("y", "aten.relu.default", {transposed}, y);
  b.returns(y);
  EXPECT_EQ(out(run(b, {{"in.x", f32({2, 3}, {1, 2, 3, 4, 5, 6})}})), (Row{1, 4, 2, 5, 3, 6}));
}

TEST(PlanSteps, AResultInPlaceIsSeenInTheInput) {
  PlanBuilder b;
  PlanWindow x = b.input("x", {2});
  b.kernel("x2", "aten.mul_.Tensor", {PlanBuilder::changes(x), x}, x);
  b.plan.inputs.front().after = PlanValue::tensor(x);
  b.returns(x);
  TensorMap given = {{"in.x", f32({2}, {3, 4})}};
  TensorMap results = run(b, given);
  EXPECT_EQ(out(results), (Row{9, 16}));
  EXPECT_EQ(out(results, "after.x"), (Row{9, 16}));
  EXPECT_EQ(out(given, "in.x"), (Row{3, 4})) << "what the caller gave is the caller's";
}

TEST(PlanSteps, AnInputIsLaidOutAsItsWindowSays) {
  PlanBuilder b;
  PlanWindow x = b.input("x", b.stridedType({2, 2}, {1, 3}));
  PlanWindow memory = b.part(x, {5}, 0);
  b.returns(memory);
  EXPECT_EQ(out(run(b, {{"in.x", f32({2, 2}, {1, 2, 3, 4})}})), (Row{1, 3, 0, 2, 4}));
}

TEST(PlanSteps, CopiesReachEveryElement) {
  PlanBuilder b;
  PlanWindow x = b.input("x", {2, 2}), y = b.compute("y", {4});
  b.copy("c", {x.buffer, b.stridedType({2, 2}, {1, 2}), Dim(0)}, {y.buffer, b.type({2, 2}), Dim(0)});
  b.returns(y);
  EXPECT_EQ(out(run(b, {{"in.x", f32({2, 2}, {1, 2, 3, 4})}})), (Row{1, 3, 2, 4}));
}

TEST(PlanSteps, SeveralResultsHaveAWindowEach) {
  PlanBuilder b;
  PlanWindow x = b.input("x", {3}), values = b.compute("values", {3});
  PlanWindow indices = b.buffer(Home::Compute, "indices", b.type({3}, DType::I64));
  b.kernel("sort", "aten.sort.default", {x}, PlanValue::list({PlanValue::tensor(values), PlanValue::tensor(indices)}));
  b.returns(values);
  b.returns(indices);
  TensorMap results = run(b, {{"in.x", f32({3}, {5, 1, 3})}});
  EXPECT_EQ(out(results), (Row{1, 3, 5}));
  EXPECT_EQ(out(results, "out.1"), (Row{1, 2, 0}));
}

TEST(PlanSteps, AResultThatNobodyAsksForGoesNowhere) {
  PlanBuilder b;
  PlanWindow x = b.input("x", {3}), values = b.compute("values", {3});
  b.kernel("sort", "aten.sort.default", {x}, PlanValue::list({PlanValue::tensor(values), PlanValue()}));
  b.returns(values);
  EXPECT_EQ(out(run(b, {{"in.x", f32({3}, {5, 1, 3})}})), (Row{1, 3, 5}));
}

TEST(PlanSteps, ResultsBehindTheLastThatIsTakenHaveNoPlace) {
  PlanBuilder b;
  PlanWindow x = b.input("x", {3}), values = b.compute("values", {3});
  b.kernel("sort", "aten.sort.default", {x}, PlanValue::list({PlanValue::tensor(values)}));
  b.returns(values);
  EXPECT_EQ(out(run(b, {{"in.x", f32({3}, {5, 1, 3})}})), (Row{1, 3, 5}));
}

TEST(PlanSteps, AListThatIsTooShortIsAnError) {
  PlanBuilder b;
  PlanWindow x = b.input("x", {3}), values = b.compute("values", {3});
  b.kernel("sort", "aten.sort.default", {x}, PlanValue::list({PlanValue::tensor(values), PlanValue(), PlanValue()}));
  b.returns(values);
  std::string error = errorOf(runLocally(b.plan, {{{"in.x", f32({3}, {5, 1, 3})}}}));
  EXPECT_EQ(error, "error: sort: rank 0: got a list of 2, expected a list of at least 3 [run.type]\n");
}

TEST(PlanSteps, NumbersGoThroughSlots) {
  PlanBuilder b;
  PlanWindow x = b.input("x", {1}), y = b.compute("y", {1});
  b.plan.numSlots = 1;
  b.host("n", "aten.item.default", {x}, PlanValue::number(0, nullptr));
  b.kernel("y", "aten.mul.Tensor", {x, PlanValue::number(0, nullptr)}, y);
  b.returns(y);
  b.plan.outputs.push_back(PlanValue::number(0, nullptr));
  TensorMap results = run(b, {{"in.x", f32({1}, {3})}});
  EXPECT_EQ(out(results), (Row{9}));
  EXPECT_EQ(out(results, "out.1"), (Row{3}));
}

TEST(PlanSteps, AnInputMayBeANumber) {
  PlanBuilder b;
  PlanWindow x = b.input("x", {1}), y = b.compute("y", {1});
  b.plan.numSlots = 1;
  b.plan.inputs.push_back({"in.n", PlanValue::number(0, b.context.symbolicScalar(b.context.symbolic("s0"))), {}});
  b.kernel("y", "aten.add.Tensor", {x, PlanActual(Argument::symbolic(b.context.symbolic("2*s0")))}, y);
  b.returns(y);
  EXPECT_EQ(out(run(b, {{"in.x", f32({1}, {3})}, {"in.n", hostTensor(DType::I64, {}, {5})}})), (Row{13}));
}

TEST(PlanSteps, OutputsKeepTheirPlaces) {
  PlanBuilder b;
  PlanWindow x = b.input("x", {1});
  b.plan.outputs = {PlanValue(), PlanValue::ofLiteral(Argument::integer(7)), PlanValue::ofObject(b.name("mesh")),
                    PlanValue::tensor(x)};
  TensorMap results = run(b, {{"in.x", f32({1}, {3})}});
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(out(results, "out.1"), (Row{7}));
  EXPECT_EQ(out(results, "out.3"), (Row{3}));
}

TEST(PlanSteps, AttributesAreBroughtLikeInputs) {
  PlanBuilder b;
  PlanWindow w = b.buffer(Home::Attribute, "w", b.type({1})), y = b.compute("y", {1});
  b.plan.inputs.push_back({"attr.w", PlanValue::tensor(w), {}});
  b.kernel("y", "aten.neg.default", {w}, y);
  b.returns(y);
  EXPECT_EQ(out(run(b, {{"attr.w", f32({1}, {3})}})), (Row{-3}));
}

TEST(PlanSteps, RandomNumbersAreTheInterpreters) {
  PlanBuilder b;
  PlanWindow x = b.input("x", {4}), y = b.compute("y", {4}), z = b.compute("z", {4});
  b.kernel("y", "aten.rand_like.default", {x}, y);
  b.kernel("z", "aten.randn_like.default", {x}, z);
  b.returns(y);
  b.returns(z);
  RankProgram program(1,
                      "x: \"f32[4]\"\n y = aten.rand_like.default(x)\n z = aten.randn_like.default(x)\n return (y, z)");
  program.legibleInput({4});
  TensorMap results = run(b, {{"in.x", f32({4}, {1, 2, 3, 4})}});
  EXPECT_EQ(out(results), program.output(0));
  EXPECT_EQ(out(results, "out.1"), program.output(0, "out.1"));
}

/// A plan that computes nonzero of x, whose size depends on the data, then its sum, and a copy of its first row.
struct GrowingPlan : PlanBuilder {
  GrowingPlan() {
    PlanWindow x = input("x", {4});
    Dim u0(context.symbolic("u0"));
    Dim sizes[] = {u0, Dim(1)}, strides[] = {Dim(1), Dim(1)};
    found = rawBuffer(Home::Growing, "found", context.tensor(DType::I64, {sizes, strides}, {name("cpu")}), Dim());
    PlanWindow total = buffer(Home::Compute, "total", type({}, DType::I64));
    kernel("found", "aten.nonzero.default", {x}, found);
    kernel("total", "aten.sum.default", {found}, total);
    returns(total);
    plan.outputs.push_back(PlanValue::ofLiteral(Argument::symbolic(context.symbolic("u0"))));
  }
  PlanWindow found;
};

TEST(PlanSteps, ABufferMayGrow) {
  GrowingPlan b;
  TensorMap results = run(b, {{"in.x", f32({4}, {1, 0, 1, 1})}});
  EXPECT_EQ(out(results), (Row{5}));
  EXPECT_EQ(out(results, "out.1"), (Row{3}));
}

TEST(PlanSteps, ABufferGrowsAnewInEachRun) {
  GrowingPlan b;
  runtime::PlanRequest request;
  request.plans = {&b.plan};
  auto plans = llvm::cantFail(runtime::findEngine("local")->prepare(request));
  EXPECT_EQ(out(resultsOf(plans->run({{{"in.x", f32({4}, {1, 0, 1, 1})}}})).front()), (Row{5}));
  EXPECT_EQ(out(resultsOf(plans->run({{{"in.x", f32({4}, {0, 0, 0, 1})}}})).front()), (Row{3}));
}

TEST(PlanSteps, SizesAreKnownWhereThereIsNoMemory) {
  GrowingPlan b;
  b.plan.numSlots = 1;
  // The buffer is freed after the last step that reads an element.
  b.host("size", "aten.sym_size.int", {PlanOperand{PlanValue::tensor(b.found), false, false}, 0},
         PlanValue::number(0, nullptr));
  b.order("total", "size");
  b.plan.outputs = {PlanValue::number(0, nullptr)};
  EXPECT_EQ(out(run(b, {{"in.x", f32({4}, {1, 0, 1, 1})}})), (Row{3}));
}

TEST(PlanSteps, MemoryFollowsTheSymbols) {
  PlanBuilder b;
  Dim s0(b.context.symbolic("s0")), sizes[] = {s0}, strides[] = {Dim(1)};
  const Type *type = b.context.tensor(DType::F32, {sizes, strides}, {b.name("cpu")});
  Dim bytes(b.context.symbolic("4*s0"));
  PlanWindow x = b.rawBuffer(Home::Input, "x", type, bytes);
  b.plan.inputs.push_back({"in.x", PlanValue::tensor(x), {}});
  PlanWindow y = b.rawBuffer(Home::Compute, "y", type, bytes), z = b.rawBuffer(Home::Compute, "z", type, bytes);
  b.plan.layout = {{{b.name("s0"), 2}}, {0, 0, 64}, 128, 0, 16};
  b.kernel("y", "aten.neg.default", {x}, y);
  b.kernel("z", "aten.add.Tensor", {x, y}, z);
  b.returns(y);
  b.returns(z);
  runtime::PlanRequest request;
  request.plans = {&b.plan};
  auto plans = llvm::cantFail(runtime::findEngine("local")->prepare(request));
  for (int64_t size : {2, 100, 2, 0}) {
    Row ones(static_cast<size_t>(size), 1), none(ones.size(), 0);
    Row minus(ones.size(), -1);
    TensorMap results = resultsOf(plans->run({{{"in.x", f32({size}, ones)}}})).front();
    EXPECT_EQ(out(results), minus);
    EXPECT_EQ(out(results, "out.1"), none);
  }
}

TEST(PlanSteps, ArenasAreAlignedAndShowWhatNobodyWrote) {
  for (int64_t alignment : {bufferAlignment, arenaAlignment}) {
    runtime::Arena arena(10, alignment);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(arena.data()) % static_cast<uintptr_t>(alignment), 0U);
    EXPECT_TRUE(std::all_of(arena.data(), arena.data() + 10, [](std::byte byte) { return byte == std::byte{0xff}; }));
  }
}

// --- Errors ---------------------------------------------------------------------------------------------

TEST(PlanSteps, WhatIsNotInPlaceThoughThePlanSaysSoIsAnError) {
  PlanBuilder b;
  PlanWindow x = b.input("x", {2});
  b.kernel("y", "aten.mul.Tensor", {PlanBuilder::changes(x), x}, x);
  EXPECT_EQ(errorOf(runLocally(b.plan, {{{"in.x", f32({2}, {3, 4})}}})),
            "error: y: rank 0: yields memory of its own, expected the operand in `x`, which it writes in place "
            "according to the plan "
            "[run.plan]\n");
}

TEST(PlanSteps, AWindowOutsideOfItsBufferIsAnError) {
  PlanBuilder b;
  PlanWindow x = b.input("x", {2}), y = b.compute("y", {2});
  b.kernel("y", "aten.neg.default", {b.part(x, {2}, 1)}, y);
  EXPECT_EQ(errorOf(runLocally(b.plan, {{{"in.x", f32({2}, {3, 4})}}})),
            "error: y: rank 0: has a window up to byte 12 of buffer `x`, which has 8 bytes [run.plan]\n");
}

TEST(PlanSteps, ABufferOutsideOfItsArenaIsAnError) {
  PlanBuilder b;
  b.compute("y", {2});
  b.plan.layout.offsets.back() = 60;
  EXPECT_EQ(errorOf(runLocally(b.plan, {{}})),
            "error: rank 0: buffer `y` of 8 bytes lies from byte 60 on of an arena of 64 [run.plan]\n");
}

TEST(PlanSteps, AResultOfAnotherTypeIsAnError) {
  PlanBuilder b;
  PlanWindow x = b.input("x", {2}), y = b.compute("y", {3});
  b.kernel("y", "aten.neg.default", {x}, y);
  EXPECT_EQ(errorOf(runLocally(b.plan, {{{"in.x", f32({2}, {3, 4})}}})),
            "error: y: rank 0: got f32[2][1], expected f32[3][1]cpu as its type states [run.type]\n");
}

TEST(PlanSteps, AKernelThatRefusesIsAnError) {
  PlanBuilder b;
  PlanWindow x = b.input("x", {2}), y = b.input("y", {3}), z = b.compute("z", {3});
  b.kernel("z", "aten.add.Tensor", {x, y}, z);
  std::string error = errorOf(runLocally(b.plan, {{{"in.x", f32({2}, {3, 4})}, {"in.y", f32({3}, {3, 4, 5})}}}));
  EXPECT_EQ(error,
            "error: z: rank 0: aten.add.Tensor: got sizes [2] and [3], expected sizes that broadcast [run.kernel]\n");
}

TEST(PlanSteps, AnOperatorWithoutKernelIsSaidBeforeTheRun) {
  PlanBuilder b;
  b.kernel("z", "mylib.unheard_of.default", {}, PlanValue());
  EXPECT_EQ(errorOf(runLocally(b.plan, {{}})),
            "error: z: rank 0: no kernel of builtin computes mylib.unheard_of.default [run.no-kernel]\n"
            "  note: --kernels torch computes every operator that PyTorch has; kernels of your own can be registered "
            "(ccgraph/runtime/kernel_provider.h)\n");
}

TEST(PlanSteps, InputsAreHeldToTheirTypes) {
  PlanBuilder b;
  b.input("x", {2});
  EXPECT_EQ(errorOf(runLocally(b.plan, {{}})), "error: x: rank 0: got no value in.x, expected f32[2][1]cpu "
                                               "[run.no-input]\n  note: values are named in.<placeholder>\n");
  EXPECT_EQ(errorOf(runLocally(b.plan, {{{"in.x", f32({3}, {1, 2, 3})}}})),
            "error: x: rank 0: the given input: got f32[3][1], expected f32[2][1]cpu as its type states [run.type]\n");
}

TEST(PlanSteps, AReadBeforeTheStepThatGrowsIsAnError) {
  GrowingPlan b;
  std::swap(b.plan.steps[0], b.plan.steps[1]);
  EXPECT_EQ(errorOf(runLocally(b.plan, {{{"in.x", f32({4}, {1, 0, 1, 1})}}})),
            "error: total: rank 0: needs u0, which has no value here [run.unknown-symbol]\n  note: some input or step "
            "must have the "
            "symbol as its value or as one of its sizes\n");
}

TEST(PlanSteps, MoreMemoryThanAllowedIsRefused) {
  PlanBuilder b;
  b.compute("y", {1000});
  runtime::PlanRequest request;
  request.plans = {&b.plan};
  request.inputs.resize(1);
  request.memoryLimit = 1000;
  EXPECT_EQ(errorOf(runPlans(*runtime::findEngine("local"), request)),
            "error: 1 rank needs 3.9 KiB, and the limit is 1000 B [run.memory]\n  note: run the program with smaller "
            "sizes: one "
            "rank alone does not fit\n");
}

TEST(PlanSteps, OnlyRanksOfOneHostShareItsMemory) {
  PlanBuilder b;
  b.compute("y", {1000});
  runtime::PlanRequest request;
  request.plans = {&b.plan};
  request.ranks = 4;
  request.memoryLimit = 9000;
  EXPECT_EQ(llvm::toString(runtime::checkPlanRequest(request, *runtime::findEngine("local"), {1, 3})), "");
  EXPECT_EQ(
      llvm::toString(runtime::checkPlanRequest(request, *runtime::findEngine("local"), {0, 1, 2, 3})),
      "error: 4 ranks need 15.8 KiB together, 3.9 KiB each, and the limit is 8.8 KiB [run.memory]\n  note: run at most "
      "2 ranks, or the program with smaller sizes\n");
}

TEST(PlanSteps, AStepThatNeedsMoreMemoryThanAllowedEndsTheRun) {
  GrowingPlan b;
  runtime::PlanRequest request;
  request.plans = {&b.plan};
  request.inputs = {{{"in.x", f32({4}, {1, 0, 1, 1})}}};
  request.memoryLimit = 64 + 16;
  std::string error = errorOf(runPlans(*runtime::findEngine("local"), request));
  EXPECT_NE(error.find("[run.memory]"), std::string::npos) << error;
}

TEST(PlanSteps, MarksOfTheProfilerAreHandedOn) {
  PlanBuilder b;
  PlanWindow x = b.input("x", {2}), y = b.compute("y", {2});
  b.plan.numSlots = 1;
  b.host("begin", "profiler._record_function_enter_new.default", {Argument::string(b.name("step"))},
         PlanValue::number(0, nullptr));
  b.kernel("y", "aten.neg.default", {x}, y);
  b.host("end", "profiler._record_function_exit._RecordFunction", {PlanValue::number(0, nullptr)}, PlanValue());
  b.returns(y);
  EXPECT_EQ(errorOf(runLocally(b.plan, {{{"in.x", f32({2}, {1, 2})}}})), "");
}

} // namespace
} // namespace ccgraph::test
