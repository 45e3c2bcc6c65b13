#!/usr/bin/env python3
"""Tests the package without PyTorch: files_test.py DATA, in an interpreter that finds ccgraph."""
import json, os, sys, tempfile, threading

import ccgraph

DATA = sys.argv[1]
STEP = os.path.join(DATA, "small/transformer_step_w4/readable.py.gz")


def raises(kind, words, call, *args, **kwargs):
    try:
        call(*args, **kwargs)
    except kind as error:
        assert words in str(error), error
        return error
    raise AssertionError(f"expected {kind.__name__} with '{words}'")


def test_errors():
    error = raises(ccgraph.InputError, "mine.json:1:", ccgraph.read_bytes,
                   b'{"format": "ccgraph.graph", "version": "1.0", "nodes": [7]}', "mine.json")
    first = error.diagnostics[0]
    assert first.file == "mine.json" and first.severity == "error" and first.column > 1
    raises(ccgraph.InputError, "No such file", ccgraph.read, "/no/such/file")
    graph = ccgraph.read(STEP)
    raises(ccgraph.UsageError, "was not optimized", ccgraph.report, graph)
    raises(ccgraph.UsageError, "got 'lots'", ccgraph.optimize, graph, memory_budget="lots")
    raises(ccgraph.InputError, "neither a preset", ccgraph.optimize, graph, machine="abacus")
    raises(ccgraph.InputError, "unknown pass", ccgraph.optimize, graph, "tidy")
    ccgraph.optimize(graph)  # an option that was refused before the start left the graph unchanged
    raises(ccgraph.UsageError, "optimized already", ccgraph.optimize, graph)


def test_files():
    graph = ccgraph.read(STEP)
    ccgraph.verify(graph)
    digest = graph.digest
    assert ccgraph.optimize(graph, machine="h100x8", memory_budget="40GiB") is graph
    report = ccgraph.report(graph)
    assert report["before"]["digest"] and report["after"]["nodes"] == 363, report["after"]
    with tempfile.TemporaryDirectory() as folder:
        paths = {form: os.path.join(folder, name) for form, name in (("json", "a.json"), ("fx", "a.py"),
                                                                     ("schedule", "a.schedule.json"))}
        for path in paths.values():
            ccgraph.write(graph, path)
        ccgraph.verify(ccgraph.read(paths["fx"]))
        assert json.load(open(paths["schedule"], encoding="utf-8"))["graph"] == digest
        assert ccgraph.read(paths["json"]).digest == graph.digest
        again = ccgraph.optimize(ccgraph.read(STEP), schedule=paths["schedule"])
        assert again.text() == graph.text()
        raises(ccgraph.InputError, digest, ccgraph.optimize,
               ccgraph.read(os.path.join(DATA, "small/wait_far_w2/readable.py")), schedule=paths["schedule"])


DYNAMIC = b"""\
class GraphModule(torch.nn.Module):
    def forward(self, s0: "Sym(s0)", x: "bf16[s0, 4096][4096, 1]cuda:0", a: "bf16[512, 4096][4096, 1]cuda:0", \
b: "bf16[512, 4096][4096, 1]cuda:0"):
        all_gather_into_tensor: "bf16[4096, 4096][4096, 1]cuda:0" = \
torch.ops._c10d_functional.all_gather_into_tensor.default(a, 8, '0')
        wait_tensor: "bf16[4096, 4096][4096, 1]cuda:0" = \
torch.ops._c10d_functional.wait_tensor.default(all_gather_into_tensor)
        mm: "bf16[s0, 4096][4096, 1]cuda:0" = torch.ops.aten.mm.default(x, wait_tensor)
        all_gather_into_tensor_1: "bf16[4096, 4096][4096, 1]cuda:0" = \
torch.ops._c10d_functional.all_gather_into_tensor.default(b, 8, '0')
        wait_tensor_1: "bf16[4096, 4096][4096, 1]cuda:0" = \
torch.ops._c10d_functional.wait_tensor.default(all_gather_into_tensor_1)
        mm_1: "bf16[s0, 4096][4096, 1]cuda:0" = torch.ops.aten.mm.default(mm, wait_tensor_1)
        all_reduce: "bf16[s0, 4096][4096, 1]cuda:0" = torch.ops._c10d_functional.all_reduce.default(mm_1, 'sum', '0')
        wait_tensor_2: "bf16[s0, 4096][4096, 1]cuda:0" = torch.ops._c10d_functional.wait_tensor.default(all_reduce)
        return (wait_tensor_2,)
"""


