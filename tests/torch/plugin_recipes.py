"""Defines training steps in the usual forms of PyTorch's own parallelism, small enough to compile in seconds, and the
programs of docs/getting-a-graph.md.

Each recipe is a function of a rank and a number of ranks. It returns a function that makes one step and returns
tensors: losses and gradients.
"""
import contextlib, itertools, pathlib, re, sys, types
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel

from plugin_programs import seeded

PAGE = pathlib.Path(__file__).parents[2] / "docs/getting-a-graph.md"
WIDTH = 8
COUNT = itertools.count()
# Gloo has no average in PyTorch 2.6.
AVERAGE = "avg" if tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 9) else "sum"


def layers(count=3):
    made = [module for _ in range(count) for module in (torch.nn.Linear(WIDTH, WIDTH), torch.nn.ReLU())]
    return torch.nn.Sequential(*made[:-1])


def local(value):
    value = value.to_local() if isinstance(value, DTensor) else value
    return (value.wait() if hasattr(value, "wait") else value).detach().clone()


def gradients(loss, model):
    found = [local(loss), *(local(parameter.grad) for parameter in model.parameters() if parameter.grad is not None)]
    model.zero_grad()
    return found


def trained(model, x, around=contextlib.nullcontext):
    compiled = torch.compile(model)

    def step():
        with around():
            loss = compiled(x).square().mean()
            loss.backward()
        return gradients(loss, model)

    return step


def ddp(rank, ranks):
    return trained(DistributedDataParallel(layers()), seeded(rank, 4, WIDTH)())


def ddp_python_reducer(rank, ranks):
    from torch._dynamo import compiled_autograd

    torch._dynamo.config.optimize_ddp = "python_reducer"
    torch._dynamo.config.compiled_autograd = True
    enable = getattr(compiled_autograd, "_enable", None) or compiled_autograd.enable
    return trained(DistributedDataParallel(layers()), seeded(rank, 4, WIDTH)(), lambda: enable(torch.compile))


class Gather(torch.nn.Module):
    def __init__(self, gradient):
        super().__init__()
        self.gradient = gradient

    def forward(self, shard):
        return shard.redistribute(placements=[Replicate()] * len(self.gradient)).to_local(grad_placements=self.gradient)


def sharded(model, mesh, placements):
    for layer in model:
        for name, parameter in list(layer.named_parameters()):
            layer.register_parameter(name, torch.nn.Parameter(distribute_tensor(parameter.data, mesh, placements)))
            torch.nn.utils.parametrize.register_parametrization(layer, name,
                                                                Gather([Partial(AVERAGE)] * len(placements)),
                                                                unsafe=True)
    return model


def fsdp(rank, ranks):
    mesh = init_device_mesh("cpu", (ranks,), mesh_dim_names=("fsdp",))
    return trained(sharded(layers(), mesh, [Shard(0)]), seeded(rank, 4, WIDTH)())


