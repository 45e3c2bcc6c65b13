// Operators that functional graphs hold seldom: every expectation is what PyTorch 2.15 gives on the CPU, or follows from the definition.
#include "unit/runtime/kernels/kernel_testing.h"

#include <cmath>

namespace ccgraph::runtime::testing {
namespace {

Value flags(std::vector<bool> wanted) {
  Value::List list;
  for (bool flag : wanted)
    list.push_back(Value::boolean(flag));
  return Value::list(list);
}

TEST(Distances, OfPointsAndTheirGradients) {
  Tensor a = f32({1, 2}, {0, 0}), b = f32({2, 2}, {3, 4, 0, 0});
  EXPECT_EQ(valuesOf("aten._cdist_forward.default", {a, b, number(2.0), Value()}), (Doubles{5, 0}));
  EXPECT_EQ(valuesOf("aten._cdist_forward.default", {a, b, number(1.0), Value()}), (Doubles{7, 0}));
  Value::List backward{f32({1, 2}, {5, 9}), a, b, number(2.0), f32({1, 2}, {5, 0})};
  EXPECT_EQ(valuesOf("aten._cdist_backward.default", backward), (Doubles{-3, -4})) << "none where points meet";
  EXPECT_EQ(valuesOf("aten._pdist_forward.default", {f32({3, 1}, {0, 1, 5}), number(2.0)}), (Doubles{1, 5, 4}));
}

TEST(MarginLosses, OfOneAndOfSeveralRightClasses) {
  Tensor x = f32({1, 3}, {0.1, 0.2, 0.7});
  expectNear(valuesOf("aten.multi_margin_loss.default", {x, i64({1}, {2})}), {(0.4 + 0.5) / 3}, 1e-6);
  Value::List backward{f32({}, {3}), x, i64({1}, {2}), number(1), number(1)};
  expectNear(valuesOf("aten.multi_margin_loss_backward.default", backward), {1, 1, -2}, 1e-6);
  Value both = call("aten.multilabel_margin_loss_forward.default", {x, i64({1, 3}, {2, -1, 0}), number(1)});
  expectNear(values(both.list()[0].tensor()), {(0.4 + 0.5) / 3}, 1e-6);
  EXPECT_EQ(values(both.list()[1].tensor()), (Doubles{0, 0, 1})) << "-1 ends the list";
}

TEST(Grids, SampleBetweenNeighboursAndOutside) {
  Tensor x = f32({1, 1, 2, 2}, {1, 2, 3, 4}), places = f32({1, 1, 3, 2}, {0, 0, 1, 1, 3, 3});
  auto sampled = [&](int mode, int padding) {
    return valuesOf("aten.grid_sampler_2d.default", {x, places, number(mode), number(padding), Value::boolean(true)});
  };
  EXPECT_EQ(sampled(0, 0), (Doubles{2.5, 4, 0}));
  EXPECT_EQ(sampled(0, 1), (Doubles{2.5, 4, 4}));
  EXPECT_EQ(sampled(0, 2), (Doubles{2.5, 4, 1}));
  Value both = call("aten.grid_sampler_2d_backward.default", {f32({1, 1, 1, 3}, {1, 0, 0}), x, places, number(0),
                                                              number(0), Value::boolean(true), flags({true, true})});
  EXPECT_EQ(values(both.list()[0].tensor()), (Doubles{0.25, 0.25, 0.25, 0.25}));
  EXPECT_EQ(values(both.list()[1].tensor()), (Doubles{0.5, 1, 0, 0, 0, 0}));
}

TEST(Bags, OfRows) {
  Tensor table = counting({4, 2}), indices = i64({5}, {0, 1, 2, 3, 1}), offsets = i64({3}, {0, 2, 2});
  auto bags = [&](int mode) {
    return call("aten._embedding_bag.default", {table, indices, offsets, Value::boolean(false), number(mode)});
  };
  EXPECT_EQ(values(bags(0).list()[0].tensor()), (Doubles{2, 4, 0, 0, 12, 15}));
  EXPECT_EQ(values(bags(1).list()[0].tensor()), (Doubles{1, 2, 0, 0, 4, 5}));
  EXPECT_EQ(values(bags(2).list()[3].tensor()), (Doubles{1, 1, 0, 0, 3, 3})) << "the rows of the maxima";
  Value::List backward{f32({3, 2}, {2, 2, 7, 7, 3, 3}),
                       indices,
                       offsets,
                       bags(1).list()[1],
                       bags(1).list()[2],
                       bags(1).list()[3],
                       number(4),
                       Value::boolean(false),
                       number(1),
                       Value::boolean(false)};
  EXPECT_EQ(valuesOf("aten._embedding_bag_backward.default", backward), (Doubles{1, 1, 2, 2, 1, 1, 1, 1}));
}

TEST(Fourier, TransformsThereAndBack) {
  Tensor x = f32({1, 4}, {1, 2, 3, 5});
  Value half = call("aten._fft_r2c.default", {x, integers({1}), number(0), Value::boolean(true)});
  EXPECT_EQ(half.tensor().typeText(), "c64[1, 3][3, 1]");
  Value parts = call("aten.view_as_real.default", {half});
  expectNear(values(parts.tensor()), {11, 0, -2, 3, -3, 0}, 1e-6);
  Value::List back{half, integers({1}), number(2), number(4)};
  expectNear(valuesOf("aten._fft_c2r.default", back), {1, 2, 3, 5}, 1e-6);
}

TEST(Medians, AreTheLowerOnesAndMindNaN) {
  EXPECT_EQ(valuesOf("aten.median.default", {f32({4}, {4, 1, 3, 2})}), Doubles{2});
  EXPECT_TRUE(std::isnan(valuesOf("aten.median.default", {f32({3}, {4, NAN, 3})})[0]));
  EXPECT_EQ(valuesOf("aten.nanmedian.default", {f32({3}, {4, NAN, 3})}), Doubles{3});
  Value third = call("aten.kthvalue.default", {i64({4}, {9, 7, 8, 6}), number(3)});
  EXPECT_EQ(values(third.list()[0].tensor()), Doubles{8});
  EXPECT_EQ(values(third.list()[1].tensor()), Doubles{2});
}

TEST(Sequences, MeetBothEnds) {
  expectNear(valuesOf("aten.linspace.default", {number(0), number(1), number(4)}), {0, 1.0 / 3, 2.0 / 3, 1}, 1e-7);
  expectNear(valuesOf("aten.logspace.default", {number(0), number(2), number(3)}), {1, 10, 100}, 1e-5);
  EXPECT_EQ(valuesOf("aten.eye.m", {number(2), number(3)}), (Doubles{1, 0, 0, 0, 1, 0}));
  EXPECT_EQ(valuesOf("aten.tril_indices.default", {number(2), number(2)}), (Doubles{0, 1, 1, 0, 0, 1}));
}

TEST(Picks, BySetPlaces) {
  Tensor x = counting({2, 2}), mask = tensor(DType::Bool, {2, 2}, {0, 1, 1, 0});
  EXPECT_EQ(valuesOf("aten.masked_select.default", {x, mask}), (Doubles{1, 2}));
  EXPECT_EQ(valuesOf("aten.masked_scatter_backward.default", {x, mask, integers({3})}), (Doubles{1, 2, 0}));
  EXPECT_EQ(valuesOf("aten.put.default", {x, i64({1}, {3}), f32({1}, {9})}), (Doubles{0, 1, 2, 9}));
  EXPECT_EQ(valuesOf("aten.isin.Tensor_Tensor", {x, f32({1}, {2})}), (Doubles{0, 0, 1, 0}));
}

TEST(Special, FunctionsAtKnownPlaces) {
  expectNear(valuesOf("aten.polygamma.default", {number(1), f32({1}, {1})}), {1.6449341}, 1e-6);
  expectNear(valuesOf("aten.special_zeta.default", {f32({1}, {2}), f32({1}, {1})}), {1.6449341}, 1e-6);
  expectNear(valuesOf("aten.igamma.default", {f32({1}, {1}), f32({1}, {1})}), {0.6321206}, 1e-6);
  expectNear(valuesOf("aten.i0.default", {f32({1}, {1})}), {1.2660659}, 1e-6);
  EXPECT_EQ(valuesOf("aten.gcd.default", {i64({1}, {-12}), i64({1}, {18})}), Doubles{6});
  EXPECT_EQ(valuesOf("aten.nextafter.default", {tensor(DType::BF16, {1}, {1}), tensor(DType::BF16, {1}, {2})}),
            Doubles{1.0078125});
}

TEST(Storages, GrowAndShrinkWithoutAWordToTheirTensors) {
  Tensor x = f32({2}, {1, 2});
  call("inductor.resize_storage_bytes_.default", {x, number(4)});
  EXPECT_EQ(values(x), (Doubles{1, 0})) << "what the storage lost reads as zeros";
  call("inductor.resize_storage_bytes_.default", {x, number(16)});
  EXPECT_EQ(x.storage()->size(), 16);
}

} // namespace
} // namespace ccgraph::runtime::testing
