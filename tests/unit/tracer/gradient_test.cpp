// Gradients against finite differences in f64, on one rank and on several; what has none, and what is refused.
#include "support/random.h"
#include "support/rank_program.h"

#include "ccgraph/ir/dims.h"
#include "ccgraph/ir/infer_types.h"
#include "ccgraph/ir/verifier.h"
#include "ccgraph/tracer/gradient.h"

#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

namespace ccgraph::test {
namespace {

using tracer::appendGradients;
using tracer::differentiableTargets;
using tracer::GradientRequest;

/// A program of which `y` is differentiated by each input of f64. Inputs whose names begin with `p` are positive; those of i64 are
/// 0, 1, 0, 1, ...
struct Case {
  const char *name;
  const char *text;
  size_t ranks = 1;
};

Node *nodeNamed(const Graph &graph, llvm::StringRef name) {
  for (Node *node : graph.nodes())
    if (node->name().str() == name)
      return node;
  return nullptr;
}

std::vector<Node *> differentiableInputs(const Graph &graph) {
  std::vector<Node *> inputs;
  for (Node *node : graph.nodes())
    if (node->opcode() == Opcode::Placeholder && node->type()->dtype() == DType::F64)
      inputs.push_back(node);
  return inputs;
}

/// The program with the gradients of `y` for outputs, `y` first. Weights of y's elements are an input, `seed`.
class Differentiated {
public:
  explicit Differentiated(const Case &given) : given_(given), program_(given.ranks, given.text) {
    Graph &graph = program_.graph();
    inferTypes(graph);
    Node *y = nodeNamed(graph, "y");
    with_ = differentiableInputs(graph);
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
    std::string worst;
    for (size_t rank = 0; rank < given_.ranks; ++rank)
      for (size_t input = 0; input < with_.size(); ++input)
        worst += compare(rank, input, numbersOf(result[rank].at("out." + std::to_string(input + 1))));
    return worst;
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
    Dims sizes = *staticDims(node.type()->sizes());
    return hostTensor(node.type()->dtype(), {sizes.begin(), sizes.end()}, values);
  }
  /// Away from 0, where some functions have no derivative, and from each other.
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
  /// Of all ranks: the sum of their results, weighted.
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
      if (std::abs(gradient[i] - expected) > 1e-6 * std::max(1.0, std::abs(expected)))
        wrong += "rank " + std::to_string(rank) + ", " + with_[input]->name().str().str() + "[" + std::to_string(i) +
                 "]: got " + std::to_string(gradient[i]) + ", expected " + std::to_string(expected) + "\n";
    }
    return wrong;
  }

  const Case &given_;
  RankProgram program_;
  std::vector<Node *> with_, gradients_;
  std::vector<TensorMap> values_;
};

