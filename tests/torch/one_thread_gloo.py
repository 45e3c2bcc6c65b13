"""Makes a gloo group that runs one collective at a time.

PyTorch's own groups run two at the same time, on two threads, which sometimes damages the heap of the process:
glibc ends it with "malloc(): unaligned tcache chunk detected", below c10d::AsyncAllreduceWork. It was seen with
PyTorch 2.15 on CPUs, without ccgraph, about once in tens of thousands of steps with reduce_scatter_tensor_coalesced
and another collective in flight. Tests of values and orders must not end in this way.
"""
import torch.distributed as dist

NAME = "one_thread_gloo"


def _create(store, rank, size, timeout):
    gloo = dist.ProcessGroupGloo
    options = gloo._Options()
    options._devices, options._timeout, options._threads = [gloo.create_device(interface="lo")], timeout, 1
    return gloo(store, rank, size, options)


dist.Backend.register_backend(NAME, _create, devices=["cpu"])


def init_process_group(store, rank, ranks, timeout=None):
    dist.init_process_group(NAME, store=store, rank=rank, world_size=ranks, timeout=timeout)
