#!/usr/bin/env python3
"""Tests ccgraph-opt --measured: measured_test.py TOOLS DATA. TOOLS is the folder of ccgraph-opt.

Traces with known delays are written here, of a CPU and of a GPU, and the tool must find each delay, its rank and its
cause. Traces that PyTorch wrote must match to 95 %. tests/evidence/measured-truth has random jobs."""
import gzip, json, os, subprocess, sys, tempfile

TOOLS, DATA = (os.path.abspath(path) for path in sys.argv[1:])
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
HEADER = ('V1121 08:54:34.206000 27731 torch/_inductor/compile_fx.py:28] {"artifact": {"name": '
          '"inductor_provenance_tracking_node_mappings", "encoding": "json"}, "rank": 0, "has_payload": '
          '"5070b3f5c0a8a1f7e3c8f1f3a0a4f5f6"}\n\t')
MAPPING = {"cppCodeToPost": {"extern_kernels.mm:1": ["mm"], "cpp_fused_add_relu_0:2": ["relu", "add", "all_reduce"]}}
OTHER_MAPPING = {"cppCodeToPost": {"cpp_fused_add_relu_0:1": ["of_another_graph"]}}
RANKS, STEPS, TRANSFER = 3, 4, 500.0
#: the clock of each rank, in microseconds beside that of rank 0
CLOCKS = (0.0, 1e6, -5e4)


class Trace:
    """Writes the events of one rank, one after another."""

    def __init__(self, rank):
        self.rank, self.now, self.events = rank, CLOCKS[rank] + 1e7, []

    def event(self, name, duration, begin=None, category="cpu_op", thread=1, args=None):
        self.events.append({"ph": "X", "cat": category, "name": name, "ts": self.now if begin is None else begin,
                            "dur": duration, "pid": 5, "tid": thread, "args": args or {}})
        self.now += duration if begin is None else 0.0

    def write(self, folder):
        with gzip.open(f"{folder}/rank{self.rank}.json.gz", "wt") as file:
            json.dump({"distributedInfo": {"rank": self.rank}, "traceEvents": self.events}, file)


