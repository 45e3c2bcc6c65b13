#!/usr/bin/env python3
"""Tests ccgraph-opt --measured of steps that execute several graphs: measured_graphs_test.py TOOLS DATA.

Traces of forward, backward and optimizer are written here, with one known delay, with code between the graphs, with
gradient accumulation, and cut in the middle of a step. The tool must match the events of each graph to its own nodes,
whose names are equal in all graphs."""
import json, os, subprocess, sys, tempfile

TOOLS, DATA = (os.path.abspath(path) for path in sys.argv[1:])
VALUE = '"f32[4, 4][4, 1]cpu"'
NODES = {
    "forward": [("mm", "aten.mm.default(x, x)"), ("all_reduce", '_c10d_functional.all_reduce.default(mm, "sum", "0")'),
                ("wait_tensor", "_c10d_functional.wait_tensor.default(all_reduce)"),
                ("relu", "aten.relu.default(wait_tensor)")],
    "backward": [("mm", "aten.mm.default(x, x)"), ("mm_1", "aten.mm.default(mm, x)"),
                 ("all_reduce", '_c10d_functional.all_reduce.default(mm_1, "sum", "0")'),
                 ("wait_tensor", "_c10d_functional.wait_tensor.default(all_reduce)")],
    "optimizer": [("add", "aten.add.Tensor(x, x)")],
}
#: microseconds of each node
TIMES = {"mm": 300.0, "mm_1": 400.0, "all_reduce": 10.0, "relu": 50.0, "add": 20.0}
RANKS, STEPS, TRANSFER, BETWEEN = 2, 4, 500.0, 70.0
CLOCKS = (0.0, 3e5)


def graph_text(name):
    lines = "".join(f"        {node}: {VALUE} = torch.ops.{call}\n" for node, call in NODES[name])
    return (f"class {name}(torch.nn.Module):\n    def forward(self, x: {VALUE}):\n{lines}"
            f"        return ({NODES[name][-1][0]},)\n")


def event_name(call):
    return call.split(".")[0] + "::" + call.split(".")[1]


class Job:
    """The traces of all ranks, written one execution after another."""

    def __init__(self, slow=None):
        self.slow = slow  # (rank, graph, node, microseconds)
        self.now = [1e7 + clock for clock in CLOCKS]
        self.events = [[] for _ in range(RANKS)]

    def event(self, rank, name, duration, begin, category="cpu_op", thread=1):
        self.events[rank].append({"ph": "X", "cat": category, "name": name, "ts": begin, "dur": duration, "pid": 5,
                                  "tid": thread})

    def execute(self, graph):
        begins, arrivals = list(self.now), []
        for node, call in NODES[graph]:
            if node == "wait_tensor":
                end = max(arrivals) + TRANSFER
                for rank in range(RANKS):
                    self.event(rank, "gloo:all_reduce", end - arrivals[rank], arrivals[rank] + CLOCKS[rank],
                               "user_annotation", 2)
                    self.run(rank, event_name(call), end + CLOCKS[rank] - self.now[rank])
                continue
            arrivals = [now - clock for now, clock in zip(self.now, CLOCKS)]
            for rank in range(RANKS):
                slow = self.slow and self.slow[:3] == (rank, graph, node)
                self.run(rank, event_name(call), TIMES[node] + (self.slow[3] if slow else 0.0))
        for rank in range(RANKS):
            self.event(rank, f"## Call CompiledFxGraph f{graph} ##", self.now[rank] - begins[rank], begins[rank])

    def run(self, rank, name, duration):
        self.event(rank, name, duration, self.now[rank])
        self.now[rank] += duration

    def pause(self, name=None):
        for rank in range(RANKS):
            if name:
                self.run(rank, name, BETWEEN)
            else:
                self.now[rank] += BETWEEN

    def write(self, folder):
        for rank in range(RANKS):
            with open(f"{folder}/rank{rank}.json", "w", encoding="utf-8") as file:
                json.dump({"distributedInfo": {"rank": rank}, "traceEvents": self.events[rank]}, file)
        for name in NODES:
            with open(f"{folder}/{name}.py", "w", encoding="utf-8") as file:
                file.write(graph_text(name))


def write_job(folder, micro=1, cut=False, slow=None):
    """Each step has `micro` forward and backward passes. With `cut`, the trace begins in the middle of a step."""
    job = Job(slow)
    if cut:
        job.execute("backward"), job.execute("optimizer"), job.pause()
    for _ in range(STEPS):
        for _ in range(micro):
            job.execute("forward")
            job.pause("aten::loss")
            job.execute("backward")
            job.pause()
        job.execute("optimizer")
        job.pause()
    job.write(folder)


