#!/usr/bin/env python3
"""Records traces of a small step on gloo ranks, for ccgraph-opt --measured: measured_job.py FOLDER
compiled|eager|training [RANK SECONDS]

torchrun starts it on each rank. It writes the trace of this rank, and on rank 0 the graph of the eager step; a compiled
step has its graph in the TORCH_TRACE log. A training step has three graphs: forward, backward and optimizer. With RANK
and SECONDS, this rank sleeps before its second product in each step."""
import os, sys, time
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as collectives
import torch._inductor.config as inductor
from torch.fx.experimental.proxy_tensor import make_fx
from torch.profiler import ProfilerActivity, profile

FOLDER, MODE = sys.argv[1:3]
SLOW = (int(sys.argv[3]), float(sys.argv[4])) if len(sys.argv) > 3 else None
STEPS = 8
inductor.cpp.enable_kernel_profile = True
inductor.trace.provenance_tracking_level = 1


@torch.library.custom_op("measured::pause", mutates_args=())
def pause(x: torch.Tensor) -> torch.Tensor:
    if SLOW and dist.get_rank() == SLOW[0]:
        time.sleep(SLOW[1])
    return x.clone()


@pause.register_fake
def _(x):
    return torch.empty_like(x)


pause.register_autograd(lambda context, gradient: gradient)


def step(x, w1, w2):
    h = pause(torch.relu(torch.mm(x, w1)))
    y = collectives.wait_tensor(collectives.all_reduce(torch.mm(h, w2), "sum", dist.group.WORLD))
    gathered = collectives.all_gather_tensor(y, 0, dist.group.WORLD)
    return torch.mm(torch.nn.functional.softmax(y * 2 + x, -1), w1).sum() + collectives.wait_tensor(gathered).sum()


def forward(x, w1, w2):
    h = pause(torch.relu(torch.mm(x, w1)))
    gathered = collectives.all_gather_tensor_autograd(torch.mm(h, w2), 0, dist.group.WORLD)
    return torch.nn.functional.softmax(torch.mm(gathered, w1), -1).square().sum()


@torch.no_grad()
def optimize(weights, gradients):
    sums = [collectives.all_reduce(gradient, "sum", dist.group.WORLD) for gradient in gradients]
    for weight, total in zip(weights, sums):
        weight.add_(collectives.wait_tensor(total), alpha=-0.01)


def training(x, w1, w2):
    forward_of(x, w1, w2).backward()
    optimizer([w1, w2], [w1.grad, w2.grad])
    w1.grad = w2.grad = None


forward_of, optimizer = torch.compile(forward), torch.compile(optimize)


def main():
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(0)
    values = torch.randn(256, 512), torch.randn(512, 512), torch.randn(512, 512)
    if MODE == "eager" and rank == 0:
        graph = make_fx(step, tracing_mode="fake")(*values)
        with open(f"{FOLDER}/graph.py", "w", encoding="utf-8") as file:
            file.write(graph.print_readable(print_output=False, include_stride=True, include_device=True))
    if MODE == "training":
        values[1].requires_grad_(), values[2].requires_grad_()
    run = {"compiled": torch.compile(step), "eager": step, "training": training}[MODE]
    for _ in range(3):
        run(*values)
    dist.barrier()
    with profile(activities=[ProfilerActivity.CPU]) as profiler:
        for _ in range(STEPS):
            run(*values)
            profiler.step()
    profiler.export_chrome_trace(f"{FOLDER}/rank{rank}.json")
    dist.destroy_process_group()


main()
