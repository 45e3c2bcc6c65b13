"""The context of the nodes of an FX graph: stack frames, values of symbols, subgraphs."""

from __future__ import annotations

import re
from array import array
from typing import Any, Callable, Sequence

import torch
from torch import fx

from .._library import NO_TEXT

_FRAME = re.compile(r'File "([^"\n]+)", line (\d+), in ([^\n]+)(?:\n[ \t]*([^\n]*))?')


class Frames:
    """The origins of nodes: the last frame of each stack trace, which is the one that PyTorch prints."""

    def __init__(self, text: Callable[[str], int]) -> None:
        self.text = text
        self.of_node, self.texts, self.lines = array("I"), array("I"), array("q")
        self._known: dict[str, int] = {}
        self._index: dict[tuple[str, ...], int] = {}

    def add(self, node: fx.Node) -> None:
        trace = node.meta.get("stack_trace")
        if not isinstance(trace, str):
            self.of_node.append(0)
            return
        if (frame := self._known.get(trace)) is None:
            frame = self._known[trace] = self._frame(trace)
        self.of_node.append(frame)

    def _frame(self, trace: str) -> int:
        """Returns a number from 1; 0 for a trace that names no file."""
        if not (found := _FRAME.findall(trace)):
            return 0
        frame = found[-1]
        if frame not in self._index:
            file, line, function, code = frame
            self.texts.extend((self.text(file), self.text(function), self.text(code) if code else NO_TEXT))
            self.lines.append(int(line))
            self._index[frame] = len(self.lines)
        return self._index[frame]


class Hints:
    """Values of the backed symbols of a graph when it was traced. Unbacked ones have none."""

    def __init__(self) -> None:
        self.of: dict[str, int] = {}

    def add(self, value: Any) -> None:
        if isinstance(value, torch.SymInt):
            self._add_symbols(value)
        elif isinstance(value, torch.Tensor):
            for size in (*value.shape, *value.stride()):
                self.add(size)
        elif isinstance(value, (list, tuple)):
            for element in value:
                self.add(element)

    def _add_symbols(self, value: torch.SymInt) -> None:
        node = value.node
        known = getattr(node.shape_env, "backed_var_to_val", None) or getattr(node.shape_env, "var_to_val", {})
        for symbol in sorted(node.expr.free_symbols, key=str):
            if symbol in known and not str(symbol).startswith(("u", "zu")):
                self.of.setdefault(str(symbol), int(known[symbol]))


def attribute(graph: fx.Graph, name: str) -> Any:
    """Returns the attribute that a get_attr of this graph reads; None where it is unknown."""
    found: Any = graph.owning_module
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def subgraphs(graph: fx.Graph, nodes: Sequence[fx.Node]) -> dict[str, fx.Graph]:
    """Returns the subgraphs that get_attr nodes name, in the order of their first mention."""
    named = ((str(node.target), attribute(graph, str(node.target))) for node in nodes if node.op == "get_attr")
    return {name: module.graph for name, module in named if isinstance(module, fx.GraphModule)}
