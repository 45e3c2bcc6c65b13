// Tests gradients against finite differences in f64, on one rank and on several, operators without gradient, and
// refusals.
#include "gradient_cases.h"
#include "support/noted.h"
#include "support/random.h"
#include "support/rank_program.h"

#include "ccgraph/ir/infer_types.h"
#include "ccgraph/ir/int_list.h"
#include "ccgraph/ir/verifier.h"
#include "ccgraph/tracer/gradient.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

namespace ccgraph::test {
namespace {

using tracer::appendGradients;
using tracer::differentiableTargets;
using tracer::GradientRequest;

Node *nodeNamed(const Graph &graph, llvm::StringRef name) {
  for (Node *node : graph.nodes())
    if (node->name().str() == name)
      return node;
  return nullptr;
}

/// Returns the targets of its calls, each once.
std::set<std::string> targetsOf(const Graph &graph) {
  std::set<std::string> targets;
  for (const Node *node : graph)
    if (node->opcode() == Opcode::CallFunction)
      targets.insert(node->target().str().str());
  return targets;
}

std::vector<Node *> differentiableInputs(const Graph &graph) {
  std::vector<Node *> inputs;
  for (Node *node : graph.nodes())
    if (node->opcode() == Opcode::Placeholder && node->type()->dtype() == DType::F64)
      inputs.push_back(node);
  return inputs;
}

/// The program with `y` and the gradients of `y` as outputs. The weights of y's elements are an input, `seed`.
class Differentiated {
public:
  explicit Differentiated(const GradientCase &given) : given_(given), program_(given.ranks, given.text) {
    Graph &graph = program_.graph();
    inferTypes(graph);
    Node *y = nodeNamed(graph, "y");
    with_ = differentiableInputs(graph);
    note("operators", llvm::join(targetsOf(graph), " "));
    Node *output = graph.back();
    GraphBuilder inputs(graph, graph.front());
    Node *seed = inputs.input("seed", inputs.tensorLike(*y->type(), *staticDims(y->type()->sizes())));
    GraphBuilder builder(graph, output);
    gradients_ = llvm::cantFail(appendGradients(builder, {.of = y, .with = with_, .seed = seed}));
    if (llvm::is_contained(gradients_, nullptr))
      return;
    graph.erase(output);
    std::vector<Actual> results = {y};
    for (Node *gradient : gradients_)
      results.emplace_back(gradient);
    GraphBuilder(graph).output(std::move(results));
    inferTypes(graph);
    bringInputs();
  }

  [[nodiscard]] std::string wrong() {
    if (llvm::is_contained(gradients_, nullptr))
      return "an input has no gradient";
    if (std::vector<Diagnostic> found = verify(program_.graph()); !found.empty())
      return toString(found);
    runtime::RunResult result = llvm::cantFail(run());
    std::string wrong;
    for (size_t rank = 0; rank < given_.ranks; ++rank)
      for (size_t input = 0; input < with_.size(); ++input)
        wrong += compare(rank, input, numbersOf(result[rank].at("out." + std::to_string(input + 1))));
    note("worst error", llvm::formatv("{0:e1}", worst_).str());
    return wrong;
  }

private:
  void bringInputs() {
    Random random(1);
    values_.resize(given_.ranks);
    for (size_t rank = 0; rank < given_.ranks; ++rank)
      for (Node *node : program_.graph().nodes())
        if (node->opcode() == Opcode::Placeholder)
          values_[rank][node->name().str().str()] = valuesOf(*node, random);
  }
  static HostTensor valuesOf(const Node &node, Random &random) {
    auto number = static_cast<size_t>(*node.type()->numElements());
    std::vector<double> values(number);
    for (size_t i = 0; i < number; ++i)
      values[i] = node.type()->dtype() == DType::F64 ? real(node.name().str().startswith("p"), random)
                                                     : static_cast<double>(i % 2);
    IntList sizes = *staticDims(node.type()->sizes());
    return hostTensor(node.type()->dtype(), {sizes.begin(), sizes.end()}, values);
  }
  /// The values are away from 0, where some functions have no derivative, and differ from each other.
  static double real(bool positive, Random &random) {
    double value = 0.2 + 1e-4 * static_cast<double>(random.below(13000));
    return positive || random.below(2) == 0 ? value : -value;
  }

