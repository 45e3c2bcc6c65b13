// Two texts of one value: which laws the evaluation knows, and which it must not know. Each pair runs on one rank.
#include "law.h"

namespace ccgraph::equality {
namespace {

// clang-format off
const Law laws[] = {
    {"SoftmaxIsShiftInvariant", "x: \"f32[4, 8]\"",
     "y: \"f32[4, 8]\" = torch.ops.aten._softmax.default(x, -1, False)",
     R"(m: "f32[4, 1]" = torch.ops.aten.amax.default(x, [-1], True)
        s: "f32[4, 8]" = torch.ops.aten.sub.Tensor(x, m)
        e: "f32[4, 8]" = torch.ops.aten.exp.default(s)
        n: "f32[4, 1]" = torch.ops.aten.sum.dim_IntList(e, [-1], True)
        y: "f32[4, 8]" = torch.ops.aten.div.Tensor(e, n))", true},
    {"ExpOfLogSoftmaxIsSoftmax", "x: \"f32[4, 8]\"",
     "y: \"f32[4, 8]\" = torch.ops.aten._softmax.default(x, -1, False)",
     R"(l: "f32[4, 8]" = torch.ops.aten._log_softmax.default(x, -1, False)
        y: "f32[4, 8]" = torch.ops.aten.exp.default(l))", true},
    {"SoftmaxOverAnotherDimensionDiffers", "x: \"f32[4, 4]\"",
     "y: \"f32[4, 4]\" = torch.ops.aten._softmax.default(x, -1, False)",
     "y: \"f32[4, 4]\" = torch.ops.aten._softmax.default(x, 0, False)", false},
    {"LogSoftmaxIsALogOfASum", "x: \"f32[4, 8]\"",
     "y: \"f32[4, 8]\" = torch.ops.aten._log_softmax.default(x, -1, False)",
     R"(m: "f32[4, 1]" = torch.ops.aten.amax.default(x, [-1], True)
        s: "f32[4, 8]" = torch.ops.aten.sub.Tensor(x, m)
        e: "f32[4, 8]" = torch.ops.aten.exp.default(s)
        n: "f32[4, 1]" = torch.ops.aten.sum.dim_IntList(e, [-1], True)
        l: "f32[4, 1]" = torch.ops.aten.log.default(n)
        y: "f32[4, 8]" = torch.ops.aten.sub.Tensor(s, l))", true},
    {"ANormOfNormsIsANorm", "a: \"f32[4]\", b: \"f32[6]\"",
     R"(c: "f32[10]" = torch.ops.aten.cat.default([a, b])
        y: "f32[]" = torch.ops.aten.linalg_vector_norm.default(c))",
     R"(n: "f32[]" = torch.ops.aten.linalg_vector_norm.default(a)
        m: "f32[]" = torch.ops.aten.linalg_vector_norm.default(b)
        s: "f32[2]" = torch.ops.aten.stack.default([n, m])
        y: "f32[]" = torch.ops.aten.linalg_vector_norm.default(s))", true},
    {"ANormOfOnePartDiffers", "a: \"f32[4]\", b: \"f32[6]\"",
     R"(c: "f32[10]" = torch.ops.aten.cat.default([a, b])
        y: "f32[]" = torch.ops.aten.linalg_vector_norm.default(c))",
     "y: \"f32[]\" = torch.ops.aten.linalg_vector_norm.default(a)", false},
    {"AClippedCoefficientDependsOnTheNorm", "a: \"f32[]\"",
     "y: \"f32[]\" = torch.ops.aten.clamp.default(a, None, 1.0)",
     R"(b: "f32[]" = torch.ops.aten.mul.Tensor(a, 2)
        y: "f32[]" = torch.ops.aten.clamp.default(b, None, 1.0))", false},
    {"RsqrtIsTheInverseRoot", "a: \"f32[4]\"",
     "y: \"f32[4]\" = torch.ops.aten.rsqrt.default(a)",
     R"(r: "f32[4]" = torch.ops.aten.sqrt.default(a)
        y: "f32[4]" = torch.ops.aten.reciprocal.default(r))", true},
    {"ARootOfAQuotientIsAQuotientOfRoots", "a: \"f32[4]\"",
     R"(q: "f32[4]" = torch.ops.aten.div.Tensor(a, 0.999)
        y: "f32[4]" = torch.ops.aten.sqrt.default(q))",
     R"(r: "f32[4]" = torch.ops.aten.sqrt.default(a)
        c: "f32[]" = torch.ops.aten.full.default([], 0.999)
        s: "f32[]" = torch.ops.aten.sqrt.default(c)
        y: "f32[4]" = torch.ops.aten.div.Tensor(r, s))", true},
    {"TanhOfASumIsNoSum", "a: \"f32[4]\", b: \"f32[4]\"",
     R"(s: "f32[4]" = torch.ops.aten.add.Tensor(a, b)
        y: "f32[4]" = torch.ops.aten.tanh.default(s))",
     R"(t: "f32[4]" = torch.ops.aten.tanh.default(a)
        u: "f32[4]" = torch.ops.aten.tanh.default(b)
        y: "f32[4]" = torch.ops.aten.add.Tensor(t, u))", false},
    {"AThirdIsADivisionByThree", "a: \"f32[4]\"",
     "y: \"f32[4]\" = torch.ops.aten.mul.Tensor(a, 0.3333333333333333)",
     "y: \"f32[4]\" = torch.ops.aten.div.Tensor(a, 3)", true},
    {"APowerOfTwoIsASquare", "a: \"f32[4]\"",
     "y: \"f32[4]\" = torch.ops.aten.pow.Tensor_Scalar(a, 2)",
     "y: \"f32[4]\" = torch.ops.aten.mul.Tensor(a, a)", true},
    {"AMaximumIsAssociative", "a: \"f32[4, 6]\"",
     R"(m: "f32[4]" = torch.ops.aten.amax.default(a, [1])
        y: "f32[]" = torch.ops.aten.amax.default(m, [0]))",
     "y: \"f32[]\" = torch.ops.aten.amax.default(a, [])", true},
    {"ReluIsThresholded", "a: \"f32[8]\"",
     "y: \"f32[8]\" = torch.ops.aten.relu.default(a)",
     R"(r: "f32[8]" = torch.ops.aten.relu.default(a)
        y: "f32[8]" = torch.ops.aten.threshold_backward.default(a, r, 0))", true},
    {"AMaskOfInfinityLeavesSumsOfExponentials", "x: \"f32[4]\", k: \"b8[4]\"",
     R"(f: "f32[4]" = torch.ops.aten.masked_fill.Scalar(x, k, -inf)
        e: "f32[4]" = torch.ops.aten.exp.default(f)
        y: "f32[]" = torch.ops.aten.sum.default(e))",
     R"(e: "f32[4]" = torch.ops.aten.exp.default(x)
        f: "f32[4]" = torch.ops.aten.masked_fill.Scalar(e, k, 0.0)
        y: "f32[]" = torch.ops.aten.sum.default(f))", true},
    {"AnEmbeddingGathersRows", "w: \"f32[8, 3]\", i: \"i64[5]\"",
     "y: \"f32[5, 3]\" = torch.ops.aten.embedding.default(w, i)",
     "y: \"f32[5, 3]\" = torch.ops.aten.index_select.default(w, 0, i)", true},
    {"AnEmbeddingBackwardAddsRows", "g: \"f32[5, 3]\", i: \"i64[5]\", z: \"f32[8, 3]\"",
     R"(o: "f32[8, 3]" = torch.ops.aten.embedding_dense_backward.default(g, i, 8, -1, False)
        y: "f32[8, 3]" = torch.ops.aten.add.Tensor(o, z))",
     "y: \"f32[8, 3]\" = torch.ops.aten.index_put.default(z, [i], g, True)", true},
    {"ALayerNormIsCenteredAndScaled", "x: \"f32[4, 8]\", w: \"f32[8]\", b: \"f32[8]\"",
     R"(n = torch.ops.aten.native_layer_norm.default(x, [8], w, b, 1e-05)
        y: "f32[4, 8]" = n[0])",
     R"(m: "f32[4, 1]" = torch.ops.aten.mean.dim(x, [-1], True)
        c: "f32[4, 8]" = torch.ops.aten.sub.Tensor(x, m)
        q: "f32[4, 8]" = torch.ops.aten.mul.Tensor(c, c)
        v: "f32[4, 1]" = torch.ops.aten.mean.dim(q, [-1], True)
        e: "f32[4, 1]" = torch.ops.aten.add.Tensor(v, 1e-05)
        r: "f32[4, 1]" = torch.ops.aten.rsqrt.default(e)
        s: "f32[4, 8]" = torch.ops.aten.mul.Tensor(c, r)
        t: "f32[4, 8]" = torch.ops.aten.mul.Tensor(s, w)
        y: "f32[4, 8]" = torch.ops.aten.add.Tensor(t, b))", true},
    {"CausalAttentionIsAMaskedSoftmax", "q: \"f32[1, 2, 4, 4]\", k: \"f32[1, 2, 4, 4]\", v: \"f32[1, 2, 4, 4]\"",
     R"(a = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default(q, k, v, 0.0, True)
        y: "f32[1, 2, 4, 4]" = a[0])",
     R"(a: "f32[2, 4, 4]" = torch.ops.aten.reshape.default(q, [2, 4, 4])
        b: "f32[2, 4, 4]" = torch.ops.aten.reshape.default(k, [2, 4, 4])
        c: "f32[2, 4, 4]" = torch.ops.aten.reshape.default(v, [2, 4, 4])
        t: "f32[2, 4, 4]" = torch.ops.aten.transpose.int(b, 1, 2)
        s: "f32[2, 4, 4]" = torch.ops.aten.bmm.default(a, t)
        h: "f32[2, 4, 4]" = torch.ops.aten.mul.Tensor(s, 0.5)
        o: "b8[4, 4]" = torch.ops.aten.ones.default([4, 4], dtype = torch.bool)
        l: "b8[4, 4]" = torch.ops.aten.tril.default(o)
        n: "b8[4, 4]" = torch.ops.aten.bitwise_not.default(l)
        f: "f32[2, 4, 4]" = torch.ops.aten.masked_fill.Scalar(h, n, -inf)
        p: "f32[2, 4, 4]" = torch.ops.aten._softmax.default(f, -1, False)
        u: "f32[2, 4, 4]" = torch.ops.aten.bmm.default(p, c)
        y: "f32[1, 2, 4, 4]" = torch.ops.aten.reshape.default(u, [1, 2, 4, 4]))", true},
    {"AttentionWithoutMaskDiffers", "q: \"f32[1, 2, 4, 4]\", k: \"f32[1, 2, 4, 4]\", v: \"f32[1, 2, 4, 4]\"",
     R"(a = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default(q, k, v, 0.0, True)
        y: "f32[1, 2, 4, 4]" = a[0])",
     R"(a = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default(q, k, v, 0.0, False)
        y: "f32[1, 2, 4, 4]" = a[0])", false},
    {"GroupedQueriesShareTheHeadOfTheirGroup", "q: \"f32[2, 4, 3, 4]\", k: \"f32[2, 2, 3, 4]\", v: \"f32[2, 2, 3, 4]\"",
     R"(a = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default(q, k, v)
        y: "f32[2, 4, 3, 4]" = a[0])",
     R"(r: "f32[2, 4, 3, 4]" = torch.ops.aten.repeat_interleave.self_int(k, 2, 1)
        s: "f32[2, 4, 3, 4]" = torch.ops.aten.repeat_interleave.self_int(v, 2, 1)
        a = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default(q, r, s)
        y: "f32[2, 4, 3, 4]" = a[0])", true},
    {"GroupsOfQueriesAreHeadsInARow", "q: \"f32[2, 4, 3, 4]\", k: \"f32[2, 2, 3, 4]\", v: \"f32[2, 2, 3, 4]\"",
     R"(a = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default(q, k, v)
        y: "f32[2, 4, 3, 4]" = a[0])",
     R"(r: "f32[2, 4, 3, 4]" = torch.ops.aten.cat.default([k, k], 1)
        s: "f32[2, 4, 3, 4]" = torch.ops.aten.cat.default([v, v], 1)
        a = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default(q, r, s)
        y: "f32[2, 4, 3, 4]" = a[0])", false},
    {"TheGradientOfASharedHeadIsTheSumOfItsGroup",
     "q: \"f32[2, 4, 3, 4]\", k: \"f32[2, 2, 3, 4]\", v: \"f32[2, 2, 3, 4]\", g: \"f32[2, 4, 3, 4]\"",
     R"(a = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default(q, k, v)
        o: "f32[2, 4, 3, 4]" = a[0]
        l: "f32[2, 4, 3]" = a[1]
        b = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward.default(g, q, k, v, o, l, 0.0, False)
        y: "f32[2, 2, 3, 4]" = b[1])",
     R"(r: "f32[2, 4, 3, 4]" = torch.ops.aten.repeat_interleave.self_int(k, 2, 1)
        s: "f32[2, 4, 3, 4]" = torch.ops.aten.repeat_interleave.self_int(v, 2, 1)
        a = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default(q, r, s)
        o: "f32[2, 4, 3, 4]" = a[0]
        l: "f32[2, 4, 3]" = a[1]
        b = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward.default(g, q, r, s, o, l, 0.0, False)
        d: "f32[2, 4, 3, 4]" = b[1]
        w: "f32[2, 2, 2, 3, 4]" = torch.ops.aten.view.default(d, [2, 2, 2, 3, 4])
        y: "f32[2, 2, 3, 4]" = torch.ops.aten.sum.dim_IntList(w, [2]))", true},
    {"PartsOfAnUnsafeSplitAreThoseOfASplit", "x: \"f32[5, 2]\"",
     R"(s = torch.ops.aten.unsafe_split.Tensor(x, 2)
        y: "f32[1, 2]" = s[2])",
     R"(y: "f32[1, 2]" = torch.ops.aten.slice.Tensor(x, 0, 4, 5))", true},
    {"ARevReversesItsDimensions", "x: \"f32[2, 3]\"",
     R"(y: "f32[2, 3]" = torch.ops.prims.rev.default(x, [0, 1]))",
     R"(f: "f32[2, 3]" = torch.ops.aten.flip.default(x, [1])
        y: "f32[2, 3]" = torch.ops.aten.flip.default(f, [0]))", true},
    {"AnInPlaceStepChangesTheViewedTensor", "x: \"f32[4, 2]\"",
     R"(c: "f32[4, 2]" = torch.ops.aten.clone.default(x)
        s: "f32[2]" = torch.ops.aten.select.int(c, 0, 1)
        m: "f32[2]" = torch.ops.aten.mul_.Tensor(s, 3)
        y: "f32[4, 2]" = torch.ops.aten.alias.default(c))",
     R"(s: "f32[2]" = torch.ops.aten.select.int(x, 0, 1)
        m: "f32[2]" = torch.ops.aten.mul.Tensor(s, 3)
        y: "f32[4, 2]" = torch.ops.aten.select_scatter.default(x, m, 0, 1))", true},
    {"ForeachAppliesToEachElement", "a: \"f32[4]\", b: \"f32[4]\"",
     R"(l = torch.ops.aten._foreach_mul.Scalar([a, b], 0.9)
        c: "f32[4]" = l[0]
        d: "f32[4]" = l[1]
        y: "f32[4]" = torch.ops.aten.add.Tensor(c, d))",
     R"(s: "f32[4]" = torch.ops.aten.add.Tensor(a, b)
        y: "f32[4]" = torch.ops.aten.mul.Tensor(s, 0.9))", true},
    {"IntegersAreExact", "i: \"i64[5]\", w: \"f32[8, 3]\"",
     R"(r: "f32[5, 3]" = torch.ops.aten.embedding.default(w, i)
        j: "i64[5]" = torch.ops.aten.remainder.Scalar(i, 4)
        y: "f32[5, 3]" = torch.ops.aten.embedding.default(w, j))",
     R"(r: "f32[5, 3]" = torch.ops.aten.embedding.default(w, i)
        d: "i64[5]" = torch.ops.aten.floor_divide.default(i, 4)
        m: "i64[5]" = torch.ops.aten.mul.Tensor(d, 4)
        j: "i64[5]" = torch.ops.aten.sub.Tensor(i, m)
        y: "f32[5, 3]" = torch.ops.aten.embedding.default(w, j))", true},
};
// clang-format on

class Laws : public testing::TestWithParam<Law> {};

TEST_P(Laws, HoldAsStated) { checkLaw(GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, Laws, testing::ValuesIn(laws), [](const auto &info) { return info.param.name; });

} // namespace
} // namespace ccgraph::equality
