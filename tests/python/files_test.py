#!/usr/bin/env python3
"""The package without PyTorch: files_test.py DATA, in an interpreter that finds ccgraph."""
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
    ccgraph.optimize(graph)  # what was refused before it began has left the graph as it was
    raises(ccgraph.UsageError, "optimized already", ccgraph.optimize, graph)


def test_files():
    graph = ccgraph.read(STEP)
    ccgraph.verify(graph)
    digest = graph.digest
    assert ccgraph.optimize(graph, machine="h100x8", memory_budget="40GiB") is graph
    report = ccgraph.report(graph)
    assert report["before"]["digest"] and report["after"]["nodes"] == 363, report["after"]
    assert "<table>" in graph._repr_html_() and "<pre>" in ccgraph.read(STEP)._repr_html_()
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