def hsdp(rank, ranks):
    mesh = init_device_mesh("cpu", (2, ranks // 2), mesh_dim_names=("replicate", "shard"))
    return trained(sharded(layers(), mesh, [Replicate(), Shard(0)]), seeded(rank, 4, WIDTH)())


def tp_embedding(rank, ranks):
    """The graph of each rank contains the offset of its part of the vocabulary."""
    mesh = init_device_mesh("cpu", (ranks,), mesh_dim_names=("tp",))
    model = torch.nn.Sequential(torch.nn.Embedding(4 * ranks, WIDTH), torch.nn.Linear(WIDTH, 2 * WIDTH),
                                torch.nn.ReLU(), torch.nn.Linear(2 * WIDTH, WIDTH))
    parallelize_module(model, mesh, {"0": RowwiseParallel(input_layouts=Replicate()), "1": ColwiseParallel(),
                                     "3": RowwiseParallel()})
    return trained(model, torch.arange(6) % (4 * ranks))


def moe_constant_splits(rank, ranks):
    """Each rank sends another number of rows, which is a constant of its graph."""
    rows = lambda sender, receiver: (sender + 2 * receiver) % 3 + 1
    sent = [rows(rank, other) for other in range(ranks)]
    received = [rows(other, rank) for other in range(ranks)]
    experts, shards = [torch.nn.Linear(WIDTH, WIDTH) for _ in range(2)], [seeded(rank, WIDTH, WIDTH)().requires_grad_()
                                                                          for _ in range(2)]
    tokens = seeded(rank, sum(sent), WIDTH)().requires_grad_()

    @torch.compile
    def forward(x, *shards):
        for expert, shard in zip(experts, shards):
            there = funcol.all_to_all_single_autograd(x, received, sent, dist.group.WORLD)
            gathered = funcol.all_gather_tensor_autograd(shard, 0, dist.group.WORLD)
            x = funcol.all_to_all_single_autograd(expert(there).relu(), sent, received,
                                                  dist.group.WORLD) + (x @ gathered.t()).sum(1, keepdim=True)
        return x.square().mean()

    def step():
        tokens.grad = None
        loss = forward(tokens, *shards)
        gradients = torch.autograd.grad(loss, [tokens, *shards, *experts[0].parameters()])
        return [local(loss), *(local(value) for value in gradients)]

    return step


def recompiled_alone(rank, ranks):
    """In its second step, the last rank has other sizes, and compiles again while the other ranks do not."""
    weights = [seeded(rank, WIDTH // ranks, WIDTH)().requires_grad_() for _ in range(3)]
    rows = iter([4, 4] if rank < ranks - 1 else [4, 6])

    @torch.compile
    def forward(x, *weights):
        for weight in weights:
            x = torch.relu(x @ funcol.all_gather_tensor_autograd(weight, 0, dist.group.WORLD))
        return x.square().mean()

    def step():
        loss = forward(seeded(rank, next(rows, 4), WIDTH)(), *weights)
        return [local(loss), *(local(value) for value in torch.autograd.grad(loss, weights))]

    return step


def one_rank_eager(rank, ranks):
    """Rank 0 does not compile its step. It issues the same collectives in the order of the program."""
    weights = [seeded(rank, WIDTH // ranks, WIDTH)().requires_grad_() for _ in range(3)]

    def forward(x, *weights):
        for weight in weights:
            x = torch.relu(x @ funcol.all_gather_tensor_autograd(weight, 0, dist.group.WORLD))
        return x.square().mean()

    compiled = torch.compile(forward) if rank > 0 else forward

    def step():
        loss = compiled(seeded(rank, 4, WIDTH)(), *weights)
        return [local(loss), *(local(value) for value in torch.autograd.grad(loss, weights))]

    return step


def page_programs():
    """Returns heading -> the program below it on the page."""
    sections = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.M)[1:]
    found = {section.split("\n", 1)[0]: re.findall(r"^```python\n(.*?)^```", section, flags=re.M | re.S)
             for section in sections}
    return {heading: blocks[0] for heading, blocks in found.items() if blocks
            and heading != "From a file that somebody sent"}


def for_ranks(program, ranks):
    """Returns a program of the page, which is for two ranks, for another number of ranks that divides 4."""
    for of_two, of_all in (("(2,)", f"({ranks},)"), ("[2, 2]", str([4 // ranks] * ranks)),
                           ("dist.get_rank(), 2,", f"dist.get_rank(), {ranks},"),
                           ("n_microbatches=2", f"n_microbatches={ranks}")):
        program = program.replace(of_two, of_all)
    return program


def of_page(heading):
    """Runs a program of the page once; its results are the gradients of its modules."""
    def make(rank, ranks):
        def step():
            # Dynamo looks up the globals of a function in the module that it names.
            module = types.ModuleType(f"page_program_{next(COUNT)}")
            sys.modules[module.__name__] = module
            names = module.__dict__
            # The process group already exists.
            exec(for_ranks(page_programs()[heading], ranks).replace('dist.init_process_group("gloo")',
                                                                    "").replace("dist.destroy_process_group()", ""),
                                                                    names)
            modules = [value for value in names.values() if isinstance(value, torch.nn.Module)]
            return [local(parameter.grad) for module in modules for parameter in module.parameters()
                    if parameter.grad is not None]

        return step

    return make


RECIPES = {recipe.__name__: recipe for recipe in (ddp, ddp_python_reducer, fsdp, hsdp, tp_embedding,
                                                  moe_constant_splits, recompiled_alone, one_rank_eager)}
RECIPES.update({f"page: {heading}": of_page(heading) for heading in page_programs()})
