#include "gradient_cases.h"

namespace ccgraph::test {

static const GradientCase cases[] = {
    // --- Pointwise
    {"add", R"(a: "f64[2, 3]", b: "f64[3]"
        y = aten.add.Tensor(a, b, alpha = 3)
        return (y,))"},
    {"add_scalar", R"(a: "f64[2]"
        y = aten.add.Scalar(a, 2.5)
        return (y,))"},
    {"sub", R"(a: "f64[2, 1]", b: "f64[2, 3]"
        y = aten.sub.Tensor(a, b, alpha = 2)
        return (y,))"},
    {"sub_scalar", R"(a: "f64[2]"
        y = aten.sub.Scalar(a, 1.5)
        return (y,))"},
    {"mul", R"(a: "f64[2, 3]", b: "f64[2, 1]"
        y = aten.mul.Tensor(a, b)
        return (y,))"},
    {"mul_twice", R"(a: "f64[3]"
        y = aten.mul.Tensor(a, a)
        return (y,))"},
    {"mul_scalar", R"(a: "f64[3]"
        m = aten.mul.Scalar(a, 3)
        y = aten.mul.Tensor(m, 0.5)
        return (y,))"},
    {"div", R"(a: "f64[2, 3]", b: "f64[3]"
        y = aten.div.Tensor(a, b)
        return (y,))"},
    {"div_scalar", R"(a: "f64[3]"
        y = aten.div.Scalar(a, 4)
        return (y,))"},
    {"neg_exp", R"(a: "f64[3]"
        n = aten.neg.default(a)
        y = aten.exp.default(n)
        return (y,))"},
    {"log_sqrt", R"(p: "f64[3]"
        l = aten.log.default(p)
        s = aten.sqrt.default(p)
        y = aten.add.Tensor(l, s)
        return (y,))"},
    {"rsqrt_reciprocal", R"(p: "f64[3]"
        l = aten.rsqrt.default(p)
        s = aten.reciprocal.default(p)
        y = aten.add.Tensor(l, s)
        return (y,))"},
    {"sin_cos", R"(a: "f64[3]"
        l = aten.sin.default(a)
        s = aten.cos.default(a)
        y = aten.mul.Tensor(l, s)
        return (y,))"},
    {"abs_erf", R"(a: "f64[3]"
        l = aten.abs.default(a)
        y = aten.erf.default(l)
        return (y,))"},
    {"pow", R"(p: "f64[3]"
        y = aten.pow.Tensor_Scalar(p, 2.5)
        return (y,))"},
    {"relu", R"(a: "f64[6]"
        y = aten.relu.default(a)
        return (y,))"},
    {"gelu", R"(a: "f64[6]"
        y = aten.gelu.default(a)
        return (y,))"},
    {"gelu_tanh", R"(a: "f64[6]"
        y = aten.gelu.default(a, approximate = 'tanh')
        return (y,))"},
    {"silu", R"(a: "f64[6]"
        y = aten.silu.default(a)
        return (y,))"},
    {"sigmoid_tanh", R"(a: "f64[6]"
        s = aten.sigmoid.default(a)
        y = aten.tanh.default(s)
        return (y,))"},
    {"where", R"(a: "f64[2, 3]", b: "f64[3]"
        c = aten.gt.Scalar(a, 0.3)
        y = aten.where.self(c, a, b)
        return (y,))"},
    {"from_a_number", R"(a: "f64[3]"
        y = aten.rsub.Scalar(a, 1, 2)
        return (y,))"},
    {"masked", R"(a: "f64[2, 3]"
        c = aten.gt.Scalar(a, 0.3)
        y = aten.masked_fill.Scalar(a, c, 2.0)
        return (y,))"},
    {"larger_and_smaller", R"(a: "f64[2, 4]", b: "f64[4]"
        l = aten.maximum.default(a, b)
        s = aten.minimum.default(a, b)
        m = aten.mul.Tensor(s, 3.0)
        y = aten.add.Tensor(l, m)
        return (y,))"},
    {"larger_of_equals", R"(a: "f64[3]"
        b = aten.clone.default(a)
        l = aten.maximum.default(a, b)
        s = aten.minimum.default(b, a)
        y = aten.mul.Tensor(l, s)
        return (y,))"},
    {"triangles", R"(a: "f64[3, 3]"
        l = aten.tril.default(a, -1)
        u = aten.triu.default(a)
        m = aten.mul.Tensor(l, 2.0)
        y = aten.add.Tensor(m, u)
        return (y,))"},
    {"squared_difference", R"(a: "f64[2, 3]", b: "f64[2, 3]"
        y = aten.mse_loss.default(a, b)
        return (y,))"},
    {"squared_differences", R"(a: "f64[2, 3]", b: "f64[2, 3]"
        y = aten.mse_loss.default(a, b, 0)
        return (y,))"},
    {"index_select", R"(a: "f64[2, 2]", i: "i64[3]"
        y = aten.index_select.default(a, 1, i)
        return (y,))"},
    {"clamp", R"(a: "f64[6]"
        l = aten.clamp.default(a, -0.7, 0.7)
        m = aten.clamp_min.default(l, -0.5)
        y = aten.clamp_max.default(m, 0.5)
        return (y,))"},
    {"copies", R"(a: "f64[3]"
        c = aten.clone.default(a)
        l = aten.alias.default(c)
        t = aten._to_copy.default(l)
        y = prims.convert_element_type.default(t, torch.float64)
        return (y,))"},
    // --- Views
    {"reshapes", R"(a: "f64[2, 3]"
        v = aten.view.default(a, [3, 2])
        u = aten.unsqueeze.default(v, 1)
        s = aten.squeeze.dim(u, 1)
        r = aten.reshape.default(s, [1, 6])
        q = aten.squeeze.dims(r, [0])
        z = aten.squeeze.default(q)
        w = aten._unsafe_view.default(z, [2, 3])
        y = aten.mul.Tensor(w, a)
        return (y,))"},
    {"expand", R"(a: "f64[2, 1][1, 1]cpu"
        y = aten.expand.default(a, [3, 2, 4])
        return (y,))"},
    {"transposes", R"(a: "f64[2, 3]"
        t = aten.t.default(a)
        u = aten.unsqueeze.default(t, 0)
        p = aten.permute.default(u, [1, -1, 0])
        y = aten.transpose.int(p, 0, -1)
        return (y,))"},
    {"slice_select", R"(a: "f64[4, 3]"
        s = aten.slice.Tensor(a, 0, 1, 9223372036854775807, 2)
        e = aten.select.int(a, -1, 1)
        v = aten.slice.Tensor(e, 0, 0, 2)
        u = aten.unsqueeze.default(v, 1)
        y = aten.mul.Tensor(s, u)
        return (y,))"},
    {"split", R"(a: "f64[5, 2]"
        parts = aten.split.Tensor(a, 2)
        first = operator.getitem(parts, 0)
        last = operator.getitem(parts, 2)
        y = aten.mul.Tensor(first, last)
        return (y,))"},
    {"split_with_sizes", R"(a: "f64[2, 5]"
        parts = aten.split_with_sizes.default(a, [4, 1], -1)
        first = operator.getitem(parts, 0)
        last = operator.getitem(parts, 1)
        y = aten.mul.Tensor(first, last)
        return (y,))"},
    {"unbind", R"(a: "f64[3, 2]"
        parts = aten.unbind.int(a, 1)
        first = operator.getitem(parts, 0)
        last = operator.getitem(parts, 1)
        y = aten.mul.Tensor(first, last)
        return (y,))"},
    {"cat", R"(a: "f64[2, 2]", b: "f64[2, 3]"
        c = aten.cat.default([a, b, a], -1)
        y = aten.mul.Tensor(c, c)
        return (y,))"},
    {"stack", R"(a: "f64[2]", b: "f64[2]"
        c = aten.stack.default([a, b, a], 1)
        y = aten.mul.Tensor(c, c)
        return (y,))"},
    // --- Products
    {"mm_column_major", R"(a: "f64[3, 2]", b: "f64[4, 3]"
        s = aten.t.default(a)
        w = aten.t.default(b)
        y = aten.mm.default(s, w)
        return (y,))"},
    {"mm", R"(a: "f64[2, 3]", b: "f64[3, 4]"
        y = aten.mm.default(a, b)
        return (y,))"},
    {"bmm", R"(a: "f64[2, 2, 3]", b: "f64[2, 3, 2]"
        y = aten.bmm.default(a, b)
        return (y,))"},
    {"addmm", R"(c: "f64[2]", a: "f64[3, 2]", b: "f64[2, 2]"
        y = aten.addmm.default(c, a, b)
        return (y,))"},
    {"addmm_scaled", R"(c: "f64[3, 2]", a: "f64[3, 2]", b: "f64[2, 2]"
        y = aten.addmm.default(c, a, b, beta = 0.5, alpha = 2)
        return (y,))"},
    // --- Reductions
    {"sum", R"(a: "f64[2, 3]"
        s = aten.sum.default(a)
        y = aten.mul.Tensor(a, s)
        return (y,))"},
    {"sum_dims", R"(a: "f64[2, 3, 2][6, 2, 1]cpu"
        s = aten.sum.dim_IntList(a, [0, -2])
        k = aten.sum.dim_IntList(a, [1], True)
        y = aten.mul.Tensor(k, s)
        return (y,))"},
    {"mean", R"(a: "f64[2, 3]"
        s = aten.mean.default(a)
        k = aten.mean.dim(a, [1], True)
        y = aten.mul.Tensor(k, s)
        return (y,))"},
    {"reductions_of_a_number", R"(a: "f64[][]cpu"
        s = aten.sum.dim_IntList(a, [0])
        k = aten.mean.dim(a, [-1], True)
        m = aten.amax.default(a, [-1])
        c = aten.cumsum.default(a, -1)
        p = aten.mul.Tensor(s, k)
        q = aten.mul.Tensor(m, c)
        y = aten.mul.Tensor(p, q)
        return (y,))"},
    {"amax", R"(a: "f64[2, 3]"
        k = aten.amax.default(a, [1], True)
        m = aten.amin.default(a, [0])
        y = aten.mul.Tensor(k, m)
        return (y,))"},
    {"square", R"(a: "f64[3]"
        y = aten.square.default(a)
        return (y,))"},
    {"prod", R"(a: "f64[2, 3]"
        y = aten.prod.default(a)
        return (y,))"},
    {"prod_with_zeros", R"(a: "f64[2, 3]"
        r = aten.relu.default(a)
        y = aten.prod.dim_int(r, 0)
        return (y,))"},
    {"prod_dim", R"(a: "f64[2, 3]"
        y = aten.prod.dim_int(a, -1)
        return (y,))"},
    {"prod_dim_kept", R"(a: "f64[2, 3, 1]"
        l = aten.prod.dim_int(a, 0, True)
        s = aten.prod.dim_int(a, 2, True)
        y = aten.mul.Tensor(l, s)
        return (y,))"},
    {"max_dim", R"(a: "f64[2, 3]"
        m = aten.max.dim(a, 1)
        y = operator.getitem(m, 0)
        return (y,))"},
    {"min_dim_kept", R"(a: "f64[2, 3]"
        m = aten.min.dim(a, 0, True)
        y = operator.getitem(m, 0)
        return (y,))"},
    {"sort", R"(a: "f64[2, 4]"
        m = aten.sort.default(a, 1, True)
        y = operator.getitem(m, 0)
        return (y,))"},
    {"sort_stable", R"(a: "f64[4, 2]"
        m = aten.sort.stable(a, stable = True, dim = 0)
        y = operator.getitem(m, 0)
        return (y,))"},
    {"topk", R"(a: "f64[2, 5]"
        m = aten.topk.default(a, 2)
        y = operator.getitem(m, 0)
        return (y,))"},
    {"topk_least", R"(a: "f64[5, 2]"
        m = aten.topk.default(a, 3, 0, False)
        y = operator.getitem(m, 0)
        return (y,))"},
    {"vector_norm", R"(a: "f64[2, 3]"
        y = aten.linalg_vector_norm.default(a)
        return (y,))"},
    {"vector_norm_1", R"(a: "f64[2, 3]"
        y = aten.linalg_vector_norm.default(a, 1, [1], True)
        return (y,))"},
    {"vector_norm_3", R"(a: "f64[2, 3]"
        y = aten.linalg_vector_norm.default(a, 3, [0])
        return (y,))"},
    {"vector_norm_3_2", R"(a: "f64[2, 3]"
        y = aten.linalg_vector_norm.default(a, 1.5, [-1])
        return (y,))"},
    {"vector_norm_half", R"(p: "f64[2, 3]"
        y = aten.linalg_vector_norm.default(p, 0.5, [-1])
        return (y,))"},
    {"vector_norm_inf", R"(a: "f64[2, 3]"
        y = aten.linalg_vector_norm.default(a, inf, [-1])
        return (y,))"},
    {"norm_of_all", R"(a: "f64[2, 3]"
        y = aten.norm.Scalar(a, 2)
        return (y,))"},
    {"norm_of_dim", R"(a: "f64[2, 3]"
        y = aten.norm.ScalarOpt_dim(a, 3, [1])
        return (y,))"},
    {"cumsum", R"(a: "f64[2, 3]"
        y = aten.cumsum.default(a, -1)
        return (y,))"},
    {"cumsum_first", R"(a: "f64[3, 2]"
        s = aten.cumsum.default(a, 0)
        y = aten.mul.Tensor(s, a)
        return (y,))"},
    {"variance", R"(a: "f64[2, 3]"
        v = aten.var_mean.correction(a, [1], correction = 0)
        y = operator.getitem(v, 0)
        return (y,))"},
    {"variance_and_mean", R"(a: "f64[2, 3, 2]"
        v = aten.var_mean.correction(a, [0, 2], correction = 1, keepdim = True)
        s = operator.getitem(v, 0)
        m = operator.getitem(v, 1)
        y = aten.mul.Tensor(s, m)
        return (y,))"},
    {"mean_of_var_mean", R"(a: "f64[4]"
        v = aten.var_mean.correction(a, None)
        y = operator.getitem(v, 1)
        return (y,))"},
    // --- Normalizations
    {"softmax", R"(a: "f64[2, 3]"
        y = aten._softmax.default(a, -1, False)
        return (y,))"},
    {"log_softmax", R"(a: "f64[2, 3]"
        y = aten._log_softmax.default(a, 0, False)
        return (y,))"},
    {"layer_norm", R"(a: "f64[2, 4]", w: "f64[4]", b: "f64[4]"
        n = aten.native_layer_norm.default(a, [4], w, b, 1e-05)
        y = operator.getitem(n, 0)
        return (y,))"},
    {"layer_norm_bare", R"(a: "f64[2, 4]"
        n = aten.native_layer_norm.default(a, [4], None, None, 1e-05)
        y = operator.getitem(n, 0)
        return (y,))"},
    {"rms_norm", R"(a: "f64[2, 4]", w: "f64[4]"
        n = aten._fused_rms_norm.default(a, [4], w, 1e-05)
        y = operator.getitem(n, 0)
        return (y,))"},
    // --- Indexing and losses
    {"embedding", R"(w: "f64[2, 3]", i: "i64[5]"
        y = aten.embedding.default(w, i)
        return (y,))"},
    {"gather", R"(a: "f64[2, 3]", i: "i64[2, 2]"
        y = aten.gather.default(a, 1, i)
        return (y,))"},
    {"index", R"(a: "f64[3, 2][2, 1]cpu", i: "i64[4][1]cpu"
        y = aten.index.Tensor(a, [None, i])
        return (y,))"},
    {"nll_loss", R"(a: "f64[3, 4]", i: "i64[3]"
        l = aten._log_softmax.default(a, 1, False)
        n = aten.nll_loss_forward.default(l, i, None, 1, -100)
        y = operator.getitem(n, 0)
        return (y,))"},
    {"scatter_add", R"(a: "f64[3, 2]", b: "f64[2, 2]", i: "i64[2, 2]"
        y = aten.scatter_add.default(a, 0, i, b)
        return (y,))"},
    // --- Attention
    {"flash_attention_on_cpu",
     R"(q: "f64[1, 2, 3, 4][24, 12, 4, 1]cpu", k: "f64[1, 2, 3, 4][24, 12, 4, 1]cpu", v: "f64[1, 2, 3, 4][24, 12, 4, 1]cpu"
        n = aten._scaled_dot_product_flash_attention_for_cpu.default(q, k, v, 0.0, True)
        y = operator.getitem(n, 0)
        return (y,))"},
    {"efficient_attention", R"(a: "f64[1, 2, 3, 4]", b: "f64[1, 2, 3, 4]", c: "f64[1, 2, 3, 5]"
        n = aten._scaled_dot_product_efficient_attention.default(a, b, c, None, True, 0.0, True, scale = 0.5)
        y = operator.getitem(n, 0)
        return (y,))"},
    {"efficient_attention_bias", R"(a: "f64[1, 2, 3, 4]", b: "f64[1, 2, 3, 4]", c: "f64[1, 2, 3, 4]"
        m = aten.full.default([1, 2, 3, 3], -0.5, dtype = torch.float64, device = device(type='cpu'), pin_memory = False)
        t = aten.triu.default(m)
        n = aten._scaled_dot_product_efficient_attention.default(a, b, c, t, True)
        y = operator.getitem(n, 0)
        return (y,))"},
    {"flash_attention_on_cpu_mask",
     R"(q: "f64[1, 2, 3, 4][24, 12, 4, 1]cpu", k: "f64[1, 2, 3, 4][24, 12, 4, 1]cpu", v: "f64[1, 2, 3, 4][24, 12, 4, 1]cpu"
        m = aten.full.default([3, 3], -0.5, dtype = torch.float64, device = device(type='cpu'), pin_memory = False)
        t = aten.triu.default(m)
        n = aten._scaled_dot_product_flash_attention_for_cpu.default(q, k, v, 0.0, False, attn_mask = t)
        y = operator.getitem(n, 0)
        return (y,))"},
    // --- Collectives
    {"all_reduce", R"(a: "f64[3]"
        c = _c10d_functional.all_reduce.default(a, 'sum', '0')
        w = _c10d_functional.wait_tensor.default(c)
        y = aten.mul.Tensor(w, a)
        return (y,))",
     3},
    {"all_reduce_avg", R"(a: "f64[3]"
        c = _c10d_functional.all_reduce.default(a, 'avg', '0')
        w = _c10d_functional.wait_tensor.default(c)
        y = aten.mul.Tensor(w, a)
        return (y,))",
     2},
    {"broadcast", R"(a: "f64[2, 3]"
        c = _c10d_functional.broadcast.default(a, 1, '0')
        w = _c10d_functional.wait_tensor.default(c)
        y = aten.mul.Tensor(w, a)
        return (y,))",
     3},
    {"all_gather", R"(a: "f64[2, 2]"
        c = _c10d_functional.all_gather_into_tensor.default(a, 2, '0')
        w = _c10d_functional.wait_tensor.default(c)
        y = aten.mul.Tensor(w, w)
        return (y,))",
     2},
    {"reduce_scatter", R"(a: "f64[4]"
        c = _c10d_functional.reduce_scatter_tensor.default(a, 'sum', 2, '0')
        w = _c10d_functional.wait_tensor.default(c)
        y = aten.mul.Tensor(w, w)
        return (y,))",
     2},
    {"reduce_scatter_avg", R"(a: "f64[6]"
        c = _c10d_functional_autograd.reduce_scatter_tensor.default(a, 'avg', 3, '0')
        w = _c10d_functional.wait_tensor.default(c)
        y = aten.mul.Tensor(w, w)
        return (y,))",
     3},
    {"all_gather_autograd", R"(a: "f64[2]"
        c = _c10d_functional_autograd.all_gather_into_tensor.default(a, 3, '0')
        w = _c10d_functional.wait_tensor.default(c)
        y = aten.sin.default(w)
        return (y,))",
     3},
    {"all_to_all", R"(a: "f64[4]"
        c = _c10d_functional.all_to_all_single.default(a, [2, 2], [2, 2], '0')
        w = _c10d_functional.wait_tensor.default(c)
        y = aten.mul.Tensor(w, a)
        return (y,))",
     2},
    {"all_to_all_autograd", R"(a: "f64[4]"
        c = _c10d_functional_autograd.all_to_all_single.default(a, [2, 2], [2, 2], '0')
        w = _c10d_functional.wait_tensor.default(c)
        y = aten.sin.default(w)
        return (y,))",
     2},
    {"all_reduce_list", R"(a: "f64[2]", b: "f64[3]"
        l = _c10d_functional.all_reduce_coalesced.default([a, b], 'sum', '0')
        e = operator.getitem(l, 0)
        w = _c10d_functional.wait_tensor.default(e)
        f = operator.getitem(l, 1)
        x = _c10d_functional.wait_tensor.default(f)
        s = aten.sum.default(x)
        y = aten.mul.Tensor(w, s)
        return (y,))",
     2},
    {"gather_and_scatter_lists", R"(a: "f64[2]", b: "f64[2]"
        l = _c10d_functional.all_gather_into_tensor_coalesced.default([a, b], 2, '0')
        e = operator.getitem(l, 0)
        w = _c10d_functional.wait_tensor.default(e)
        f = operator.getitem(l, 1)
        x = _c10d_functional.wait_tensor.default(f)
        m = aten.mul.Tensor(w, x)
        n = aten.sin.default(w)
        r = _c10d_functional.reduce_scatter_tensor_coalesced.default([m, n], 'avg', 2, '0')
        g = operator.getitem(r, 0)
        u = _c10d_functional.wait_tensor.default(g)
        h = operator.getitem(r, 1)
        v = _c10d_functional.wait_tensor.default(h)
        y = aten.mul.Tensor(u, v)
        return (y,))",
     2},
};

llvm::ArrayRef<GradientCase> gradientCases() { return cases; }

} // namespace ccgraph::test
