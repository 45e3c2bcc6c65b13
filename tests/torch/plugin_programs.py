"""Defines training steps in the four usual forms of parallelism, small enough to compile in seconds.

Each is a function of a rank and a number of ranks that returns the step, its parameters and its inputs; the step
returns a loss.
"""
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol

LAYERS, WIDTH, ROWS = 4, 32, 8


def seeded(rank, *shape):
    generator = torch.Generator().manual_seed(1000 + rank)
    return lambda: torch.randn(*shape, generator=generator) / shape[-1] ** 0.5


class SumOfGradients(torch.autograd.Function):
    """Returns its argument; its gradient is the sum over ranks."""

    @staticmethod
    def forward(ctx, value):
        return value.view_as(value)

    @staticmethod
    def backward(ctx, gradient):
        return funcol.all_reduce(gradient, "sum", dist.group.WORLD)


class SumOfValues(torch.autograd.Function):
    """Returns the sum over ranks; its gradient is the incoming gradient."""

    @staticmethod
    def forward(ctx, value):
        return funcol.all_reduce(value, "sum", dist.group.WORLD)

    @staticmethod
    def backward(ctx, gradient):
        return gradient


def fsdp(rank, ranks):
    make = seeded(rank, WIDTH // ranks, WIDTH)

    def step(x, *shards):
        for shard in shards:
            x = torch.relu(x @ funcol.all_gather_tensor_autograd(shard, 0, dist.group.WORLD))
        return x.square().mean()

    return step, [make() for _ in range(LAYERS)], seeded(rank, ROWS, WIDTH)()


def tensor_parallel(rank, ranks):
    def step(x, *weights):
        for first, second in zip(weights[::2], weights[1::2]):
            hidden = torch.relu(SumOfGradients.apply(x) @ first)
            x = x + SumOfValues.apply(hidden @ second)
        return x.square().mean()

    columns, rows = seeded(rank, WIDTH, WIDTH // ranks), seeded(rank, WIDTH // ranks, WIDTH)
    return step, [make() for _ in range(2) for make in (columns, rows)], seeded(0, ROWS, WIDTH)()


def ddp(rank, ranks):
    make = seeded(0, WIDTH, WIDTH)

    def step(x, *weights):
        for weight in weights:
            x = torch.relu(x @ SumOfGradients.apply(weight))
        return x.square().mean()

    return step, [make() for _ in range(LAYERS)], seeded(rank, ROWS, WIDTH)()


def mixture_of_experts(rank, ranks):
    splits = [ROWS // ranks] * ranks

    def step(x, *weights):
        for expert, shared in zip(weights[::2], weights[1::2]):
            sent = funcol.all_to_all_single_autograd(x, splits, splits, dist.group.WORLD)
            x = torch.relu(x @ shared) + funcol.all_to_all_single_autograd(torch.relu(sent @ expert), splits, splits,
                                                                           dist.group.WORLD)
        return x.square().mean()

    make = seeded(rank, WIDTH, WIDTH)
    return step, [make() for _ in range(4)], seeded(rank, ROWS, WIDTH)()


def nothing(rank, ranks):
    """Returns a program without communication."""
    return lambda x, weight: (x @ weight).square().mean(), [seeded(rank, WIDTH, WIDTH)()], seeded(rank, ROWS, WIDTH)()


PROGRAMS = {"fsdp": fsdp, "tensor_parallel": tensor_parallel, "ddp": ddp, "moe": mixture_of_experts, "nothing": nothing}
