class GraphModule(torch.nn.Module):
    def forward(self, primals_1: "Sym(s77)", primals_2: "Sym(s27)", mul: "Sym(s27*s77)", mul_16: "Sym(2*s77)", primals_3: "f32[s77, s27, 8][8*s27, 8, 1]cpu", primals_4: "f32[24, 8][8, 1]cpu", primals_5: "f32[8, 8][8, 1]cpu", bitwise_not: "b8[s27, s27][s27, 1]cpu", div_1: "f32[s77, 2, s27, s27][2*s27**2, s27**2, s27, 1]cpu", view_11: "f32[s27*s77, 8][8, 1]cpu", wait_tensor: "f32[s77, s27, 8][8*s27, 8, 1]cpu", permute_11: "f32[2*s77, 4, s27][4*s27, 1, 4]cpu", permute_12: "f32[2*s77, 4, s27][4*s27, 1, 4]cpu", permute_13: "f32[2*s77, s27, 4][4*s27, 1, s27]cpu", tangents_1: "f32[][]cpu"):
        # Backward of forward node: File: /home/user/programs/q3.py:69 in f, code: return (y - x).square().sum() / (b * s)
        div_3: "f32[][]cpu" = torch.ops.aten.div.Tensor(tangents_1, mul);  tangents_1 = None
        expand_4: "f32[s77, s27, 8][0, 0, 0]cpu" = torch.ops.aten.expand.default(div_3, [primals_1, primals_2, 8]);  div_3 = None
        sub_6: "f32[s77, s27, 8][8*s27, 8, 1]cpu" = torch.ops.aten.sub.Tensor(wait_tensor, primals_3);  wait_tensor = None
        pow_2: "f32[s77, s27, 8][8*s27, 8, 1]cpu" = torch.ops.aten.pow.Tensor_Scalar(sub_6, 1.0);  sub_6 = None
        mul_152: "f32[s77, s27, 8][8*s27, 8, 1]cpu" = torch.ops.aten.mul.Scalar(pow_2, 2.0);  pow_2 = None
        mul_153: "f32[s77, s27, 8][8*s27, 8, 1]cpu" = torch.ops.aten.mul.Tensor(expand_4, mul_152);  expand_4 = mul_152 = None
        neg: "f32[s77, s27, 8][8*s27, 8, 1]cpu" = torch.ops.aten.neg.default(mul_153)

        # Backward of forward node: File: /home/user/programs/q3.py:68 in f, code: y = AllReduce.apply(F.linear((a @ v).transpose(1, 2).reshape(b, s, 8), wo), g)
        view_13: "f32[s27*s77, 8][8, 1]cpu" = torch.ops.aten.view.default(mul_153, [mul, 8]);  mul_153 = None
        permute_5: "f32[8, s27*s77][1, 8]cpu" = torch.ops.aten.permute.default(view_13, [1, 0])
        mm_2: "f32[8, 8][8, 1]cpu" = torch.ops.aten.mm.default(permute_5, view_11);  permute_5 = view_11 = None
        permute_6: "f32[8, 8][1, 8]cpu" = torch.ops.aten.permute.default(mm_2, [1, 0]);  mm_2 = None
        permute_4: "f32[8, 8][1, 8]cpu" = torch.ops.aten.permute.default(primals_5, [1, 0]);  primals_5 = None
        permute_7: "f32[8, 8][8, 1]cpu" = torch.ops.aten.permute.default(permute_4, [1, 0]);  permute_4 = None
        mm_3: "f32[s27*s77, 8][8, 1]cpu" = torch.ops.aten.mm.default(view_13, permute_7);  view_13 = permute_7 = None
        view_14: "f32[s77, s27, 8][8*s27, 8, 1]cpu" = torch.ops.aten.view.default(mm_3, [primals_1, primals_2, 8]);  mm_3 = None
        permute_8: "f32[8, 8][8, 1]cpu" = torch.ops.aten.permute.default(permute_6, [1, 0]);  permute_6 = None
        view_15: "f32[s77, s27, 2, 4][8*s27, 8, 4, 1]cpu" = torch.ops.aten.view.default(view_14, [primals_1, primals_2, 2, 4]);  view_14 = None
        permute_9: "f32[s77, 2, s27, 4][8*s27, 4, 8, 1]cpu" = torch.ops.aten.permute.default(view_15, [0, 2, 1, 3]);  view_15 = None
        clone_4: "f32[s77, 2, s27, 4][8*s27, 4*s27, 4, 1]cpu" = torch.ops.aten.clone.default(permute_9, memory_format = torch.contiguous_format);  permute_9 = None
        view_16: "f32[2*s77, s27, 4][4*s27, 4, 1]cpu" = torch.ops.aten.view.default(clone_4, [mul_16, primals_2, 4]);  clone_4 = None
        expand_2: "f32[s77, 2, s27, s27][2*s27**2, s27**2, s27, 1]cpu" = torch.ops.aten.expand.default(div_1, [primals_1, 2, primals_2, primals_2])
        view_7: "f32[2*s77, s27, s27][s27**2, s27, 1]cpu" = torch.ops.aten.view.default(expand_2, [mul_16, primals_2, primals_2]);  expand_2 = None
        permute_10: "f32[2*s77, s27, s27][s27**2, 1, s27]cpu" = torch.ops.aten.permute.default(view_7, [0, 2, 1]);  view_7 = None
        bmm_2: "f32[2*s77, s27, 4][4*s27, 4, 1]cpu" = torch.ops.aten.bmm.default(permute_10, view_16);  permute_10 = None
        bmm_3: "f32[2*s77, s27, s27][s27**2, s27, 1]cpu" = torch.ops.aten.bmm.default(view_16, permute_11);  view_16 = permute_11 = None
        view_17: "f32[s77, 2, s27, 4][8*s27, 4*s27, 4, 1]cpu" = torch.ops.aten.view.default(bmm_2, [primals_1, 2, primals_2, 4]);  bmm_2 = None
        view_18: "f32[s77, 2, s27, s27][2*s27**2, s27**2, s27, 1]cpu" = torch.ops.aten.view.default(bmm_3, [primals_1, 2, primals_2, primals_2]);  bmm_3 = None

        # Backward of forward node: File: /home/user/programs/q3.py:67 in f, code: a = (q @ k.mT / 2).masked_fill(~m, float("-inf")).softmax(-1)
        alias: "f32[s77, 2, s27, s27][2*s27**2, s27**2, s27, 1]cpu" = torch.ops.aten.alias.default(div_1);  div_1 = None
        alias_1: "f32[s77, 2, s27, s27][2*s27**2, s27**2, s27, 1]cpu" = torch.ops.aten.alias.default(alias);  alias = None
        mul_154: "f32[s77, 2, s27, s27][2*s27**2, s27**2, s27, 1]cpu" = torch.ops.aten.mul.Tensor(view_18, alias_1);  view_18 = None
        sum_3: "f32[s77, 2, s27, 1][2*s27, s27, 1, 1]cpu" = torch.ops.aten.sum.dim_IntList(mul_154, [-1], True)
        neg_1: "f32[s77, 2, s27, s27][2*s27**2, s27**2, s27, 1]cpu" = torch.ops.aten.neg.default(alias_1);  alias_1 = None
        fma: "f32[s77, 2, s27, s27][2*s27**2, s27**2, s27, 1]cpu" = torch.ops.prims.fma.default(neg_1, sum_3, mul_154);  neg_1 = sum_3 = mul_154 = None
        scalar_tensor_1: "f32[][]cpu" = torch.ops.aten.scalar_tensor.default(0.0, dtype = torch.float32, layout = torch.strided, device = device(type='cpu'))
        where_1: "f32[s77, 2, s27, s27][2*s27**2, s27**2, s27, 1]cpu" = torch.ops.aten.where.self(bitwise_not, scalar_tensor_1, fma);  bitwise_not = scalar_tensor_1 = fma = None
        div_4: "f32[s77, 2, s27, s27][2*s27**2, s27**2, s27, 1]cpu" = torch.ops.aten.div.Tensor(where_1, 2);  where_1 = None
        view_19: "f32[2*s77, s27, s27][s27**2, s27, 1]cpu" = torch.ops.aten.view.default(div_4, [mul_16, primals_2, primals_2]);  div_4 = mul_16 = None
        bmm_4: "f32[2*s77, 4, s27][4*s27, s27, 1]cpu" = torch.ops.aten.bmm.default(permute_12, view_19);  permute_12 = None
        bmm_5: "f32[2*s77, s27, 4][4*s27, 4, 1]cpu" = torch.ops.aten.bmm.default(view_19, permute_13);  view_19 = permute_13 = None
        view_20: "f32[s77, 2, 4, s27][8*s27, 4*s27, s27, 1]cpu" = torch.ops.aten.view.default(bmm_4, [primals_1, 2, 4, primals_2]);  bmm_4 = None
        view_21: "f32[s77, 2, s27, 4][8*s27, 4*s27, 4, 1]cpu" = torch.ops.aten.view.default(bmm_5, [primals_1, 2, primals_2, 4]);  bmm_5 = None
        permute_14: "f32[s77, 2, s27, 4][8*s27, 4*s27, 1, s27]cpu" = torch.ops.aten.permute.default(view_20, [0, 1, 3, 2]);  view_20 = None

        # Backward of forward node: File: /home/user/programs/q3.py:65 in f, code: q, k, v = F.linear(AllReduceGrad.apply(x, g), wq).view(b, s, 3, 2, 4).permute(2, 0, 3, 1, 4)
        full_1: "f32[3, s77, 2, s27, 4][8*s27*s77, 8*s27, 4*s27, 4, 1]cpu" = torch.ops.aten.full.default([3, primals_1, 2, primals_2, 4], 0, dtype = torch.float32, layout = torch.strided, device = device(type='cpu'), pin_memory = False)
        select_scatter: "f32[3, s77, 2, s27, 4][8*s27*s77, 8*s27, 4*s27, 4, 1]cpu" = torch.ops.aten.select_scatter.default(full_1, view_17, 0, 2);  view_17 = None
        select_scatter_1: "f32[3, s77, 2, s27, 4][8*s27*s77, 8*s27, 4*s27, 4, 1]cpu" = torch.ops.aten.select_scatter.default(full_1, permute_14, 0, 1);  permute_14 = None
        add_2: "f32[3, s77, 2, s27, 4][8*s27*s77, 8*s27, 4*s27, 4, 1]cpu" = torch.ops.aten.add.Tensor(select_scatter, select_scatter_1);  select_scatter = select_scatter_1 = None
        select_scatter_2: "f32[3, s77, 2, s27, 4][8*s27*s77, 8*s27, 4*s27, 4, 1]cpu" = torch.ops.aten.select_scatter.default(full_1, view_21, 0, 0);  full_1 = view_21 = None
        add_3: "f32[3, s77, 2, s27, 4][8*s27*s77, 8*s27, 4*s27, 4, 1]cpu" = torch.ops.aten.add.Tensor(add_2, select_scatter_2);  add_2 = select_scatter_2 = None
        permute_15: "f32[s77, s27, 3, 2, 4][8*s27, 4, 8*s27*s77, 4*s27, 1]cpu" = torch.ops.aten.permute.default(add_3, [1, 3, 0, 2, 4]);  add_3 = None
        clone_5: "f32[s77, s27, 3, 2, 4][24*s27, 24, 8, 4, 1]cpu" = torch.ops.aten.clone.default(permute_15, memory_format = torch.contiguous_format);  permute_15 = None
        view_22: "f32[s77, s27, 24][24*s27, 24, 1]cpu" = torch.ops.aten.view.default(clone_5, [primals_1, primals_2, 24]);  clone_5 = None
        view_23: "f32[s27*s77, 24][24, 1]cpu" = torch.ops.aten.view.default(view_22, [mul, 24]);  view_22 = None
        permute_16: "f32[24, s27*s77][1, 24]cpu" = torch.ops.aten.permute.default(view_23, [1, 0])

        # Backward of forward node: File: /home/user/programs/q1.py:24 in forward, code: return x.view_as(x)
        view: "f32[s77, s27, 8][8*s27, 8, 1]cpu" = torch.ops.aten.view.default(primals_3, [primals_1, primals_2, 8]);  primals_3 = None

        # Backward of forward node: File: /home/user/programs/q3.py:65 in f, code: q, k, v = F.linear(AllReduceGrad.apply(x, g), wq).view(b, s, 3, 2, 4).permute(2, 0, 3, 1, 4)
        view_1: "f32[s27*s77, 8][8, 1]cpu" = torch.ops.aten.view.default(view, [mul, 8]);  view = mul = None
        mm_4: "f32[24, 8][8, 1]cpu" = torch.ops.aten.mm.default(permute_16, view_1);  permute_16 = view_1 = None
        permute_17: "f32[8, 24][1, 8]cpu" = torch.ops.aten.permute.default(mm_4, [1, 0]);  mm_4 = None
        permute: "f32[8, 24][1, 8]cpu" = torch.ops.aten.permute.default(primals_4, [1, 0]);  primals_4 = None
        permute_18: "f32[24, 8][8, 1]cpu" = torch.ops.aten.permute.default(permute, [1, 0]);  permute = None
        mm_5: "f32[s27*s77, 8][8, 1]cpu" = torch.ops.aten.mm.default(view_23, permute_18);  view_23 = permute_18 = None
        view_24: "f32[s77, s27, 8][8*s27, 8, 1]cpu" = torch.ops.aten.view.default(mm_5, [primals_1, primals_2, 8]);  mm_5 = primals_1 = primals_2 = None
        permute_19: "f32[24, 8][8, 1]cpu" = torch.ops.aten.permute.default(permute_17, [1, 0]);  permute_17 = None

        # recompute: MUST_SAVE Backward of forward node: File: /venv/site-packages/torch/distributed/_functional_collectives.py:195 in all_reduce, code: tensor = torch.ops._c10d_functional.all_reduce(
        all_reduce_1: "f32[s77, s27, 8][8*s27, 8, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(view_24, 'sum', '0');  view_24 = None

        # recompute: MUST_SAVE Backward of forward node: File: /venv/site-packages/torch/distributed/_functional_collectives.py:143 in wait_tensor, code: return torch.ops._c10d_functional.wait_tensor(tensor)  # type: ignore[attr-defined]
        wait_tensor_1: "f32[s77, s27, 8][8*s27, 8, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_1);  all_reduce_1 = None

        # Backward of forward node: File: /home/user/programs/q3.py:65 in f, code: q, k, v = F.linear(AllReduceGrad.apply(x, g), wq).view(b, s, 3, 2, 4).permute(2, 0, 3, 1, 4)
        add_4: "f32[s77, s27, 8][8*s27, 8, 1]cpu" = torch.ops.aten.add.Tensor(neg, wait_tensor_1);  neg = wait_tensor_1 = None
        return (None, None, add_4, permute_19, permute_8)