def test_sizes():
    """Sizes of dynamic dimensions give a time, and choose the order, while the graph keeps its symbols."""
    plain = ccgraph.optimize(ccgraph.read_bytes(DYNAMIC, "dynamic.py"))
    assert plain.report()["unbound_symbol"] == "s0"
    for bind in ({"s0": 8192}, "s0=8192"):
        graph = ccgraph.optimize(ccgraph.read_bytes(DYNAMIC, "dynamic.py"), bind=bind)
        report = graph.report()
        assert report["sizes"] == [{"symbol": "s0", "value": 8192, "from": "bind"}] and "unbound_symbol" not in report
        assert report["predicted"]["after"]["step_ns"] < report["predicted"]["before"]["step_ns"]
        assert "bf16[s0, 4096]" in graph.text("fx") and "ccgraph.schedule" in graph.text("schedule")
        assert report["rounding"] == {"merged_sums": 0, "bitwise_step_ns": None}
    raises(ccgraph.UsageError, "got 's0', expected symbols and their sizes", ccgraph.optimize,
           ccgraph.read_bytes(DYNAMIC, "dynamic.py"), bind="s0")


PRODUCT = b"""
class GraphModule(torch.nn.Module):
    def forward(self, s0: "Sym(s0)", x: "bf16[2048*s0, 4096][4096, 1]cuda:0", b: "bf16[4096, 8192][8192, 1]cuda:0"):
        mm: "bf16[2048*s0, 8192][8192, 1]cuda:0" = torch.ops.aten.mm.default(x, b)
        all_reduce: "bf16[2048*s0, 8192][8192, 1]cuda:0" = \
torch.ops._c10d_functional.all_reduce.default(mm, 'sum', '0')
        wait_tensor: "bf16[2048*s0, 8192][8192, 1]cuda:0" = \
torch.ops._c10d_functional.wait_tensor.default(all_reduce)
        return (wait_tensor,)
"""


def test_pieces_of_sizes():
    """Sizes of dynamic dimensions choose pieces of their rows, which have the same parts for every size."""
    for bind, pieces, first in ({"s0": 4}, 4, 832), ({"s0": 2}, 4, 640), (None, 1, 2048):
        graph = ccgraph.optimize(ccgraph.read_bytes(PRODUCT, "product.py"), "-O3", bind=bind, memory_budget="unlimited")
        assert graph.text("fx").count("all_reduce.default(") == pieces, (bind, graph.text("fx"))
        assert f'"bf16[{first}*s0, 8192][8192, 1]cuda:0" = torch.ops.aten.mm.default(' in graph.text("fx"), bind
        predicted = graph.report()["predicted"]
        assert (predicted["after"]["step_ns"] < predicted["before"]["step_ns"]) == (pieces > 1), (bind, predicted)


def test_views():
    """A notebook shows a small table for any graph; page, trace, exposed collectives and advice are those of
    ccgraph-opt."""
    graph = ccgraph.read(STEP)
    assert repr(graph) == f"<ccgraph.Graph, not optimized, digest {graph.digest[:12]}>"
    raises(ccgraph.UsageError, "was not optimized", graph.text, "page")
    raises(ccgraph.UsageError, "was not optimized", graph.advice)
    ccgraph.optimize(graph, "-O1")
    assert repr(graph).startswith("<ccgraph.Graph, <lambda>, -O1: nodes 362 -> ")
    assert "step " in repr(graph) and "peak memory" in repr(graph)
    assert "<table>" in graph._repr_html_() and len(graph._repr_html_()) < 1000 and len(repr(graph.report())) < 300
    exposed = graph.exposed()
    assert exposed and all(each["node"] and each["exposed_ns"] > 0 for each in exposed), exposed
    advice = graph.advice()
    assert advice == graph.report()["advice"] and all(each["saved_ns"] > 0 and each["flags"]
                                                      for each in advice) and advice, advice
    with tempfile.TemporaryDirectory() as folder:
        page, trace = os.path.join(folder, "a.html"), os.path.join(folder, "a.trace.json")
        graph.write(page)
        graph.write(trace)
        assert open(page, encoding="utf-8").read().lstrip().lower().startswith("<!doctype html>")
        assert json.load(open(trace, encoding="utf-8"))
    without = ccgraph.read(STEP).optimize("-O1", views=False)
    raises(ccgraph.UsageError, "option views", without.text, "trace")


