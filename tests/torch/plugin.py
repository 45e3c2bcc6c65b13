#!/usr/bin/env python3
"""Tests the plug-in for torch.compile on real gloo ranks: plugin.py [--ranks N...] [--programs NAME...] [--times N].

Each program is compiled twice for each number of ranks, with and without ccgraph, forward and backward. Losses and
gradients must be bitwise equal (ddp may merge sums of floats of more than two ranks, and must then be equal within
1e-5). The collectives, counted in the code that Inductor generates, must be fewer, or have more computation between
launch and wait.
"""
import argparse, math, sys

from plugin_job import run_job

#: the options of the pass for each program
PASSES = {"fsdp": {"bitwise": True}, "tensor_parallel": {"bitwise": True}, "ddp": {}, "moe": {"bitwise": True}}
#: a chain of dependent all_reduces, in which no overlap is possible
CHAINS = {"tensor_parallel"}


def differs(off, on, exact):
    """Returns the largest difference; None if it is not permitted."""
    if exact and off["results"] != on["results"]:
        return None
    pairs = [(a, b) for x, y in zip(off["values"], on["values"]) for a, b in zip(x, y)]
    if not all(math.isclose(a, b, rel_tol=1e-5, abs_tol=1e-7) for a, b in pairs):
        return None
    return max(abs(a - b) for a, b in pairs)


def step_of(jobs):
    """Returns the milliseconds of a step on the slowest rank of the fastest job."""
    return 1000 * min(max(said["step_seconds"] for said in job) for job in jobs)


def judge(program, ranks, times):
    """Returns one row of the table, and the errors. Jobs alternate, so that other work of the machine affects both
    sides."""
    without, given = {"program": program}, {"program": program,
                                            "pass": {"memory_budget": "unlimited", **PASSES[program]}}
    jobs = [(run_job(without, ranks), run_job(given, ranks)) for _ in range(times)]
    off, on = jobs[0]
    if broken := [said["error"] for pair in jobs for job in pair for said in job if "error" in said]:
        return None, broken
    wrong = [warning for said in on for warning in said["warnings"]]
    exact = PASSES[program].get("bitwise", False) or ranks == 2
    differences = [differs(a, b, exact) for a, b in zip(off, on)]
    if None in differences:
        wrong.append("other losses or gradients than without ccgraph")
    if len({(said["launches"], said["hidden"]) for said in on}) > 1:
        wrong.append("ranks run different code")
    before, after = off[0], on[0]
    gained = after["launches"] < before["launches"] or after["hidden"] > before["hidden"]
    if not gained and program not in CHAINS:
        wrong.append(f"{before['launches']} launches and {before['hidden']} calls hidden, and no better with ccgraph: "
                     f"{after['launches']}, {after['hidden']}")
    if not any(call["edits"] is not None for call in after["calls"]):
        wrong.append("the pass was not called")
    row = {"program": program, "ranks": ranks, "difference": max((d for d in differences if d is not None),
                                                                 default=math.nan), "exact": exact,
           "before": (before["launches"], before["hidden"]), "after": (after["launches"], after["hidden"]),
           "steps": [step_of(side) for side in zip(*jobs)],
           "milliseconds": max(1000 * sum(call["seconds"] for call in said["calls"]) for said in on)}
    return row, wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ranks", type=int, nargs="*", default=[2, 4])
    parser.add_argument("--programs", nargs="*", default=list(PASSES))
    parser.add_argument("--times", type=int, default=1,
                        help="jobs of each program, without and with ccgraph, of which the fastest steps are told")
    options = parser.parse_args()
    failed = False
    print("| program | ranks | largest difference | collectives | computing calls between launch and wait | ms a step "
          "| ms in the pass |\n|---|---|---|---|---|---|---|")
    for program in options.programs:
        for ranks in options.ranks:
            row, wrong = judge(program, ranks, options.times)
            if row:
                equal = "0, to the bit" if row["exact"] else f"{row['difference']:.1e}"
                print(f"| {program} | {ranks} | {equal} | {row['before'][0]} -> {row['after'][0]} | {row['before'][1]} "
                      f"-> {row['after'][1]} | {row['steps'][0]:.1f} -> {row['steps'][1]:.1f} | "
                      f"{row['milliseconds']:.0f} |",
                      flush=True)
            for text in wrong:
                failed = True
                print(f"{program} on {ranks} ranks: {text}", file=sys.stderr, flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
