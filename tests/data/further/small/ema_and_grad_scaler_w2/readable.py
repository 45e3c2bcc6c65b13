class step(torch.nn.Module):
    def forward(self, p_1: "f32[6][1]cpu", e_1: "f32[6][1]cpu", scale_1: "f32[][]cpu", growth_1: "i32[][]cpu", gr_1: "f16[6][1]cpu"):
        # No stacktrace found for following nodes
        abs_1: "f16[6][1]cpu" = torch.ops.aten.abs.default(gr_1)
        ne: "b8[6][1]cpu" = torch.ops.aten.ne.Scalar(abs_1, inf);  abs_1 = None
        eq: "b8[6][1]cpu" = torch.ops.aten.eq.Tensor(gr_1, gr_1)
        mul: "b8[6][1]cpu" = torch.ops.aten.mul.Tensor(eq, ne);  eq = ne = None
        bitwise_not: "b8[6][1]cpu" = torch.ops.aten.bitwise_not.default(mul);  mul = None
        any_1: "b8[][]cpu" = torch.ops.aten.any.default(bitwise_not);  bitwise_not = None
        _to_copy: "f32[][]cpu" = torch.ops.aten._to_copy.default(any_1, dtype = torch.float32);  any_1 = None
        all_reduce: "f32[][]cpu" = torch.ops._c10d_functional.all_reduce.default(_to_copy, 'max', '0');  _to_copy = None
        wait_tensor: "f32[][]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce);  all_reduce = None
        _to_copy_1: "f32[6][1]cpu" = torch.ops.aten._to_copy.default(gr_1, dtype = torch.float32);  gr_1 = None
        div: "f32[6][1]cpu" = torch.ops.aten.div.Tensor(_to_copy_1, scale_1);  _to_copy_1 = None
        all_reduce_1: "f32[6][1]cpu" = torch.ops._c10d_functional.all_reduce.default(div, 'avg', '0');  div = None
        wait_tensor_1: "f32[6][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_1);  all_reduce_1 = None
        gt: "b8[][]cpu" = torch.ops.aten.gt.Scalar(wait_tensor, 0)
        clamp: "f32[6][1]cpu" = torch.ops.aten.clamp.default(wait_tensor_1, -1, 1);  wait_tensor_1 = None
        mul_1: "f32[6][1]cpu" = torch.ops.aten.mul.Tensor(clamp, 0.1);  clamp = None
        sub: "f32[6][1]cpu" = torch.ops.aten.sub.Tensor(p_1, mul_1);  mul_1 = None
        where: "f32[6][1]cpu" = torch.ops.aten.where.self(gt, p_1, sub);  gt = p_1 = sub = None
        lerp_: "f32[6][1]cpu" = torch.ops.aten.lerp_.Scalar(e_1, where, 0.01);  e_1 = None
        gt_1: "b8[][]cpu" = torch.ops.aten.gt.Scalar(wait_tensor, 0)
        add: "i32[][]cpu" = torch.ops.aten.add.Tensor(growth_1, 1)
        scalar_tensor: "i32[][]cpu" = torch.ops.aten.scalar_tensor.default(0, dtype = torch.int32, layout = torch.strided, device = device(type='cpu'))
        where_1: "i32[][]cpu" = torch.ops.aten.where.self(gt_1, scalar_tensor, add);  gt_1 = scalar_tensor = add = None
        gt_2: "b8[][]cpu" = torch.ops.aten.gt.Scalar(wait_tensor, 0);  wait_tensor = None
        mul_2: "f32[][]cpu" = torch.ops.aten.mul.Tensor(scale_1, 0.5)
        ge: "b8[][]cpu" = torch.ops.aten.ge.Scalar(where_1, 2000)
        mul_3: "f32[][]cpu" = torch.ops.aten.mul.Tensor(scale_1, 2)
        where_2: "f32[][]cpu" = torch.ops.aten.where.self(ge, mul_3, scale_1);  ge = mul_3 = None
        where_3: "f32[][]cpu" = torch.ops.aten.where.self(gt_2, mul_2, where_2);  gt_2 = mul_2 = where_2 = None
        copy_: "f32[][]cpu" = torch.ops.aten.copy_.default(scale_1, where_3);  scale_1 = where_3 = None
        copy__1: "i32[][]cpu" = torch.ops.aten.copy_.default(growth_1, where_1);  growth_1 = where_1 = None
        return (where, lerp_, copy_, copy__1)

