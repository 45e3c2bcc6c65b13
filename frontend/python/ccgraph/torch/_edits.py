"""Applies the rewrite of the library's graph to the live FX graph."""

from __future__ import annotations

import ctypes
import struct
from ctypes import byref, c_void_p
from typing import Any, Callable

import torch
from torch import fx

from .._graph import Graph
from .._library import NO_TEXT, EditView, Flat, UsageError, check, lib
from ._flat import (BOOL, DEVICE, DICT, DTYPE, FLOAT, INT, LAYOUT, LIST, MEMORY_FORMAT, NODE, NONE, SLICE, STRING,
                    TUPLE, _DTYPES, _OPCODES, _type_text)
from ._targets import resolve_target
from ._unsupported import Unsupported

_INHERITED = ("stack_trace", "nn_module_stack", "source_fn_stack", "fwd_nn_module_stack", "fwd_source_fn_stack",
              "original_aten", "from_node",
              "seq_nr", "partitioner_tag", "recompute", "custom")


class _Values:
    """Reads the values in `code` of the library."""

    def __init__(self, flat: Flat, node: Callable[[int], Any]) -> None:
        self.flat, self.node, self.at = flat, node, 0
        self.code = flat.code[: flat.code_begin[flat.node_count]] if flat.node_count else []
        begin = flat.text_begin[: flat.text_count + 1]
        data = ctypes.string_at(flat.text_bytes, begin[-1])
        self.texts = [data[begin[i]:begin[i + 1]].decode() for i in range(flat.text_count)]

    def next(self) -> int:
        self.at += 1
        return self.code[self.at - 1]

    def type_text(self, index: int) -> str | None:
        text = self.flat.types[index]
        return None if text == NO_TEXT else self.texts[text]

    def call(self, index: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
        self.at = self.flat.code_begin[index]
        args = tuple(self.value() for _ in range(self.next()))
        return args, self.named()

    def named(self) -> dict[str, Any]:
        return {self.texts[self.next()]: self.value() for _ in range(self.next())}

    def value(self) -> Any:
        kind = self.next()
        if kind == NODE:
            return self.node(self.next())
        if kind == NONE:
            return None
        if kind in (LIST, TUPLE):
            values = [self.value() for _ in range(self.next())]
            return tuple(values) if kind == TUPLE else values
        if kind == SLICE:
            return slice(self.value(), self.value(), self.value())
        if kind == DICT:
            return self.named()
        word = self.next()
        if kind in (INT, BOOL):
            return bool(word) if kind == BOOL else word
        if kind == FLOAT:
            return struct.unpack("d", struct.pack("q", word))[0]
        return _literal_of(kind, self.texts[word])


def _literal_of(kind: int, text: str) -> Any:
    if kind == STRING:
        return text
    if kind == DTYPE:
        return _DTYPES[text]
    if kind == DEVICE:
        return torch.device(text)
    if kind in (LAYOUT, MEMORY_FORMAT):
        return getattr(torch, text)
    raise Unsupported(f"a new node has the argument {text}, which has no form in FX")


class Made:
    """A node to be made. Its value is computed before the graph is changed."""

    def __init__(self, name: str, target: Any, args: Any, kwargs: Any, likes: list[fx.Node]) -> None:
        self.name, self.target, self.args, self.kwargs, self.likes = name, target, args, kwargs, likes
        self.val: Any = None
        self.node: fx.Node | None = None


def _fake_mode(nodes: list[fx.Node]) -> Any:
    for node in nodes:
        if (mode := getattr(node.meta.get("val"), "fake_mode", None)) is not None:
            return mode
    return None


def _map(value: Any, leaf: Callable[[Any], Any]) -> Any:
    """Maps nodes in the order in which they are mentioned."""
    if isinstance(value, (list, tuple)):
        mapped = [_map(element, leaf) for element in value]
        return (mapped if isinstance(value, list) else type(value)(*mapped) if hasattr(value, "_fields")
                else tuple(mapped))
    if isinstance(value, dict):
        return {name: _map(element, leaf) for name, element in value.items()}
    if isinstance(value, slice):
        return slice(_map(value.start, leaf), _map(value.stop, leaf), _map(value.step, leaf))
    return leaf(value)


def _val(item: Any) -> Any:
    return item.val if isinstance(item, Made) else item.meta["val"] if isinstance(item, fx.Node) else item


class _ValuesOfNew:
    """Values of new nodes. Most are those of replaced nodes of the same type; only the rest needs a fake call, which
    takes a tenth of a millisecond."""

    def __init__(self, mode: Any) -> None:
        self.mode = mode
        self.texts: dict[Any, str] = {}

    def of(self, item: Made, text: str | None) -> Any:
        values = [like.meta.get("val", NO_TEXT) for like in item.likes]
        if len(values) == 1 and self.text(values[0]) == text:
            return values[0]
        if len(values) > 1 and all(isinstance(value, torch.Tensor)
                                   for value in values) and "(" + ";".join(map(self.text, values)) + ")" == text:
            return values
        with self.mode:
            return item.target(*_map(item.args, _val), **_map(item.kwargs, _val))

    def text(self, value: Any) -> str:
        """_type_text, formatted once for equal types."""
        if not isinstance(value, torch.Tensor):
            return _type_text(value)
        try:
            key = (value.dtype, value.shape, value.stride(), value.device)
            known = self.texts.get(key)
        except (TypeError, RuntimeError):  # symbolic sizes have no hash, sparse tensors no strides
            return _type_text(value)
        if known is None:
            known = self.texts[key] = _type_text(value)
        return known


def _plan(view: EditView, nodes: list[fx.Node]) -> list[Made]:
    made: list[Made] = []
    values = _Values(view.made, lambda index: nodes[index] if index < len(nodes) else made[index - len(nodes)])
    mode = _fake_mode(nodes)
    values_of = _ValuesOfNew(mode)
    for index in range(view.made.node_count):
        if view.made.opcodes[index] != _OPCODES["call_function"]:
            raise Unsupported(f"a new node that is no call: {values.texts[view.made.names[index]]}")
        args, kwargs = values.call(index)
        target = resolve_target(values.texts[view.made.targets[index]])
        likes = [nodes[view.likes[i]] for i in range(view.like_begin[index], view.like_begin[index + 1])]
        item = Made(values.texts[view.made.names[index]], target, args, kwargs, likes)
        if mode is not None:
            item.val = values_of.of(item, values.type_text(index))
        made.append(item)
    return made


class Edits:
    """The edits of an optimization, read and planned: once this object exists, no further step can fail."""

    def __init__(self, handle: Graph, nodes: list[fx.Node]) -> None:
        edits = c_void_p()
        check(lib.ccgraph_edits_of(handle._handle, byref(edits)))
        try:
            view = EditView(struct_size=ctypes.sizeof(EditView))
            if not lib.ccgraph_edits_view(edits, byref(view)):
                raise UsageError("the library knows another form of edits: install the one that belongs to this "
                                 "package")
            self.nodes, self.made = nodes, _plan(view, nodes)
            self.order: list[int] = view.order[: view.order_count]
            operands = view.operands[: 3 * view.operand_count]
        finally:
            lib.ccgraph_edits_free(edits)
        #: imported or made node -> mention -> the node that is meant now
        self.mentions: dict[int, dict[int, int]] = {}
        for user, mention, definition in zip(operands[::3], operands[1::3], operands[2::3]):
            self.mentions.setdefault(user, {})[mention] = definition

    def in_order(self) -> list[fx.Node | Made]:
        """Returns the nodes of the rewritten graph."""
        count = len(self.nodes)
        return [self.nodes[index] if index < count else self.made[index - count] for index in self.order]

    def apply(self, graph: fx.Graph) -> int:
        """Edits `graph`; untouched nodes keep their meta. Returns the number of nodes that were made or moved. If it
        raises, the graph is unchanged."""
        return _Application(self, graph).run()


class _Application:
    """The edits of one graph, with the data to undo them."""

    def __init__(self, edits: Edits, graph: fx.Graph) -> None:
        self.edits, self.graph, self.before = edits, graph, list(graph.nodes)
        self.arguments: list[tuple[fx.Node, Any, Any]] = []

    def run(self) -> int:
        try:
            self.make()
            now = self.edits.nodes + [item.node for item in self.edits.made]
            self.set_operands(now)
            gone = self.unused()
        except Exception:
            self.undo()
            raise
        for node in gone:
            self.graph.erase_node(node)
        return len(self.edits.made) + _reorder([now[index] for index in self.edits.order])

    def make(self) -> None:
        has_val = _fake_mode(self.edits.nodes) is not None
        with self.graph.inserting_before(self.edits.nodes[-1]):
            for item in self.edits.made:
                _create(self.graph, item, has_val)

    def set_operands(self, now: list[fx.Node]) -> None:
        for user, mentions in self.edits.mentions.items():
            node = now[user]
            self.arguments.append((node, node.args, node.kwargs))
            _set_operands(node, mentions, now)

    def unused(self) -> list[fx.Node]:
        """Returns the nodes to be erased, users first."""
        kept = set(self.edits.order)
        gone = [node for index, node in enumerate(self.edits.nodes) if index not in kept]
        among = set(gone)
        for node in gone:
            if not among.issuperset(node.users):
                raise Unsupported(f"'{node.name}' was removed and is still used")
        return gone[::-1]

    def undo(self) -> None:
        for node, args, kwargs in self.arguments:
            node.args, node.kwargs = args, kwargs
        for item in reversed(self.edits.made):
            if item.node is not None:
                self.graph.erase_node(item.node)
                item.node = None
        _reorder(self.before)


def _create(graph: fx.Graph, item: Made, has_val: bool) -> None:
    def node_of(value: Any) -> Any:
        return value.node if isinstance(value, Made) else value

    # create_node searches arguments for symbols and takes a millisecond for a long list, so they are set afterwards.
    node = item.node = graph.create_node("call_function", item.target, (), {}, item.name)
    node.args = _map(item.args, node_of)
    if item.kwargs:
        node.kwargs = _map(item.kwargs, node_of)
    if item.likes:
        node.meta.update({key: item.likes[0].meta[key] for key in _INHERITED if key in item.likes[0].meta})
    if has_val:
        node.meta["val"] = item.val


def _set_operands(node: fx.Node, mentions: dict[int, int], now: list[fx.Node]) -> None:
    count = iter(range(1 << 62))

    def leaf(value: Any) -> Any:
        if not isinstance(value, fx.Node):
            return value
        definition = mentions.get(next(count))
        return value if definition is None else now[definition]

    node.args = _map(node.args, leaf)
    if node.kwargs:
        node.kwargs = _map(node.kwargs, leaf)


def _reorder(order: list[fx.Node]) -> int:
    moved = 0
    for before, node in zip(order, order[1:]):
        if before.next is not node:
            before.append(node)
            moved += 1
    return moved
