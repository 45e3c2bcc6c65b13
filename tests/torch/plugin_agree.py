#!/usr/bin/env python3
"""Tests ranks of which one has a warm compile cache: it runs the decisions that were agreed before, and a cache of
another job is an error on every rank. A schedule is made from a dump and replayed.
"""
import pathlib, subprocess, sys, tempfile

from plugin_job import run_job

# Seconds that a rank waits for the other one. A cold compile takes minutes on a busy machine.
DEADLINE = 600
failures = []


def expect(what, condition, said):
    if not condition:
        failures.append(what)
        print(f"FAILED: {what}: {said}", file=sys.stderr, flush=True)
    else:
        print(f"ok: {what}", flush=True)


def warm_and_cold(folder):
    """The compile cache of rank 0 belongs to a job in which both ranks agreed. Rank 1 compiles: first the same, then
    with other passes. Returns the outcomes of the first job, in which both ranks compile."""
    caches = [pathlib.Path(folder, f"cache{rank}") for rank in range(2)]
    job = {"program": "fsdp", "pass": {"patience": DEADLINE, "deadline": DEADLINE, "memory_budget": "unlimited"}}
    first = run_job(job, 2, caches)
    caches[1] = pathlib.Path(folder, "cold")
    second = run_job(job, 2, caches)
    calls = [[len(said.get("calls", [])) for said in outcomes] for outcomes in (first, second)]
    same = [said.get("results") for said in first] == [said.get("results") for said in second]
    expect("one rank warm, one cold", calls == [[2, 2], [0, 2]] and same,
           [calls, [said.get("error") for said in first + second]])
    outcomes = run_job({**job, "pass_of_rank": {"1": {"pipeline": "-O1"}}}, 2, caches)
    errors = [said.get("error", "no error") for said in outcomes]
    expect("a cache of another job on one rank", all("RanksDisagree" in error and "TORCHINDUCTOR_CACHE_DIR" in error
                                                     for error in errors), errors)
    return first


def dump_and_replay(folder, tool, direct):
    """`direct`: the outcomes of a job that compiles with the passes that make the schedules here."""
    job = {"program": "fsdp", "pass": {"dump": f"{folder}/dump"}}
    run_job(job, 2)
    schedules = pathlib.Path(folder, "schedules")
    schedules.mkdir()
    for dump in sorted(pathlib.Path(folder, "dump").glob("rank0_*.json")):
        digest = dump.stem.split("_")[-1]
        subprocess.run([tool, str(dump), "--memory-budget", "unlimited", "-o", f"{schedules}/{digest}.schedule.json"],
                       check=True)
    made = sorted(path.name for path in schedules.iterdir())
    replayed = run_job({"program": "fsdp", "pass": {"schedule": str(schedules)}}, 2)
    counts = [[(said.get("launches"), said.get("hidden"), said.get("warnings"), said.get("error"))
               for said in outcomes] for outcomes in (replayed, direct)]
    expect("from dump to replay", len(made) == 2 and counts[0] == counts[1], [made, counts])
    other = run_job({"program": "moe", "pass": {"schedule": str(schedules / made[0])}}, 2)
    refused = [said.get("warnings", []) for said in other]
    expect("a schedule of another graph is refused, and the program runs",
           all(said and made[0][:64] in said[0] for said in refused)
           and not any("error" in said for said in other), refused + other[:1])


def main(tool):
    with tempfile.TemporaryDirectory() as folder:
        direct = warm_and_cold(folder)
        dump_and_replay(folder, tool, direct)
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
