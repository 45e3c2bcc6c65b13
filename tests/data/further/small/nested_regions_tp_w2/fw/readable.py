class GraphModule(torch.nn.Module):
    def forward(self, primals_1: "f32[4, 6][6, 1]cpu", primals_2: "f32[4, 6][6, 1]cpu", primals_3: "f32[6, 4][4, 1]cpu", primals_4: "f32[4, 6][6, 1]cpu", primals_5: "f32[6, 4][4, 1]cpu", primals_6: "f32[4, 6][6, 1]cpu", primals_7: "f32[6, 4][4, 1]cpu"):
        # File: /home/user/programs/q5.py:11 in block, code: h = torch.relu(x @ a.t())
        permute: "f32[6, 4][1, 6]cpu" = torch.ops.aten.permute.default(primals_2, [1, 0]);  primals_2 = None
        mm: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(primals_1, permute);  permute = None
        relu: "f32[4, 4][4, 1]cpu" = torch.ops.aten.relu.default(mm);  mm = None

        # File: /home/user/programs/q5.py:12 in block, code: return fc.all_reduce(h @ b.t(), "sum", GROUP[0])
        permute_1: "f32[4, 6][1, 4]cpu" = torch.ops.aten.permute.default(primals_3, [1, 0]);  primals_3 = None
        mm_1: "f32[4, 6][6, 1]cpu" = torch.ops.aten.mm.default(relu, permute_1)

        # recompute: MUST_SAVE File: /venv/site-packages/torch/distributed/_functional_collectives.py:195 in all_reduce, code: tensor = torch.ops._c10d_functional.all_reduce(
        all_reduce: "f32[4, 6][6, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(mm_1, 'sum', '0');  mm_1 = None

        # recompute: MUST_SAVE File: /venv/site-packages/torch/distributed/_functional_collectives.py:143 in wait_tensor, code: return torch.ops._c10d_functional.wait_tensor(tensor)  # type: ignore[attr-defined]
        wait_tensor: "f32[4, 6][6, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce);  all_reduce = None

        # File: /home/user/programs/q5.py:28 in step, code: x = x + fn(x, ws[2 * i], ws[2 * i + 1])
        add: "f32[4, 6][6, 1]cpu" = torch.ops.aten.add.Tensor(primals_1, wait_tensor);  wait_tensor = None
        partitioned_fw_subgraph_1_1 = self.partitioned_fw_subgraph_1_1

        # Annotation: {'call_id': 2} File: /home/user/programs/q5.py:28 in step, code: x = x + fn(x, ws[2 * i], ws[2 * i + 1])
        invoke_subgraph_4 = torch.ops.higher_order.invoke_subgraph(partitioned_fw_subgraph_1_1, 'partitioned_fw_subgraph_1_1', primals_4, add, primals_5);  partitioned_fw_subgraph_1_1 = primals_4 = primals_5 = None
        getitem_13: "f32[4, 6][6, 1]cpu" = invoke_subgraph_4[4]
        getitem_12: "f32[6, 4][4, 1]cpu" = invoke_subgraph_4[3]
        getitem_11: "f32[4, 4][4, 1]cpu" = invoke_subgraph_4[2]
        getitem_10: "f32[4, 6][6, 1]cpu" = invoke_subgraph_4[1]

        # File: /home/user/programs/q5.py:28 in step, code: x = x + fn(x, ws[2 * i], ws[2 * i + 1])
        getitem: "f32[4, 6][6, 1]cpu" = invoke_subgraph_4[0];  invoke_subgraph_4 = None
        add_1: "f32[4, 6][6, 1]cpu" = torch.ops.aten.add.Tensor(add, getitem);  add = getitem = None
        partitioned_fw_subgraph_1_0 = self.partitioned_fw_subgraph_1_0

        # Annotation: {'call_id': 3} File: /home/user/programs/q5.py:28 in step, code: x = x + fn(x, ws[2 * i], ws[2 * i + 1])
        invoke_subgraph_6 = torch.ops.higher_order.invoke_subgraph(partitioned_fw_subgraph_1_0, 'partitioned_fw_subgraph_1_0', primals_6, add_1, primals_7);  partitioned_fw_subgraph_1_0 = primals_6 = primals_7 = None
        getitem_17: "f32[4, 6][6, 1]cpu" = invoke_subgraph_6[4]
        getitem_16: "f32[6, 4][4, 1]cpu" = invoke_subgraph_6[3]
        getitem_15: "f32[4, 4][4, 1]cpu" = invoke_subgraph_6[2]
        getitem_14: "f32[4, 6][6, 1]cpu" = invoke_subgraph_6[1]

        # File: /home/user/programs/q5.py:28 in step, code: x = x + fn(x, ws[2 * i], ws[2 * i + 1])
        getitem_1: "f32[4, 6][6, 1]cpu" = invoke_subgraph_6[0];  invoke_subgraph_6 = None
        add_2: "f32[4, 6][6, 1]cpu" = torch.ops.aten.add.Tensor(add_1, getitem_1);  add_1 = getitem_1 = None

        # File: /home/user/programs/q5.py:29 in step, code: return x.sum()
        sum_1: "f32[][]cpu" = torch.ops.aten.sum.default(add_2);  add_2 = None

        # Backward of forward node: File: /home/user/programs/q5.py:12 in block, code: return fc.all_reduce(h @ b.t(), "sum", GROUP[0])
        permute_4: "f32[6, 4][4, 1]cpu" = torch.ops.aten.permute.default(permute_1, [1, 0]);  permute_1 = None
        return (sum_1, primals_1, relu, getitem_13, getitem_12, getitem_11, getitem_10, getitem_17, getitem_16, getitem_15, getitem_14, permute_4)

    class partitioned_fw_subgraph_1_1(torch.nn.Module):
        def forward(self, primals_0: "f32[4, 6][6, 1]cpu", primals_1: "f32[4, 6][6, 1]cpu", primals_2: "f32[6, 4][4, 1]cpu"):
            # File: /home/user/programs/q5.py:11 in block, code: h = torch.relu(x @ a.t())
            permute: "f32[6, 4][1, 6]cpu" = torch.ops.aten.permute.default(primals_0, [1, 0]);  primals_0 = None
            mm: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(primals_1, permute)
            relu: "f32[4, 4][4, 1]cpu" = torch.ops.aten.relu.default(mm);  mm = None

            # File: /home/user/programs/q5.py:12 in block, code: return fc.all_reduce(h @ b.t(), "sum", GROUP[0])
            permute_1: "f32[4, 6][1, 4]cpu" = torch.ops.aten.permute.default(primals_2, [1, 0]);  primals_2 = None
            mm_1: "f32[4, 6][6, 1]cpu" = torch.ops.aten.mm.default(relu, permute_1)

            # recompute: MUST_SAVE File: /venv/site-packages/torch/distributed/_functional_collectives.py:195 in all_reduce, code: tensor = torch.ops._c10d_functional.all_reduce(
            all_reduce: "f32[4, 6][6, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(mm_1, 'sum', '0');  mm_1 = None

            # recompute: MUST_SAVE File: /venv/site-packages/torch/distributed/_functional_collectives.py:143 in wait_tensor, code: return torch.ops._c10d_functional.wait_tensor(tensor)  # type: ignore[attr-defined]
            wait_tensor: "f32[4, 6][6, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce);  all_reduce = None

            # Backward of forward node: File: /home/user/programs/q5.py:12 in block, code: return fc.all_reduce(h @ b.t(), "sum", GROUP[0])
            permute_4: "f32[6, 4][4, 1]cpu" = torch.ops.aten.permute.default(permute_1, [1, 0]);  permute_1 = None

            # Backward of forward node: File: /home/user/programs/q5.py:11 in block, code: h = torch.relu(x @ a.t())
            permute_8: "f32[4, 6][6, 1]cpu" = torch.ops.aten.permute.default(permute, [1, 0]);  permute = None
            return (wait_tensor, primals_1, relu, permute_4, permute_8)

    class partitioned_fw_subgraph_1_0(torch.nn.Module):
        def forward(self, primals_0: "f32[4, 6][6, 1]cpu", primals_1: "f32[4, 6][6, 1]cpu", primals_2: "f32[6, 4][4, 1]cpu"):
            # File: /home/user/programs/q5.py:11 in block, code: h = torch.relu(x @ a.t())
            permute: "f32[6, 4][1, 6]cpu" = torch.ops.aten.permute.default(primals_0, [1, 0]);  primals_0 = None
            mm: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(primals_1, permute)
            relu: "f32[4, 4][4, 1]cpu" = torch.ops.aten.relu.default(mm);  mm = None

            # File: /home/user/programs/q5.py:12 in block, code: return fc.all_reduce(h @ b.t(), "sum", GROUP[0])
            permute_1: "f32[4, 6][1, 4]cpu" = torch.ops.aten.permute.default(primals_2, [1, 0]);  primals_2 = None
            mm_1: "f32[4, 6][6, 1]cpu" = torch.ops.aten.mm.default(relu, permute_1)

            # recompute: MUST_SAVE File: /venv/site-packages/torch/distributed/_functional_collectives.py:195 in all_reduce, code: tensor = torch.ops._c10d_functional.all_reduce(
            all_reduce: "f32[4, 6][6, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(mm_1, 'sum', '0');  mm_1 = None

            # recompute: MUST_SAVE File: /venv/site-packages/torch/distributed/_functional_collectives.py:143 in wait_tensor, code: return torch.ops._c10d_functional.wait_tensor(tensor)  # type: ignore[attr-defined]
            wait_tensor: "f32[4, 6][6, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce);  all_reduce = None

            # Backward of forward node: File: /home/user/programs/q5.py:12 in block, code: return fc.all_reduce(h @ b.t(), "sum", GROUP[0])
            permute_4: "f32[6, 4][4, 1]cpu" = torch.ops.aten.permute.default(permute_1, [1, 0]);  permute_1 = None

            # Backward of forward node: File: /home/user/programs/q5.py:11 in block, code: h = torch.relu(x @ a.t())
            permute_8: "f32[4, 6][6, 1]cpu" = torch.ops.aten.permute.default(permute, [1, 0]);  permute = None
            return (wait_tensor, primals_1, relu, permute_4, permute_8)

