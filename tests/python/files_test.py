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
    error = raises(ccgraph.InputError, "mine.json:1:", ccgraph.read_bytes, b'{"format": "ccgraph.graph", "version": "1.0", "nodes": [7]}', "mine.json")
    assert error.diagnostics[0].file == "mine.json" and error.diagnostics[0].severity == "error" and error.diagnostics[0].column > 1
    raises(ccgraph.InputError, "No such file", ccgraph.read, "/no/such/file")
    graph = ccgraph.read(STEP)
    raises(ccgraph.UsageError, "was not optimized", ccgraph.report, graph)
    raises(ccgraph.UsageError, "got 'lots'", ccgraph.optimize, graph, memory_budget="lots")
    raises(ccgraph.InputError, "neither a machine", ccgraph.optimize, graph, machine="abacus")
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
        paths = {form: os.path.join(folder, name) for form, name in (("json", "a.json"), ("fx", "a.py"), ("schedule", "a.schedule.json"))}
        for path in paths.values():
            ccgraph.write(graph, path)
        ccgraph.verify(ccgraph.read(paths["fx"]))
        assert json.load(open(paths["schedule"], encoding="utf-8"))["graph"] == digest
        assert ccgraph.read(paths["json"]).digest == graph.digest
        again = ccgraph.optimize(ccgraph.read(STEP), schedule=paths["schedule"])
        assert again.text() == graph.text()
        raises(ccgraph.InputError, digest, ccgraph.optimize, ccgraph.read(os.path.join(DATA, "small/wait_far_w2/readable.py")), schedule=paths["schedule"])


def test_views():
    """A notebook shows a small table for any graph; page, trace, exposed collectives and advice are those of
    ccgraph-opt."""
    graph = ccgraph.read(STEP)
    assert repr(graph) == f"<ccgraph.Graph, not optimized, digest {graph.digest[:12]}>"
    raises(ccgraph.UsageError, "was not optimized", graph.text, "page")
    raises(ccgraph.UsageError, "was not optimized", graph.advice)
    ccgraph.optimize(graph, "-O1")
    assert repr(graph).startswith("<ccgraph.Graph, <lambda>, -O1: nodes 362 -> ") and "step " in repr(graph) and "peak memory" in repr(graph)
    assert "<table>" in graph._repr_html_() and len(graph._repr_html_()) < 1000 and len(repr(graph.report())) < 300
    exposed = graph.exposed()
    assert exposed and all(each["node"] and each["exposed_ns"] > 0 for each in exposed), exposed
    advice = graph.advice()
    assert advice == graph.report()["advice"] and all(each["saved_ns"] > 0 and each["flags"] for each in advice) and advice, advice
    with tempfile.TemporaryDirectory() as folder:
        page, trace = os.path.join(folder, "a.html"), os.path.join(folder, "a.trace.json")
        graph.write(page)
        graph.write(trace)
        assert open(page, encoding="utf-8").read().lstrip().lower().startswith("<!doctype html>")
        assert json.load(open(trace, encoding="utf-8"))
    without = ccgraph.read(STEP).optimize("-O1", views=False)
    raises(ccgraph.UsageError, "option views", without.text, "trace")


def test_threads():
    expected = ccgraph.optimize(ccgraph.read(STEP)).text()
    results = []
    threads = [threading.Thread(target=lambda: results.append(ccgraph.optimize(ccgraph.read(STEP)).text())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 8


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print("ok", name)
