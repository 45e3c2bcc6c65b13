// Laws of layers, windows, scans and optimizers: each operator against the same written with others. The texts are
// those of PyTorch 2.15.
#include "law.h"

namespace ccgraph::equality {
namespace {

// clang-format off
const Law laws[] = {
    {"AConvolutionIsAProductWithWindows", "x: \"f32[2, 3, 6]\", w: \"f32[4, 3, 3]\"",
     R"(y: "f32[2, 4, 4]" = torch.ops.aten.convolution.default(x, w, None, [1], [0], [1], False, [0], 1))",
     R"(unfold: "f32[2, 3, 4, 3]" = torch.ops.aten.unfold.default(x, 2, 3, 1)
        permute: "f32[2, 4, 3, 3]" = torch.ops.aten.permute.default(unfold, [0, 2, 1, 3])
        clone: "f32[2, 4, 3, 3]" = torch.ops.aten.clone.default(permute)
        _unsafe_view: "f32[8, 9]" = torch.ops.aten._unsafe_view.default(clone, [8, 9])
        view: "f32[4, 9]" = torch.ops.aten.view.default(w, [4, 9])
        t: "f32[9, 4]" = torch.ops.aten.t.default(view)
        mm: "f32[8, 4]" = torch.ops.aten.mm.default(_unsafe_view, t)
        view_1: "f32[2, 4, 4]" = torch.ops.aten.view.default(mm, [2, 4, 4])
        y: "f32[2, 4, 4]" = torch.ops.aten.permute.default(view_1, [0, 2, 1]))", true},
    {"TheGradientOfAWeightIsAProductWithWindows", "x: \"f32[2, 3, 6]\", w: \"f32[4, 3, 3]\", g: \"f32[2, 4, 6]\"",
     R"(convolution_backward = torch.ops.aten.convolution_backward.default(g, x, w, [0], [1], [1], [1], False, [0], 1, [True, True, False])
        y: "f32[4, 3, 3]" = convolution_backward[1])",
     R"(permute: "f32[4, 2, 6]" = torch.ops.aten.permute.default(g, [1, 0, 2])
        clone: "f32[4, 2, 6]" = torch.ops.aten.clone.default(permute)
        _unsafe_view: "f32[4, 12]" = torch.ops.aten._unsafe_view.default(clone, [4, 12])
        constant_pad_nd: "f32[2, 3, 8]" = torch.ops.aten.constant_pad_nd.default(x, [1, 1], 0.0)
        unfold: "f32[2, 3, 6, 3]" = torch.ops.aten.unfold.default(constant_pad_nd, 2, 3, 1)
        permute_1: "f32[2, 6, 3, 3]" = torch.ops.aten.permute.default(unfold, [0, 2, 1, 3])
        clone_1: "f32[2, 6, 3, 3]" = torch.ops.aten.clone.default(permute_1)
        _unsafe_view_1: "f32[12, 9]" = torch.ops.aten._unsafe_view.default(clone_1, [12, 9])
        mm: "f32[4, 9]" = torch.ops.aten.mm.default(_unsafe_view, _unsafe_view_1)
        y: "f32[4, 3, 3]" = torch.ops.aten.view.default(mm, [4, 3, 3]))", true},
    {"TheGradientOfAnInputIsATransposedConvolution", "x: \"f32[2, 3, 6]\", w: \"f32[4, 3, 3]\", g: \"f32[2, 4, 6]\"",
     R"(convolution_backward = torch.ops.aten.convolution_backward.default(g, x, w, [0], [1], [1], [1], False, [0], 1, [True, True, False])
        y: "f32[2, 3, 6]" = convolution_backward[0])",
     R"(y: "f32[2, 3, 6]" = torch.ops.aten.convolution.default(g, w, None, [1], [1], [1], True, [0], 1))", true},
    {"GroupsOfAConvolutionAreConvolutions", "x: \"f32[2, 4, 5, 5]\", w: \"f32[6, 2, 3, 3]\"",
     R"(y: "f32[2, 6, 2, 2]" = torch.ops.aten.convolution.default(x, w, None, [2, 2], [0, 0], [1, 1], False, [0, 0], 2))",
     R"(slice_1: "f32[2, 2, 5, 5]" = torch.ops.aten.slice.Tensor(x, 1, 0, 2)
        slice_2: "f32[3, 2, 3, 3]" = torch.ops.aten.slice.Tensor(w, 0, 0, 3)
        convolution: "f32[2, 3, 2, 2]" = torch.ops.aten.convolution.default(slice_1, slice_2, None, [2, 2], [0, 0], [1, 1], False, [0, 0], 1)
        slice_3: "f32[2, 2, 5, 5]" = torch.ops.aten.slice.Tensor(x, 1, 2, 9223372036854775807)
        slice_4: "f32[3, 2, 3, 3]" = torch.ops.aten.slice.Tensor(w, 0, 3, 9223372036854775807)
        convolution_1: "f32[2, 3, 2, 2]" = torch.ops.aten.convolution.default(slice_3, slice_4, None, [2, 2], [0, 0], [1, 1], False, [0, 0], 1)
        y: "f32[2, 6, 2, 2]" = torch.ops.aten.cat.default([convolution, convolution_1], 1))", true},
    {"APaddedConvolutionIsNoUnpaddedOne", "x: \"f32[2, 3, 6]\", w: \"f32[4, 3, 3]\"",
     R"(y: "f32[2, 4, 6]" = torch.ops.aten.convolution.default(x, w, None, [1], [1], [1], False, [0], 1))",
     R"(convolution: "f32[2, 4, 6]" = torch.ops.aten.convolution.default(x, w, None, [1], [1], [1], False, [0], 1)
        y: "f32[2, 4, 6]" = torch.ops.aten.roll.default(convolution, [1], [2]))", false},
    {"AGroupNormIsANormOfEachGroup", "x: \"f32[2, 4, 3]\", w: \"f32[4]\"",
     R"(native_group_norm = torch.ops.aten.native_group_norm.default(x, w, None, 2, 4, 3, 2, 1e-05)
        y: "f32[2, 4, 3]" = native_group_norm[0])",
     R"(view: "f32[2, 2, 6]" = torch.ops.aten.view.default(x, [2, 2, 6])
        mean: "f32[2, 2, 1]" = torch.ops.aten.mean.dim(view, [2], True)
        sub: "f32[2, 2, 6]" = torch.ops.aten.sub.Tensor(view, mean)
        sub_1: "f32[2, 2, 6]" = torch.ops.aten.sub.Tensor(view, mean)
        pow_1: "f32[2, 2, 6]" = torch.ops.aten.pow.Tensor_Scalar(sub_1, 2)
        mean_1: "f32[2, 2, 1]" = torch.ops.aten.mean.dim(pow_1, [2], True)
        add: "f32[2, 2, 1]" = torch.ops.aten.add.Tensor(mean_1, 1e-05)
        rsqrt: "f32[2, 2, 1]" = torch.ops.aten.rsqrt.default(add)
        mul: "f32[2, 2, 6]" = torch.ops.aten.mul.Tensor(sub, rsqrt)
        view_1: "f32[2, 4, 3]" = torch.ops.aten.view.default(mul, [2, 4, 3])
        view_2: "f32[4, 1]" = torch.ops.aten.view.default(w, [4, 1])
        y: "f32[2, 4, 3]" = torch.ops.aten.mul.Tensor(view_1, view_2))", true},
    {"TheGradientOfAGroupNormIsThatOfItsParts", "x: \"f32[2, 4, 3]\", w: \"f32[4]\", g: \"f32[2, 4, 3]\"",
     R"(native_group_norm = torch.ops.aten.native_group_norm.default(x, w, None, 2, 4, 3, 2, 1e-05)
        getitem_1: "f32[2, 2]" = native_group_norm[1]
        getitem_2: "f32[2, 2]" = native_group_norm[2]
        native_group_norm_backward = torch.ops.aten.native_group_norm_backward.default(g, x, getitem_1, getitem_2, w, 2, 4, 3, 2, [True, False, False])
        y: "f32[2, 4, 3]" = native_group_norm_backward[0])",
     R"(view: "f32[2, 2, 6]" = torch.ops.aten.view.default(x, [2, 2, 6])
        mean: "f32[2, 2, 1]" = torch.ops.aten.mean.dim(view, [2], True)
        sub: "f32[2, 2, 6]" = torch.ops.aten.sub.Tensor(view, mean)
        sub_1: "f32[2, 2, 6]" = torch.ops.aten.sub.Tensor(view, mean)
        pow_1: "f32[2, 2, 6]" = torch.ops.aten.pow.Tensor_Scalar(sub_1, 2)
        mean_1: "f32[2, 2, 1]" = torch.ops.aten.mean.dim(pow_1, [2], True)
        add: "f32[2, 2, 1]" = torch.ops.aten.add.Tensor(mean_1, 1e-05)
        rsqrt: "f32[2, 2, 1]" = torch.ops.aten.rsqrt.default(add)
        view_2: "f32[4, 1]" = torch.ops.aten.view.default(w, [4, 1])
        mul_2: "f32[2, 4, 3]" = torch.ops.aten.mul.Tensor(g, view_2)
        view_3: "f32[2, 2, 6]" = torch.ops.aten.view.default(mul_2, [2, 2, 6])
        mul_3: "f32[2, 2, 6]" = torch.ops.aten.mul.Tensor(view_3, sub)
        mul_4: "f32[2, 2, 6]" = torch.ops.aten.mul.Tensor(view_3, rsqrt)
        sum_1: "f32[2, 2, 1]" = torch.ops.aten.sum.dim_IntList(mul_3, [2], True)
        pow_2: "f32[2, 2, 1]" = torch.ops.aten.pow.Tensor_Scalar(rsqrt, 3)
        mul_5: "f32[2, 2, 1]" = torch.ops.aten.mul.Scalar(sum_1, -0.5)
        mul_6: "f32[2, 2, 1]" = torch.ops.aten.mul.Tensor(mul_5, pow_2)
        expand: "f32[2, 2, 6]" = torch.ops.aten.expand.default(mul_6, [2, 2, 6])
        div: "f32[2, 2, 6]" = torch.ops.aten.div.Scalar(expand, 6)
        pow_3: "f32[2, 2, 6]" = torch.ops.aten.pow.Tensor_Scalar(sub_1, 1.0)
        mul_7: "f32[2, 2, 6]" = torch.ops.aten.mul.Scalar(pow_3, 2.0)
        mul_8: "f32[2, 2, 6]" = torch.ops.aten.mul.Tensor(div, mul_7)
        neg: "f32[2, 2, 6]" = torch.ops.aten.neg.default(mul_8)
        sum_2: "f32[2, 2, 1]" = torch.ops.aten.sum.dim_IntList(neg, [2], True)
        neg_1: "f32[2, 2, 6]" = torch.ops.aten.neg.default(mul_4)
        sum_3: "f32[2, 2, 1]" = torch.ops.aten.sum.dim_IntList(neg_1, [2], True)
        add_1: "f32[2, 2, 6]" = torch.ops.aten.add.Tensor(mul_8, mul_4)
        add_2: "f32[2, 2, 1]" = torch.ops.aten.add.Tensor(sum_2, sum_3)
        expand_1: "f32[2, 2, 6]" = torch.ops.aten.expand.default(add_2, [2, 2, 6])
        div_1: "f32[2, 2, 6]" = torch.ops.aten.div.Scalar(expand_1, 6)
        add_3: "f32[2, 2, 6]" = torch.ops.aten.add.Tensor(add_1, div_1)
        y: "f32[2, 4, 3]" = torch.ops.aten.view.default(add_3, [2, 4, 3]))", true},
    {"ABatchNormIsANormOverTheBatch", "x: \"f32[4, 3, 2]\"",
     R"(native_batch_norm = torch.ops.aten.native_batch_norm.default(x, None, None, None, None, True, 0.1, 1e-05)
        y: "f32[4, 3, 2]" = native_batch_norm[0])",
     R"(mean: "f32[1, 3, 1]" = torch.ops.aten.mean.dim(x, [0, 2], True)
        sub: "f32[4, 3, 2]" = torch.ops.aten.sub.Tensor(x, mean)
        sub_1: "f32[4, 3, 2]" = torch.ops.aten.sub.Tensor(x, mean)
        pow_1: "f32[4, 3, 2]" = torch.ops.aten.pow.Tensor_Scalar(sub_1, 2)
        mean_1: "f32[1, 3, 1]" = torch.ops.aten.mean.dim(pow_1, [0, 2], True)
        add: "f32[1, 3, 1]" = torch.ops.aten.add.Tensor(mean_1, 1e-05)
        rsqrt: "f32[1, 3, 1]" = torch.ops.aten.rsqrt.default(add)
        y: "f32[4, 3, 2]" = torch.ops.aten.mul.Tensor(sub, rsqrt))", true},
    {"AnAverageOfWindowsIsAMean", "x: \"f32[2, 3, 6]\"",
     R"(unsqueeze: "f32[2, 1, 3, 6]" = torch.ops.aten.unsqueeze.default(x, 1)
        avg_pool2d: "f32[2, 1, 3, 3]" = torch.ops.aten.avg_pool2d.default(unsqueeze, [1, 2])
        y: "f32[2, 3, 3]" = torch.ops.aten.squeeze.dim(avg_pool2d, 1))",
     R"(unfold: "f32[2, 3, 3, 2]" = torch.ops.aten.unfold.default(x, 2, 2, 2)
        y: "f32[2, 3, 3]" = torch.ops.aten.mean.dim(unfold, [-1]))", true},
    {"AMaximumOfWindowsIsTheirLargestElement", "x: \"f32[2, 3, 6]\"",
     R"(max_pool2d_with_indices = torch.ops.aten.max_pool2d_with_indices.default(x, [1, 3])
        y: "f32[2, 3, 2]" = max_pool2d_with_indices[0])",
     R"(unfold: "f32[2, 3, 2, 3]" = torch.ops.aten.unfold.default(x, 2, 3, 3)
        y: "f32[2, 3, 2]" = torch.ops.aten.amax.default(unfold, [-1]))", true},
    {"TheNearestElementIsRepeated", "x: \"f32[2, 3, 4]\"",
     R"(y: "f32[2, 3, 8]" = torch.ops.aten.upsample_nearest1d.default(x, [8], 2.0))",
     R"(unsqueeze: "f32[2, 3, 4, 1]" = torch.ops.aten.unsqueeze.default(x, 3)
        expand: "f32[2, 3, 4, 2]" = torch.ops.aten.expand.default(unsqueeze, [2, 3, 4, 2])
        clone: "f32[2, 3, 4, 2]" = torch.ops.aten.clone.default(expand)
        y: "f32[2, 3, 8]" = torch.ops.aten.view.default(clone, [2, 3, 8]))", true},
    {"ARollIsAJoinOfParts", "x: \"f32[3, 5]\"",
     R"(y: "f32[3, 5]" = torch.ops.aten.roll.default(x, [2], [1]))",
     R"(slice_1: "f32[3, 2]" = torch.ops.aten.slice.Tensor(x, 1, 3, 9223372036854775807)
        slice_2: "f32[3, 3]" = torch.ops.aten.slice.Tensor(x, 1, 0, 3)
        y: "f32[3, 5]" = torch.ops.aten.cat.default([slice_1, slice_2], 1))", true},
    {"AFlipOfAFlipIsTheTensor", "x: \"f32[3, 5]\"",
     R"(flip: "f32[3, 5]" = torch.ops.aten.flip.default(x, [0])
        y: "f32[3, 5]" = torch.ops.aten.flip.default(flip, [0]))",
     R"(y: "f32[3, 5]" = torch.ops.aten.clone.default(x))", true},
    {"GluIsAProductWithASigmoid", "x: \"f32[3, 4]\"",
     R"(y: "f32[3, 2]" = torch.ops.aten.glu.default(x, 1))",
     R"(slice_1: "f32[3, 2]" = torch.ops.aten.slice.Tensor(x, 1, 0, 2)
        slice_2: "f32[3, 2]" = torch.ops.aten.slice.Tensor(x, 1, 2, 9223372036854775807)
        sigmoid: "f32[3, 2]" = torch.ops.aten.sigmoid.default(slice_2)
        y: "f32[3, 2]" = torch.ops.aten.mul.Tensor(slice_1, sigmoid))", true},
    {"PreluIsALeakyReluWithOneSlope", "x: \"f32[3, 4]\"",
     R"(full: "f32[1]" = torch.ops.aten.full.default([1], 0.25)
        view: "f32[1, 1]" = torch.ops.aten.view.default(full, [1, 1])
        y: "f32[3, 4]" = torch.ops.aten._prelu_kernel.default(x, view))",
     R"(y: "f32[3, 4]" = torch.ops.aten.leaky_relu.default(x, 0.25))", true},
    {"NumbersLieBetweenTwoBounds", "x: \"f32[64]\", g: \"f32[64]\"",
     R"(scalar_tensor: "f32[]" = torch.ops.aten.scalar_tensor.default(0.0, dtype = torch.float32)
        gt: "b8[64]" = torch.ops.aten.gt.Scalar(x, -0.5)
        lt: "b8[64]" = torch.ops.aten.lt.Scalar(x, 0.5)
        logical_and_: "b8[64]" = torch.ops.aten.logical_and_.default(gt, lt)
        y: "f32[64]" = torch.ops.aten.where.self(logical_and_, g, scalar_tensor))",
     R"(y: "f32[64]" = torch.ops.aten.mul.Tensor(g, 0))", false},
    {"NumbersLieOutsideOfTwoBounds", "x: \"f32[64]\", g: \"f32[64]\"",
     R"(scalar_tensor: "f32[]" = torch.ops.aten.scalar_tensor.default(0.0, dtype = torch.float32)
        gt: "b8[64]" = torch.ops.aten.gt.Scalar(x, -0.5)
        lt: "b8[64]" = torch.ops.aten.lt.Scalar(x, 0.5)
        logical_and_: "b8[64]" = torch.ops.aten.logical_and_.default(gt, lt)
        y: "f32[64]" = torch.ops.aten.where.self(logical_and_, g, scalar_tensor))",
     R"(y: "f32[64]" = torch.ops.aten.mul.Tensor(g, 1))", false},
    {"HardtanhHasTheGradientOfAClamp", "x: \"f32[64]\", g: \"f32[64]\"",
     R"(scalar_tensor: "f32[]" = torch.ops.aten.scalar_tensor.default(0.0, dtype = torch.float32)
        gt: "b8[64]" = torch.ops.aten.gt.Scalar(x, -0.5)
        lt: "b8[64]" = torch.ops.aten.lt.Scalar(x, 0.5)
        logical_and_: "b8[64]" = torch.ops.aten.logical_and_.default(gt, lt)
        y: "f32[64]" = torch.ops.aten.where.self(logical_and_, g, scalar_tensor))",
     R"(y: "f32[64]" = torch.ops.aten.hardtanh_backward.default(g, x, -0.5, 0.5))", true},
    {"AGradientOfASoftmaxIsTheExponentialOfItsLogarithm", "x: \"f32[3, 4]\", z: \"f32[3, 4]\"",
     R"(p: "f32[3, 4]" = torch.ops.aten._softmax.default(x, -1, False)
        q: "f32[3, 4]" = torch.ops.aten._softmax.default(z, -1, False)
        g: "f32[3, 4]" = torch.ops.aten.sub.Tensor(p, q)
        y: "f32[3, 4]" = torch.ops.aten.mul.Tensor(g, 2))",
     R"(p: "f32[3, 4]" = torch.ops.aten._softmax.default(x, -1, False)
        q: "f32[3, 4]" = torch.ops.aten._softmax.default(z, -1, False)
        g: "f32[3, 4]" = torch.ops.aten.sub.Tensor(p, q)
        h: "f32[3, 4]" = torch.ops.aten.mul.Tensor(g, 2)
        l: "f32[3, 4]" = torch.ops.aten.log.default(h)
        y: "f32[3, 4]" = torch.ops.aten.exp.default(l))", true},
    {"AMultipleOfThePrimeIsTheExponentialOfALogarithmWithoutKnownDigits", "w: \"f32[4]\", v: \"f32[4]\"",
     R"(a: "f32[4]" = torch.ops.aten.log.default(w)
        b: "f32[4]" = torch.ops.aten.log.default(a)
        c: "f32[4]" = torch.ops.aten.mul.Tensor(b, 2)
        d: "f32[4]" = torch.ops.aten.exp.default(c)
        y: "f32[4]" = torch.ops.aten.sub.Tensor(d, 1))",
     R"(a: "f32[4]" = torch.ops.aten.log.default(w)
        b: "f32[4]" = torch.ops.aten.log.default(a)
        c: "f32[4]" = torch.ops.aten.mul.Tensor(b, 2)
        d: "f32[4]" = torch.ops.aten.exp.default(c)
        e: "f32[4]" = torch.ops.aten.sub.Tensor(d, 1)
        l: "f32[4]" = torch.ops.aten.log.default(e)
        y: "f32[4]" = torch.ops.aten.exp.default(l))", true},
    {"ALineOfLowestNumbersHasEqualShares", "x: \"f32[3, 4]\"",
     R"(k: "b8[3, 4]" = torch.ops.aten.ones.default([3, 4], dtype = torch.bool)
        f: "f32[3, 4]" = torch.ops.aten.masked_fill.Scalar(x, k, -3.4028234663852886e+38)
        y: "f32[3, 4]" = torch.ops.aten._softmax.default(f, -1, False))",
     R"(y: "f32[3, 4]" = torch.ops.aten.full.default([3, 4], 0.25))", true},
    {"ABlockOfLowestNumbersHasNoWeightBesideAnother", "x: \"f32[3, 4]\", z: \"f32[3, 4]\"",
     R"(k: "b8[3, 4]" = torch.ops.aten.ones.default([3, 4], dtype = torch.bool)
        f: "f32[3, 4]" = torch.ops.aten.masked_fill.Scalar(x, k, -1.7976931348623157e+308)
        l: "f32[3, 1]" = torch.ops.aten.logsumexp.default(f, [-1], True)
        m: "f32[3, 1]" = torch.ops.aten.logsumexp.default(z, [-1], True)
        n: "f32[3, 1]" = torch.ops.aten.logaddexp.default(l, m)
        s: "f32[3, 4]" = torch.ops.aten.sub.Tensor(f, l)
        e: "f32[3, 4]" = torch.ops.aten.exp.default(s)
        r: "f32[3, 1]" = torch.ops.aten.sub.Tensor(l, n)
        w: "f32[3, 1]" = torch.ops.aten.exp.default(r)
        p: "f32[3, 4]" = torch.ops.aten.mul.Tensor(e, w)
        y: "f32[3, 4]" = torch.ops.aten.add.Tensor(p, n))",
     R"(m: "f32[3, 1]" = torch.ops.aten.logsumexp.default(z, [-1], True)
        y: "f32[3, 4]" = torch.ops.aten.expand.default(m, [3, 4]))", true},
    {"ASumOfExponentialsOfTwoLowestNumbersIsTheLowestNumber", "x: \"f32[4]\"",
     R"(k: "b8[4]" = torch.ops.aten.ones.default([4], dtype = torch.bool)
        f: "f32[4]" = torch.ops.aten.masked_fill.Scalar(x, k, -3.4028234663852886e+38)
        l: "f32[4]" = torch.ops.aten.logaddexp.default(f, f)
        s: "f32[4]" = torch.ops.aten.sub.Tensor(l, f)
        y: "f32[4]" = torch.ops.aten.exp.default(s))",
     R"(y: "f32[4]" = torch.ops.aten.ones.default([4]))", true},
    {"TheLowestNumberMasksAsInfinityDoes", "x: \"f32[3, 4]\", k: \"b8[3, 4]\"",
     R"(masked_fill: "f32[3, 4]" = torch.ops.aten.masked_fill.Scalar(x, k, -3.4028234663852886e+38)
        y: "f32[3, 4]" = torch.ops.aten.exp.default(masked_fill))",
     R"(exp: "f32[3, 4]" = torch.ops.aten.exp.default(x)
        logical_not: "b8[3, 4]" = torch.ops.aten.logical_not.default(k)
        y: "f32[3, 4]" = torch.ops.aten.mul.Tensor(exp, logical_not))", true},
    {"ASafeSoftmaxOfAMaskedLineIsZero", "x: \"f32[3, 4]\"",
     R"(full_like: "f32[3, 4]" = torch.ops.aten.full_like.default(x, -inf)
        y: "f32[3, 4]" = torch.ops.aten._safe_softmax.default(full_like, -1))",
     R"(y: "f32[3, 4]" = torch.ops.aten.mul.Tensor(x, 0))", true},
    {"TheNormOfOrderOneIsASumOfAbsolutes", "x: \"f32[3, 4]\"",
     R"(y: "f32[3]" = torch.ops.aten.linalg_vector_norm.default(x, 1, [1]))",
     R"(abs_1: "f32[3, 4]" = torch.ops.aten.abs.default(x)
        y: "f32[3]" = torch.ops.aten.sum.dim_IntList(abs_1, [1]))", true},
    {"TheNormOfOrderInfinityIsTheLargestAbsolute", "x: \"f32[3, 4]\"",
     R"(y: "f32[3]" = torch.ops.aten.linalg_vector_norm.default(x, inf, [1]))",
     R"(abs_1: "f32[3, 4]" = torch.ops.aten.abs.default(x)
        y: "f32[3]" = torch.ops.aten.amax.default(abs_1, [1]))", true},
    {"ADeviationIsTheRootOfAVariance", "x: \"f32[3, 4]\"",
     R"(y: "f32[3]" = torch.ops.aten.std.correction(x, [1], correction = 1))",
     R"(var: "f32[3]" = torch.ops.aten.var.correction(x, [1], correction = 1)
        y: "f32[3]" = torch.ops.aten.sqrt.default(var))", true},
    {"ALogarithmOfACumulativeSum", "x: \"f32[3, 4]\"",
     R"(logcumsumexp: "f32[3, 4]" = torch.ops.aten.logcumsumexp.default(x, 1)
        y: "f32[3]" = torch.ops.aten.select.int(logcumsumexp, 1, 3))",
     R"(y: "f32[3]" = torch.ops.aten.logsumexp.default(x, [1]))", true},
    {"ACumulativeProductEndsInTheProduct", "x: \"f32[3, 4]\"",
     R"(cumprod: "f32[3, 4]" = torch.ops.aten.cumprod.default(x, 1)
        y: "f32[3]" = torch.ops.aten.select.int(cumprod, 1, 3))",
     R"(y: "f32[3]" = torch.ops.aten.prod.dim_int(x, 1))", true},
    {"AReflectionRepeatsNoEdge", "x: \"f32[2, 3, 4]\"",
     R"(y: "f32[2, 3, 6]" = torch.ops.aten.reflection_pad1d.default(x, [1, 1]))",
     R"(slice_1: "f32[2, 3, 1]" = torch.ops.aten.slice.Tensor(x, 2, 1, 2)
        slice_2: "f32[2, 3, 1]" = torch.ops.aten.slice.Tensor(x, 2, 2, 3)
        y: "f32[2, 3, 6]" = torch.ops.aten.cat.default([slice_1, x, slice_2], 2))", true},
    {"NegativePaddingCuts", "x: \"f32[2, 6]\"",
     R"(y: "f32[2, 3]" = torch.ops.aten.constant_pad_nd.default(x, [-1, -2], 0.0))",
     R"(slice_1: "f32[2, 3]" = torch.ops.aten.slice.Tensor(x, 1, 1, 4)
        y: "f32[2, 3]" = torch.ops.aten.clone.default(slice_1))", true},
    {"PadsOfElementsDiffer", "x: \"f32[2, 3, 4]\"",
     R"(y: "f32[2, 3, 6]" = torch.ops.aten.reflection_pad1d.default(x, [1, 1]))",
     R"(y: "f32[2, 3, 6]" = torch.ops.aten.replication_pad1d.default(x, [1, 1]))", false},
    {"ADiagonalIsEveryElementOfTheIdentity", "x: \"f32[4, 4]\"",
     R"(diagonal: "f32[4]" = torch.ops.aten.diagonal.default(x)
        y: "f32[]" = torch.ops.aten.sum.default(diagonal))",
     R"(eye: "f32[4, 4]" = torch.ops.aten.eye.default(4)
        mul: "f32[4, 4]" = torch.ops.aten.mul.Tensor(x, eye)
        y: "f32[]" = torch.ops.aten.sum.default(mul))", true},
    {"ARootThatWasCutToFewerDigitsKeepsItsSquare", "x: \"f32[7]\", z: \"f32[3]\"",
     R"(linalg_vector_norm: "f32[]" = torch.ops.aten.linalg_vector_norm.default(x)
        logsumexp: "f32[]" = torch.ops.aten.logsumexp.default(z, [0])
        stack: "f32[2]" = torch.ops.aten.stack.default([linalg_vector_norm, logsumexp])
        y: "f32[2]" = torch.ops.aten.pow.Tensor_Scalar(stack, 2))",
     R"(pow_1: "f32[7]" = torch.ops.aten.pow.Tensor_Scalar(x, 2)
        sum_1: "f32[]" = torch.ops.aten.sum.default(pow_1)
        logsumexp: "f32[]" = torch.ops.aten.logsumexp.default(z, [0])
        pow_2: "f32[]" = torch.ops.aten.pow.Tensor_Scalar(logsumexp, 2)
        y: "f32[2]" = torch.ops.aten.stack.default([sum_1, pow_2]))", true},
    {"APowerOfAHalfIsARootTimesItsSquare", "x: \"f32[8]\"",
     R"(y: "f32[8]" = torch.ops.aten.pow.Tensor_Scalar(x, 1.5))",
     R"(sqrt: "f32[8]" = torch.ops.aten.sqrt.default(x)
        y: "f32[8]" = torch.ops.aten.mul.Tensor(x, sqrt))", true},
    {"TheNormOfMultiplesOfThePrimeIsANormOfNorms", "a: \"f32[6]\", b: \"f32[6]\"",
     R"(p: "f32[6]" = torch.ops.aten._softmax.default(a, 0, False)
        q: "f32[6]" = torch.ops.aten._softmax.default(b, 0, False)
        d: "f32[6]" = torch.ops.aten.sub.Tensor(p, q)
        y: "f32[]" = torch.ops.aten.linalg_vector_norm.default(d))",
     R"(p: "f32[6]" = torch.ops.aten._softmax.default(a, 0, False)
        q: "f32[6]" = torch.ops.aten._softmax.default(b, 0, False)
        d: "f32[6]" = torch.ops.aten.sub.Tensor(p, q)
        s: "f32[2]" = torch.ops.aten.slice.Tensor(d, 0, 0, 2)
        t: "f32[4]" = torch.ops.aten.slice.Tensor(d, 0, 2, 6)
        m: "f32[]" = torch.ops.aten.linalg_vector_norm.default(s)
        n: "f32[]" = torch.ops.aten.linalg_vector_norm.default(t)
        u: "f32[2]" = torch.ops.aten.stack.default([m, n])
        y: "f32[]" = torch.ops.aten.linalg_vector_norm.default(u))", true},
    {"AMultipleOfThePrimeShowsAWrongNorm", "a: \"f32[6]\", b: \"f32[6]\"",
     R"(p: "f32[6]" = torch.ops.aten._softmax.default(a, 0, False)
        q: "f32[6]" = torch.ops.aten._softmax.default(b, 0, False)
        d: "f32[6]" = torch.ops.aten.sub.Tensor(p, q)
        n: "f32[]" = torch.ops.aten.linalg_vector_norm.default(d)
        y: "f32[6]" = torch.ops.aten.mul.Tensor(d, n))",
     R"(p: "f32[6]" = torch.ops.aten._softmax.default(a, 0, False)
        q: "f32[6]" = torch.ops.aten._softmax.default(b, 0, False)
        d: "f32[6]" = torch.ops.aten.sub.Tensor(p, q)
        n: "f32[]" = torch.ops.aten.linalg_vector_norm.default(p)
        y: "f32[6]" = torch.ops.aten.mul.Tensor(d, n))", false},
    {"BinaryCrossEntropyIsASumOfLogarithms", "x: \"f32[4]\", t: \"f32[4]\"",
     R"(y: "f32[]" = torch.ops.aten.binary_cross_entropy.default(x, t))",
     R"(log: "f32[4]" = torch.ops.aten.log.default(x)
        mul: "f32[4]" = torch.ops.aten.mul.Tensor(t, log)
        rsub: "f32[4]" = torch.ops.aten.rsub.Scalar(t, 1)
        rsub_1: "f32[4]" = torch.ops.aten.rsub.Scalar(x, 1)
        log_1: "f32[4]" = torch.ops.aten.log.default(rsub_1)
        mul_1: "f32[4]" = torch.ops.aten.mul.Tensor(rsub, log_1)
        add: "f32[4]" = torch.ops.aten.add.Tensor(mul, mul_1)
        mean: "f32[]" = torch.ops.aten.mean.default(add)
        y: "f32[]" = torch.ops.aten.neg.default(mean))", true},
    {"AFusedStepOfMomentumIsItsFormula", "p: \"f32[3]\", g: \"f32[3]\", m: \"f32[3]\"",
     R"(u = torch.ops.aten._fused_sgd_.default([p], [g], [m], weight_decay = 0.5, momentum = 0.9, lr = 0.1, dampening = 0.0, nesterov = False, maximize = False, is_first_step = False)
        y: "f32[3]" = torch.ops.aten.alias.default(p))",
     R"(mul: "f32[3]" = torch.ops.aten.mul.Tensor(m, 0.9)
        add: "f32[3]" = torch.ops.aten.add.Tensor(mul, g)
        mul_1: "f32[3]" = torch.ops.aten.mul.Tensor(p, 0.5)
        add_1: "f32[3]" = torch.ops.aten.add.Tensor(add, mul_1)
        mul_2: "f32[3]" = torch.ops.aten.mul.Tensor(add_1, 0.1)
        y: "f32[3]" = torch.ops.aten.sub.Tensor(p, mul_2))", true},
    {"AFusedStepWithoutMomentumDiffers", "p: \"f32[3]\", g: \"f32[3]\", m: \"f32[3]\"",
     R"(u = torch.ops.aten._fused_sgd_.default([p], [g], [m], weight_decay = 0.5, momentum = 0.9, lr = 0.1, dampening = 0.0, nesterov = False, maximize = False, is_first_step = False)
        y: "f32[3]" = torch.ops.aten.alias.default(p))",
     R"(mul: "f32[3]" = torch.ops.aten.mul.Tensor(p, 0.5)
        add: "f32[3]" = torch.ops.aten.add.Tensor(g, mul)
        mul_1: "f32[3]" = torch.ops.aten.mul.Tensor(add, 0.1)
        y: "f32[3]" = torch.ops.aten.sub.Tensor(p, mul_1))", false},
};
// clang-format on

class LayerLaws : public testing::TestWithParam<Law> {};

TEST_P(LayerLaws, HoldAsStated) { checkLaw(GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, LayerLaws, testing::ValuesIn(laws), [](const auto &info) { return info.param.name; });

} // namespace
} // namespace ccgraph::equality
