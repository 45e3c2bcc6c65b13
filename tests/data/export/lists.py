class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[2, 6][6, 1]cpu", y: "f32[3, 5][5, 1]cpu"):
        # File: /tmp/export/programs.py:28 in forward, code: a, b = funcol.all_gather_into_tensor_coalesced([x, y], world)
        all_gather_into_tensor_coalesced = torch.ops._c10d_functional.all_gather_into_tensor_coalesced.default([x, y], 2, '0');  x = y = None
        getitem: "f32[4, 6][6, 1]cpu" = all_gather_into_tensor_coalesced[0]
        getitem_1: "f32[6, 5][5, 1]cpu" = all_gather_into_tensor_coalesced[1];  all_gather_into_tensor_coalesced = None
        wait_tensors = torch.ops._c10d_functional.wait_tensors.default([getitem, getitem_1]);  getitem = getitem_1 = None
        getitem_2: "f32[4, 6][6, 1]cpu" = wait_tensors[0]
        getitem_3: "f32[6, 5][5, 1]cpu" = wait_tensors[1];  wait_tensors = None

        # File: /tmp/export/programs.py:29 in forward, code: q, k = torch.chunk(a, 2, dim=-1)
        chunk = torch.ops.aten.chunk.default(getitem_2, 2, -1);  getitem_2 = None
        getitem_4: "f32[4, 3][6, 1]cpu" = chunk[0]
        getitem_5: "f32[4, 3][6, 1]cpu" = chunk[1];  chunk = None

        # File: /tmp/export/programs.py:30 in forward, code: values, _ = torch.max(b, dim=-1)
        max_1 = torch.ops.aten.max.dim(getitem_3, -1);  getitem_3 = None
        getitem_6: "f32[6][1]cpu" = max_1[0]
        getitem_7: "i64[6][1]cpu" = max_1[1];  max_1 = getitem_7 = None

        # File: /tmp/export/programs.py:31 in forward, code: top, _ = torch.topk(q, 2, dim=-1)
        topk = torch.ops.aten.topk.default(getitem_4, 2)
        getitem_8: "f32[4, 2][2, 1]cpu" = topk[0]
        getitem_9: "i64[4, 2][2, 1]cpu" = topk[1];  topk = getitem_9 = None

        # File: /tmp/export/programs.py:32 in forward, code: r = funcol.reduce_scatter_tensor(q + k, "avg", 0, world)
        add: "f32[4, 3][3, 1]cpu" = torch.ops.aten.add.Tensor(getitem_4, getitem_5);  getitem_4 = getitem_5 = None
        reduce_scatter_tensor: "f32[2, 3][3, 1]cpu" = torch.ops._c10d_functional.reduce_scatter_tensor.default(add, 'avg', 2, '0');  add = None
        wait_tensor: "f32[2, 3][3, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(reduce_scatter_tensor);  reduce_scatter_tensor = None

        # File: /tmp/export/programs.py:33 in forward, code: return r + 1.0, values, top.to(torch.bfloat16), 2.0
        add_1: "f32[2, 3][3, 1]cpu" = torch.ops.aten.add.Tensor(wait_tensor, 1.0);  wait_tensor = None
        _assert_tensor_metadata_default = torch.ops.aten._assert_tensor_metadata.default(getitem_8, dtype = torch.float32, device = device(type='cpu'), layout = torch.strided);  _assert_tensor_metadata_default = None
        to: "bf16[4, 2][2, 1]cpu" = torch.ops.aten.to.dtype(getitem_8, torch.bfloat16);  getitem_8 = None
        return (add_1, getitem_6, to, 2.0)
