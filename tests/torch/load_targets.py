#!/usr/bin/env python3
"""Tests that ccgraph.torch.load executes nothing in a file: targets are registered operators, attributes are constants
of the file."""
import json, os, tempfile, warnings

import torch

import ccgraph.torch
from ccgraph.torch import Unsupported
from ccgraph.torch._targets import UnknownTarget, resolve_target

REFUSED = ("load_library", "import_module", "loaded_libraries.add", "aten.__class__.mro", "aten.mm.nothing",
           "nothing.mm.default", "aten",
           "operator.call", "operator.methodcaller", "operator.attrgetter", "operator.__builtins__", "builtins.eval",
           "builtins.getattr",
           "torch.load", "torch.os.system", "torch.hub.load", "higher_order.__class__", "os.system",
           "aten.mm.default.__call__")
RESOLVED = {"aten.mm.default": torch.ops.aten.mm.default, "aten.add.Tensor": torch.ops.aten.add.Tensor,
            "aten.mm": torch.ops.aten.mm,
            "operator.getitem": __import__("operator").getitem, "torch.sym_max": torch.sym_max,
            "higher_order.cond": torch.ops.higher_order.cond}


def refused(call, kinds):
    try:
        call()
    except kinds as error:
        return str(error)
    raise AssertionError("was accepted")


def targets():
    for name in REFUSED:
        assert name in refused(lambda: resolve_target(name), UnknownTarget), name
    for name, function in RESOLVED.items():
        assert resolve_target(name) is function, name
    # `import torch` alone does not register these; resolving one does.
    assert resolve_target("ao.offload.default") is torch.ops.ao.offload.default


def program(target, args, attribute="w"):
    nodes = [{"name": "x", "op": "placeholder", "target": "x", "type": "f32[2][1]cpu"},
             {"name": "w", "op": "get_attr", "target": attribute, "type": "f32[2][1]cpu"},
             {"name": "y", "op": "call_function", "target": target, "args": args},
             {"name": "output", "op": "output", "target": "output", "args": ["%y"]}]
    return {"format": "ccgraph.graph", "version": "1.0", "name": "g", "nodes": nodes}


def load(folder, graph, **options):
    path = os.path.join(folder, "g.json")
    json.dump(graph, open(path, "w"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ccgraph.torch.load(path, **options)


def files():
    with tempfile.TemporaryDirectory() as folder:
        for target in ("torch.load", "aten.load_library.default", "nothing.mm.default"):
            said = refused(lambda: load(folder, program(target, [{"str": os.path.join(folder, "evil.so")}])),
                           (Unsupported, ccgraph.InputError))
            assert "'y'" in said and "registered operator" in said or "expected a function" in said, said
        # The reader refuses a text that is not the name of an operator before anything searches for it.
        for target in ("load_library", "operator.call", "builtins.eval"):
            said = refused(lambda: load(folder, program(target, [{"str": os.path.join(folder, "evil.so")}])),
                           ccgraph.InputError)
            assert "/nodes/2/target" in said, said
        # An attribute with the name of a module's method is a constant of the file, and never that method.
        for attribute in ("forward", "register_buffer", "a.forward", "__class__", "forward.__globals__"):
            said = refused(lambda: load(folder, program("aten.add.Tensor", ["%x", "%w"], attribute)), Unsupported)
            assert "which every module has" in said, said
        for attribute in ("w", "layers.0.weight"):
            module = load(folder, program("aten.add.Tensor", ["%x", "%w"], attribute),
                          constants={attribute: torch.ones(2)})
            assert torch.equal(module(torch.ones(2)), torch.full((2,), 2.0)), attribute


if __name__ == "__main__":
    targets()
    files()
    print("load_targets: ok")
