#!/usr/bin/env python3
"""Tests tools/match-trace: match_trace_test.py TOOLS DATA. TOOLS is the folder of ccgraph-opt.

Traces with known delays are written here, and the tool must find each delay, its rank and its cause. Traces that
PyTorch wrote must match to 95 %."""
import gzip, json, os, subprocess, sys, tempfile

TOOLS, DATA = (os.path.abspath(path) for path in sys.argv[1:])
SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/match-trace")
GRAPH = '''class graph(torch.nn.Module):
    def forward(self, x: "f32[4, 4][4, 1]cpu"):
        mm: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(x, x)
        all_reduce: "f32[4, 4][4, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(mm, "sum", "0")
        mm_1: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(x, mm)
        wait_tensor: "f32[4, 4][4, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce)
        relu: "f32[4, 4][4, 1]cpu" = torch.ops.aten.relu.default(wait_tensor)
        add: "f32[4, 4][4, 1]cpu" = torch.ops.aten.add.Tensor(relu, mm_1)
        return (add,)
'''
LOG = ('V1 {"artifact": {"name": "inductor_provenance_tracking_node_mappings"}}\n\t{"cppCodeToPost": '
       '{"extern_kernels.mm:1": ["mm"], "cpp_fused_add_relu_0:2": ["relu", "add", "all_reduce"], '
       '"cpp_fused_other_1:3": ["of_another_graph"]}}\n')
RANKS, STEPS, TRANSFER = 3, 4, 500.0
#: the clock of each rank, in microseconds beside that of rank 0
CLOCKS = (0.0, 1e6, -5e4)


class Trace:
    """Writes the events of one rank, one after another."""

    def __init__(self, rank):
        self.rank, self.now, self.events = rank, CLOCKS[rank] + 1e7, []

    def event(self, name, duration, category="cpu_op", thread=1):
        self.events.append({"ph": "X", "cat": category, "name": name, "ts": self.now, "dur": duration, "tid": thread})
        self.now += duration

    def write(self, folder):
        with gzip.open(f"{folder}/rank{self.rank}.json.gz", "wt") as file:
            json.dump({"distributedInfo": {"rank": self.rank}, "traceEvents": self.events}, file)


def write_job(folder, slow_node=None, slow_host=None, extra=0.0, regions=True):
    """Writes the traces of a job. `slow_node` and `slow_host` are (rank, microseconds): mm takes longer, or the host
    pauses before it. `extra` microseconds of each step are an operator that the graph does not have. Without `regions`,
    the traces do not say where a step begins."""
    traces = [Trace(rank) for rank in range(RANKS)]
    for step in range(STEPS):
        arrivals, begins = [], []
        for trace in traces:
            begins.append(trace.now)
            if slow_host and slow_host[0] == trace.rank:
                trace.now += slow_host[1]
            own = slow_node[1] if slow_node and slow_node[0] == trace.rank else 0.0
            outer = trace.now
            trace.event("aten::mm", 1000.0 + own)
            trace.events.append({"ph": "X", "cat": "cpu_op", "name": "aten::resolve_conj", "ts": outer, "dur": 1.0,
                                 "tid": 1})
            arrivals.append(trace.now - CLOCKS[trace.rank])
            trace.event("_c10d_functional::all_reduce_", 20.0)
        end = max(arrivals) + TRANSFER
        for trace, arrival, begin in zip(traces, arrivals, begins):
            trace.events.append({"ph": "X", "cat": "user_annotation", "name": "gloo:all_reduce", "tid": 2,
                                 "ts": arrival + CLOCKS[trace.rank], "dur": end - arrival})
            trace.event("aten::mm", 200.0)
            trace.event("_c10d_functional::wait_tensor", end + CLOCKS[trace.rank] - trace.now)
            trace.event("graph_0_cpp_fused_add_relu_0", 300.0)
            if extra:
                trace.event("aten::unknown", extra)
            if regions:
                trace.events.append({"ph": "X", "cat": "cpu_op", "name": "## Call CompiledFxGraph fabc ##", "tid": 1,
                                     "ts": begin, "dur": trace.now - begin})
            trace.now += 50.0
    for trace in traces:
        trace.write(folder)
    with open(f"{folder}/rank0.log", "w", encoding="utf-8") as file:
        file.write(LOG)


