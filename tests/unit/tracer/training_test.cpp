// backward on a trace, and optimizer steps: what is recorded, what is refused, and that a traced step trains.
#include "traced.h"

#include "ccgraph/runtime/interpreter.h"
#include "ccgraph/tracer/backward.h"
#include "ccgraph/tracer/optimizers.h"
#include "support/rank_program.h"

#include <cmath>

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

// --- Optimizers ------------------------------------------------------------------------------------------------------

/// What a graph gives for f64 inputs of 2 elements on one rank.
std::vector<std::vector<double>> computed(const Graph &graph,
                                          const std::map<std::string, std::vector<double>> &inputs) {
  runtime::RunRequest request{.graphs = {&graph}, .ranks = 1, .inputs = {{}}};
  for (const auto &[name, values] : inputs)
    request.inputs.front()["in." + name] = hostTensor(DType::F64, {2}, values);
  runtime::RunResult results = llvm::cantFail(runtime::interpret(request));
  std::vector<std::vector<double>> values;
  for (size_t i = 0; results.front().count("out." + std::to_string(i)) != 0; ++i)
    values.push_back(numbersOf(results.front().at("out." + std::to_string(i))));
  return values;
}

TEST(Optimizers, SgdGoesAgainstTheGradient) {
  Traced t;
  Tensor p = t.input("p", {2}, DType::F64), g = t.input("g", {2}, DType::F64);
  Graph &graph = t.finish({sgd(p, g, {.lr = 0.5}), sgd(p, g, {.lr = 0.5, .weightDecay = 0.25})});
  auto values = computed(graph, {{"p", {4, -8}}, {"g", {1, 2}}});
  EXPECT_EQ(values[0], (std::vector<double>{3.5, -9}));
  EXPECT_EQ(values[1], (std::vector<double>{3, -8}));
}

TEST(Optimizers, AdamWIsItsFormula) {
  Traced t;
  AdamWState state{t.input("p", {2}, DType::F64), t.input("m", {2}, DType::F64), t.input("v", {2}, DType::F64)};
  AdamWState next = adamw(state, t.input("g", {2}, DType::F64), {.lr = 0.1, .step = 3});
  auto values = computed(t.finish({next.parameter, next.average, next.square}),
                         {{"p", {2, -1}}, {"m", {0.5, 0.25}}, {"v", {0.125, 2}}, {"g", {1, -3}}});
  double p[] = {2, -1}, m[] = {0.5, 0.25}, v[] = {0.125, 2}, g[] = {1, -3};
  for (size_t i = 0; i != 2; ++i) {
    double average = 0.9 * m[i] + 0.1 * g[i], square = 0.999 * v[i] + 0.001 * g[i] * g[i];
    double scale = std::sqrt(square / (1 - std::pow(0.999, 3))) + 1e-8;
    EXPECT_NEAR(values[0][i], p[i] * (1 - 0.1 * 0.01) - 0.1 / (1 - std::pow(0.9, 3)) * average / scale, 1e-12);
    EXPECT_NEAR(values[1][i], average, 1e-15);
    EXPECT_NEAR(values[2][i], square, 1e-15);
  }
}

TEST(Optimizers, AdamWTakesTheStepFromTheProgramsInput) {
  Traced t;
  Tensor p = t.input("p", {2}, DType::F64), m = t.input("m", {2}, DType::F64), v = t.input("v", {2}, DType::F64);
  Tensor g = t.input("g", {2}, DType::F64), step = t.input("step", {2}, DType::F64);
  AdamWState given = adamw({p, m, v, step}, g, {.lr = 0.1}), constant = adamw({p, m, v}, g, {.lr = 0.1, .step = 3});
  auto values = computed(t.finish({given.parameter, constant.parameter}),
                         {{"p", {2, -1}}, {"m", {0.5, 0.25}}, {"v", {0.125, 2}}, {"g", {1, -3}}, {"step", {3, 3}}});
  for (size_t i = 0; i != 2; ++i)
    EXPECT_NEAR(values[0][i], values[1][i], 1e-12);
}

/// A step of fully sharded training of y = x w: each of two ranks has half of w, and half of the batch.
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
  // Of target = x (1, 2, 3, 4): rows (1, 0, 0, 0), (0, 1, 0, 0) on rank 0 and the other two on rank 1.
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
  // One rank's loss is the mean of its two squares, so an error shrinks by 1 - lr a step.
  EXPECT_NEAR(numbersOf(request.inputs[1]["in.shard"])[1], 4 * (1 - std::pow(1 - 0.05, 5)), 1e-12);
}

} // namespace
} // namespace ccgraph::test
