// Tests shape and work rules on single calls: their results, cases without a result, and messages about wrong
// arguments.
#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/type_inference.h"
#include "ccgraph/ir/work.h"
#include "unit/ir/program.h"

#include <gtest/gtest.h>

namespace ccgraph {
namespace {

using test::Item;
using test::list;
using test::Program;

class ShapeTest : public testing::Test {
protected:
  /// Returns the type of target(inputs..., rest...), "-" if the rule gives none, or the message if it reports an error.
  std::string infer(const char *target, const std::vector<const char *> &inputs, const std::vector<Item> &rest = {}) {
    return typeOf(p_.call("n", target, arguments(inputs, rest)));
  }
  std::string inferList(const char *target, const std::vector<const char *> &inputs,
                        const std::vector<Item> &rest = {}) {
    std::vector<Item> args = {list(arguments(inputs, {}))};
    args.insert(args.end(), rest.begin(), rest.end());
    return typeOf(p_.call("n", target, args));
  }
  std::string typeOf(Node *node) {
    llvm::Expected<const Type *> type = certainType(*node);
    return type ? typeText(*type) : messageOf(type.takeError());
  }
  std::optional<Work> work(const char *target, const std::vector<const char *> &inputs, const char *type) {
    Node *node = p_.call("n", target, arguments(inputs, {}), type);
    return node->op()->work ? node->op()->work(*node) : std::nullopt;
  }
  std::vector<Item> arguments(const std::vector<const char *> &inputs, const std::vector<Item> &rest) {
    std::vector<Item> args;
    args.reserve(inputs.size() + rest.size());
    for (const char *type : inputs)
      args.push_back(p_.input("x", type));
    args.insert(args.end(), rest.begin(), rest.end());
    return args;
  }
  static std::string messageOf(llvm::Error error) {
    std::string text;
    llvm::handleAllErrors(std::move(error), [&](const DiagnosticError &e) { text = e.diagnostics()[0].message; });
    return text;
  }

