#!/usr/bin/env python3
"""The plug-in on one graph in one process: what it leaves alone, what it writes and reads, and what a refusal leaves."""
import os, tempfile, warnings
import torch.distributed as dist
from torch.testing._internal.distributed.fake_pg import FakeStore

import ccgraph
import ccgraph.torch
from ccgraph.torch._flat import import_graph
from plugin_speed import graph_of


def files():
    gm = graph_of(3)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("a.json", "a.py"):
            path = os.path.join(folder, name)
            ccgraph.torch.dump(gm, path)
            loaded = ccgraph.torch.load(path)
            assert [str(node.target) for node in loaded.graph.nodes] == [str(node.target) for node in gm.graph.nodes]
        assert ccgraph.read(os.path.join(folder, "a.json")).digest == import_graph(gm.graph, "g")[0].digest


def edits():
    gm = graph_of(3)
    before = {node.name: (node, dict(node.meta)) for node in gm.graph.nodes}
    launches = sum("into_tensor" in str(node.target) or "reduce_scatter" in str(node.target) for node in gm.graph.nodes)
    report = ccgraph.torch.optimize(gm, memory_budget="unlimited")
    gm.graph.lint()
    after = sum("into_tensor" in str(node.target) or "reduce_scatter" in str(node.target) for node in gm.graph.nodes)
    assert after < launches and report["before"]["digest"] != report["after"]["digest"]
    kept = [node for node in gm.graph.nodes if before.get(node.name, (None,))[0] is node]
    assert len(kept) > 20 and all(dict(node.meta) == before[node.name][1] for node in kept)
    for node in gm.graph.nodes:
        assert node.op == "output" or "val" in node.meta, node


def refusals():
    gm = graph_of(2)
    text = str(gm.graph)
    try:
        ccgraph.torch.optimize(gm, machine="abacus")
        raise AssertionError("a machine that is not known was taken")
    except ccgraph.InputError as error:
        assert "neither a machine" in str(error)
    refused = ccgraph.torch.Pass(machine="abacus", agree=False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        refused(gm.graph)
    assert str(gm.graph) == text
    assert [each.category for each in caught if "neither a machine" in str(each.message)] == [ccgraph.torch.Refused]


def uuids():
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as durations:
        durations.write("mm\t1\n")
        durations.flush()
        first = ccgraph.torch.Pass(durations=durations.name).uuid()
        assert first == ccgraph.torch.Pass(durations=durations.name).uuid()
        durations.write("mm_1\t2\n")
        durations.flush()
        assert first != ccgraph.torch.Pass(durations=durations.name).uuid()
    assert ccgraph.torch.Pass().uuid() != ccgraph.torch.Pass(bitwise=True).uuid()


dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=8)
for test in (files, edits, refusals, uuids):
    test()
    print("ok", test.__name__)
