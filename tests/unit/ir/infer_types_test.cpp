// Tests result types that PyTorch's graphs in tests/data lack; the expectations are those of PyTorch's fake tensors.
#include "program.h"

#include "ccgraph/ir/infer_types.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

/// Returns the types of the elements of a call's result.
std::vector<std::string> elementsOf(const char *target, const std::vector<const char *> &inputs) {
  Program p;
  std::vector<Item> args;
  for (const char *type : inputs)
    args.emplace_back(p.input(("x" + std::to_string(args.size())).c_str(), type));
  for (Item literal : {Item(0.0), Item(false)})
    args.push_back(literal);
  Node *node = p.call("n", target, args);
  inferTypes(p.graph);
  std::vector<std::string> texts;
  for (const Type *type : node->type() ? node->type()->elements() : llvm::ArrayRef<const Type *>())
    texts.push_back(typeText(type));
  return texts;
}

using Texts = std::vector<std::string>;

TEST(InferTypes, OfAttentionOnTheCpu) {
  const char *target = "aten._scaled_dot_product_flash_attention_for_cpu.default";
  const char *key = "bf16[2, 3, 7, 8][168, 56, 8, 1]cpu";
  EXPECT_EQ(elementsOf(target, {"bf16[2, 3, 5, 8][120, 40, 8, 1]cpu", key, key}),
            (Texts{"bf16[2, 3, 5, 8][120, 40, 8, 1]cpu", "f32[2, 3, 5][15, 1, 3]cpu"}));
  EXPECT_EQ(elementsOf(target, {"bf16[2, 3, 5, 8][120, 8, 24, 1]cpu", key, key}),
            (Texts{"bf16[2, 3, 5, 8][120, 8, 24, 1]cpu", "f32[2, 3, 5][15, 1, 3]cpu"}));
  EXPECT_EQ(elementsOf(target, {"bf16[1, 2, 1, 8][48, 8, 48, 1]cpu", key, key}),
            (Texts{"bf16[1, 2, 1, 8][16, 8, 8, 1]cpu", "f32[1, 2, 1][2, 1, 2]cpu"}));
  const char *wide = "f64[2, 3, 5, 8][120, 40, 8, 1]cpu";
  EXPECT_EQ(elementsOf(target, {wide, wide, wide}), (Texts{wide, "f64[2, 3, 5][15, 1, 3]cpu"}));
}

TEST(InferTypes, OfTheGradientsOfAttentionOnTheCpu) {
  const char *query = "f32[2, 3, 5, 8][120, 40, 8, 1]cpu", *key = "f32[2, 3, 7, 8][168, 56, 8, 1]cpu";
  EXPECT_EQ(elementsOf("aten._scaled_dot_product_flash_attention_for_cpu_backward.default",
                       {query, query, key, key, query, "f32[2, 3, 5][15, 1, 3]cpu"}),
            (Texts{"f32[2, 3, 5, 8][120, 8, 24, 1]cpu", "f32[2, 3, 7, 8][168, 8, 24, 1]cpu",
                   "f32[2, 3, 7, 8][168, 8, 24, 1]cpu"}));
}

TEST(InferTypes, FillsElementsOfAListThatNobodyCouldTellAtFirst) {
  Program p;
  Node *x = p.input("x", "f32[4][1]cpu");
  Node *mean = GraphBuilder(p.graph).call("aten.mean.default", {x});
  ASSERT_EQ(mean->type(), nullptr); // because its type rule leaves it to PyTorch's defaults
  Node *both =
      GraphBuilder(p.graph).call("_c10d_functional.all_reduce_coalesced.default", {list({mean, x}), "sum", "0"});
  ASSERT_EQ(typeText(both->type()), "(-, f32[4][1]cpu)");
  InferenceReport report = inferTypes(p.graph);
  EXPECT_EQ(typeText(both->type()), "(f32[][]cpu, f32[4][1]cpu)");
  EXPECT_EQ(report.inferred, 2U);
  EXPECT_EQ(inferTypes(p.graph).inferred, 0U);
}

