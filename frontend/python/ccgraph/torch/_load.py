"""Graph files as GraphModules, and GraphModules as graph files."""

from __future__ import annotations

import json
import os
from typing import Any

import torch
from torch import fx

from .._graph import read
from ._flat import _DTYPES, Unsupported, import_graph, resolve_target


def dump(gm: fx.GraphModule | fx.Graph, path: str | os.PathLike[str]) -> None:
    """Writes the graph: FX text for .py, else JSON."""
    graph = gm.graph if isinstance(gm, fx.GraphModule) else gm
    handle, _ = import_graph(graph, type(gm).__name__)
    handle.write(path)


def load(path: str | os.PathLike[str], select: str | None = None) -> fx.GraphModule:
    """The graph of a file as a module that runs. Constants (get_attr) and subgraphs are refused: a file does not hold them."""
    program = json.loads(read(path, select).text("json"))
    graph = fx.Graph()
    nodes: dict[str, fx.Node] = {}
    for entry in program["nodes"]:
        nodes[entry["name"]] = _make(graph, entry, nodes)
    graph.lint()
    return fx.GraphModule(torch.nn.Module(), graph, program.get("name", "GraphModule"))


def _make(graph: fx.Graph, entry: dict[str, Any], nodes: dict[str, fx.Node]) -> fx.Node:
    if entry["op"] == "get_attr":
        raise Unsupported(f"'{entry['name']}' reads {entry['target']}, which no graph file holds: give it to the program as an input")
    args = tuple(_argument(value, nodes) for value in entry.get("args", []))
    kwargs = {name: _argument(value, nodes) for name, value in entry.get("kwargs", {}).items()}
    if entry["op"] == "placeholder":
        return graph.placeholder(entry["target"] if entry["target"].isidentifier() else entry["name"])
    if entry["op"] == "output":
        return graph.output(args[0] if args else None)
    return graph.create_node("call_function", resolve_target(entry["target"]), args, kwargs, entry["name"])


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