const Case cases[] = {
    // --- Pointwise
    {"add", R"(a: "f64[2, 3]", b: "f64[3]"
        y = aten.add.Tensor(a, b, alpha = 3)
        return (y,))"},
    {"add_scalar", R"(a: "f64[2]"
        y = aten.add.Scalar(a, 2.5)
        return (y,))"},
    {"sub", R"(a: "f64[2, 1]", b: "f64[2, 3]"
        y = aten.sub.Tensor(a, b, alpha = 2)
        return (y,))"},
    {"sub_scalar", R"(a: "f64[2]"
        y = aten.sub.Scalar(a, 1.5)
        return (y,))"},
    {"mul", R"(a: "f64[2, 3]", b: "f64[2, 1]"
        y = aten.mul.Tensor(a, b)
        return (y,))"},
    {"mul_twice", R"(a: "f64[3]"
        y = aten.mul.Tensor(a, a)
        return (y,))"},
    {"mul_scalar", R"(a: "f64[3]"
        m = aten.mul.Scalar(a, 3)
        y = aten.mul.Tensor(m, 0.5)
        return (y,))"},
    {"div", R"(a: "f64[2, 3]", b: "f64[3]"
        y = aten.div.Tensor(a, b)
        return (y,))"},
    {"div_scalar", R"(a: "f64[3]"
        y = aten.div.Scalar(a, 4)
        return (y,))"},
    {"neg_exp", R"(a: "f64[3]"
        n = aten.neg.default(a)
        y = aten.exp.default(n)
        return (y,))"},
    {"log_sqrt", R"(p: "f64[3]"
        l = aten.log.default(p)
        s = aten.sqrt.default(p)
        y = aten.add.Tensor(l, s)
        return (y,))"},
    {"rsqrt_reciprocal", R"(p: "f64[3]"
        l = aten.rsqrt.default(p)
        s = aten.reciprocal.default(p)
        y = aten.add.Tensor(l, s)
        return (y,))"},
    {"sin_cos", R"(a: "f64[3]"
        l = aten.sin.default(a)
        s = aten.cos.default(a)
        y = aten.mul.Tensor(l, s)
        return (y,))"},
    {"abs_erf", R"(a: "f64[3]"
        l = aten.abs.default(a)
        y = aten.erf.default(l)
        return (y,))"},
    {"pow", R"(p: "f64[3]"
        y = aten.pow.Tensor_Scalar(p, 2.5)
        return (y,))"},
    {"relu", R"(a: "f64[6]"
        y = aten.relu.default(a)
        return (y,))"},
    {"gelu", R"(a: "f64[6]"
        y = aten.gelu.default(a)
        return (y,))"},
    {"gelu_tanh", R"(a: "f64[6]"
        y = aten.gelu.default(a, approximate = 'tanh')
        return (y,))"},
    {"silu", R"(a: "f64[6]"
        y = aten.silu.default(a)
        return (y,))"},
    {"sigmoid_tanh", R"(a: "f64[6]"
        s = aten.sigmoid.default(a)
        y = aten.tanh.default(s)
        return (y,))"},
    {"where", R"(a: "f64[2, 3]", b: "f64[3]"
        c = aten.gt.Scalar(a, 0.3)
        y = aten.where.self(c, a, b)
        return (y,))"},
    {"from_a_number", R"(a: "f64[3]"
        y = aten.rsub.Scalar(a, 1, 2)
        return (y,))"},
    {"masked", R"(a: "f64[2, 3]"
        c = aten.gt.Scalar(a, 0.3)
        y = aten.masked_fill.Scalar(a, c, 2.0)
        return (y,))"},
    {"larger_and_smaller", R"(a: "f64[2, 4]", b: "f64[4]"
        l = aten.maximum.default(a, b)
        s = aten.minimum.default(a, b)
        m = aten.mul.Tensor(s, 3.0)
        y = aten.add.Tensor(l, m)
        return (y,))"},
    {"larger_of_equals", R"(a: "f64[3]"
        b = aten.clone.default(a)
        l = aten.maximum.default(a, b)
        s = aten.minimum.default(b, a)
        y = aten.mul.Tensor(l, s)
        return (y,))"},
    {"triangles", R"(a: "f64[3, 3]"
        l = aten.tril.default(a, -1)
        u = aten.triu.default(a)
        m = aten.mul.Tensor(l, 2.0)
        y = aten.add.Tensor(m, u)
        return (y,))"},
    {"squared_difference", R"(a: "f64[2, 3]", b: "f64[2, 3]"
        y = aten.mse_loss.default(a, b)
        return (y,))"},
    {"squared_differences", R"(a: "f64[2, 3]", b: "f64[2, 3]"
        y = aten.mse_loss.default(a, b, 0)
        return (y,))"},
    {"index_select", R"(a: "f64[2, 2]", i: "i64[3]"
        y = aten.index_select.default(a, 1, i)
        return (y,))"},
    {"clamp", R"(a: "f64[6]"
        l = aten.clamp.default(a, -0.7, 0.7)
        m = aten.clamp_min.default(l, -0.5)
        y = aten.clamp_max.default(m, 0.5)
        return (y,))"},
    {"copies", R"(a: "f64[3]"
        c = aten.clone.default(a)
        l = aten.alias.default(c)
        t = aten._to_copy.default(l)
        y = prims.convert_element_type.default(t, torch.float64)
        return (y,))"},
    // --- Views
    {"reshapes", R"(a: "f64[2, 3]"
        v = aten.view.default(a, [3, 2])
        u = aten.unsqueeze.default(v, 1)
        s = aten.squeeze.dim(u, 1)
        r = aten.reshape.default(s, [1, 6])
        q = aten.squeeze.dims(r, [0])
        z = aten.squeeze.default(q)
        w = aten._unsafe_view.default(z, [2, 3])
        y = aten.mul.Tensor(w, a)
        return (y,))"},
    {"expand", R"(a: "f64[2, 1][1, 1]cpu"
        y = aten.expand.default(a, [3, 2, 4])
        return (y,))"},
    {"transposes", R"(a: "f64[2, 3]"
        t = aten.t.default(a)
        u = aten.unsqueeze.default(t, 0)
        p = aten.permute.default(u, [1, -1, 0])
        y = aten.transpose.int(p, 0, -1)
        return (y,))"},
    {"slice_select", R"(a: "f64[4, 3]"
        s = aten.slice.Tensor(a, 0, 1, 9223372036854775807, 2)
        e = aten.select.int(a, -1, 1)
        v = aten.slice.Tensor(e, 0, 0, 2)
        u = aten.unsqueeze.default(v, 1)
        y = aten.mul.Tensor(s, u)
        return (y,))"},
    {"split", R"(a: "f64[5, 2]"
        parts = aten.split.Tensor(a, 2)
        first = operator.getitem(parts, 0)
        last = operator.getitem(parts, 2)
        y = aten.mul.Tensor(first, last)
        return (y,))"},
    {"split_with_sizes", R"(a: "f64[2, 5]"
        parts = aten.split_with_sizes.default(a, [4, 1], -1)
        first = operator.getitem(parts, 0)
        last = operator.getitem(parts, 1)
        y = aten.mul.Tensor(first, last)
        return (y,))"},
    {"unbind", R"(a: "f64[3, 2]"
        parts = aten.unbind.int(a, 1)
        first = operator.getitem(parts, 0)
        last = operator.getitem(parts, 1)
        y = aten.mul.Tensor(first, last)
        return (y,))"},
    {"cat", R"(a: "f64[2, 2]", b: "f64[2, 3]"
        c = aten.cat.default([a, b, a], -1)
        y = aten.mul.Tensor(c, c)
        return (y,))"},
    {"stack", R"(a: "f64[2]", b: "f64[2]"
        c = aten.stack.default([a, b, a], 1)
        y = aten.mul.Tensor(c, c)
        return (y,))"},
    // --- Products
    {"mm", R"(a: "f64[2, 3]", b: "f64[3, 4]"
        y = aten.mm.default(a, b)
        return (y,))"},
    {"bmm", R"(a: "f64[2, 2, 3]", b: "f64[2, 3, 2]"
        y = aten.bmm.default(a, b)
        return (y,))"},
    {"addmm", R"(c: "f64[2]", a: "f64[3, 2]", b: "f64[2, 2]"
        y = aten.addmm.default(c, a, b)
        return (y,))"},
    {"addmm_scaled", R"(c: "f64[3, 2]", a: "f64[3, 2]", b: "f64[2, 2]"
        y = aten.addmm.default(c, a, b, beta = 0.5, alpha = 2)
        return (y,))"},
    // --- Reductions
    {"sum", R"(a: "f64[2, 3]"
        s = aten.sum.default(a)
        y = aten.mul.Tensor(a, s)
        return (y,))"},
    {"sum_dims", R"(a: "f64[2, 3, 2][6, 2, 1]cpu"
        s = aten.sum.dim_IntList(a, [0, -2])
        k = aten.sum.dim_IntList(a, [1], True)
        y = aten.mul.Tensor(k, s)
        return (y,))"},
    {"mean", R"(a: "f64[2, 3]"
        s = aten.mean.default(a)
        k = aten.mean.dim(a, [1], True)
        y = aten.mul.Tensor(k, s)
        return (y,))"},
    {"amax", R"(a: "f64[2, 3]"
        k = aten.amax.default(a, [1], True)
        m = aten.amin.default(a, [0])
        y = aten.mul.Tensor(k, m)
        return (y,))"},
    // --- Normalizations
    {"softmax", R"(a: "f64[2, 3]"
        y = aten._softmax.default(a, -1, False)
        return (y,))"},
    {"log_softmax", R"(a: "f64[2, 3]"
        y = aten._log_softmax.default(a, 0, False)
        return (y,))"},
    {"layer_norm", R"(a: "f64[2, 4]", w: "f64[4]", b: "f64[4]"
        n = aten.native_layer_norm.default(a, [4], w, b, 1e-05)
        y = operator.getitem(n, 0)
        return (y,))"},
    {"layer_norm_bare", R"(a: "f64[2, 4]"
        n = aten.native_layer_norm.default(a, [4], None, None, 1e-05)
        y = operator.getitem(n, 0)
        return (y,))"},
    {"rms_norm", R"(a: "f64[2, 4]", w: "f64[4]"
        n = aten._fused_rms_norm.default(a, [4], w, 1e-05)
        y = operator.getitem(n, 0)
        return (y,))"},
    // --- Indexing and losses
    {"embedding", R"(w: "f64[2, 3]", i: "i64[5]"
        y = aten.embedding.default(w, i)
        return (y,))"},
    {"gather", R"(a: "f64[2, 3]", i: "i64[2, 2]"
        y = aten.gather.default(a, 1, i)
        return (y,))"},
    {"index", R"(a: "f64[3, 2][2, 1]cpu", i: "i64[4][1]cpu"
        y = aten.index.Tensor(a, [None, i])
        return (y,))"},
    {"nll_loss", R"(a: "f64[3, 4]", i: "i64[3]"
        l = aten._log_softmax.default(a, 1, False)
        n = aten.nll_loss_forward.default(l, i, None, 1, -100)
        y = operator.getitem(n, 0)
        return (y,))"},
    // --- Attention
    {"flash_attention_on_cpu",
     R"(q: "f64[1, 2, 3, 4][24, 12, 4, 1]cpu", k: "f64[1, 2, 3, 4][24, 12, 4, 1]cpu", v: "f64[1, 2, 3, 4][24, 12, 4, 1]cpu"
        n = aten._scaled_dot_product_flash_attention_for_cpu.default(q, k, v, 0.0, True)
        y = operator.getitem(n, 0)
        return (y,))"},
    // --- Collectives
    {"all_reduce", R"(a: "f64[3]"
        c = _c10d_functional.all_reduce.default(a, 'sum', '0')
        w = _c10d_functional.wait_tensor.default(c)
        y = aten.mul.Tensor(w, a)
        return (y,))",
     3},
    {"all_reduce_avg", R"(a: "f64[3]"
        c = _c10d_functional.all_reduce.default(a, 'avg', '0')
        w = _c10d_functional.wait_tensor.default(c)
        y = aten.mul.Tensor(w, a)
        return (y,))",
     2},
    {"all_gather", R"(a: "f64[2, 2]"
        c = _c10d_functional.all_gather_into_tensor.default(a, 2, '0')
        w = _c10d_functional.wait_tensor.default(c)
        y = aten.mul.Tensor(w, w)
        return (y,))",
     2},
    {"reduce_scatter", R"(a: "f64[4]"
        c = _c10d_functional.reduce_scatter_tensor.default(a, 'sum', 2, '0')
        w = _c10d_functional.wait_tensor.default(c)
        y = aten.mul.Tensor(w, w)
        return (y,))",
     2},
    {"reduce_scatter_avg", R"(a: "f64[6]"
        c = _c10d_functional_autograd.reduce_scatter_tensor.default(a, 'avg', 3, '0')
        w = _c10d_functional.wait_tensor.default(c)
        y = aten.mul.Tensor(w, w)
        return (y,))",
     3},
    {"all_gather_autograd", R"(a: "f64[2]"
        c = _c10d_functional_autograd.all_gather_into_tensor.default(a, 3, '0')
        w = _c10d_functional.wait_tensor.default(c)
        y = aten.sin.default(w)
        return (y,))",
     3},
    {"all_to_all", R"(a: "f64[4]"
        c = _c10d_functional.all_to_all_single.default(a, [2, 2], [2, 2], '0')
        w = _c10d_functional.wait_tensor.default(c)
        y = aten.mul.Tensor(w, a)
        return (y,))",
     2},
    {"all_to_all_autograd", R"(a: "f64[4]"
        c = _c10d_functional_autograd.all_to_all_single.default(a, [2, 2], [2, 2], '0')
        w = _c10d_functional.wait_tensor.default(c)
        y = aten.sin.default(w)
        return (y,))",
     2},
    {"all_reduce_list", R"(a: "f64[2]", b: "f64[3]"
        l = _c10d_functional.all_reduce_coalesced.default([a, b], 'sum', '0')
        e = operator.getitem(l, 0)
        w = _c10d_functional.wait_tensor.default(e)
        f = operator.getitem(l, 1)
        x = _c10d_functional.wait_tensor.default(f)
        s = aten.sum.default(x)
        y = aten.mul.Tensor(w, s)
        return (y,))",
     2},
    {"gather_and_scatter_lists", R"(a: "f64[2]", b: "f64[2]"
        l = _c10d_functional.all_gather_into_tensor_coalesced.default([a, b], 2, '0')
        e = operator.getitem(l, 0)
        w = _c10d_functional.wait_tensor.default(e)
        f = operator.getitem(l, 1)
        x = _c10d_functional.wait_tensor.default(f)
        m = aten.mul.Tensor(w, x)
        n = aten.sin.default(w)
        r = _c10d_functional.reduce_scatter_tensor_coalesced.default([m, n], 'avg', 2, '0')
        g = operator.getitem(r, 0)
        u = _c10d_functional.wait_tensor.default(g)
        h = operator.getitem(r, 1)
        v = _c10d_functional.wait_tensor.default(h)
        y = aten.mul.Tensor(u, v)
        return (y,))",
     2},
};

