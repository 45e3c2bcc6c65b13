#!/usr/bin/env python3
"""Runs the commands of each row of a plan, and compares what ccgraph-opt predicts with the row: plan_commands.py BIN"""
import json, os, subprocess, sys, tempfile

PLAN = ("ccgraph-gen llama3-8b --layers 2 --seq 1024 --plan --ranks 4 --memory 40GiB --batch 8 --fsdp 2 "
        "--recompute full --clip 1 --foreach --cp 1 --pp 1 --json")
#: flags of the model, and rows of the plan
PLANS = (("--rows 4", 4), ("--fp8 --rows 2", 2))
#: rows whose commands write a job
PIPELINES = ("ccgraph-gen llama3-8b --layers 4 --seq 1024 --plan --ranks 4 --memory 40GiB --batch 4 --recompute full "
             "--fp8 --pp 2 --rows 3 --json")


def text_of(command, folder=None):
    environment = dict(os.environ, PATH=sys.argv[1] + os.pathsep + os.environ["PATH"])
    return subprocess.run(command, shell=True, check=True, env=environment, stdout=subprocess.PIPE, cwd=folder).stdout


def run(command):
    return json.loads(text_of(command))


def run_jobs():
    """Runs the command of each pipeline, and checks the optimized jobs. Returns what is wrong."""
    failures, rows = [], run(PIPELINES)["rows"]
    for row in rows:
        with tempfile.TemporaryDirectory() as folder:
            text_of(row["command"], folder)
            verdict = text_of("ccgraph-check pipeline-O2/job.json", folder).decode()
            if "no rank waits for ever" not in verdict:
                failures.append(f"{row['command']}: {verdict}")
    if len(rows) != 3 or any(row["pipeline"] != 2 or row["bubble_ns"] <= 0 for row in rows):
        failures.append(f"expected 3 rows with pipelines of 2 ranks, got {rows}")
    return failures


def run_programs(flags, rows):
    """Compares each row of a plan with its commands. Returns the number of commands, and what is wrong."""
    plan, compared, failures = run(f"{PLAN} {flags}"), 0, []
    for row in plan["rows"]:
        step = 0
        for program in row["programs"]:
            printed = run(program["command"] + " --json")
            after = printed["predicted"]["after"]
            got = {"step_ns": after["step_ns"], "compute_ns": after["compute_ns"], "exposed_ns": after["exposed_ns"],
                   "peak_bytes": printed["after"]["peak_bytes"]}
            step += program["times"] * after["step_ns"]
            compared += 1
            failures += [f"{program['command']}: {key} is {got[key]}, and {program[key]} in the plan"
                         for key in got if got[key] != program[key]]
        # Each time is rounded down to whole nanoseconds before it is multiplied.
        if abs(step - row["step_ns"]) > sum(program["times"] for program in row["programs"]):
            failures.append(f"row {row} has a step of {row['step_ns']} ns, and its programs take {step} ns")
    if len(plan["rows"]) != rows:
        failures.append(f"{flags}: {len(plan['rows'])} rows, expected {rows}")
    return compared, failures


def main():
    compared, failures = 0, run_jobs()
    for flags, rows in PLANS:
        commands, wrong = run_programs(flags, rows)
        compared += commands
        failures += wrong
    if compared < 8:
        failures.append(f"{compared} programs, expected 8 or more")
    print("\n".join(failures) or f"{compared} commands give the figures of the plan")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
