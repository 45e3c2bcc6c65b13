#!/usr/bin/env python3
"""Tests a schedule of another graph, applied by name: plugin_match.py CCGRAPH_OPT. The graphs are first those of one
process with intended differences, then those of the TORCH_TRACE logs of two gloo ranks and of their next run."""
import json, os, pathlib, subprocess, sys, tempfile, warnings
import torch
import torch.distributed as dist
from torch.fx.experimental.proxy_tensor import make_fx
from torch.testing._internal.distributed.fake_pg import FakeStore

import ccgraph
import ccgraph.torch
from plugin_job import run_job
from plugin_speed import graph_of


def launches(gm):
    return [str(node.target) for node in gm.graph.nodes if "into_tensor" in str(node.target)
            or "reduce_scatter" in str(node.target)]


def schedule_of(gm, folder):
    """Makes a schedule from a dump, as from a graph that a log prints."""
    source, target = os.path.join(folder, "dump.json"), os.path.join(folder, "a.schedule.json")
    ccgraph.torch.dump(gm, source)
    ccgraph.write(ccgraph.optimize(ccgraph.read(source), memory_budget="unlimited"), target)
    return target


def replayed(gm, schedule, **options):
    """Returns the warnings of the pass."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ccgraph.torch.Pass(schedule=schedule, agree=False, **options)(gm.graph)
    gm.graph.lint()
    return [(each.category, str(each.message)) for each in caught if "ccgraph" in str(each.category)]


def differing():
    """Applies the schedule to the same program with an additional node, a renamed node, and a chain that the schedule
    does not contain."""
    gm = graph_of(4)
    relu = next(node for node in gm.graph.nodes if "relu" in str(node.target))
    relu.name = "renamed"
    mm = next(node for node in gm.graph.nodes if "mm" in str(node.target))
    with gm.graph.inserting_after(mm):
        more = gm.graph.call_function(torch.ops.aten.neg.default, (mm,))
        more.meta["val"] = mm.meta["val"]
    with gm.graph.inserting_after(more):
        back = gm.graph.call_function(torch.ops.aten.neg.default, (more,))
        back.meta["val"] = mm.meta["val"]
    relu.replace_input_with(mm, back)
    return gm


def by_names():
    with tempfile.TemporaryDirectory() as folder:
        schedule = schedule_of(graph_of(4), folder)
        same, other, refused = graph_of(4), differing(), differing()
        assert replayed(same, schedule, match="names") == []
        said = replayed(other, schedule, match="names")
        assert [kind for kind, _ in said] == [ccgraph.torch.Unmatched], said
        for words in ("not in this graph: relu", "not in the schedule: ", "renamed", "neg"):
            assert words in said[0][1], (words, said)
        assert launches(other) == launches(same) and len(launches(other)) < len(launches(graph_of(4)))
        text = str(refused.graph)
        assert [kind for kind, _ in replayed(refused,
                                             schedule)] == [ccgraph.torch.Refused] and str(refused.graph) == text
        alien = make_fx(lambda x: x.sin().cos().tan())(torch.randn(2))
        said = replayed(alien, schedule, match="names")
        assert [kind for kind, _ in said] == [ccgraph.torch.Refused] and "knows 20% of the names" in said[0][1], said


def lost_bucket():
    with tempfile.TemporaryDirectory() as folder:
        schedule = schedule_of(graph_of(4), folder)
        gm = graph_of(4)
        member = json.load(open(schedule, encoding="utf-8"))["buckets"][0]["members"][0]
        next(node for node in gm.graph.nodes if node.name == member).name = "another"
        said = replayed(gm, schedule, match="names")
        assert [kind for kind, _ in said] == [ccgraph.torch.Unmatched], said
        assert "1 buckets with members that are not here" in said[0][1], said
        assert any(node.name == "another" for node in gm.graph.nodes)


def input_that_is_a_call():
    """The schedule has the name of an input, which is a call in this graph, before the other inputs."""
    with tempfile.TemporaryDirectory() as folder:
        schedule = schedule_of(graph_of(4), folder)
        gm = graph_of(4)
        first = next(node for node in gm.graph.nodes if node.op == "placeholder")
        call = next(node for node in gm.graph.nodes if node.op == "call_function")
        name, first.name = first.name, "another"
        call.name = name
        said = replayed(gm, schedule, match="names")
        assert [kind for kind, _ in said] == [ccgraph.torch.Unmatched], said
        operations = [node.op for node in gm.graph.nodes]
        assert operations == sorted(operations, key="placeholder".__ne__), operations


def from_log(tool):
    """Makes a schedule of each graph from rank 0's log of a run without ccgraph, and uses it in the next run."""
    with tempfile.TemporaryDirectory() as folder:
        trace, schedules = pathlib.Path(folder, "trace"), pathlib.Path(folder, "schedules")
        schedules.mkdir()
        os.environ["TORCH_TRACE"] = str(trace)
        before = run_job({"program": "fsdp"}, 2)
        del os.environ["TORCH_TRACE"]
        listed = json.loads(subprocess.run([tool, "--list-graphs", "--json", str(trace)], stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE, check=True).stdout)
        chosen = [graph for graph in listed if graph["kind"] == "before_post_grad_graph" and graph["rank"] == 0]
        for number, graph in enumerate(chosen):
            subprocess.run([tool, "-O2", "--memory-budget", "unlimited", str(trace), "--graph", str(graph["index"]),
                            "-o", str(schedules / f"{number}.schedule.json")],
                           stderr=subprocess.PIPE, stdout=subprocess.PIPE, check=True)
        after = run_job({"program": "fsdp", "pass": {"schedule": str(schedules), "match": "names"}}, 2)
        assert len(chosen) == 2 and not any("error" in said for said in before + after), [chosen, before, after]
        assert [said["results"] for said in before] == [said["results"] for said in after]
        assert after[0]["launches"] < before[0]["launches"], [after[0]["launches"], before[0]["launches"],
                                                              after[0]["warnings"]]
        print("launches", before[0]["launches"], "->", after[0]["launches"], after[0]["warnings"])


dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=8)
by_names()
print("ok by_names")
lost_bucket()
print("ok lost_bucket")
input_that_is_a_call()
print("ok input_that_is_a_call")
from_log(sys.argv[1])
print("ok from_log")
