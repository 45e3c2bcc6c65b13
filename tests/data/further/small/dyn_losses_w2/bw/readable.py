class GraphModule(torch.nn.Module):
    def forward(self, primals_4: "Sym(s17)", primals_1: "Sym(s17)", mul_8: "Sym(3*s17)", sym_size_int_3: "Sym(Min(7, s17))", primals_2: "f32[s17, 4][4, 1]cpu", primals_5: "i64[s17][1]cpu", mm: "f32[s17, 7][7, 1]cpu", amax: "f32[s17, 1][1, 1]cpu", log: "f32[s17, 1][1, 1]cpu", convert_element_type: "f32[][]cpu", slice_2: "f32[((s17 + 1)//2), 3][6, 1]cpu", getitem_1: "i64[s17, 2][2, 1]cpu", tangents_1: "f32[][]cpu"):
        # Backward of forward node: File: /home/user/programs/q3.py:99 in f, code: return loss + u.pow(2).mean() + z.diagonal().sum() + z.topk(2).values.sum()
        expand: "f32[s17, 2][0, 0]cpu" = torch.ops.aten.expand.default(tangents_1, [primals_4, 2])
        full: "f32[s17, 7][7, 1]cpu" = torch.ops.aten.full.default([primals_4, 7], 0, dtype = torch.float32, layout = torch.strided, device = device(type='cpu'), pin_memory = False)
        scatter: "f32[s17, 7][7, 1]cpu" = torch.ops.aten.scatter.src(full, -1, getitem_1, expand);  getitem_1 = expand = None
        expand_1: "f32[Min(7, s17)][0]cpu" = torch.ops.aten.expand.default(tangents_1, [sym_size_int_3]);  sym_size_int_3 = None
        diagonal_scatter: "f32[s17, 7][7, 1]cpu" = torch.ops.aten.diagonal_scatter.default(full, expand_1);  expand_1 = None
        add_6: "f32[s17, 7][7, 1]cpu" = torch.ops.aten.add.Tensor(scatter, diagonal_scatter);  scatter = diagonal_scatter = None
        sym_size_int_2: "Sym(((s17 + 1)//2))" = torch.ops.aten.sym_size.int(slice_2, 0)
        expand_2: "f32[((s17 + 1)//2), 3][0, 0]cpu" = torch.ops.aten.expand.default(tangents_1, [sym_size_int_2, 3])
        mul_9: "Sym(3*(((s17 + 1)//2)))" = sym_size_int_2 * 3;  sym_size_int_2 = None
        div_2: "f32[((s17 + 1)//2), 3][3, 1]cpu" = torch.ops.aten.div.Scalar(expand_2, mul_9);  expand_2 = mul_9 = None
        pow_2: "f32[((s17 + 1)//2), 3][3, 1]cpu" = torch.ops.aten.pow.Tensor_Scalar(slice_2, 1.0);  slice_2 = None
        mul_10: "f32[((s17 + 1)//2), 3][3, 1]cpu" = torch.ops.aten.mul.Scalar(pow_2, 2.0);  pow_2 = None
        mul_11: "f32[((s17 + 1)//2), 3][3, 1]cpu" = torch.ops.aten.mul.Tensor(div_2, mul_10);  div_2 = mul_10 = None

        # Backward of forward node: File: /home/user/programs/q3.py:98 in f, code: u = torch.roll(t, 1, 0).cumsum(0)[::2]
        full_2: "f32[s17, 3][3, 1]cpu" = torch.ops.aten.full.default([primals_4, 3], 0, dtype = torch.float32, layout = torch.strided, device = device(type='cpu'), pin_memory = False)
        slice_scatter: "f32[s17, 3][3, 1]cpu" = torch.ops.aten.slice_scatter.default(full_2, mul_11, 0, 0, 9223372036854775807, 2);  full_2 = mul_11 = None
        rev: "f32[s17, 3][3, 1]cpu" = torch.ops.prims.rev.default(slice_scatter, [0]);  slice_scatter = None
        cumsum_1: "f32[s17, 3][3, 1]cpu" = torch.ops.aten.cumsum.default(rev, 0);  rev = None
        rev_1: "f32[s17, 3][3, 1]cpu" = torch.ops.prims.rev.default(cumsum_1, [0]);  cumsum_1 = None
        add_1: "Sym(s17 + 1)" = primals_4 + 1
        mod_1: "Sym(Mod(s17 + 1, s17))" = add_1 % primals_4;  add_1 = None
        iota_1: "i64[s17][1]cpu" = torch.ops.prims.iota.default(primals_4, start = 0, step = 1, dtype = torch.int64, device = device(type='cpu'), requires_grad = False)
        add_8: "i64[s17][1]cpu" = torch.ops.aten.add.Tensor(iota_1, mod_1);  iota_1 = mod_1 = None
        fmod_1: "i64[s17][1]cpu" = torch.ops.aten.fmod.Scalar(add_8, primals_4);  add_8 = None
        index_1: "f32[s17, 3][3, 1]cpu" = torch.ops.aten.index.Tensor(rev_1, [fmod_1]);  rev_1 = fmod_1 = None

        # Backward of forward node: File: /home/user/programs/q3.py:97 in f, code: t = z.flatten()[: n * 3].view(n, 3)
        view_3: "f32[3*s17][1]cpu" = torch.ops.aten.view.default(index_1, [mul_8]);  index_1 = None

        # Backward of forward node: File: /home/user/programs/q3.py:96 in f, code: loss = F.cross_entropy(z, y, ignore_index=-100) + F.one_hot(y.clamp(min=0), 7).float().mul(z).mean() / n
        mul_3: "Sym(7*s17)" = primals_4 * 7

        # Backward of forward node: File: /home/user/programs/q3.py:97 in f, code: t = z.flatten()[: n * 3].view(n, 3)
        full_3: "f32[7*s17][1]cpu" = torch.ops.aten.full.default([mul_3], 0, dtype = torch.float32, layout = torch.strided, device = device(type='cpu'), pin_memory = False)
        slice_scatter_1: "f32[7*s17][1]cpu" = torch.ops.aten.slice_scatter.default(full_3, view_3, 0, 0, mul_8);  full_3 = view_3 = mul_8 = None
        view_4: "f32[s17, 7][7, 1]cpu" = torch.ops.aten.view.default(slice_scatter_1, [primals_4, 7]);  slice_scatter_1 = None
        add_9: "f32[s17, 7][7, 1]cpu" = torch.ops.aten.add.Tensor(add_6, view_4);  add_6 = view_4 = None

        # Backward of forward node: File: /home/user/programs/q3.py:96 in f, code: loss = F.cross_entropy(z, y, ignore_index=-100) + F.one_hot(y.clamp(min=0), 7).float().mul(z).mean() / n
        div_3: "f32[][]cpu" = torch.ops.aten.div.Tensor(tangents_1, primals_4)
        expand_3: "f32[s17, 7][0, 0]cpu" = torch.ops.aten.expand.default(div_3, [primals_4, 7]);  div_3 = primals_4 = None
        div_4: "f32[s17, 7][7, 1]cpu" = torch.ops.aten.div.Scalar(expand_3, mul_3);  expand_3 = mul_3 = None
        clamp_min: "i64[s17][1]cpu" = torch.ops.aten.clamp_min.default(primals_5, 0)
        unsqueeze_1: "i64[s17, 1][1, 1]cpu" = torch.ops.aten.unsqueeze.default(clamp_min, -1);  clamp_min = None
        iota: "i64[7][1]cpu" = torch.ops.prims.iota.default(7, start = 0, step = 1, dtype = torch.int64, device = device(type='cpu'), requires_grad = False)
        eq_5: "b8[s17, 7][7, 1]cpu" = torch.ops.aten.eq.Tensor(unsqueeze_1, iota);  unsqueeze_1 = iota = None
        convert_element_type_1: "i64[s17, 7][7, 1]cpu" = torch.ops.prims.convert_element_type.default(eq_5, torch.int64);  eq_5 = None
        convert_element_type_2: "f32[s17, 7][7, 1]cpu" = torch.ops.prims.convert_element_type.default(convert_element_type_1, torch.float32);  convert_element_type_1 = None
        mul_12: "f32[s17, 7][7, 1]cpu" = torch.ops.aten.mul.Tensor(div_4, convert_element_type_2);  div_4 = convert_element_type_2 = None
        add_10: "f32[s17, 7][7, 1]cpu" = torch.ops.aten.add.Tensor(add_9, mul_12);  add_9 = mul_12 = None
        div_5: "f32[][]cpu" = torch.ops.aten.div.Tensor(tangents_1, convert_element_type);  tangents_1 = convert_element_type = None
        unsqueeze_2: "i64[s17, 1][1, 1]cpu" = torch.ops.aten.unsqueeze.default(primals_5, 1);  primals_5 = None
        ne_3: "b8[s17, 1][1, 1]cpu" = torch.ops.aten.ne.Scalar(unsqueeze_2, -100)
        scalar_tensor_2: "i64[][]cpu" = torch.ops.aten.scalar_tensor.default(0, dtype = torch.int64, layout = torch.strided, device = device(type='cpu'))
        where_2: "i64[s17, 1][1, 1]cpu" = torch.ops.aten.where.self(ne_3, unsqueeze_2, scalar_tensor_2);  unsqueeze_2 = scalar_tensor_2 = None
        scatter_1: "f32[s17, 7][7, 1]cpu" = torch.ops.aten.scatter.value(full, 1, where_2, -1.0);  full = where_2 = None
        scalar_tensor_3: "f32[][]cpu" = torch.ops.aten.scalar_tensor.default(0, dtype = torch.float32, layout = torch.strided, device = device(type='cpu'))
        where_3: "f32[s17, 1][1, 1]cpu" = torch.ops.aten.where.self(ne_3, div_5, scalar_tensor_3);  ne_3 = div_5 = scalar_tensor_3 = None
        mul_13: "f32[s17, 7][7, 1]cpu" = torch.ops.aten.mul.Tensor(scatter_1, where_3);  scatter_1 = where_3 = None
        sub: "f32[s17, 7][7, 1]cpu" = torch.ops.aten.sub.Tensor(mm, amax);  mm = amax = None
        sub_1: "f32[s17, 7][7, 1]cpu" = torch.ops.aten.sub.Tensor(sub, log);  sub = log = None
        alias: "f32[s17, 7][7, 1]cpu" = torch.ops.aten.alias.default(sub_1);  sub_1 = None
        alias_1: "f32[s17, 7][7, 1]cpu" = torch.ops.aten.alias.default(alias);  alias = None
        exp_1: "f32[s17, 7][7, 1]cpu" = torch.ops.aten.exp.default(alias_1);  alias_1 = None
        sum_6: "f32[s17, 1][1, 1]cpu" = torch.ops.aten.sum.dim_IntList(mul_13, [1], True)
        mul_14: "f32[s17, 7][7, 1]cpu" = torch.ops.aten.mul.Tensor(exp_1, sum_6);  exp_1 = sum_6 = None
        sub_8: "f32[s17, 7][7, 1]cpu" = torch.ops.aten.sub.Tensor(mul_13, mul_14);  mul_13 = mul_14 = None
        add_11: "f32[s17, 7][7, 1]cpu" = torch.ops.aten.add.Tensor(add_10, sub_8);  add_10 = sub_8 = None

        # Backward of forward node: File: /home/user/programs/q3.py:95 in f, code: z = F.linear(x, AllReduceGrad.apply(w1, g))
        permute_1: "f32[7, s17][1, 7]cpu" = torch.ops.aten.permute.default(add_11, [1, 0]);  add_11 = None
        mm_1: "f32[7, 4][4, 1]cpu" = torch.ops.aten.mm.default(permute_1, primals_2);  permute_1 = primals_2 = None
        permute_2: "f32[4, 7][1, 4]cpu" = torch.ops.aten.permute.default(mm_1, [1, 0]);  mm_1 = None
        permute_3: "f32[7, 4][4, 1]cpu" = torch.ops.aten.permute.default(permute_2, [1, 0]);  permute_2 = None

        # recompute: MUST_SAVE Backward of forward node: File: /venv/site-packages/torch/distributed/_functional_collectives.py:195 in all_reduce, code: tensor = torch.ops._c10d_functional.all_reduce(
        all_reduce: "f32[7, 4][4, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(permute_3, 'sum', '0');  permute_3 = None

        # recompute: MUST_SAVE Backward of forward node: File: /venv/site-packages/torch/distributed/_functional_collectives.py:143 in wait_tensor, code: return torch.ops._c10d_functional.wait_tensor(tensor)  # type: ignore[attr-defined]
        wait_tensor: "f32[7, 4][4, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce);  all_reduce = None
        return (None, None, wait_tensor, None, None)

