class <lambda>(torch.nn.Module):
    def forward(self, arg0_1: "Sym(s77)", arg1_1: "Sym(s27)", arg2_1: "f32[s77, s27, 3][3*s27, 3, 1]cpu"):
        # File: /home/user/programs/q3.py:31 in f, code: y = x.reshape(b * s, d) * 2
        mul: "Sym(s27*s77)" = arg0_1 * arg1_1
        view: "f32[s27*s77, 3][3, 1]cpu" = torch.ops.aten.view.default(arg2_1, [mul, 3]);  mul = None
        mul_7: "f32[s27*s77, 3][3, 1]cpu" = torch.ops.aten.mul.Tensor(view, 2);  view = None

        # File: /venv/site-packages/torch/distributed/_functional_collectives.py:229 in all_gather_single, code: tensor = torch.ops._c10d_functional.all_gather_into_tensor(
        all_gather_into_tensor: "f32[2*s27*s77, 3][3, 1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(mul_7, 2, '0');  mul_7 = None

        # File: /venv/site-packages/torch/distributed/_functional_collectives.py:143 in wait_tensor, code: return torch.ops._c10d_functional.wait_tensor(tensor)  # type: ignore[attr-defined]
        wait_tensor: "f32[2*s27*s77, 3][3, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_gather_into_tensor);  all_gather_into_tensor = None

        # File: /home/user/programs/q3.py:33 in f, code: z = y.view(2, b, s, d).transpose(0, 1).reshape(b, 2 * s, d)
        view_1: "f32[2, s77, s27, 3][3*s27*s77, 3*s27, 3, 1]cpu" = torch.ops.aten.view.default(wait_tensor, [2, arg0_1, arg1_1, 3]);  wait_tensor = None
        permute: "f32[s77, 2, s27, 3][3*s27, 3*s27*s77, 3, 1]cpu" = torch.ops.aten.permute.default(view_1, [1, 0, 2, 3]);  view_1 = None
        mul_8: "Sym(2*s27)" = 2 * arg1_1
        clone: "f32[s77, 2, s27, 3][6*s27, 3*s27, 3, 1]cpu" = torch.ops.aten.clone.default(permute, memory_format = torch.contiguous_format);  permute = None
        view_2: "f32[s77, 2*s27, 3][6*s27, 3, 1]cpu" = torch.ops.aten.view.default(clone, [arg0_1, mul_8, 3]);  clone = mul_8 = None

        # File: /home/user/programs/q3.py:34 in f, code: u = z[:, s // 2:].contiguous()
        floordiv: "Sym((s27//2))" = arg1_1 // 2
        slice_1: "f32[s77, 2*s27, 3][6*s27, 3, 1]cpu" = torch.ops.aten.slice.Tensor(view_2, 0, 0, 9223372036854775807)
        slice_2: "f32[s77, 2*s27 - ((s27//2)), 3][6*s27, 3, 1]cpu" = torch.ops.aten.slice.Tensor(slice_1, 1, floordiv, 9223372036854775807);  slice_1 = None
        clone_1: "f32[s77, 2*s27 - ((s27//2)), 3][3*Max(1, 2*s27 - ((s27//2))), 3, 1]cpu" = torch.ops.aten.clone.default(slice_2, memory_format = torch.contiguous_format);  slice_2 = None

        # File: /home/user/programs/q3.py:35 in f, code: v = torch.cat([u, x[:, :1], x], 1)
        slice_3: "f32[s77, s27, 3][3*s27, 3, 1]cpu" = torch.ops.aten.slice.Tensor(arg2_1, 0, 0, 9223372036854775807)
        slice_4: "f32[s77, 1, 3][3*s27, 3, 1]cpu" = torch.ops.aten.slice.Tensor(slice_3, 1, 0, 1);  slice_3 = None
        cat: "f32[s77, 3*s27 - ((s27//2)) + 1, 3][3*Max(1, 3*s27 - ((s27//2)) + 1), 3, 1]cpu" = torch.ops.aten.cat.default([clone_1, slice_4, arg2_1], 1);  clone_1 = slice_4 = None

        # File: /home/user/programs/q3.py:36 in f, code: w = v.flatten(0, 1).unsqueeze(1).expand(-1, 3, -1).reshape(-1, d)
        sym_size_int_5: "Sym(3*s27 - ((s27//2)) + 1)" = torch.ops.aten.sym_size.int(cat, 1)
        mul_45: "Sym(s77*(3*s27 - ((s27//2)) + 1))" = arg0_1 * sym_size_int_5;  sym_size_int_5 = None
        view_3: "f32[s77*(3*s27 - ((s27//2)) + 1), 3][3, 1]cpu" = torch.ops.aten.view.default(cat, [mul_45, 3]);  cat = mul_45 = None
        unsqueeze: "f32[s77*(3*s27 - ((s27//2)) + 1), 1, 3][3, 3, 1]cpu" = torch.ops.aten.unsqueeze.default(view_3, 1)
        expand: "f32[s77*(3*s27 - ((s27//2)) + 1), 3, 3][3, 0, 1]cpu" = torch.ops.aten.expand.default(unsqueeze, [-1, 3, -1]);  unsqueeze = None
        sym_size_int_6: "Sym(s77*(3*s27 - ((s27//2)) + 1))" = torch.ops.aten.sym_size.int(view_3, 0);  view_3 = None
        mul_52: "Sym(3*s77*(3*s27 - ((s27//2)) + 1))" = sym_size_int_6 * 3;  sym_size_int_6 = None
        mul_53: "Sym(9*s77*(3*s27 - ((s27//2)) + 1))" = mul_52 * 3;  mul_52 = None
        floordiv_1: "Sym(3*s77*(3*s27 - ((s27//2)) + 1))" = mul_53 // 3;  mul_53 = None
        clone_2: "f32[s77*(3*s27 - ((s27//2)) + 1), 3, 3][9, 3, 1]cpu" = torch.ops.aten.clone.default(expand, memory_format = torch.contiguous_format);  expand = None
        view_4: "f32[3*s77*(3*s27 - ((s27//2)) + 1), 3][3, 1]cpu" = torch.ops.aten.view.default(clone_2, [floordiv_1, 3]);  clone_2 = floordiv_1 = None

        # File: /home/user/programs/q3.py:37 in f, code: return w.sum(0), v.view(-1).shape[0] + 1, z.unflatten(1, (2, s)).mean(1), torch.arange(s) * b, v.repeat(1, 2, 1).shape[1] * x
        sum_1: "f32[3][1]cpu" = torch.ops.aten.sum.dim_IntList(view_4, [0]);  view_4 = None
        mul_64: "Sym(-((s27//2)))" = -1 * floordiv
        mul_65: "Sym(3*s27)" = 3 * arg1_1
        sym_sum: "Sym(3*s27 - ((s27//2)) + 1)" = torch.sym_sum((1, mul_64, mul_65));  mul_64 = mul_65 = None
        mul_66: "Sym(3*s77)" = 3 * arg0_1
        mul_67: "Sym(3*s77*(3*s27 - ((s27//2)) + 1))" = mul_66 * sym_sum;  mul_66 = sym_sum = None
        add: "Sym(3*s77*(3*s27 - ((s27//2)) + 1) + 1)" = mul_67 + 1;  mul_67 = None
        view_6: "f32[s77, 2, s27, 3][6*s27, 3*s27, 3, 1]cpu" = torch.ops.aten.view.default(view_2, [arg0_1, 2, arg1_1, 3]);  view_2 = None
        mean: "f32[s77, s27, 3][3*s27, 3, 1]cpu" = torch.ops.aten.mean.dim(view_6, [1]);  view_6 = None
        iota: "i64[s27][1]cpu" = torch.ops.prims.iota.default(arg1_1, start = 0, step = 1, dtype = torch.int64, device = device(type='cpu'), requires_grad = False)
        mul_69: "i64[s27][1]cpu" = torch.ops.aten.mul.Tensor(iota, arg0_1);  iota = arg0_1 = None
        mul_70: "Sym(-2*((s27//2)))" = -2 * floordiv;  floordiv = None
        mul_71: "Sym(6*s27)" = 6 * arg1_1;  arg1_1 = None
        sym_sum_1: "Sym(6*s27 - 2*((s27//2)) + 2)" = torch.sym_sum((2, mul_70, mul_71));  mul_70 = mul_71 = None
        mul_72: "f32[s77, s27, 3][3*s27, 3, 1]cpu" = torch.ops.aten.mul.Tensor(arg2_1, sym_sum_1);  arg2_1 = sym_sum_1 = None
        return (sum_1, add, mean, mul_69, mul_72)

