#!/usr/bin/env python3
"""Tests flight records in both directions: flight_recorder.py CCGRAPH_RUN.

Three gloo ranks of PyTorch, of which rank 1 skips a gather, leave dumps that `ccgraph-run --analyze` must analyze,
as pickles and as JSON. PyTorch's own analyzer must read the records that ccgraph-run leaves for a run with the same
fault, as pickles, and find the mismatch."""
import json
import os
import pickle
import subprocess
import sys
import tempfile

STEP = """class Step(torch.nn.Module):
    def forward(self, x: "f32[4][1]cpu"):
        first: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
        gather: "f32[12][1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(x, 3, '0')
        last: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'max', '0')
        w0: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(first)
        w1: "f32[12][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(gather)
        w2: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(last)
        return (w0, w1, w2)
"""


def gloo_rank(rank, folder):
    import torch
    import torch._C._distributed_c10d as c10d
    import torch.distributed as dist
    store = dist.FileStore(os.path.join(folder, "store"), 3)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=3)
    work = [dist.all_reduce(torch.ones(4), async_op=True)]
    work[0].wait()
    if rank != 1:
        work.append(dist.all_gather_into_tensor(torch.ones(12), torch.ones(4), async_op=True))
    work.append(dist.all_reduce(torch.ones(8), async_op=True))
    for name, dump in (("pickle", c10d._dump_fr_trace(True, False, False)),
                       ("json", c10d._dump_fr_trace_json(True, False))):
        os.makedirs(os.path.join(folder, name), exist_ok=True)
        with open(os.path.join(folder, name, f"rank_{rank}"), "wb") as file:
            file.write(dump if isinstance(dump, bytes) else dump.encode())
    # A rank that exits ends the others' calls, so all ranks wait until all have written.
    store.set(f"written{rank}", "1")
    store.wait([f"written{other}" for other in range(3)])
    os._exit(0)


def analyse(tool, folder):
    run = subprocess.run([tool, "--analyze", folder], capture_output=True, text=True, check=False)
    return run.returncode, run.stdout + run.stderr


def check_theirs(tool, folder):
    environment = dict(os.environ, TORCH_FR_BUFFER_SIZE="20")
    ranks = [subprocess.Popen([sys.executable, __file__, "--rank", str(rank), folder], env=environment)
             for rank in range(3)]
    for rank in ranks:
        rank.wait(timeout=120)
    wanted = ("rank 1 is the culprit: collective 2 of group 0 is all_gather f32[4] on ranks 0 and 2, and all_reduce "
              "f32[8] on rank 1")
    return [f"{form}: exit {code}: {text}" for form in ("pickle", "json")
            for code, text in [analyse(tool, os.path.join(folder, form))] if code != 3 or wanted not in text]


def check_ours(tool, folder):
    step, records, pickles = (os.path.join(folder, name) for name in ("step.py", "records", "pickles"))
    with open(step, "w", encoding="utf-8") as file:
        file.write(STEP)
    subprocess.run([tool, step, "--ranks", "3", "--engine", "local", "--fault", "skip:1:gather", "--flight-records",
                    records],
                   capture_output=True, check=False)
    os.makedirs(pickles)
    for name in os.listdir(records):
        with open(os.path.join(records, name), encoding="utf-8") as file:
            record = json.load(file)
        with open(os.path.join(pickles, f"rank_{record['rank']}"), "wb") as file:
            pickle.dump(record, file)
    run = subprocess.run([sys.executable, "-m", "torch.distributed.flight_recorder.fr_trace", pickles, "-p", "rank_"],
                         capture_output=True, text=True, check=False)
    said = run.stdout + run.stderr
    return [] if run.returncode == 0 and "MISMATCH" in said.upper() else [f"fr_trace: exit {run.returncode}: {said}"]


def main():
    if sys.argv[1] == "--rank":
        gloo_rank(int(sys.argv[2]), sys.argv[3])
    failures = []
    for check in (check_theirs, check_ours):
        with tempfile.TemporaryDirectory() as folder:
            failures += check(sys.argv[1], folder)
    print("\n".join(failures) or "flight records are understood both ways")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
