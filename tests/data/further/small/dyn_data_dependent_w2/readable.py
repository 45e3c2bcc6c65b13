class <lambda>(torch.nn.Module):
    def forward(self, arg0_1: "b8[5][1]cpu", arg1_1: "f32[5, 3][3, 1]cpu"):
        # File: /home/user/programs/q3.py:110 in f, code: i = keep.nonzero().squeeze(-1)
        nonzero: "i64[u0, 1][1, u0]cpu" = torch.ops.aten.nonzero.default(arg0_1);  arg0_1 = None
        sym_size_int: "Sym(u0)" = torch.ops.aten.sym_size.int(nonzero, 0)
        ge: "Sym(u0 >= 0)" = sym_size_int >= 0
        _assert_scalar = torch.ops.aten._assert_scalar.default(ge, "Runtime assertion failed for expression u0 >= 0 on node 'ge_1'");  ge = _assert_scalar = None
        le: "Sym(u0 <= 5)" = sym_size_int <= 5
        _assert_scalar_1 = torch.ops.aten._assert_scalar.default(le, "Runtime assertion failed for expression u0 <= 5 on node 'le_1'");  le = _assert_scalar_1 = None
        squeeze: "i64[u0][1]cpu" = torch.ops.aten.squeeze.dim(nonzero, -1);  nonzero = None

        # File: /home/user/programs/q3.py:111 in f, code: y = x[i]
        index: "f32[u0, 3][3, 1]cpu" = torch.ops.aten.index.Tensor(arg1_1, [squeeze]);  squeeze = None

        # File: /home/user/programs/q3.py:113 in f, code: z = torch.cat([y, y * 2, x])
        mul: "f32[u0, 3][3, 1]cpu" = torch.ops.aten.mul.Tensor(index, 2)
        cat: "f32[2*u0 + 5, 3][3, 1]cpu" = torch.ops.aten.cat.default([index, mul, arg1_1]);  index = mul = arg1_1 = None

        # File: /home/user/programs/q3.py:114 in f, code: t = fc.all_reduce(torch.tensor(n), "max", g)
        scalar_tensor: "i64[][]cpu" = torch.ops.aten.scalar_tensor.default(sym_size_int, dtype = torch.int64, device = device(type='cpu'), pin_memory = False)

        # File: /venv/site-packages/torch/distributed/_functional_collectives.py:195 in all_reduce, code: tensor = torch.ops._c10d_functional.all_reduce(
        all_reduce: "i64[][]cpu" = torch.ops._c10d_functional.all_reduce.default(scalar_tensor, 'max', '0');  scalar_tensor = None

        # File: /venv/site-packages/torch/distributed/_functional_collectives.py:143 in wait_tensor, code: return torch.ops._c10d_functional.wait_tensor(tensor)  # type: ignore[attr-defined]
        wait_tensor: "i64[][]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce);  all_reduce = None

        # File: /home/user/programs/q3.py:115 in f, code: u = z.view(-1).unsqueeze(0).expand(2, -1)
        view: "f32[6*u0 + 15][1]cpu" = torch.ops.aten.view.default(cat, [-1])
        unsqueeze: "f32[1, 6*u0 + 15][6*u0 + 15, 1]cpu" = torch.ops.aten.unsqueeze.default(view, 0);  view = None
        expand: "f32[2, 6*u0 + 15][0, 1]cpu" = torch.ops.aten.expand.default(unsqueeze, [2, -1]);  unsqueeze = None

        # File: /home/user/programs/q3.py:116 in f, code: k = t.item()
        _local_scalar_dense: "Sym(u1)" = torch.ops.aten._local_scalar_dense.default(wait_tensor);  wait_tensor = None

        # File: /home/user/programs/q3.py:117 in f, code: torch._check(k >= 0)
        ge_1: "Sym(u1 >= 0)" = _local_scalar_dense >= 0
        _assert_scalar_2 = torch.ops.aten._assert_scalar.default(ge_1, "Runtime assertion failed for expression u1 >= 0 on node 'ge'");  ge_1 = _assert_scalar_2 = None

        # File: /home/user/programs/q3.py:118 in f, code: torch._check(k <= 100)
        le_1: "Sym(u1 <= 100)" = _local_scalar_dense <= 100
        _assert_scalar_3 = torch.ops.aten._assert_scalar.default(le_1, "Runtime assertion failed for expression u1 <= 100 on node 'le'");  le_1 = _assert_scalar_3 = None

        # File: /home/user/programs/q3.py:119 in f, code: return z.sum(0), u.mean(1), torch.zeros(k + 2, 3).shape[0] * 2 + n, y.new_ones(n * 2 + 1)
        sum_1: "f32[3][1]cpu" = torch.ops.aten.sum.dim_IntList(cat, [0]);  cat = None
        mean: "f32[2][1]cpu" = torch.ops.aten.mean.dim(expand, [1]);  expand = None
        add: "Sym(u1 + 2)" = _local_scalar_dense + 2;  _local_scalar_dense = None
        mul_1: "Sym(2*u1 + 4)" = add * 2;  add = None
        add_1: "Sym(u0 + 2*u1 + 4)" = mul_1 + sym_size_int;  mul_1 = None
        mul_2: "Sym(2*u0)" = sym_size_int * 2;  sym_size_int = None
        add_2: "Sym(2*u0 + 1)" = mul_2 + 1;  mul_2 = None
        full_1: "f32[2*u0 + 1][1]cpu" = torch.ops.aten.full.default([add_2], 1, dtype = torch.float32, layout = torch.strided, device = device(type='cpu'), pin_memory = False);  add_2 = None
        return (sum_1, mean, add_1, full_1)

