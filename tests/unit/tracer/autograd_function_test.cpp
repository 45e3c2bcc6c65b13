// Tests functions with a custom backward, and given gradients: what is recorded, where, and what is refused.
#include "traced.h"

#include "ccgraph/tracer/autograd_function.h"
#include "ccgraph/tracer/backward.h"

namespace ccgraph::test {
namespace {

using namespace tracer;

TEST(AutogradFunctions, GiveTheirOwnGradient) {
  Traced t;
  Tensor x = t.input("x", {2}, DType::F64);
  Tensor y = apply({[](const Tensor &in) { return sin(in); }, [](const Tensor &g) { return g * 10; }}, x);
  TensorList gradients = backward(sum(y), {x});
  EXPECT_EQ(t.finishText({gradients[0]}), "sin = aten.sin.default(x) : f64[2][1]cpu\n"
                                          "sum_1 = aten.sum.default(sin) : f64[][]cpu\n"
                                          "ones_like = aten.ones_like.default(sum_1) : f64[][]cpu\n"
                                          "view = aten.view.default(ones_like, [1]) : f64[1][1]cpu\n"
                                          "expand = aten.expand.default(view, [2]) : f64[2][0]cpu\n"
                                          "mul = aten.mul.Tensor(expand, 10) : f64[2][1]cpu\n");
}

TEST(AutogradFunctions, TakeTheGradientOfWhatTheyPassOn) {
  Traced t;
  Tensor x = t.input("x", {2});
  auto same = [](const Tensor &in) { return in; };
  Tensor y = apply({same, [](const Tensor &g) { return collectives::all_reduce(g, "sum", "0"); }}, x);
  TensorList gradients = backward(sum(y + x), {x});
  std::string text = t.finishText({gradients[0]});
  EXPECT_NE(text.find("alias = aten.alias.default(x)"), std::string::npos) << text;
  EXPECT_NE(text.find("add_1 = aten.add.Tensor(expand, wait_tensor)"), std::string::npos) << text;
}

TEST(AutogradFunctions, AreNotCalledForTheGradientOfTheirResult) {
  Traced t;
  Tensor x = t.input("x", {2}, DType::F64);
  Tensor y = apply({[](const Tensor &in) { return sin(in); }, [](const Tensor &g) { return g * 10; }}, x);
  TensorList gradients = backward(sum(y), {y});
  std::string text = t.finishText({gradients[0]});
  EXPECT_EQ(text.find("aten.mul"), std::string::npos) << text;
}

TEST(AutogradFunctions, HaveTheirBackwardInTheModuleOfTheirResult) {
  Traced t;
  Tensor x = t.input("x", {2});
  Tensor y;
  {
    ModuleScope module("layers.3");
    y = apply({[](const Tensor &in) { return in * 2; }, [](const Tensor &g) { return g * 3; }}, x);
  }
  TensorList gradients = backward(sum(y), {x});
  Graph &graph = t.finish({gradients[0]});
  const Node *made = graph.find("mul_1");
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(graph.frames()[made->frame()].annotation.str(), "{'module_fqn': 'layers.3'}");
}

TEST(AutogradFunctions, OfSeveralInputs) {
  Traced t;
  Tensor x = t.input("x", {2}), y = t.input("y", {2});
  AutogradListFunction product{[](const std::vector<Tensor> &in) { return in[0] * in[1]; },
                               [=](const Tensor &g) {
                                 return std::vector<Tensor>{g * 10, g * 20};
                               }};
  TensorList gradients = backward(sum(apply(product, {x, y})), {x, y});
  EXPECT_EQ(t.finishText({gradients[0], gradients[1]}), "mul = aten.mul.Tensor(x, y) : f32[2][1]cpu\n"
                                                        "sum_1 = aten.sum.default(mul) : f32[][]cpu\n"
                                                        "ones_like = aten.ones_like.default(sum_1) : f32[][]cpu\n"
                                                        "view = aten.view.default(ones_like, [1]) : f32[1][1]cpu\n"
                                                        "expand = aten.expand.default(view, [2]) : f32[2][0]cpu\n"
                                                        "mul_1 = aten.mul.Tensor(expand, 10) : f32[2][1]cpu\n"
                                                        "mul_2 = aten.mul.Tensor(expand, 20) : f32[2][1]cpu\n");
}

TEST(AutogradFunctionErrors, AnotherNumberOfGradients) {
  Traced t;
  Tensor x = t.input("x", {2}), y = t.input("y", {2});
  AutogradListFunction product{[](const std::vector<Tensor> &in) { return in[0] * in[1]; },
                               [](const Tensor &g) { return std::vector<Tensor>{g}; }};
  EXPECT_EQ(errorOf(backward(sum(apply(product, {x, y})), {x, y})[0]),
            "error: mul: has a backward that yields 1 gradients, expected 2, one for each input [gradient.function]\n"
            "  note: return the gradients in the order of the inputs\n");
}

TEST(AutogradFunctionErrors, AGradientOfOtherSizes) {
  Traced t;
  Tensor x = t.input("x", {2});
  Tensor y = apply({[](const Tensor &in) { return in * 2; }, [](const Tensor &g) { return sum(g); }}, x);
  std::string before = t.text() + "sum_1 = aten.sum.default(mul) : f32[][]cpu\n";
  EXPECT_EQ(errorOf(backward(sum(y), {x})[0]),
            "error: mul: has a backward that yields f32[][]cpu, expected f32[2][1]cpu, as its input is "
            "[gradient.function]\n"
            "  note: cast or reshape what the backward returns\n");
  EXPECT_EQ(t.text(), before);
}

TEST(AutogradFunctionErrors, ABackwardThatFailsOrYieldsNothing) {
  Traced t;
  Tensor x = t.input("x", {2});
  auto twice = [](const Tensor &in) { return in * 2; };
  Tensor y = apply({twice, [](const Tensor &g) { return collectives::all_reduce(g, "sum", "tp"); }}, x);
  Tensor z = apply({twice, [](const Tensor &) { return Tensor(); }}, x);
  EXPECT_EQ(errorOf(backward(sum(y), {x})[0]),
            "error: group tp: Could not resolve the process group registered under the name tp [trace.group]\n"
            "  note: Trace::addGroup states its ranks, TraceOptions::worldSize those of \"0\"\n");
  EXPECT_EQ(errorOf(backward(sum(z), {x})[0]), "error: mul_1: has a backward that yields no tensor [trace.absent]\n");
}

TEST(GivenGradients, StandForThatOfTheLoss) {
  Traced t;
  Tensor x = t.input("x", {2}), g = t.input("g", {2});
  TensorList gradients = backward(x * 3, {x}, g);
  EXPECT_EQ(t.finishText({gradients[0]}), "mul = aten.mul.Tensor(x, 3) : f32[2][1]cpu\n"
                                          "mul_1 = aten.mul.Tensor(g, 3) : f32[2][1]cpu\n");
}

TEST(GivenGradientErrors, OfOtherSizesOrDtype) {
  Traced t;
  Tensor x = t.input("x", {2}), g = t.input("g", {3}), d = t.input("d", {2}, DType::F64);
  EXPECT_EQ(errorOf(backward(x * 3, {x}, g)[0]),
            "error: backward: is given the gradient f32[3][1]cpu of f32[2][1]cpu [gradient.seed]\n"
            "  note: both have the same dtype and sizes\n");
  EXPECT_NE(errorOf(backward(x * 3, {x}, d)[0]).find("f64[2][1]cpu of f32[2][1]cpu"), std::string::npos);
}

} // namespace
} // namespace ccgraph::test