  Program p_;
};

TEST_F(ShapeTest, ArithmeticPromotesAsPyTorchDoes) {
  EXPECT_EQ(infer("aten.mul.Tensor", {"f16[2][1]cpu", "bf16[2][1]cpu"}), "f32[2][1]cpu");
  EXPECT_EQ(infer("aten.mul.Tensor", {"bf16[2][1]cpu", "f32[][]cpu"}), "bf16[2][1]cpu") << "0-d of the same class";
  EXPECT_EQ(infer("aten.mul.Tensor", {"i64[2][1]cpu", "f16[][]cpu"}), "f16[2][1]cpu");
  EXPECT_EQ(infer("aten.add.Scalar", {"b8[2][1]cpu"}, {1}), "i64[2][1]cpu");
  EXPECT_EQ(infer("aten.mul.Scalar", {"bf16[2][1]cpu"}, {1.5}), "bf16[2][1]cpu");
  EXPECT_EQ(infer("aten.mul.Scalar", {"i64[2][1]cpu"}, {1.5}), "-") << "the default dtype is the program's";
  EXPECT_EQ(infer("aten.abs.default", {"c64[2][1]cpu"}), "f32[2][1]cpu");
  EXPECT_EQ(infer("aten.where.self", {"b8[2][1]cpu", "u8[2][1]cpu", "i8[2][1]cpu"}), "i16[2][1]cpu");
  EXPECT_EQ(infer("aten.div.Tensor", {"i64[2][1]cpu", "i64[2][1]cpu"}), "-");
}

// Without out_dtype, torch._scaled_mm gives the dtype of its first factor. The factors may have different dtypes.
TEST_F(ShapeTest, ProductsOfFloat8) {
  const std::vector<const char *> factors = {"f8e4m3fn[16, 32][32, 1]cpu", "f8e5m2[32, 48][1, 32]cpu", "f32[]cpu",
                                             "f32[]cpu"};
  EXPECT_EQ(infer("aten._scaled_mm.default", factors, {Item::none(), Item::none(), DType::BF16}),
            "bf16[16, 48][48, 1]cpu");
  EXPECT_EQ(infer("aten._scaled_mm.default", factors), "f8e4m3fn[16, 48][48, 1]cpu");
  EXPECT_EQ(infer("aten._scaled_mm.default",
                  {"f8e5m2[16, 32][32, 1]cpu", "f8e5m2[16, 48][48, 1]cpu", "f32[]cpu", "f32[]cpu"}),
            "multiplies f8e5m2[16, 32][32, 1]cpu by f8e5m2[16, 48][48, 1]cpu: 32 columns meet 16 rows");
}

TEST_F(ShapeTest, NewDimensionsOfOneElementFollowTheOneInsideThem) {
  EXPECT_EQ(infer("aten.expand.default", {"f32[3][1]cpu"}, {list({1, 3})}), "f32[1, 3][3, 1]cpu");
  EXPECT_EQ(infer("aten.expand.default", {"f32[3][1]cpu"}, {list({2, 1, 3})}), "f32[2, 1, 3][0, 3, 1]cpu");
}

TEST_F(ShapeTest, ViewsRearrangeStrides) {
  EXPECT_EQ(infer("aten.t.default", {"f32[2, 3][3, 1]cpu"}), "f32[3, 2][1, 3]cpu");
  EXPECT_EQ(infer("aten.transpose.int", {"f32[2, 3, 4][12, 4, 1]cpu"}, {0, -1}), "f32[4, 3, 2][1, 4, 12]cpu");
  EXPECT_EQ(infer("aten.permute.default", {"f32[2, 3, 4][12, 4, 1]cpu"}, {list({2, 0, 1})}),
            "f32[4, 2, 3][1, 12, 4]cpu");
  EXPECT_EQ(infer("aten.expand.default", {"f32[3, 1][1, 1]cpu"}, {list({2, -1, 4})}), "f32[2, 3, 4][0, 1, 0]cpu");
  EXPECT_EQ(infer("aten.unsqueeze.default", {"f32[2, 3][3, 1]cpu"}, {1}), "f32[2, 1, 3][3, 3, 1]cpu");
  EXPECT_EQ(infer("aten.squeeze.dim", {"f32[2, 1, 3][3, 3, 1]cpu"}, {1}), "f32[2, 3][3, 1]cpu");
  EXPECT_EQ(infer("aten.squeeze.dim", {"f32[2, 1, 3][3, 3, 1]cpu"}, {0}), "f32[2, 1, 3][3, 3, 1]cpu");
  EXPECT_EQ(infer("aten.squeeze.default", {"f32[2, 1, 3][3, 3, 1]cpu"}), "f32[2, 3][3, 1]cpu");
  EXPECT_EQ(infer("aten.select.int", {"f32[2, 3][3, 1]cpu"}, {0, 1}), "f32[3][1]cpu");
  EXPECT_EQ(infer("aten.slice.Tensor", {"f32[10, 3][3, 1]cpu"}, {0, 2, 9, 2}), "f32[4, 3][6, 1]cpu");
  EXPECT_EQ(infer("aten.slice.Tensor", {"f32[10, 3][3, 1]cpu"}, {0, -3, Item::none()}), "f32[3, 3][3, 1]cpu");
  EXPECT_EQ(infer("aten.as_strided.default", {"f32[10][1]cpu"}, {list({2, 2}), list({4, 1})}), "f32[2, 2][4, 1]cpu");
  EXPECT_EQ(infer("aten.view.dtype", {"f32[2, 4][4, 1]cpu"}, {DType::BF16}), "bf16[2, 8][8, 1]cpu");
  EXPECT_EQ(infer("aten.view_as_complex.default", {"f32[3, 2][2, 1]cpu"}), "c64[3][1]cpu");
}

TEST_F(ShapeTest, ReshapeIsAViewWhereStridesAllow) {
  EXPECT_EQ(infer("aten.view.default", {"f32[2, 6][6, 1]cpu"}, {list({-1, 3})}), "f32[4, 3][3, 1]cpu");
  EXPECT_EQ(infer("aten.reshape.default", {"f32[4, 6][12, 1]cpu"}, {list({4, 2, 3})}), "f32[4, 2, 3][12, 3, 1]cpu");
  EXPECT_EQ(infer("aten.reshape.default", {"f32[2, 3][1, 2]cpu"}, {list({6})}), "f32[6][1]cpu");
  EXPECT_EQ(infer("aten.flatten.using_ints", {"f32[2, 3, 4][12, 4, 1]cpu"}, {1}), "f32[2, 12][12, 1]cpu");
  EXPECT_EQ(infer("aten.view.default", {"f32[2, 6][6, 1]cpu"}, {list({5, 3})}),
            "views 12 elements as a shape with another number of elements");
}

TEST_F(ShapeTest, SplitsYieldViews) {
  EXPECT_EQ(infer("aten.split.Tensor", {"f32[5, 2][2, 1]cpu"}, {2}),
            "(f32[2, 2][2, 1]cpu, f32[2, 2][2, 1]cpu, f32[1, 2][2, 1]cpu)");
  EXPECT_EQ(infer("aten.split_with_sizes.default", {"f32[5, 2][2, 1]cpu"}, {list({4, 1})}),
            "(f32[4, 2][2, 1]cpu, f32[1, 2][2, 1]cpu)");
  EXPECT_EQ(infer("aten.split_with_sizes.default", {"f32[5, 2][2, 1]cpu"}, {list({4, 2})}),
            "splits 5 rows into parts of together 6");
  EXPECT_EQ(infer("aten.unbind.int", {"f32[2, 3][3, 1]cpu"}, {1}), "(f32[2][3]cpu, f32[2][3]cpu, f32[2][3]cpu)");
}

TEST_F(ShapeTest, CatJoinsRows) {
  EXPECT_EQ(inferList("aten.cat.default", {"f32[2, 3][3, 1]cpu", "f32[1, 3][3, 1]cpu"}), "f32[3, 3][3, 1]cpu");
  EXPECT_EQ(inferList("aten.cat.default", {"f32[2, 3][3, 1]cpu", "f32[2, 1][1, 1]cpu"}, {-1}), "f32[2, 4][4, 1]cpu");
  EXPECT_EQ(inferList("aten.cat.default", {"f32[2, 3][3, 1]cpu", "bf16[1, 3][3, 1]cpu"}), "-") << "dtypes are promoted";
  EXPECT_EQ(inferList("aten.cat.default", {"f32[1][1]cpu", "f32[0][1]cpu"}), "f32[1][1]cpu") << "of no elements too";
  EXPECT_EQ(inferList("aten.cat.default", {"f32[u0, 3][3, 1]cpu", "f32[1, 3][3, 1]cpu"}), "-");
}

TEST_F(ShapeTest, CopiesKeepDenseStrides) {
  EXPECT_EQ(infer("aten.clone.default", {"f32[2, 3][1, 2]cpu"}), "f32[2, 3][1, 2]cpu");
  EXPECT_EQ(infer("aten.clone.default", {"f32[2, 3][6, 2]cpu"}), "-");
  EXPECT_EQ(infer("prims.convert_element_type.default", {"f32[2, 3][3, 1]cpu"}, {DType::BF16}), "bf16[2, 3][3, 1]cpu");
  EXPECT_EQ(infer("aten.copy_.default", {"f32[2, 3][3, 1]cpu", "bf16[3][1]cpu"}), "f32[2, 3][3, 1]cpu");
  EXPECT_EQ(infer("aten.new_zeros.default", {"f32[2, 3][3, 1]cpu"}, {list({4})}), "f32[4][1]cpu");
}

// Where two rules of one operator differed, PyTorch 2.15's fake tensors decided.
TEST_F(ShapeTest, CopiesOfNoElementsKeepTheirStrides) {
  EXPECT_EQ(infer("aten.clone.default", {"f32[0, 3][7, 1]cpu"}), "f32[0, 3][7, 1]cpu");
  EXPECT_EQ(infer("aten.clone.default", {"f32[2, 0, 3][1, 5, 2]cpu"}), "f32[2, 0, 3][1, 5, 2]cpu");
  EXPECT_EQ(infer("aten.empty_like.default", {"f32[0, 3][7, 1]cpu"}), "f32[0, 3][3, 1]cpu");
  EXPECT_EQ(infer("aten.empty_like.default", {"f32[4, 1][1, 7]cpu"}), "f32[4, 1][1, 1]cpu");
}

TEST_F(ShapeTest, MasksHaveNoSayInTheDType) {
  EXPECT_EQ(infer("aten.where.self", {"b8[2][1]cpu", "b8[2][1]cpu", "b8[2][1]cpu"}), "b8[2][1]cpu");
}

TEST_F(ShapeTest, PowersOfIntegersAreIntegers) {
  EXPECT_EQ(infer("aten.pow.Tensor_Scalar", {"i64[2][1]cpu"}, {2}), "i64[2][1]cpu");
  EXPECT_EQ(infer("aten.pow.Tensor_Scalar", {"i64[2][1]cpu"}, {0.5}), "-");
}

TEST_F(ShapeTest, ArithmeticBroadcastsWhereDTypesAgree) {
  EXPECT_EQ(infer("aten.add.Tensor", {"f32[2, 3][3, 1]cpu", "f32[3][1]cpu"}), "f32[2, 3][3, 1]cpu");
  EXPECT_EQ(infer("aten.add.Tensor", {"f32[2, 3][3, 1]cpu", "bf16[3][1]cpu"}), "f32[2, 3][3, 1]cpu");
  EXPECT_EQ(infer("aten.div.Tensor", {"i64[3][1]cpu", "i64[3][1]cpu"}), "-") << "integers become floats";
  EXPECT_EQ(infer("aten.mul.Tensor", {"i64[3][1]cpu"}, {0.5}), "-");
  EXPECT_EQ(infer("aten.ge.Scalar", {"f32[3][1]cpu"}, {0}), "b8[3][1]cpu");
  EXPECT_EQ(infer("aten.add.Tensor", {"f32[2, 3][1, 2]cpu", "f32[2, 3][3, 1]cpu"}), "-") << "strides depend on both";
  EXPECT_EQ(infer("aten.add.Tensor", {"f32[2][1]cpu", "f32[3][1]cpu"}),
            "combines f32[2][1]cpu, f32[3][1]cpu, whose sizes do not fit");
}

TEST_F(ShapeTest, AListOfFloatsKeepsItsTypes) {
  EXPECT_EQ(inferList("aten._foreach_div.Scalar", {"f32[2][1]cpu", "bf16[3][1]cpu"}, {2}),
            "(f32[2][1]cpu, bf16[3][1]cpu)");
  EXPECT_EQ(inferList("aten._foreach_div.Scalar", {"f32[2][1]cpu", "i64[3][1]cpu"}, {2}), "-")
      << "the default dtype is the program's";
  EXPECT_EQ(inferList("aten._foreach_mul.Scalar", {"f32[2, 2][1, 2]cpu"}, {2.0}), "(f32[2, 2][1, 2]cpu,)");
  EXPECT_EQ(inferList("aten._foreach_mul.Scalar", {"f32[2, 2][4, 1]cpu"}, {2.0}), "-") << "not dense";
  EXPECT_EQ(inferList("aten._foreach_mul.Scalar", {"f32[2, 1][1, 2]cpu"}, {2.0}), "-")
      << "kernels choose different strides for the dimension of one element";
}

TEST_F(ShapeTest, ProductsNeedFittingSizes) {
  EXPECT_EQ(infer("aten.mm.default", {"f32[2, 3][3, 1]cpu", "f32[3, 4][1, 3]cpu"}), "f32[2, 4][4, 1]cpu");
  EXPECT_EQ(infer("aten.addmm.default", {"f32[4][1]cpu", "f32[2, 3][3, 1]cpu", "f32[3, 4][4, 1]cpu"}),
            "f32[2, 4][4, 1]cpu");
  EXPECT_EQ(infer("aten.bmm.default", {"f32[5, 2, 3][6, 3, 1]cpu", "f32[5, 3, 4][12, 4, 1]cpu"}),
            "f32[5, 2, 4][8, 4, 1]cpu");
  EXPECT_EQ(infer("aten.mm.default", {"f32[2, 3][3, 1]cpu", "f32[2, 4][4, 1]cpu"}),
            "multiplies f32[2, 3][3, 1]cpu by f32[2, 4][4, 1]cpu: 3 columns meet 2 rows");
}

TEST_F(ShapeTest, CollectivesSayWhatTheyYield) {
  auto functional = [&](const char *name, const char *type, const std::vector<Item> &rest) {
    return infer((std::string("_c10d_functional.") + name + ".default").c_str(), {type}, rest);
  };
  EXPECT_EQ(functional("all_reduce", "f32[2, 3][1, 2]cpu", {"sum", "0"}), "f32[2, 3][3, 1]cpu")
      << "contiguous whatever comes";
  EXPECT_EQ(functional("all_gather_into_tensor", "f32[][]cpu", {4, "0"}), "f32[4][1]cpu");
  EXPECT_EQ(functional("all_gather_into_tensor", "f32[u0, 2][2, 1]cpu", {4, "0"}), "f32[4*u0, 2][2, 1]cpu");
  EXPECT_EQ(functional("reduce_scatter_tensor", "f32[5, 2][2, 1]cpu", {"sum", 2, "0"}), "f32[2, 2][2, 1]cpu");
  EXPECT_EQ(functional("all_to_all_single", "f32[5, 2][2, 1]cpu", {list({3, 4}), list({2, 3}), "0"}),
            "f32[7, 2][2, 1]cpu");
  EXPECT_EQ(functional("broadcast", "f32[5, 2][2, 1]cpu", {0, "0"}), "f32[5, 2][2, 1]cpu");
  EXPECT_EQ(functional("all_reduce_", "f32[2, 3][1, 2]cpu", {"sum", "0"}), "f32[2, 3][1, 2]cpu") << "in place";
  EXPECT_EQ(inferList("_c10d_functional.reduce_scatter_tensor_coalesced.default", {"f32[4][1]cpu", "f32[2][1]cpu"},
                      {"sum", 2, "0"}),
            "(f32[2][1]cpu, f32[1][1]cpu)");
  EXPECT_EQ(inferList("_c10d_functional.wait_tensors.default", {"f32[4][1]cpu", "f32[2][1]cpu"}),
            "(f32[4][1]cpu, f32[2][1]cpu)");
  EXPECT_EQ(infer("_dtensor.shard_dim_alltoall.default", {"f32[4, 6][6, 1]cpu"}, {0, 1, "0"}), "-")
      << "the group's size is unknown";
  p_.graph.groups().set({.name = "0", .ranks = {0, 1}});
  EXPECT_EQ(infer("_dtensor.shard_dim_alltoall.default", {"f32[4, 6][6, 1]cpu"}, {0, 1, "0"}), "f32[8, 3][3, 1]cpu");
}

TEST_F(ShapeTest, ASendYieldsATokenAReceiveItsBuffer) {
  EXPECT_EQ(infer("_c10d_functional.isend.default", {"f32[4, 2][2, 1]cpu"}, {1, 0, "0"}), "f32[0][1]cpu");
  EXPECT_EQ(infer("_c10d_functional.irecv.default", {"f32[4, 2][2, 1]cpu"}, {1, 0, "0"}), "f32[4, 2][2, 1]cpu");
  Node *a = p_.input("a", "f32[4][1]cpu");
  Node *b = p_.input("b", "bf16[2][1]cpu");
  EXPECT_EQ(typeOf(p_.call("n", "_c10d_functional.batch_p2p_ops.default",
                           {list({"isend", "irecv"}), list({1, 1}), list({0, 0}), list({a, b}), "0"})),
            "(f32[0][1]cpu, bf16[2][1]cpu)");
}

TEST_F(ShapeTest, WrongDimensionsAreNamed) {
  EXPECT_EQ(infer("aten.transpose.int", {"f32[2, 3][3, 1]cpu"}, {0, 2}), "names dimension 2 of a tensor of rank 2");
  EXPECT_EQ(infer("aten.expand.default", {"f32[3][1]cpu"}, {list({4})}), "expands a dimension of 3 to 4");
}

TEST_F(ShapeTest, SizesAsLargeAsTheyLikeDoNoHarm) {
  const char *huge = "f32[4611686018427387904, 8][8, 1]cpu";
  for (const char *target :
       {"aten.view.default", "aten.reshape.default", "aten.expand.default", "aten.permute.default"})
    infer(target, {huge}, {list({2, -1})});
  for (const char *target :
       {"aten.split.Tensor", "aten.unbind.int", "aten.unsqueeze.default", "aten.flatten.using_ints",
        "aten.slice.Tensor", "aten.t.default", "aten.clone.default", "aten.neg.default", "aten.squeeze"})
    infer(target, {huge}, {0});
  EXPECT_EQ(infer("aten.unbind.int", {huge}), "-") << "a list of so many is not made";
  EXPECT_EQ(infer("aten.split.Tensor", {huge}, {1}), "-");
  infer("aten.view.dtype", {huge}, {DType::U8});
  infer("aten.mm.default", {huge, "f32[8, 4611686018427387904][4611686018427387904, 1]cpu"});
  inferList("aten.cat.default", {huge, huge, huge});
  infer("_c10d_functional.all_gather_into_tensor.default", {huge}, {8, "0"});
}

TEST_F(ShapeTest, UnknownOperandsKeepRulesSilent) {
  EXPECT_EQ(infer("aten.mm.default", {"", "f32[3, 4][4, 1]cpu"}), "-");
  EXPECT_EQ(infer("aten.view.default", {""}, {list({3})}), "-");
}

TEST_F(ShapeTest, WorkOfProductsAndPointwise) {
  std::optional<Work> mm =
      work("aten.mm.default", {"bf16[8, 16][16, 1]cpu", "bf16[16, 32][32, 1]cpu"}, "bf16[8, 32][32, 1]cpu");
  ASSERT_TRUE(mm.has_value());
  EXPECT_EQ(mm->flops, 2.0 * 8 * 16 * 32);
  EXPECT_EQ(mm->bytes, 2.0 * (8 * 16 + 16 * 32 + 8 * 32));
  std::optional<Work> add = work("aten.add.Tensor", {"f32[8][1]cpu", "f32[8][1]cpu"}, "f32[8][1]cpu");
  ASSERT_TRUE(add.has_value());
  EXPECT_EQ(add->flops, 8);
  EXPECT_EQ(add->bytes, 3.0 * 32);
}

TEST_F(ShapeTest, WorkOfViewsIsNothingAndOfCollectivesIsNotOurs) {
  std::optional<Work> view = work("aten.t.default", {"f32[8, 2][2, 1]cpu"}, "f32[2, 8][1, 2]cpu");
  ASSERT_TRUE(view.has_value());
  EXPECT_EQ(view->bytes, 0);
  EXPECT_FALSE(work("_c10d_functional.all_reduce.default", {"f32[8][1]cpu"}, "f32[8][1]cpu").has_value());
  EXPECT_FALSE(work("aten.add.Tensor", {"f32[u0][1]cpu", "f32[u0][1]cpu"}, "f32[u0][1]cpu").has_value());
}

TEST_F(ShapeTest, WorkOfMovingBytesHasNoOperations) {
  for (const char *target : {"prims.convert_element_type.default", "aten._to_copy.default", "aten.clone.default",
                             "aten.constant_pad_nd.default", "aten.zeros_like.default"}) {
    std::optional<Work> moved = work(target, {"f32[8][1]cpu"}, "bf16[8][1]cpu");
    ASSERT_TRUE(moved.has_value()) << target;
    EXPECT_EQ(moved->flops, 0) << target;
  }
  EXPECT_FALSE(work("aten.clone.default", {"f32[u0][1]cpu"}, "f32[u0][1]cpu").has_value());
}

TEST_F(ShapeTest, WorkOfReductionsAndNormsIsAnOperationAnElement) {
  std::optional<Work> sum = work("aten.sum.default", {"f32[8, 2][2, 1]cpu"}, "f32[][]cpu");
  ASSERT_TRUE(sum.has_value());
  EXPECT_EQ(sum->flops, 16);
  std::optional<Work> softmax = work("aten._softmax.default", {"f32[8, 2][2, 1]cpu"}, "f32[8, 2][2, 1]cpu");
  ASSERT_TRUE(softmax.has_value());
  EXPECT_EQ(softmax->flops, 16);
}

TEST_F(ShapeTest, WorkOfAttentionCountsTwoProducts) {
  const char *q = "bf16[1, 2, 8, 4][64, 32, 4, 1]cpu";
  std::optional<Work> forward = work("aten.scaled_dot_product_attention.default", {q, q, q}, q);
  ASSERT_TRUE(forward.has_value());
  EXPECT_EQ(forward->flops, 4.0 * 2 * 8 * 8 * 4);
}

// 16 x 32 times 32 x 48 numbers. An element of float4_e2m1fn_x2 is two numbers; of a grouped product, each row is
// multiplied by the matrix of its group.
TEST_F(ShapeTest, WorkOfScaledProductsCountsNumbers) {
  constexpr double expected = 2.0 * 16 * 32 * 48;
  const char *result = "bf16[16, 48][48, 1]cpu", *scale = "f32[][]cpu";
  const std::vector<std::vector<const char *>> calls = {
      {"aten._scaled_mm.default", "f8e4m3fn[16, 32][32, 1]cpu", "f8e4m3fn[32, 48][1, 32]cpu"},
      {"aten._scaled_mm.default", "f4e2m1fnx2[16, 16][16, 1]cpu", "f4e2m1fnx2[16, 48][1, 16]cpu"},
      {"aten._scaled_grouped_mm.default", "f8e4m3fn[16, 32][32, 1]cpu", "f8e4m3fn[2, 32, 48][1536, 1, 32]cpu"}};
  for (const auto &call : calls) {
    const std::optional<Work> counted = work(call[0], {call[1], call[2], scale, scale}, result);
    ASSERT_TRUE(counted.has_value()) << call[0];
    EXPECT_EQ(counted->flops, expected) << call[0] << " " << call[1];
  }
}

// Dumps print no type for a list of results, but its operations are known.
TEST_F(ShapeTest, WorkOfAttentionWithoutATypeOfItsResult) {
  const char *q = "bf16[1, 2, 8, 4][64, 32, 4, 1]cpu";
  Node *node = p_.call("n", "aten._scaled_dot_product_flash_attention.default", arguments({q, q, q}, {}));
  p_.graph.setType(node, nullptr);
  std::optional<Work> work = node->op()->work(*node);
  ASSERT_TRUE(work.has_value());
  EXPECT_EQ(work->flops, 4.0 * 2 * 8 * 8 * 4);
  EXPECT_EQ(work->bytes, 3.0 * 2 * 2 * 8 * 4);
}

// The count is that of PyTorch's own counter, whatever the mask excludes; the gradient follows queries, keys and
// values.
TEST_F(ShapeTest, WorkOfFlexAttentionCountsAllPairs) {
  const char *q = "bf16[1, 2, 8, 4][64, 32, 4, 1]cpu", *k = "bf16[1, 1, 6, 4][24, 24, 4, 1]cpu";
  const double forward = 4.0 * 2 * 8 * 6 * 4;
  for (auto [target, flops] : {std::pair("higher_order.flex_attention", forward),
                               std::pair("higher_order.flex_attention_backward", 2.5 * forward)}) {
    Node *node = p_.call("n", target, arguments({q, k, k, q}, {}));
    std::optional<Work> work = node->op()->work(*node);
    ASSERT_TRUE(work.has_value()) << target;
    EXPECT_EQ(work->flops, flops) << target;
    EXPECT_EQ(workFamily(*node->op()), WorkFamily::Attention) << target;
  }
}

// An image [2, 3, 8, 8] and 5 kernels [3, 3, 3]: each of 2 * 5 * 8 * 8 results takes 27 products.
TEST_F(ShapeTest, WorkOfConvolutions) {
  const std::vector<Item> rest = {Item::none(), list({1, 1}), list({1, 1}), list({1, 1}), false, list({0, 0}), 1};
  Node *forward = p_.call("n", "aten.convolution.default",
                          arguments({"f32[2, 3, 8, 8][192, 64, 8, 1]cpu", "f32[5, 3, 3, 3][27, 9, 3, 1]cpu"}, rest),
                          "f32[2, 5, 8, 8][320, 64, 8, 1]cpu");
  std::optional<Work> work = forward->op()->work(*forward);
  ASSERT_TRUE(work.has_value());
  EXPECT_EQ(work->flops, 2.0 * 2 * 5 * 8 * 8 * 27);
  const std::vector<Item> mask = {
      Item::none(), list({1, 1}), list({1, 1}), list({1, 1}), false, list({0, 0}), 1, list({true, true, false})};
  Node *backward = p_.call("n", "aten.convolution_backward.default",
                           arguments({"f32[2, 5, 8, 8][320, 64, 8, 1]cpu", "f32[2, 3, 8, 8][192, 64, 8, 1]cpu",
                                      "f32[5, 3, 3, 3][27, 9, 3, 1]cpu"},
                                     mask));
  work = backward->op()->work(*backward);
  ASSERT_TRUE(work.has_value());
  EXPECT_EQ(work->flops, 2 * 2.0 * 2 * 5 * 8 * 8 * 27);
}

TEST_F(ShapeTest, FamiliesOfWork) {
  auto family = [&](const char *target) { return workFamily(*p_.context.ops().lookup(target)); };
  EXPECT_EQ(family("aten.t.default"), WorkFamily::None);
  EXPECT_EQ(family("aten.empty.memory_format"), WorkFamily::None);
  EXPECT_EQ(family("_c10d_functional.wait_tensor.default"), WorkFamily::None);
  EXPECT_EQ(family("aten.clone.default"), WorkFamily::Movement);
  EXPECT_EQ(family("aten.embedding.default"), WorkFamily::Lookup);
  EXPECT_EQ(family("aten.add.Tensor"), WorkFamily::Pointwise);
  EXPECT_EQ(family("aten._log_softmax.default"), WorkFamily::Reduction);
  EXPECT_EQ(family("aten.addmm.default"), WorkFamily::MatMul);
  EXPECT_EQ(family("aten.linear.default"), WorkFamily::MatMul);
  for (const char *target : {"aten._scaled_mm.default", "aten._scaled_mm_v2.default", "aten._scaled_grouped_mm.default",
                             "aten._scaled_grouped_mm_v2.default"})
    EXPECT_EQ(family(target), WorkFamily::MatMul) << target;
  EXPECT_EQ(family("aten.convolution.default"), WorkFamily::Convolution);
  EXPECT_EQ(family("aten._scaled_dot_product_flash_attention_backward.default"), WorkFamily::Attention);
  EXPECT_EQ(family("aten.sort.default"), WorkFamily::Other);
  EXPECT_EQ(family("_c10d_functional.all_reduce.default"), WorkFamily::Uncounted);
  EXPECT_EQ(family("mylib.nobody_knows.default"), WorkFamily::Uncounted);
}

} // namespace
} // namespace ccgraph
