class GraphModule(torch.nn.Module):
    def forward(self, primals_1: "Sym(s77)", primals_2: "f32[s77, 4][4, 1]cpu", primals_3: "f32[8, 4][4, 1]cpu", primals_4: "f32[4, 8][8, 1]cpu"):
        # File: /home/user/programs/q1.py:24 in forward, code: return x.view_as(x)
        view: "f32[s77, 4][4, 1]cpu" = torch.ops.aten.view.default(primals_2, [primals_1, 4]);  primals_2 = None

        # File: /home/user/programs/q2.py:121 in f, code: h = F.gelu(F.linear(AllReduceGrad.apply(x, g.group_name), a))
        permute: "f32[4, 8][1, 4]cpu" = torch.ops.aten.permute.default(primals_3, [1, 0])
        mm: "f32[s77, 8][8, 1]cpu" = torch.ops.aten.mm.default(view, permute);  permute = None
        mul: "f32[s77, 8][8, 1]cpu" = torch.ops.aten.mul.Tensor(mm, 0.5)
        mul_1: "f32[s77, 8][8, 1]cpu" = torch.ops.aten.mul.Tensor(mm, 0.7071067811865476)
        erf: "f32[s77, 8][8, 1]cpu" = torch.ops.aten.erf.default(mul_1);  mul_1 = None
        add: "f32[s77, 8][8, 1]cpu" = torch.ops.aten.add.Tensor(erf, 1);  erf = None
        mul_2: "f32[s77, 8][8, 1]cpu" = torch.ops.aten.mul.Tensor(mul, add);  mul = add = None

        # File: /home/user/programs/q2.py:122 in f, code: y = AllReduce.apply(F.linear(h, b), g.group_name)
        permute_1: "f32[8, 4][1, 8]cpu" = torch.ops.aten.permute.default(primals_4, [1, 0])
        mm_1: "f32[s77, 4][4, 1]cpu" = torch.ops.aten.mm.default(mul_2, permute_1);  permute_1 = None

        # recompute: MUST_SAVE File: /venv/site-packages/torch/distributed/_functional_collectives.py:195 in all_reduce, code: tensor = torch.ops._c10d_functional.all_reduce(
        all_reduce: "f32[s77, 4][4, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(mm_1, 'sum', '0');  mm_1 = None

        # recompute: MUST_SAVE File: /venv/site-packages/torch/distributed/_functional_collectives.py:143 in wait_tensor, code: return torch.ops._c10d_functional.wait_tensor(tensor)  # type: ignore[attr-defined]
        wait_tensor: "f32[s77, 4][4, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce);  all_reduce = None

        # File: /home/user/programs/q2.py:123 in f, code: k = x.shape[0] // 2
        floordiv: "Sym((s77//2))" = primals_1 // 2

        # File: /home/user/programs/q2.py:124 in f, code: return y[:k].sum() + y[k:].square().mean() / x.shape[0]
        slice_1: "f32[(s77//2), 4][4, 1]cpu" = torch.ops.aten.slice.Tensor(wait_tensor, 0, 0, floordiv)
        sum_1: "f32[][]cpu" = torch.ops.aten.sum.default(slice_1);  slice_1 = None
        slice_2: "f32[s77 - ((s77//2)), 4][4, 1]cpu" = torch.ops.aten.slice.Tensor(wait_tensor, 0, floordiv, 9223372036854775807);  wait_tensor = None
        pow_1: "f32[s77 - ((s77//2)), 4][4, 1]cpu" = torch.ops.aten.pow.Tensor_Scalar(slice_2, 2)
        mean: "f32[][]cpu" = torch.ops.aten.mean.default(pow_1);  pow_1 = None
        div: "f32[][]cpu" = torch.ops.aten.div.Tensor(mean, primals_1);  mean = None
        add_1: "f32[][]cpu" = torch.ops.aten.add.Tensor(sum_1, div);  sum_1 = div = None
        return (add_1, primals_3, primals_4, view, mm, mul_2, slice_2, primals_1, floordiv)