  llvm::Expected<runtime::RunResult> run() {
    for (size_t rank = 0; rank < given_.ranks; ++rank)
      for (const auto &[name, value] : values_[rank])
        program_.input(rank, name, value);
    return program_.run();
  }
  /// Returns the weighted sum of the results of all ranks.
  double objective() {
    runtime::RunResult result = llvm::cantFail(run());
    double sum = 0;
    for (size_t rank = 0; rank < given_.ranks; ++rank) {
      std::vector<double> y = numbersOf(result[rank].at("out.0")), weights = numbersOf(values_[rank].at("seed"));
      sum += std::inner_product(y.begin(), y.end(), weights.begin(), 0.0);
    }
    return sum;
  }
  double difference(double &element) {
    constexpr double step = 1e-5;
    double middle = element;
    element = middle + step;
    double above = objective();
    element = middle - step;
    double below = objective();
    element = middle;
    return (above - below) / (2 * step);
  }
  std::string compare(size_t rank, size_t input, const std::vector<double> &gradient) {
    HostTensor &tensor = values_[rank].at(with_[input]->name().str().str());
    auto *elements = reinterpret_cast<double *>(tensor.data.data());
    std::string wrong;
    for (size_t i = 0; i < gradient.size(); ++i) {
      double expected = difference(elements[i]);
      double error = std::abs(gradient[i] - expected) / std::max(1.0, std::abs(expected));
      worst_ = std::max(worst_, error);
      // NaN is wrong, too.
      if (!(error <= 1e-6))
        wrong += "rank " + std::to_string(rank) + ", " + with_[input]->name().str().str() + "[" + std::to_string(i) +
                 "]: got " + std::to_string(gradient[i]) + ", expected " + std::to_string(expected) + "\n";
    }
    return wrong;
  }

  const GradientCase &given_;
  RankProgram program_;
  std::vector<Node *> with_, gradients_;
  std::vector<TensorMap> values_;
  /// the largest error: absolute, or relative for an element whose size exceeds 1
  double worst_ = 0;
};

class GradientTest : public testing::TestWithParam<GradientCase> {};

TEST_P(GradientTest, IsThatOfFiniteDifferences) { EXPECT_EQ(Differentiated(GetParam()).wrong(), ""); }

INSTANTIATE_TEST_SUITE_P(All, GradientTest, testing::ValuesIn(gradientCases().begin(), gradientCases().end()),
                         [](const testing::TestParamInfo<GradientCase> &info) { return info.param.name; });

/// These operators have no case, since a finite difference shows nothing: the gradient is zero by definition, random,
/// or of an operator for another device.
const std::set<std::string> withoutCase = {
    "aten.detach.default",         "aten.sign.default",
    "aten.zeros_like.default",     "aten.ones_like.default",
    "aten.full_like.default",      "aten.new_zeros.default",
    "aten.native_dropout.default", "aten._scaled_dot_product_flash_attention.default"};

TEST(GradientRules, EachHasACase) {
  note("without a case", llvm::join(withoutCase, " "));
  for (const std::string &target : differentiableTargets()) {
    bool has = llvm::any_of(gradientCases(),
                            [&](const GradientCase &it) { return llvm::StringRef(it.text).contains(target + "("); });
    EXPECT_NE(has, withoutCase.count(target) != 0) << target;
  }
}

/// A program whose `y` is differentiated with respect to its inputs, and the resulting error.
class Asked {
public:
  explicit Asked(llvm::StringRef text) : graph_(programGraph(context_, text)) { inferTypes(*graph_); }