RANK = """class f(torch.nn.Module):
    def forward(self, x: "f32[4][1]cpu"):
        a: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '{}')
        aw: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(a)
        b: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '{}')
        bw: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(b)
        return (aw, bw)
"""


# A graph that is left out with a warning, before the one that is read.
LEFT_OUT = """class bad(torch.nn.Module):
    def forward(self, x: "f32[4][1]cpu"):
        a: "f32[4][1]cpu" = x.neg()
        return (a,)

"""


def test_steps():
    """Steps are compared, and values placed, as ccgraph-check does."""
    folder = os.path.join(DATA, "same-step")
    inside = lambda case, name: os.path.join(folder, case, name)
    parallel = lambda case: {"groups": inside(case, "facts.json"), "placements": inside(case, "io.json")}
    step, stale = (inside(case, "parallel/readable.py.gz") for case in ("dp_mlp_w2", "dp_mlp_w2__stale"))
    single = inside("dp_mlp_w2", "single/readable.py")
    same = ccgraph.same_as(single, step, trials=1, **parallel("dp_mlp_w2"))
    assert same and same.decided and same["equal"] is True and "the same" in same.text() and same.warnings == ""
    wrong = ccgraph.same_as(single, stale, **parallel("dp_mlp_w2__stale"))
    assert not wrong and wrong.decided and wrong["outputs_wrong"] == ["grad.l1.up.bias"], wrong
    assert "differ" in repr(wrong) and json.loads(wrong.text("json"))["equal"] is False
    forms = {"same_as_" + name: path for name, path in parallel("dp_mlp_w2").items()}
    wrong = ccgraph.same_as(step, [stale, stale], **forms, **parallel("dp_mlp_w2__stale"))
    assert not wrong and wrong["where"] and wrong["outputs_wrong"] == ["grad.l1.up.bias"], wrong
    placed = ccgraph.infer_placements(step, **parallel("dp_mlp_w2"))
    assert placed and placed["verdict"] == "consistent", placed
    bits = ccgraph.numerics(step, step, groups=inside("dp_mlp_w2", "facts.json"), engine="local")
    assert bits and bits.bitwise_equal and bits["order"] == "ranks" and "bitwise equal" in repr(bits), bits
    bits = ccgraph.numerics(single, step, trials=1, **parallel("dp_mlp_w2"))
    assert bits and not bits.bitwise_equal and "numerics: 0 of 16" in bits.text(), bits
    bits = ccgraph.numerics(single, stale, **parallel("dp_mlp_w2__stale"))
    assert not bits and bits.decided and bits["outputs_wrong"] == ["grad.l1.up.bias"] and "not" in repr(bits), bits
    raises(ccgraph.UsageError, "expected any, local or mpi", ccgraph.numerics, step, step, engine="gloo")
    raises(ccgraph.UsageError, "no path", ccgraph.numerics, [], step)
    raises(ccgraph.UsageError, "text or json", wrong.text, "sarif")
    raises(ccgraph.UsageError, "no path", ccgraph.same_as, [], step)
    raises(ccgraph.UsageError, "no path", ccgraph.infer_placements, [])
    raises(ccgraph.UsageError, "'trials'", ccgraph.same_as, single, step, trials=0)
    raises(ccgraph.InputError, "No such file", ccgraph.same_as, single, step, placements="no.json")


