class GraphModule(torch.nn.Module):
    def forward(self, primals_1: "f32[2, 6][6, 1]cpu", primals_2: "f32[4, 6][6, 1]cpu", primals_3: "f32[6, 4][4, 1]cpu", primals_4: "f32[4, 6][6, 1]cpu", primals_5: "f32[6, 4][4, 1]cpu", primals_6: "f32[4, 6][6, 1]cpu", primals_7: "f32[6, 4][4, 1]cpu"):
        # recompute: MUST_SAVE File: /venv/site-packages/torch/distributed/_functional_collectives.py:229 in all_gather_single, code: tensor = torch.ops._c10d_functional.all_gather_into_tensor(
        all_gather_into_tensor: "f32[4, 6][6, 1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(primals_1, 2, '0')

        # recompute: MUST_SAVE File: /venv/site-packages/torch/distributed/_functional_collectives.py:143 in wait_tensor, code: return torch.ops._c10d_functional.wait_tensor(tensor)  # type: ignore[attr-defined]
        wait_tensor: "f32[4, 6][6, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_gather_into_tensor);  all_gather_into_tensor = None

        # File: /home/user/programs/q5.py:18 in sequence_block, code: return fc.reduce_scatter_tensor(torch.tanh(whole @ a.t()) @ b.t(), "sum", 0, GROUP[0])
        permute: "f32[6, 4][1, 6]cpu" = torch.ops.aten.permute.default(primals_2, [1, 0]);  primals_2 = None
        mm: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(wait_tensor, permute);  permute = None
        tanh: "f32[4, 4][4, 1]cpu" = torch.ops.aten.tanh.default(mm);  mm = None
        permute_1: "f32[4, 6][1, 4]cpu" = torch.ops.aten.permute.default(primals_3, [1, 0]);  primals_3 = None
        mm_1: "f32[4, 6][6, 1]cpu" = torch.ops.aten.mm.default(tanh, permute_1)

        # recompute: MUST_SAVE File: /venv/site-packages/torch/distributed/_functional_collectives.py:299 in reduce_scatter_single, code: tensor = torch.ops._c10d_functional.reduce_scatter_tensor(
        reduce_scatter_tensor: "f32[2, 6][6, 1]cpu" = torch.ops._c10d_functional.reduce_scatter_tensor.default(mm_1, 'sum', 2, '0');  mm_1 = None

        # recompute: MUST_SAVE File: /venv/site-packages/torch/distributed/_functional_collectives.py:143 in wait_tensor, code: return torch.ops._c10d_functional.wait_tensor(tensor)  # type: ignore[attr-defined]
        wait_tensor_1: "f32[2, 6][6, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(reduce_scatter_tensor);  reduce_scatter_tensor = None

        # File: /home/user/programs/q5.py:28 in step, code: x = x + fn(x, ws[2 * i], ws[2 * i + 1])
        add: "f32[2, 6][6, 1]cpu" = torch.ops.aten.add.Tensor(primals_1, wait_tensor_1);  primals_1 = wait_tensor_1 = None
        partitioned_fw_subgraph_1_1 = self.partitioned_fw_subgraph_1_1

        # Annotation: {'call_id': 2} File: /home/user/programs/q5.py:28 in step, code: x = x + fn(x, ws[2 * i], ws[2 * i + 1])
        invoke_subgraph_4 = torch.ops.higher_order.invoke_subgraph(partitioned_fw_subgraph_1_1, 'partitioned_fw_subgraph_1_1', add, primals_4, primals_5);  partitioned_fw_subgraph_1_1 = primals_4 = primals_5 = None
        getitem_13: "f32[4, 6][6, 1]cpu" = invoke_subgraph_4[4]
        getitem_12: "f32[6, 4][4, 1]cpu" = invoke_subgraph_4[3]
        getitem_11: "f32[4, 4][4, 1]cpu" = invoke_subgraph_4[2]
        getitem_10: "f32[4, 6][6, 1]cpu" = invoke_subgraph_4[1]

        # File: /home/user/programs/q5.py:28 in step, code: x = x + fn(x, ws[2 * i], ws[2 * i + 1])
        getitem: "f32[2, 6][6, 1]cpu" = invoke_subgraph_4[0];  invoke_subgraph_4 = None
        add_1: "f32[2, 6][6, 1]cpu" = torch.ops.aten.add.Tensor(add, getitem);  add = getitem = None
        partitioned_fw_subgraph_1_0 = self.partitioned_fw_subgraph_1_0

        # Annotation: {'call_id': 3} File: /home/user/programs/q5.py:28 in step, code: x = x + fn(x, ws[2 * i], ws[2 * i + 1])
        invoke_subgraph_6 = torch.ops.higher_order.invoke_subgraph(partitioned_fw_subgraph_1_0, 'partitioned_fw_subgraph_1_0', add_1, primals_6, primals_7);  partitioned_fw_subgraph_1_0 = primals_6 = primals_7 = None
        getitem_17: "f32[4, 6][6, 1]cpu" = invoke_subgraph_6[4]
        getitem_16: "f32[6, 4][4, 1]cpu" = invoke_subgraph_6[3]
        getitem_15: "f32[4, 4][4, 1]cpu" = invoke_subgraph_6[2]
        getitem_14: "f32[4, 6][6, 1]cpu" = invoke_subgraph_6[1]

        # File: /home/user/programs/q5.py:28 in step, code: x = x + fn(x, ws[2 * i], ws[2 * i + 1])
        getitem_1: "f32[2, 6][6, 1]cpu" = invoke_subgraph_6[0];  invoke_subgraph_6 = None
        add_2: "f32[2, 6][6, 1]cpu" = torch.ops.aten.add.Tensor(add_1, getitem_1);  add_1 = getitem_1 = None

        # File: /home/user/programs/q5.py:29 in step, code: return x.sum()
        sum_1: "f32[][]cpu" = torch.ops.aten.sum.default(add_2);  add_2 = None

        # Backward of forward node: File: /home/user/programs/q5.py:18 in sequence_block, code: return fc.reduce_scatter_tensor(torch.tanh(whole @ a.t()) @ b.t(), "sum", 0, GROUP[0])
        permute_4: "f32[6, 4][4, 1]cpu" = torch.ops.aten.permute.default(permute_1, [1, 0]);  permute_1 = None
        return (sum_1, wait_tensor, tanh, getitem_13, getitem_12, getitem_11, getitem_10, getitem_17, getitem_16, getitem_15, getitem_14, permute_4)

    class partitioned_fw_subgraph_1_1(torch.nn.Module):
        def forward(self, primals_0: "f32[2, 6][6, 1]cpu", primals_1: "f32[4, 6][6, 1]cpu", primals_2: "f32[6, 4][4, 1]cpu"):
            # recompute: MUST_SAVE File: /venv/site-packages/torch/distributed/_functional_collectives.py:229 in all_gather_single, code: tensor = torch.ops._c10d_functional.all_gather_into_tensor(
            all_gather_into_tensor: "f32[4, 6][6, 1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(primals_0, 2, '0');  primals_0 = None

            # recompute: MUST_SAVE File: /venv/site-packages/torch/distributed/_functional_collectives.py:143 in wait_tensor, code: return torch.ops._c10d_functional.wait_tensor(tensor)  # type: ignore[attr-defined]
            wait_tensor: "f32[4, 6][6, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_gather_into_tensor);  all_gather_into_tensor = None

            # File: /home/user/programs/q5.py:18 in sequence_block, code: return fc.reduce_scatter_tensor(torch.tanh(whole @ a.t()) @ b.t(), "sum", 0, GROUP[0])
            permute: "f32[6, 4][1, 6]cpu" = torch.ops.aten.permute.default(primals_1, [1, 0]);  primals_1 = None
            mm: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(wait_tensor, permute)
            tanh: "f32[4, 4][4, 1]cpu" = torch.ops.aten.tanh.default(mm);  mm = None
            permute_1: "f32[4, 6][1, 4]cpu" = torch.ops.aten.permute.default(primals_2, [1, 0]);  primals_2 = None
            mm_1: "f32[4, 6][6, 1]cpu" = torch.ops.aten.mm.default(tanh, permute_1)

            # recompute: MUST_SAVE File: /venv/site-packages/torch/distributed/_functional_collectives.py:299 in reduce_scatter_single, code: tensor = torch.ops._c10d_functional.reduce_scatter_tensor(
            reduce_scatter_tensor: "f32[2, 6][6, 1]cpu" = torch.ops._c10d_functional.reduce_scatter_tensor.default(mm_1, 'sum', 2, '0');  mm_1 = None

            # recompute: MUST_SAVE File: /venv/site-packages/torch/distributed/_functional_collectives.py:143 in wait_tensor, code: return torch.ops._c10d_functional.wait_tensor(tensor)  # type: ignore[attr-defined]
            wait_tensor_1: "f32[2, 6][6, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(reduce_scatter_tensor);  reduce_scatter_tensor = None

            # Backward of forward node: File: /home/user/programs/q5.py:18 in sequence_block, code: return fc.reduce_scatter_tensor(torch.tanh(whole @ a.t()) @ b.t(), "sum", 0, GROUP[0])
            permute_4: "f32[6, 4][4, 1]cpu" = torch.ops.aten.permute.default(permute_1, [1, 0]);  permute_1 = None
            permute_8: "f32[4, 6][6, 1]cpu" = torch.ops.aten.permute.default(permute, [1, 0]);  permute = None
            return (wait_tensor_1, wait_tensor, tanh, permute_4, permute_8)

    class partitioned_fw_subgraph_1_0(torch.nn.Module):
        def forward(self, primals_0: "f32[2, 6][6, 1]cpu", primals_1: "f32[4, 6][6, 1]cpu", primals_2: "f32[6, 4][4, 1]cpu"):
            # recompute: MUST_SAVE File: /venv/site-packages/torch/distributed/_functional_collectives.py:229 in all_gather_single, code: tensor = torch.ops._c10d_functional.all_gather_into_tensor(
            all_gather_into_tensor: "f32[4, 6][6, 1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(primals_0, 2, '0');  primals_0 = None

            # recompute: MUST_SAVE File: /venv/site-packages/torch/distributed/_functional_collectives.py:143 in wait_tensor, code: return torch.ops._c10d_functional.wait_tensor(tensor)  # type: ignore[attr-defined]
            wait_tensor: "f32[4, 6][6, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_gather_into_tensor);  all_gather_into_tensor = None

            # File: /home/user/programs/q5.py:18 in sequence_block, code: return fc.reduce_scatter_tensor(torch.tanh(whole @ a.t()) @ b.t(), "sum", 0, GROUP[0])
            permute: "f32[6, 4][1, 6]cpu" = torch.ops.aten.permute.default(primals_1, [1, 0]);  primals_1 = None
            mm: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(wait_tensor, permute)
            tanh: "f32[4, 4][4, 1]cpu" = torch.ops.aten.tanh.default(mm);  mm = None
            permute_1: "f32[4, 6][1, 4]cpu" = torch.ops.aten.permute.default(primals_2, [1, 0]);  primals_2 = None
            mm_1: "f32[4, 6][6, 1]cpu" = torch.ops.aten.mm.default(tanh, permute_1)

            # recompute: MUST_SAVE File: /venv/site-packages/torch/distributed/_functional_collectives.py:299 in reduce_scatter_single, code: tensor = torch.ops._c10d_functional.reduce_scatter_tensor(
            reduce_scatter_tensor: "f32[2, 6][6, 1]cpu" = torch.ops._c10d_functional.reduce_scatter_tensor.default(mm_1, 'sum', 2, '0');  mm_1 = None

            # recompute: MUST_SAVE File: /venv/site-packages/torch/distributed/_functional_collectives.py:143 in wait_tensor, code: return torch.ops._c10d_functional.wait_tensor(tensor)  # type: ignore[attr-defined]
            wait_tensor_1: "f32[2, 6][6, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(reduce_scatter_tensor);  reduce_scatter_tensor = None

            # Backward of forward node: File: /home/user/programs/q5.py:18 in sequence_block, code: return fc.reduce_scatter_tensor(torch.tanh(whole @ a.t()) @ b.t(), "sum", 0, GROUP[0])
            permute_4: "f32[6, 4][4, 1]cpu" = torch.ops.aten.permute.default(permute_1, [1, 0]);  permute_1 = None
            permute_8: "f32[4, 6][6, 1]cpu" = torch.ops.aten.permute.default(permute, [1, 0]);  permute = None
            return (wait_tensor_1, wait_tensor, tanh, permute_4, permute_8)

