// Laws of operators that move, sort and count elements, of complex numbers, and of numbers that a program computes.
#include "law.h"

namespace ccgraph::equality {
namespace {

// clang-format off
const Law laws[] = {
    {"AComplexProductIsTakenApart", "x: \"f32[4, 2]\", z: \"c64[4]\"",
     R"(c: "c64[4]" = torch.ops.aten.view_as_complex.default(x)
        m: "c64[4]" = torch.ops.aten.mul.Tensor(c, z)
        y: "f32[4, 2]" = torch.ops.aten.view_as_real.default(m))",
     R"(a: "f32[4]" = torch.ops.aten.select.int(x, 1, 0)
        b: "f32[4]" = torch.ops.aten.select.int(x, 1, 1)
        r: "f32[4, 2]" = torch.ops.aten.view_as_real.default(z)
        c: "f32[4]" = torch.ops.aten.select.int(r, 1, 0)
        d: "f32[4]" = torch.ops.aten.select.int(r, 1, 1)
        e: "f32[4]" = torch.ops.aten.mul.Tensor(a, c)
        f: "f32[4]" = torch.ops.aten.mul.Tensor(b, d)
        g: "f32[4]" = torch.ops.aten.sub.Tensor(e, f)
        h: "f32[4]" = torch.ops.aten.mul.Tensor(a, d)
        i: "f32[4]" = torch.ops.aten.mul.Tensor(b, c)
        j: "f32[4]" = torch.ops.aten.add.Tensor(h, i)
        y: "f32[4, 2]" = torch.ops.aten.stack.default([g, j], 1))", true},
    {"AConjugateIsAnotherNumber", "x: \"f32[4, 2]\"",
     R"(c: "c64[4]" = torch.ops.aten.view_as_complex.default(x)
        y: "f32[4, 2]" = torch.ops.aten.view_as_real.default(c))",
     R"(c: "c64[4]" = torch.ops.aten.view_as_complex.default(x)
        d: "c64[4]" = torch.ops.aten._conj.default(c)
        y: "f32[4, 2]" = torch.ops.aten.view_as_real.default(d))", false},
    {"ASumOfConjugatesIsTheConjugateOfASum", "a: \"c64[2, 3]\", b: \"c64[3]\"",
     R"(c: "c64[2, 3]" = torch.ops.aten._conj.default(a)
        d: "c64[3]" = torch.ops.aten._conj.default(b)
        e: "c64[2, 3]" = torch.ops.aten.add.Tensor(c, d)
        y: "f32[2, 3, 2]" = torch.ops.aten.view_as_real.default(e))",
     R"(c: "c64[2, 3]" = torch.ops.aten.add.Tensor(a, b)
        d: "c64[2, 3]" = torch.ops.aten._conj.default(c)
        y: "f32[2, 3, 2]" = torch.ops.aten.view_as_real.default(d))", true},
    {"AGatherMovesBothPartsOfComplexNumbers", "z: \"c64[8, 3]\", i: \"i64[2, 3]\"",
     R"(g: "c64[2, 3]" = torch.ops.aten.gather.default(z, 0, i)
        y: "f32[2, 3, 2]" = torch.ops.aten.view_as_real.default(g))",
     R"(r: "f32[8, 3, 2]" = torch.ops.aten.view_as_real.default(z)
        j: "i64[2, 3, 1]" = torch.ops.aten.unsqueeze.default(i, 2)
        k: "i64[2, 3, 2]" = torch.ops.aten.expand.default(j, [2, 3, 2])
        y: "f32[2, 3, 2]" = torch.ops.aten.gather.default(r, 0, k))", true},
    {"PolarNumbersAreCosinesAndSines", "a: \"f32[4]\", r: \"f32[4]\"",
     R"(p: "c64[4]" = torch.ops.aten.polar.default(r, a)
        y: "f32[4, 2]" = torch.ops.aten.view_as_real.default(p))",
     R"(c: "f32[4]" = torch.ops.aten.cos.default(a)
        s: "f32[4]" = torch.ops.aten.sin.default(a)
        d: "f32[4]" = torch.ops.aten.mul.Tensor(c, r)
        t: "f32[4]" = torch.ops.aten.mul.Tensor(s, r)
        y: "f32[4, 2]" = torch.ops.aten.stack.default([d, t], 1))", true},
    {"TheFirstOfASortIsTheMaximum", "x: \"f32[3, 8]\"",
     R"(s = torch.ops.aten.sort.default(x, 1, True)
        v: "f32[3, 8]" = s[0]
        y: "f32[3]" = torch.ops.aten.select.int(v, 1, 0))",
     "y: \"f32[3]\" = torch.ops.aten.amax.default(x, [1])", true},
    {"ASortMovesByItsIndices", "x: \"f32[3, 8]\"",
     R"(s = torch.ops.aten.sort.stable(x, stable = True, dim = 0)
        y: "f32[3, 8]" = s[0])",
     R"(s = torch.ops.aten.sort.stable(x, stable = True, dim = 0)
        i: "i64[3, 8]" = s[1]
        y: "f32[3, 8]" = torch.ops.aten.gather.default(x, 0, i))", true},
    {"TopkIsTheFirstOfADescendingSort", "x: \"f32[3, 8]\"",
     R"(s = torch.ops.aten.topk.default(x, 2)
        y: "f32[3, 2]" = s[0])",
     R"(s = torch.ops.aten.sort.default(x, 1, True)
        v: "f32[3, 8]" = s[0]
        y: "f32[3, 2]" = torch.ops.aten.slice.Tensor(v, 1, 0, 2))", true},
    {"TopkOfTheSmallestDiffers", "x: \"f32[3, 8]\"",
     R"(s = torch.ops.aten.topk.default(x, 2)
        y: "f32[3, 2]" = s[0])",
     R"(s = torch.ops.aten.topk.default(x, 2, -1, False)
        y: "f32[3, 2]" = s[0])", false},
    {"AGroupedProductIsAProductForEachGroup", "x: \"f32[5, 4]\", w: \"f32[2, 4, 3]\"",
     R"(o: "i32[2]" = torch.ops.prims.iota.default(2, start = 2, step = 3, dtype = torch.int32, device = device(type='cpu'), requires_grad = False)
        y: "f32[5, 3]" = torch.ops.aten._grouped_mm.default(x, w, o))",
     R"(a: "f32[2, 4]" = torch.ops.aten.slice.Tensor(x, 0, 0, 2)
        b: "f32[3, 4]" = torch.ops.aten.slice.Tensor(x, 0, 2, 5)
        u: "f32[4, 3]" = torch.ops.aten.select.int(w, 0, 0)
        v: "f32[4, 3]" = torch.ops.aten.select.int(w, 0, 1)
        c: "f32[2, 3]" = torch.ops.aten.mm.default(a, u)
        d: "f32[3, 3]" = torch.ops.aten.mm.default(b, v)
        y: "f32[5, 3]" = torch.ops.aten.cat.default([c, d]))", true},
    {"AGroupedGradientIsAProductForEachGroup", "x: \"f32[4, 5]\", g: \"f32[5, 3]\"",
     R"(o: "i32[2]" = torch.ops.prims.iota.default(2, start = 2, step = 3, dtype = torch.int32, device = device(type='cpu'), requires_grad = False)
        y: "f32[2, 4, 3]" = torch.ops.aten._grouped_mm.default(x, g, o))",
     R"(a: "f32[4, 2]" = torch.ops.aten.slice.Tensor(x, 1, 0, 2)
        b: "f32[4, 3]" = torch.ops.aten.slice.Tensor(x, 1, 2, 5)
        u: "f32[2, 3]" = torch.ops.aten.slice.Tensor(g, 0, 0, 2)
        v: "f32[3, 3]" = torch.ops.aten.slice.Tensor(g, 0, 2, 5)
        c: "f32[4, 3]" = torch.ops.aten.mm.default(a, u)
        d: "f32[4, 3]" = torch.ops.aten.mm.default(b, v)
        y: "f32[2, 4, 3]" = torch.ops.aten.stack.default([c, d]))", true},
    {"CountsAreSumsOfComparisons", "i: \"i64[6]\"",
     "y: \"i64[4]\" = torch.ops.aten.bincount.default(i, None, 4)",
     R"(r: "i64[4]" = torch.ops.aten.arange.default(4)
        c: "i64[6, 1]" = torch.ops.aten.unsqueeze.default(i, 1)
        e: "b8[6, 4]" = torch.ops.aten.eq.Tensor(c, r)
        y: "i64[4]" = torch.ops.aten.sum.dim_IntList(e, [0]))", true},
    {"RepeatedIndicesAreRows", "x: \"f32[3, 2]\", i: \"i64[3]\"",
     "y = torch.ops.aten.repeat_interleave.self_Tensor(x, i, 0)",
     R"(j = torch.ops.aten.repeat_interleave.Tensor(i)
        y = torch.ops.aten.index.Tensor(x, [j]))", true},
    {"ARepeatedTensorIsAJoin", "x: \"f32[2, 3]\"",
     "y: \"f32[4, 3]\" = torch.ops.aten.repeat.default(x, [2, 1])",
     "y: \"f32[4, 3]\" = torch.ops.aten.cat.default([x, x])", true},
    {"AnIndexAfterAWholeDimensionSelectsColumns", "x: \"f32[3, 8, 2]\", i: \"i64[4]\"",
     "y: \"f32[3, 4, 2]\" = torch.ops.aten.index.Tensor(x, [None, i])",
     "y: \"f32[3, 4, 2]\" = torch.ops.aten.index_select.default(x, 1, i)", true},
    {"IndicesThatAreNotAdjacentComeFirst", "x: \"f32[4, 3, 5]\", i: \"i64[2]\"",
     "y: \"f32[2, 3]\" = torch.ops.aten.index.Tensor(x, [i, None, i])",
     R"(p: "f32[4, 5, 3]" = torch.ops.aten.permute.default(x, [0, 2, 1])
        y: "f32[2, 3]" = torch.ops.aten.index.Tensor(p, [i, i]))", true},
    {"AMaskPutsWhereItHolds", "x: \"f32[6]\", k: \"b8[6]\"",
     R"(s: "f32[]" = torch.ops.aten.scalar_tensor.default(2.0)
        y: "f32[6]" = torch.ops.aten.index_put.default(x, [k], s))",
     "y: \"f32[6]\" = torch.ops.aten.masked_fill.Scalar(x, k, 2.0)", true},
    {"AMaskedPutLeavesOutWhereTheMaskIsFalse", "z: \"f32[8, 2]\", i: \"i64[5]\", v: \"f32[5, 2]\", k: \"b8[5, 1]\"",
     "y: \"f32[8, 2]\" = torch.ops.aten._unsafe_masked_index_put_accumulate.default(z, k, [i], v)",
     R"(m: "f32[5, 2]" = torch.ops.aten.mul.Tensor(v, k)
        y: "f32[8, 2]" = torch.ops.aten.index_put.default(z, [i], m, True))", true},
    {"AnIndexedSumIsAScatteredOne", "x: \"f32[8, 2]\", i: \"i64[5]\", v: \"f32[5, 2]\"",
     "y: \"f32[8, 2]\" = torch.ops.aten.index_add.default(x, 0, i, v)",
     "y: \"f32[8, 2]\" = torch.ops.aten.index_put.default(x, [i], v, True)", true},
    {"PowersOfWholeExponentsAreProducts", "x: \"f32[3]\"",
     R"(e: "f32[3]" = torch.ops.aten.arange.start_step(0, 3, 1, dtype = torch.float32, device = device(type='cpu'), pin_memory = False)
        p: "f32[3]" = torch.ops.aten.pow.Scalar(0.9, e)
        r: "f32[3]" = torch.ops.aten.reciprocal.default(p)
        y: "f32[3]" = torch.ops.aten.mul.Tensor(x, r))",
     R"(a: "f32[]" = torch.ops.aten.select.int(x, 0, 0)
        b: "f32[]" = torch.ops.aten.select.int(x, 0, 1)
        c: "f32[]" = torch.ops.aten.select.int(x, 0, 2)
        d: "f32[]" = torch.ops.aten.div.Tensor(b, 0.9)
        e: "f32[]" = torch.ops.aten.div.Tensor(c, 0.81)
        y: "f32[3]" = torch.ops.aten.stack.default([a, d, e]))", true},
    {"APowerOfANegativeExponentIsAnInverse", "x: \"f32[3]\"",
     R"(p: "f32[3]" = torch.ops.aten.pow.Scalar(10000.0, x)
        y: "f32[3]" = torch.ops.aten.reciprocal.default(p))",
     R"(n: "f32[3]" = torch.ops.aten.neg.default(x)
        y: "f32[3]" = torch.ops.aten.pow.Scalar(10000.0, n))", true},
    {"AStridedViewOfAWholeTensorIsAReshape", "x: \"f32[2, 4, 1][4, 1, 1]\"",
     "y: \"f32[2, 2]\" = torch.ops.aten.as_strided.default(x, [2, 2], [4, 2], 1)",
     R"(v: "f32[2, 2, 2]" = torch.ops.aten.view.default(x, [2, 2, 2])
        y: "f32[2, 2]" = torch.ops.aten.select.int(v, 2, 1))", true},
    {"ColumnsOfAnImageAreItsWindows", "x: \"f32[2, 3, 5, 6]\", w: \"f32[4, 3, 2, 3]\"",
     R"(c: "f32[2, 18, 12]" = torch.ops.aten.im2col.default(x, [2, 3], [1, 1], [1, 0], [2, 1])
        v: "f32[1, 4, 18]" = torch.ops.aten.view.default(w, [1, 4, 18])
        e: "f32[2, 4, 18]" = torch.ops.aten.expand.default(v, [2, 4, 18])
        m: "f32[2, 4, 12]" = torch.ops.aten.bmm.default(e, c)
        y: "f32[2, 4, 3, 4]" = torch.ops.aten.view.default(m, [2, 4, 3, 4]))",
     "y: \"f32[2, 4, 3, 4]\" = torch.ops.aten.convolution.default(x, w, None, [2, 1], [1, 0], [1, 1], False, [0, 0], 1)", true},
    {"TheGradientOfColumnsAddsWindowsUp", "c: \"f32[2, 18, 12]\", x: \"f32[2, 3, 5, 6]\"",
     R"(i: "f32[2, 3, 5, 6]" = torch.ops.aten.col2im.default(c, [5, 6], [2, 3], [1, 1], [1, 0], [2, 1])
        m: "f32[2, 3, 5, 6]" = torch.ops.aten.mul.Tensor(i, x)
        y: "f32[]" = torch.ops.aten.sum.default(m))",
     R"(k: "f32[2, 18, 12]" = torch.ops.aten.im2col.default(x, [2, 3], [1, 1], [1, 0], [2, 1])
        m: "f32[2, 18, 12]" = torch.ops.aten.mul.Tensor(k, c)
        y: "f32[]" = torch.ops.aten.sum.default(m))", true},
    {"ANumberIsScatteredByOneIndex", "x: \"f32[1, 3]\", i: \"i64[1, 1]\"",
     "y: \"f32[1, 3]\" = torch.ops.aten.scatter.value(x, 1, i, -1.0)",
     R"(s: "f32[1, 1]" = torch.ops.aten.full.default([1, 1], -1.0)
        y: "f32[1, 3]" = torch.ops.aten.scatter.src(x, 1, i, s))", true},
    {"ASigmoidOfLogarithmsCombinesSums", "a: \"f32[3, 4]\", b: \"f32[3, 5]\"",
     R"(c: "f32[3, 9]" = torch.ops.aten.cat.default([a, b], 1)
        y: "f32[3]" = torch.ops.aten.logsumexp.default(c, [1]))",
     R"(l: "f32[3]" = torch.ops.aten.logsumexp.default(a, [1])
        m: "f32[3]" = torch.ops.aten.logsumexp.default(b, [1])
        d: "f32[3]" = torch.ops.aten.sub.Tensor(l, m)
        s = torch.ops.aten.log_sigmoid_forward.default(d)
        t: "f32[3]" = s[0]
        y: "f32[3]" = torch.ops.aten.sub.Tensor(l, t))", true},
    {"ASigmoidOfLogarithmsIsAShareOfASum", "a: \"f32[3, 4]\", b: \"f32[3, 5]\"",
     R"(e: "f32[3, 4]" = torch.ops.aten.exp.default(a)
        f: "f32[3, 5]" = torch.ops.aten.exp.default(b)
        g: "f32[3]" = torch.ops.aten.sum.dim_IntList(e, [1])
        h: "f32[3]" = torch.ops.aten.sum.dim_IntList(f, [1])
        n: "f32[3]" = torch.ops.aten.add.Tensor(g, h)
        y: "f32[3]" = torch.ops.aten.div.Tensor(g, n))",
     R"(l: "f32[3]" = torch.ops.aten.logsumexp.default(a, [1])
        m: "f32[3]" = torch.ops.aten.logsumexp.default(b, [1])
        d: "f32[3]" = torch.ops.aten.sub.Tensor(l, m)
        y: "f32[3]" = torch.ops.aten.sigmoid.default(d))", true},
    {"MovedLogarithmsStayLogarithms", "a: \"f32[3, 4]\"",
     R"(e: "f32[3, 4]" = torch.ops.aten.exp.default(a)
        y: "f32[3]" = torch.ops.aten.sum.dim_IntList(e, [1]))",
     R"(l: "f32[3]" = torch.ops.aten.logsumexp.default(a, [1])
        c: "f32[6]" = torch.ops.aten.cat.default([l, l])
        s: "f32[3]" = torch.ops.aten.slice.Tensor(c, 0, 0, 3)
        y: "f32[3]" = torch.ops.aten.exp.default(s))", true},
    {"AVarianceIsAMeanOfSquares", "x: \"f32[4, 8]\"",
     R"(v = torch.ops.aten.var_mean.correction(x, [1], correction = 0, keepdim = True)
        y: "f32[4, 1]" = v[0])",
     R"(m: "f32[4, 1]" = torch.ops.aten.mean.dim(x, [1], True)
        c: "f32[4, 8]" = torch.ops.aten.sub.Tensor(x, m)
        q: "f32[4, 8]" = torch.ops.aten.mul.Tensor(c, c)
        y: "f32[4, 1]" = torch.ops.aten.mean.dim(q, [1], True))", true},
    {"ALinearLayerIsAProductAndASum", "x: \"f32[4, 8]\", w: \"f32[3, 8]\", b: \"f32[3]\"",
     "y: \"f32[4, 3]\" = torch.ops.aten.linear.default(x, w, b)",
     R"(t: "f32[8, 3]" = torch.ops.aten.t.default(w)
        y: "f32[4, 3]" = torch.ops.aten.addmm.default(b, x, t))", true},
    {"ALossOfSquaresHasTwiceTheDifferenceAsGradient", "x: \"f32[4]\", t: \"f32[4]\", g: \"f32[]\"",
     "y: \"f32[4]\" = torch.ops.aten.mse_loss_backward.default(g, x, t, 1)",
     R"(d: "f32[4]" = torch.ops.aten.sub.Tensor(x, t)
        h: "f32[4]" = torch.ops.aten.mul.Tensor(d, 0.5)
        y: "f32[4]" = torch.ops.aten.mul.Tensor(h, g))", true},
    {"NumbersOfAProgramChooseSizes", "x: \"f32[6]\"",
     R"py(o: "i64[]" = torch.ops.aten.scalar_tensor.default(2, dtype = torch.int64)
        n: "Sym(u0)" = torch.ops.aten._local_scalar_dense.default(o)
        t: "Sym(u0 + 1)" = n + 1
        y = torch.ops.aten.slice.Tensor(x, 0, 0, t))py",
     "y: \"f32[3]\" = torch.ops.aten.slice.Tensor(x, 0, 0, 3)", true},
    {"FusedAdamIsItsFormula", "p: \"f32[3]\", g: \"f32[3]\", m: \"f32[3]\", v: \"f32[3]\", t: \"f32[]\"",
     R"(u = torch.ops.aten._fused_adamw_.default([p], [g], [m], [v], [], [t], lr = 0.1, beta1 = 0.9, beta2 = 0.99, weight_decay = 0.01, eps = 1e-08, amsgrad = False, maximize = False)
        y: "f32[3]" = torch.ops.aten.alias.default(p))",
     R"(a: "f32[3]" = torch.ops.aten.lerp.Scalar(m, g, 0.1)
        b: "f32[3]" = torch.ops.aten.mul.Tensor(v, 0.99)
        c: "f32[3]" = torch.ops.aten.addcmul.default(b, g, g, value = 0.01)
        d: "f32[]" = torch.ops.aten.pow.Scalar(0.9, t)
        e: "f32[]" = torch.ops.aten.pow.Scalar(0.99, t)
        f: "f32[]" = torch.ops.aten.rsub.Scalar(d, 1)
        h: "f32[]" = torch.ops.aten.rsub.Scalar(e, 1)
        i: "f32[]" = torch.ops.aten.sqrt.default(h)
        j: "f32[3]" = torch.ops.aten.sqrt.default(c)
        k: "f32[3]" = torch.ops.aten.div.Tensor(j, i)
        l: "f32[3]" = torch.ops.aten.add.Tensor(k, 1e-08)
        n: "f32[3]" = torch.ops.aten.div.Tensor(a, l)
        o: "f32[3]" = torch.ops.aten.div.Tensor(n, f)
        q: "f32[3]" = torch.ops.aten.mul.Tensor(p, 0.999)
        y: "f32[3]" = torch.ops.aten.sub.Tensor(q, o, alpha = 0.1))", true},
    {"ABucketOfAGatherHoldsThePartsInOrder", "a: \"f32[2, 2]\", b: \"f32[3]\"",
     R"(p: "f32[7]" = torch.ops.bucketing._pre_bucket_all_gather.default([a, b], 1, torch.float32, [1, 1], 0)
        y: "f32[3]" = torch.ops.aten.slice.Tensor(p, 0, 4, 7))",
     "y: \"f32[3]\" = torch.ops.aten.alias.default(b)", true},
    {"ABucketOfAScatterHasTheRowsOfEachMember", "a: \"f32[2, 2]\", b: \"f32[3]\"",
     "y: \"f32[8]\" = torch.ops.bucketing._pre_bucket_reduce_scatter.default([a, b], 2)",
     R"(f: "f32[4]" = torch.ops.aten.view.default(a, [4])
        c: "f32[2]" = torch.ops.aten.slice.Tensor(f, 0, 0, 2)
        d: "f32[2]" = torch.ops.aten.slice.Tensor(f, 0, 2, 4)
        e: "f32[4]" = torch.ops.aten.constant_pad_nd.default(b, [0, 1])
        g: "f32[2]" = torch.ops.aten.slice.Tensor(e, 0, 0, 2)
        h: "f32[2]" = torch.ops.aten.slice.Tensor(e, 0, 2, 4)
        y: "f32[8]" = torch.ops.aten.cat.default([c, g, d, h]))", true},
    {"ComparedIntegersReachTheEndOfTheRange", "i: \"i64[64]\"",
     R"(unsqueeze: "i64[64, 1]" = torch.ops.aten.unsqueeze.default(i, 1)
        arange: "i64[5]" = torch.ops.aten.arange.default(5)
        eq: "b8[64, 5]" = torch.ops.aten.eq.Tensor(unsqueeze, arange)
        _to_copy: "f32[64, 5]" = torch.ops.aten._to_copy.default(eq, dtype = torch.float32)
        y: "f32[5]" = torch.ops.aten.sum.dim_IntList(_to_copy, [0]))",
     R"(clamp: "i64[64]" = torch.ops.aten.clamp.default(i, 0, 1)
        unsqueeze: "i64[64, 1]" = torch.ops.aten.unsqueeze.default(clamp, 1)
        arange: "i64[5]" = torch.ops.aten.arange.default(5)
        eq: "b8[64, 5]" = torch.ops.aten.eq.Tensor(unsqueeze, arange)
        _to_copy: "f32[64, 5]" = torch.ops.aten._to_copy.default(eq, dtype = torch.float32)
        y: "f32[5]" = torch.ops.aten.sum.dim_IntList(_to_copy, [0]))", false},
    {"IntegersOfMicroBatchesReachTheEndOfTheTable", "i: \"i64[64]\", w: \"f32[5]\"",
     R"(s = torch.ops.aten.split.Tensor(i, 32)
        a: "i64[32]" = s[0]
        y: "f32[32]" = torch.ops.aten.index.Tensor(w, [a]))",
     R"(s = torch.ops.aten.split.Tensor(i, 32)
        a: "i64[32]" = s[0]
        c: "i64[32]" = torch.ops.aten.clamp.default(a, 0, 1)
        y: "f32[32]" = torch.ops.aten.index.Tensor(w, [c]))", false},
};
// clang-format on

class OperatorLaws : public testing::TestWithParam<Law> {};

TEST_P(OperatorLaws, HoldAsStated) { checkLaw(GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, OperatorLaws, testing::ValuesIn(laws), [](const auto &info) { return info.param.name; });

} // namespace
} // namespace ccgraph::equality
