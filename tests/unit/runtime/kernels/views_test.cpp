// Tests that view operators alias their argument, and that others do not. Indices and sizes out of range are refused.
#include "unit/runtime/kernels/kernel_testing.h"

namespace ccgraph::runtime::testing {
namespace {

struct ViewCase {
  const char *target;
  Value::List arguments; ///< arguments after the tensor
  const char *type;
};

TEST(Views, InPlaceChangesOfShapeAreSeenUnderEveryNameButNotThroughOlderViews) {
  const ViewCase cases[] = {
      {"aten.as_strided_.default", {integers({2, 2}), integers({1, 6}), number(3)}, "f32[2, 2][1, 6]"},
      {"aten.resize_.default", {integers({2, 3})}, "f32[2, 3][3, 1]"},
      {"aten.resize_.default", {integers({5, 6})}, "f32[5, 6][6, 1]"},
      {"aten.resize_as_.default", {counting({3})}, "f32[3][1]"},
      {"aten.set_.default", {}, "f32[0][1]"},
      {"aten.set_.source_Tensor", {counting({2, 5})}, "f32[2, 5][5, 1]"},
      {"aten.set_.source_Tensor_storage_offset", {counting({8}), number(2), integers({3})}, "f32[3][1]"},
      {"aten.swapaxes_.default", {number(0), number(1)}, "f32[6, 4][1, 6]"},
      {"aten.swapdims_.default", {number(0), number(-1)}, "f32[6, 4][1, 6]"},
      {"aten.t_.default", {}, "f32[6, 4][1, 6]"},
      {"aten.transpose_.default", {number(0), number(1)}, "f32[6, 4][1, 6]"},
      {"aten.unsqueeze_.default", {number(1)}, "f32[4, 1, 6][6, 6, 1]"},
  };
  for (const ViewCase &row : cases) {
    Tensor x = counting({4, 6});
    Tensor otherName = x;
    Tensor view = x.alias();
    Value::List arguments{x};
    arguments.insert(arguments.end(), row.arguments.begin(), row.arguments.end());
    Value result = call(row.target, arguments);
    ASSERT_TRUE(result.is(Value::Kind::Tensor)) << row.target;
    EXPECT_TRUE(result.tensor().isSameObject(otherName)) << row.target;
    EXPECT_EQ(otherName.typeText(), row.type) << row.target;
    EXPECT_EQ(view.typeText(), "f32[4, 6][6, 1]") << row.target;
  }
}

TEST(Views, SqueezeInPlaceTakesNoneOneOrSeveralDimensions) {
  for (const char *target : {"aten.squeeze_.default", "aten.squeeze_.dim", "aten.squeeze_.dims"}) {
    Tensor x = counting({2, 1, 3});
    Value::List arguments{x};
    if (llvm::StringRef(target).endswith("dim"))
      arguments.push_back(number(1));
    if (llvm::StringRef(target).endswith("dims"))
      arguments.push_back(integers({0, 1}));
    call(target, arguments);
    EXPECT_EQ(x.typeText(), "f32[2, 3][3, 1]") << target;
  }
}

TEST(Views, OfTheWholeTensorAreObjectsOfTheirOwn) {
  Tensor x = counting({4});
  for (const char *target : {"aten.alias.default", "aten.detach.default", "aten.squeeze.default", "aten.t.default"})
    EXPECT_FALSE(call(target, {x}).tensor().isSameObject(x)) << target;
}

TEST(Views, ShareMemoryAndHaveTheRightStrides) {
  const ViewCase cases[] = {
      {"aten.alias.default", {}, "f32[4, 6][6, 1]"},
      {"aten.as_strided.default", {integers({2}), integers({3}), number(1)}, "f32[2][3]"},
      {"aten.detach.default", {}, "f32[4, 6][6, 1]"},
      {"aten.expand.default", {integers({2, 4, 6})}, "f32[2, 4, 6][0, 6, 1]"},
      {"aten.expand_as.default", {counting({2, 4, 6})}, "f32[2, 4, 6][0, 6, 1]"},
      {"aten.view_as.default", {counting({3, 8})}, "f32[3, 8][8, 1]"},
      {"aten.flatten.using_ints", {}, "f32[24][1]"},
      {"aten.narrow.default", {number(1), number(2), number(3)}, "f32[4, 3][6, 1]"},
      {"aten.permute.default", {integers({-1, 0})}, "f32[6, 4][1, 6]"},
      {"aten.reshape.default", {integers({2, -1})}, "f32[2, 12][12, 1]"},
      {"aten.select.int", {number(0), number(-1)}, "f32[6][1]"},
      {"aten.slice.Tensor", {number(1), number(1), number(INT64_MAX), number(2)}, "f32[4, 3][6, 2]"},
      {"aten.slice.Tensor", {number(0), number(-2), number(-1)}, "f32[1, 6][6, 1]"},
      {"aten.slice.Tensor", {number(0), number(3), number(1)}, "f32[0, 6][6, 1]"},
      {"aten.t.default", {}, "f32[6, 4][1, 6]"},
      {"aten.transpose.int", {number(0), number(-1)}, "f32[6, 4][1, 6]"},
      {"aten.unsqueeze.default", {number(-1)}, "f32[4, 6, 1][6, 1, 1]"},
      {"aten.unsqueeze.default", {number(0)}, "f32[1, 4, 6][24, 6, 1]"},
      {"aten.view.default", {integers({3, 8})}, "f32[3, 8][8, 1]"},
      {"aten.view.dtype", {Value::dtype(DType::BF16)}, "bf16[4, 12][12, 1]"},
      {"aten.view.dtype", {Value::dtype(DType::F64)}, "f64[4, 3][3, 1]"},
  };
  for (const ViewCase &row : cases) {
    Tensor x = counting({4, 6});
    Value::List arguments{x};
    arguments.insert(arguments.end(), row.arguments.begin(), row.arguments.end());
    Value result = call(row.target, arguments);
    ASSERT_TRUE(result.is(Value::Kind::Tensor)) << row.target;
    EXPECT_EQ(result.describe(), row.type) << row.target;
    EXPECT_TRUE(result.tensor().aliases(x)) << row.target;
  }
}

TEST(Views, ComplexViewsShareMemory) {
  Tensor x = counting({2, 2});
  Tensor z = call("aten.view_as_complex.default", {x}).tensor();
  EXPECT_EQ(z.typeText(), "c64[2][1]");
  Tensor back = call("aten.view_as_real.default", {z}).tensor();
  EXPECT_EQ(back.typeText(), "f32[2, 2][2, 1]");
  EXPECT_TRUE(back.aliases(x));
  EXPECT_NE(failure("aten.view_as_complex.default", {counting({2, 3})}).find("last size 2"), std::string::npos);
}

TEST(Views, SplitGivesViewsOfConsecutivePieces) {
  Tensor x = counting({5, 2});
  Value even = call("aten.split.Tensor", {x, number(2)});
  ASSERT_EQ(even.list().size(), 3U);
  EXPECT_EQ(values(even.list()[2].tensor()), (Doubles{8, 9}));
  EXPECT_TRUE(even.list()[1].tensor().aliases(x));
  Value sizes = call("aten.split_with_sizes.default", {x, integers({0, 5})});
  EXPECT_EQ(sizes.list()[0].describe(), "f32[0, 2][2, 1]");
  EXPECT_EQ(call("aten.split", {x, integers({1, 4})}).list().size(), 2U);
  EXPECT_EQ(call("aten.chunk.default", {x, number(2)}).list()[1].describe(), "f32[2, 2][2, 1]");
  EXPECT_EQ(call("aten.unbind.int", {x, number(1)}).list()[1].describe(), "f32[5][2]");
}

TEST(Views, ReshapeCopiesOnlyWhereItMust) {
  Tensor x = counting({2, 3});
  Tensor t = x.permute({1, 0});
  EXPECT_FALSE(call("aten.reshape.default", {t, integers({6})}).tensor().aliases(x));
  EXPECT_EQ(valuesOf("aten.reshape.default", {t, integers({6})}), (Doubles{0, 3, 1, 4, 2, 5}));
  EXPECT_FALSE(call("aten.clone.default", {x}).tensor().aliases(x));
  EXPECT_FALSE(call("aten._to_copy.default", {x}).tensor().aliases(x));
}

TEST(Views, SqueezeDropsOnlySizesOfOne) {
  Tensor x = counting({1, 2, 1});
  EXPECT_EQ(typeOf("aten.squeeze.default", {x}), "f32[2][1]");
  EXPECT_EQ(typeOf("aten.squeeze.dim", {x, number(1)}), "f32[1, 2, 1][2, 1, 1]");
  EXPECT_EQ(typeOf("aten.squeeze.dims", {x, integers({0, 1})}), "f32[2, 1][1, 1]");
}

TEST(Views, RefuseWhatIsOutOfRange) {
  Tensor x = counting({4, 6});
  EXPECT_NE(failure("aten.view.default", {x, integers({5, 5})}).find("does not hold"), std::string::npos);
  EXPECT_NE(failure("aten.view.default", {x.permute({1, 0}), integers({24})}).find("aten.reshape copies"),
            std::string::npos);
  EXPECT_NE(failure("aten.select.int", {x, number(0), number(4)}).find("got index 4"), std::string::npos);
  EXPECT_NE(failure("aten.permute.default", {x, integers({0, 0})}).find("each dimension once"), std::string::npos);
  EXPECT_NE(failure("aten.slice.Tensor", {x, number(0), number(0), number(4), number(0)}).find("positive step"),
            std::string::npos);
  EXPECT_NE(failure("aten.as_strided.default", {x, integers({25}), integers({1})}).find("storage of 24"),
            std::string::npos);
  EXPECT_NE(failure("aten.split_with_sizes.default", {x, integers({1, 2})}).find("cover its size"), std::string::npos);
  EXPECT_NE(failure("aten.t.default", {counting({1, 1, 1})}).find("at most 2"), std::string::npos);
  EXPECT_NE(failure("aten.view.dtype", {counting({2, 3}), Value::dtype(DType::F64)}).find("multiple of 2"),
            std::string::npos);
}

} // namespace
} // namespace ccgraph::runtime::testing
