#!/usr/bin/env python3
"""Compares the time of the pass with Inductor's own overlap and bucketing pass on the same graph in one process:
plugin_speed.py LAYERS...

The graph is the joint graph of a sharded step (all_gather, matmul, relu, reduce_scatter), traced with fake tensors.
Inductor's pass receives a time for each node, so it measures nothing; ccgraph's pass predicts the times.
"""
import copy, logging, statistics, sys, time
import torch
import torch.distributed as dist
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.testing._internal.distributed.fake_pg import FakeStore

import ccgraph.torch
from plugin_programs import WIDTH
import torch.distributed._functional_collectives as funcol

RANKS = 8


def graph_of(layers):
    def step(x, *shards):
        # the joint graph written out, since tracing autograd through thousands of layers takes minutes
        kept, weights = [x], []
        for shard in shards:
            weights.append(funcol.all_gather_tensor(shard, 0, dist.group.WORLD))
            kept.append(torch.relu(kept[-1] @ weights[-1]))
        gradient, gradients = kept[-1], []
        for weight, value in zip(reversed(weights), reversed(kept[:-1])):
            gradients.append(funcol.reduce_scatter_tensor(value.t() @ gradient, "sum", 0, dist.group.WORLD))
            gradient = gradient @ weight.t()
        return [gradient, *[g.clone() for g in gradients]]

    with FakeTensorMode() as mode:
        x = torch.randn(64, WIDTH)
        shards = [torch.randn(WIDTH // RANKS, WIDTH) for _ in range(layers)]
        return make_fx(step, tracing_mode="real")(x, *shards)


def estimate(node, override_size=None):
    return 0.02 if "_c10d_functional" in str(node.target) else 0.01 if "mm" in str(node.target) else 0.0


def inductor(gm):
    from torch._inductor.fx_passes.overlap_scheduling import schedule_overlap_bucketing

    schedule_overlap_bucketing(gm, collective_bucketing=True, custom_runtime_estimation=estimate)


def timed(run, gm, times):
    seconds = []
    for _ in range(times):
        fresh = copy.deepcopy(gm)
        start = time.perf_counter()
        run(fresh)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def main(layers):
    logging.getLogger("torch._inductor.utils").setLevel(logging.ERROR)
    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=RANKS)
    print("| nodes | ccgraph, s | Inductor's overlap and bucketing, s | ratio |\n|---|---|---|---|")
    for run in (ccgraph.torch.optimize, inductor):
        run(graph_of(2))  # late imports are not part of the pass
    for count in layers:
        gm = graph_of(count)
        ours = timed(lambda fresh: ccgraph.torch.optimize(fresh, memory_budget="unlimited"), gm, 3)
        theirs = timed(inductor, gm, 1)
        print(f"| {len(gm.graph.nodes)} | {ours:.2f} | {theirs:.2f} | {theirs / ours:.0f} |", flush=True)


if __name__ == "__main__":
    main([int(text) for text in sys.argv[1:]] or [100, 800])
