class forward(torch.nn.Module):
    def forward(self, bw_state, x: "f64[2][1]cpu"):
        # No stacktrace found for following nodes
        cos: "f64[2][1]cpu" = torch.ops.aten.cos.default(x)
        alias: "f64[2][1]cpu" = torch.ops.aten.alias.default(cos);  cos = None
        mul: "f64[2][1]cpu" = torch.ops.aten.mul.Tensor(alias, 3);  alias = None
        alias_1: "f64[2][1]cpu" = torch.ops.aten.alias.default(mul);  mul = None
        sin: "f64[2][1]cpu" = torch.ops.aten.sin.default(alias_1)
        neg: "f64[2][1]cpu" = torch.ops.aten.neg.default(sin);  sin = None
        sum_1: "f64[][]cpu" = torch.ops.aten.sum.default(neg);  neg = None
        ones_like: "f64[][]cpu" = torch.ops.aten.ones_like.default(sum_1);  sum_1 = None
        view: "f64[1][1]cpu" = torch.ops.aten.view.default(ones_like, [1]);  ones_like = None
        expand: "f64[2][0]cpu" = torch.ops.aten.expand.default(view, [2]);  view = None
        neg_1: "f64[2][1]cpu" = torch.ops.aten.neg.default(expand);  expand = None
        cos_1: "f64[2][1]cpu" = torch.ops.aten.cos.default(alias_1);  alias_1 = None
        mul_1: "f64[2][1]cpu" = torch.ops.aten.mul.Tensor(neg_1, cos_1);  neg_1 = cos_1 = None
        call_module_hooks_from_backward_state = torch._dynamo.external_utils.call_module_hooks_from_backward_state(None, (mul_1,), bw_state = bw_state, hooks_name = 'hook1', module_name = 'mod0');  mul_1 = None
        getitem: "f64[2][1]cpu" = call_module_hooks_from_backward_state[0];  call_module_hooks_from_backward_state = None
        mul_2: "f64[2][1]cpu" = torch.ops.aten.mul.Tensor(getitem, 3)
        call_module_hooks_from_backward_state_1 = torch._dynamo.external_utils.call_module_hooks_from_backward_state(None, (mul_2,), (getitem,), bw_state = bw_state, hooks_name = 'hook2', module_name = 'mod0');  mul_2 = getitem = bw_state = None
        getitem_1: "f64[2][1]cpu" = call_module_hooks_from_backward_state_1[0];  call_module_hooks_from_backward_state_1 = None
        sin_1: "f64[2][1]cpu" = torch.ops.aten.sin.default(x);  x = None
        neg_2: "f64[2][1]cpu" = torch.ops.aten.neg.default(getitem_1);  getitem_1 = None
        mul_3: "f64[2][1]cpu" = torch.ops.aten.mul.Tensor(neg_2, sin_1);  neg_2 = sin_1 = None
        return (mul_3,)
