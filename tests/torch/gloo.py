#!/usr/bin/env python3
"""Runs programs before and after ccgraph on PyTorch's own gloo ranks: gloo.py BIN TESTS [--recorded] [--accepted]
[--random COUNT] [--bitwise COUNT] [--first SEED] [--table]

BIN holds ccgraph-opt, TESTS ccgraph_write_programs.
  --recorded      every graph of tests/data that has recorded values, as -O1, -O2 and coalesce-collectives{layout=flat}
                  leave it
  --accepted      the programs of tests/evidence/accepted_programs, as the pipelines that they name leave them
  --random COUNT  programs of the project's own generator from SEED (0) on, each as the pipelines of
                  ccgraph_write_programs leave it
  --bitwise COUNT those of the same programs that run on 4 ranks, with inputs that are no whole numbers, as the
  pipelines leave them with --bitwise
  --table         print a Markdown table instead of lines

A random program has whole numbers as inputs and is compared bitwise. A recorded program is compared with the
tolerance of its facts, or four times the distance of its unchanged text from the recorded values, since gloo adds
in its own order. The interpreter's results for a random program are compared as well, except for lists that gloo
copies again at each wait (reduce_scatter_tensor_coalesced), which the interpreter does not model. Exit: 0 if
nothing differs; 1 otherwise."""
import argparse, collections, glob, json, math, os, re, struct, subprocess, sys, tempfile, time
from concurrent.futures import ThreadPoolExecutor

import torch
from gloo_ranks import MESH, Program, run_all

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OPTIONS = {"-O1": ["-O1"], "-O2": ["-O2"], "flat": ["--pipeline", "coalesce-collectives{layout=flat}",
                                                    "--memory-budget", "unlimited"]}
MOST_RANKS = 4
DTYPES = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16, "I64": torch.int64,
          "I32": torch.int32, "I16": torch.int16,
          "I8": torch.int8, "U8": torch.uint8, "BOOL": torch.bool, "C64": torch.complex64, "C128": torch.complex128}


# --- Random programs -------------------------------------------------------------------------------------------------