def run(*arguments):
    done = subprocess.run([f"{TOOLS}/ccgraph-opt", *arguments], text=True, capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr


def explain(folder, graph="forward", others=("backward", "optimizer")):
    flags = ["--step-graphs", ",".join(f"{folder}/{name}.py" for name in others)] if others else []
    code, out, err = run(f"{folder}/{graph}.py", "--measured", folder, "--json", *flags)
    assert code == 0, err
    return json.loads(out)["measured"]


def check_step():
    with tempfile.TemporaryDirectory() as folder:
        write_job(folder, slow=(1, "backward", "mm_1", 2000.0))
        it = explain(folder)
        assert it["steps"] == STEPS and len(it["ranks"]) == RANKS and it["notes"] == [], it
        assert [row["node"] for row in it["collectives"]] == ["all_reduce of forward", "all_reduce of backward"], it
        first, second = it["collectives"]
        assert first["waiting_ns"] == 0 and first["transfer_ns"] == 500_000, first
        assert second["waiting_ns"] == 2_000_000 and second["last_rank"] == 1, second
        cause = second["cause"]
        assert (cause["kind"], cause["node"], cause["ns"]) == ("compute", "mm_1 of backward", 2_000_000), cause
        assert it["would_save"][0] == {"change": "mm_1 of backward of rank 1 as fast as on the other ranks",
                                       "saved_ns": 2_000_000}, it["would_save"]
        assert it["unmatched"] == [{"name": "aten::loss", "ns": int(BETWEEN * 1e3) * STEPS * RANKS}], it["unmatched"]
        assert it["durations_ns"] == {"mm": 300_000, "all_reduce": 500_000, "relu": 50_000}, it["durations_ns"]
        graphs = {graph.pop("graph"): graph for graph in it["graphs"]}
        assert list(graphs) == ["forward", "backward", "optimizer"], graphs
        assert graphs["forward"]["executions"] == 1 and graphs["optimizer"]["ns"] == 20_000, graphs
        assert graphs["backward"]["durations_ns"] == {"mm": 300_000, "mm_1": 1_400_000, "all_reduce": 500_000}, graphs
        # The graph that is given is the first, and its times are those that the passes use.
        it = explain(folder, "optimizer", ("forward", "backward"))
        assert it["durations_ns"] == {"add": 20_000} and it["steps"] == STEPS and not it["notes"], it
        code, out, _ = run(f"{folder}/forward.py", "--step-graphs", f"{folder}/backward.py,{folder}/optimizer.py",
                           "--measured", folder)
        text = " ".join(out.split())
        for line in ("its graphs: forward 850.0 us (", "backward 3.2 ms (", "between them 140.0 us (",
                     "because of mm_1 of backward on rank 1 (+2.0 ms)", "with these times, the order of forward takes"):
            assert code == 0 and line in text, (line, out)


def check_one_file():
    """A file with several graphs: all of them are explained once, and each has its own times."""
    with tempfile.TemporaryDirectory() as folder:
        write_job(folder)
        with open(f"{folder}/step.py", "w", encoding="utf-8") as file:
            file.write("\n".join(graph_text(name) for name in NODES))
        code, out, err = run(f"{folder}/step.py", "--measured", folder, "--json")
        assert code == 0, err
        forward, backward, optimizer = json.loads(out)
        assert [graph["graph"] for graph in forward["measured"]["graphs"]] == list(NODES), forward["measured"]
        assert "measured" not in backward and "measured" not in optimizer
        steps = [graph["predicted"]["before"]["step_ns"] for graph in (forward, backward, optimizer)]
        assert steps == [850_000, 1_200_000, 20_000], steps


def check_accumulation():
    with tempfile.TemporaryDirectory() as folder:
        write_job(folder, micro=2, slow=(0, "forward", "mm", 1000.0))
        it = explain(folder)
        assert it["steps"] == STEPS and [graph["executions"] for graph in it["graphs"]] == [2, 2, 1], it["graphs"]
        names = [row["node"] for row in it["collectives"]]
        assert names == ["all_reduce of forward (1)", "all_reduce of backward (1)", "all_reduce of forward (2)",
                         "all_reduce of backward (2)"], names
        assert it["collectives"][2]["cause"]["node"] == "mm of forward (2)", it["collectives"][2]
        assert it["durations_ns"]["mm"] == 800_000, it["durations_ns"]


def check_cut():
    with tempfile.TemporaryDirectory() as folder:
        write_job(folder, cut=True)
        it = explain(folder)
        assert it["steps"] == STEPS, it
        notes = [f"rank {rank}: 2 of {3 * STEPS + 2} executions of graphs belong to no complete step and are left out"
                 for rank in range(RANKS)]
        assert it["notes"] == notes, it["notes"]


def check_fewer_graphs():
    """What runs in a graph that was not given is no node; a graph that no trace executes is said so."""
    with tempfile.TemporaryDirectory() as folder:
        write_job(folder)
        it = explain(folder, "backward", ("optimizer", ))
        assert {entry["name"] for entry in it["unmatched"]} == set() and it["steps"] == STEPS, it["unmatched"]
        it = explain(folder, "forward", ("optimizer", ))
        assert {"aten::mm", "aten::loss"} <= {entry["name"] for entry in it["unmatched"]}, it["unmatched"]
        with open(f"{folder}/other.py", "w", encoding="utf-8") as file:
            file.write(graph_text("optimizer").replace("aten.add.Tensor(x, x)", "aten.neg.default(x)"))
        it = explain(folder, "forward", ("backward", "other"))
        assert it["notes"] == ["no step executes other, so its nodes have no times"], it["notes"]


def check_recorded():
    """A training step of two gloo ranks, whose trace begins with a backward pass. PyTorch states no nodes of kernels of
    a backward graph, so these are matched by the order of their launches."""
    folder = os.path.join(DATA, "traces/training_w2")
    code, out, err = run(folder, "--measured", folder, "--json", "--machine", "cpu")
    assert code == 0, err
    it = json.loads(out)["measured"]
    assert it["steps"] == 4 and sorted(graph["graph"] for graph in it["graphs"]) == [
        "backward 0/0", "forward 0/0", "graph 1/0"], it["graphs"]
    assert all(graph["executions"] == 1 and graph["durations_ns"] for graph in it["graphs"]), it["graphs"]
    assert {row["node"] for row in it["collectives"]} == {
        "all_gather_into_tensor of forward 0/0", "reduce_scatter_tensor of backward 0/0", "all_reduce of graph 1/0",
        "all_reduce_1 of graph 1/0"}, it["collectives"]
    total = lambda shares: sum(entry["ns"] for entry in shares)
    assert total(it["matched"]) >= 0.95 * (total(it["matched"]) + total(it["unmatched"])), it
    assert [entry["name"] for entry in it["matched"] if entry["name"] == "order"], it["matched"]
    assert not [entry for entry in it["unmatched"] if "cpp_fused" in entry["name"]], it["unmatched"]
    backward, = [graph for graph in it["graphs"] if graph["graph"] == "backward 0/0"]
    assert {"mul_1", "fma", "where"} <= set(backward["durations_ns"]), backward
    note = "rank 0: 2 of 14 executions of graphs belong to no complete step and are left out"
    assert note in it["notes"], it["notes"]


def check_errors():
    with tempfile.TemporaryDirectory() as folder:
        write_job(folder)
        with open(f"{folder}/other.py", "w", encoding="utf-8") as file:
            file.write(graph_text("optimizer").replace("aten.add.Tensor(x, x)", "aten.neg.default(x)"))
        named = f"{folder}/named.json"
        with open(named, "w", encoding="utf-8") as file:
            json.dump({"traceEvents": [
                {"ph": "M", "name": "process_name", "pid": 0, "args": {"name": "rank 0"}},
                {"ph": "X", "cat": "kernel", "name": "mm", "pid": 0, "tid": 1, "ts": 1, "dur": 1,
                 "args": {"node": "mm"}}]}, file)
        forward, backward, other = (f"{folder}/{name}.py" for name in ("forward", "backward", "other"))
        for arguments, code, message in (
                ((forward, "--step-graphs", backward), 2, "--step-graphs names graphs that traces execute"),
                ((forward, "--measured", folder, "--step-graphs", f"{folder}/none.py"), 1, "none.py"),
                ((other, "--measured", f"{folder}/rank0.json", "--step-graphs", other), 1,
                 "this trace executes none of the graphs optimizer, other"),
                ((forward, "--measured", named, "--step-graphs", backward), 1,
                 "this trace names the nodes of one graph, and 2 graphs are given")):
            got, out, err = run(*arguments)
            assert got == code and not out and message in err, (arguments, got, out, err)


for check in (check_step, check_one_file, check_accumulation, check_cut, check_fewer_graphs, check_recorded,
              check_errors):
    check()
