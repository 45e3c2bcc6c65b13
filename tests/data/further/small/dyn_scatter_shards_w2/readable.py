class <lambda>(torch.nn.Module):
    def forward(self, arg0_1: "Sym(s77)", arg1_1: "f32[s77, 4][4, 1]cpu"):
        # File: /home/user/programs/q3.py:48 in f, code: y = fc.reduce_scatter_tensor(torch.cat([x, x]), "sum", 0, g)
        unsqueeze: "f32[1, s77, 4][4*s77, 4, 1]cpu" = torch.ops.aten.unsqueeze.default(arg1_1, 0)
        expand: "f32[2, s77, 4][0, 4, 1]cpu" = torch.ops.aten.expand.default(unsqueeze, [2, arg0_1, 4]);  unsqueeze = None
        mul: "Sym(2*s77)" = 2 * arg0_1
        clone: "f32[2, s77, 4][4*s77, 4, 1]cpu" = torch.ops.aten.clone.default(expand, memory_format = torch.contiguous_format);  expand = None
        view: "f32[2*s77, 4][4, 1]cpu" = torch.ops.aten.view.default(clone, [mul, 4]);  clone = None
        clone_1: "f32[2*s77, 4][4, 1]cpu" = torch.ops.aten.clone.default(view);  view = None

        # File: /venv/site-packages/torch/distributed/_functional_collectives.py:299 in reduce_scatter_single, code: tensor = torch.ops._c10d_functional.reduce_scatter_tensor(
        reduce_scatter_tensor: "f32[s77, 4][4, 1]cpu" = torch.ops._c10d_functional.reduce_scatter_tensor.default(clone_1, 'sum', 2, '0');  clone_1 = None

        # File: /venv/site-packages/torch/distributed/_functional_collectives.py:143 in wait_tensor, code: return torch.ops._c10d_functional.wait_tensor(tensor)  # type: ignore[attr-defined]
        wait_tensor: "f32[s77, 4][4, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(reduce_scatter_tensor);  reduce_scatter_tensor = None

        # File: /venv/site-packages/torch/nn/functional.py:5896 in pad, code: return torch._C._nn.pad(input, pad, mode, value)
        constant_pad_nd: "f32[s77 + 3, 4][4, 1]cpu" = torch.ops.aten.constant_pad_nd.default(wait_tensor, [0, 0, 1, 2], 0.0)

        # File: /home/user/programs/q3.py:50 in f, code: q = p[1:n + 1] + x
        add: "Sym(s77 + 1)" = arg0_1 + 1
        slice_1: "f32[s77, 4][4, 1]cpu" = torch.ops.aten.slice.Tensor(constant_pad_nd, 0, 1, add);  add = None
        add_1: "f32[s77, 4][4, 1]cpu" = torch.ops.aten.add.Tensor(slice_1, arg1_1);  slice_1 = None

        # File: /home/user/programs/q3.py:51 in f, code: r = fc.all_gather_tensor(q[: n // 2], 0, g)
        floordiv: "Sym((s77//2))" = arg0_1 // 2
        slice_2: "f32[(s77//2), 4][4, 1]cpu" = torch.ops.aten.slice.Tensor(add_1, 0, 0, floordiv);  add_1 = None

        # File: /venv/site-packages/torch/distributed/_functional_collectives.py:229 in all_gather_single, code: tensor = torch.ops._c10d_functional.all_gather_into_tensor(
        all_gather_into_tensor: "f32[2*((s77//2)), 4][4, 1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(slice_2, 2, '0');  slice_2 = None

        # File: /venv/site-packages/torch/distributed/_functional_collectives.py:143 in wait_tensor, code: return torch.ops._c10d_functional.wait_tensor(tensor)  # type: ignore[attr-defined]
        wait_tensor_1: "f32[2*((s77//2)), 4][4, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_gather_into_tensor);  all_gather_into_tensor = None

        # File: /home/user/programs/q3.py:52 in f, code: a, b = r.chunk(2)
        split = torch.ops.aten.split.Tensor(wait_tensor_1, floordiv);  wait_tensor_1 = floordiv = None
        getitem: "f32[(s77//2), 4][4, 1]cpu" = split[0]
        getitem_1: "f32[(s77//2), 4][4, 1]cpu" = split[1];  split = None

        # File: /home/user/programs/q3.py:53 in f, code: return a * b, p.narrow(0, 0, n), torch.stack([x, y], 1).flatten(0, 1), x.new_zeros(n * 2, 3).shape[0] - n % 4
        mul_12: "f32[(s77//2), 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(getitem, getitem_1);  getitem = getitem_1 = None
        slice_3: "f32[s77, 4][4, 1]cpu" = torch.ops.aten.slice.Tensor(constant_pad_nd, 0, 0, arg0_1);  constant_pad_nd = None
        cat: "f32[s77, 8][8, 1]cpu" = torch.ops.aten.cat.default([arg1_1, wait_tensor], 1);  arg1_1 = wait_tensor = None
        view_1: "f32[s77, 2, 4][8, 4, 1]cpu" = torch.ops.aten.view.default(cat, [arg0_1, 2, 4]);  cat = None
        view_2: "f32[2*s77, 4][4, 1]cpu" = torch.ops.aten.view.default(view_1, [mul, 4]);  view_1 = None
        mod: "Sym(Mod(s77, 4))" = arg0_1 % 4;  arg0_1 = None
        sub_2: "Sym(2*s77 - (Mod(s77, 4)))" = mul - mod;  mul = mod = None
        return (mul_12, slice_3, view_2, sub_2)

