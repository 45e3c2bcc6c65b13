class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[s77, 6][6, 1]cpu", y: "f32[s17, 6][6, 1]cpu"):
        # No stacktrace found for following nodes
        sym_size_int_1: "Sym(s77)" = torch.ops.aten.sym_size.int(x, 0)

        # File: /tmp/export/programs.py:38 in forward, code: z = torch.cat([x, y], 0)
        cat: "f32[s17 + s77, 6][6, 1]cpu" = torch.ops.aten.cat.default([x, y]);  x = y = None

        # File: /tmp/export/programs.py:39 in forward, code: w = funcol.all_gather_tensor(z, 0, world)
        all_gather_into_tensor: "f32[2*s17 + 2*s77, 6][6, 1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(cat, 2, '0')
        wait_tensor: "f32[2*s17 + 2*s77, 6][6, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_gather_into_tensor);  all_gather_into_tensor = None

        # File: /tmp/export/programs.py:40 in forward, code: return w.reshape(x.shape[0] * 4, -1).sum(0), z.new_full((x.shape[0], 2), float("-inf"))
        mul: "Sym(4*s77)" = sym_size_int_1 * 4
        reshape: "f32[2*s17 + 2*s77, 6][6, 1]cpu" = torch.ops.aten.reshape.default(wait_tensor, [mul, -1]);  wait_tensor = mul = None
        sum_1: "f32[6][1]cpu" = torch.ops.aten.sum.dim_IntList(reshape, [0]);  reshape = None
        new_full: "f32[s77, 2][2, 1]cpu" = torch.ops.aten.new_full.default(cat, [sym_size_int_1, 2], -inf, pin_memory = False);  cat = sym_size_int_1 = None
        return (sum_1, new_full)