def run(*arguments):
    done = subprocess.run([sys.executable, SCRIPT, *arguments, "--bin", TOOLS], text=True, capture_output=True,
                          check=False)
    return done.returncode, done.stdout, done.stderr


def measured(folder, **job):
    """Returns the tables and the durations of a job."""
    write_job(folder, **job)
    with open(f"{folder}/graph.py", "w", encoding="utf-8") as file:
        file.write(GRAPH)
    code, out, err = run(f"{folder}/graph.py", folder, "--json", "-o", f"{folder}/durations.tsv")
    assert code == 0 and not err, err
    with open(f"{folder}/durations.tsv", encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file if "\t" in line][1:]
    return json.loads(out), {name: float(time) for name, time in lines}


def near(value, truth):
    """Within 1 % of the truth, and within a microsecond where it is zero."""
    return abs(value - truth) <= max(0.01 * truth, 1.0)


def check_node():
    with tempfile.TemporaryDirectory() as folder:
        tables, durations = measured(folder, slow_node=(2, 3000.0))
        row = tables["collectives"]["all_reduce"]
        assert near(row["waiting_us"], 3000) and near(row["transfer_us"], TRANSFER), row
        assert (row["last_rank"], row["last_share"], row["cause"]) == (2, 1.0, "mm"), row
        assert near(row["cause_us"], 3000), row
        assert all(abs(tables["clock_offsets_us"][str(rank)] + CLOCKS[rank]) < 1 for rank in range(RANKS)), tables
        assert tables["unmatched_us"] == 0 and tables["steps"] == STEPS and tables["ranks"] == RANKS, tables
        # relu and add share a kernel; the collective is not part of it.
        assert durations == {"mm": 1000.0, "mm_1": 200.0, "relu": 150.0, "add": 150.0,
                             "all_reduce": TRANSFER}, durations
        out = subprocess.run([f"{TOOLS}/ccgraph-opt", f"{folder}/graph.py", "--durations", f"{folder}/durations.tsv"],
                             text=True, capture_output=True, check=False)
        assert out.returncode == 0 and "measured" in out.stdout, out


def check_host():
    with tempfile.TemporaryDirectory() as folder:
        row = measured(folder, slow_host=(0, 2000.0))[0]["collectives"]["all_reduce"]
        assert row["last_rank"] == 0 and row["cause"] == "host", row
        assert near(row["waiting_us"], 2000) and near(row["cause_us"], 2000), row


def check_eager():
    """Steps are found by their first operator, and a wait on what was waited for has no event."""
    global GRAPH
    compiled = GRAPH
    GRAPH = GRAPH.replace("        relu:", '        again: "f32[4, 4][4, 1]cpu" = '
                          "torch.ops._c10d_functional.wait_tensor.default(wait_tensor)\n        relu:")
    with tempfile.TemporaryDirectory() as folder:
        tables, durations = measured(folder, slow_node=(1, 3000.0), regions=False)
        row = tables["collectives"]["all_reduce"]
        assert tables["steps"] == STEPS and tables["unmatched_us"] == 0, tables
        assert (row["last_rank"], row["cause"]) == (1, "mm") and near(row["waiting_us"], 3000), row
        assert durations["mm"] == 1000.0 and durations["all_reduce"] == TRANSFER, durations
    GRAPH = compiled


def check_nobody_late():
    with tempfile.TemporaryDirectory() as folder:
        row = measured(folder)[0]["collectives"]["all_reduce"]
        assert near(row["waiting_us"], 0) and near(row["transfer_us"], TRANSFER), row


