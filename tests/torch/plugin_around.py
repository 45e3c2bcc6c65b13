#!/usr/bin/env python3
"""Tests the data of an imported graph besides its nodes: frames, values of symbols, subgraphs, constants; and files
that are loaded as modules that run."""
import json, os, tempfile, warnings
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
from functorch.compile import make_boxed_func
from torch._dynamo.backends.common import aot_autograd
from torch.fx.experimental.proxy_tensor import make_fx
from torch.testing._internal.distributed.fake_pg import FakeStore

import ccgraph
import ccgraph.torch
from ccgraph.torch._flat import import_graph


def chosen(flag, x):
    gathered = funcol.all_gather_tensor(x, 0, dist.group.WORLD)
    return torch.cond(flag, lambda y: (y * 2).sum(), lambda y: (y - 1).sum(), (gathered,))


def program_of(gm):
    return json.loads(import_graph(gm.graph, "g")[0].text("json"))


def written(gm, name, **options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name)
        ccgraph.torch.dump(gm, path)
        return ccgraph.torch.load(path, **options)


def subgraphs():
    gm = make_fx(chosen)(torch.tensor(True), torch.randn(4))
    assert sorted(program_of(gm)["subgraphs"]) == ["false_graph_0", "true_graph_0"]
    x = torch.randn(4)
    for name in ("a.json", "a.py"):
        loaded = written(gm, name)
        for flag in (torch.tensor(True), torch.tensor(False)):
            assert torch.equal(loaded(flag, x), gm(flag, x)), name
    ccgraph.torch.optimize(gm)
    gm.graph.lint()


@torch.compiler.nested_compile_region
def layer(x, up, down):
    return funcol.all_reduce(torch.relu(x @ up) @ down, "sum", dist.group.WORLD)


def layers(x, *weights):
    for up, down in zip(weights[::2], weights[1::2]):
        x = x + layer(x, up, down)
    return x.sum()


def regions():
    """Layers of nested_compile_region are calls of one subgraph, whose collectives the plug-in puts in their place."""
    calls = []

    def count(gm):
        calls.append(sum("invoke_subgraph" in str(node.target) for node in gm.graph.nodes))

    def optimized(gm, _):
        count(gm)
        ccgraph.torch.optimize(gm)
        gm.graph.lint()
        gm.recompile()
        count(gm)
        return make_boxed_func(gm.forward)

    torch.manual_seed(0)
    values = [torch.randn(4, 6), *(torch.randn(6, 6) for _ in range(6))]

    def results(backend):
        torch._dynamo.reset()
        inputs = [value.clone().requires_grad_() for value in values]
        loss = torch.compile(layers, backend=backend, fullgraph=True)(*inputs)
        loss.backward()
        return [loss, *(value.grad for value in inputs)]

    expected = results("aot_eager")
    got = results(aot_autograd(fw_compiler=optimized, bw_compiler=optimized))
    assert len(calls) == 4 and min(calls[::2]) > 0 and calls[1::2] == [0, 0], calls
    assert all(torch.equal(a, b) for a, b in zip(got, expected, strict=True))


def constants():
    table = torch.arange(6.0).reshape(3, 2).t()
    gm = make_fx(lambda x: x + table)(torch.randn(2, 3))
    (name,) = [node.target for node in gm.graph.nodes if node.op == "get_attr"]
    x = torch.randn(2, 3)
    assert torch.equal(written(gm, "a.json", constants={name: table})(x), gm(x))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        loaded = written(gm, "a.py")
    assert [each.category for each in caught] == [ccgraph.torch.Unfilled] and name in str(caught[0].message)
    empty = getattr(loaded, name)
    assert empty.is_meta and empty.shape == table.shape and empty.stride() == table.stride()
    setattr(loaded, name, table)
    assert torch.equal(loaded(x), gm(x))
    try:
        written(gm, "a.json", constants={name: table, "other": table})
        raise AssertionError("a constant that nobody reads was taken")
    except ccgraph.UsageError as error:
        assert "no constant named other" in str(error)


def frames():
    class Step(torch.nn.Module):
        def forward(self, x):
            return x.relu() + 1

    gm = torch.export.export(Step(), (torch.randn(2),)).graph_module
    known = {node.name: node.meta.get("stack_trace") for node in gm.graph.nodes}
    program = program_of(gm)
    for node in program["nodes"]:
        trace = known.get(node["name"])
        assert (trace is not None) == ("frame" in node.get("meta", {})), node
        if trace is not None:
            frame = program["frames"][node["meta"]["frame"]]
            place = f'File "{frame["file"]}", line {frame["line"]}, in {frame["function"]}'
            assert place in trace.splitlines()[-2], (frame, trace)
            assert frame["code"] == trace.splitlines()[-1].strip()
    assert sum(trace is not None for trace in known.values()) == 2, known


def hints():
    gm = make_fx(lambda x: x.view(-1) * x.shape[0], tracing_mode="symbolic")(torch.randn(3, 5))
    symbols = program_of(gm)["symbols"]
    assert sorted(symbols.values()) == [3, 5] and all(name.startswith("s") for name in symbols), symbols
    assert "symbols" not in json.loads(import_graph(gm.graph, "g", hints=False)[0].text("json"))


dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=2)
for test in (subgraphs, regions, constants, frames, hints):
    test()
    print("ok", test.__name__)
