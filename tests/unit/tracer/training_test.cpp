// Tests backward on a trace: what is recorded, what is refused, and that a traced step trains.
#include "traced.h"

#include "ccgraph/runtime/interpreter.h"
#include "ccgraph/tracer/backward.h"
#include "ccgraph/tracer/optimizers.h"
#include "support/rank_program.h"

#include <cmath>
#include <functional>

namespace ccgraph::test {
namespace {

using namespace tracer;

TEST(Backward, AppendsTypedOperatorsAndGivesTensors) {
  Traced t;
  Tensor x = t.input("x", {4, 8}), w = t.trace().parameter("w", {DType::F32, {8, 2}});
  TensorList gradients = backward(sum(relu(mm(x, w))), {w});
  EXPECT_EQ(gradients[0].typeText(), "f32[8, 2][2, 1]cpu");
  std::string text = t.finishText({gradients[0] * 0.5});
  EXPECT_NE(text.find("aten.threshold_backward.default"), std::string::npos) << text;
  EXPECT_EQ(text.find(" : -\n"), std::string::npos) << text;
}

TEST(Backward, GoesThroughCollectivesOnLists) {
  namespace c = collectives;
  std::function<TensorList(const std::vector<Tensor> &)> forms[] = {
      [](const std::vector<Tensor> &both) { return c::all_reduce_coalesced(both, "avg", "0"); },
      [](const std::vector<Tensor> &both) { return c::all_gather_into_tensor_coalesced(both, "0"); },
      [](const std::vector<Tensor> &both) {
        return c::reduce_scatter_tensor_coalesced(both, "sum", {0, 1}, "0");
      },
  };
  for (const auto &form : forms) {
    Traced t({.worldSize = 2});
    std::vector<Tensor> both = {t.input("a", {4, 2}), t.input("b", {4, 2})};
    TensorList results = form(both);
    Tensor loss = mean(results[0]) + mean(results[1] * results[1]);
    TensorList gradients = backward(loss, both);
    EXPECT_EQ(noted(gradients.error()), "");
    EXPECT_EQ(differencesAfterO2(t.finish({loss, gradients[0], gradients[1]}), 2), "");
  }
}

TEST(Backward, LeavesOutWhatTheLossDoesNotDependOn) {
  Traced t;
  Tensor w = t.trace().parameter("w", {DType::F32, {8}}), v = t.trace().parameter("v", {DType::F32, {8}});
  TensorList gradients = backward(sum(w * 2), {w, v});
  EXPECT_TRUE(gradients[0].isValid());
  EXPECT_TRUE(gradients[1].isAbsent());
}

TEST(BackwardErrors, AreThoseOfTheRules) {
  Traced t;
  Tensor w = t.input("w", {8});
  Tensor doubled = w * 2;
  std::string before = t.text();
  EXPECT_NE(errorOf(backward(doubled, {w})[0]).find("[gradient.loss]"), std::string::npos);
  EXPECT_EQ(t.text(), before);
}

TEST(BackwardErrors, TensorsThatAreNotOfThisTrace) {
  EXPECT_EQ(errorOf(backward(Tensor(), {})[0]),
            "error: backward: is called while no trace is open on this thread [trace.none]\n"
            "  note: open one with Trace::begin, and finish it after the last call\n");
  Traced first;
  Tensor x = first.input("x", {1});
  (void)first.finish({x});
  Traced second;
  Tensor y = second.input("y", {1});
  EXPECT_EQ(errorOf(backward(y, {x})[0]),
            "error: backward: is given a tensor of a trace that is finished, f32[1][1]cpu [trace.finished-tensor]\n"
            "  note: make it an input of this trace\n");
  EXPECT_EQ(errorOf(backward(y, {Tensor()})[0]),
            "error: backward: is given a tensor that was never given a value [trace.absent]\n");
}

// --- Training --------------------------------------------------------------------------------------------------------

/// Returns a step of fully sharded training of y = x w: each of two ranks has half of w, and half of the batch.
Graph &shardedStep(Traced &t) {
  Tensor x = t.input("x", {2, 4}, DType::F64), target = t.input("target", {2, 1}, DType::F64);
  Tensor shard = t.trace().parameter("shard", {DType::F64, {2, 1}});
  Tensor error = mm(x, collectives::all_gather_tensor_autograd(shard, 0, "0")) - target;
  Tensor loss = mean(error * error);
  return t.finish({loss, sgd(shard, backward(loss, {shard})[0], {.lr = 0.05})});
}

TEST(Training, AShardedStepMakesTheLossFall) {
  Traced t({.worldSize = 2});
  Graph &graph = shardedStep(t);
  EXPECT_EQ(differencesAfterO2(graph, 2), "");
  runtime::RunRequest request{.graphs = {&graph}, .ranks = 2};
  // The data of target = x (1, 2, 3, 4): rows (1, 0, 0, 0), (0, 1, 0, 0) on rank 0 and the other two on rank 1.
  for (double rank : {0.0, 1.0}) {
    std::vector<double> rows(8);
    rows[static_cast<size_t>(2 * rank)] = rows[static_cast<size_t>(5 + 2 * rank)] = 1;
    request.inputs.push_back({{"in.x", hostTensor(DType::F64, {2, 4}, rows)},
                              {"in.target", hostTensor(DType::F64, {2, 1}, {1 + 2 * rank, 2 + 2 * rank})},
                              {"in.shard", hostTensor(DType::F64, {2, 1}, {0, 0})}});
  }
  double before = 1e9;
  for (int step = 0; step != 5; ++step) {
    runtime::RunResult results = llvm::cantFail(runtime::interpret(request));
    double loss = numbersOf(results[0].at("out.0"))[0] + numbersOf(results[1].at("out.0"))[0];
    EXPECT_LT(loss, before);
    before = loss;
    for (size_t rank = 0; rank != 2; ++rank)
      request.inputs[rank]["in.shard"] = results[rank].at("out.1");
  }
  // The loss of one rank is the mean of its two squares, so an error shrinks by 1 - lr in each step.
  EXPECT_NEAR(numbersOf(request.inputs[1]["in.shard"])[1], 4 * (1 - std::pow(1 - 0.05, 5)), 1e-12);
}

} // namespace
} // namespace ccgraph::test
