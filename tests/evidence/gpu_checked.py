#!/usr/bin/env python3
"""Tests tests/evidence/gpu without a device: gpu_checked.py BUILD

The script runs on nccl-recorded, with a program that prints a table of its own in place of ccgraph_nccl_bench.
Without an error, the script must exit with 0. It must exit with 1 and print the cause for a ratio below the limit,
a captured step of several launches, a row without measurement, a program that fails, and a wrong value."""
import os, stat, subprocess, sys, tempfile

from gpu_job import Job

BUILD = os.path.realpath(sys.argv[1])
HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = """| collective on 2 ranks | size | engine, us | by hand, us | ratio | busbw, GB/s \
| captured: engine, us | by hand, us | ratio | busbw, GB/s | runs |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|
| all_reduce | 256 B | 10.00 | 9.90 | {live} | 0.03 | 5.00 | 5.00 | {captured} | 0.05 | 10 |

| a step of 50 all_reduces of 256 B | calls that give work | until all is enqueued, us |
|---|---:|---:|
| engine, captured | {launches} | 5.00 |
"""
WELL = {"live": "0.990", "captured": "1.000", "launches": "1"}


def program(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n" + text)
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    return path


def run(folder, bench, parts="values,speed,overlap", run_program=None):
    """Returns (exit code, page, errors) of these parts, with a build whose ccgraph-run may be replaced."""
    build = tempfile.mkdtemp(dir=folder)
    os.mkdir(os.path.join(build, "bin"))
    os.symlink(os.path.join(BUILD, "tests"), os.path.join(build, "tests"))
    real = os.path.join(BUILD, "bin/ccgraph-run")
    program(os.path.join(build, "bin/ccgraph-run"), (run_program or 'exec "{real}" "$@"\n').format(real=real))
    done = subprocess.run([os.path.join(HERE, "gpu"), "--engine", "nccl-recorded", "--bench", bench, "--ranks", "2",
                           "--conformance", "Transfers*", "--parts", parts], text=True, capture_output=True,
                          env={**os.environ, "CCGRAPH_BUILD": build})
    return done.returncode, done.stdout, done.stderr


def expect(what, got, code, errors):
    assert (got[0], got[2]) == (code, errors), f"{what}: exit {got[0]}, expected {code}; said:\n{got[2]}"


with tempfile.TemporaryDirectory() as folder:
    bench = lambda **numbers: program(os.path.join(folder, "bench"),
                                      f"cat <<'END'\n{TABLE.format(**{**WELL, **numbers})}END\n")
    got = run(folder, bench())
    expect("all is well", got, 0, "")
    for line in ("# The nccl engine on a device", "| kernels, one by one | 1 | ok",
                 "| conformance, collectives | 2 | ok",
                 "| wait_far_w2, captured | 2 | ok", "| all_reduce | 256 B | 10.00", "| enqueued | ", "| captured | "):
        assert line in got[1], f"the page lacks '{line}':\n{got[1]}"
    # The values do not depend on the measurements, so the other tables need only the part that shows them.
    measured = lambda program: run(folder, program, "speed")
    expect("a ratio below the bar", measured(bench(live="0.969")), 1,
           "gpu: all_reduce of 256 B on 2 ranks: 0.969 of the speed by hand, expected at least 0.97\n")
    expect("a ratio at the bar", measured(bench(live="0.970")), 0, "")
    expect("a captured ratio below the bar", measured(bench(captured="0.500")), 1,
           "gpu: all_reduce of 256 B on 2 ranks, captured: 0.500 of the speed by hand, expected at least 0.97\n")
    expect("a ratio that is no number", measured(bench(live="nan")), 1,
           "gpu: all_reduce of 256 B on 2 ranks: nan of the speed by hand, expected at least 0.97\n")
    expect("several launches", measured(bench(launches="3")), 1,
           "gpu: a captured step on 2 ranks takes 3 launches, expected 1\n")
    expect("nothing measured", measured(program(os.path.join(folder, "bench"), "exit 0\n")), 1,
           "gpu: no row of a collective on 2 ranks was measured\ngpu: launches of a captured step on 2 ranks were not "
           "counted\n")
    expect("a measurement that fails", measured(program(os.path.join(folder, "bench"), "echo no memory >&2; exit 1\n")),
           1, "gpu: bench on 2 ranks: no memory\n")
    # Runs the same program with other inputs, so the expected values differ.
    wrong = 'case "$*" in *broadcast_src0_w2*--capture*) set -- "$@" --expect "' + os.path.join(
        HERE, "../data/small/all_reduce_max_w2/readable.py") + '" ;; esac\nexec "{real}" "$@"\n'
    code, page, errors = run(folder, bench(), "values", wrong)
    assert code == 1 and errors.count("\n") == 1, (code, errors)
    assert errors.startswith("gpu: broadcast_src0_w2, captured, 2 ranks: "), errors
    assert "| broadcast_src0_w2, captured | 2 | **fails** |" in page and "| broadcast_src0_w2 | 2 | ok" in page, page
# Ranks are processes, each with its own rank and host name, and one failing rank is sufficient.
say = ["sh", "-c", 'echo "$RANK of $WORLD_SIZE, $LOCAL_RANK, $NCCL_HOSTID, $MASTER_ADDR"; test "$RANK" != "$FAILING"']
for failing, well in (("none", True), ("2", False)):
    os.environ["FAILING"] = failing
    others = "".join(f"\n{rank} of 3, {rank}, rank{rank}, localhost\n" for rank in (1, 2))[1:]
    assert Job("nccl").run(3, say) == (well, "0 of 3, 0, rank0, localhost\n", others), Job("nccl").run(3, say)
assert Job("nccl").run(1, say)[1] == "0 of 1, 0, , localhost\n"
assert Job("nccl").run(2, ["/nowhere/program"]) == (False, "", "there is no program /nowhere/program")
print("tests/evidence/gpu says what fails, and nothing else")