/// Returns the type of a call's result.
std::string typeOfCall(const char *target, const std::vector<const char *> &inputs, const std::vector<Item> &literals) {
  Program p;
  std::vector<Item> args;
  for (const char *type : inputs)
    args.emplace_back(p.input(("x" + std::to_string(args.size())).c_str(), type));
  args.insert(args.end(), literals.begin(), literals.end());
  Node *node = p.call("n", target, args);
  inferTypes(p.graph);
  return typeText(node->type());
}

TEST(InferTypes, OfImages) {
  const char *image = "f32[2, 3, 8, 6][144, 48, 6, 1]cpu";
  EXPECT_EQ(typeOfCall("aten.max_pool2d_with_indices.default", {image}, {list({3, 3}), list({2, 2}), list({1, 1})}),
            "(f32[2, 3, 4, 3][36, 12, 3, 1]cpu, i64[2, 3, 4, 3][36, 12, 3, 1]cpu)");
  EXPECT_EQ(typeOfCall("aten._adaptive_avg_pool2d.default", {"f32[2, 3, 8, 6][144, 1, 18, 3]cpu"}, {list({2, 2})}),
            "f32[2, 3, 2, 2][12, 1, 6, 3]cpu");
  EXPECT_EQ(typeOfCall("aten.reflection_pad2d.default", {image}, {list({1, 2, 0, 3})}),
            "f32[2, 3, 11, 9][297, 99, 9, 1]cpu");
  EXPECT_EQ(typeOfCall("aten.upsample_nearest2d.default", {image}, {list({16, 12})}),
            "f32[2, 3, 16, 12][576, 192, 12, 1]cpu");
  EXPECT_EQ(typeOfCall("aten.im2col.default", {image}, {list({2, 2}), list({1, 1}), list({0, 0}), list({2, 2})}),
            "f32[2, 12, 12][144, 12, 1]cpu");
}

TEST(InferTypes, OfTransformsAndMatrices) {
  EXPECT_EQ(typeOfCall("aten._fft_r2c.default", {"f32[2, 8][8, 1]cpu"}, {list({1}), 0, true}), "c64[2, 5][5, 1]cpu");
  EXPECT_EQ(typeOfCall("aten._fft_r2c.default", {"f64[8, 2][2, 1]cpu"}, {list({0}), 0, true}), "c128[5, 2][1, 5]cpu");
  EXPECT_EQ(typeOfCall("aten._fft_r2c.default", {"f32[3, 0, 6][6, 6, 1]cpu"}, {list({2}), 0, true}),
            "c64[3, 0, 4][4, 4, 1]cpu");
  EXPECT_EQ(typeOfCall("aten.linalg_cholesky_ex.default", {"f32[4, 3, 3][9, 3, 1]cpu"}, {}),
            "(f32[4, 3, 3][9, 1, 3]cpu, i32[4][1]cpu)");
  EXPECT_EQ(typeOfCall("aten.diagonal.default", {"f32[4, 3][3, 1]cpu"}, {1}), "f32[2][4]cpu");
}

