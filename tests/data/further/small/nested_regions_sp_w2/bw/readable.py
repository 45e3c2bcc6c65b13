class GraphModule(torch.nn.Module):
    def forward(self, wait_tensor: "f32[4, 6][6, 1]cpu", tanh: "f32[4, 4][4, 1]cpu", getitem_13: "f32[4, 6][6, 1]cpu", getitem_12: "f32[6, 4][4, 1]cpu", getitem_11: "f32[4, 4][4, 1]cpu", getitem_10: "f32[4, 6][6, 1]cpu", getitem_17: "f32[4, 6][6, 1]cpu", getitem_16: "f32[6, 4][4, 1]cpu", getitem_15: "f32[4, 4][4, 1]cpu", getitem_14: "f32[4, 6][6, 1]cpu", permute_4: "f32[6, 4][4, 1]cpu", tangents_1: "f32[][]cpu"):
        # Backward of forward node: File: /home/user/programs/q5.py:29 in step, code: return x.sum()
        expand: "f32[2, 6][0, 0]cpu" = torch.ops.aten.expand.default(tangents_1, [2, 6]);  tangents_1 = None

        # Backward of forward node: File: /home/user/programs/q5.py:28 in step, code: x = x + fn(x, ws[2 * i], ws[2 * i + 1])
        partitioned_bw_subgraph_1_0 = self.partitioned_bw_subgraph_1_0

        # Annotation: {'call_id': 3} Backward of forward node: File: /home/user/programs/q5.py:28 in step, code: x = x + fn(x, ws[2 * i], ws[2 * i + 1])
        invoke_subgraph_7 = torch.ops.higher_order.invoke_subgraph(partitioned_bw_subgraph_1_0, 'partitioned_bw_subgraph_1_0', getitem_14, getitem_15, getitem_16, getitem_17, expand);  partitioned_bw_subgraph_1_0 = getitem_14 = getitem_15 = getitem_16 = getitem_17 = None

        # Backward of forward node: File: /home/user/programs/q5.py:28 in step, code: x = x + fn(x, ws[2 * i], ws[2 * i + 1])
        getitem_2: "f32[2, 6][6, 1]cpu" = invoke_subgraph_7[0]
        getitem_3: "f32[4, 6][6, 1]cpu" = invoke_subgraph_7[1]
        getitem_4: "f32[6, 4][4, 1]cpu" = invoke_subgraph_7[2];  invoke_subgraph_7 = None
        add_3: "f32[2, 6][6, 1]cpu" = torch.ops.aten.add.Tensor(expand, getitem_2);  expand = getitem_2 = None
        partitioned_bw_subgraph_1_1 = self.partitioned_bw_subgraph_1_1

        # Annotation: {'call_id': 2} Backward of forward node: File: /home/user/programs/q5.py:28 in step, code: x = x + fn(x, ws[2 * i], ws[2 * i + 1])
        invoke_subgraph_5 = torch.ops.higher_order.invoke_subgraph(partitioned_bw_subgraph_1_1, 'partitioned_bw_subgraph_1_1', getitem_10, getitem_11, getitem_12, getitem_13, add_3);  partitioned_bw_subgraph_1_1 = getitem_10 = getitem_11 = getitem_12 = getitem_13 = None

        # Backward of forward node: File: /home/user/programs/q5.py:28 in step, code: x = x + fn(x, ws[2 * i], ws[2 * i + 1])
        getitem_6: "f32[2, 6][6, 1]cpu" = invoke_subgraph_5[0]
        getitem_7: "f32[4, 6][6, 1]cpu" = invoke_subgraph_5[1]
        getitem_8: "f32[6, 4][4, 1]cpu" = invoke_subgraph_5[2];  invoke_subgraph_5 = None
        add_4: "f32[2, 6][6, 1]cpu" = torch.ops.aten.add.Tensor(add_3, getitem_6);  add_3 = getitem_6 = None

        # recompute: MUST_SAVE Backward of forward node: File: /venv/site-packages/torch/distributed/_functional_collectives.py:299 in reduce_scatter_single, code: tensor = torch.ops._c10d_functional.reduce_scatter_tensor(
        all_gather_into_tensor_1: "f32[4, 6][6, 1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(add_4, 2, '0');  add_4 = None
        wait_tensor_2: "f32[4, 6][6, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_gather_into_tensor_1);  all_gather_into_tensor_1 = None

        # Backward of forward node: File: /home/user/programs/q5.py:18 in sequence_block, code: return fc.reduce_scatter_tensor(torch.tanh(whole @ a.t()) @ b.t(), "sum", 0, GROUP[0])
        permute_2: "f32[6, 4][1, 6]cpu" = torch.ops.aten.permute.default(wait_tensor_2, [1, 0])
        mm_2: "f32[6, 4][4, 1]cpu" = torch.ops.aten.mm.default(permute_2, tanh);  permute_2 = None
        permute_3: "f32[4, 6][1, 4]cpu" = torch.ops.aten.permute.default(mm_2, [1, 0]);  mm_2 = None
        mm_3: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(wait_tensor_2, permute_4);  wait_tensor_2 = permute_4 = None
        permute_5: "f32[6, 4][4, 1]cpu" = torch.ops.aten.permute.default(permute_3, [1, 0]);  permute_3 = None
        alias: "f32[4, 4][4, 1]cpu" = torch.ops.aten.alias.default(tanh);  tanh = None
        alias_1: "f32[4, 4][4, 1]cpu" = torch.ops.aten.alias.default(alias);  alias = None
        mul: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(alias_1, alias_1);  alias_1 = None
        sub: "f32[4, 4][4, 1]cpu" = torch.ops.aten.sub.Tensor(1, mul);  mul = None
        mul_1: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(mm_3, sub);  mm_3 = sub = None
        permute_6: "f32[4, 4][1, 4]cpu" = torch.ops.aten.permute.default(mul_1, [1, 0]);  mul_1 = None
        mm_4: "f32[4, 6][6, 1]cpu" = torch.ops.aten.mm.default(permute_6, wait_tensor);  permute_6 = wait_tensor = None
        permute_7: "f32[6, 4][1, 6]cpu" = torch.ops.aten.permute.default(mm_4, [1, 0]);  mm_4 = None
        permute_8: "f32[4, 6][6, 1]cpu" = torch.ops.aten.permute.default(permute_7, [1, 0]);  permute_7 = None
        return (None, permute_8, permute_5, getitem_7, getitem_8, getitem_3, getitem_4)

    class partitioned_bw_subgraph_1_0(torch.nn.Module):
        def forward(self, wait_tensor: "f32[4, 6][6, 1]cpu", tanh: "f32[4, 4][4, 1]cpu", permute_4: "f32[6, 4][4, 1]cpu", permute_8: "f32[4, 6][6, 1]cpu", tangents_0: "f32[2, 6][0, 0]cpu"):
            # Backward of forward node: File: /venv/site-packages/torch/distributed/_functional_collectives.py:299 in reduce_scatter_single, code: tensor = torch.ops._c10d_functional.reduce_scatter_tensor(
            clone: "f32[2, 6][6, 1]cpu" = torch.ops.aten.clone.default(tangents_0, memory_format = torch.contiguous_format);  tangents_0 = None

            # recompute: MUST_SAVE Backward of forward node: File: /venv/site-packages/torch/distributed/_functional_collectives.py:299 in reduce_scatter_single, code: tensor = torch.ops._c10d_functional.reduce_scatter_tensor(
            all_gather_into_tensor_1: "f32[4, 6][6, 1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(clone, 2, '0');  clone = None
            wait_tensor_2: "f32[4, 6][6, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_gather_into_tensor_1);  all_gather_into_tensor_1 = None

            # Backward of forward node: File: /home/user/programs/q5.py:18 in sequence_block, code: return fc.reduce_scatter_tensor(torch.tanh(whole @ a.t()) @ b.t(), "sum", 0, GROUP[0])
            permute_2: "f32[6, 4][1, 6]cpu" = torch.ops.aten.permute.default(wait_tensor_2, [1, 0])
            mm_2: "f32[6, 4][4, 1]cpu" = torch.ops.aten.mm.default(permute_2, tanh);  permute_2 = None
            permute_3: "f32[4, 6][1, 4]cpu" = torch.ops.aten.permute.default(mm_2, [1, 0]);  mm_2 = None
            mm_3: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(wait_tensor_2, permute_4);  wait_tensor_2 = permute_4 = None
            permute_5: "f32[6, 4][4, 1]cpu" = torch.ops.aten.permute.default(permute_3, [1, 0]);  permute_3 = None
            alias: "f32[4, 4][4, 1]cpu" = torch.ops.aten.alias.default(tanh);  tanh = None
            alias_1: "f32[4, 4][4, 1]cpu" = torch.ops.aten.alias.default(alias);  alias = None
            mul: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(alias_1, alias_1);  alias_1 = None
            sub: "f32[4, 4][4, 1]cpu" = torch.ops.aten.sub.Tensor(1, mul);  mul = None
            mul_1: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(mm_3, sub);  mm_3 = sub = None
            permute_6: "f32[4, 4][1, 4]cpu" = torch.ops.aten.permute.default(mul_1, [1, 0])
            mm_4: "f32[4, 6][6, 1]cpu" = torch.ops.aten.mm.default(permute_6, wait_tensor);  permute_6 = wait_tensor = None
            permute_7: "f32[6, 4][1, 6]cpu" = torch.ops.aten.permute.default(mm_4, [1, 0]);  mm_4 = None
            mm_5: "f32[4, 6][6, 1]cpu" = torch.ops.aten.mm.default(mul_1, permute_8);  mul_1 = permute_8 = None
            permute_9: "f32[4, 6][6, 1]cpu" = torch.ops.aten.permute.default(permute_7, [1, 0]);  permute_7 = None

            # recompute: MUST_SAVE Backward of forward node: File: /venv/site-packages/torch/distributed/_functional_collectives.py:229 in all_gather_single, code: tensor = torch.ops._c10d_functional.all_gather_into_tensor(
            reduce_scatter_tensor_1: "f32[2, 6][6, 1]cpu" = torch.ops._c10d_functional.reduce_scatter_tensor.default(mm_5, 'sum', 2, '0');  mm_5 = None
            wait_tensor_3: "f32[2, 6][6, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(reduce_scatter_tensor_1);  reduce_scatter_tensor_1 = None
            return (wait_tensor_3, permute_9, permute_5)

    class partitioned_bw_subgraph_1_1(torch.nn.Module):
        def forward(self, wait_tensor: "f32[4, 6][6, 1]cpu", tanh: "f32[4, 4][4, 1]cpu", permute_4: "f32[6, 4][4, 1]cpu", permute_8: "f32[4, 6][6, 1]cpu", tangents_0: "f32[2, 6][6, 1]cpu"):
            # recompute: MUST_SAVE Backward of forward node: File: /venv/site-packages/torch/distributed/_functional_collectives.py:299 in reduce_scatter_single, code: tensor = torch.ops._c10d_functional.reduce_scatter_tensor(
            all_gather_into_tensor_1: "f32[4, 6][6, 1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(tangents_0, 2, '0');  tangents_0 = None
            wait_tensor_2: "f32[4, 6][6, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_gather_into_tensor_1);  all_gather_into_tensor_1 = None

            # Backward of forward node: File: /home/user/programs/q5.py:18 in sequence_block, code: return fc.reduce_scatter_tensor(torch.tanh(whole @ a.t()) @ b.t(), "sum", 0, GROUP[0])
            permute_2: "f32[6, 4][1, 6]cpu" = torch.ops.aten.permute.default(wait_tensor_2, [1, 0])
            mm_2: "f32[6, 4][4, 1]cpu" = torch.ops.aten.mm.default(permute_2, tanh);  permute_2 = None
            permute_3: "f32[4, 6][1, 4]cpu" = torch.ops.aten.permute.default(mm_2, [1, 0]);  mm_2 = None
            mm_3: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(wait_tensor_2, permute_4);  wait_tensor_2 = permute_4 = None
            permute_5: "f32[6, 4][4, 1]cpu" = torch.ops.aten.permute.default(permute_3, [1, 0]);  permute_3 = None
            alias: "f32[4, 4][4, 1]cpu" = torch.ops.aten.alias.default(tanh);  tanh = None
            alias_1: "f32[4, 4][4, 1]cpu" = torch.ops.aten.alias.default(alias);  alias = None
            mul: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(alias_1, alias_1);  alias_1 = None
            sub: "f32[4, 4][4, 1]cpu" = torch.ops.aten.sub.Tensor(1, mul);  mul = None
            mul_1: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(mm_3, sub);  mm_3 = sub = None
            permute_6: "f32[4, 4][1, 4]cpu" = torch.ops.aten.permute.default(mul_1, [1, 0])
            mm_4: "f32[4, 6][6, 1]cpu" = torch.ops.aten.mm.default(permute_6, wait_tensor);  permute_6 = wait_tensor = None
            permute_7: "f32[6, 4][1, 6]cpu" = torch.ops.aten.permute.default(mm_4, [1, 0]);  mm_4 = None
            mm_5: "f32[4, 6][6, 1]cpu" = torch.ops.aten.mm.default(mul_1, permute_8);  mul_1 = permute_8 = None
            permute_9: "f32[4, 6][6, 1]cpu" = torch.ops.aten.permute.default(permute_7, [1, 0]);  permute_7 = None

            # recompute: MUST_SAVE Backward of forward node: File: /venv/site-packages/torch/distributed/_functional_collectives.py:229 in all_gather_single, code: tensor = torch.ops._c10d_functional.all_gather_into_tensor(
            reduce_scatter_tensor_1: "f32[2, 6][6, 1]cpu" = torch.ops._c10d_functional.reduce_scatter_tensor.default(mm_5, 'sum', 2, '0');  mm_5 = None
            wait_tensor_3: "f32[2, 6][6, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(reduce_scatter_tensor_1);  reduce_scatter_tensor_1 = None
            return (wait_tensor_3, permute_9, permute_5)