class GradientTest : public testing::TestWithParam<Case> {};

TEST_P(GradientTest, IsThatOfFiniteDifferences) { EXPECT_EQ(Differentiated(GetParam()).wrong(), ""); }

INSTANTIATE_TEST_SUITE_P(All, GradientTest, testing::ValuesIn(cases),
                         [](const testing::TestParamInfo<Case> &info) { return info.param.name; });

/// What no finite difference shows: the gradient is nothing by definition, random, or of an operator for another device.
const std::set<std::string> withoutCase = {
    "aten.detach.default",         "aten.sign.default",
    "aten.zeros_like.default",     "aten.ones_like.default",
    "aten.full_like.default",      "aten.new_zeros.default",
    "aten.native_dropout.default", "aten._scaled_dot_product_flash_attention.default"};

TEST(GradientRules, EachHasACase) {
  for (const std::string &target : differentiableTargets()) {
    bool has = llvm::any_of(cases, [&](const Case &it) { return llvm::StringRef(it.text).contains(target + "("); });
    EXPECT_NE(has, withoutCase.count(target) != 0) << target;
  }
}

/// A program whose `y` is differentiated by its inputs, and what is said of it.
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
  std::string error() { return llvm::toString(by({"x"}).takeError()); }
  /// Targets of all calls, in order.
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
  EXPECT_EQ(Asked("x: \"f32[2]\"\n c = aten.cumsum.default(x, 0)\n y = aten.sum.default(c)\n return (y,)").error(),
            "error: c: calls aten.cumsum.default, which has no gradient rule [gradient.no-rule]\n"
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
