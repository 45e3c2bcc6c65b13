#!/usr/bin/env python3
"""Follows docs/getting-a-graph.md on two gloo ranks: getting_a_graph.py CCGRAPH_OPT PAGE [--only HEADING].

Each block of Python under a heading is run as the page's first block of the shell says, and the graphs that are listed
then must hold the collectives that EXPECTED has of the heading. A heading with a program that is not in EXPECTED, or
the other way round, is a failure: so the page and this table cannot part."""
import argparse, json, os, re, subprocess, sys, tempfile

from compile_caches import KERNELS_ONLY

DISABLED = "TORCHINDUCTOR_FORCE_DISABLE_CACHES=1"

#: for each heading, the collectives of a rank's graphs by kind of graph; kinds that are not listed have none
EXPECTED = {
    "Functional collectives": {"aot_inference_graph": 1, "before_post_grad_graph": 1, "inductor_post_grad_graph": 1,
                               "fx_graph_runnable": 1},
    "Tensor parallel": {"aot_joint_graph": 1, "aot_forward_graph": 1},
    "SimpleFSDP": {"aot_joint_graph": 8, "aot_forward_graph": 4, "aot_backward_graph": 4},
    "Mixture of experts": {"aot_joint_graph": 4, "aot_forward_graph": 2, "aot_backward_graph": 2},
    "DDP": {"aot_inference_graph@1/0": 4, "inductor_post_grad_graph@1/0": 1},
    "FSDP2": {},
    "FSDP1": {},
    "Pipeline": {},
}


def programs(page):
    """Returns heading -> the program below it."""
    found = {}
    for section in re.split(r"^## ", open(page, encoding="utf-8").read(), flags=re.M)[1:]:
        heading, blocks = section.split("\n", 1)[0], re.findall(r"^```python\n(.*?)^```", section, flags=re.M | re.S)
        if blocks and heading != "From a file that somebody sent":
            (found[heading],) = blocks
    return found


def commands(page):
    """Returns the two lines of the page's console block, without their prompt."""
    block = re.search(r"^```console\n(.*?)^```", open(page, encoding="utf-8").read(), flags=re.M | re.S)[1]
    return [line.removeprefix("$ ") for line in block.splitlines()]


# The C++ runtime's message if a thread of PyTorch still runs when its process ends: a race in PyTorch, which sometimes
# occurs on a slow machine.
ABORTED = "terminate called without an active exception"


def graphs(program, page, tool):
    """Returns the graphs of one run of the program; of a second run if PyTorch aborted the first."""
    for last in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            try:
                return graphs_in(folder, program, page, tool)
            except AssertionError as error:
                if last or ABORTED not in str(error):
                    raise
                print("PyTorch aborted; once more", file=sys.stderr, flush=True)


def graphs_in(folder, program, page, tool):
    with open(os.path.join(folder, "step.py"), "w", encoding="utf-8") as file:
        file.write(program)
    run, listing = commands(page)
    # The page switches all caches off. The test keeps compiled kernels, which no graph depends on.
    assert DISABLED in run, run
    run = run.replace(DISABLED, " ".join(f"{name}={value}" for name, value in KERNELS_ONLY.items()))
    path = os.pathsep.join([os.path.dirname(sys.executable), os.path.dirname(os.path.abspath(tool)),
                            os.environ["PATH"]])
    # Two ranks on two cores have no use for processes that compile, each of which imports PyTorch.
    environment = {**os.environ, "PATH": path, "GLOO_SOCKET_IFNAME": "lo", "OMP_NUM_THREADS": "1",
                   "TORCHINDUCTOR_COMPILE_THREADS": "1"}
    done = subprocess.run(run, shell=True, cwd=folder, env=environment, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=280)
    if done.returncode:
        raise AssertionError(f"{run} ends with {done.returncode}\n{done.stdout[-3000:]}")
    listed = subprocess.run(f"{listing} --json", shell=True, cwd=folder, env=environment, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            check=True)
    return json.loads(listed.stdout)


def judge(heading, listed):
    """Returns the differences from the page."""
    wrong = []
    for name, count in EXPECTED[heading].items():
        kind, _, compiled = name.partition("@")
        of = [graph for graph in listed if graph["kind"] == kind and (not compiled or graph["compile_id"] == compiled)]
        if sorted({graph["rank"] for graph in of}) != [0, 1] or max(graph["collectives"] for graph in of) != count:
            wrong.append(f"{name}: expected {count} collectives on both ranks, got "
                         f"{[(g['rank'], g['collectives']) for g in of]}")
    if not EXPECTED[heading]:
        wrong += [f"{graph['kind']} of rank {graph['rank']} holds {graph['collectives']} collectives, expected none"
                  for graph in listed if graph["collectives"]]
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool")
    parser.add_argument("page")
    parser.add_argument("--only")
    options = parser.parse_args()
    found = programs(options.page)
    assert sorted(found) == sorted(EXPECTED), f"the page has programs for {sorted(found)}, expected {sorted(EXPECTED)}"
    failed = False
    print("| setup | graphs of both ranks | collectives in them | as the page says |\n|---|---|---|---|")
    for heading, program in found.items():
        if options.only not in (None, heading):
            continue
        try:
            listed = graphs(program, options.page, options.tool)
            wrong = judge(heading, listed)
        except AssertionError as error:
            listed, wrong = [], [str(error)]
        print(f"| {heading} | {len(listed)} | {sum(graph['collectives'] or 0 for graph in listed)} | "
              f"{'no' if wrong else 'yes'} |", flush=True)
        for text in wrong:
            failed = True
            print(f"{heading}: {text}", file=sys.stderr, flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
