class GraphModule(torch.nn.Module):
    def forward(self, primals_1: "Sym(s77)", primals_2: "Sym(s27)", primals_3: "f32[s77, s27, 8][8*s27, 8, 1]cpu", primals_4: "f32[24, 8][8, 1]cpu", primals_5: "f32[8, 8][8, 1]cpu"):
        # File: /home/user/programs/q1.py:24 in forward, code: return x.view_as(x)
        view: "f32[s77, s27, 8][8*s27, 8, 1]cpu" = torch.ops.aten.view.default(primals_3, [primals_1, primals_2, 8])

        # File: /home/user/programs/q3.py:65 in f, code: q, k, v = F.linear(AllReduceGrad.apply(x, g), wq).view(b, s, 3, 2, 4).permute(2, 0, 3, 1, 4)
        permute: "f32[8, 24][1, 8]cpu" = torch.ops.aten.permute.default(primals_4, [1, 0])
        mul: "Sym(s27*s77)" = primals_1 * primals_2
        view_1: "f32[s27*s77, 8][8, 1]cpu" = torch.ops.aten.view.default(view, [mul, 8]);  view = None
        mm: "f32[s27*s77, 24][24, 1]cpu" = torch.ops.aten.mm.default(view_1, permute);  view_1 = permute = None
        view_2: "f32[s77, s27, 24][24*s27, 24, 1]cpu" = torch.ops.aten.view.default(mm, [primals_1, primals_2, 24]);  mm = None
        view_3: "f32[s77, s27, 3, 2, 4][24*s27, 24, 8, 4, 1]cpu" = torch.ops.aten.view.default(view_2, [primals_1, primals_2, 3, 2, 4]);  view_2 = None
        permute_1: "f32[3, s77, 2, s27, 4][8, 24*s27, 4, 24, 1]cpu" = torch.ops.aten.permute.default(view_3, [2, 0, 3, 1, 4]);  view_3 = None
        select: "f32[s77, 2, s27, 4][24*s27, 4, 24, 1]cpu" = torch.ops.aten.select.int(permute_1, 0, 0)
        select_1: "f32[s77, 2, s27, 4][24*s27, 4, 24, 1]cpu" = torch.ops.aten.select.int(permute_1, 0, 1)
        select_2: "f32[s77, 2, s27, 4][24*s27, 4, 24, 1]cpu" = torch.ops.aten.select.int(permute_1, 0, 2);  permute_1 = None

        # File: /home/user/programs/q3.py:66 in f, code: m = torch.ones(s, s, dtype=torch.bool).tril()
        full: "b8[s27, s27][s27, 1]cpu" = torch.ops.aten.full.default([primals_2, primals_2], True, dtype = torch.bool, layout = torch.strided, device = device(type='cpu'), pin_memory = False)
        iota: "i64[s27][1]cpu" = torch.ops.prims.iota.default(primals_2, start = 0, step = 1, dtype = torch.int64, device = device(type='cpu'), requires_grad = False)
        unsqueeze: "i64[1, s27][s27, 1]cpu" = torch.ops.aten.unsqueeze.default(iota, -2)
        unsqueeze_1: "i64[s27, 1][1, 1]cpu" = torch.ops.aten.unsqueeze.default(iota, -1);  iota = None
        sub_4: "i64[s27, s27][s27, 1]cpu" = torch.ops.aten.sub.Tensor(unsqueeze, unsqueeze_1);  unsqueeze = unsqueeze_1 = None
        le: "b8[s27, s27][s27, 1]cpu" = torch.ops.aten.le.Scalar(sub_4, 0);  sub_4 = None
        logical_and: "b8[s27, s27][s27, 1]cpu" = torch.ops.aten.logical_and.default(le, full);  le = full = None

        # File: /home/user/programs/q3.py:67 in f, code: a = (q @ k.mT / 2).masked_fill(~m, float("-inf")).softmax(-1)
        permute_2: "f32[s77, 2, 4, s27][24*s27, 4, 1, 24]cpu" = torch.ops.aten.permute.default(select_1, [0, 1, 3, 2]);  select_1 = None
        mul_16: "Sym(2*s77)" = primals_1 * 2
        expand: "f32[s77, 2, s27, 4][24*s27, 4, 24, 1]cpu" = torch.ops.aten.expand.default(select, [primals_1, 2, primals_2, 4]);  select = None
        clone: "f32[s77, 2, s27, 4][8*s27, 4*s27, 4, 1]cpu" = torch.ops.aten.clone.default(expand, memory_format = torch.contiguous_format);  expand = None
        view_4: "f32[2*s77, s27, 4][4*s27, 4, 1]cpu" = torch.ops.aten.view.default(clone, [mul_16, primals_2, 4]);  clone = None
        expand_1: "f32[s77, 2, 4, s27][24*s27, 4, 1, 24]cpu" = torch.ops.aten.expand.default(permute_2, [primals_1, 2, 4, primals_2]);  permute_2 = None
        clone_1: "f32[s77, 2, 4, s27][8*s27, 4*s27, s27, 1]cpu" = torch.ops.aten.clone.default(expand_1, memory_format = torch.contiguous_format);  expand_1 = None
        view_5: "f32[2*s77, 4, s27][4*s27, s27, 1]cpu" = torch.ops.aten.view.default(clone_1, [mul_16, 4, primals_2]);  clone_1 = None
        bmm: "f32[2*s77, s27, s27][s27**2, s27, 1]cpu" = torch.ops.aten.bmm.default(view_4, view_5)
        view_6: "f32[s77, 2, s27, s27][2*s27**2, s27**2, s27, 1]cpu" = torch.ops.aten.view.default(bmm, [primals_1, 2, primals_2, primals_2]);  bmm = None
        div: "f32[s77, 2, s27, s27][2*s27**2, s27**2, s27, 1]cpu" = torch.ops.aten.div.Tensor(view_6, 2);  view_6 = None
        bitwise_not: "b8[s27, s27][s27, 1]cpu" = torch.ops.aten.bitwise_not.default(logical_and);  logical_and = None
        scalar_tensor: "f32[][]cpu" = torch.ops.aten.scalar_tensor.default(-inf, dtype = torch.float32, layout = torch.strided, device = device(type='cpu'))
        where: "f32[s77, 2, s27, s27][2*s27**2, s27**2, s27, 1]cpu" = torch.ops.aten.where.self(bitwise_not, scalar_tensor, div);  scalar_tensor = div = None
        amax: "f32[s77, 2, s27, 1][2*s27, s27, 1, 1]cpu" = torch.ops.aten.amax.default(where, [-1], True)
        sub_5: "f32[s77, 2, s27, s27][2*s27**2, s27**2, s27, 1]cpu" = torch.ops.aten.sub.Tensor(where, amax);  where = amax = None
        exp: "f32[s77, 2, s27, s27][2*s27**2, s27**2, s27, 1]cpu" = torch.ops.aten.exp.default(sub_5);  sub_5 = None
        sum_1: "f32[s77, 2, s27, 1][2*s27, s27, 1, 1]cpu" = torch.ops.aten.sum.dim_IntList(exp, [-1], True)
        div_1: "f32[s77, 2, s27, s27][2*s27**2, s27**2, s27, 1]cpu" = torch.ops.aten.div.Tensor(exp, sum_1);  exp = sum_1 = None

        # File: /home/user/programs/q3.py:68 in f, code: y = AllReduce.apply(F.linear((a @ v).transpose(1, 2).reshape(b, s, 8), wo), g)
        expand_2: "f32[s77, 2, s27, s27][2*s27**2, s27**2, s27, 1]cpu" = torch.ops.aten.expand.default(div_1, [primals_1, 2, primals_2, primals_2])
        view_7: "f32[2*s77, s27, s27][s27**2, s27, 1]cpu" = torch.ops.aten.view.default(expand_2, [mul_16, primals_2, primals_2]);  expand_2 = None
        expand_3: "f32[s77, 2, s27, 4][24*s27, 4, 24, 1]cpu" = torch.ops.aten.expand.default(select_2, [primals_1, 2, primals_2, 4]);  select_2 = None
        clone_2: "f32[s77, 2, s27, 4][8*s27, 4*s27, 4, 1]cpu" = torch.ops.aten.clone.default(expand_3, memory_format = torch.contiguous_format);  expand_3 = None
        view_8: "f32[2*s77, s27, 4][4*s27, 4, 1]cpu" = torch.ops.aten.view.default(clone_2, [mul_16, primals_2, 4]);  clone_2 = None
        bmm_1: "f32[2*s77, s27, 4][4*s27, 4, 1]cpu" = torch.ops.aten.bmm.default(view_7, view_8);  view_7 = None
        view_9: "f32[s77, 2, s27, 4][8*s27, 4*s27, 4, 1]cpu" = torch.ops.aten.view.default(bmm_1, [primals_1, 2, primals_2, 4]);  bmm_1 = None
        permute_3: "f32[s77, s27, 2, 4][8*s27, 4, 4*s27, 1]cpu" = torch.ops.aten.permute.default(view_9, [0, 2, 1, 3]);  view_9 = None
        clone_3: "f32[s77, s27, 2, 4][8*s27, 8, 4, 1]cpu" = torch.ops.aten.clone.default(permute_3, memory_format = torch.contiguous_format);  permute_3 = None
        view_10: "f32[s77, s27, 8][8*s27, 8, 1]cpu" = torch.ops.aten.view.default(clone_3, [primals_1, primals_2, 8]);  clone_3 = None
        permute_4: "f32[8, 8][1, 8]cpu" = torch.ops.aten.permute.default(primals_5, [1, 0])
        view_11: "f32[s27*s77, 8][8, 1]cpu" = torch.ops.aten.view.default(view_10, [mul, 8]);  view_10 = None
        mm_1: "f32[s27*s77, 8][8, 1]cpu" = torch.ops.aten.mm.default(view_11, permute_4);  permute_4 = None
        view_12: "f32[s77, s27, 8][8*s27, 8, 1]cpu" = torch.ops.aten.view.default(mm_1, [primals_1, primals_2, 8]);  mm_1 = None

        # recompute: MUST_SAVE File: /venv/site-packages/torch/distributed/_functional_collectives.py:195 in all_reduce, code: tensor = torch.ops._c10d_functional.all_reduce(
        all_reduce: "f32[s77, s27, 8][8*s27, 8, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(view_12, 'sum', '0');  view_12 = None

        # recompute: MUST_SAVE File: /venv/site-packages/torch/distributed/_functional_collectives.py:143 in wait_tensor, code: return torch.ops._c10d_functional.wait_tensor(tensor)  # type: ignore[attr-defined]
        wait_tensor: "f32[s77, s27, 8][8*s27, 8, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce);  all_reduce = None

        # File: /home/user/programs/q3.py:69 in f, code: return (y - x).square().sum() / (b * s)
        sub_6: "f32[s77, s27, 8][8*s27, 8, 1]cpu" = torch.ops.aten.sub.Tensor(wait_tensor, primals_3)
        pow_1: "f32[s77, s27, 8][8*s27, 8, 1]cpu" = torch.ops.aten.pow.Tensor_Scalar(sub_6, 2);  sub_6 = None
        sum_2: "f32[][]cpu" = torch.ops.aten.sum.default(pow_1);  pow_1 = None
        div_2: "f32[][]cpu" = torch.ops.aten.div.Tensor(sum_2, mul);  sum_2 = None

        # Backward of forward node: File: /home/user/programs/q3.py:68 in f, code: y = AllReduce.apply(F.linear((a @ v).transpose(1, 2).reshape(b, s, 8), wo), g)
        permute_11: "f32[2*s77, 4, s27][4*s27, 1, 4]cpu" = torch.ops.aten.permute.default(view_8, [0, 2, 1]);  view_8 = None

        # Backward of forward node: File: /home/user/programs/q3.py:67 in f, code: a = (q @ k.mT / 2).masked_fill(~m, float("-inf")).softmax(-1)
        permute_12: "f32[2*s77, 4, s27][4*s27, 1, 4]cpu" = torch.ops.aten.permute.default(view_4, [0, 2, 1]);  view_4 = None
        permute_13: "f32[2*s77, s27, 4][4*s27, 1, s27]cpu" = torch.ops.aten.permute.default(view_5, [0, 2, 1]);  view_5 = None
        return (div_2, primals_3, primals_4, primals_5, bitwise_not, div_1, view_11, wait_tensor, permute_11, permute_12, permute_13, primals_1, primals_2, mul, mul_16)