def test_checks():
    """Jobs and contracts are checked as ccgraph-check does."""
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)
        for name, text in (("0.py", RANK.format("one", "two")), ("1.py", RANK.format("two", "one")),
                           ("2.py", RANK.format("two", "").split("        b:")[0] + "        return (aw,)\n"),
                           ("g.json", '{"groups": {"one": {"ranks": [0, 1]}, "two": {"ranks": [0, 1, 2]}}, '
                                      '"world_size": 3}')):
            open(path(name), "w", encoding="utf-8").write(text)
        ranks = [path(name) for name in ("0.py", "1.py", "2.py")]
        checked = ccgraph.check_job(ranks, groups=path("g.json"), replay=True)
        verdict = checked["verdict"]
        assert not checked and verdict["streams"] == "deadlock" and verdict["dataflow"] == "ok", checked
        assert checked.findings[0]["culprits"] == [0, 1] and checked["replay"]["streams"]["ends"] is False, checked
        assert "wait for each other" in checked.text()
        assert "digraph" in checked.text("dot") and "<svg" in checked.text("page")
        assert json.loads(checked.text("sarif"))["version"] == "2.1.0" and checked.warnings == ""
        raises(ccgraph.UsageError, "got form 'xml'", checked.text, "xml")
        assert ccgraph.check_job(ranks, groups=path("g.json"), under=["dataflow"])
        raises(ccgraph.UsageError, "option 'under'", ccgraph.check_job, ranks, under="luck")
        raises(ccgraph.UsageError, "no path", ccgraph.check_job, [])
        raises(ccgraph.InputError, "No such file", ccgraph.check_job, [path("3.py"), ranks[0]])
        contract = path("c.toml")
        open(contract, "w", encoding="utf-8").write(ccgraph.contract_of(ranks[0], groups=path("g.json")))
        assert ccgraph.check_contract(ranks[0], contract, groups=path("g.json"))
        broken = ccgraph.check_contract(ranks[2], contract, groups=path("g.json"))
        assert not broken and broken.findings and "error" in broken.text() and broken.text("sarif"), broken
        raises(ccgraph.UsageError, "text, json or sarif", broken.text, "dot")


def test_schedule_of_a_pipeline():
    """Schedules are checked with sizes alone; the forms of a schedule with an error are those without a job."""
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)
        open(path("s.csv"), "w", encoding="utf-8").write("0F0,0B0\n1F0,1B0\n")
        open(path("broken.csv"), "w", encoding="utf-8").write("0F0,0B0\n1F0\n")
        checked = ccgraph.check_job(path("s.csv"), stage_sizes="bf16[4, 8]", replay=True)
        assert checked and checked["verdict"]["streams"] == "ok" and checked["replay"]["streams"]["ends"], checked
        assert "s.csv runs to its end: 2 ranks, 2 stages, 1 microbatch" in checked.text() and checked.text("page")
        broken = ccgraph.check_job(path("broken.csv"))
        assert not broken and broken.findings[0]["rule"].startswith("pipeline."), broken
        raises(ccgraph.UsageError, "since the schedule has errors", broken.text, "dot")
        raises(ccgraph.InputError, "got 'many'", ccgraph.check_job, path("s.csv"), stage_sizes="many")
        raises(ccgraph.UsageError, "with a schedule, expected none", ccgraph.check_job, path("s.csv"), ranks=2)
        raises(ccgraph.UsageError, "expected one of them", ccgraph.check_job, path("s.csv"), stage_sizes="f32[1]",
               stage_graphs="g.json")
        raises(ccgraph.UsageError, "got 2 paths", ccgraph.check_job, [path("s.csv")] * 2, stages=2)


def test_whole_jobs_are_rewritten():
    """The graphs of a job file are rewritten together, into a folder with a job file of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)
        for name, text in (("0.py", RANK.format("one", "two")), ("1.py", LEFT_OUT + RANK.format("one", "two")),
                           ("g.json", '{"groups": {"one": {"ranks": [0, 1]}, "two": {"ranks": [0, 1]}}, '
                                      '"world_size": 2}'),
                           ("job.json", '{"graphs": [{"graph": "0.py", "ranks": [0]}, {"graph": "1.py", "ranks": [1]}],'
                                        ' "groups": "g.json"}')):
            open(path(name), "w", encoding="utf-8").write(text)
        done = ccgraph.optimize_job(path("job.json"), path("out"))
        assert done["ranks"] == 2 and done["graphs"] == 2 and done["proved"] and "streams" in done["safe"], done
        assert "1.py:2:5: warning: left out the graph 'bad'" in done["warnings"], done
        assert ccgraph.check_job(path("out/job.json"))
        raises(ccgraph.InputError, "No such file", ccgraph.optimize_job, path("none.json"), path("out"))
        raises(ccgraph.InputError, "cannot write here", ccgraph.optimize_job, path("job.json"), path("g.json"))


def test_threads():
    expected = ccgraph.optimize(ccgraph.read(STEP)).text()
    results = []
    threads = [threading.Thread(target=lambda: results.append(ccgraph.optimize(ccgraph.read(STEP)).text()))
               for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 8


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print("ok", name)