def whole_numbers(dtype, sizes, index, rank):
    """Returns the same numbers as inputValue() of ccgraph_write_programs."""
    dtype = getattr(torch, dtype)
    parts = sizes + [2] if dtype.is_complex else sizes
    i = torch.arange(math.prod(parts), dtype=torch.int64)
    values = ((i * 7 + i // 5 + index * 5 + rank * 11) % 15 - 7).reshape(parts)
    return torch.view_as_complex(values.float()) if dtype.is_complex else values.to(dtype)


def random_program(line):
    made = json.loads(line)
    world = made["ranks"]
    mine = [{name: next(cell for cell in cells if rank in cell) for name, cells in made["groups"].items()}
            for rank in range(world)]
    listed = "reduce_scatter_tensor_coalesced" in made["before"] + "".join(made["after"].values())
    program = Program(
        name=f"program {made['seed']}", world=world, before=[made["before"]] * world,
        after={k: [v] * world for k, v in made["after"].items()}, groups=mine,
        inputs=lambda rank: [(name, whole_numbers(dtype, sizes, i, rank))
                             for i, (name, dtype, sizes) in enumerate(made["inputs"])],
        sums=None if listed or isinstance(made["values"], str) else made["values"])
    program.faults += [f"{k}: ccgraph: {v.strip().splitlines()[-1][:200]}" for k, v in made["failed"].items()]
    if isinstance(made["values"], str) and "mesh" not in made["before"]:
        program.notes.append("not run: " + made["values"].splitlines()[0])
    return program


def random_programs(folder, first, count):
    tool = os.path.join(folder, "ccgraph_write_programs")
    lines = subprocess.run([tool, str(first), str(count)], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    return [random_program(line) for line in lines]


def fractions(dtype, sizes, index, rank, seed):
    """Returns numbers whose sums depend on the order."""
    dtype = getattr(torch, dtype)
    generator = torch.Generator().manual_seed(seed * 1000 + index * 10 + rank)
    return (torch.randn(sizes, dtype=dtype, generator=generator) if dtype.is_floating_point or dtype.is_complex
            else whole_numbers(str(dtype)[6:], sizes, index, rank))


def bitwise_programs(folder, first, count, option="--bitwise"):
    """Returns programs of four ranks, whose sums of floating-point numbers depend on the order of additions."""
    tool = os.path.join(folder, "ccgraph_write_programs")
    lines = subprocess.run([tool, str(first), str(count), *[option] * bool(option)], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    found = []
    for made in map(json.loads, lines):
        if made["ranks"] == 4:
            program = random_program(json.dumps(made | {"values": "not compared: mesh"}))
            program.notes = []
            program.inputs = lambda rank, made=made: [(n, fractions(d, s, i, rank, made["seed"]))
                                                      for i, (n, d, s) in enumerate(made["inputs"])]
            found.append(program)
    return found


# --- Recorded programs -----------------------------------------------------------------------------------------------

def safetensors(path):
    data = bytearray(open(path, "rb").read())
    size = struct.unpack_from("<Q", data)[0]
    tensors = {}
    for name, meta in json.loads(data[8:8 + size]).items():
        if name != "__metadata__":
            count, dtype = math.prod(meta["shape"]), DTYPES[meta["dtype"]]
            flat = (torch.frombuffer(data, dtype=dtype, count=count, offset=8 + size + meta["data_offsets"][0])
                    if count else torch.empty(0, dtype=dtype))
            tensors[name] = flat.clone().reshape(meta["shape"])
    return tensors


class Capture:
    """One folder of tests/data: the texts of its ranks, their facts, and one set of recorded values."""

    def __init__(self, top, values):
        self.top, self.values = top, os.path.join(top, values)
        folders = sorted(glob.glob(os.path.join(top, "rank[0-9]*")), key=lambda p: int(p.rsplit("rank")[-1])) or [top]
        self.facts = [json.load(open(os.path.join(f, "facts.json"))) for f in folders]
        self.world = self.facts[0]["world_size"]
        if len(folders) == 1:
            folders, self.facts = folders * self.world, self.facts * self.world
        self.texts = [next(p for p in (os.path.join(f, "readable.py"), os.path.join(f, "readable.py.gz"))
                           if os.path.exists(p)) for f in folders]
        self.facts_files = [os.path.join(f, "facts.json") for f in folders]
        self.kept = {}

    def recorded(self, rank):
        if rank not in self.kept:
            self.kept[rank] = safetensors(os.path.join(self.values, f"rank{rank}.safetensors"))
        return self.kept[rank]

    def inputs(self, rank):
        facts, values = self.facts[rank], self.recorded(rank)
        kinds = placeholder_types(self.before[rank])
        return [(name, None if name in facts["opaque_inputs"] else as_typed(values["in." + name], kind))
                for name, kind in zip(facts["placeholders"], kinds)]

    def attributes(self, rank):
        made = {name[5:]: value for name, value in self.recorded(rank).items() if name.startswith("attr.")}
        for name, meaning in self.facts[rank].get("constants", {}).items():
            if "reduce_op" in meaning:
                made[name] = torch.distributed.ReduceOp(getattr(torch.distributed.ReduceOp,
                                                                meaning["reduce_op"].upper())).boxed()
        return made

    def tolerance(self, rank, key):
        for entry in self.facts[rank]["tolerance"]["per_output"] or []:
            if entry["output"] == key:
                return entry.get("atol", 0), entry.get("rtol", 0)
        return 0, 0


def placeholder_types(text):
    """Returns the annotation of each parameter of the text's own forward, which is the outermost one."""
    signature = re.search(r"def forward\(self,?(.*?)\):\n", text, flags=re.S)[1]
    return [m[1] or "" for m in re.finditer(r"\w+(?::\s*\"([^\"]*)\")?\s*(?:,|$)", signature.strip())]


def as_typed(value, kind):
    """Returns a number for a symbol, and the strides of its type for a tensor; always a new value."""
    if kind.startswith("Sym("):
        return value.item()
    strides = re.fullmatch(r"\w+\[.*\]\[([\d, ]+)\]\S+", kind)
    strides = [int(s) for s in strides[1].split(",")] if strides else list(value.stride())
    return (torch.empty_strided(value.shape, strides, dtype=value.dtype).copy_(value)
            if strides != list(value.stride()) and all(strides) else value.clone())


def text_of(path):
    import gzip
    return (gzip.open if path.endswith(".gz") else open)(path, "rt").read()


def recorded_programs(binaries):
    captures = []
    for values in sorted(glob.glob(os.path.join(ROOT, "tests/data/*/*/values*"))):
        capture = Capture(*os.path.split(values))
        if capture.world <= MOST_RANKS:
            capture.before = [text_of(p) for p in capture.texts]
            captures.append(capture)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda c: recorded_program(binaries, c), captures))


def recorded_program(binaries, capture):
    differ = len(set(capture.before)) > 1
    program = Program(
        name=os.path.relpath(capture.values, os.path.join(ROOT, "tests/data")), world=capture.world,
        before=capture.before, after={}, exact=False,
        groups=[{n: g["ranks"] for n, g in f["groups"].items()} for f in capture.facts], inputs=capture.inputs,
        attributes=capture.attributes,
        tolerance=capture.tolerance, recorded=capture.recorded)
    for what, options in OPTIONS.items():
        written = {}
        for text, facts in zip(capture.texts, capture.facts_files):
            if text not in written:
                command = [os.path.join(binaries, "ccgraph-opt"), text, *options, *["--ranks-differ"] * differ,
                           "--groups", facts, "--emit", "fx"]
                run = subprocess.run(command, capture_output=True, text=True, cwd=tempfile.gettempdir())
                if run.returncode:
                    program.faults.append(f"{what}: ccgraph-opt: exit {run.returncode}: "
                                          f"{(run.stderr.strip().splitlines() or ['?'])[-1][:200]}")
                    break
                written[text] = run.stdout
        else:
            program.after[what] = [written[text] for text in capture.texts]
    return program


# --- Programs that were once accepted
# ----------------------------------------------------------------------------------

def accepted_programs(binaries):
    """Returns the programs of tests/evidence/accepted_programs that a pipeline rewrites, on two ranks."""
    found = []
    for path in sorted(glob.glob(os.path.join(ROOT, "tests/evidence/accepted_programs/*.txt"))):
        head, _, text = open(path).read().partition("--- p.py\n")
        for command in re.findall(r"^run: ccgraph-opt (.*)$", head, flags=re.M):
            if "--compare" not in command and "--verify-only" not in command and "higher_order.cond" not in text:
                found.append(accepted_program(binaries, os.path.basename(path).removesuffix(".txt"), command, text))
    return found


def accepted_program(binaries, name, command, text):
    inputs = [(n, k) for n, k in re.findall(r'(\w+)(?:: "([^"]*)")?',
                                            re.search(r"def forward\(self, (.*)\):", text)[1]) if n]
    program = Program(name=name, world=2, before=[text] * 2, after={},
                      groups=[{n: [0, 1] for n in ("0", "group0", "group1")}] * 2,
                      inputs=lambda rank: [(n, made_input(k, i, rank)) for i, (n, k) in enumerate(inputs)])
    command = re.sub(r"--check-equivalence \d+|--remarks|\{p\}", "", command)
    run = subprocess.run(f"{os.path.join(binaries, 'ccgraph-opt')} {command} --emit fx -", shell=True, input=text,
                         capture_output=True, text=True,
                         cwd=tempfile.gettempdir())
    if run.returncode:
        program.faults.append(f"{command.strip()}: exit {run.returncode}: "
                              f"{(run.stderr.strip().splitlines() or ['?'])[0][:200]}")
    elif "no graph" not in run.stderr:
        program.after[command.strip()] = [run.stdout] * 2
    return program


def made_input(kind, index, rank):
    shape = re.fullmatch(r"(\w+)\[([\d, ]*)\].*", kind or "")
    names = {"f32": "float32", "c64": "complex64", "b8": "bool"}
    return (whole_numbers(names[shape[1]], [int(n) for n in shape[2].split(",") if n.strip()], index, rank) if shape
            else MESH)


# --- What random programs hold ---------------------------------------------------------------------------------------

RESULT = r"(?:wait_tensor|all_gather|all_reduce|reduce_scatter|broadcast|all_to_all|getitem)\w*"
HOLDS = {
    "a shape changed in place (t_, transpose_, squeeze_, unsqueeze_)": r"aten\.(t|transpose|squeeze|unsqueeze)_\.",
    "other elements given in place (as_strided_, resize_, set_)": r"aten\.(as_strided|resize|set)_\.",
    "complex tensors in collectives": r"c64\[[^\"]*\" = torch\.ops\._c10d_functional\.(?!wait)",
    "a group that is an attribute": r"_c10d_functional\.(?!wait).*, object[,)]",
    "a group of a mesh's dimension": r"_c10d_functional\.(?!wait).*, mesh_get_process_group\w*[,)]",
    "slices of a buffer, filled by `_out` forms": r"_out\w*\.default\(.*out = slice\w*\)",
    "pieces of a collective's result (as_strided, view of another dtype, view_as_complex, view_as_real)":
        r"aten\.(as_strided|view|view_as_complex|view_as_real)\.(default|dtype)\(" + RESULT
        + r"(?:, torch\.|, \[.*\], \[|\))",
    "a launch inside control_deps": r"higher_order\.control_deps",
    "an in-place collective": r"(all_reduce_|broadcast_)\.default",
    "a list of tensors (coalesced)": r"_coalesced\.default",
}
LAUNCH = re.compile(r"_c10d_functional\.(?!wait)\w+\.default\(")


def contents(programs):
    """Prints for each feature how many programs have it, and in how many of these a pipeline merged collectives or
    changed the text."""
    print("\n| programs with | number | some collectives merged | changed at all |\n|---|---:|---:|---:|")
    for name, pattern in HOLDS.items():
        holding = [p for p in programs if re.search(pattern, p.before[0])]
        merged = [p for p in holding if any(len(LAUNCH.findall(t[0])) < len(LAUNCH.findall(p.before[0]))
                                            for t in p.after.values())]
        print(f"| {name} | {len(holding)} | {len(merged)} | {sum(bool(p.after) for p in holding)} |")


# --- Results ---------------------------------------------------------------------------------------------------------

def report(title, programs, seconds, as_table):
    wrong = [p for p in programs if p.faults]
    ways = collections.Counter(what for p in programs for what in p.after)
    unlike = [p for p in programs if p.notes]
    if as_table:
        worlds = collections.Counter(p.world for p in programs)
        ranks = ", ".join(f"{n} on {w} ranks" for w, n in sorted(worlds.items()))
        print(f"\n## {title}\n\n{len(programs)} programs ({ranks}).\n")
        print("| rewritten by | programs that it changed | differ on gloo |\n|---|---:|---:|")
        for what in ways:
            print(f"| {what} | {ways[what]} | {sum(any(f.startswith(what + ':') for f in p.faults) for p in wrong)} |")
        if title == "Random programs":
            contents(programs)
        print(f"\nPrograms that differ, fail or hang: {len(wrong)}.")
        if any(p.sums for p in programs):
            print(f"The interpreter computes other bits than gloo for {len(unlike)} of "
                  f"{sum(bool(p.sums) for p in programs)} programs.")
    else:
        print(f"{title}: {len(programs)} programs, {sum(ways.values())} rewritten texts, {seconds:.0f} s: {len(wrong)} "
              "differ")
    for program in wrong + [p for p in unlike if p not in wrong]:
        print(f"- {program.name} ({program.world} ranks): "
              + "; ".join((program.faults or ["interpreter: " + n for n in program.notes])[:3]))
    return len(wrong) + len(unlike)


def control(programs):
    """Merges the same programs without --bitwise: if none differs, the comparison shows nothing."""
    run_all(programs)
    differ = sum(bool(p.faults) for p in programs)
    print(f"\nWithout `--bitwise`, {differ} of these {len(programs)} programs differ in some bits.")
    return differ == 0


def main():
    options = argparse.ArgumentParser()
    for name in ("binaries", "tests"):
        options.add_argument(name)
    for name in ("--accepted", "--recorded", "--table"):
        options.add_argument(name, action="store_true")
    for name in ("--random", "--bitwise", "--first"):
        options.add_argument(name, type=int, default=0)
    chosen = options.parse_args()
    chosen.binaries, chosen.tests = os.path.abspath(chosen.binaries), os.path.abspath(chosen.tests)
    jobs = [("Recorded programs", recorded_programs, (chosen.binaries,))] * chosen.recorded
    jobs += [("Programs that were once accepted", accepted_programs, (chosen.binaries,))] * chosen.accepted
    jobs += [("Random programs", random_programs, (chosen.tests, chosen.first, chosen.random))] * (chosen.random > 0)
    jobs += [("Sums that must keep every bit", bitwise_programs,
              (chosen.tests, chosen.first, chosen.bitwise))] * (chosen.bitwise > 0)
    wrong = 0
    for title, make, arguments in jobs:
        start = time.time()
        programs = make(*arguments)
        run_all(programs, lambda done: print(f"{title}: {done} of {len(programs)}", file=sys.stderr))
        wrong += report(title, programs, time.time() - start, chosen.table)
        if make is bitwise_programs:
            wrong += control(bitwise_programs(chosen.tests, chosen.first, chosen.bitwise, option=""))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
