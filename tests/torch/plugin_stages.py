#!/usr/bin/env python3
"""Tests collectives in stages on four ranks of gloo, as two nodes of two: torch.compile with hierarchical-collectives
makes the groups, and the values are those of the program without it.

    plugin_stages.py            then a second process of each rank takes the graphs from the compile cache, and makes
                                the groups again
    plugin_stages.py --once     without the second processes, and without a cache of graphs"""
import datetime, json, os, pathlib, subprocess, sys, tempfile

from compile_caches import KERNELS_ONLY, everything_in

RANKS = 4
MACHINE = {"format": "ccgraph.machine", "version": "1.0", "base": "h100x8", "ranks_per_node": 2}


def step(x, y):
    import torch.distributed._functional_collectives as funcol

    world = list(range(RANKS))
    # Without computation between them, because each kernel that Inductor compiles takes seconds on each rank.
    total = funcol.all_reduce(x, "sum", world)
    most = funcol.all_reduce(y, "max", world)
    whole = funcol.all_gather_tensor(y, 0, world)
    part = funcol.reduce_scatter_tensor(x, "sum", 0, world)
    parts = funcol.all_to_all_single(x, None, None, world)
    return total, most, whole, part, parts


def run(rank, folder):
    import torch
    import torch.distributed as dist
    import torch._inductor.config as config
    from one_thread_gloo import init_process_group

    import ccgraph.torch

    init_process_group(dist.FileStore(f"{folder}/store{os.environ['ROUND']}", RANKS), rank, RANKS,
                       datetime.timedelta(seconds=900))
    torch.manual_seed(rank)
    x, y = torch.randn(8, 3), torch.randn(2, 5)
    expected = step(x, y)
    made = ccgraph.torch.Pass("hierarchical-collectives{max-longer=unlimited}", machine=f"{folder}/machine.json",
                              memory_budget="unlimited", patience=600, deadline=600)
    config.post_grad_custom_post_pass = made
    for _ in range(2):
        got = torch.compile(step)(x, y)
        for ours, theirs in zip(got, expected):
            torch.testing.assert_close(ours, theirs)
    known = [rank // 2 * 2, rank // 2 * 2 + 1]
    assert dist.get_process_group_ranks(dist.distributed_c10d._resolve_process_group("0_inside")) == known
    print(rank, made, flush=True)
    pathlib.Path(folder, f"edits{rank}_{os.environ['ROUND']}").write_text(json.dumps([c["edits"] for c in made.calls]))
    dist.barrier()
    dist.destroy_process_group()


def start(folder, turn, cached):
    here = pathlib.Path(__file__).parent
    processes = []
    for rank in range(RANKS):
        environment = {**os.environ, "ROUND": str(turn), "OMP_NUM_THREADS": "1", "TORCHINDUCTOR_COMPILE_THREADS": "1",
                       "PYTHONPATH": os.pathsep.join([str(here.parent.parent / "frontend/python"),
                                                      os.environ.get("PYTHONPATH", "")])}
        environment.update(everything_in(f"{folder}/cache{rank}") if cached else KERNELS_ONLY)
        processes.append(subprocess.Popen([sys.executable, __file__, str(rank), folder], env=environment,
                                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True))
    try:
        said = [process.communicate(timeout=1000)[0] for process in processes]
    finally:
        for process in processes:
            process.kill()
    failed = [text for process, text in zip(processes, said) if process.returncode]
    if failed:
        sys.exit(failed[0][-4000:])
    return [json.loads(pathlib.Path(folder, f"edits{rank}_{turn}").read_text()) for rank in range(RANKS)]


def main():
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "machine.json").write_text(json.dumps(MACHINE))
        twice = sys.argv[1:] != ["--once"]
        first = start(folder, 0, cached=twice)
        second = start(folder, 1, cached=True) if twice else []
    if any(not edits or not all(edits) for edits in first):
        sys.exit(f"got edits {first}, expected a rewritten graph on each rank")
    if any(second):
        sys.exit(f"got graphs {second} in the second processes, expected that all come from the cache")
    print(f"rewritten graphs: {first}" + (", then all from the cache" if second else ""))


if __name__ == "__main__":
    run(int(sys.argv[1]), sys.argv[2]) if len(sys.argv) == 3 else main()
