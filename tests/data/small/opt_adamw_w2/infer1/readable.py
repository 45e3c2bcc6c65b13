class <lambda>(torch.nn.Module):
    def forward(self, arg0_1: "f32[3, 4][4, 1]cpu", arg1_1: "f32[4][1]cpu"):
        # File: /venv/site-packages/torch/distributed/_functional_collectives.py:195 in all_reduce, code: tensor = torch.ops._c10d_functional.all_reduce(
        all_reduce: "f32[3, 4][4, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(arg0_1, 'avg', '0');  arg0_1 = None

        # File: /venv/site-packages/torch/distributed/_functional_collectives.py:143 in wait_tensor, code: return torch.ops._c10d_functional.wait_tensor(tensor)  # type: ignore[attr-defined]
        wait_tensor: "f32[3, 4][4, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce);  all_reduce = None

        # File: /venv/site-packages/torch/distributed/_functional_collectives.py:195 in all_reduce, code: tensor = torch.ops._c10d_functional.all_reduce(
        all_reduce_1: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(arg1_1, 'avg', '0');  arg1_1 = None

        # File: /venv/site-packages/torch/distributed/_functional_collectives.py:143 in wait_tensor, code: return torch.ops._c10d_functional.wait_tensor(tensor)  # type: ignore[attr-defined]
        wait_tensor_1: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_1);  all_reduce_1 = None
        return (wait_tensor, wait_tensor_1)

