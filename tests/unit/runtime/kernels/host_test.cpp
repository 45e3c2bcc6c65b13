// Tests Python's operators, sizes and asserts, operators on lists, optimizers, and bucketing.
#include "unit/runtime/kernels/kernel_testing.h"

#include <cmath>

namespace ccgraph::runtime::testing {
namespace {

TEST(Python, NumbersDivideAsInPython) {
  EXPECT_EQ(call("<built-in function floordiv>", {number(-7), number(2)}).integer(), -4);
  EXPECT_EQ(call("operator.mod", {number(-7), number(2)}).integer(), 1);
  EXPECT_EQ(call("operator.truediv", {number(7), number(2)}).floating(), 3.5);
  EXPECT_EQ(call("operator.add", {number(1), number(0.5)}).floating(), 1.5);
  EXPECT_TRUE(call("<built-in function le>", {number(1), number(4096)}).boolean());
  EXPECT_TRUE(call("operator.and_", {Value::boolean(true), Value::boolean(true)}).boolean());
  EXPECT_NE(failure("operator.floordiv", {number(1), number(0)}).find("division by zero"), std::string::npos);
  EXPECT_NE(failure("operator.mul", {number(INT64_MAX), number(2)}).find("64 bits"), std::string::npos);
  EXPECT_NE(failure("operator.add", {number(1), Value::string("x")}).find("expected numbers"), std::string::npos);
}

TEST(Python, OperatorsOnTensorsAreTheAtenOnes) {
  EXPECT_EQ(valuesOf("operator.mul", {counting({2}), number(3)}), (Doubles{0, 3}));
  EXPECT_EQ(typeOf("operator.ge", {counting({2}), number(1)}), "b8[2][1]");
}

TEST(Python, GetItemIndexesListsAndTensors) {
  Value list = Value::list({number(4), number(5), number(6)});
  EXPECT_EQ(call("operator.getitem", {list, number(-1)}).integer(), 6);
  Value slice = Value::slice({number(1), Value(), Value()});
  EXPECT_EQ(call("operator.getitem", {list, slice}).list().size(), 2U);
  Tensor x = counting({3, 2});
  EXPECT_EQ(valuesOf("operator.getitem", {x, slice}), (Doubles{2, 3, 4, 5}));
  EXPECT_EQ(valuesOf("operator.getitem", {x, Value::list({number(1), Value()})}), (Doubles{2, 3}));
  EXPECT_NE(failure("operator.getitem", {list, number(3)}).find("got index 3 of a list of 3"), std::string::npos);
  EXPECT_NE(failure("operator.getitem", {Value::opaque("a device mesh"), number(0)}).find("a device mesh"),
            std::string::npos);
}

TEST(Python, SizesSumsAndItems) {
  EXPECT_EQ(call("aten.sym_size.int", {counting({3, 2}), number(-1)}).integer(), 2);
  EXPECT_EQ(call("<function sym_sum>", {integers({1, 2, 3})}).integer(), 6);
  EXPECT_EQ(call("aten._local_scalar_dense.default", {i64({1}, {7})}).integer(), 7);
  EXPECT_TRUE(call("aten._local_scalar_dense.default", {tensor(DType::Bool, {}, {1})}).boolean());
  EXPECT_NE(failure("aten._local_scalar_dense.default", {counting({2})}).find("expected one number"),
            std::string::npos);
}

TEST(Python, SizesAreComparedRoundedAndChosen) {
  EXPECT_EQ(call("torch.sym_max", {number(3), number(5)}).integer(), 5);
  EXPECT_EQ(call("torch.sym_min", {number(3), Value::floating(5)}).floating(), 3);
  EXPECT_EQ(call("torch.sym_float", {number(3)}).floating(), 3);
  EXPECT_EQ(call("torch.sym_int", {Value::floating(-2.5)}).integer(), -2);
  EXPECT_EQ(call("math.floor", {Value::floating(-2.5)}).integer(), -3);
  EXPECT_EQ(call("math.ceil", {Value::floating(2.5)}).integer(), 3);
  EXPECT_EQ(call("math.trunc", {number(7)}).integer(), 7);
  EXPECT_EQ(call("torch._sym_sqrt", {number(9)}).floating(), 3);
  EXPECT_EQ(call("torch.sym_ite", {Value::boolean(false), number(1), number(2)}).integer(), 2);
  EXPECT_NE(failure("torch.sym_int", {Value::floating(1e300)}).find("fits in 64 bits"), std::string::npos);
}

TEST(Python, AssertsFailWithTheirMessage) {
  call("aten._assert_scalar.default", {Value::boolean(true), Value::string("fine")});
  EXPECT_NE(failure("aten._assert_scalar.default", {Value::boolean(false), Value::string("u0 >= 0")}).find("u0 >= 0"),
            std::string::npos);
  EXPECT_NE(failure("aten._assert_async.msg", {tensor(DType::Bool, {}, {0}), Value::string("class")}).find("class"),
            std::string::npos);
}

TEST(Foreach, AppliesToEachElement) {
  Value lists = Value::tensors({counting({2}), counting({1})});
  Value sums = call("aten._foreach_add.List", {lists, lists}, {{"alpha", number(2)}});
  EXPECT_EQ(values(sums.list()[0].tensor()), (Doubles{0, 3}));
  call("aten._foreach_add_.Scalar", {lists, number(1)});
  EXPECT_EQ(values(lists.list()[1].tensor()), (Doubles{1}));
  call("aten._foreach_copy_.default", {lists, Value::tensors({f32({2}, {5, 6}), f32({1}, {7})})});
  EXPECT_EQ(values(lists.list()[0].tensor()), (Doubles{5, 6}));
  EXPECT_NE(failure("aten._foreach_add.List", {lists, Value::tensors({counting({2})})}).find("expected equal lengths"),
            std::string::npos);
  Value wrong = Value::tensors({counting({2}), i64({1}, {1})});
  EXPECT_NE(failure("aten._foreach_copy_.default", {wrong, Value::tensors({counting({2}), counting({3})})})
                .find("element 1: aten.copy_"),
            std::string::npos);
}

TEST(Optimizers, AdamWTakesOneStep) {
  Tensor param = f32({1}, {1});
  Tensor grad = f32({1}, {0.5});
  Tensor average = f32({1}, {0});
  Tensor square = f32({1}, {0});
  call("aten._fused_adamw_.default",
       {Value::tensors({param}), Value::tensors({grad}), Value::tensors({average}), Value::tensors({square}),
        Value::list({}), Value::tensors({f32({}, {1})})},
       {{"lr", number(0.1)},
        {"beta1", number(0.9)},
        {"beta2", number(0.99)},
        {"weight_decay", number(0.1)},
        {"eps", number(0.0)},
        {"amsgrad", Value::boolean(false)},
        {"maximize", Value::boolean(false)}});
  // The first step moves by lr against the sign of the gradient, after the decay.
  expectNear(values(param), {1 - 0.01 - 0.1});
  expectNear(values(average), {0.05});
  expectNear(values(square), {0.0025});
}

TEST(Bucketing, AllGatherBufferHoldsThisRanksPart) {
  Value ins = Value::tensors({f32({2}, {1, 2}), f32({1}, {3})});
  Tensor out = call("bucketing._pre_bucket_all_gather.default",
                    {ins, number(2), Value::dtype(DType::F32), integers({16, 16}), number(1)})
                   .tensor();
  EXPECT_EQ(values(out), (Doubles{0, 0, 0, 1, 2, 3}));
  Tensor mixed = call("bucketing._pre_bucket_all_gather.default",
                      {ins, number(1), Value::dtype(DType::BF16), integers({16, 1}), number(0)})
                     .tensor();
  EXPECT_EQ(mixed.typeText(), "bf16[5][1]");
  EXPECT_EQ(values(mixed)[4], 3);
  EXPECT_NE(failure("bucketing._pre_bucket_all_gather.default",
                    {ins, number(2), Value::dtype(DType::F32), integers({16, 99}), number(0)})
                .find("got dtype number 99"),
            std::string::npos);
}

TEST(Bucketing, ReduceScatterBufferHasOneRowARank) {
  Value ins = Value::tensors({counting({2, 2}), f32({2}, {8, 9})});
  EXPECT_EQ(valuesOf("bucketing._pre_bucket_reduce_scatter.default", {ins, number(2)}), (Doubles{0, 1, 8, 2, 3, 9}));
  EXPECT_NE(failure("bucketing._pre_bucket_reduce_scatter.default", {ins, number(4)}).find("a multiple of 4"),
            std::string::npos);
}

} // namespace
} // namespace ccgraph::runtime::testing
