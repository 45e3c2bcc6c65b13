"""Graph files as GraphModules, and GraphModules as graph files."""

from __future__ import annotations

import json
import os
import re
import warnings
from collections.abc import Mapping
from typing import Any

import torch
from torch import fx

from .._graph import read
from .._library import UsageError
from ._flat import _DTYPES, import_graph
from ._targets import UnknownTarget, resolve_target
from ._unsupported import Unsupported


def dump(gm: fx.GraphModule | fx.Graph, path: str | os.PathLike[str]) -> None:
    """Writes the graph: FX text for .py, else JSON."""
    graph = gm.graph if isinstance(gm, fx.GraphModule) else gm
    handle, _ = import_graph(graph, type(gm).__name__)
    handle.write(path)


def load(path: str | os.PathLike[str], select: str | None = None, *,
         constants: Mapping[str, torch.Tensor] | None = None) -> fx.GraphModule:
    """Loads the graph of a file as a module that runs, with its subgraphs.

    A file holds no values of constants (get_attr): `constants` supplies them by name. A missing one becomes a buffer on
    the meta device, which has a type and no values, and a warning (`Unfilled`) names it: assign the tensor before the
    module runs.
    """
    given = dict(constants or {})
    module, missing = _module(json.loads(read(path, select).text("json")), given)
    if given:
        raise UsageError(f"the graph reads no constant named {', '.join(sorted(given))}")
    if missing:
        warnings.warn(f"{os.fspath(path)} holds no values of {', '.join(missing)}: assign them (module.{missing[0]} = "
                      "...), or give load(constants=...)",
                      Unfilled, stacklevel=2)
    return module


class Unfilled(UserWarning):
    """A module was loaded without the values of some constants."""


def _module(program: dict[str, Any], given: dict[str, torch.Tensor]) -> tuple[fx.GraphModule, list[str]]:
    """Returns the module, and the constants that it lacks. Removes the used ones from `given`."""
    root, missing = torch.nn.Module(), []
    for name, inner in program.get("subgraphs", {}).items():
        submodule, lacks = _module(inner, given)
        _attach(root, name, submodule)
        missing += [f"{name}.{lack}" for lack in lacks]
    graph = fx.Graph()
    nodes: dict[str, fx.Node] = {}
    for entry in program["nodes"]:
        if entry["op"] == "get_attr" and not _has(root, entry["target"]):
            if (value := given.pop(entry["target"], None)) is None:
                missing.append(entry["target"])
                value = _unfilled(entry)
            _attach(root, entry["target"], value)
        nodes[entry["name"]] = _make(graph, entry, nodes)
    graph.lint()
    return fx.GraphModule(root, graph, _class_name(program.get("name", "GraphModule"))), missing


def _class_name(name: str) -> str:
    return name if name.isidentifier() else "GraphModule"


def _has(root: torch.nn.Module, name: str) -> bool:
    """Tests only attached attributes: a module also has methods, and their globals."""
    *path, last = name.split(".")
    for part in path:
        if (inner := root._modules.get(part)) is None:
            return False
        root = inner
    return last in root._modules or last in root._buffers


def _demand_free(root: torch.nn.Module, name: str) -> None:
    if hasattr(root, name):
        raise Unsupported(f"the graph reads the attribute {name}, which every module has: rename it in the file")


def _attach(root: torch.nn.Module, name: str, value: Any) -> None:
    """Attaches a value as attribute a.b.c, with modules in between."""
    *path, last = name.split(".")
    for part in path:
        if part not in root._modules:
            _demand_free(root, part)
            root.add_module(part, torch.nn.Module())
        root = root._modules[part]
    _demand_free(root, last)
    if isinstance(value, torch.Tensor):
        root.register_buffer(last, value)
    else:
        root.add_module(last, value)


_TENSOR = re.compile(r"(\w+)\[([\d, ]*)\](?:\[([\d, ]*)\])?")


def _unfilled(entry: dict[str, Any]) -> torch.Tensor:
    """Returns a tensor of the type of a get_attr, without values."""
    kind = entry.get("type")
    found = _TENSOR.match(kind) if isinstance(kind, str) else None
    if found is None or found[1] not in _DTYPES:
        raise Unsupported(f"'{entry['name']}' reads {entry['target']}, of which the file knows no type of fixed sizes: "
                          f"give load(constants={{'{entry['target']}': ...}})")
    sizes, strides = ([int(part) for part in text.split(",") if part.strip()] for text in (found[2], found[3] or ""))
    if len(strides) != len(sizes):
        return torch.empty(sizes, dtype=_DTYPES[found[1]], device="meta")
    return torch.empty_strided(sizes, strides, dtype=_DTYPES[found[1]], device="meta")


def _make(graph: fx.Graph, entry: dict[str, Any], nodes: dict[str, fx.Node]) -> fx.Node:
    args = tuple(_argument(value, nodes) for value in entry.get("args", []))
    kwargs = {name: _argument(value, nodes) for name, value in entry.get("kwargs", {}).items()}
    if entry["op"] == "get_attr":
        return graph.create_node("get_attr", entry["target"], name=entry["name"])
    if entry["op"] == "placeholder":
        return graph.placeholder(entry["target"] if entry["target"].isidentifier() else entry["name"])
    if entry["op"] == "output":
        return graph.output(args[0] if args else None)
    try:
        target = resolve_target(entry["target"])
    except UnknownTarget as error:
        raise Unsupported(f"'{entry['name']}': {error}") from None
    return graph.create_node("call_function", target, args, kwargs, entry["name"])


_TAGGED = {
    "str": lambda value, _: value,
    "tuple": lambda value, nodes: tuple(_argument(element, nodes) for element in value),
    "dict": lambda value, nodes: {key: _argument(element, nodes) for key, element in value.items()},
    "slice": lambda value, nodes: slice(*(_argument(element, nodes) for element in value)),
    "float": lambda value, _: float(value),
    "dtype": lambda value, _: _DTYPES[value],
    "device": lambda value, _: torch.device(value),
    "layout": lambda value, _: getattr(torch, value),
    "memory_format": lambda value, _: getattr(torch, value),
}


def _argument(value: Any, nodes: dict[str, fx.Node]) -> Any:
    """See docs/graph-format.md, "An argument is one of"."""
    if isinstance(value, str):
        return nodes[value[1:]]
    if isinstance(value, list):
        return [_argument(element, nodes) for element in value]
    if not isinstance(value, dict):
        return value
    (tag, inner), = value.items()
    if tag not in _TAGGED:
        raise Unsupported(f"an argument of kind '{tag}' ({inner}) has no form in a module that runs")
    return _TAGGED[tag](inner, nodes)
