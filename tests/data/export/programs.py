"""Makes the .pt2 files of this folder, and what PyTorch prints of each: python programs.py, with PyTorch 2.15, in this folder."""

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
import torch.nn.functional as F
from torch.testing._internal.distributed.fake_pg import FakeStore

dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=2)
world = dist.group.WORLD


class TensorParallel(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.up = torch.nn.Parameter(torch.zeros(16, 8))
        self.down = torch.nn.Parameter(torch.zeros(8, 16))
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64))

    def forward(self, x):
        self.steps.add_(1)
        y = F.gelu(F.linear(x, self.up))
        return funcol.all_reduce(F.linear(y, self.down), "sum", world)


class Lists(torch.nn.Module):
    def forward(self, x, y):
        a, b = funcol.all_gather_into_tensor_coalesced([x, y], world)
        q, k = torch.chunk(a, 2, dim=-1)
        values, _ = torch.max(b, dim=-1)
        top, _ = torch.topk(q, 2, dim=-1)
        r = funcol.reduce_scatter_tensor(q + k, "avg", 0, world)
        return r + 1.0, values, top.to(torch.bfloat16), 2.0


class Dynamic(torch.nn.Module):
    def forward(self, x, y):
        z = torch.cat([x, y], 0)
        w = funcol.all_gather_tensor(z, 0, world)
        return w.reshape(x.shape[0] * 4, -1).sum(0), z.new_full((x.shape[0], 2), float("-inf"))


class Branches(torch.nn.Module):
    def forward(self, x):
        def reduced(a):
            return funcol.all_reduce(a, "sum", world) * 2

        def alone(a):
            return a.sin()

        return torch.cond(x.sum() > 0, reduced, alone, (x,))


def save(name, module, inputs, **options):
    program = torch.export.export(module, inputs, **options)
    torch.export.save(program, f"{name}.pt2")
    text = program.graph_module.print_readable(print_output=False, include_stride=True, include_device=True)
    with open(f"{name}.py", "w") as file:
        file.write(text)


if __name__ == "__main__":
    batch = torch.export.Dim("batch", min=2, max=64)
    save("tensor_parallel", TensorParallel(), (torch.zeros(4, 8),))
    save("lists", Lists(), (torch.zeros(2, 6), torch.zeros(3, 5)))
    save("dynamic", Dynamic(), (torch.zeros(4, 6), torch.zeros(4, 6)), dynamic_shapes=({0: batch}, {0: batch}))
    save("branches", Branches(), (torch.ones(3),))
