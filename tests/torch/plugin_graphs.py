#!/usr/bin/env python3
"""Tests the plug-in on one graph in one process: what it leaves unchanged, what it writes and reads, and the state
after a refusal."""
import os, tempfile, unittest.mock, warnings
import torch
import torch.distributed as dist
from torch._inductor.pattern_matcher import stable_topological_sort
from torch.testing._internal.distributed.fake_pg import FakeStore

import ccgraph
import ccgraph.torch
from ccgraph.torch import _edits, _pass
from ccgraph.torch._flat import import_graph
from ccgraph.torch._order import sorted_nodes
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


def refused_by(kind, words, call):
    try:
        call()
    except kind as error:
        assert words in str(error), error
    else:
        raise AssertionError(f"expected {kind.__name__} with '{words}'")


def options():
    """An invalid option is an error of the constructor."""
    make = ccgraph.torch.Pass
    with tempfile.TemporaryDirectory() as folder:
        for kind, words, given in (
                (ccgraph.InputError, "the machines are", {"machine": "h100"}),
                (ccgraph.InputError, "sink-waits", {"pipeline": "sink-wait"}),
                (ccgraph.InputError, "-O9", {"pipeline": "-O9"}),
                (ccgraph.InputError, "No such file", {"schedule": "nope"}),
                (ccgraph.InputError, "No such file", {"durations": "nope.tsv"}),
                (ccgraph.InputError, "No such file", {"groups": "nope.json"}),
                (ccgraph.UsageError, "holds no *.schedule.json", {"schedule": folder}),
                (ccgraph.UsageError, "got 'lots'", {"memory_budget": "lots"}),
                (ccgraph.UsageError, "got 'name'", {"match": "name"})):
            refused_by(kind, words, lambda: make(**given))
        make(machine="h100x8", pipeline="sink-waits", memory_budget="40GiB")


def broken(gm, damage):
    """A failing pass leaves the graph unchanged, with a warning."""
    text, metas = str(gm.graph), [(node, dict(node.meta)) for node in gm.graph.nodes]
    made = ccgraph.torch.Pass(agree=False, memory_budget="unlimited")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        damage(made)
    assert str(gm.graph) == text and [(node, node.meta) for node in gm.graph.nodes] == metas
    gm.graph.lint()
    assert [each.category for each in caught
            if "as it was" in str(each.message)] == [ccgraph.torch.Refused], [str(each.message) for each in caught]
    assert [call["edits"] for call in made.calls] == [None]


def refusals():
    """Tests errors of ccgraph at each stage of the pass, including the edits of the live graph."""
    def raising(place, name):
        def damage(made):
            with unittest.mock.patch.object(place, name, side_effect=KeyError("damaged")):
                made(gm.graph)
        return damage

    for place, name in ((_pass, "sorted_nodes"), (_pass, "Imported"), (_pass, "Edits"), (_edits, "_create"),
                        (_edits, "_set_operands"),
                        (_edits._Application, "unused")):
        gm = graph_of(3)
        broken(gm, raising(place, name))
    gm = graph_of(2)
    refused_by(ccgraph.InputError, "neither a preset", lambda: ccgraph.torch.optimize(gm, machine="abacus"))
    module = torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.ReLU()))
    broken(module, lambda made: made(module.graph))


def unsorted():
    """Inductor's fusion of DDP's all_reduces leaves a use before its definition, and Inductor sorts after the pass."""
    for distance in (1, 7):
        gm, sorted_gm = graph_of(3), graph_of(3)
        for graph in (gm.graph, sorted_gm.graph):
            nodes = list(graph.nodes)
            late = next(node for node in nodes if "wait_tensor" in str(node.target))
            nodes[nodes.index(late) + distance].append(late)
        stable_topological_sort(sorted_gm.graph)
        assert [node.name for node in sorted_nodes(gm.graph)] == [node.name for node in sorted_gm.graph.nodes]
        made = ccgraph.torch.Pass(agree=False, memory_budget="unlimited")
        made(gm.graph)
        gm.graph.lint()
        assert made.calls[0]["edits"] > 0
        ccgraph.torch.optimize(sorted_gm, memory_budget="unlimited", bitwise=True)
        assert str(gm.graph) == str(sorted_gm.graph)
    # A refused graph keeps even an unsorted order.
    gm = graph_of(3)
    nodes = list(gm.graph.nodes)
    late = next(node for node in nodes if "wait_tensor" in str(node.target))
    nodes[-2].append(late)
    text = str(gm.graph)
    with unittest.mock.patch.object(_pass, "Edits", side_effect=KeyError("damaged")), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ccgraph.torch.Pass(agree=False)(gm.graph)
    assert str(gm.graph) == text


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
for test in (files, edits, options, refusals, unsorted, uuids):
    test()
    print("ok", test.__name__)