// The types are those of PyTorch 2.15's torch.compile(dynamic=True).
TEST(InferTypes, OfSymbolicSizes) {
  EXPECT_EQ(typeOfCall("operator.mul", {"Sym(s77 - ((s77//2)))"}, {4}), "Sym(4*s77 - 4*((s77//2)))");
  EXPECT_EQ(typeOfCall("operator.sub", {"Sym(s27)", "Sym(s77 - ((s77//2)))"}, {}), "Sym(s27 - s77 + ((s77//2)))");
  EXPECT_EQ(typeOfCall("operator.mul", {"Sym(s77)", "Sym(s27 + 1)"}, {}), "Sym(s77*(s27 + 1))");
  EXPECT_EQ(typeOfCall("operator.floordiv", {"Sym(s77)"}, {2}), "Sym((s77//2))");
  EXPECT_EQ(typeOfCall("operator.mod", {"Sym(s77)"}, {4}), "Sym(Mod(s77, 4))");
  const char *matrix = "f32[s17, 7][7, 1]cpu";
  EXPECT_EQ(typeOfCall("aten.slice.Tensor", {matrix}, {0, 0, INT64_MAX, 2}), "f32[((s17 + 1)//2), 7][14, 1]cpu");
  EXPECT_EQ(typeOfCall("aten.slice.Tensor", {matrix}, {0, 0, 1}), "f32[1, 7][7, 1]cpu");
  EXPECT_EQ(typeOfCall("aten.slice.Tensor", {matrix}, {0, 0, 3}), "-") << "s17 may be 2";
  EXPECT_EQ(typeOfCall("aten.slice.Tensor", {"f32[u0, 7][7, 1]cpu"}, {0, 0, 1}), "-");
  EXPECT_EQ(typeOfCall("aten.slice.Tensor", {matrix, "Sym((s17//2))"}, {}), "-");
  EXPECT_EQ(typeOfCall("aten.diagonal.default", {matrix}, {}), "f32[Min(7, s17)][8]cpu");
  EXPECT_EQ(typeOfCall("aten.view.default", {"f32[2*s77, 4][4, 1]cpu"}, {list({4, -1})}), "f32[4, 2*s77][2*s77, 1]cpu");
  EXPECT_EQ(typeOfCall("aten.clone.default", {"f32[2, s27 - ((s27//2)), 3][3*s27, 3, 1]cpu"}, {}),
            "f32[2, s27 - ((s27//2)), 3][3*Max(1, s27 - ((s27//2))), 3, 1]cpu");
}

TEST(InferTypes, OfImagesWithSymbolicSizes) {
  const char *image = "f32[2, 3, s53, s0][3*s0*s53, s0*s53, s0, 1]cpu";
  EXPECT_EQ(typeOfCall("aten.convolution.default", {image, "f32[4, 3, 3, 3][27, 9, 3, 1]cpu"},
                       {Item::none(), list({2, 2}), list({1, 1}), list({1, 1}), false, list({0, 0}), 1}),
            "f32[2, 4, (((s53 - 1)//2)) + 1, (((s0 - 1)//2)) + 1][4*((((s0 - 1)//2)) + 1)*((((s53 - 1)//2)) + 1), "
            "((((s0 - 1)//2)) + 1)*((((s53 - 1)//2)) + 1), (((s0 - 1)//2)) + 1, 1]cpu");
  EXPECT_EQ(typeOfCall("prims._low_memory_max_pool_with_offsets.default", {image},
                       {list({3, 3}), list({2, 2}), list({0, 0}), list({1, 1}), false}),
            "(f32[2, 3, (((s53 - 3)//2)) + 1, (((s0 - 3)//2)) + 1][3*Max(1, (((s0 - 3)//2)) + 1)*Max(1, (((s53 - "
            "3)//2)) + 1), Max(1, (((s0 - 3)//2)) + 1)*Max(1, (((s53 - 3)//2)) + 1), Max(1, (((s0 - 3)//2)) + 1), "
            "1]cpu, i8[2, 3, (((s53 - 3)//2)) + 1, (((s0 - 3)//2)) + 1][3*Max(1, (((s0 - 3)//2)) + 1)*Max(1, (((s53 - "
            "3)//2)) + 1), Max(1, (((s0 - 3)//2)) + 1)*Max(1, (((s53 - 3)//2)) + 1), Max(1, (((s0 - 3)//2)) + 1), "
            "1]cpu)");
  EXPECT_EQ(typeOfCall("aten.avg_pool2d.default", {image}, {list({2, 2}), list({2, 2}), list({0, 0}), true}), "-")
      << "the last window depends on the size";
}

TEST(InferTypes, StridesOfSizesOfOneFollowFromTheSizesInside) {
  EXPECT_EQ(typeOfCall("aten.add.Tensor", {"i64[1, 1, s53, 1][s53, s53, 1, 1]cpu"}, {2}),
            "i64[1, 1, s53, 1][s53, s53, 1, 1]cpu");
  EXPECT_EQ(typeOfCall("aten.add.Tensor", {"i64[1, 1, 1, s0][s0, s0, s0, 1]cpu"}, {2}),
            "i64[1, 1, 1, s0][s0, s0, s0, 1]cpu");
}

