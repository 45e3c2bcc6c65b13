class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[3][1]cpu"):
        # File: /tmp/export/programs.py:51 in forward, code: return torch.cond(x.sum() > 0, reduced, alone, (x,))
        sum_1: "f32[][]cpu" = torch.ops.aten.sum.default(x)
        gt: "b8[][]cpu" = torch.ops.aten.gt.Scalar(sum_1, 0);  sum_1 = None

        # File: <eval_with_key>.23:9 in forward, code: cond = torch.ops.higher_order.cond(l_args_0_, cond_true_0, cond_false_0, (l_args_3_0_,));  l_args_0_ = cond_true_0 = cond_false_0 = l_args_3_0_ = None
        true_graph_0 = self.true_graph_0
        false_graph_0 = self.false_graph_0
        cond = torch.ops.higher_order.cond(gt, true_graph_0, false_graph_0, (x,));  gt = true_graph_0 = false_graph_0 = x = None
        getitem: "f32[3][1]cpu" = cond[0];  cond = None
        return (getitem,)

    class true_graph_0(torch.nn.Module):
        def forward(self, x: "f32[3][1]cpu"):
            # File: <eval_with_key>.24:6 in forward, code: tensor = torch.ops._c10d_functional.all_reduce(l_args_3_0__1, 'sum', '0');  l_args_3_0__1 = None
            all_reduce: "f32[3][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0');  x = None

            # File: <eval_with_key>.24:7 in forward, code: wait_tensor = torch.ops._c10d_functional.wait_tensor(tensor);  tensor = None
            wait_tensor: "f32[3][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce);  all_reduce = None

            # File: <eval_with_key>.24:8 in forward, code: mul = wait_tensor * 2;  wait_tensor = None
            mul: "f32[3][1]cpu" = torch.ops.aten.mul.Tensor(wait_tensor, 2);  wait_tensor = None
            return (mul,)

    class false_graph_0(torch.nn.Module):
        def forward(self, x: "f32[3][1]cpu"):
            # File: <eval_with_key>.25:6 in forward, code: sin = l_args_3_0__1.sin();  l_args_3_0__1 = None
            sin: "f32[3][1]cpu" = torch.ops.aten.sin.default(x);  x = None
            return (sin,)
