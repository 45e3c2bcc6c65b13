// Tests optimizer steps: their formulas, and the list form against the form for one parameter.
#include "traced.h"

#include "ccgraph/ir/op_def.h"
#include "ccgraph/runtime/interpreter.h"
#include "ccgraph/tracer/optimizers.h"
#include "support/rank_program.h"

#include <cmath>

namespace ccgraph::test {
namespace {

using namespace tracer;

/// Returns a graph's results for f64 inputs of 2 elements on one rank.
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

// --- Of lists --------------------------------------------------------------------------------------------------------

TEST(ForeachOptimizers, SgdIsOneCallForAllParameters) {
  Traced t;
  Tensor p = t.input("p", {2}), q = t.input("q", {3}), g = t.input("g", {2}), h = t.input("h", {3});
  std::vector<Tensor> next = sgd(std::vector{p, q}, std::vector{g, h}, {.lr = 0.5, .weightDecay = 0.25});
  EXPECT_EQ(t.finishText(next),
            "_foreach_add = aten._foreach_add.List([g, h], [p, q], alpha=0.25) : (f32[2][1]cpu, f32[3][1]cpu)\n"
            "getitem = operator.getitem(_foreach_add, 0) : f32[2][1]cpu\n"
            "getitem_1 = operator.getitem(_foreach_add, 1) : f32[3][1]cpu\n"
            "_foreach_add_1 = aten._foreach_add.List([p, q], [getitem, getitem_1], alpha=-0.50) : (f32[2][1]cpu, "
            "f32[3][1]cpu)\n"
            "getitem_2 = operator.getitem(_foreach_add_1, 0) : f32[2][1]cpu\n"
            "getitem_3 = operator.getitem(_foreach_add_1, 1) : f32[3][1]cpu\n");
}

TEST(ForeachOptimizers, AdamWCallsWhatTorchOptimCalls) {
  Traced t;
  std::vector<AdamWState> states{{t.input("p", {2}), t.input("m", {2}), t.input("v", {2})}};
  std::vector<AdamWState> next = adamw(states, {t.input("g", {2})}, {.lr = 0.1, .step = 3});
  std::string calls;
  for (const Node *node : t.finish({next[0].parameter}))
    if (node->opcode() == Opcode::CallFunction && node->op()->role != OpRole::GetItem)
      calls += (calls.empty() ? "" : " ") + node->target().str().substr(llvm::StringRef("aten._foreach_").size()).str();
  EXPECT_EQ(calls, "mul.Scalar lerp.Scalar mul.Scalar addcmul.Scalar sqrt.default div.ScalarList add.Scalar "
                   "addcdiv.ScalarList");
}

TEST(ForeachOptimizers, EachDtypeHasItsOwnCall) {
  Traced t;
  Tensor p = t.input("p", {2}), q = t.input("q", {3}, DType::F64), r = t.input("r", {4});
  std::vector<Tensor> next = sgd(std::vector{p, q, r}, std::vector{p * 2, q * 2, r * 2}, {.lr = 0.5});
  std::string text = t.finishText(next);
  EXPECT_NE(text.find("aten._foreach_add.List([p, r], [mul, mul_2], alpha=-0.5"), std::string::npos) << text;
  EXPECT_NE(text.find("aten._foreach_add.List([q], [mul_1], alpha=-0.5"), std::string::npos) << text;
}

TEST(ForeachOptimizers, AParameterWithoutGradientStaysAsItIs) {
  Traced t;
  Tensor p = t.input("p", {2}), q = t.input("q", {2}), g = t.input("g", {2});
  std::vector<Tensor> next = sgd(std::vector{p, q}, std::vector{Tensor(), g});
  EXPECT_EQ(next[0].state(), p.state());
  EXPECT_NE(next[1].state(), q.state());
  std::vector<AdamWState> states{{p, p, p}, {q, q, q}};
  std::vector<AdamWState> stepped = adamw(states, {g, Tensor()});
  EXPECT_NE(stepped[0].parameter.state(), p.state());
  EXPECT_EQ(stepped[1].average.state(), q.state());
}

TEST(ForeachOptimizers, OfNothingAreNothing) {
  Traced t;
  EXPECT_TRUE(sgd(std::vector<Tensor>(), std::vector<Tensor>()).empty());
  EXPECT_TRUE(adamw(std::vector<AdamWState>(), {}).empty());
  EXPECT_EQ(t.text(), "");
}

/// Returns the largest difference of two lists with the same number of values.
double worst(const std::vector<std::vector<double>> &values) {
  double worst = 0;
  size_t half = values.size() / 2;
  for (size_t i = 0; i != half; ++i)
    for (size_t k = 0; k != values[i].size(); ++k)
      worst = std::max(worst, std::abs(values[i][k] - values[half + i][k]));
  return worst;
}

const std::map<std::string, std::vector<double>> twoStates = {
    {"p", {2, -1}}, {"m", {0.5, 0.25}}, {"v", {0.125, 2}}, {"g", {1, -3}},   {"q", {-4, 8}},
    {"n", {0, -1}}, {"w", {0, 3}},      {"h", {-2, 0.5}},  {"step", {3, 3}}, {"other", {7, 7}}};

TEST(ForeachOptimizers, SgdIsThatOfEachParameter) {
  for (double decay : {0.0, 0.25}) {
    Traced t;
    SgdOptions options{.lr = 0.5, .weightDecay = decay};
    Tensor p = t.input("p", {2}, DType::F64), q = t.input("q", {2}, DType::F64);
    Tensor g = t.input("g", {2}, DType::F64), h = t.input("h", {2}, DType::F64);
    std::vector<Tensor> next = sgd(std::vector{p, q}, std::vector{g, h}, options);
    auto values = computed(t.finish({next[0], next[1], sgd(p, g, options), sgd(q, h, options)}), twoStates);
    EXPECT_EQ(values.size(), 4U);
    EXPECT_LE(worst(values), 1e-15) << decay;
  }
}

/// Returns both parameters of `twoStates`; their steps are inputs of these names, or constants for empty names.
std::vector<AdamWState> statesOf(Traced &t, const std::string &step, const std::string &other) {
  auto input = [&](const std::string &name) { return t.input(name, {2}, DType::F64); };
  std::vector<AdamWState> states{{input("p"), input("m"), input("v")}, {input("q"), input("n"), input("w")}};
  if (!step.empty())
    states[0].step = states[1].step = input(step);
  if (!other.empty())
    states[1].step = input(other);
  return states;
}

double worstOfAdamW(Traced &t, const std::vector<AdamWState> &states, const AdamWOptions &options) {
  std::vector<Tensor> gradients{t.input("g", {2}, DType::F64), t.input("h", {2}, DType::F64)}, outputs;
  std::vector<AdamWState> next = adamw(states, gradients, options);
  for (size_t i : {0U, 1U})
    next.push_back(adamw(states[i], gradients[i], options));
  for (const AdamWState &state : next)
    outputs.insert(outputs.end(), {state.parameter, state.average, state.square});
  auto values = computed(t.finish(outputs), twoStates);
  EXPECT_EQ(values.size(), 12U);
  return worst(values);
}

TEST(ForeachOptimizers, AdamWIsThatOfEachParameter) {
  for (double decay : {0.0, 0.01}) {
    Traced t;
    EXPECT_LE(worstOfAdamW(t, statesOf(t, "", ""), {.lr = 0.1, .weightDecay = decay, .step = 3}), 1e-14) << decay;
  }
}

TEST(ForeachOptimizers, AdamWTakesEachParametersOwnStep) {
  for (const char *other : {"", "other"}) {
    Traced t;
    EXPECT_LE(worstOfAdamW(t, statesOf(t, "step", other), {.lr = 0.1}), 1e-14) << other;
  }
}

TEST(ForeachOptimizerErrors, ListsOfDifferentLengths) {
  Traced t;
  Tensor p = t.input("p", {2});
  EXPECT_EQ(errorOf(sgd(std::vector{p, p}, std::vector{p})[1]),
            "error: sgd: is given 2 parameters and 1 gradients [trace.optimizer]\n"
            "  note: give one for each, absent where a parameter has none\n");
  EXPECT_EQ(errorOf(adamw(std::vector<AdamWState>{{p, p, p}}, {})[0].square),
            "error: adamw: is given 1 parameters and 0 gradients [trace.optimizer]\n"
            "  note: give one for each, absent where a parameter has none\n");
}

TEST(ForeachOptimizerErrors, OutsideOfATrace) {
  Tensor p;
  {
    Traced t;
    p = t.input("p", {2});
    (void)t.finish({p});
  }
  EXPECT_NE(errorOf(sgd(std::vector{p}, std::vector{p})[0]).find("[trace.none]"), std::string::npos);
}

} // namespace
} // namespace ccgraph::test
