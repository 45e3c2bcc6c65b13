// Operators that are taken apart: embedding bags, cells of recurrent networks, splits, scaled products, triplet losses,
// attention with dropout. Each pair of texts runs on one rank; the second one is PyTorch's definition, or a mistake.
#include "law.h"

#include "llvm/ADT/Twine.h"

namespace ccgraph::equality {
namespace {

/// Returns two bags `b` of three rows of w each. Mode 0 adds the rows, 1 takes their mean, and 2 their maximum.
std::string bagsOf(int mode, llvm::StringRef variant = "") {
  return ("o: \"i64[2]\" = torch.ops.aten.arange.start_step(0, 6, 3)\nb = torch.ops.aten._embedding_bag" + variant +
          ".default(w, i, o, False, " + llvm::Twine(mode) + ", False, None)\n")
      .str();
}

/// The further results of bags: the bag of each index, the size of each bag, the last index or the maxima of each bag.
const std::string bagPlaces = "p: \"i64[6]\" = b[1]\n";
const std::string bagSizes = "n: \"i64[2]\" = b[2]\n";
const std::string bagLasts = "m: \"i64[2]\" = b[3]\n";
const std::string bagMaxima = "m: \"i64[2, 3]\" = b[3]\n";

std::string gradientOfBags(int mode) {
  return ("y: \"f32[8, 3]\" = torch.ops.aten._embedding_bag_backward.default(g, i, o, p, n, m, 8, False, " +
          llvm::Twine(mode) + ", False, None)")
      .str();
}

/// Returns the rows of the two bags, reduced to one row for each bag.
std::string rowsReducedBy(llvm::StringRef reduction) {
  return (R"(e: "f32[6, 3]" = torch.ops.aten.embedding.default(w, i)
        v: "f32[2, 3, 3]" = torch.ops.aten.view.default(e, [2, 3, 3])
        y: "f32[2, 3]" = torch.ops.aten.)" +
          reduction + "(v, [1])")
      .str();
}

// clang-format off
const Law laws[] = {
    {"ABagOfTheSumAddsRows", "w: \"f32[8, 3]\", i: \"i64[6]\"",
     bagsOf(0) + R"(y: "f32[2, 3]" = b[0])",
     rowsReducedBy("sum.dim_IntList"), true},
    {"ABagOfTheMeanIsNoSum", "w: \"f32[8, 3]\", i: \"i64[6]\"",
     bagsOf(1) + R"(y: "f32[2, 3]" = b[0])",
     rowsReducedBy("sum.dim_IntList"), false},
    {"ABagOfTheMeanDividesBySizes", "w: \"f32[8, 3]\", i: \"i64[6]\"",
     R"(o: "i64[3]" = torch.ops.aten.arange.start_step(0, 9, 3)
        b = torch.ops.aten.embedding_bag.padding_idx(w, i, o, False, 1, False, None, True, None)
        y: "f32[2, 3]" = b[0])",
     rowsReducedBy("mean.dim"), true},
    {"ABagOfTheMaximumTakesTheLargest", "w: \"f32[8, 3]\", i: \"i64[6]\"",
     bagsOf(2, "_forward_only") + R"(y: "f32[2, 3]" = b[0])",
     rowsReducedBy("amax.default"), true},
    {"TheGradientOfABagOfTheMeanIsSharedByItsRows", "w: \"f32[8, 3]\", i: \"i64[6]\", g: \"f32[2, 3]\"",
     bagsOf(1) + bagPlaces + bagSizes + bagLasts + gradientOfBags(1),
     R"(d: "f32[2, 3]" = torch.ops.aten.div.Tensor(g, 3)
        u: "f32[2, 1, 3]" = torch.ops.aten.unsqueeze.default(d, 1)
        x: "f32[2, 3, 3]" = torch.ops.aten.expand.default(u, [2, 3, 3])
        v: "f32[6, 3]" = torch.ops.aten.reshape.default(x, [6, 3])
        y: "f32[8, 3]" = torch.ops.aten.embedding_dense_backward.default(v, i, 8, -1, False))", true},
    {"TheDenseGradientOfABagReadsTheBagOfEachIndex", "w: \"f32[8, 3]\", i: \"i64[6]\", g: \"f32[2, 3]\"",
     bagsOf(2) + bagPlaces + bagSizes + bagMaxima + gradientOfBags(2),
     bagsOf(2) + bagPlaces + bagSizes + bagMaxima +
     "y: \"f32[8, 3]\" = torch.ops.aten._embedding_bag_dense_backward.default(g, i, p, n, m, 8, False, 2, None)", true},
    {"TheGradientOfABagReadsTheBagOfEachIndex", "w: \"f32[8, 3]\", i: \"i64[6]\", g: \"f32[2, 3]\"",
     bagsOf(0) + bagPlaces + bagSizes + bagLasts + gradientOfBags(0),
     bagsOf(0) + "p: \"i64[6]\" = torch.ops.aten.zeros.default([6], dtype = torch.int64)\n" + bagSizes + bagLasts +
     gradientOfBags(0), false},
    {"TheGradientOfABagOfTheMeanReadsTheSizesOfBags", "w: \"f32[8, 3]\", i: \"i64[6]\", g: \"f32[2, 3]\"",
     bagsOf(1) + bagPlaces + bagSizes + bagLasts + gradientOfBags(1),
     bagsOf(1) + bagPlaces + "n: \"i64[2]\" = torch.ops.aten.full.default([2], 6, dtype = torch.int64)\n" + bagLasts +
     gradientOfBags(1), false},
    {"TheGradientOfTheWeightsOfABagIsAProduct", "w: \"f32[8, 3]\", i: \"i64[6]\", g: \"f32[2, 3]\"",
     R"(o: "i64[2]" = torch.ops.aten.arange.start_step(0, 6, 3)
        p: "i64[0]" = torch.ops.aten.zeros.default([0], dtype = torch.int64)
        y: "f32[6]" = torch.ops.aten._embedding_bag_per_sample_weights_backward.default(g, w, i, o, p, 0))",
     R"(e: "f32[6, 3]" = torch.ops.aten.embedding.default(w, i)
        u: "f32[2, 1, 3]" = torch.ops.aten.unsqueeze.default(g, 1)
        x: "f32[2, 3, 3]" = torch.ops.aten.expand.default(u, [2, 3, 3])
        v: "f32[6, 3]" = torch.ops.aten.reshape.default(x, [6, 3])
        m: "f32[6, 3]" = torch.ops.aten.mul.Tensor(e, v)
        y: "f32[6]" = torch.ops.aten.sum.dim_IntList(m, [1]))", true},
    {"AnLstmCellIsItsGates", "x: \"f32[3, 5]\", h: \"f32[3, 2]\", c: \"f32[3, 2]\", w: \"f32[8, 5]\", u: \"f32[8, 2]\"",
     R"(l = torch.ops.aten.lstm_cell.default(x, [h, c], w, u)
        y: "f32[3, 2]" = l[0])",
     R"(a: "f32[3, 8]" = torch.ops.aten.linear.default(x, w)
        b: "f32[3, 8]" = torch.ops.aten.linear.default(h, u)
        g: "f32[3, 8]" = torch.ops.aten.add.Tensor(a, b)
        p = torch.ops.aten.unsafe_split.Tensor(g, 2, 1)
        i: "f32[3, 2]" = p[0]
        f: "f32[3, 2]" = p[1]
        n: "f32[3, 2]" = p[2]
        o: "f32[3, 2]" = p[3]
        si: "f32[3, 2]" = torch.ops.aten.sigmoid.default(i)
        sf: "f32[3, 2]" = torch.ops.aten.sigmoid.default(f)
        tn: "f32[3, 2]" = torch.ops.aten.tanh.default(n)
        so: "f32[3, 2]" = torch.ops.aten.sigmoid.default(o)
        fc: "f32[3, 2]" = torch.ops.aten.mul.Tensor(sf, c)
        it: "f32[3, 2]" = torch.ops.aten.mul.Tensor(si, tn)
        cn: "f32[3, 2]" = torch.ops.aten.add.Tensor(fc, it)
        tc: "f32[3, 2]" = torch.ops.aten.tanh.default(cn)
        y: "f32[3, 2]" = torch.ops.aten.mul.Tensor(so, tc))", true},
    {"AFusedLstmCellIsAnLstmCell", "x: \"f32[3, 5]\", h: \"f32[3, 2]\", c: \"f32[3, 2]\", w: \"f32[8, 5]\", u: \"f32[8, 2]\", b: \"f32[8]\"",
     R"(l = torch.ops.aten.lstm_cell.default(x, [h, c], w, u, b)
        y: "f32[3, 2]" = l[1])",
     R"(a: "f32[3, 8]" = torch.ops.aten.linear.default(x, w)
        g: "f32[3, 8]" = torch.ops.aten.linear.default(h, u)
        z: "f32[8]" = torch.ops.aten.zeros.default([8])
        l = torch.ops.aten._thnn_fused_lstm_cell.default(a, g, c, b, z)
        y: "f32[3, 2]" = l[1])", true},
    {"TheGradientOfAnLstmCellReadsItsWorkspace", "a: \"f32[3, 8]\", g: \"f32[3, 8]\", c: \"f32[3, 2]\", d: \"f32[3, 2]\"",
     R"(l = torch.ops.aten._thnn_fused_lstm_cell.default(a, g, c)
        n: "f32[3, 2]" = l[1]
        s: "f32[3, 8]" = l[2]
        r = torch.ops.aten._thnn_fused_lstm_cell_backward_impl.default(d, None, c, n, s, False)
        y: "f32[3, 2]" = r[1])",
     R"(l = torch.ops.aten._thnn_fused_lstm_cell.default(a, g, c)
        n: "f32[3, 2]" = l[1]
        s: "f32[3, 8]" = l[2]
        t: "f32[3, 2]" = torch.ops.aten.tanh.default(n)
        q: "f32[3, 2]" = torch.ops.aten.mul.Tensor(t, t)
        m: "f32[3, 2]" = torch.ops.aten.rsub.Scalar(q, 1)
        f: "f32[3, 2]" = torch.ops.aten.slice.Tensor(s, 1, 2, 4)
        o: "f32[3, 2]" = torch.ops.aten.slice.Tensor(s, 1, 6, 8)
        e: "f32[3, 2]" = torch.ops.aten.mul.Tensor(d, o)
        k: "f32[3, 2]" = torch.ops.aten.mul.Tensor(e, m)
        y: "f32[3, 2]" = torch.ops.aten.mul.Tensor(k, f))", true},
    {"AFusedGruCellIsAGruCell", "x: \"f32[3, 5]\", h: \"f32[3, 2]\", w: \"f32[6, 5]\", u: \"f32[6, 2]\"",
     "y: \"f32[3, 2]\" = torch.ops.aten.gru_cell.default(x, h, w, u)",
     R"(a: "f32[3, 6]" = torch.ops.aten.linear.default(x, w)
        g: "f32[3, 6]" = torch.ops.aten.linear.default(h, u)
        l = torch.ops.aten._thnn_fused_gru_cell.default(a, g, h)
        y: "f32[3, 2]" = l[0])", true},
    {"AGruCellMixesTheHiddenState", "x: \"f32[3, 6]\", g: \"f32[3, 6]\", h: \"f32[3, 2]\"",
     R"(l = torch.ops.aten._thnn_fused_gru_cell.default(x, g, h)
        y: "f32[3, 2]" = l[0])",
     R"(a: "f32[3, 4]" = torch.ops.aten.slice.Tensor(x, 1, 0, 4)
        b: "f32[3, 4]" = torch.ops.aten.slice.Tensor(g, 1, 0, 4)
        c: "f32[3, 4]" = torch.ops.aten.add.Tensor(a, b)
        s: "f32[3, 4]" = torch.ops.aten.sigmoid.default(c)
        r: "f32[3, 2]" = torch.ops.aten.slice.Tensor(s, 1, 0, 2)
        z: "f32[3, 2]" = torch.ops.aten.slice.Tensor(s, 1, 2, 4)
        p: "f32[3, 2]" = torch.ops.aten.slice.Tensor(x, 1, 4, 6)
        q: "f32[3, 2]" = torch.ops.aten.slice.Tensor(g, 1, 4, 6)
        t: "f32[3, 2]" = torch.ops.aten.mul.Tensor(r, q)
        u: "f32[3, 2]" = torch.ops.aten.add.Tensor(p, t)
        n: "f32[3, 2]" = torch.ops.aten.tanh.default(u)
        o: "f32[3, 2]" = torch.ops.aten.rsub.Scalar(z, 1)
        v: "f32[3, 2]" = torch.ops.aten.mul.Tensor(o, n)
        w: "f32[3, 2]" = torch.ops.aten.mul.Tensor(z, h)
        y: "f32[3, 2]" = torch.ops.aten.add.Tensor(v, w))", true},
    {"TheGradientOfAGruCellReachesTheHiddenState", "x: \"f32[3, 6]\", g: \"f32[3, 6]\", h: \"f32[3, 2]\", d: \"f32[3, 2]\"",
     R"(l = torch.ops.aten._thnn_fused_gru_cell.default(x, g, h)
        s: "f32[3, 10]" = l[1]
        r = torch.ops.aten._thnn_fused_gru_cell_backward.default(d, s, False)
        i: "f32[3, 6]" = r[0]
        y: "f32[3, 2]" = torch.ops.aten.slice.Tensor(i, 1, 2, 4))",
     R"(l = torch.ops.aten._thnn_fused_gru_cell.default(x, g, h)
        s: "f32[3, 10]" = l[1]
        z: "f32[3, 2]" = torch.ops.aten.slice.Tensor(s, 1, 2, 4)
        n: "f32[3, 2]" = torch.ops.aten.slice.Tensor(s, 1, 4, 6)
        e: "f32[3, 2]" = torch.ops.aten.sub.Tensor(h, n)
        o: "f32[3, 2]" = torch.ops.aten.rsub.Scalar(z, 1)
        p: "f32[3, 2]" = torch.ops.aten.mul.Tensor(z, o)
        q: "f32[3, 2]" = torch.ops.aten.mul.Tensor(e, p)
        y: "f32[3, 2]" = torch.ops.aten.mul.Tensor(q, d))", true},
    {"AnUnevenSplitHasLongerPartsFirst", "x: \"f32[3, 5]\"",
     R"(s = torch.ops.aten.tensor_split.sections(x, 2, 1)
        y: "f32[3, 2]" = s[1])",
     "y: \"f32[3, 2]\" = torch.ops.aten.slice.Tensor(x, 1, 3, 5)", true},
    {"ASplitAtPositionsEndsWhereTheNextPartBegins", "x: \"f32[3, 5]\"",
     R"(s = torch.ops.aten.tensor_split.indices(x, [1, -1], 1)
        y: "f32[3, 3]" = s[1])",
     "y: \"f32[3, 3]\" = torch.ops.aten.slice.Tensor(x, 1, 1, 4)", true},
    {"ASplitAtPositionsReadsAViewOfATensor", "x: \"f32[3, 5]\"",
     R"(a: "i64[4]" = torch.ops.aten.arange.default(4)
        p: "i64[2]" = torch.ops.aten.slice.Tensor(a, 0, 1, 4, 2)
        s = torch.ops.aten.tensor_split.tensor_indices_or_sections(x, p, 1)
        y: "f32[3, 2]" = s[1])",
     "y: \"f32[3, 2]\" = torch.ops.aten.slice.Tensor(x, 1, 1, 3)", true},
    {"AScaledProductScalesRowsAndColumns", "a: \"f32[3, 4]\", b: \"f32[4, 5]\", s: \"f32[3, 1]\", t: \"f32[1, 5]\"",
     "y: \"f32[3, 5]\" = torch.ops.aten._scaled_mm.default(a, b, s, t, None, None, torch.float32)",
     R"(m: "f32[3, 5]" = torch.ops.aten.mm.default(a, b)
        n: "f32[3, 5]" = torch.ops.aten.mul.Tensor(m, s)
        y: "f32[3, 5]" = torch.ops.aten.mul.Tensor(n, t))", true},
    {"AScaledProductWithoutItsScaleDiffers", "a: \"f32[3, 4]\", b: \"f32[4, 5]\", s: \"f32[]\", t: \"f32[]\"",
     "y: \"f32[3, 5]\" = torch.ops.aten._scaled_mm.default(a, b, s, t, None, None, torch.float32)",
     R"(m: "f32[3, 5]" = torch.ops.aten.mm.default(a, b)
        y: "f32[3, 5]" = torch.ops.aten.mul.Tensor(m, s))", false},
    {"ATripletLossIsADifferenceOfDistances", "a: \"f32[3, 5]\", p: \"f32[3, 5]\", n: \"f32[3, 5]\"",
     "y: \"f32[]\" = torch.ops.aten.triplet_margin_loss.default(a, p, n)",
     R"(d: "f32[3, 5]" = torch.ops.aten.sub.Tensor(a, p)
        e: "f32[3, 5]" = torch.ops.aten.add.Scalar(d, 1e-06)
        near: "f32[3]" = torch.ops.aten.norm.ScalarOpt_dim(e, 2.0, [1])
        f: "f32[3, 5]" = torch.ops.aten.sub.Tensor(a, n)
        g: "f32[3, 5]" = torch.ops.aten.add.Scalar(f, 1e-06)
        far: "f32[3]" = torch.ops.aten.norm.ScalarOpt_dim(g, 2.0, [1])
        m: "f32[3]" = torch.ops.aten.add.Scalar(near, 1.0)
        s: "f32[3]" = torch.ops.aten.sub.Tensor(m, far)
        c: "f32[3]" = torch.ops.aten.clamp_min.default(s, 0)
        y: "f32[]" = torch.ops.aten.mean.default(c))", true},
    {"ATripletLossOfSwappedTripletsDiffers", "a: \"f32[3, 5]\", p: \"f32[3, 5]\", n: \"f32[3, 5]\"",
     "y: \"f32[]\" = torch.ops.aten.triplet_margin_loss.default(a, p, n)",
     "y: \"f32[]\" = torch.ops.aten.triplet_margin_loss.default(a, n, p)", false},
    {"TheGradientOfAttentionHasTheDropoutOfItsForward",
     "q: \"f32[1, 1, 4, 4]\", k: \"f32[1, 1, 4, 4]\", v: \"f32[1, 1, 4, 4]\", g: \"f32[1, 1, 4, 4]\"",
     R"(a = torch.ops.aten._scaled_dot_product_efficient_attention.default(q, k, v, None, True, 0.25)
        o: "f32[1, 1, 4, 4]" = a[0]
        l: "f32[1, 1, 4]" = a[1]
        s: "i64[]" = a[2]
        t: "i64[]" = a[3]
        r = torch.ops.aten._scaled_dot_product_efficient_attention_backward.default(g, q, k, v, None, o, l, s, t, 0.25, [True, True, True, False])
        y: "f32[1, 1, 4, 4]" = r[2])",
     R"(e: "f32[4, 4]" = torch.ops.aten.eye.default(4)
        i: "f32[1, 1, 4, 4]" = torch.ops.aten.view.default(e, [1, 1, 4, 4])
        a = torch.ops.aten._scaled_dot_product_efficient_attention.default(q, k, i, None, True, 0.25)
        o: "f32[1, 1, 4, 4]" = a[0]
        p: "f32[4, 4]" = torch.ops.aten.view.default(o, [4, 4])
        t: "f32[4, 4]" = torch.ops.aten.t.default(p)
        h: "f32[4, 4]" = torch.ops.aten.view.default(g, [4, 4])
        m: "f32[4, 4]" = torch.ops.aten.mm.default(t, h)
        y: "f32[1, 1, 4, 4]" = torch.ops.aten.view.default(m, [1, 1, 4, 4]))", true},
};
// clang-format on

class CellLaws : public testing::TestWithParam<Law> {};

TEST_P(CellLaws, HoldAsStated) { checkLaw(GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, CellLaws, testing::ValuesIn(laws), [](const auto &info) { return info.param.name; });

} // namespace
} // namespace ccgraph::equality
