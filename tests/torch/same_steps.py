#!/usr/bin/env python3
"""Tests ccgraph.torch.same_as on steps that make_fx captures: a tensor-parallel module beside the same module on one
device, right and with a reduction left out, with placements from its DTensors and without any."""
import sys

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard
from torch.fx.experimental.proxy_tensor import make_fx
from torch.testing._internal.distributed.fake_pg import FakeStore

import ccgraph
import ccgraph.torch as ct

RANKS = 2


def step(x, up, down):
    """The gradients of a feed-forward layer, whose loss is a mean."""
    weights = [up.detach().requires_grad_(), down.detach().requires_grad_()]
    loss = (F.relu(x @ weights[0]) @ weights[1]).square().mean()
    return [loss.to_local() if isinstance(loss, DTensor) else loss,
            *(g.to_local() if isinstance(g, DTensor) else g for g in torch.autograd.grad(loss, weights))]


def captured(function, sizes):
    mode = FakeTensorMode()
    inputs = [mode.from_tensor(torch.empty(size)) for size in sizes]
    with mode:
        return make_fx(function)(*inputs)


def parallel_step(mesh):
    def run(x, up, down):
        parts = [DTensor.from_local(part, mesh, [held], run_check=False)
                 for part, held in ((x, Replicate()), (up, Shard(1)), (down, Shard(0)))]
        return step(*parts)
    return run


def without_reduction(graph):
    copy = torch.fx.GraphModule({}, torch.fx.Graph().__class__())
    copy.graph = torch.fx.Graph()
    copy.graph.output(copy.graph.graph_copy(graph.graph, {}))
    node = next(node for node in copy.graph.nodes if "all_reduce" in str(node.target))
    node.replace_all_uses_with(node.args[0])
    return copy


def main():
    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=RANKS)
    mesh = init_device_mesh("cpu", (RANKS,), mesh_dim_names=("tp",))
    single = captured(step, [(4, 8), (8, 16), (16, 8)])
    parallel = captured(parallel_step(mesh), [(4, 8), (8, 8), (8, 8)])
    groups = ct.groups_of_process()
    assert list(range(RANKS)) in groups.values(), groups
    held = [("x", [Replicate()]), ("up", [Shard(1)]), ("down", [Shard(0)])]
    entry = lambda place, of, placements: {"position": place, "single": place, "of": of,
                                           **ct.placement(placements, mesh)}
    placements = {"mesh": {"axes": ["tp"], "sizes": [RANKS]},
                  "inputs": [entry(i, of, placed) for i, (of, placed) in enumerate(held)],
                  "outputs": [entry(i, of, placed) for i, (of, placed) in
                              enumerate([("loss", [Replicate()]), ("grad.up", [Shard(1)]), ("grad.down", [Shard(0)])])]}
    assert ct.placement([Partial("avg")], mesh) == {"placement": {"tp": "partial(avg)"}}
    same = ct.same_as(single, parallel, groups=groups, placements=placements)
    assert same and same["assumed"] == [], same
    guessed = ct.same_as(single, parallel, groups=groups, ranks=RANKS)
    assert guessed and guessed["assumed"], guessed
    forms = ct.same_as(parallel, [parallel] * RANKS, groups=groups, placements=placements, same_as_groups=groups,
                       same_as_placements=placements)
    assert forms, forms
    wrong = ct.same_as(single, without_reduction(parallel), groups=groups, placements=placements)
    assert not wrong and wrong.decided and "loss" in wrong["outputs_wrong"], wrong
    try:
        ct.placement([Partial("max")], mesh)
    except ccgraph.UsageError as error:
        assert "a partial max" in str(error)
    else:
        raise AssertionError("a partial max was accepted")
    print("same_as: 4 comparisons")


if __name__ == "__main__":
    sys.exit(main())