def check_unmatched():
    with tempfile.TemporaryDirectory() as folder:
        tables, _ = measured(folder, extra=700.0)
        assert near(tables["unmatched_us"], 700 * STEPS * RANKS), tables
        assert list(tables["others_us"]) == ["aten::unknown"], tables
        os.remove(f"{folder}/rank0.log")
        code, out, _ = run(f"{folder}/graph.py", folder)
        assert code == 0 and "graph_0_cpp_fused_add_relu_0" in out and "rank " in out, out
        # A step with one call more than the graph has nodes: none of them is matched.
        with open(f"{folder}/graph.py", "a", encoding="utf-8") as file:
            file.truncate(0)
            file.write(GRAPH.replace("torch.ops.aten.mm.default(x, mm)", "torch.ops.aten.neg.default(mm)").replace(
                "aten.relu.default(wait_tensor)", "aten.mm.default(wait_tensor, x)").replace("mm_1", "neg").replace(
                "relu", "mm_1").replace("torch.ops.aten.add.Tensor(mm_1, neg)", "torch.ops.aten.mm.default(mm_1, neg)"))
        code, out, err = run(f"{folder}/graph.py", folder, "--json")
        assert code == 0 and "aten::mm" in json.loads(out)["others_us"], (out, err)


def check_recorded():
    folder = os.path.join(DATA, "traces/compiled_w2")
    code, out, err = run(f"{folder}/graph.py", folder, "--json")
    tables = json.loads(out)
    assert code == 0 and not err, err
    assert tables["matched_us"] >= 0.95 * (tables["matched_us"] + tables["unmatched_us"]), tables
    assert {"kernel", "operator", "wait"} == set(tables["rules_us"]), tables["rules_us"]
    assert set(tables["collectives"]) == {"all_reduce", "all_gather_into_tensor"} and tables["steps"] == 4, tables
    code, out, _ = run(f"{folder}/graph.py", folder)
    assert code == 0 and "matched     100.0% of the time in events" in out, out


def check_errors():
    with tempfile.TemporaryDirectory() as folder:
        write_job(folder)
        paths = {name: f"{folder}/{name}" for name in ("graph.py", "bad.json", "gpu.json", "notes.txt", "other.py")}
        contents = {"graph.py": GRAPH, "bad.json": "{", "gpu.json": '{"traceEvents": [{"ph": "X", "cat": "kernel"}]}',
                    "notes.txt": "", "other.py": GRAPH.replace("mm.default", "bmm.default").replace(
                        "relu", "neg").replace("add.Tensor", "sub.Tensor").replace("_c10d_functional", "mine")}
        for name, content in contents.items():
            with open(paths[name], "w", encoding="utf-8") as file:
                file.write(content)
        trace, empty = f"{folder}/rank0.json.gz", f"{folder}/empty"
        os.mkdir(empty)
        for words, message in (((paths["graph.py"], paths["bad.json"]), "this is no trace of PyTorch's profiler"),
                               ((paths["graph.py"], paths["gpu.json"]), "got 1 kernels of a GPU, expected a trace of"),
                               ((paths["graph.py"], paths["notes.txt"]), "expected a trace, which ends in .json"),
                               ((paths["graph.py"], empty), "got no trace, expected files that end in"),
                               ((paths["graph.py"], trace, trace), "got a second trace of rank 0, expected one"),
                               ((paths["other.py"], trace), "no event of its trace matches a node of"),
                               ((paths["graph.py"], f"{folder}/missing.json"), "No such file"),
                               ((f"{folder}/missing.py", trace), "ended with")):
            code, out, err = run(*words)
            assert code == 1 and not out and message in err and "Traceback" not in err, (words, code, out, err)


for check in (check_node, check_host, check_eager, check_nobody_late, check_unmatched, check_recorded, check_errors):
    check()
print("ok")
