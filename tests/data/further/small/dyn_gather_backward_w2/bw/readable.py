class GraphModule(torch.nn.Module):
    def forward(self, primals_1: "Sym(s77)", mul_3: "Sym(2*s77)", primals_3: "f32[4, 4][4, 1]cpu", wait_tensor: "f32[2*s77, 4][4, 1]cpu", bmm: "f32[1, 2*s77, 4][8*s77, 4, 1]cpu", view_5: "f32[2, 1, 2, 2][4, 4, 2, 1]cpu", permute_8: "f32[1, 4, 4][16, 1, 4]cpu", permute_17: "f32[4, s77][1, 4]cpu", tangents_1: "f32[][]cpu"):
        # Backward of forward node: File: /home/user/programs/q3.py:135 in f, code: return F.layer_norm(o, (d,)).square().mean() + o[:, : d // 2].sum() + o.view(2, n, 2, -1).amax(1).sum()
        expand: "f32[2, 2, 2][0, 0, 0]cpu" = torch.ops.aten.expand.default(tangents_1, [2, 2, 2])

        # Backward of forward node: File: /home/user/programs/q3.py:134 in f, code: o = torch.einsum("nd,de->ne", h, s)
        view_2: "f32[2*s77, 1, 4][4, 4, 1]cpu" = torch.ops.aten.view.default(bmm, [mul_3, 1, 4]);  bmm = None
        permute_5: "f32[2*s77, 4, 1][4, 1, 4]cpu" = torch.ops.aten.permute.default(view_2, [0, 2, 1]);  view_2 = None
        view_3: "f32[2*s77, 4][4, 1]cpu" = torch.ops.aten.view.default(permute_5, [mul_3, 4]);  permute_5 = None

        # Backward of forward node: File: /home/user/programs/q3.py:135 in f, code: return F.layer_norm(o, (d,)).square().mean() + o[:, : d // 2].sum() + o.view(2, n, 2, -1).amax(1).sum()
        view_4: "f32[2, s77, 2, 2][4*s77, 4, 2, 1]cpu" = torch.ops.aten.view.default(view_3, [2, primals_1, 2, -1])
        eq_9: "b8[2, s77, 2, 2][4*s77, 4, 2, 1]cpu" = torch.ops.aten.eq.Tensor(view_5, view_4);  view_5 = view_4 = None
        view_6: "f32[2, 1, 2, 2][0, 0, 0, 0]cpu" = torch.ops.aten.view.default(expand, [2, 1, 2, 2]);  expand = None
        sum_3: "i64[2, 1, 2, 2][4, 4, 2, 1]cpu" = torch.ops.aten.sum.dim_IntList(eq_9, [1], True)
        div_1: "f32[2, 1, 2, 2][4, 4, 2, 1]cpu" = torch.ops.aten.div.Tensor(view_6, sum_3);  view_6 = sum_3 = None
        mul_11: "f32[2, s77, 2, 2][4*s77, 4, 2, 1]cpu" = torch.ops.aten.mul.Tensor(div_1, eq_9);  div_1 = eq_9 = None
        view_7: "f32[2*s77, 4][4, 1]cpu" = torch.ops.aten.view.default(mul_11, [mul_3, 4]);  mul_11 = None
        expand_1: "f32[2*s77, 2][0, 0]cpu" = torch.ops.aten.expand.default(tangents_1, [mul_3, 2])
        full: "f32[2*s77, 4][4, 1]cpu" = torch.ops.aten.full.default([mul_3, 4], 0, dtype = torch.float32, layout = torch.strided, device = device(type='cpu'), pin_memory = False)
        slice_scatter: "f32[2*s77, 4][4, 1]cpu" = torch.ops.aten.slice_scatter.default(full, expand_1, 1, 0, 2);  expand_1 = None
        slice_scatter_1: "f32[2*s77, 4][4, 1]cpu" = torch.ops.aten.slice_scatter.default(full, slice_scatter, 0, 0, 9223372036854775807);  slice_scatter = None
        add_4: "f32[2*s77, 4][4, 1]cpu" = torch.ops.aten.add.Tensor(view_7, slice_scatter_1);  view_7 = slice_scatter_1 = None
        expand_2: "f32[2*s77, 4][0, 0]cpu" = torch.ops.aten.expand.default(tangents_1, [mul_3, 4]);  tangents_1 = None
        mul_10: "Sym(8*s77)" = mul_3 * 4
        div_2: "f32[2*s77, 4][4, 1]cpu" = torch.ops.aten.div.Scalar(expand_2, mul_10);  expand_2 = mul_10 = None
        var_mean = torch.ops.aten.var_mean.correction(view_3, [1], correction = 0, keepdim = True)
        getitem: "f32[2*s77, 1][1, 1]cpu" = var_mean[0]
        getitem_1: "f32[2*s77, 1][1, 1]cpu" = var_mean[1];  var_mean = None
        add_1: "f32[2*s77, 1][1, 1]cpu" = torch.ops.aten.add.Tensor(getitem, 1e-05);  getitem = None
        rsqrt: "f32[2*s77, 1][1, 1]cpu" = torch.ops.aten.rsqrt.default(add_1);  add_1 = None
        sub: "f32[2*s77, 4][4, 1]cpu" = torch.ops.aten.sub.Tensor(view_3, getitem_1);  view_3 = getitem_1 = None
        mul_9: "f32[2*s77, 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(sub, rsqrt);  sub = None
        pow_2: "f32[2*s77, 4][4, 1]cpu" = torch.ops.aten.pow.Tensor_Scalar(mul_9, 1.0)
        mul_12: "f32[2*s77, 4][4, 1]cpu" = torch.ops.aten.mul.Scalar(pow_2, 2.0);  pow_2 = None
        mul_13: "f32[2*s77, 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(div_2, mul_12);  div_2 = mul_12 = None
        mul_15: "f32[2*s77, 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(mul_13, 4)
        sum_4: "f32[2*s77, 1][1, 1]cpu" = torch.ops.aten.sum.dim_IntList(mul_13, [1], True)
        mul_16: "f32[2*s77, 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(mul_13, mul_9);  mul_13 = None
        sum_5: "f32[2*s77, 1][1, 1]cpu" = torch.ops.aten.sum.dim_IntList(mul_16, [1], True);  mul_16 = None
        mul_17: "f32[2*s77, 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(mul_9, sum_5);  mul_9 = sum_5 = None
        sub_2: "f32[2*s77, 4][4, 1]cpu" = torch.ops.aten.sub.Tensor(mul_15, sum_4);  mul_15 = sum_4 = None
        sub_3: "f32[2*s77, 4][4, 1]cpu" = torch.ops.aten.sub.Tensor(sub_2, mul_17);  sub_2 = mul_17 = None
        div_3: "f32[2*s77, 1][1, 1]cpu" = torch.ops.aten.div.Tensor(rsqrt, 4);  rsqrt = None
        mul_18: "f32[2*s77, 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(div_3, sub_3);  div_3 = sub_3 = None
        add_5: "f32[2*s77, 4][4, 1]cpu" = torch.ops.aten.add.Tensor(add_4, mul_18);  add_4 = mul_18 = None

        # Backward of forward node: File: /home/user/programs/q3.py:134 in f, code: o = torch.einsum("nd,de->ne", h, s)
        view_8: "f32[2*s77, 4, 1][4, 1, 1]cpu" = torch.ops.aten.view.default(add_5, [mul_3, 4, 1]);  add_5 = None
        permute_6: "f32[2*s77, 1, 4][4, 1, 1]cpu" = torch.ops.aten.permute.default(view_8, [0, 2, 1]);  view_8 = None
        view_9: "f32[1, 2*s77, 4][8*s77, 4, 1]cpu" = torch.ops.aten.view.default(permute_6, [1, mul_3, 4]);  permute_6 = None
        unsqueeze: "f32[2*s77, 4, 1][4, 1, 1]cpu" = torch.ops.aten.unsqueeze.default(wait_tensor, 2)
        permute_1: "f32[2*s77, 1, 4][4, 1, 1]cpu" = torch.ops.aten.permute.default(unsqueeze, [0, 2, 1]);  unsqueeze = None
        permute_3: "f32[2*s77, 4, 1][4, 1, 1]cpu" = torch.ops.aten.permute.default(permute_1, [0, 2, 1]);  permute_1 = None
        view: "f32[1, 2*s77, 4][8*s77, 4, 1]cpu" = torch.ops.aten.view.default(permute_3, [1, mul_3, 4]);  permute_3 = None
        permute_7: "f32[1, 4, 2*s77][8*s77, 1, 4]cpu" = torch.ops.aten.permute.default(view, [0, 2, 1]);  view = None
        bmm_1: "f32[1, 4, 4][16, 4, 1]cpu" = torch.ops.aten.bmm.default(permute_7, view_9);  permute_7 = None
        bmm_2: "f32[1, 2*s77, 4][8*s77, 4, 1]cpu" = torch.ops.aten.bmm.default(view_9, permute_8);  view_9 = permute_8 = None
        view_10: "f32[4, 4, 1][4, 1, 1]cpu" = torch.ops.aten.view.default(bmm_1, [4, 4, 1]);  bmm_1 = None
        permute_9: "f32[1, 4, 4][1, 1, 4]cpu" = torch.ops.aten.permute.default(view_10, [2, 1, 0]);  view_10 = None
        view_11: "f32[2*s77, 4, 1][4, 1, 1]cpu" = torch.ops.aten.view.default(bmm_2, [mul_3, 4, 1]);  bmm_2 = None
        permute_10: "f32[2*s77, 1, 4][4, 1, 1]cpu" = torch.ops.aten.permute.default(view_11, [0, 2, 1]);  view_11 = None
        permute_11: "f32[4, 4, 1][4, 1, 1]cpu" = torch.ops.aten.permute.default(permute_9, [2, 1, 0]);  permute_9 = None
        squeeze: "f32[4, 4][4, 1]cpu" = torch.ops.aten.squeeze.dim(permute_11, 2);  permute_11 = None
        permute_12: "f32[2*s77, 4, 1][4, 1, 1]cpu" = torch.ops.aten.permute.default(permute_10, [0, 2, 1]);  permute_10 = None
        squeeze_1: "f32[2*s77, 4][4, 1]cpu" = torch.ops.aten.squeeze.dim(permute_12, 2);  permute_12 = None

        # Backward of forward node: File: /home/user/programs/q3.py:133 in f, code: s = a.mT @ b / (2 * n + 1)
        add: "Sym(2*s77 + 1)" = mul_3 + 1;  mul_3 = None
        div_4: "f32[4, 4][4, 1]cpu" = torch.ops.aten.div.Tensor(squeeze, add);  squeeze = add = None

        # Backward of forward node: File: /home/user/programs/q3.py:132 in f, code: a, b = h[:n], h[n:]
        slice_1: "f32[s77, 4][4, 1]cpu" = torch.ops.aten.slice.Tensor(wait_tensor, 0, 0, primals_1)

        # Backward of forward node: File: /home/user/programs/q3.py:133 in f, code: s = a.mT @ b / (2 * n + 1)
        permute: "f32[4, s77][1, 4]cpu" = torch.ops.aten.permute.default(slice_1, [1, 0]);  slice_1 = None
        permute_13: "f32[s77, 4][4, 1]cpu" = torch.ops.aten.permute.default(permute, [1, 0]);  permute = None
        mm_2: "f32[s77, 4][4, 1]cpu" = torch.ops.aten.mm.default(permute_13, div_4);  permute_13 = None
        permute_14: "f32[4, 4][1, 4]cpu" = torch.ops.aten.permute.default(div_4, [1, 0]);  div_4 = None

        # Backward of forward node: File: /home/user/programs/q3.py:132 in f, code: a, b = h[:n], h[n:]
        slice_2: "f32[s77, 4][4, 1]cpu" = torch.ops.aten.slice.Tensor(wait_tensor, 0, primals_1, 9223372036854775807);  wait_tensor = None

        # Backward of forward node: File: /home/user/programs/q3.py:133 in f, code: s = a.mT @ b / (2 * n + 1)
        mm_3: "f32[s77, 4][4, 1]cpu" = torch.ops.aten.mm.default(slice_2, permute_14);  slice_2 = permute_14 = None
        permute_15: "f32[4, s77][1, 4]cpu" = torch.ops.aten.permute.default(mm_3, [1, 0]);  mm_3 = None
        permute_16: "f32[s77, 4][4, 1]cpu" = torch.ops.aten.permute.default(permute_15, [1, 0]);  permute_15 = None

        # Backward of forward node: File: /home/user/programs/q3.py:132 in f, code: a, b = h[:n], h[n:]
        slice_scatter_2: "f32[2*s77, 4][4, 1]cpu" = torch.ops.aten.slice_scatter.default(full, mm_2, 0, primals_1, 9223372036854775807);  mm_2 = None
        add_6: "f32[2*s77, 4][4, 1]cpu" = torch.ops.aten.add.Tensor(squeeze_1, slice_scatter_2);  squeeze_1 = slice_scatter_2 = None
        slice_scatter_3: "f32[2*s77, 4][4, 1]cpu" = torch.ops.aten.slice_scatter.default(full, permute_16, 0, 0, primals_1);  full = permute_16 = primals_1 = None
        add_7: "f32[2*s77, 4][4, 1]cpu" = torch.ops.aten.add.Tensor(add_6, slice_scatter_3);  add_6 = slice_scatter_3 = None

        # recompute: MUST_SAVE Backward of forward node: File: /venv/site-packages/torch/distributed/_functional_collectives.py:299 in reduce_scatter_single, code: tensor = torch.ops._c10d_functional.reduce_scatter_tensor(
        reduce_scatter_tensor: "f32[s77, 4][4, 1]cpu" = torch.ops._c10d_functional.reduce_scatter_tensor.default(add_7, 'sum', 2, '0');  add_7 = None

        # recompute: MUST_SAVE Backward of forward node: File: /venv/site-packages/torch/distributed/_functional_collectives.py:143 in wait_tensor, code: return torch.ops._c10d_functional.wait_tensor(tensor)  # type: ignore[attr-defined]
        wait_tensor_1: "f32[s77, 4][4, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(reduce_scatter_tensor);  reduce_scatter_tensor = None

        # Backward of forward node: File: /home/user/programs/q3.py:131 in f, code: h = Gather.apply(x @ wt, 0, g)
        mm_4: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(permute_17, wait_tensor_1);  permute_17 = None
        permute_18: "f32[4, 4][1, 4]cpu" = torch.ops.aten.permute.default(primals_3, [1, 0]);  primals_3 = None
        mm_5: "f32[s77, 4][4, 1]cpu" = torch.ops.aten.mm.default(wait_tensor_1, permute_18);  wait_tensor_1 = permute_18 = None
        return (None, mm_5, mm_4)

