class step(torch.nn.Module):
    def forward(self, q_1: "f32[2, 4, 6][24, 6, 1]cpu", k_1: "f32[2, 4, 6][24, 6, 1]cpu", v_1: "f32[2, 4, 6][24, 6, 1]cpu"):
        # No stacktrace found for following nodes
        full: "f32[2, 4, 1][4, 1, 1]cpu" = torch.ops.aten.full.default([2, 4, 1], -inf, device = device(type='cpu'), pin_memory = False)
        zeros: "f32[2, 4, 1][4, 1, 1]cpu" = torch.ops.aten.zeros.default([2, 4, 1], device = device(type='cpu'), pin_memory = False)
        zeros_1: "f32[2, 4, 6][24, 6, 1]cpu" = torch.ops.aten.zeros.default([2, 4, 6], device = device(type='cpu'), pin_memory = False)
        view: "f32[48][1]cpu" = torch.ops.aten.view.default(k_1, [48])
        all_to_all_single: "f32[48][1]cpu" = torch.ops._c10d_functional.all_to_all_single.default(view, [48, 0, 0], [0, 0, 48], '0');  view = None
        wait_tensor: "f32[48][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_to_all_single);  all_to_all_single = None
        view_1: "f32[2, 4, 6][24, 6, 1]cpu" = torch.ops.aten.view.default(wait_tensor, [2, 4, 6]);  wait_tensor = None
        view_2: "f32[48][1]cpu" = torch.ops.aten.view.default(v_1, [48])
        all_to_all_single_1: "f32[48][1]cpu" = torch.ops._c10d_functional.all_to_all_single.default(view_2, [48, 0, 0], [0, 0, 48], '0');  view_2 = None
        wait_tensor_1: "f32[48][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_to_all_single_1);  all_to_all_single_1 = None
        view_3: "f32[2, 4, 6][24, 6, 1]cpu" = torch.ops.aten.view.default(wait_tensor_1, [2, 4, 6]);  wait_tensor_1 = None
        transpose: "f32[2, 6, 4][24, 1, 6]cpu" = torch.ops.aten.transpose.int(k_1, -2, -1);  k_1 = None
        expand: "f32[2, 4, 6][24, 6, 1]cpu" = torch.ops.aten.expand.default(q_1, [2, 4, 6])
        view_4: "f32[2, 4, 6][24, 6, 1]cpu" = torch.ops.aten.view.default(expand, [2, 4, 6]);  expand = None
        expand_1: "f32[2, 6, 4][24, 1, 6]cpu" = torch.ops.aten.expand.default(transpose, [2, 6, 4]);  transpose = None
        view_5: "f32[2, 6, 4][24, 1, 6]cpu" = torch.ops.aten.view.default(expand_1, [2, 6, 4]);  expand_1 = None
        bmm: "f32[2, 4, 4][16, 4, 1]cpu" = torch.ops.aten.bmm.default(view_4, view_5);  view_4 = view_5 = None
        _unsafe_view: "f32[2, 4, 4][16, 4, 1]cpu" = torch.ops.aten._unsafe_view.default(bmm, [2, 4, 4]);  bmm = None
        div: "f32[2, 4, 4][16, 4, 1]cpu" = torch.ops.aten.div.Tensor(_unsafe_view, 2.4);  _unsafe_view = None
        amax: "f32[2, 4, 1][4, 1, 1]cpu" = torch.ops.aten.amax.default(div, [-1], True)
        maximum: "f32[2, 4, 1][4, 1, 1]cpu" = torch.ops.aten.maximum.default(full, amax);  amax = None
        sub: "f32[2, 4, 4][16, 4, 1]cpu" = torch.ops.aten.sub.Tensor(div, maximum);  div = None
        exp: "f32[2, 4, 4][16, 4, 1]cpu" = torch.ops.aten.exp.default(sub);  sub = None
        sub_1: "f32[2, 4, 1][4, 1, 1]cpu" = torch.ops.aten.sub.Tensor(full, maximum);  full = None
        exp_1: "f32[2, 4, 1][4, 1, 1]cpu" = torch.ops.aten.exp.default(sub_1);  sub_1 = None
        mul: "f32[2, 4, 1][4, 1, 1]cpu" = torch.ops.aten.mul.Tensor(zeros, exp_1);  zeros = None
        sum_1: "f32[2, 4, 1][4, 1, 1]cpu" = torch.ops.aten.sum.dim_IntList(exp, [-1], True)
        add: "f32[2, 4, 1][4, 1, 1]cpu" = torch.ops.aten.add.Tensor(mul, sum_1);  mul = sum_1 = None
        mul_1: "f32[2, 4, 6][24, 6, 1]cpu" = torch.ops.aten.mul.Tensor(zeros_1, exp_1);  zeros_1 = exp_1 = None
        expand_2: "f32[2, 4, 4][16, 4, 1]cpu" = torch.ops.aten.expand.default(exp, [2, 4, 4]);  exp = None
        view_6: "f32[2, 4, 4][16, 4, 1]cpu" = torch.ops.aten.view.default(expand_2, [2, 4, 4]);  expand_2 = None
        expand_3: "f32[2, 4, 6][24, 6, 1]cpu" = torch.ops.aten.expand.default(v_1, [2, 4, 6]);  v_1 = None
        view_7: "f32[2, 4, 6][24, 6, 1]cpu" = torch.ops.aten.view.default(expand_3, [2, 4, 6]);  expand_3 = None
        bmm_1: "f32[2, 4, 6][24, 6, 1]cpu" = torch.ops.aten.bmm.default(view_6, view_7);  view_6 = view_7 = None
        _unsafe_view_1: "f32[2, 4, 6][24, 6, 1]cpu" = torch.ops.aten._unsafe_view.default(bmm_1, [2, 4, 6]);  bmm_1 = None
        add_1: "f32[2, 4, 6][24, 6, 1]cpu" = torch.ops.aten.add.Tensor(mul_1, _unsafe_view_1);  mul_1 = _unsafe_view_1 = None
        view_8: "f32[48][1]cpu" = torch.ops.aten.view.default(view_1, [48])
        all_to_all_single_2: "f32[48][1]cpu" = torch.ops._c10d_functional.all_to_all_single.default(view_8, [48, 0, 0], [0, 0, 48], '0');  view_8 = None
        wait_tensor_2: "f32[48][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_to_all_single_2);  all_to_all_single_2 = None
        view_9: "f32[2, 4, 6][24, 6, 1]cpu" = torch.ops.aten.view.default(wait_tensor_2, [2, 4, 6]);  wait_tensor_2 = None
        view_10: "f32[48][1]cpu" = torch.ops.aten.view.default(view_3, [48])
        all_to_all_single_3: "f32[48][1]cpu" = torch.ops._c10d_functional.all_to_all_single.default(view_10, [48, 0, 0], [0, 0, 48], '0');  view_10 = None
        wait_tensor_3: "f32[48][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_to_all_single_3);  all_to_all_single_3 = None
        view_11: "f32[2, 4, 6][24, 6, 1]cpu" = torch.ops.aten.view.default(wait_tensor_3, [2, 4, 6]);  wait_tensor_3 = None
        transpose_1: "f32[2, 6, 4][24, 1, 6]cpu" = torch.ops.aten.transpose.int(view_1, -2, -1);  view_1 = None
        expand_4: "f32[2, 4, 6][24, 6, 1]cpu" = torch.ops.aten.expand.default(q_1, [2, 4, 6])
        view_12: "f32[2, 4, 6][24, 6, 1]cpu" = torch.ops.aten.view.default(expand_4, [2, 4, 6]);  expand_4 = None
        expand_5: "f32[2, 6, 4][24, 1, 6]cpu" = torch.ops.aten.expand.default(transpose_1, [2, 6, 4]);  transpose_1 = None
        view_13: "f32[2, 6, 4][24, 1, 6]cpu" = torch.ops.aten.view.default(expand_5, [2, 6, 4]);  expand_5 = None
        bmm_2: "f32[2, 4, 4][16, 4, 1]cpu" = torch.ops.aten.bmm.default(view_12, view_13);  view_12 = view_13 = None
        _unsafe_view_2: "f32[2, 4, 4][16, 4, 1]cpu" = torch.ops.aten._unsafe_view.default(bmm_2, [2, 4, 4]);  bmm_2 = None
        div_1: "f32[2, 4, 4][16, 4, 1]cpu" = torch.ops.aten.div.Tensor(_unsafe_view_2, 2.4);  _unsafe_view_2 = None
        amax_1: "f32[2, 4, 1][4, 1, 1]cpu" = torch.ops.aten.amax.default(div_1, [-1], True)
        maximum_1: "f32[2, 4, 1][4, 1, 1]cpu" = torch.ops.aten.maximum.default(maximum, amax_1);  amax_1 = None
        sub_2: "f32[2, 4, 4][16, 4, 1]cpu" = torch.ops.aten.sub.Tensor(div_1, maximum_1);  div_1 = None
        exp_2: "f32[2, 4, 4][16, 4, 1]cpu" = torch.ops.aten.exp.default(sub_2);  sub_2 = None
        sub_3: "f32[2, 4, 1][4, 1, 1]cpu" = torch.ops.aten.sub.Tensor(maximum, maximum_1);  maximum = None
        exp_3: "f32[2, 4, 1][4, 1, 1]cpu" = torch.ops.aten.exp.default(sub_3);  sub_3 = None
        mul_2: "f32[2, 4, 1][4, 1, 1]cpu" = torch.ops.aten.mul.Tensor(add, exp_3);  add = None
        sum_2: "f32[2, 4, 1][4, 1, 1]cpu" = torch.ops.aten.sum.dim_IntList(exp_2, [-1], True)
        add_2: "f32[2, 4, 1][4, 1, 1]cpu" = torch.ops.aten.add.Tensor(mul_2, sum_2);  mul_2 = sum_2 = None
        mul_3: "f32[2, 4, 6][24, 6, 1]cpu" = torch.ops.aten.mul.Tensor(add_1, exp_3);  add_1 = exp_3 = None
        expand_6: "f32[2, 4, 4][16, 4, 1]cpu" = torch.ops.aten.expand.default(exp_2, [2, 4, 4]);  exp_2 = None
        view_14: "f32[2, 4, 4][16, 4, 1]cpu" = torch.ops.aten.view.default(expand_6, [2, 4, 4]);  expand_6 = None
        expand_7: "f32[2, 4, 6][24, 6, 1]cpu" = torch.ops.aten.expand.default(view_3, [2, 4, 6]);  view_3 = None
        view_15: "f32[2, 4, 6][24, 6, 1]cpu" = torch.ops.aten.view.default(expand_7, [2, 4, 6]);  expand_7 = None
        bmm_3: "f32[2, 4, 6][24, 6, 1]cpu" = torch.ops.aten.bmm.default(view_14, view_15);  view_14 = view_15 = None
        _unsafe_view_3: "f32[2, 4, 6][24, 6, 1]cpu" = torch.ops.aten._unsafe_view.default(bmm_3, [2, 4, 6]);  bmm_3 = None
        add_3: "f32[2, 4, 6][24, 6, 1]cpu" = torch.ops.aten.add.Tensor(mul_3, _unsafe_view_3);  mul_3 = _unsafe_view_3 = None
        transpose_2: "f32[2, 6, 4][24, 1, 6]cpu" = torch.ops.aten.transpose.int(view_9, -2, -1);  view_9 = None
        expand_8: "f32[2, 4, 6][24, 6, 1]cpu" = torch.ops.aten.expand.default(q_1, [2, 4, 6]);  q_1 = None
        view_16: "f32[2, 4, 6][24, 6, 1]cpu" = torch.ops.aten.view.default(expand_8, [2, 4, 6]);  expand_8 = None
        expand_9: "f32[2, 6, 4][24, 1, 6]cpu" = torch.ops.aten.expand.default(transpose_2, [2, 6, 4]);  transpose_2 = None
        view_17: "f32[2, 6, 4][24, 1, 6]cpu" = torch.ops.aten.view.default(expand_9, [2, 6, 4]);  expand_9 = None
        bmm_4: "f32[2, 4, 4][16, 4, 1]cpu" = torch.ops.aten.bmm.default(view_16, view_17);  view_16 = view_17 = None
        _unsafe_view_4: "f32[2, 4, 4][16, 4, 1]cpu" = torch.ops.aten._unsafe_view.default(bmm_4, [2, 4, 4]);  bmm_4 = None
        div_2: "f32[2, 4, 4][16, 4, 1]cpu" = torch.ops.aten.div.Tensor(_unsafe_view_4, 2.4);  _unsafe_view_4 = None
        amax_2: "f32[2, 4, 1][4, 1, 1]cpu" = torch.ops.aten.amax.default(div_2, [-1], True)
        maximum_2: "f32[2, 4, 1][4, 1, 1]cpu" = torch.ops.aten.maximum.default(maximum_1, amax_2);  amax_2 = None
        sub_4: "f32[2, 4, 4][16, 4, 1]cpu" = torch.ops.aten.sub.Tensor(div_2, maximum_2);  div_2 = None
        exp_4: "f32[2, 4, 4][16, 4, 1]cpu" = torch.ops.aten.exp.default(sub_4);  sub_4 = None
        sub_5: "f32[2, 4, 1][4, 1, 1]cpu" = torch.ops.aten.sub.Tensor(maximum_1, maximum_2);  maximum_1 = None
        exp_5: "f32[2, 4, 1][4, 1, 1]cpu" = torch.ops.aten.exp.default(sub_5);  sub_5 = None
        mul_4: "f32[2, 4, 1][4, 1, 1]cpu" = torch.ops.aten.mul.Tensor(add_2, exp_5);  add_2 = None
        sum_3: "f32[2, 4, 1][4, 1, 1]cpu" = torch.ops.aten.sum.dim_IntList(exp_4, [-1], True)
        add_4: "f32[2, 4, 1][4, 1, 1]cpu" = torch.ops.aten.add.Tensor(mul_4, sum_3);  mul_4 = sum_3 = None
        mul_5: "f32[2, 4, 6][24, 6, 1]cpu" = torch.ops.aten.mul.Tensor(add_3, exp_5);  add_3 = exp_5 = None
        expand_10: "f32[2, 4, 4][16, 4, 1]cpu" = torch.ops.aten.expand.default(exp_4, [2, 4, 4]);  exp_4 = None
        view_18: "f32[2, 4, 4][16, 4, 1]cpu" = torch.ops.aten.view.default(expand_10, [2, 4, 4]);  expand_10 = None
        expand_11: "f32[2, 4, 6][24, 6, 1]cpu" = torch.ops.aten.expand.default(view_11, [2, 4, 6]);  view_11 = None
        view_19: "f32[2, 4, 6][24, 6, 1]cpu" = torch.ops.aten.view.default(expand_11, [2, 4, 6]);  expand_11 = None
        bmm_5: "f32[2, 4, 6][24, 6, 1]cpu" = torch.ops.aten.bmm.default(view_18, view_19);  view_18 = view_19 = None
        _unsafe_view_5: "f32[2, 4, 6][24, 6, 1]cpu" = torch.ops.aten._unsafe_view.default(bmm_5, [2, 4, 6]);  bmm_5 = None
        add_5: "f32[2, 4, 6][24, 6, 1]cpu" = torch.ops.aten.add.Tensor(mul_5, _unsafe_view_5);  mul_5 = _unsafe_view_5 = None
        div_3: "f32[2, 4, 6][24, 6, 1]cpu" = torch.ops.aten.div.Tensor(add_5, add_4);  add_5 = None
        log: "f32[2, 4, 1][4, 1, 1]cpu" = torch.ops.aten.log.default(add_4);  add_4 = None
        add_6: "f32[2, 4, 1][4, 1, 1]cpu" = torch.ops.aten.add.Tensor(maximum_2, log);  maximum_2 = log = None
        squeeze: "f32[2, 4][4, 1]cpu" = torch.ops.aten.squeeze.dim(add_6, -1);  add_6 = None
        return (div_3, squeeze)