def write_job(folder, slow_node=None, slow_host=None, extra=0.0, regions=True):
    """Writes the traces of a job. `slow_node` and `slow_host` are (rank, microseconds): mm takes longer, or the host
    pauses before it. `extra` microseconds of each step are an operator that the graph does not have. Without `regions`,
    the traces do not say where a step begins."""
    traces = [Trace(rank) for rank in range(RANKS)]
    for _ in range(STEPS):
        arrivals, begins = [], []
        for trace in traces:
            begins.append(trace.now)
            if slow_host and slow_host[0] == trace.rank:
                trace.now += slow_host[1]
            own = slow_node[1] if slow_node and slow_node[0] == trace.rank else 0.0
            trace.event("aten::resolve_conj", 1.0, begin=trace.now)
            trace.event("aten::mm", 1000.0 + own)
            arrivals.append(trace.now - CLOCKS[trace.rank])
            trace.event("_c10d_functional::all_reduce_", 20.0)
        end = max(arrivals) + TRANSFER
        for trace, arrival, begin in zip(traces, arrivals, begins):
            trace.event("gloo:all_reduce", end - arrival, arrival + CLOCKS[trace.rank], "user_annotation", 2)
            trace.event("aten::mm", 200.0)
            trace.event("_c10d_functional::wait_tensor", end + CLOCKS[trace.rank] - trace.now)
            trace.event("graph_0_cpp_fused_add_relu_0", 300.0)
            if extra:
                trace.event("aten::unknown", extra)
            if regions:
                trace.event("## Call CompiledFxGraph fabc ##", trace.now - begin, begin)
            trace.now += 50.0
    for trace in traces:
        trace.write(folder)
    # PyTorch 2.15 writes no mapping for a backward graph, but its version.
    artifacts = ({"version": 2.0}, OTHER_MAPPING, MAPPING)
    write(f"{folder}/rank0.log", "".join(HEADER + json.dumps(it) + "\n" for it in artifacts))
    write(f"{folder}/graph.py", GRAPH)


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def run(*arguments):
    done = subprocess.run([f"{TOOLS}/ccgraph-opt", *arguments], text=True, capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr


def explain(folder, *flags):
    code, out, err = run(f"{folder}/graph.py", "--measured", folder, "--json", *flags)
    assert code == 0, err
    return json.loads(out)["measured"]


def measured(folder, **job):
    write_job(folder, **job)
    return explain(folder)


def total(shares):
    return sum(entry["ns"] for entry in shares)


def near(nanoseconds, microseconds):
    """Within 1 % of the truth, and within a microsecond where it is zero."""
    return abs(nanoseconds / 1e3 - microseconds) <= max(0.01 * microseconds, 1.0)


def check_node():
    with tempfile.TemporaryDirectory() as folder:
        it = measured(folder, slow_node=(2, 3000.0))
        row, = it["collectives"]
        assert near(row["waiting_ns"], 3000) and near(row["transfer_ns"], TRANSFER), row
        assert (row["last_rank"], row["last_steps"], row["steps"]) == (2, STEPS, STEPS), row
        assert (row["cause"]["kind"], row["cause"]["node"], row["cause"]["rank"]) == ("compute", "mm", 2), row
        assert near(row["cause"]["ns"], 3000), row
        assert all(abs(entry["clock_offset_ns"] / 1e3 + CLOCKS[entry["rank"]]) < 1 for entry in it["ranks"]), it
        assert total(it["unmatched"]) == 0 and it["steps"] == STEPS and len(it["ranks"]) == RANKS, it
        # relu and add share a kernel; the collective is not part of it.
        assert it["durations_ns"] == {"mm": 1e6, "mm_1": 2e5, "relu": 1.5e5, "add": 1.5e5, "all_reduce": 5e5}, it
        assert it["would_save"][0]["change"] == "mm of rank 2 as fast as on the other ranks", it["would_save"]
        assert near(it["would_save"][0]["saved_ns"], 3000), it["would_save"]
        code, out, _ = run(f"{folder}/graph.py", "--measured", folder)
        for text in ("measured     4.8 ms a step, the median of 4 steps of 3 ranks; 100.0 % of the time in events",
                     "because of mm on rank 2 (+3.0 ms)", "would save", "100.0 % measured"):
            assert code == 0 and text in out, (text, out)
        code, out, _ = run(f"{folder}/graph.py", "--measured", folder, "--exposed")
        assert code == 0 and "until the last" in out and "mm on rank 2 (+3.0 ms)" in out, out
        page = f"{folder}/page.html"
        code, _, err = run(f"{folder}/graph.py", "--measured", folder, "--report", page)
        with open(page, encoding="utf-8") as file:
            assert code == 0 and "because of mm on rank 2" in file.read(), err


def check_host():
    with tempfile.TemporaryDirectory() as folder:
        row, = measured(folder, slow_host=(0, 2000.0))["collectives"]
        assert row["last_rank"] == 0 and row["cause"]["kind"] == "host" and row["cause"]["node"] == "mm", row
        assert near(row["waiting_ns"], 2000) and near(row["cause"]["ns"], 2000), row


def check_eager():
    """Steps are found by their first operator, and a wait on what was waited for has no event."""
    with tempfile.TemporaryDirectory() as folder:
        write_job(folder, slow_node=(1, 3000.0), regions=False)
        write(f"{folder}/graph.py", GRAPH.replace("        relu:", '        again: "f32[4, 4][4, 1]cpu" = '
                                                  "torch.ops._c10d_functional.wait_tensor.default(wait_tensor)\n"
                                                  "        relu:"))
        it = explain(folder)
        row, = it["collectives"]
        assert it["steps"] == STEPS and total(it["unmatched"]) == 0, it
        assert (row["last_rank"], row["cause"]["node"]) == (1, "mm") and near(row["waiting_ns"], 3000), row
        assert it["durations_ns"]["mm"] == 1e6 and it["durations_ns"]["all_reduce"] == 5e5, it


def check_nobody_late():
    with tempfile.TemporaryDirectory() as folder:
        row, = measured(folder)["collectives"]
        assert near(row["waiting_ns"], 0) and near(row["transfer_ns"], TRANSFER), row
        assert row["cause"]["kind"] == "none", row


def check_unmatched():
    with tempfile.TemporaryDirectory() as folder:
        it = measured(folder, extra=700.0)
        assert it["unmatched"] == [{"name": "aten::unknown", "ns": 700_000 * STEPS * RANKS}], it["unmatched"]
        os.remove(f"{folder}/rank0.log")
        it = explain(folder)
        assert total(it["unmatched"]) == 700_000 * STEPS * RANKS, it["unmatched"]
        assert "order" in [entry["name"] for entry in it["matched"]], it["matched"]
        assert [note[:46] for note in it["notes"]] == ["no file states the nodes of Inductor's kernels"], it["notes"]
        # A file of the mapping alone, as trace.enabled writes it.
        write(f"{folder}/inductor_provenance_tracking_node_mappings.json", json.dumps(MAPPING))
        assert total(explain(folder)["unmatched"]) == 700_000 * STEPS * RANKS
        # A step with one call more than the graph has nodes: none of them is matched.
        write(f"{folder}/graph.py", GRAPH.replace("torch.ops.aten.mm.default(x, mm)", "torch.ops.aten.neg.default(mm)"))
        assert "aten::mm" in [entry["name"] for entry in explain(folder)["unmatched"]]
        # Most of the time is of another program.
        write_job(folder, extra=90_000.0)
        assert [note[:38] for note in explain(folder)["notes"]] == ["less than half of the time is matched,"]


def device_trace(rank, step_range, late=0.0, elements=16):
    """Writes a trace of a GPU as PyTorch 2.15 does: the host issues, streams 7 and 20 execute. Each step has a product,
    a kernel of Triton, an all_reduce and a copy that is no node."""
    events, number, host, stream = [], 0, 1e6 * (rank + 1), 0.0

    def event(category, name, begin, duration, thread, **args):
        events.append({"ph": "X", "cat": category, "name": name, "pid": 0 if category == "kernel" else 9, "tid": thread,
                       "ts": begin, "dur": duration, "args": args})

    def launch(kind, name, begin, duration, lane, **args):
        nonlocal number, host
        number += 1
        event("cuda_runtime", "cudaLaunchKernel", host, 2.0, 3, correlation=number)
        events.append({"ph": "s", "cat": "ac2g", "name": "ac2g", "id": number, "pid": 9, "tid": 3, "ts": host})
        event(kind, name, begin, duration, lane, stream=lane, correlation=number, device=rank, **args)
        host += 5.0

    for step in step_range:
        first = host = max(host, 1e6 * (rank + 1) + step * 2000.0)
        begin = host + 100.0
        event("cpu_op", "aten::mm", host, 4.0, 3)
        launch("kernel", "sm90_xmma_gemm_f32", begin, 300.0 + late, 7)
        event("cpu_op", "_c10d_functional::all_reduce", host, 4.0, 3)
        arrival, end = begin + 300.0 + late, begin + 1000.0
        event("user_annotation", "nccl:all_reduce", host, 2.0, 3, **{"Collective name": "allreduce"})
        launch("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", arrival, end - arrival, 20,
               **{"Collective name": "allreduce", "In msg nelems": elements, "Out msg nelems": elements,
                  "dtype": "Float", "Group size": 2, "Process Group Name": "0", "Process Group Ranks": "[0, 1]",
                  "Seq": step + 1})
        event("gpu_user_annotation", "nccl:all_reduce", arrival, end - arrival, 20)
        event("cpu_op", "aten::mm", host, 4.0, 3)
        launch("kernel", "sm90_xmma_gemm_f32", arrival, 100.0, 7)
        event("cpu_op", "_c10d_functional::wait_tensor", host, 1.0, 3)
        host += 5.0
        launch("kernel", "triton_poi_fused_add_relu_0", end, 50.0, 7)
        launch("gpu_memcpy", "Memcpy DtoD (Device -> Device)", end + 50.0, 10.0, 7)
        event("cpu_op", "## Call CompiledFxGraph fabc ##", first, host - first, 3)
        event("overhead", "Command Buffer Full", host, 1.0, -1)
    return {"distributedInfo": {"rank": rank, "pg_config": []}, "traceEvents": events}


def write_devices(folder, **of_rank_1):
    for rank in range(2):
        write(f"{folder}/rank{rank}.json", json.dumps(device_trace(rank, range(3), **(of_rank_1 if rank else {}))))
    write(f"{folder}/graph.py", GRAPH.replace("cpu", "cuda:0"))
    write(f"{folder}/mapping.json", json.dumps({"cppCodeToPost": {"triton_poi_fused_add_relu_0:1": ["relu", "add"]}}))


def check_device():
    with tempfile.TemporaryDirectory() as folder:
        write_devices(folder, late=400.0)
        it = explain(folder)
        assert it["on_device"] and it["steps"] == 3, it
        assert it["unmatched"] == [{"name": "Memcpy DtoD (Device -> Device)", "ns": 60_000}], it["unmatched"]
        assert {entry["name"] for entry in it["matched"]} == {"kernel", "operator", "collective"}, it["matched"]
        row, = it["collectives"]
        assert near(row["waiting_ns"], 400) and near(row["transfer_ns"], 300), row
        assert (row["cause"]["kind"], row["cause"]["node"], row["last_rank"]) == ("compute", "mm", 1), row
        assert it["durations_ns"] == {"mm": 500_000, "mm_1": 100_000, "relu": 25_000, "add": 25_000,
                                      "all_reduce": 300_000}, it["durations_ns"]
        stall = {entry["rank"]: (entry["stall_waiting_ns"], entry["stall_transfer_ns"]) for entry in it["ranks"]}
        assert stall == {0: (300_000, 300_000), 1: (0, 200_000)}, stall
        # A collective of another size is of another job.
        write_devices(folder, elements=999)
        note = "rank 1: all_reduce moves 64 bytes in the graph, and 3996 in the trace"
        assert note in explain(folder)["notes"], explain(folder)["notes"]


def check_backward_thread():
    """Autograd runs the backward pass of a device on a thread of its own, so its kernels are launched there, as in the
    trace tests/data/call_stack/backward_thread.json of HolisticTraceAnalysis (a step of an A100)."""
    with tempfile.TemporaryDirectory() as folder:
        events, number = [], 0

        def event(category, name, begin, duration, thread, **args):
            events.append({"ph": "X", "cat": category, "name": name, "pid": 0 if category == "kernel" else 3914,
                           "tid": thread, "ts": begin, "dur": duration, "args": args})

        def launched(name, kernel, begin, thread):
            nonlocal number
            number += 1
            event("cpu_op", name, begin, 58, thread)
            event("cuda_runtime", "cudaLaunchKernel", begin + 44, 10, thread, correlation=number)
            event("kernel", kernel, begin + 1000, 45, 7, stream=7, correlation=number, device=0)

        for step in range(2):
            begin = 1666149715033200 + step * 500000
            event("user_annotation", f"ProfilerStep#{552 + step}", begin, 413451, 3914)
            launched("aten::mm", "void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x128>", begin + 100, 3914)
            event("user_annotation", "## backward ##", begin + 254455, 107988, 3914)
            event("cpu_op", "autograd::engine::evaluate_function: AddmmBackward0", begin + 331122, 145, 24922)
            event("cpu_op", "AddmmBackward0", begin + 331124, 102, 24922)
            launched("aten::mm", "void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x128>", begin + 331130, 24922)
        write(f"{folder}/rank0.json", json.dumps({"distributedInfo": {"rank": 0}, "traceEvents": events}))
        value = '"f32[4, 4][4, 1]cuda:0"'
        write(f"{folder}/graph.py", f"class graph(torch.nn.Module):\n    def forward(self, x: {value}):\n"
              f"        mm: {value} = torch.ops.aten.mm.default(x, x)\n"
              f"        mm_1: {value} = torch.ops.aten.mm.default(x, mm)\n        return (mm_1,)\n")
        it = explain(folder)
        assert it["durations_ns"] == {"mm": 45_000, "mm_1": 45_000} and it["steps"] == 2, it
        assert it["unmatched"] == [], it["unmatched"]


def check_missing_rank():
    with tempfile.TemporaryDirectory() as folder:
        write_job(folder)
        for rank in range(RANKS):
            path = f"{folder}/rank{rank}.json.gz"
            with gzip.open(path, "rt") as file:
                trace = json.load(file)
            trace["distributedInfo"]["pg_config"] = [{"pg_name": "0", "ranks": [0, 1, 2]}]
            with gzip.open(path, "wt") as file:
                json.dump(trace, file)
        os.remove(f"{folder}/rank1.json.gz")
        note = "no trace of rank 1, so waiting for it counts as the time of the data"
        assert explain(folder)["notes"] == [note], explain(folder)["notes"]
        assert note in run(f"{folder}/graph.py", "--measured", folder)[1]


def check_own_engine():
    """A trace of ccgraph-run names the nodes of its steps."""
    with tempfile.TemporaryDirectory() as folder:
        write(f"{folder}/graph.py", GRAPH)
        done = subprocess.run([f"{TOOLS}/ccgraph-run", f"{folder}/graph.py", "--ranks", "2", "--engine", "local",
                               "--trace", f"{folder}/run.json"], text=True, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        it = explain(folder)
        assert total(it["unmatched"]) == 0 and [entry["rank"] for entry in it["ranks"]] == [0, 1], it
        assert {"mm", "mm_1", "all_reduce"} <= set(it["durations_ns"]), it["durations_ns"]


def check_recorded():
    folder = os.path.join(DATA, "traces/compiled_w2")
    it = explain(folder)
    assert total(it["matched"]) >= 0.95 * (total(it["matched"]) + total(it["unmatched"])), it
    assert {entry["name"] for entry in it["matched"]} == {"kernel", "operator", "wait"}, it["matched"]
    assert [row["node"] for row in it["collectives"]] == ["all_reduce", "all_gather_into_tensor"] and it["steps"] == 4
    assert (it["collectives"][0]["transfer_ns"], it["collectives"][1]["waiting_ns"]) == (13_410_918, 6_006_195), it
    assert abs(it["replayed_ns"] / it["period_ns"] - 1) < 0.1, it


def nccl_tests(path, program, ranks, time_of):
    write(path, json.dumps({
        "args": [f"./{program}_perf"], "nccl_version": 22803,
        "config": {"nthreads": 1, "ngpus": 1, "devices": [{"hostname": "a"}] * ranks},
        "results": [{"size": 2**k, "out_of_place": {"time": time_of(2**k)}} for k in range(10, 25, 2)]}))


def check_fit():
    with tempfile.TemporaryDirectory() as folder:
        # 8 us, and 50 GB/s for 7/8 of the bytes.
        nccl_tests(f"{folder}/gather.json", "all_gather", 8, lambda size: 8 + size * 7 / 8 / 50e3)
        machine = f"{folder}/ours.json"
        code, out, err = run("--fit-machine", "ours", f"{folder}/gather.json", "-o", machine)
        assert code == 0 and not err and "all_gather" in out and "held out" in out, (out, err)
        with open(machine, encoding="utf-8") as file:
            fitted = json.load(file)
        assert fitted["name"] == "ours" and fitted["base"] == "h100x8" and fitted["rules"] == "linear", fitted
        assert abs(fitted["linear"]["all_gather"]["gb_per_s"] - 50) < 0.5, fitted
        write_job(folder)
        code, out, _ = run(f"{folder}/graph.py", "--machine", machine)
        assert code == 0 and "machine      ours" in out, out
        # Gloo states no bytes, so the graph does; the base is then a host.
        code, out, err = run(f"{folder}/graph.py", "--measured", folder, "--fit-machine", "gloo")
        assert code == 0 and "all_reduce" in err, err
        fitted = json.loads(out)
        assert fitted["base"] == "cpu" and set(fitted["linear"]) == {"all_reduce"}, fitted
        for arguments, status, message in (
                (("--fit-machine", "x"), 2, "--fit-machine fits timed collectives, but no file is given"),
                (("--fit-machine", "x", f"{folder}/rank0.json.gz"), 1, "got no collective with its bytes and its"),
                (("--fit-machine", "x", f"{folder}/graph.py"), 1, "this is no file of timed collectives"),
                (("--fit-machine", "x", "--machine", machine, f"{folder}/gather.json"), 1, "expected a preset")):
            code, out, err = run(*arguments)
            assert code == status and not out and message in err, (arguments, code, err)


def check_fit_of_devices():
    """The rank that comes last has the time of the data."""
    with tempfile.TemporaryDirectory() as folder:
        for rank in range(2):
            events = []
            for number, elements in enumerate((2**k for k in range(8, 20, 2))):
                args = {"stream": 20, "Collective name": "allreduce", "In msg nelems": elements,
                        "Out msg nelems": elements, "dtype": "Float", "Group size": 2, "Process Group Name": "0",
                        "Process Group Ranks": "[0, 1]", "Seq": number}
                events.append({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "pid": 0, "tid": 20,
                               "ts": 1000.0 * number, "dur": 5 + elements * 4 / 10e3 + (300 if rank == 0 else 0),
                               "args": args})
            write(f"{folder}/rank{rank}.json", json.dumps({"distributedInfo": {"rank": rank}, "traceEvents": events}))
        code, out, err = run("--fit-machine", "gpus", folder)
        assert code == 0, err
        assert abs(json.loads(out)["linear"]["all_reduce"]["gb_per_s"] - 10) < 0.1, out


def check_fit_of_an_engine():
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(os.path.dirname(__file__), "../../tools/fit-machine")
        done = subprocess.run([script, "--bin", TOOLS, "--ranks", "2", "--sizes", "1024,65536,4194304", "--repeat", "5",
                               "--name", "mine", "-o", f"{folder}/mine.json"], capture_output=True, text=True,
                              check=False)
        assert done.returncode == 0 and "of 15 measurements were lost in noise" in done.stdout, done
        with open(f"{folder}/mine.json", encoding="utf-8") as file:
            machine = json.load(file)
        assert machine["name"] == "mine" and machine["base"] == "cpu" and machine["linear"], machine
        assert all(numbers["gb_per_s"] > 0 for numbers in machine["linear"].values()), machine
        done = subprocess.run([script, "--bin", folder], capture_output=True, text=True, check=False)
        assert done.returncode == 1 and "--bin names the folder of the programs" in done.stderr, done


def check_errors():
    with tempfile.TemporaryDirectory() as folder:
        write_job(folder)
        names = ("bad.json", "events.json", "notes.txt", "other.py", "cut.json.gz", "two.json")
        paths = {name: f"{folder}/files/{name}" for name in names}
        os.makedirs(f"{folder}/files/empty")
        trace = f"{folder}/rank0.json.gz"
        write(paths["bad.json"], "{")
        write(paths["events.json"], '{"traceEvents": []}')
        write(paths["notes.txt"], "")
        write(paths["other.py"], GRAPH.replace("mm.default", "bmm.default").replace("_c10d_functional", "mine").replace(
            "relu", "neg").replace("add.Tensor", "sub.Tensor"))
        with open(trace, "rb") as file, open(paths["cut.json.gz"], "wb") as cut:
            cut.write(file.read()[:-200])
        graph = f"{folder}/graph.py"
        for arguments, code, message in (
                ((graph, paths["bad.json"]), 1, "bad.json:1:"),
                ((graph, paths["events.json"]), 1, "this trace has no event of an operator or a kernel"),
                ((graph, paths["notes.txt"]), 1, "notes.txt"),
                ((graph, paths["cut.json.gz"]), 1, "cut.json.gz"),
                ((graph, f"{folder}/files/empty"), 1, "got no trace, expected those that PyTorch's profiler wrote"),
                ((graph, trace, "--measured", trace), 1, "this is a second trace of rank 0"),
                ((paths["other.py"], trace), 1, "no event of this trace matches a node of graph"),
                ((graph, f"{folder}/missing.json"), 1, "missing.json"),
                ((graph, trace, "--durations", trace), 2, "--measured and --durations both state"),
                ((graph, trace, "--verify-only"), 2, "--measured explains times, which")):
            got, out, err = run(arguments[0], "--measured", *arguments[1:])
            assert got == code and not out and message in err, (arguments, got, out, err)


for check in (check_node, check_host, check_eager, check_nobody_late, check_unmatched, check_device,
              check_backward_thread, check_missing_rank, check_own_engine, check_recorded, check_fit,
              check_fit_of_devices, check_fit_of_an_engine, check_errors):
    check()
