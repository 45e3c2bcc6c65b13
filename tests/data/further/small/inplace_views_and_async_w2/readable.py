class f(torch.nn.Module):
    def forward(self, buf_1: "f32[4, 3][3, 1]cpu", x_1: "f32[2, 3][3, 1]cpu"):
        # No stacktrace found for following nodes
        slice_1: "f32[2, 3][3, 1]cpu" = torch.ops.aten.slice.Tensor(buf_1, 0, 1, 3)
        add_: "f32[2, 3][3, 1]cpu" = torch.ops.aten.add_.Tensor(slice_1, x_1);  slice_1 = add_ = None
        all_reduce: "f32[4, 3][3, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(buf_1, 'sum', '0')
        mul: "f32[2, 3][3, 1]cpu" = torch.ops.aten.mul.Tensor(x_1, 3);  x_1 = None
        clone: "f32[4, 3][3, 1]cpu" = torch.ops.aten.clone.default(buf_1)
        select: "f32[4][3]cpu" = torch.ops.aten.select.int(clone, 1, 0)
        fill_: "f32[4][3]cpu" = torch.ops.aten.fill_.Scalar(select, 2);  select = fill_ = None
        wait_tensor: "f32[4, 3][3, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce);  all_reduce = None
        copy_: "f32[4, 3][3, 1]cpu" = torch.ops.aten.copy_.default(buf_1, wait_tensor);  buf_1 = wait_tensor = None
        t: "f32[3, 4][1, 3]cpu" = torch.ops.aten.t.default(copy_)
        select_1: "f32[4][3]cpu" = torch.ops.aten.select.int(t, 0, 0)
        fill__1: "f32[4][3]cpu" = torch.ops.aten.fill_.Scalar(select_1, 5);  select_1 = fill__1 = None
        clone_1: "f32[3, 4][4, 1]cpu" = torch.ops.aten.clone.default(t, memory_format = torch.contiguous_format);  t = None
        all_gather_into_tensor: "f32[6, 4][4, 1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(clone_1, 2, '0');  clone_1 = None
        relu_: "f32[2, 3][3, 1]cpu" = torch.ops.aten.relu_.default(mul);  mul = None
        wait_tensor_1: "f32[6, 4][4, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_gather_into_tensor);  all_gather_into_tensor = None
        return (wait_tensor_1, relu_, clone, copy_)