TEST(InferTypes, OfListsOfTensors) {
  Program p;
  Node *a = p.input("a", "f32[4, 3][3, 1]cpu"), *n = p.input("n", "i64[5][1]cpu");
  Node *powers = p.call("powers", "aten._foreach_pow.ScalarAndTensor", {0.9, list({a})});
  Node *norms = p.call("norms", "aten._foreach_norm.Scalar", {list({a})});
  Node *largest = p.call("largest", "aten._foreach_maximum.List", {list({a}), list({a})});
  Node *scaled = p.call("scaled", "aten._foreach_mul.Scalar", {list({n}), 0.5});
  Node *item = p.call("item", "operator.getitem", {largest, 0});
  EXPECT_TRUE(lacksTypes(p.graph)) << "the element has no type";
  inferTypes(p.graph);
  EXPECT_FALSE(lacksTypes(p.graph));
  EXPECT_EQ(typeText(powers->type()), "(f32[4, 3][3, 1]cpu,)");
  EXPECT_EQ(typeText(norms->type()), "(f32[][]cpu,)");
  EXPECT_EQ(typeText(item->type()), "f32[4, 3][3, 1]cpu");
  EXPECT_EQ(typeText(scaled->type()), "-") << "integers times a real number are floats";
}

TEST(InferTypes, OfPlacesInOrder) {
  const char *matrix = "f32[3, 4][4, 1]cpu";
  EXPECT_EQ(typeOfCall("aten.kthvalue.default", {matrix}, {2}), "(f32[3][1]cpu, i64[3][1]cpu)");
  EXPECT_EQ(typeOfCall("aten.kthvalue.default", {matrix}, {2, 0, true}), "(f32[1, 4][4, 1]cpu, i64[1, 4][4, 1]cpu)");
  EXPECT_EQ(typeOfCall("aten.median.dim", {matrix}, {0}), "(f32[4][1]cpu, i64[4][1]cpu)");
  EXPECT_EQ(typeOfCall("aten.nanmedian.default", {matrix}, {}), "f32[][]cpu");
  EXPECT_EQ(typeOfCall("aten.histc.default", {matrix}, {4, -2, 2}), "f32[4][1]cpu");
}

/// Adds a subgraph whose only input has no type: it returns neg of the input, in a tuple.
Graph &addNegation(Graph &graph, const char *name) {
  Graph &body = graph.addSubgraph(graph.context().identifier(name));
  Node *input = GraphBuilder(body).input("a", nullptr);
  Node *neg = GraphBuilder(body).call(CallSpec{.target = "aten.neg.default", .args = {input}, .name = "neg"});
  GraphBuilder(body).output({neg});
  return body;
}

TEST(InferTypes, GivesASubgraphTheTypesOfItsCall) {
  const std::vector<const char *> targets = {"higher_order.invoke_subgraph", "higher_order.cond"};
  for (const char *target : targets) {
    Program p;
    Node *x = p.input("x", "f32[4][1]cpu"), *test = p.input("p", "b8[][]cpu");
    Graph &first = addNegation(p.graph, "first"), &second = addNegation(p.graph, "second");
    Node *one = p.attribute("first"), *other = p.attribute("second");
    bool choice = target == targets.back();
    Node *call =
        choice ? p.call("call", target, {test, one, other, list({x})}) : p.call("call", target, {one, "first", x});
    Node *item = p.call("item", "operator.getitem", {call, 0});
    inferTypes(p.graph);
    EXPECT_EQ(typeText(first.find("neg")->type()), "f32[4][1]cpu") << target;
    EXPECT_EQ(typeText(second.find("neg")->type()), choice ? "f32[4][1]cpu" : "-") << target;
    EXPECT_EQ(typeText(item->type()), "f32[4][1]cpu") << target;
  }
}

} // namespace
} // namespace ccgraph::test
