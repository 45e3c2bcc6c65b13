#!/usr/bin/env python3
"""Runs one rank of plugin.py: plugin_rank.py FOLDER JOB, where JOB is JSON. It writes its results to
FOLDER/rank<r>.json.

RANK and WORLD_SIZE are in the environment. The job states the program, and the options of each rank's pass.
"""
import datetime, json, os, pathlib, re, sys, time, warnings
import torch
import torch.distributed as dist

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from one_thread_gloo import init_process_group
from plugin_programs import PROGRAMS

LAUNCH = re.compile(r"torch\.ops\._c10d_functional\.(\w+)\.default\(")
WORK = re.compile(r"(extern_kernels\.\w+\(|cpp_fused_\w+\(|torch\.ops\.aten\.\w+)")


def collectives(code):
    """Returns from generated code the launches, and the sum of computing calls between each launch and its wait."""
    launches, hidden, calls, when = 0, 0, 0, {}
    for line in code.split("\n"):
        found = LAUNCH.search(line)
        if found and found[1] == "wait_tensor":
            named = re.search(r"wait_tensor\.default\((\w+)", line)
            hidden += calls - when.get(named[1], calls) if named else 0
        elif found:
            launches += 1
            when[re.match(r"\s*(\w*)", line)[1]] = calls
            for written in re.findall(r"\.default\(\[?(\w+)", line) if found[1].endswith("_") else ():
                when[written] = calls  # in place
        elif "=" in line and (alias := re.match(r"\s*(\w+) = (\w+)(\[\d+\])?(;.*)?$", line)):
            if alias[2] in when:
                when[alias[1]] = when[alias[2]]
        elif WORK.search(line):
            calls += 1
    return {"launches": launches, "hidden": hidden}


def fastest_step(train, times=100):
    """Returns the times of some steps, which all ranks begin together; other work of the machine makes some of them
    slower."""
    seconds = []
    for _ in range(times):
        dist.barrier()
        start = time.perf_counter()
        train()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def run(job, rank, ranks):
    step, weights, x = PROGRAMS[job["program"]](rank, ranks)
    weights = [weight.requires_grad_() for weight in weights]
    torch._dynamo.reset()
    compiled = torch.compile(step, fullgraph=True)

    def train():
        loss = compiled(x, *weights)
        return [loss.detach(), *torch.autograd.grad(loss, weights)]

    from torch._inductor.utils import run_and_get_code

    results, codes = run_and_get_code(train)
    again = train()
    assert all(torch.equal(a, b) for a, b in zip(results, again)), "a second step gives other values"
    counts = [collectives(code) for code in codes]
    steps = fastest_step(train)
    return {"results": [value.flatten().view(torch.int32).tolist() for value in results],
            "values": [value.flatten().tolist() for value in results],
            "step_seconds": steps, "launches": sum(count["launches"] for count in counts),
            "hidden": sum(count["hidden"] for count in counts),
            "codes": codes if job.get("codes") else []}


def run_recipe(job, rank, ranks):
    """Runs two steps of a recipe, so that the second step uses the compiled first step."""
    from plugin_recipes import RECIPES

    torch.manual_seed(7)
    step = RECIPES[job["program"]](rank, ranks)
    steps = [step() for _ in range(1 if job["program"].startswith("page: ") else 2)]
    return {"values": [value.flatten().tolist() for values in steps for value in values],
            "results": [value.contiguous().flatten().view(torch.int32).tolist() for values in steps
                        for value in values]}


def install(job, rank):
    from torch._inductor import config

    if (given := job.get("pass")) is None:
        return None
    import ccgraph.torch

    given = {**given, **job.get("pass_of_rank", {}).get(str(rank), {})}
    config.post_grad_custom_post_pass = ccgraph.torch.Pass(**given)
    return config.post_grad_custom_post_pass


def main(folder, text):
    job, rank, ranks = json.loads(text), int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    torch.set_num_threads(1)
    init_process_group(dist.FileStore(f"{folder}/store", ranks), rank, ranks,
                       datetime.timedelta(seconds=job.get("timeout", 900)))
    job["program"] = job.get("program_of_rank", {}).get(str(rank), job["program"])
    outcome = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            installed = install(job, rank)
            outcome = run(job, rank, ranks) if job["program"] in PROGRAMS else run_recipe(job, rank, ranks)
            if installed is not None:
                outcome["calls"] = installed.calls
        except Exception as error:  # the parent judges it
            outcome = {"error": f"{type(error).__name__}: {error}"}
    outcome["warnings"] = [str(each.message) for each in caught if "ccgraph" in str(each.message)]
    with open(f"{folder}/rank{rank}.json", "w", encoding="utf-8") as file:
        json.dump(outcome, file)
    if "error" not in outcome:
        dist.destroy_process_group()
    os._exit(0)  # ranks that disagree leave collectives that never end


if __name__ == "__main__":
    main(*sys.argv[1:])