  llvm::Expected<std::vector<Node *>> by(llvm::ArrayRef<llvm::StringRef> names) {
    GraphBuilder builder(*graph_, graph_->back());
    GradientRequest request{.of = nodeNamed(*graph_, "y")};
    for (llvm::StringRef name : names)
      request.with.push_back(nodeNamed(*graph_, name));
    return appendGradients(builder, request);
  }
  std::string error(llvm::StringRef with = "x") { return llvm::toString(by({with}).takeError()); }
  /// Returns the targets of all calls, in order.
  std::vector<std::string> targets() {
    std::vector<std::string> all;
    for (Node *node : graph_->nodes())
      if (node->opcode() == Opcode::CallFunction)
        all.push_back(node->target().str().str());
    return all;
  }

private:
  Context context_;
  std::unique_ptr<Graph> graph_;
};

TEST(Gradient, IsNullWhereNothingDepends) {
  Asked asked("x: \"f32[2]\", z: \"f32[2]\", i: \"i64[2]\"\n y = aten.sum.default(x)\n return (y,)");
  std::vector<Node *> gradients = llvm::cantFail(asked.by({"z", "x", "i"}));
  EXPECT_EQ(gradients[0], nullptr);
  EXPECT_NE(gradients[1], nullptr);
  EXPECT_EQ(gradients[2], nullptr);
}

TEST(Gradient, OfAConstantIsNull) {
  Asked asked("x: \"f32[2]\"\n d = aten.detach.default(x)\n y = aten.sum.default(d)\n return (y,)");
  EXPECT_EQ(llvm::cantFail(asked.by({"x"}))[0], nullptr);
}

TEST(Gradient, MakesNoNodeThatNobodyWants) {
  Asked asked("x: \"f32[2, 2]\", w: \"f32[2, 2]\"\n m = aten.mm.default(x, w)\n y = aten.sum.default(m)\n return (y,)");
  llvm::cantFail(asked.by({"w"}));
  EXPECT_EQ(asked.targets(), (std::vector<std::string>{"aten.mm.default", "aten.sum.default", "aten.ones_like.default",
                                                       "aten.view.default", "aten.expand.default", "aten.t.default",
                                                       "aten.mm.default"}));
}

TEST(Gradient, OfAResultCallsNoRuleOfItsOperator) {
  Asked asked("x: \"f32[2]\"\n c = aten.cumprod.default(x, 0)\n y = aten.sum.default(c)\n return (y,)");
  EXPECT_NE(llvm::cantFail(asked.by({"c"}))[0], nullptr);
}

TEST(Gradient, CastsBackWhatWasCast) {
  Asked asked("x: \"bf16[2]\"\n c = prims.convert_element_type.default(x, torch.float32)\n"
              " y = aten.sum.default(c)\n return (y,)");
  Node *gradient = llvm::cantFail(asked.by({"x"}))[0];
  inferTypes(*gradient->graph());
  EXPECT_EQ(typeText(gradient->type()), "bf16[2][1]");
}

TEST(Gradient, StandsForWhatItDifferentiates) {
  Context context;
  std::unique_ptr<Graph> graph =
      programGraph(context, "x: \"f32[2]\"\n e = aten.exp.default(x)\n y = aten.sum.default(e)\n return (y,)");
  inferTypes(*graph);
  GraphBuilder builder(*graph, graph->back());
  Node *x = nodeNamed(*graph, "x");
  Node *gradient = llvm::cantFail(appendGradients(builder, {.of = nodeNamed(*graph, "y"), .with = {x}}))[0];
  ASSERT_EQ(gradient->provenance().origins.size(), 1U);
  EXPECT_EQ(gradient->provenance().origins.front().str(), "e");
}

TEST(Gradient, IsRefusedWhereAnOperatorHasNoRule) {
  EXPECT_EQ(Asked("x: \"f32[2]\"\n c = aten.cumprod.default(x, 0)\n y = aten.sum.default(c)\n return (y,)").error(),
            "error: c: calls aten.cumprod.default, which has no gradient rule [gradient.no-rule]\n"
            "  note: write it with operators that have one, or leave it out of what the loss depends on\n");
}

TEST(Gradient, IsRefusedOfAReductionThatIsNotLinear) {
  EXPECT_EQ(Asked("x: \"f32[2]\"\n c = _c10d_functional.all_reduce.default(x, 'max', '0')\n"
                  " w = _c10d_functional.wait_tensor.default(c)\n y = aten.sum.default(w)\n return (y,)")
                .error(),
            "error: c: reduces by max, which is not linear: expected sum or avg [gradient.no-rule]\n"
            "  note: write it with operators that have a rule for this\n");
}

TEST(Gradient, IsRefusedOfStatistics) {
  EXPECT_EQ(Asked("x: \"f32[2, 4]\"\n n = aten.native_layer_norm.default(x, [4], None, None, 1e-05)\n"
                  " m = operator.getitem(n, 1)\n y = aten.sum.default(m)\n return (y,)")
                .error(),
            "error: n: differentiates its statistics, which has no rule [gradient.no-rule]\n"
            "  note: write it with operators that have a rule for this\n");
}

TEST(Gradient, IsRefusedOfAnAttentionsBiasAndOfOneWithoutSums) {
  std::string attention = "q: \"f32[1, 2, 3, 4]\", m: \"f32[1, 2, 3, 3]\"\n"
                          " n = aten._scaled_dot_product_efficient_attention.default(q, q, q, ";
  std::string rest = ")\n o = operator.getitem(n, 0)\n y = aten.sum.default(o)\n return (y,)";
  EXPECT_EQ(Asked(attention + "m, True" + rest).error("m"),
            "error: n: is differentiated by its bias, which has no rule [gradient.no-rule]\n"
            "  note: write it with operators that have a rule for this\n");
  EXPECT_EQ(Asked(attention + "None, False" + rest).error("q"),
            "error: n: keeps no sums of its softmax: expected compute_log_sumexp = True [gradient.no-rule]\n"
            "  note: write it with operators that have a rule for this\n");
}

TEST(Gradient, IsRefusedOfAPartThatIsAddedAndOfAGroupThatNobodyKnows) {
  EXPECT_EQ(Asked("x: \"f32[3]\", s: \"f32[3]\", i: \"i64[2]\"\n c = aten.scatter_add.default(s, 0, i, x)\n"
                  " y = aten.sum.default(c)\n return (y,)")
                .error(),
            "error: c: adds a part of its source, whose sizes are not those of the index [gradient.no-rule]\n"
            "  note: write it with operators that have a rule for this\n");
  EXPECT_EQ(Asked("x: \"f32[2]\"\n c = _c10d_functional.broadcast.default(x, 0, 'tp')\n"
                  " w = _c10d_functional.wait_tensor.default(c)\n y = aten.sum.default(w)\n return (y,)")
                .error(),
            "error: c: needs the number of ranks of its group [gradient.no-rule]\n"
            "  note: write it with operators that have a rule for this\n");
}

TEST(Gradient, IsRefusedOfALossOfSeveralElements) {
  EXPECT_EQ(Asked("x: \"f32[2]\"\n y = aten.exp.default(x)\n return (y,)").error(),
            "error: y: is f32[2], expected a floating-point tensor of one element [gradient.loss]\n"
            "  note: reduce it (aten.sum.default), or give a seed\n");
}

TEST(Gradient, IsRefusedWhereAValueIsWritten) {
  EXPECT_EQ(Asked("x: \"f32[2]\"\n e = aten.exp.default(x)\n w = aten.mul_.Tensor(e, 2)\n y = aten.sum.default(e)\n"
                  " return (y,)")
                .error(),
            "error: w: writes `e`, which the loss depends on [gradient.written]\n"
            "  note: make the graph functional first: pass functionalize-collectives, or a copy that is written\n");
}

TEST(Gradient, IsRefusedWhereATypeIsUnknown) {
  Context context;
  std::unique_ptr<Graph> graph =
      programGraph(context, "x: \"f32[2]\"\n e = aten.exp.default(x)\n y = aten.sum.default(e)\n return (y,)");
  inferTypes(*graph);
  graph->setType(nodeNamed(*graph, "e"), nullptr);
  GraphBuilder builder(*graph, graph->back());
  EXPECT_EQ(llvm::toString(
                appendGradients(builder, {.of = nodeNamed(*graph, "y"), .with = {nodeNamed(*graph, "x")}}).takeError()),
            "error: e: has no type, which gradient rules need [gradient.no-type]\n"
            "  note: infer types first (infer_types.h), or state this one\n");
}

TEST(Gradient, IsRefusedWhereSizesAreNoNumbers) {
  EXPECT_EQ(Asked("x: \"f32[s0]\"\n y = aten.sum.default(x)\n return (y,)").error(),
            "error: y: needs sizes that are numbers, got f32[s0] [gradient.sizes]\n"
            "  note: trace with sizes that are numbers\n");
}

} // namespace
} // namespace ccgraph::test
