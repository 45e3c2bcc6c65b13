// Tests operators: how composites are recorded, and that all of them run. The interpreter compares each result with its
// node's type, so a run also checks the inferred types.
#include "traced.h"

#include "ccgraph/runtime/interpreter.h"
#include "ccgraph/tracer/backward.h"
#include "support/rank_program.h"
#include "support/seeded_run.h"

#include <limits>

namespace ccgraph::test {
namespace {

using namespace tracer;

/// Returns the error of a run on one rank; "" if it succeeds.
std::string runError(const Graph &graph) {
  llvm::Expected<runtime::RunResult> result = runtime::interpret(seededRequest(graph, 1));
  return result ? "" : llvm::toString(result.takeError());
}

TEST(Operators, ElementwiseOnesRunAsTheyAreTyped) {
  Traced t;
  Tensor x = t.input("x", {4, 6}), y = t.input("y", {6}), i = t.input("i", {4, 6}, DType::I64);
  Tensor positive = abs(x) + 1, h = t.input("h", {4, 6}, DType::BF16);
  Tensor mask = gt(x, 0.0);
  EXPECT_EQ(runError(t.finish({add(x, y, 2),
                               sub(x, y, 0.5),
                               1 - x,
                               x - 1,
                               x * y,
                               x / 2,
                               i / 2,
                               2 / positive,
                               1 / positive,
                               3 * x,
                               2 + i,
                               i + 1,
                               i * 2.5,
                               h * x,
                               h + 1.5,
                               pow(x, 2),
                               pow(positive, 0.5),
                               maximum(x, y),
                               minimum(x, y),
                               clamp(x, 0.0),
                               clamp(x, std::nullopt, 1.0),
                               clamp(x, -1, 1),
                               -x,
                               abs(x),
                               sign(x),
                               exp(x),
                               log(positive),
                               sqrt(positive),
                               rsqrt(positive),
                               reciprocal(positive),
                               sin(x),
                               cos(i),
                               tanh(x),
                               erf(x),
                               sigmoid(x),
                               relu(x),
                               silu(x),
                               gelu(x),
                               gelu(x, "tanh"),
                               eq(x, y),
                               ne(x, 1),
                               lt(x, y),
                               le(x, 0.5),
                               ge(i, 1),
                               logical_and(mask, lt(x, y)),
                               logical_or(mask, mask),
                               logical_not(mask),
                               where(mask, x, y),
                               masked_fill(x, mask, 2.0),
                               to(x, DType::BF16),
                               to(i, DType::F32),
                               clone(x),
                               contiguous(tracer::t(x)),
                               detach(x)})),
            "");
}

TEST(Operators, InPlaceOnesRunAsTheyAreTyped) {
  Traced t;
  Tensor x = t.input("x", {4, 6});
  Tensor a = clone(x), b = clone(x), c = clone(x);
  add_(a, x, 2);
  sub_(a, 1);
  mul_(a, x);
  div_(a, 2.0);
  fill_(b, 3);
  copy_(b, x);
  zero_(c);
  EXPECT_EQ(runError(t.finish({a, b, c})), "");
}

TEST(Operators, ViewsRunAsTheyAreTyped) {
  Traced t;
  Tensor x = t.input("x", {4, 6}), row = t.input("row", {1, 6});
  Tensor at = t.input("at", {3}, DType::I64);
  EXPECT_EQ(runError(t.finish({view(x, {2, 12}),
                               reshape(tracer::t(x), {-1}),
                               flatten(view(x, {2, 2, 6}), 1),
                               flatten(x),
                               transpose(x, 0, 1),
                               permute(view(x, {2, 2, 6}), {2, 0, 1}),
                               expand(row, {4, -1}),
                               unsqueeze(x, 1),
                               squeeze(row, 0),
                               slice(x, 1, 1, 5, 2),
                               slice(x, 0, -2),
                               select(x, 0, 1),
                               split(x, 4, 1)[1],
                               split_with_sizes(x, {1, 3})[1],
                               chunk(x, 4, 1)[2],
                               cat({x, row}),
                               stack({x, x}, -1),
                               index_select(x, 0, at),
                               index(x, {at}),
                               index(x, {Tensor(), at}),
                               gather(x, 0, unsqueeze(at, 0)),
                               tril(x),
                               triu(x, 1)})),
            "");
}

TEST(Operators, ReductionsAndProductsRunAsTheyAreTyped) {
  Traced t;
  Tensor x = t.input("x", {4, 6}), y = t.input("y", {6, 3}), i = t.input("i", {4, 6}, DType::I64);
  Tensor batch = t.input("b", {2, 5, 4, 6}), heads = t.input("h", {5, 6, 2}), bias = t.input("bias", {3});
  EXPECT_EQ(runError(t.finish({sum(x),
                               sum(i),
                               sum(x, {0}),
                               sum(x, {0, 1}, true),
                               mean(x),
                               mean(x, {-1}, true),
                               amax(x, {1}),
                               amin(x),
                               argmax(x, 1),
                               var_mean(x, {1})[0],
                               var_mean(x, {1}, 0, true)[1],
                               cumsum(x, 0),
                               softmax(x, -1),
                               log_softmax(x, 1),
                               mm(x, y),
                               addmm(bias, x, y),
                               bmm(heads, transpose(heads, 1, 2)),
                               matmul(batch, heads),
                               matmul(batch, y),
                               matmul(x, y),
                               linear(batch, tracer::t(y), bias),
                               linear(x, tracer::t(y))})),
            "");
}

TEST(Operators, NetworksRunAsTheyAreTyped) {
  Traced t;
  Tensor x = t.input("x", {4, 6}), weight = t.input("w", {6}), bias = t.input("b", {6});
  Tensor q = t.input("q", {2, 3, 5, 4}), classes = t.input("c", {4}, DType::I64);
  EXPECT_EQ(runError(t.finish({layer_norm(x, {6}, weight, bias), layer_norm(x, {6}), rms_norm(x, {6}, weight),
                               embedding(classes, x), scaled_dot_product_attention(q, q, q),
                               scaled_dot_product_attention(q, q, q, Tensor(), 0.0, true, 0.25),
                               cross_entropy(x, classes), mse_loss(x, x * 2), zeros({2, 3}), ones({2}, DType::I64),
                               full({2}, 1.5), arange(5), zeros_like(x), ones_like(x)})),
            "");
}

TEST(Operators, AttentionSeesWhatItsMaskSays) {
  Traced t({.worldSize = 1});
  Tensor q = t.input("q", {1, 2, 3, 4}), seen = tril(full({3, 3}, true, DType::Bool));
  Tensor hidden = triu(full({3, 3}, -std::numeric_limits<double>::infinity()), 1);
  Tensor causal = scaled_dot_product_attention(q, q, q, Tensor(), 0.0, true);
  Graph &graph = t.finish(
      {causal - scaled_dot_product_attention(q, q, q, seen), causal - scaled_dot_product_attention(q, q, q, hidden)});
  runtime::RunResult result = llvm::cantFail(runtime::interpret(seededRequest(graph, 1)));
  for (const char *output : {"out.0", "out.1"})
    EXPECT_EQ(numbersOf(result.front().at(output)), std::vector<double>(24, 0.0)) << output;
}

TEST(Operators, AttentionWithDropoutHasGradients) {
  Traced t;
  Tensor q = t.input("q", {1, 2, 3, 4}), bias = t.input("bias", {3, 3});
  Tensor y = scaled_dot_product_attention(q, q, q, bias, 0.5);
  TensorList gradients = backward(sum(y), {q, bias});
  EXPECT_EQ(gradients[1].typeText(), "f32[3, 3][3, 1]cpu");
  std::string text = t.finishText({gradients[0], gradients[1]});
  EXPECT_NE(text.find("aten.native_dropout.default(_softmax, 0.50, True)"), std::string::npos) << text;
  EXPECT_NE(text.find("aten.native_dropout_backward.default"), std::string::npos) << text;
}

TEST(Operators, SumsAndSpreadsHaveTypedGradients) {
  Traced t;
  Tensor x = t.input("x", {3, 4});
  TensorList spread = var_mean(x, {1});
  TensorList gradients = backward(sum(cumsum(x, 1)) + sum(spread[0] * spread[1]), {x});
  EXPECT_EQ(gradients[0].typeText(), "f32[3, 4][4, 1]cpu");
}

TEST(OperatorErrors, AMaskBesideCausal) {
  Traced t;
  Tensor q = t.input("q", {1, 2, 3, 4}), mask = t.input("m", {3, 3});
  EXPECT_EQ(errorOf(scaled_dot_product_attention(q, q, q, mask, 0.0, true)),
            "error: scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True "
            "[trace.attention]\n  note: leave one of them out\n");
}

TEST(Operators, MatmulOfBatchesIsTakenApartAsPyTorchTakesIt) {
  Traced t;
  Tensor x = t.input("x", {2, 3, 4}), w = t.input("w", {5, 4});
  EXPECT_EQ(t.finishText({linear(x, w)}), "t = aten.t.default(w) : f32[4, 5][1, 4]cpu\n"
                                          "reshape = aten.reshape.default(x, [6, 4]) : f32[6, 4][4, 1]cpu\n"
                                          "mm = aten.mm.default(reshape, t) : f32[6, 5][5, 1]cpu\n"
                                          "view = aten.view.default(mm, [2, 3, 5]) : f32[2, 3, 5][15, 5, 1]cpu\n");
}

TEST(OperatorErrors, ProductsThatCannotBe) {
  Traced t;
  Tensor x = t.input("x", {2, 3, 4}), y = t.input("y", {3, 4, 4}), v = t.input("v", {4});
  EXPECT_EQ(errorOf(matmul(x, v)),
            "error: matmul: multiplies f32[2, 3, 4][12, 4, 1]cpu by f32[4][1]cpu [trace.matmul]\n"
            "  note: both have two dimensions or more; unsqueeze a vector\n");
  EXPECT_EQ(errorOf(matmul(x, y)),
            "error: matmul: multiplies f32[2, 3, 4][12, 4, 1]cpu by f32[3, 4, 4][16, 4, 1]cpu, whose batches do not "
            "fit [trace.matmul]\n  note: their sizes are equal or 1, counted from the last\n");
}

TEST(OperatorErrors, DimensionsThatAreNotThereAreNotFlattened) {
  Traced t;
  Tensor x = t.input("x", {2, 3});
  EXPECT_EQ(errorOf(flatten(x, -5)),
            "error: flatten: Dimension out of range (expected to be in range of [-2, 1], but got -5) [trace.dim]\n");
  EXPECT_EQ(errorOf(flatten(sum(x), 1)),
            "error: flatten: Dimension out of range (expected to be in range of [-1, 0], but got 1) [trace.dim]\n");
  EXPECT_EQ(errorOf(flatten(x, 1, 0)),
            "error: flatten: flatten() has invalid args: start_dim cannot come after end_dim [trace.dim]\n");
  EXPECT_EQ(flatten(sum(x)).typeText(), "f32[1][1]cpu");
  EXPECT_EQ(flatten(x, -2, -1).typeText(), "f32[6][1]cpu");
}

TEST(OperatorErrors, NoPieces) {
  Traced t;
  EXPECT_EQ(errorOf(chunk(t.input("x", {4}), 0)[0]),
            "error: chunk: into 0 pieces; expected 1 or more [trace.chunks]\n");
}

TEST(OperatorErrors, ADeviceThatIsNone) {
  Traced t;
  EXPECT_EQ(errorOf(zeros({4}, DType::F32, "cpu:x")), "error: aten.zeros.default: 'cpu:x' is no device [trace.device]\n"
                                                      "  note: \"cpu\", \"cuda:0\", ...\n");
}

} // namespace
} // namespace ccgraph::test
