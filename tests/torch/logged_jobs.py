#!/usr/bin/env python3
"""Runs a small training job of each kind of parallelism on four gloo ranks and records what it does:
logged_jobs.py FOLDER [JOB...].

FOLDER/JOB/ gets `trace/`, the TORCH_TRACE logs of all ranks, and `truth.json` of rank 0: PyTorch's version, the device,
the number of ranks, the ranks of each process group, and the collectives of one training step with the bytes of their
inputs, as PyTorch's flight recorder lists them. The step was compiled before, so these are the collectives that
Inductor's code issues.
"""
import datetime, json, os, pathlib, subprocess, sys
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.distributed_c10d import _world

from compile_caches import KERNELS_ONLY
from one_thread_gloo import init_process_group
from plugin_programs import seeded
from plugin_recipes import WIDTH, ddp_python_reducer, fsdp, hsdp, local, tp_embedding

RANKS = 4


def moe(rank, ranks):
    """Tokens go to the experts of two ranks and back; the other pair of ranks is another replica."""
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "ep"))
    expert, router = torch.nn.Linear(WIDTH, WIDTH), torch.nn.Linear(WIDTH, WIDTH)
    rows = seeded(rank, 8, WIDTH)()

    @torch.compile
    def forward(x):
        x = router(x).relu()
        sent = funcol.all_to_all_single_autograd(x, [4, 4], [4, 4], mesh.get_group("ep"))
        back = funcol.all_to_all_single_autograd(expert(sent).relu(), [4, 4], [4, 4], mesh.get_group("ep"))
        return funcol.all_reduce(back.square().mean(), "sum", mesh.get_group("dp"))

    def step():
        loss = forward(rows)
        loss.backward()
        found = [local(loss)]
        router.zero_grad()
        expert.zero_grad()
        return found

    return step


JOBS = {"FSDP": fsdp, "HSDP": hsdp, "TP": tp_embedding, "MoE": moe, "DDP": ddp_python_reducer}
BYTES = {"Float": 4, "Int": 4, "Long": 8, "Half": 2, "BFloat16": 2, "Double": 8}


def recorded():
    """Returns what the flight recorder has: the collectives that the rank has issued, at "entries"."""
    import torch._C._distributed_c10d as c10d

    return json.loads(c10d._dump_fr_trace_json(True, False))


def bytes_sent(entry):
    return sum(BYTES[kind] * int(torch.tensor(size).prod())
               for size, kind in zip(entry["input_sizes"], entry["input_dtypes"]))


def truth(step):
    step()
    step()
    before = len(recorded()["entries"])
    step()
    entries = recorded()["entries"][before:]
    ran = [{"kind": each["profiling_name"].split(":")[-1], "group": each["process_group"][0], "sent": bytes_sent(each)}
           for each in entries]
    used = {each["group"] for each in ran}
    groups = {name: dist.get_process_group_ranks(group) for group, name in _world.pg_names.items() if name in used}
    return {"torch": torch.__version__.split("+")[0], "device": "cpu", "ranks": dist.get_world_size(),
            "groups": groups, "collectives": ran}


def run_rank(name, folder):
    rank = int(os.environ["RANK"])
    torch.set_num_threads(1)
    init_process_group(dist.FileStore(f"{folder}/store", RANKS), rank, RANKS, datetime.timedelta(seconds=300))
    torch.manual_seed(7)
    found = truth(JOBS[name](rank, RANKS))
    if rank == 0:
        pathlib.Path(folder, "truth.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    dist.barrier()
    os._exit(0)  # threads of gloo may outlive the interpreter


def record(name, folder):
    folder.mkdir(parents=True)
    ranks = [subprocess.Popen([sys.executable, __file__, "--rank", name, str(folder)], env={
        **os.environ, "RANK": str(rank), "WORLD_SIZE": str(RANKS), "OMP_NUM_THREADS": "1",
        "TORCHINDUCTOR_COMPILE_THREADS": "1", **KERNELS_ONLY, "TORCH_FR_BUFFER_SIZE": "2000",
        "TORCH_TRACE": str(folder / "trace")}) for rank in range(RANKS)]
    if any([rank.wait(timeout=900) for rank in ranks]):
        sys.exit(f"logged_jobs: the job {name} failed")


def main():
    if sys.argv[1] == "--rank":
        run_rank(*sys.argv[2:])
    for name in sys.argv[2:] or JOBS:
        record(name, pathlib.Path(sys.argv[1]) / name)


if __name__ == "__main__":
    main()
