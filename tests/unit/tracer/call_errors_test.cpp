// Tests calls that PyTorch refuses, each with PyTorch's message, so that no trace holds a program which can only fail
// when it runs.
#include "traced.h"

namespace ccgraph::test {
namespace {

using namespace tracer;

/// Returns the message of a failed call, without the target before it and the rule after it.
std::string messageOf(const Tensor &tensor) {
  llvm::StringRef text = tensor.error() ? llvm::StringRef(tensor.error()->message) : "";
  return text.str();
}

TEST(CallErrors, WhatIsWrittenMustFit) {
  Traced t;
  Tensor four = t.input("a", {4}), three = t.input("b", {3}), matrix = t.input("c", {3, 4});
  EXPECT_EQ(messageOf(copy_(four, three)),
            "The size of tensor a (4) must match the size of tensor b (3) at non-singleton dimension 0");
  EXPECT_EQ(messageOf(copy_(four, matrix)), "output with shape [4] doesn't match the broadcast shape [3, 4]");
  EXPECT_EQ(messageOf(add_(four, matrix)), "output with shape [4] doesn't match the broadcast shape [3, 4]");
  EXPECT_NE(messageOf(add_(four, three)), "");
  EXPECT_EQ(messageOf(add_(matrix, four)), "");
  EXPECT_EQ(messageOf(copy_(matrix, four)), "");
}

TEST(CallErrors, WhatIsWrittenMustHoldTheResult) {
  Traced t;
  Tensor whole = t.input("i", {4}, DType::I64), flag = t.input("b", {4}, DType::Bool), real = t.input("x", {4});
  EXPECT_EQ(messageOf(add_(whole, real)), "result type Float can't be cast to the desired output type Long");
  EXPECT_EQ(messageOf(mul_(whole, 1.5)), "result type Float can't be cast to the desired output type Long");
  EXPECT_EQ(messageOf(call("aten.div_.Tensor", {whole, 2})),
            "result type Float can't be cast to the desired output type Long");
  EXPECT_EQ(messageOf(add_(flag, whole)), "result type Long can't be cast to the desired output type Bool");
  EXPECT_EQ(messageOf(add_(real, whole)), "");
  EXPECT_EQ(messageOf(mul_(whole, 2)), "");
  EXPECT_EQ(messageOf(copy_(whole, real)), "");
}

TEST(CallErrors, WritesThroughAnExpandedTensor) {
  Traced t;
  Tensor wide = expand(t.input("x", {1, 3}), {2, 3});
  std::string text = "unsupported operation: more than one element of the written-to tensor refers to a single memory "
                     "location. Please clone() the tensor before performing the operation.";
  EXPECT_EQ(messageOf(add_(wide, 1)), text);
  EXPECT_EQ(messageOf(copy_(wide, t.input("y", {2, 3}))), text);
  EXPECT_EQ(messageOf(call("aten.zero_.default", {wide})), "");
  EXPECT_EQ(messageOf(add_(expand(t.input("z", {1, 3}), {1, 3}), 1)), "");
}

TEST(CallErrors, FactorsOfTwoDTypes) {
  Traced t;
  Tensor a = t.input("a", {2, 3}), b = t.input("b", {3, 4}, DType::F64);
  EXPECT_EQ(messageOf(mm(a, b)), "expected m1 and m2 to have the same dtype, but got: float != double");
  EXPECT_EQ(messageOf(call("aten.addmm.default", {t.input("c", {4}), a, b})),
            "self and mat2 must have the same dtype, but got Float and Double");
  EXPECT_EQ(messageOf(call("aten.bmm.default", {unsqueeze(a, 0), unsqueeze(b, 0)})),
            "expected scalar type Float but found Double");
}

TEST(CallErrors, ABiasThatDoesNotStretch) {
  Traced t;
  Tensor a = t.input("a", {2, 3}), b = t.input("b", {3, 4});
  auto biased = [&](const Tensor &bias) { return messageOf(call("aten.addmm.default", {bias, a, b})); };
  EXPECT_EQ(biased(t.input("three", {3})),
            "The expanded size of the tensor (4) must match the existing size (3) at non-singleton dimension 1.  "
            "Target sizes: [2, 4].  Tensor sizes: [3]");
  EXPECT_EQ(biased(t.input("rows", {3, 4})),
            "The expanded size of the tensor (2) must match the existing size (3) at non-singleton dimension 0.  "
            "Target sizes: [2, 4].  Tensor sizes: [3, 4]");
  EXPECT_EQ(biased(t.input("wide", {4}, DType::F64)),
            "self and mat2 must have the same dtype, but got Double and Float");
  EXPECT_NE(biased(t.input("deep", {1, 2, 4})), "");
  EXPECT_EQ(biased(t.input("four", {4})), "");
  EXPECT_EQ(biased(t.input("one", {2, 1})), "");
}

TEST(CallErrors, IndicesOfFloats) {
  Traced t;
  Tensor x = t.input("x", {4, 2}), real = t.input("r", {4, 2}), whole = t.input("i", {4, 2}, DType::I64);
  EXPECT_EQ(messageOf(embedding(real, x)),
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            "Float instead (while checking arguments for embedding)");
  EXPECT_EQ(messageOf(index(x, {real})), "tensors used as indices must be long, int, byte or bool tensors");
  EXPECT_EQ(messageOf(gather(x, 0, real)), "gather(): Expected dtype int32/int64 for index, but got Float");
  EXPECT_EQ(messageOf(scatter_add(x, 0, real, x)),
            "scatter_add(): Expected dtype int32/int64 for index, but got Float");
  EXPECT_EQ(messageOf(cross_entropy(x, t.input("y", {4}))), "expected target dtype to be Long or Byte, but got Float");
  EXPECT_EQ(messageOf(gather(x, 0, whole)), "");
}

TEST(CallErrors, WeightsOfANorm) {
  Traced t;
  Tensor x = t.input("x", {2, 3}), four = t.input("w", {4}), three = t.input("b", {3});
  EXPECT_EQ(messageOf(layer_norm(x, {3}, four)),
            "Expected weight to be of same shape as normalized_shape, but got weight of shape [4] and "
            "normalized_shape = [3]");
  EXPECT_EQ(messageOf(layer_norm(x, {3}, three, four)),
            "Expected bias to be of same shape as normalized_shape, but got bias of shape [4] and normalized_shape = "
            "[3]");
  EXPECT_EQ(messageOf(layer_norm(x, {4})),
            "Given normalized_shape=[4], expected input with shape [*, 4], but got input of size[2, 3]");
  EXPECT_EQ(messageOf(layer_norm(x, {3}, three, three)), "");
}

TEST(CallErrors, ARefusedCallLeavesNoNode) {
  Traced t;
  Tensor four = t.input("a", {4}), matrix = t.input("c", {3, 4});
  (void)add_(four, matrix);
  EXPECT_EQ(t.text(), "");
  (void)add_(matrix, four);
  EXPECT_EQ(t.text(), "add_ = aten.add_.Tensor(c, a) : f32[3, 4][4, 1]cpu\n");
}

TEST(NetworkOptions, OfEmbeddings) {
  Traced t;
  Tensor table = t.input("w", {5, 2}), i = t.input("i", {3}, DType::I64);
  (void)embedding(i, table);
  (void)embedding(i, table, 1);
  (void)embedding(i, table, -1, true);
  EXPECT_EQ(t.text(), "embedding = aten.embedding.default(w, i) : f32[3, 2][2, 1]cpu\n"
                      "embedding_1 = aten.embedding.default(w, i, 1) : f32[3, 2][2, 1]cpu\n"
                      "embedding_2 = aten.embedding.default(w, i, 4, True) : f32[3, 2][2, 1]cpu\n");
  EXPECT_EQ(messageOf(embedding(i, table, 5)), "Padding_idx must be within num_embeddings: got 5 for 5 rows");
  EXPECT_EQ(messageOf(embedding(i, table, -6)), "Padding_idx must be within num_embeddings: got -6 for 5 rows");
}

TEST(NetworkOptions, OfCrossEntropy) {
  Traced t;
  Tensor x = t.input("x", {4, 3}), y = t.input("y", {4}, DType::I64), w = t.input("w", {3});
  EXPECT_EQ(cross_entropy(x, y, {.weight = w, .ignore_index = 1, .reduction = "none"}).sizes(),
            std::vector<int64_t>{4});
  (void)cross_entropy(x, y, {.reduction = "sum"});
  std::string text = t.text();
  EXPECT_NE(text.find("aten.nll_loss_forward.default(_log_softmax, y, w, 0, 1)"), std::string::npos) << text;
  EXPECT_NE(text.find("aten.nll_loss_forward.default(_log_softmax_1, y, None, 2, -100)"), std::string::npos) << text;
  EXPECT_EQ(messageOf(cross_entropy(x, y, {.reduction = "median"})), "median is not a valid value for reduction");
}

} // namespace
} // namespace ccgraph::test
