class f(torch.nn.Module):
    def forward(self, a_1: "f32[2, 4][4, 1]cpu", b_1: "f32[3, 2][2, 1]cpu", out_1: "f32[6, 4][4, 1]cpu"):
        # No stacktrace found for following nodes
        t: "f32[2, 3][1, 2]cpu" = torch.ops.aten.t.default(b_1);  b_1 = None
        clone: "f32[2, 3][3, 1]cpu" = torch.ops.aten.clone.default(t, memory_format = torch.contiguous_format);  t = None
        all_gather_into_tensor_coalesced = torch.ops._c10d_functional.all_gather_into_tensor_coalesced.default([a_1, clone], 3, '0');  clone = None
        getitem: "f32[6, 4][4, 1]cpu" = all_gather_into_tensor_coalesced[0]
        getitem_1: "f32[6, 3][3, 1]cpu" = all_gather_into_tensor_coalesced[1];  all_gather_into_tensor_coalesced = None
        wait_tensor: "f32[6, 4][4, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(getitem);  getitem = None
        wait_tensor_1: "f32[6, 3][3, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(getitem_1);  getitem_1 = None
        mul: "f32[6, 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(wait_tensor, 2);  wait_tensor = None
        reduce_scatter_tensor_coalesced = torch.ops._c10d_functional.reduce_scatter_tensor_coalesced.default([mul, wait_tensor_1], 'sum', 3, '0');  mul = wait_tensor_1 = None
        getitem_2: "f32[2, 4][4, 1]cpu" = reduce_scatter_tensor_coalesced[0]
        getitem_3: "f32[2, 3][3, 1]cpu" = reduce_scatter_tensor_coalesced[1];  reduce_scatter_tensor_coalesced = None
        wait_tensor_2: "f32[2, 4][4, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(getitem_2);  getitem_2 = None
        wait_tensor_3: "f32[2, 3][3, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(getitem_3);  getitem_3 = None
        all_gather_into_tensor_out: "f32[6, 4][4, 1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor_out.default(a_1, 3, '0', out = out_1);  a_1 = None
        wait_tensor_4: "f32[6, 4][4, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_gather_into_tensor_out);  all_gather_into_tensor_out = None
        clone_1: "f32[6, 4][4, 1]cpu" = torch.ops.aten.clone.default(wait_tensor_4);  wait_tensor_4 = None
        broadcast: "f32[6, 4][4, 1]cpu" = torch.ops._c10d_functional.broadcast.default(clone_1, 2, '0');  clone_1 = None
        wait_tensor_5: "f32[6, 4][4, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(broadcast);  broadcast = None
        view: "f32[6][1]cpu" = torch.ops.aten.view.default(wait_tensor_3, [-1]);  wait_tensor_3 = None
        all_reduce_coalesced = torch.ops._c10d_functional.all_reduce_coalesced.default([wait_tensor_2, view], 'max', '0');  view = None
        getitem_4: "f32[2, 4][4, 1]cpu" = all_reduce_coalesced[0]
        getitem_5: "f32[6][1]cpu" = all_reduce_coalesced[1];  all_reduce_coalesced = None
        wait_tensor_6: "f32[2, 4][4, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(getitem_4);  getitem_4 = None
        add: "f32[2, 4][4, 1]cpu" = torch.ops.aten.add.Tensor(wait_tensor_2, wait_tensor_6);  wait_tensor_2 = wait_tensor_6 = None
        wait_tensor_7: "f32[6][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(getitem_5);  getitem_5 = None
        return (add, wait_tensor_7, wait_tensor_5, out_1)

