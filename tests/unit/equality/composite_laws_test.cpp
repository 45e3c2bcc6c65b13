// Laws of operators that an export before decomposition contains: each equals what PyTorch takes it apart into.
#include "law.h"

namespace ccgraph::equality {
namespace {

// clang-format off
const Law laws[] = {
    {"AProductOfABatchAndAMatrixIsOneOfRows", "x: \"f32[2, 3, 4]\", w: \"f32[4, 5]\"",
     R"(y: "f32[2, 3, 5]" = torch.ops.aten.matmul.default(x, w))",
     R"(v: "f32[6, 4]" = torch.ops.aten.view.default(x, [6, 4])
        m: "f32[6, 5]" = torch.ops.aten.mm.default(v, w)
        y: "f32[2, 3, 5]" = torch.ops.aten.view.default(m, [2, 3, 5]))", true},
    {"AProductRepeatsABatchOfOne", "x: \"f32[2, 3, 4]\", w: \"f32[1, 4, 5]\"",
     R"(y: "f32[2, 3, 5]" = torch.ops.aten.matmul.default(x, w))",
     R"(e: "f32[2, 4, 5]" = torch.ops.aten.expand.default(w, [2, 4, 5])
        y: "f32[2, 3, 5]" = torch.ops.aten.bmm.default(x, e))", true},
    {"AProductWithAVectorIsAColumn", "x: \"f32[2, 3, 4]\", w: \"f32[4]\"",
     R"(y: "f32[2, 3]" = torch.ops.aten.matmul.default(x, w))",
     R"(m: "f32[2, 3, 4]" = torch.ops.aten.mul.Tensor(x, w)
        y: "f32[2, 3]" = torch.ops.aten.sum.dim_IntList(m, [2]))", true},
    {"AProductOfAVectorIsARow", "x: \"f32[4]\", w: \"f32[2, 4, 3]\"",
     R"(y: "f32[2, 3]" = torch.ops.aten.matmul.default(x, w))",
     R"(t: "f32[2, 3, 4]" = torch.ops.aten.transpose.int(w, 1, 2)
        m: "f32[2, 3, 4]" = torch.ops.aten.mul.Tensor(t, x)
        y: "f32[2, 3]" = torch.ops.aten.sum.dim_IntList(m, [2]))", true},
    {"ATransposedFactorIsAnotherProduct", "x: \"f32[4, 4]\", w: \"f32[4, 4]\"",
     R"(y: "f32[4, 4]" = torch.ops.aten.matmul.default(x, w))",
     R"(t: "f32[4, 4]" = torch.ops.aten.mT.default(w)
        y: "f32[4, 4]" = torch.ops.aten.matmul.default(x, t))", false},
    {"AnEinsumOfHeadsIsABatchOfProducts", "q: \"f32[2, 3, 4, 5]\", k: \"f32[2, 6, 4, 5]\"",
     R"(y: "f32[2, 4, 3, 6]" = torch.ops.aten.einsum.default('bqhd,bkhd->bhqk', [q, k]))",
     R"(p: "f32[2, 4, 3, 5]" = torch.ops.aten.permute.default(q, [0, 2, 1, 3])
        r: "f32[2, 4, 5, 6]" = torch.ops.aten.permute.default(k, [0, 2, 3, 1])
        y: "f32[2, 4, 3, 6]" = torch.ops.aten.matmul.default(p, r))", true},
    {"AnEinsumOfThreeSumsOverBothLetters", "a: \"f32[2, 3]\", b: \"f32[3, 4]\", c: \"f32[4]\"",
     R"(y: "f32[2]" = torch.ops.aten.einsum.default('...j,jk,k->...', [a, b, c]))",
     R"(v: "f32[3]" = torch.ops.aten.mv.default(b, c)
        y: "f32[2]" = torch.ops.aten.mv.default(a, v))", true},
    {"AnEinsumWithoutAResultKeepsTheLettersThatStandOnce", "a: \"f32[2, 3]\", b: \"f32[3, 4]\"",
     R"(y: "f32[2, 4]" = torch.ops.aten.einsum.default('ij,jk', [a, b]))",
     R"(y: "f32[2, 4]" = torch.ops.aten.mm.default(a, b))", true},
    {"ATensordotSumsOverPairsOfDimensions", "a: \"f32[2, 3, 4]\", b: \"f32[4, 2, 5]\"",
     R"(y: "f32[3, 5]" = torch.ops.aten.tensordot.default(a, b, [0, 2], [1, 0]))",
     R"(y: "f32[3, 5]" = torch.ops.aten.einsum.default('abc,cad->bd', [a, b]))", true},
    {"AnInnerProductIsOneOfTheLastDimensions", "a: \"f32[2, 3]\", b: \"f32[4, 3]\"",
     R"(y: "f32[2, 4]" = torch.ops.aten.inner.default(a, b))",
     R"(t: "f32[3, 4]" = torch.ops.aten.numpy_T.default(b)
        y: "f32[2, 4]" = torch.ops.aten.mm.default(a, t))", true},
    {"AnOuterProductIsOneOfAColumnAndARow", "a: \"f32[3]\", b: \"f32[4]\"",
     R"(y: "f32[3, 4]" = torch.ops.aten.outer.default(a, b))",
     R"(u: "f32[3, 1]" = torch.ops.aten.unsqueeze.default(a, 1)
        y: "f32[3, 4]" = torch.ops.aten.mul.Tensor(u, b))", true},
    {"ComposedAttentionIsASoftmaxOfScores", "q: \"f32[2, 3, 4]\", k: \"f32[2, 5, 4]\", v: \"f32[2, 5, 4]\"",
     R"(y: "f32[2, 3, 4]" = torch.ops.aten.scaled_dot_product_attention.default(q, k, v))",
     R"(t: "f32[2, 4, 5]" = torch.ops.aten.mT.default(k)
        s: "f32[2, 3, 5]" = torch.ops.aten.matmul.default(q, t)
        d: "f32[2, 3, 5]" = torch.ops.aten.divide.Tensor(s, 2.0)
        p: "f32[2, 3, 5]" = torch.ops.aten.softmax.int(d, -1)
        y: "f32[2, 3, 4]" = torch.ops.aten.matmul.default(p, v))", true},
    {"CausalAttentionOfMoreKeysAlignsTheFirst", "q: \"f32[1, 2, 3, 4]\", k: \"f32[1, 2, 5, 4]\"",
     R"(a = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default(q, k, k, 0.0, True)
        y: "f32[1, 2, 3, 4]" = a[0])",
     R"(o: "b8[3, 5]" = torch.ops.aten.ones.default([3, 5], dtype = torch.bool)
        m: "b8[3, 5]" = torch.ops.aten.tril.default(o)
        a = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default(q, k, k, attn_mask = m)
        y: "f32[1, 2, 3, 4]" = a[0])", true},
    {"DropoutOfAnEvaluationIsNone", "x: \"f32[4]\"",
     R"(y: "f32[4]" = torch.ops.aten.dropout.default(x, 0.5, False))",
     R"(y: "f32[4]" = torch.ops.aten.clone.default(x))", true},
    {"ADimensionIsTakenApart", "x: \"f32[2, 12]\"",
     R"(y: "f32[2, 3, 4]" = torch.ops.aten.unflatten.int(x, -1, [3, -1]))",
     R"(y: "f32[2, 3, 4]" = torch.ops.aten.view.default(x, [2, 3, 4]))", true},
    {"ADimensionIsMovedBehindTheOthers", "x: \"f32[2, 3, 4]\"",
     R"(y: "f32[3, 4, 2]" = torch.ops.aten.movedim.int(x, 0, 2))",
     R"(y: "f32[3, 4, 2]" = torch.ops.aten.permute.default(x, [1, 2, 0]))", true},
    {"ACrossEntropyIsALossOfLogarithms", "x: \"f32[4, 3]\", i: \"i64[4]\"",
     R"(y: "f32[]" = torch.ops.aten.cross_entropy_loss.default(x, i))",
     R"(l: "f32[4, 3]" = torch.ops.aten._log_softmax.default(x, 1, False)
        o: "i64[4, 3]" = torch.ops.aten.one_hot.default(i, 3)
        p: "f32[4, 3]" = torch.ops.aten.mul.Tensor(l, o)
        s: "f32[4]" = torch.ops.aten.sum.dim_IntList(p, [1])
        m: "f32[]" = torch.ops.aten.mean.default(s)
        y: "f32[]" = torch.ops.aten.negative.default(m))", true},
    {"ACrossEntropyOfPositionsHasItsClassesInTheSecondDimension", "x: \"f32[2, 3, 4]\", i: \"i64[2, 4]\"",
     R"(y: "f32[2, 4]" = torch.ops.aten.cross_entropy_loss.default(x, i, None, 0))",
     R"(t: "f32[2, 4, 3]" = torch.ops.aten.swapaxes.default(x, 1, 2)
        v: "f32[8, 3]" = torch.ops.aten.reshape.default(t, [8, 3])
        l: "f32[8, 3]" = torch.ops.aten.log_softmax.int(v, 1)
        j: "i64[8]" = torch.ops.aten.view.default(i, [8])
        n: "f32[8]" = torch.ops.aten.nll_loss_nd.default(l, j, None, 0)
        y: "f32[2, 4]" = torch.ops.aten.view.default(n, [2, 4]))", true},
    {"ASmoothedLossIsAMixtureWithTheMeanOverTheClasses", "x: \"f32[4, 3]\", i: \"i64[4]\"",
     R"(y: "f32[]" = torch.ops.aten.cross_entropy_loss.default(x, i, None, 1, 5, 0.1))",
     R"(c: "f32[]" = torch.ops.aten.cross_entropy_loss.default(x, i, None, 1, 5)
        l: "f32[4, 3]" = torch.ops.aten.log_softmax.int(x, 1)
        m: "f32[]" = torch.ops.aten.mean.default(l)
        n: "f32[]" = torch.ops.aten.mul.Tensor(m, -0.1)
        d: "f32[]" = torch.ops.aten.mul.Tensor(c, 0.9)
        y: "f32[]" = torch.ops.aten.add.Tensor(d, n))", true},
    {"ASmoothedLossIsNotTheLoss", "x: \"f32[4, 3]\", i: \"i64[4]\"",
     R"(y: "f32[]" = torch.ops.aten.cross_entropy_loss.default(x, i, None, 1, 5, 0.1))",
     R"(y: "f32[]" = torch.ops.aten.cross_entropy_loss.default(x, i))", false},
    {"APaddingByReflectionReadsTheOtherWay", "x: \"f32[2, 3]\"",
     R"(y: "f32[2, 5]" = torch.ops.aten.pad.default(x, [1, 1], 'reflect'))",
     R"(f: "f32[2, 3]" = torch.ops.aten.flip.default(x, [1])
        a: "f32[2, 1]" = torch.ops.aten.slice.Tensor(f, 1, 1, 2)
        y: "f32[2, 5]" = torch.ops.aten.cat.default([a, x, a], 1))", true},
    {"APaddingWithoutAModeHasZeros", "x: \"f32[2, 3]\"",
     R"(y: "f32[2, 4]" = torch.ops.aten.pad.default(x, [0, 1]))",
     R"(z: "f32[2, 1]" = torch.ops.aten.zeros.default([2, 1])
        y: "f32[2, 4]" = torch.ops.aten.cat.default([x, z], 1))", true},
    {"ADivergenceIsASumOfWeightedDifferences", "x: \"f32[4, 3]\", t: \"f32[4, 3]\"",
     R"(y: "f32[]" = torch.ops.aten.kl_div.default(x, t, 2, log_target = True))",
     R"(e: "f32[4, 3]" = torch.ops.aten.exp.default(t)
        d: "f32[4, 3]" = torch.ops.aten.subtract.Tensor(t, x)
        m: "f32[4, 3]" = torch.ops.aten.multiply.Tensor(e, d)
        y: "f32[]" = torch.ops.aten.sum.default(m))", true},
    {"AnAbsoluteLossIsAMeanOfDistances", "x: \"f32[4]\", t: \"f32[4]\"",
     R"(y: "f32[]" = torch.ops.aten.l1_loss.default(x, t))",
     R"(d: "f32[4]" = torch.ops.aten.sub.Tensor(x, t)
        a: "f32[4]" = torch.ops.aten.absolute.default(d)
        y: "f32[]" = torch.ops.aten.mean.default(a))", true},
    {"AConvolutionOfOneDimensionPads", "x: \"f32[2, 3, 6]\", w: \"f32[4, 3, 3]\"",
     R"(y: "f32[2, 4, 6]" = torch.ops.aten.conv1d.padding(x, w, None, [1], 'same'))",
     R"(y: "f32[2, 4, 6]" = torch.ops.aten.convolution.default(x, w, None, [1], [1], [1], False, [0], 1))", true},
    {"ANormOverGroupsReadsItsSizes", "x: \"f32[2, 4, 3]\", w: \"f32[4]\"",
     R"(y: "f32[2, 4, 3]" = torch.ops.aten.group_norm.default(x, 2, w))",
     R"(n = torch.ops.aten.native_group_norm.default(x, w, None, 2, 4, 3, 2, 1e-05)
        y: "f32[2, 4, 3]" = n[0])", true},
    {"ACosineIsAProductOfUnitVectors", "x: \"f32[4, 3]\"",
     R"(y: "f32[4]" = torch.ops.aten.cosine_similarity.default(x, x))",
     R"(n: "f32[4, 1]" = torch.ops.aten.linalg_vector_norm.default(x, 2, [1], True)
        b: "f32[4, 1]" = torch.ops.aten.clamp_min.default(n, 1e-08)
        d: "f32[4, 3]" = torch.ops.aten.div.Tensor(x, b)
        s: "f32[4, 3]" = torch.ops.aten.mul.Tensor(d, d)
        y: "f32[4]" = torch.ops.aten.sum.dim_IntList(s, [1]))", true},
    {"TensorsAreBroadcastTogether", "a: \"f32[3, 1]\", b: \"f32[4]\"",
     R"(t = torch.ops.aten.broadcast_tensors.default([a, b])
        u: "f32[3, 4]" = t[0]
        v: "f32[3, 4]" = t[1]
        y: "f32[3, 4]" = torch.ops.aten.sub.Tensor(u, v))",
     R"(y: "f32[3, 4]" = torch.ops.aten.sub.Tensor(a, b))", true},
};
// clang-format on

class CompositeLaws : public testing::TestWithParam<Law> {};

TEST_P(CompositeLaws, HoldAsStated) { checkLaw(GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, CompositeLaws, testing::ValuesIn(laws), [](const auto &info) { return info.param.name; });

} // namespace
} // namespace ccgraph::equality
