class <lambda>(torch.nn.Module):
    def forward(self, arg0_1: "f32[16, 32][32, 1]cpu", arg1_1: "f32[32][1]cpu", arg2_1: "f32[32, 32][32, 1]cpu", arg3_1: "f32[32][1]cpu", arg4_1: "f32[32, 6][6, 1]cpu", arg5_1: "f32[6][1]cpu", arg6_1: "f32[16, 32][32, 1]cpu", arg7_1: "f32[32][1]cpu", arg8_1: "f32[32, 32][32, 1]cpu", arg9_1: "f32[32][1]cpu", arg10_1: "f32[32, 6][6, 1]cpu", arg11_1: "f32[6][1]cpu", arg12_1: "f32[8, 16][16, 1]cpu", arg13_1: "i64[8][1]cpu"):
        # No stacktrace found for following nodes
        alias: "f32[16, 32][32, 1]cpu" = torch.ops.aten.alias.default(arg0_1);  arg0_1 = None
        alias_1: "f32[32][1]cpu" = torch.ops.aten.alias.default(arg1_1);  arg1_1 = None
        alias_2: "f32[32, 32][32, 1]cpu" = torch.ops.aten.alias.default(arg2_1);  arg2_1 = None
        alias_3: "f32[32][1]cpu" = torch.ops.aten.alias.default(arg3_1);  arg3_1 = None
        alias_4: "f32[32, 6][6, 1]cpu" = torch.ops.aten.alias.default(arg4_1);  arg4_1 = None
        alias_5: "f32[6][1]cpu" = torch.ops.aten.alias.default(arg5_1);  arg5_1 = None
        mm: "f32[8, 32][32, 1]cpu" = torch.ops.aten.mm.default(arg12_1, alias)
        add: "f32[8, 32][32, 1]cpu" = torch.ops.aten.add.Tensor(mm, alias_1);  mm = None
        gelu: "f32[8, 32][32, 1]cpu" = torch.ops.aten.gelu.default(add)
        mm_1: "f32[8, 32][32, 1]cpu" = torch.ops.aten.mm.default(gelu, alias_2)
        add_1: "f32[8, 32][32, 1]cpu" = torch.ops.aten.add.Tensor(mm_1, alias_3);  mm_1 = None
        tanh: "f32[8, 32][32, 1]cpu" = torch.ops.aten.tanh.default(add_1);  add_1 = None
        alias_6: "f32[8, 32][32, 1]cpu" = torch.ops.aten.alias.default(tanh)
        mm_2: "f32[8, 6][6, 1]cpu" = torch.ops.aten.mm.default(tanh, alias_4)
        add_2: "f32[8, 6][6, 1]cpu" = torch.ops.aten.add.Tensor(mm_2, alias_5);  mm_2 = None
        _log_softmax: "f32[8, 6][6, 1]cpu" = torch.ops.aten._log_softmax.default(add_2, 1, False);  add_2 = None
        alias_7: "f32[8, 6][6, 1]cpu" = torch.ops.aten.alias.default(_log_softmax)
        nll_loss_forward = torch.ops.aten.nll_loss_forward.default(_log_softmax, arg13_1, None, 1, -100)
        getitem: "f32[][]cpu" = nll_loss_forward[0]
        getitem_1: "f32[][]cpu" = nll_loss_forward[1];  nll_loss_forward = None
        ones_like: "f32[][]cpu" = torch.ops.aten.ones_like.default(getitem, pin_memory = False, memory_format = torch.preserve_format)
        nll_loss_backward: "f32[8, 6][6, 1]cpu" = torch.ops.aten.nll_loss_backward.default(ones_like, _log_softmax, arg13_1, None, 1, -100, getitem_1);  ones_like = _log_softmax = arg13_1 = getitem_1 = None
        alias_8: "f32[8, 6][6, 1]cpu" = torch.ops.aten.alias.default(alias_7);  alias_7 = None
        _log_softmax_backward_data: "f32[8, 6][6, 1]cpu" = torch.ops.aten._log_softmax_backward_data.default(nll_loss_backward, alias_8, 1, torch.float32);  nll_loss_backward = alias_8 = None
        sum_1: "f32[1, 6][6, 1]cpu" = torch.ops.aten.sum.dim_IntList(_log_softmax_backward_data, [0], True)
        view: "f32[6][1]cpu" = torch.ops.aten.view.default(sum_1, [6]);  sum_1 = None
        t: "f32[32, 8][1, 32]cpu" = torch.ops.aten.t.default(tanh);  tanh = None
        mm_3: "f32[32, 6][6, 1]cpu" = torch.ops.aten.mm.default(t, _log_softmax_backward_data);  t = None
        t_1: "f32[6, 32][1, 6]cpu" = torch.ops.aten.t.default(alias_4)
        mm_4: "f32[8, 32][32, 1]cpu" = torch.ops.aten.mm.default(_log_softmax_backward_data, t_1);  _log_softmax_backward_data = t_1 = None
        alias_9: "f32[8, 32][32, 1]cpu" = torch.ops.aten.alias.default(alias_6);  alias_6 = None
        tanh_backward: "f32[8, 32][32, 1]cpu" = torch.ops.aten.tanh_backward.default(mm_4, alias_9);  mm_4 = alias_9 = None
        sum_2: "f32[1, 32][32, 1]cpu" = torch.ops.aten.sum.dim_IntList(tanh_backward, [0], True)
        view_1: "f32[32][1]cpu" = torch.ops.aten.view.default(sum_2, [32]);  sum_2 = None
        t_2: "f32[32, 8][1, 32]cpu" = torch.ops.aten.t.default(gelu);  gelu = None
        mm_5: "f32[32, 32][32, 1]cpu" = torch.ops.aten.mm.default(t_2, tanh_backward);  t_2 = None
        t_3: "f32[32, 32][1, 32]cpu" = torch.ops.aten.t.default(alias_2)
        mm_6: "f32[8, 32][32, 1]cpu" = torch.ops.aten.mm.default(tanh_backward, t_3);  tanh_backward = t_3 = None
        gelu_backward: "f32[8, 32][32, 1]cpu" = torch.ops.aten.gelu_backward.default(mm_6, add);  mm_6 = add = None
        sum_3: "f32[1, 32][32, 1]cpu" = torch.ops.aten.sum.dim_IntList(gelu_backward, [0], True)
        view_2: "f32[32][1]cpu" = torch.ops.aten.view.default(sum_3, [32]);  sum_3 = None
        t_4: "f32[16, 8][1, 16]cpu" = torch.ops.aten.t.default(arg12_1);  arg12_1 = None
        mm_7: "f32[16, 32][32, 1]cpu" = torch.ops.aten.mm.default(t_4, gelu_backward);  t_4 = gelu_backward = None
        alias_10: "f32[][]cpu" = torch.ops.aten.alias.default(getitem);  getitem = None
        all_reduce: "f32[16, 32][32, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(mm_7, 'sum', '0');  mm_7 = None
        wait_tensor: "f32[16, 32][32, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce);  all_reduce = None
        div: "f32[16, 32][32, 1]cpu" = torch.ops.aten.div.Tensor(wait_tensor, 4);  wait_tensor = None
        all_reduce_1: "f32[32][1]cpu" = torch.ops._c10d_functional.all_reduce.default(view_2, 'sum', '0');  view_2 = None
        wait_tensor_1: "f32[32][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_1);  all_reduce_1 = None
        div_1: "f32[32][1]cpu" = torch.ops.aten.div.Tensor(wait_tensor_1, 4);  wait_tensor_1 = None
        all_reduce_2: "f32[32, 32][32, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(mm_5, 'sum', '0');  mm_5 = None
        wait_tensor_2: "f32[32, 32][32, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_2);  all_reduce_2 = None
        div_2: "f32[32, 32][32, 1]cpu" = torch.ops.aten.div.Tensor(wait_tensor_2, 4);  wait_tensor_2 = None
        all_reduce_3: "f32[32][1]cpu" = torch.ops._c10d_functional.all_reduce.default(view_1, 'sum', '0');  view_1 = None
        wait_tensor_3: "f32[32][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_3);  all_reduce_3 = None
        div_3: "f32[32][1]cpu" = torch.ops.aten.div.Tensor(wait_tensor_3, 4);  wait_tensor_3 = None
        all_reduce_4: "f32[32, 6][6, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(mm_3, 'sum', '0');  mm_3 = None
        wait_tensor_4: "f32[32, 6][6, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_4);  all_reduce_4 = None
        div_4: "f32[32, 6][6, 1]cpu" = torch.ops.aten.div.Tensor(wait_tensor_4, 4);  wait_tensor_4 = None
        all_reduce_5: "f32[6][1]cpu" = torch.ops._c10d_functional.all_reduce.default(view, 'sum', '0');  view = None
        wait_tensor_5: "f32[6][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_5);  all_reduce_5 = None
        div_5: "f32[6][1]cpu" = torch.ops.aten.div.Tensor(wait_tensor_5, 4);  wait_tensor_5 = None
        all_reduce_6: "f32[][]cpu" = torch.ops._c10d_functional.all_reduce.default(alias_10, 'sum', '0');  alias_10 = None
        wait_tensor_6: "f32[][]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_6);  all_reduce_6 = None
        div_6: "f32[][]cpu" = torch.ops.aten.div.Tensor(wait_tensor_6, 4);  wait_tensor_6 = None
        mul: "f32[16, 32][32, 1]cpu" = torch.ops.aten.mul.Tensor(arg6_1, 0.9);  arg6_1 = None
        add_3: "f32[16, 32][32, 1]cpu" = torch.ops.aten.add.Tensor(mul, div);  mul = div = None
        mul_1: "f32[32][1]cpu" = torch.ops.aten.mul.Tensor(arg7_1, 0.9);  arg7_1 = None
        add_4: "f32[32][1]cpu" = torch.ops.aten.add.Tensor(mul_1, div_1);  mul_1 = div_1 = None
        mul_2: "f32[32, 32][32, 1]cpu" = torch.ops.aten.mul.Tensor(arg8_1, 0.9);  arg8_1 = None
        add_5: "f32[32, 32][32, 1]cpu" = torch.ops.aten.add.Tensor(mul_2, div_2);  mul_2 = div_2 = None
        mul_3: "f32[32][1]cpu" = torch.ops.aten.mul.Tensor(arg9_1, 0.9);  arg9_1 = None
        add_6: "f32[32][1]cpu" = torch.ops.aten.add.Tensor(mul_3, div_3);  mul_3 = div_3 = None
        mul_4: "f32[32, 6][6, 1]cpu" = torch.ops.aten.mul.Tensor(arg10_1, 0.9);  arg10_1 = None
        add_7: "f32[32, 6][6, 1]cpu" = torch.ops.aten.add.Tensor(mul_4, div_4);  mul_4 = div_4 = None
        mul_5: "f32[6][1]cpu" = torch.ops.aten.mul.Tensor(arg11_1, 0.9);  arg11_1 = None
        add_8: "f32[6][1]cpu" = torch.ops.aten.add.Tensor(mul_5, div_5);  mul_5 = div_5 = None
        alias_11: "f32[16, 32][32, 1]cpu" = torch.ops.aten.alias.default(alias);  alias = None
        mul_6: "f32[16, 32][32, 1]cpu" = torch.ops.aten.mul.Tensor(add_3, 0.05)
        sub: "f32[16, 32][32, 1]cpu" = torch.ops.aten.sub.Tensor(alias_11, mul_6);  alias_11 = mul_6 = None
        alias_12: "f32[32][1]cpu" = torch.ops.aten.alias.default(alias_1);  alias_1 = None
        mul_7: "f32[32][1]cpu" = torch.ops.aten.mul.Tensor(add_4, 0.05)
        sub_1: "f32[32][1]cpu" = torch.ops.aten.sub.Tensor(alias_12, mul_7);  alias_12 = mul_7 = None
        alias_13: "f32[32, 32][32, 1]cpu" = torch.ops.aten.alias.default(alias_2);  alias_2 = None
        mul_8: "f32[32, 32][32, 1]cpu" = torch.ops.aten.mul.Tensor(add_5, 0.05)
        sub_2: "f32[32, 32][32, 1]cpu" = torch.ops.aten.sub.Tensor(alias_13, mul_8);  alias_13 = mul_8 = None
        alias_14: "f32[32][1]cpu" = torch.ops.aten.alias.default(alias_3);  alias_3 = None
        mul_9: "f32[32][1]cpu" = torch.ops.aten.mul.Tensor(add_6, 0.05)
        sub_3: "f32[32][1]cpu" = torch.ops.aten.sub.Tensor(alias_14, mul_9);  alias_14 = mul_9 = None
        alias_15: "f32[32, 6][6, 1]cpu" = torch.ops.aten.alias.default(alias_4);  alias_4 = None
        mul_10: "f32[32, 6][6, 1]cpu" = torch.ops.aten.mul.Tensor(add_7, 0.05)
        sub_4: "f32[32, 6][6, 1]cpu" = torch.ops.aten.sub.Tensor(alias_15, mul_10);  alias_15 = mul_10 = None
        alias_16: "f32[6][1]cpu" = torch.ops.aten.alias.default(alias_5);  alias_5 = None
        mul_11: "f32[6][1]cpu" = torch.ops.aten.mul.Tensor(add_8, 0.05)
        sub_5: "f32[6][1]cpu" = torch.ops.aten.sub.Tensor(alias_16, mul_11);  alias_16 = mul_11 = None
        return (div_6, sub, sub_1, sub_2, sub_3, sub_4, sub_5, add_3, add_4, add_5, add_6, add_7, add_8)
