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

} // namespace
} // namespace ccgraph::test
