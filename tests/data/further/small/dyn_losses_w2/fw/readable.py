class GraphModule(torch.nn.Module):
    def forward(self, primals_1: "Sym(s17)", primals_2: "f32[s17, 4][4, 1]cpu", primals_3: "f32[7, 4][4, 1]cpu", primals_4: "Sym(s17)", primals_5: "i64[s17][1]cpu"):
        # File: /home/user/programs/q1.py:24 in forward, code: return x.view_as(x)
        view: "f32[7, 4][4, 1]cpu" = torch.ops.aten.view.default(primals_3, [7, 4]);  primals_3 = None

        # File: /home/user/programs/q3.py:95 in f, code: z = F.linear(x, AllReduceGrad.apply(w1, g))
        permute: "f32[4, 7][1, 4]cpu" = torch.ops.aten.permute.default(view, [1, 0]);  view = None
        mm: "f32[s17, 7][7, 1]cpu" = torch.ops.aten.mm.default(primals_2, permute);  permute = None

        # File: /home/user/programs/q3.py:96 in f, code: loss = F.cross_entropy(z, y, ignore_index=-100) + F.one_hot(y.clamp(min=0), 7).float().mul(z).mean() / n
        amax: "f32[s17, 1][1, 1]cpu" = torch.ops.aten.amax.default(mm, [1], True)
        sub: "f32[s17, 7][7, 1]cpu" = torch.ops.aten.sub.Tensor(mm, amax)
        exp: "f32[s17, 7][7, 1]cpu" = torch.ops.aten.exp.default(sub)
        sum_1: "f32[s17, 1][1, 1]cpu" = torch.ops.aten.sum.dim_IntList(exp, [1], True);  exp = None
        log: "f32[s17, 1][1, 1]cpu" = torch.ops.aten.log.default(sum_1);  sum_1 = None
        sub_1: "f32[s17, 7][7, 1]cpu" = torch.ops.aten.sub.Tensor(sub, log);  sub = None
        ne: "b8[s17][1]cpu" = torch.ops.aten.ne.Scalar(primals_5, -100)
        scalar_tensor: "i64[][]cpu" = torch.ops.aten.scalar_tensor.default(0, dtype = torch.int64, layout = torch.strided, device = device(type='cpu'))
        where: "i64[s17][1]cpu" = torch.ops.aten.where.self(ne, primals_5, scalar_tensor);  scalar_tensor = None
        unsqueeze: "i64[s17, 1][1, 1]cpu" = torch.ops.aten.unsqueeze.default(where, 1);  where = None
        gather: "f32[s17, 1][1, 1]cpu" = torch.ops.aten.gather.default(sub_1, 1, unsqueeze);  sub_1 = unsqueeze = None
        squeeze: "f32[s17][1]cpu" = torch.ops.aten.squeeze.dim(gather, 1);  gather = None
        neg: "f32[s17][1]cpu" = torch.ops.aten.neg.default(squeeze);  squeeze = None
        scalar_tensor_1: "f32[][]cpu" = torch.ops.aten.scalar_tensor.default(0, dtype = torch.float32, layout = torch.strided, device = device(type='cpu'))
        where_1: "f32[s17][1]cpu" = torch.ops.aten.where.self(ne, neg, scalar_tensor_1);  ne = neg = scalar_tensor_1 = None
        ne_2: "b8[s17][1]cpu" = torch.ops.aten.ne.Scalar(primals_5, -100)
        sum_2: "i64[][]cpu" = torch.ops.aten.sum.default(ne_2);  ne_2 = None
        convert_element_type: "f32[][]cpu" = torch.ops.prims.convert_element_type.default(sum_2, torch.float32);  sum_2 = None
        sum_3: "f32[][]cpu" = torch.ops.aten.sum.default(where_1);  where_1 = None
        div: "f32[][]cpu" = torch.ops.aten.div.Tensor(sum_3, convert_element_type);  sum_3 = None
        clamp_min: "i64[s17][1]cpu" = torch.ops.aten.clamp_min.default(primals_5, 0)
        ge: "b8[s17][1]cpu" = torch.ops.aten.ge.Scalar(clamp_min, 0)
        logical_not: "b8[s17][1]cpu" = torch.ops.aten.logical_not.default(ge);  ge = None
        any_1: "b8[][]cpu" = torch.ops.aten.any.dims(logical_not);  logical_not = None
        logical_not_1: "b8[][]cpu" = torch.ops.aten.logical_not.default(any_1);  any_1 = None
        _assert_async = torch.ops.aten._assert_async.msg(logical_not_1, 'one_hot: Class values must be non-negative.');  logical_not_1 = _assert_async = None
        lt: "b8[s17][1]cpu" = torch.ops.aten.lt.Scalar(clamp_min, 7)
        logical_not_2: "b8[s17][1]cpu" = torch.ops.aten.logical_not.default(lt);  lt = None
        any_2: "b8[][]cpu" = torch.ops.aten.any.dims(logical_not_2);  logical_not_2 = None
        logical_not_3: "b8[][]cpu" = torch.ops.aten.logical_not.default(any_2);  any_2 = None
        _assert_async_1 = torch.ops.aten._assert_async.msg(logical_not_3, 'one_hot: Class values must be smaller than num_classes.');  logical_not_3 = _assert_async_1 = None
        unsqueeze_1: "i64[s17, 1][1, 1]cpu" = torch.ops.aten.unsqueeze.default(clamp_min, -1);  clamp_min = None
        iota: "i64[7][1]cpu" = torch.ops.prims.iota.default(7, start = 0, step = 1, dtype = torch.int64, device = device(type='cpu'), requires_grad = False)
        eq_5: "b8[s17, 7][7, 1]cpu" = torch.ops.aten.eq.Tensor(unsqueeze_1, iota);  unsqueeze_1 = iota = None
        convert_element_type_1: "i64[s17, 7][7, 1]cpu" = torch.ops.prims.convert_element_type.default(eq_5, torch.int64);  eq_5 = None
        convert_element_type_2: "f32[s17, 7][7, 1]cpu" = torch.ops.prims.convert_element_type.default(convert_element_type_1, torch.float32);  convert_element_type_1 = None
        mul_2: "f32[s17, 7][7, 1]cpu" = torch.ops.aten.mul.Tensor(convert_element_type_2, mm);  convert_element_type_2 = None
        mul_3: "Sym(7*s17)" = primals_4 * 7
        mean: "f32[][]cpu" = torch.ops.aten.mean.default(mul_2);  mul_2 = None
        div_1: "f32[][]cpu" = torch.ops.aten.div.Tensor(mean, primals_4);  mean = None
        add: "f32[][]cpu" = torch.ops.aten.add.Tensor(div, div_1);  div = div_1 = None

        # File: /home/user/programs/q3.py:97 in f, code: t = z.flatten()[: n * 3].view(n, 3)
        view_1: "f32[7*s17][1]cpu" = torch.ops.aten.view.default(mm, [mul_3]);  mul_3 = None
        mul_8: "Sym(3*s17)" = primals_4 * 3
        slice_1: "f32[3*s17][1]cpu" = torch.ops.aten.slice.Tensor(view_1, 0, 0, mul_8);  view_1 = None
        view_2: "f32[s17, 3][3, 1]cpu" = torch.ops.aten.view.default(slice_1, [primals_4, 3]);  slice_1 = None

        # File: /home/user/programs/q3.py:98 in f, code: u = torch.roll(t, 1, 0).cumsum(0)[::2]
        sub_2: "Sym(s17 - 1)" = primals_4 - 1
        mod: "Sym(Mod(s17 - 1, s17))" = sub_2 % primals_4;  sub_2 = None
        iota_1: "i64[s17][1]cpu" = torch.ops.prims.iota.default(primals_4, start = 0, step = 1, dtype = torch.int64, device = device(type='cpu'), requires_grad = False)
        add_2: "i64[s17][1]cpu" = torch.ops.aten.add.Tensor(iota_1, mod);  iota_1 = mod = None
        fmod: "i64[s17][1]cpu" = torch.ops.aten.fmod.Scalar(add_2, primals_4);  add_2 = None
        index: "f32[s17, 3][3, 1]cpu" = torch.ops.aten.index.Tensor(view_2, [fmod]);  view_2 = fmod = None
        cumsum: "f32[s17, 3][3, 1]cpu" = torch.ops.aten.cumsum.default(index, 0);  index = None
        slice_2: "f32[((s17 + 1)//2), 3][6, 1]cpu" = torch.ops.aten.slice.Tensor(cumsum, 0, 0, 9223372036854775807, 2);  cumsum = None

        # File: /home/user/programs/q3.py:99 in f, code: return loss + u.pow(2).mean() + z.diagonal().sum() + z.topk(2).values.sum()
        pow_1: "f32[((s17 + 1)//2), 3][3, 1]cpu" = torch.ops.aten.pow.Tensor_Scalar(slice_2, 2)
        mean_1: "f32[][]cpu" = torch.ops.aten.mean.default(pow_1);  pow_1 = None
        add_3: "f32[][]cpu" = torch.ops.aten.add.Tensor(add, mean_1);  add = mean_1 = None
        diagonal: "f32[Min(7, s17)][8]cpu" = torch.ops.aten.diagonal.default(mm)
        sum_4: "f32[][]cpu" = torch.ops.aten.sum.default(diagonal)
        add_4: "f32[][]cpu" = torch.ops.aten.add.Tensor(add_3, sum_4);  add_3 = sum_4 = None
        topk = torch.ops.aten.topk.default(mm, 2)
        getitem: "f32[s17, 2][2, 1]cpu" = topk[0]
        getitem_1: "i64[s17, 2][2, 1]cpu" = topk[1];  topk = None
        sum_5: "f32[][]cpu" = torch.ops.aten.sum.default(getitem);  getitem = None
        add_5: "f32[][]cpu" = torch.ops.aten.add.Tensor(add_4, sum_5);  add_4 = sum_5 = None

        # Backward of forward node: File: /home/user/programs/q3.py:99 in f, code: return loss + u.pow(2).mean() + z.diagonal().sum() + z.topk(2).values.sum()
        sym_size_int_3: "Sym(Min(7, s17))" = torch.ops.aten.sym_size.int(diagonal, 0);  diagonal = None
        return (add_5, primals_2, primals_5, mm, amax, log, convert_element_type, slice_2, getitem_1, primals_4, primals_1, mul_8, sym_size_int_3)

