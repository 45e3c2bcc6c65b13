#!/usr/bin/env python3
"""Records traces of collectives on gloo ranks, for ccgraph-opt --measured --fit-machine: timed_collectives.py FOLDER

torchrun starts it on each rank. Each step issues each kind of collective once for each size, and waits for it before
the next. It writes the trace of this rank, and on rank 0 the graph of the step."""
import sys
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as collectives
from torch.fx.experimental.proxy_tensor import make_fx
from torch.profiler import ProfilerActivity, profile

FOLDER = sys.argv[1]
STEPS = 20
SIZES = [1 << bits for bits in range(12, 23, 2)]


def step(*values):
    group, wait = dist.group.WORLD, collectives.wait_tensor
    ranks = dist.get_world_size()
    results = []
    for value in values:
        part, split = value[: len(value) // ranks], [len(value) // ranks] * ranks
        results += [wait(collectives.all_reduce(value, "sum", group)),
                    wait(collectives.all_gather_tensor(part, 0, group)),
                    wait(collectives.reduce_scatter_tensor(value, "sum", 0, group)),
                    wait(collectives.all_to_all_single(value, split, split, group)),
                    wait(collectives.broadcast(value, 0, group))]
    return results


def main():
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    values = [torch.ones(size // 4) for size in SIZES]
    if rank == 0:
        graph = make_fx(step, tracing_mode="fake")(*values)
        with open(f"{FOLDER}/graph.py", "w", encoding="utf-8") as file:
            file.write(graph.print_readable(print_output=False, include_stride=True, include_device=True))
    step(*values)
    dist.barrier()
    with profile(activities=[ProfilerActivity.CPU]) as profiler:
        for _ in range(STEPS):
            step(*values)
            profiler.step()
    profiler.export_chrome_trace(f"{FOLDER}/rank{rank}.json")
    dist.destroy_process_group()


main()
