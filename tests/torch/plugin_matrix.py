#!/usr/bin/env python3
"""Runs jobs of each kind of parallelism with ccgraph.torch.Pass() and without it: plugin_matrix.py [--ranks N] [--only
NAME...].

All recipes run in one job, one after another, each without the pass and then with it. A recipe succeeds if it ends
with bitwise equal values, including ddp's recipes, since Pass() merges no sums of more than two ranks here. A
recipe that does not run without the pass is reported, and is not a failure, unless no recipe runs with it.
CCGRAPH_PACKAGE is a folder with an installed wheel, in place of the package of the source tree.
"""
import argparse, json, os, pathlib, subprocess, sys, tempfile

from compile_caches import KERNELS_ONLY

HERE = pathlib.Path(__file__).parent
ENDED = {"error": "a process ended", "warnings": []}


def start(folder, names, rank, ranks):
    package = os.pathsep.join([os.environ.get("CCGRAPH_PACKAGE", str(HERE.parent.parent / "frontend/python")),
                               os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "RANK": str(rank), "WORLD_SIZE": str(ranks), "OMP_NUM_THREADS": "1",
                   "TORCHINDUCTOR_COMPILE_THREADS": "1", **KERNELS_ONLY,
                   "PYTHONFAULTHANDLER": "1", "PYTHONPATH": package}
    return subprocess.Popen([sys.executable, str(HERE / "plugin_matrix_rank.py"), folder, *names], env=environment,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def results(path):
    """Returns a rank's runs of each recipe, without the pass and with it; less if the process ended."""
    recipes = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        said = json.loads(line)
        recipes = recipes + [said] if "plain" in said else recipes[:-1] + [{**recipes[-1], **said}]
    return recipes


def run(names, ranks, seconds):
    """Returns each rank's results, and the end of its output."""
    with tempfile.TemporaryDirectory() as folder:
        processes = [start(folder, names, rank, ranks) for rank in range(ranks)]
        printed = []
        for process in processes:
            try:
                printed.append(process.communicate(timeout=seconds)[0])
            except subprocess.TimeoutExpired:
                process.kill()
                printed.append(process.communicate()[0] + f"\nno end within {seconds} s")
        return [results(pathlib.Path(folder, f"rank{rank}.jsonl")) for rank in range(ranks)], printed


def first_cause(errors):
    """Returns the error that ended the job: where one rank ends, the others lose their connection to it."""
    return min(errors, key=lambda error: "onnection" in error)


def judge(of_ranks):
    """Returns a row's verdict, and whether it is a failure."""
    plain, given = [said.get("plain", ENDED) for said in of_ranks], [said.get("given", ENDED) for said in of_ranks]
    if errors := [said["error"] for said in plain if "error" in said]:
        return f"does not run without ccgraph: {first_cause(errors).splitlines()[0][:90]}", False
    if errors := [said["error"] for said in given if "error" in said]:
        return f"ENDED: {first_cause(errors).splitlines()[0]}", True
    if [said["results"] for said in plain] != [said["results"] for said in given]:
        return "OTHER VALUES", True
    kinds = sorted({kind for said in given for kind, _ in said["warnings"]})
    return "equal" + (f", with {' and '.join(kinds)}" if kinds else ""), False


def show(name, of_ranks):
    """Prints the row of a recipe, and its warnings and errors; returns whether it is a failure."""
    verdict, failed = judge(of_ranks)
    edits = [call["edits"] for call in of_ranks[0].get("given", {}).get("calls", [])]
    print(f"| {name} | {len(of_ranks)} | {len(edits)} | {sum(map(bool, edits))} | {verdict} |", flush=True)
    for rank, each in enumerate(of_ranks):
        for kind, text in each.get("given", {}).get("warnings", []):
            print(f"{name}, rank {rank}: {kind}: {text}", file=sys.stderr)
        for said in each.values():
            if "error" in said:
                print(f"{name}, rank {rank}: {said['error']}", file=sys.stderr)
    return failed


def main():
    from plugin_recipes import RECIPES

    parser = argparse.ArgumentParser()
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--seconds", type=int, default=1000, help="that a job may take")
    options = parser.parse_args()
    names, failed, ran = options.only or list(RECIPES), False, False
    while names:  # a recipe that ends a process is the last of its job, and the others get a new one
        said, printed = run(names, options.ranks, options.seconds)
        for index, name in enumerate(names):
            of_ranks = [recipes[index] if len(recipes) > index else {} for recipes in said]
            failed |= show(name, of_ranks)
            ran |= all("results" in each.get("given", {}) for each in of_ranks)
            if any("given" not in each for each in of_ranks):
                print("\n".join(text[-3000:] for text in printed), file=sys.stderr)
                break
        names = names[index + 1:]
    if not ran:
        print("no recipe ran with the pass", file=sys.stderr)
    return failed or not ran


if __name__ == "__main__":
    sys.exit(main())
