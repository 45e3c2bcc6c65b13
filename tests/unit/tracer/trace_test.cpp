// Tests Trace: its begin and end, its refusals, and that it reports the first error.
#include "traced.h"

#include "ccgraph/frontend/fx_text.h"

#include <thread>

namespace ccgraph::test {
namespace {

using tracer::Trace;

TEST(Trace, RecordsCallsAsPyTorchsGraphsHoldThem) {
  Traced t;
  Tensor x = t.input("x", {4, 8});
  Tensor w = t.trace().parameter("w", {DType::F32, {8, 8}});
  Tensor y = relu(mm(x, w) + 1);
  EXPECT_EQ(t.trace().parameters().size(), 1U);
  EXPECT_EQ(t.finishText({y}), "mm = aten.mm.default(x, w) : f32[4, 8][8, 1]cpu\n"
                               "add = aten.add.Tensor(mm, 1) : f32[4, 8][8, 1]cpu\n"
                               "relu = aten.relu.default(add) : f32[4, 8][8, 1]cpu\n");
}

TEST(Trace, InputsStandBeforeCallsWheneverTheyAreMade) {
  Traced t;
  Tensor y = neg(t.input("x", {4}));
  Tensor z = t.input("z", {4});
  Graph &graph = t.finish({y * z});
  std::vector<std::string> names;
  for (const Node *node : graph)
    names.push_back(node->name().str().str());
  EXPECT_EQ(names, (std::vector<std::string>{"x", "z", "neg", "mul", "output"}));
}

TEST(Trace, InputsOfOneNameAreWrittenUnderTwo) {
  Traced t;
  Tensor x = t.input("x", {4}), again = t.input("x", {4});
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::cantFail(writeFxText(os, t.finish({x - again})));
  EXPECT_NE(os.str().find("x: \"f32[4][1]cpu\", x_1: \"f32[4][1]cpu\""), std::string::npos) << text;
  EXPECT_EQ(callsOf(*llvm::cantFail(readFxText(t.context(), {"f.py", text})).front()),
            "sub = aten.sub.Tensor(x, x_1) : f32[4][1]cpu\n");
}

TEST(Trace, ATensorKnowsItsType) {
  Traced t;
  Tensor x = t.trace().input("x", {DType::BF16, {2, 3}, "cuda:0", {1, 2}});
  EXPECT_EQ(x.typeText(), "bf16[2, 3][1, 2]cuda:0");
  EXPECT_EQ(x.dim(), 2);
  EXPECT_EQ(x.size(-1), 3);
  EXPECT_EQ(x.size(2), 0);
  EXPECT_EQ(x.numel(), 6);
  EXPECT_FALSE(x.isContiguous());
  EXPECT_EQ(x.strides(), (std::vector<int64_t>{1, 2}));
}

TEST(Trace, KnowsItsWorldAndModules) {
  Traced t({.name = "block", .worldSize = 2, .rank = 1});
  Tensor x = t.input("x", {4});
  {
    tracer::ModuleScope layer("layers.0");
    tracer::ModuleScope attention("attention");
    x = x + 1;
  }
  Graph &graph = t.finish({x * 2});
  EXPECT_EQ(graph.name(), "block");
  EXPECT_EQ(graph.worldSize, 2);
  EXPECT_EQ(graph.rank, 1);
  EXPECT_EQ(graph.groups().find("0")->ranks, (std::vector<int64_t>{0, 1}));
  const Frame &frame = graph.frames()[graph.find("add")->frame()];
  EXPECT_EQ(frame.annotation.str(), "{'module_fqn': 'layers.0.attention'}");
  EXPECT_EQ(graph.find("mul")->frame(), 0U);
}

TEST(Trace, AnInPlaceOperatorRenamesEveryHandle) {
  Traced t;
  Tensor x = t.input("x", {4});
  Tensor buffer = clone(x);
  Tensor same = buffer;
  add_(buffer, x);
  EXPECT_EQ(t.finishText({same * 2}), "clone = aten.clone.default(x) : f32[4][1]cpu\n"
                                      "add_ = aten.add_.Tensor(clone, x) : f32[4][1]cpu\n"
                                      "mul = aten.mul.Tensor(add_, 2) : f32[4][1]cpu\n");
}

TEST(Trace, ElementsThatNobodyUsesAreNotRecorded) {
  Traced t;
  tracer::TensorList parts = split(t.input("x", {6}), 2);
  EXPECT_EQ(parts.size(), 3U);
  EXPECT_EQ(t.finishText({parts[1]}), "split = aten.split.Tensor(x, 2) : (f32[2][1]cpu, f32[2][1]cpu, f32[2][1]cpu)\n"
                                      "getitem_1 = operator.getitem(split, 1) : f32[2][1]cpu\n");
}

// --- Refusals --------------------------------------------------------------------------------------------------------

TEST(TraceErrors, ACallOutsideOfATrace) {
  std::string text = "is called while no trace is open on this thread [trace.none]\n"
                     "  note: open one with Trace::begin, and finish it after the last call\n";
  EXPECT_EQ(errorOf(tracer::zeros({4})), "error: aten.zeros.default: " + text);
  EXPECT_EQ(errorOf(collectives::all_reduce(Tensor(), "sum", "0")), "error: all_reduce: " + text);
}

TEST(TraceErrors, ASecondTraceOnOneThread) {
  Traced t;
  Context context;
  EXPECT_EQ(errorOf(Trace::begin(context).takeError()),
            "error: forward: this thread has a trace that is open [trace.second]\n"
            "  note: finish that one first; other threads may have traces of their own\n");
}

TEST(TraceErrors, AThreadMayTraceAgainAfterATraceHasEnded) {
  { Traced dropped; }
  Traced finished;
  (void)finished.finish({finished.input("x", {1})});
  Traced again;
  EXPECT_TRUE(again.input("x", {1}).isValid());
}

TEST(TraceErrors, ATensorOfAFinishedTrace) {
  Traced first;
  Tensor x = first.input("x", {4});
  (void)first.finish({x});
  EXPECT_EQ(x.typeText(), "f32[4][1]cpu");
  Traced second;
  EXPECT_EQ(
      errorOf(x + 1),
      "error: aten.add.Tensor: is given a tensor of a trace that is finished, f32[4][1]cpu [trace.finished-tensor]\n"
      "  note: make it an input of this trace\n");
}

TEST(TraceErrors, ATensorOfAnotherThreadsTrace) {
  Traced mine;
  Tensor x = mine.input("x", {4});
  std::string error;
  std::thread([&] {
    Traced theirs;
    error = errorOf(neg(x));
  }).join();
  EXPECT_EQ(error, "error: aten.neg.default: is given a tensor of another trace, f32[4][1]cpu [trace.foreign-tensor]\n"
                   "  note: make it an input of this trace\n");
}

TEST(TraceErrors, AFinishedTrace) {
  Traced t;
  (void)t.finish({});
  EXPECT_EQ(t.finishText({}), "error: finish: is called on a trace that is finished [trace.finished]\n"
                              "  note: begin another one\n");
  EXPECT_EQ(errorOf(t.input("x", {1})), "error: x: is called on a trace that is finished [trace.finished]\n"
                                        "  note: begin another one\n");
}

TEST(TraceErrors, AWorldThatCannotBe) {
  Context context;
  EXPECT_EQ(errorOf(Trace::begin(context, {.worldSize = 0}).takeError()),
            "error: forward: a world of 0 ranks; expected 1 or more [trace.world]\n");
  EXPECT_EQ(errorOf(Trace::begin(context, {.worldSize = 2, .rank = 2}).takeError()),
            "error: forward: rank 2 of a world of 2 ranks [trace.world]\n"
            "  note: ranks count from 0 and are fewer than worldSize\n");
  EXPECT_EQ(errorOf(Trace::begin(context, {.rank = 0}).takeError()),
            "error: forward: rank 0 of a world of unknown size ranks [trace.world]\n"
            "  note: ranks count from 0 and are fewer than worldSize\n");
}

TEST(TraceErrors, AnInputThatCannotBe) {
  Traced t;
  std::string repair = "  note: sizes are counts, strides one for each size, devices \"cpu\" or \"cuda:0\"\n";
  EXPECT_EQ(errorOf(t.input("x", {4, -1})), "error: x: an input has a size of -1 [trace.input]\n" + repair);
  EXPECT_EQ(errorOf(t.trace().input("x", {DType::F32, {4}, "cpu", {1, 1}})),
            "error: x: an input has 2 strides for 1 sizes [trace.input]\n" + repair);
  EXPECT_EQ(errorOf(t.trace().input("x", {DType::F32, {4}, "cuda:x"})),
            "error: x: an input has device 'cuda:x' [trace.input]\n" + repair);
}

TEST(TraceErrors, AnAbsentTensor) {
  Traced t;
  EXPECT_EQ(errorOf(mm(t.input("x", {2, 2}), Tensor())),
            "error: aten.mm.default: argument 'mat2' was never given a value [trace.absent]\n"
            "  note: a Tensor that is default-constructed is absent: assign one to it first\n");
}

TEST(TraceErrors, WhatAShapeRuleRefuses) {
  Traced t;
  EXPECT_EQ(errorOf(mm(t.input("a", {2, 3}), t.input("b", {2, 3}))),
            "error: mm: multiplies f32[2, 3][3, 1]cpu by f32[2, 3][3, 1]cpu: 3 columns meet 2 rows [types.operands]\n"
            "  note: transpose one of them\n");
}

TEST(TraceErrors, WhatNoRuleTells) {
  Traced t;
  EXPECT_EQ(errorOf(tracer::call("mylib.scale.default", {t.input("x", {2}), 2.0})),
            "error: mylib.scale.default: no rule infers its result for (f32[2][1]cpu) [trace.no-rule]\n"
            "  note: look its arguments up in PyTorch's schema; operators of one's own are declared by "
            "context.ops().declare and have no types\n");
}

TEST(TraceErrors, TheFirstMistakeGoesThroughAllThatComesOfIt) {
  Traced t;
  Tensor x = t.input("x", {2, 3});
  Tensor wrong = mm(x, x);
  Tensor after = collectives::all_gather_tensor(softmax(relu(wrong), 1), 1, "0");
  EXPECT_EQ(errorOf(after), errorOf(wrong));
  EXPECT_EQ(errorOf(split(after, 1)[7]), errorOf(wrong));
  (void)mm(x, Tensor());
  EXPECT_EQ(t.finishText({x}), errorOf(wrong));
}

TEST(TraceErrors, AnElementThatIsNotThere) {
  Traced t;
  EXPECT_EQ(errorOf(split(t.input("x", {4}), 2)[2]), "error: element 2 of a list of 2 tensors [trace.element]\n");
}

TEST(Trace, ThreadsTraceBesideEachOther) {
  std::vector<std::thread> threads;
  std::vector<std::string> texts(4);
  for (std::string &text : texts)
    threads.emplace_back([&text] {
      Traced t;
      Tensor x = t.input("x", {4});
      for (int i = 0; i < 200; ++i)
        x = collectives::all_reduce(x * 2, "sum", "0");
      text = t.finishText({x});
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(std::count(texts[0].begin(), texts[0].end(), '\n'), 600);
  for (const std::string &text : texts)
    EXPECT_EQ(text, texts[0]);
}

} // namespace
} // namespace ccgraph::test
