class step(torch.nn.Module):
    def forward(self, m_1: "f32[6, 4][4, 1]cpu", q_1: "f32[4, 2][2, 1]cpu", err_1: "f32[6, 4][4, 1]cpu"):
        # No stacktrace found for following nodes
        add: "f32[6, 4][4, 1]cpu" = torch.ops.aten.add.Tensor(m_1, err_1);  m_1 = err_1 = None
        mm: "f32[6, 2][2, 1]cpu" = torch.ops.aten.mm.default(add, q_1);  q_1 = None
        all_reduce: "f32[6, 2][2, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(mm, 'avg', '0');  mm = None
        wait_tensor: "f32[6, 2][2, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce);  all_reduce = None
        linalg_qr = torch.ops.aten.linalg_qr.default(wait_tensor);  wait_tensor = None
        getitem: "f32[6, 2][1, 6]cpu" = linalg_qr[0]
        getitem_1: "f32[2, 2][1, 2]cpu" = linalg_qr[1];  linalg_qr = getitem_1 = None
        permute: "f32[4, 6][1, 4]cpu" = torch.ops.aten.permute.default(add, [1, 0])
        mm_1: "f32[4, 2][2, 1]cpu" = torch.ops.aten.mm.default(permute, getitem);  permute = None
        all_reduce_1: "f32[4, 2][2, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(mm_1, 'avg', '0');  mm_1 = None
        wait_tensor_1: "f32[4, 2][2, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_1);  all_reduce_1 = None
        permute_1: "f32[2, 4][1, 2]cpu" = torch.ops.aten.permute.default(wait_tensor_1, [1, 0])
        mm_2: "f32[6, 4][4, 1]cpu" = torch.ops.aten.mm.default(getitem, permute_1);  getitem = permute_1 = None
        sub: "f32[6, 4][4, 1]cpu" = torch.ops.aten.sub.Tensor(add, mm_2);  add = None
        return (mm_2, sub, wait_tensor_1)

