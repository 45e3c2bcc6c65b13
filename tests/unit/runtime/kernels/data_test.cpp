// Tests creation, copying, joining, padding, indexing and scattering.
#include "unit/runtime/kernels/kernel_testing.h"

#include <cmath>

namespace ccgraph::runtime::testing {
namespace {

TEST(Counts, OfValuesInEqualBins) {
  EXPECT_EQ(valuesOf("aten.histc.default", {counting({6}), number(3), number(0), number(4)}), (Doubles{2, 1, 2}));
  EXPECT_EQ(valuesOf("aten.histc.default", {counting({6}), number(3)}), (Doubles{2, 2, 2}));
  EXPECT_EQ(valuesOf("aten.histc.default", {tensor(DType::F32, {2}, {2, 2}), number(3)}), (Doubles{0, 2, 0}));
  EXPECT_EQ(typeOf("aten.histc.default", {tensor(DType::F64, {0}, {}), number(2)}), "f64[2][1]");
  EXPECT_NE(failure("aten.histc.default", {counting({2}), number(0)}).find("at least one bin"), std::string::npos);
}

TEST(Counts, OfWholeNumbers) {
  Tensor numbers = i64({3}, {1, 3, 1});
  EXPECT_EQ(valuesOf("aten.bincount.default", {numbers}), (Doubles{0, 2, 0, 1}));
  EXPECT_EQ(valuesOf("aten.bincount.default", {numbers, Value(), number(6)}), (Doubles{0, 2, 0, 1, 0, 0}));
  EXPECT_EQ(valuesOf("aten.bincount.default", {numbers, tensor(DType::F32, {3}, {0.5, 1, 2})}),
            (Doubles{0, 2.5, 0, 1}));
  EXPECT_EQ(typeOf("aten.bincount.default", {numbers, numbers}), "f64[4][1]");
  EXPECT_EQ(valuesOf("aten.bincount.default", {i64({0}, {}), Value(), number(2)}), (Doubles{0, 0}));
  EXPECT_NE(failure("aten.bincount.default", {i64({1}, {-1})}).find("none below 0"), std::string::npos);
}

TEST(Creation, FollowsTheNumberUnlessADTypeIsGiven) {
  EXPECT_EQ(typeOf("aten.full.default", {integers({2}), number(1)}), "i64[2][1]");
  EXPECT_EQ(typeOf("aten.full.default", {integers({2}), number(1.5)}), "f32[2][1]");
  EXPECT_EQ(typeOf("aten.full.default", {integers({}), Value::boolean(true)}), "b8[][]");
  EXPECT_EQ(typeOf("aten.zeros.default", {integers({2})}, {{"dtype", Value::dtype(DType::BF16)}}), "bf16[2][1]");
  EXPECT_EQ(typeOf("aten.scalar_tensor.default", {number(1)}), "f32[][]");
  EXPECT_EQ(valuesOf("aten.ones.default", {integers({2})}), (Doubles{1, 1}));
  EXPECT_EQ(valuesOf("aten.new_full.default", {counting({1}), integers({2}), number(3)}), (Doubles{3, 3}));
  EXPECT_NE(failure("aten.zeros.default", {integers({-1})}).find("none negative"), std::string::npos);
}

TEST(Creation, LikeFormsKeepTheLayout) {
  Tensor t = counting({2, 3}).permute({1, 0});
  EXPECT_EQ(typeOf("aten.ones_like.default", {t}), "f32[3, 2][1, 3]");
  EXPECT_EQ(typeOf("aten.full_like.default", {t, number(2)}, {{"memory_format", Value::string("contiguous_format")}}),
            "f32[3, 2][2, 1]");
  EXPECT_NE(
      failure("aten.clone.default", {t}, {{"memory_format", Value::string("channels_last")}}).find("channels_last"),
      std::string::npos);
}

TEST(Creation, Sequences) {
  EXPECT_EQ(valuesOf("aten.arange.default", {number(3)}), (Doubles{0, 1, 2}));
  EXPECT_EQ(valuesOf("aten.arange.start_step", {number(5), number(0), number(-2)}), (Doubles{5, 3, 1}));
  EXPECT_EQ(typeOf("aten.arange.start", {number(0.5), number(2)}), "f32[2][1]");
  EXPECT_EQ(valuesOf("prims.iota.default", {number(3)},
                     {{"start", number(4)}, {"step", number(2)}, {"dtype", Value::dtype(DType::I32)}}),
            (Doubles{4, 6, 8}));
  EXPECT_EQ(valuesOf("aten.tril.default", {counting({2, 3}), number(1)}), (Doubles{0, 1, 0, 3, 4, 5}));
  EXPECT_EQ(valuesOf("aten.triu.default", {counting({2, 2})}), (Doubles{0, 1, 0, 3}));
  EXPECT_NE(failure("aten.arange.start", {number(2), number(0)}).find("lead from start to end"), std::string::npos);
}

TEST(Copies, WriteInPlaceWithConversionAndBroadcast) {
  Tensor x = Tensor::zeros(DType::I64, {2, 2});
  call("aten.copy_.default", {x, f32({2}, {1.9, -1.9})});
  EXPECT_EQ(values(x), (Doubles{1, -1, 1, -1}));
  Tensor result = call("aten.copy.default", {x.permute({1, 0}), f32({}, {7})}).tensor();
  EXPECT_EQ(result.typeText(), "i64[2, 2][1, 2]");
  EXPECT_FALSE(result.aliases(x));
  EXPECT_NE(failure("aten.copy_.default", {x, counting({3})}).find("does not expand"), std::string::npos);
}

TEST(Copies, CatAndStack) {
  Value parts = Value::tensors({counting({1, 2}), counting({2, 2})});
  EXPECT_EQ(valuesOf("aten.cat.default", {parts}), (Doubles{0, 1, 0, 1, 2, 3}));
  EXPECT_EQ(typeOf("aten.cat", {Value::tensors({Tensor::zeros(DType::F32, {0}), counting({2, 2})}), number(1)}),
            "f32[2, 2][2, 1]");
  EXPECT_EQ(typeOf("aten.stack.default", {Value::tensors({counting({2}), counting({2})}), number(-1)}),
            "f32[2, 2][2, 1]");
  EXPECT_NE(failure("aten.cat.default", {parts, number(1)}).find("but on dimension 1"), std::string::npos);
  EXPECT_NE(failure("aten.stack.default", {parts}).find("expected equal sizes"), std::string::npos);
}

TEST(Copies, PartsAreWrittenIntoACopy) {
  Tensor x = counting({3, 2});
  EXPECT_EQ(valuesOf("aten.slice_scatter.default", {x, f32({1, 2}, {9, 9}), number(0), number(1), number(2)}),
            (Doubles{0, 1, 9, 9, 4, 5}));
  EXPECT_EQ(valuesOf("aten.select_scatter.default", {x, f32({3}, {7, 8, 9}), number(1), number(-1)}),
            (Doubles{0, 7, 2, 8, 4, 9}));
  EXPECT_EQ(values(x)[2], 2);
  EXPECT_EQ(valuesOf("aten.slice_backward.default",
                     {f32({2}, {1, 2}), integers({4}), number(0), number(2), number(INT64_MAX), number(1)}),
            (Doubles{0, 0, 1, 2}));
  EXPECT_EQ(valuesOf("aten.constant_pad_nd.default", {x, integers({1, -1, 0, 1}), number(5)}),
            (Doubles{5, 0, 5, 2, 5, 4, 5, 5}));
}

TEST(Copies, SplitCopyOutFillsItsTargets) {
  Tensor a = Tensor::zeros(DType::F32, {2, 1});
  Tensor b = Tensor::zeros(DType::F32, {2, 2});
  call("aten.split_with_sizes_copy.out", {counting({2, 3}), integers({1, 2}), number(1)},
       {{"out", Value::tensors({a, b})}});
  EXPECT_EQ(values(a), (Doubles{0, 3}));
  EXPECT_EQ(values(b), (Doubles{1, 2, 4, 5}));
}

// --- Indexing ----------------------------------------------------------------------------------
TEST(Index, TakesTensorsMasksAndNone) {
  Tensor x = counting({2, 3});
  EXPECT_EQ(valuesOf("aten.index.Tensor", {x, Value::tensors({i64({2}, {1, -2})})}), (Doubles{3, 4, 5, 0, 1, 2}));
  EXPECT_EQ(valuesOf("aten.index.Tensor", {x, Value::list({Value(), i64({2}, {2, 0})})}), (Doubles{2, 0, 5, 3}));
  EXPECT_EQ(valuesOf("aten.index.Tensor", {x, Value::tensors({i64({2, 1}, {0, 1}), i64({2}, {0, 2})})}),
            (Doubles{0, 2, 3, 5}));
  EXPECT_EQ(valuesOf("aten.index.Tensor", {x, Value::tensors({tensor(DType::Bool, {2}, {0, 1})})}), (Doubles{3, 4, 5}));
  EXPECT_NE(failure("aten.index.Tensor", {x, Value::tensors({i64({1}, {2})})}).find("got index 2 on dimension 0"),
            std::string::npos);
}

TEST(Index, SeparatedIndicesComeFirst) {
  Tensor x = counting({2, 3, 4});
  Value apart = Value::list({i64({2}, {0, 1}), Value(), i64({2}, {1, 3})});
  EXPECT_EQ(typeOf("aten.index.Tensor", {x, apart}), "f32[2, 3][3, 1]");
  EXPECT_EQ(valuesOf("aten.index.Tensor", {x, apart}), (Doubles{1, 5, 9, 15, 19, 23}));
}

TEST(Index, PutReplacesOrAccumulates) {
  Tensor x = Tensor::zeros(DType::F32, {3});
  Value twice = Value::tensors({i64({3}, {1, 1, 2})});
  EXPECT_EQ(valuesOf("aten.index_put.default", {x, twice, f32({3}, {1, 2, 3}), Value::boolean(true)}),
            (Doubles{0, 3, 3}));
  EXPECT_EQ(valuesOf("aten.index_put.default", {x, twice, f32({}, {5})}), (Doubles{0, 5, 5}));
  EXPECT_EQ(values(x), (Doubles{0, 0, 0}));
  call("aten.index_put_.default", {x, twice, f32({}, {5})});
  EXPECT_EQ(values(x), (Doubles{0, 5, 5}));
  EXPECT_EQ(valuesOf("aten._unsafe_masked_index_put_accumulate.default",
                     {Tensor::zeros(DType::F32, {2, 2}), tensor(DType::Bool, {3, 1}, {1, 0, 1}),
                      Value::tensors({i64({3}, {1, 99, 1})}), counting({3, 2})}),
            (Doubles{0, 0, 4, 6}));
  EXPECT_NE(failure("aten.index_put.default", {x, twice, i64({3}, {1, 2, 3})}).find("equal dtypes"), std::string::npos);
}

TEST(Index, GatherAndScatterPickOneALine) {
  Tensor x = counting({2, 3});
  Tensor index = i64({2, 1}, {2, 0});
  EXPECT_EQ(valuesOf("aten.gather.default", {x, number(1), index}), (Doubles{2, 3}));
  EXPECT_EQ(valuesOf("aten.scatter.value", {x, number(-1), index, number(-1.0)}), (Doubles{0, 1, -1, -1, 4, 5}));
  EXPECT_EQ(valuesOf("aten.scatter.src", {x, number(1), index, f32({2, 2}, {8, 0, 9, 0})}),
            (Doubles{0, 1, 8, 9, 4, 5}));
  EXPECT_EQ(
      valuesOf("aten.scatter_add.default", {i64({2}, {0, 0}), number(0), i64({3}, {1, 1, 0}), i64({3}, {1, 1, 1})}),
      (Doubles{1, 2}));
  call("aten.scatter_.value", {x, number(1), index, number(7)});
  EXPECT_EQ(values(x), (Doubles{0, 1, 7, 7, 4, 5}));
  EXPECT_NE(failure("aten.gather.default", {x, number(1), i64({1, 1}, {-1})}).find("got index -1"), std::string::npos);
  EXPECT_NE(failure("aten.gather.default", {x, number(1), i64({3, 1}, {0, 0, 0})}).find("no larger sizes"),
            std::string::npos);
  EXPECT_NE(failure("aten.gather.default", {x, number(1), counting({2, 1})}).find("whole numbers"), std::string::npos);
}

TEST(Index, EmbeddingAndItsGradient) {
  Tensor weight = counting({3, 2});
  Tensor indices = i64({1, 3}, {2, 0, 2});
  EXPECT_EQ(typeOf("aten.embedding.default", {weight, indices}), "f32[1, 3, 2][6, 2, 1]");
  EXPECT_EQ(valuesOf("aten.embedding.default", {weight, indices}), (Doubles{4, 5, 0, 1, 4, 5}));
  Value::List backward{counting({1, 3, 2}), indices, number(3), number(0), Value::boolean(false)};
  EXPECT_EQ(valuesOf("aten.embedding_dense_backward.default", backward), (Doubles{0, 0, 0, 0, 4, 6}));
  EXPECT_EQ(valuesOf("aten.index_select.default", {weight, number(1), i64({1}, {1})}), (Doubles{1, 3, 5}));
  EXPECT_EQ(valuesOf("aten.repeat_interleave.Tensor", {i64({3}, {2, 0, 1})}), (Doubles{0, 0, 2}));
}

} // namespace
} // namespace ccgraph::runtime::testing
