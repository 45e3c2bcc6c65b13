"""FX graphs as the flat arrays of the C ABI, and its edits applied to live FX graphs."""

from __future__ import annotations

import ctypes
import struct
from array import array
from ctypes import byref, c_int64, c_uint8, c_uint32, c_uint64, c_void_p
from typing import Any, Callable

import torch
from torch import fx

from .._graph import Graph
from .._library import NO_TEXT, Around, EditView, Flat, UsageError, check, lib
from ._around import Frames, Hints, attribute, subgraphs
from ._targets import resolve_target

NONE, NODE, INT, BOOL, FLOAT, STRING, SYMBOLIC, DTYPE, DEVICE, LAYOUT, MEMORY_FORMAT, PYTHON, LIST, TUPLE, SLICE, DICT = range(16)
_OPCODES = {"placeholder": 0, "get_attr": 1, "call_function": 2, "output": 3}
_SHORT = {"uint8": "u8", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint16": "u16", "uint32": "u32", "uint64": "u64",
          "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64", "complex32": "c32", "complex64": "c64",
          "complex128": "c128", "bool": "b8", "float8_e4m3fn": "f8e4m3fn", "float8_e5m2": "f8e5m2", "float8_e4m3fnuz": "f8e4m3fnuz",
          "float8_e5m2fnuz": "f8e5m2fnuz", "float8_e8m0fnu": "f8e8m0fnu", "float4_e2m1fn_x2": "f4e2m1fnx2"}
_DTYPES = {short: getattr(torch, name) for name, short in _SHORT.items() if hasattr(torch, name)}
_SHORT_OF = {dtype: short for short, dtype in _DTYPES.items()}


class Unsupported(Exception):
    """The graph holds what the exchange has no form for."""


def target_name(target: Any) -> str:
    """aten.mm.default, operator.getitem, higher_order.cond; as print_readable shows it."""
    if isinstance(target, str):
        return target
    if isinstance(target, torch._ops.OpOverload):
        return str(target)
    if isinstance(target, torch._ops.HigherOrderOperator):
        return f"higher_order.{target.name()}"
    module = getattr(target, "__module__", "")
    return f"{module.replace('_operator', 'operator')}.{getattr(target, '__name__', repr(target))}"


class _Importer:
    """One graph, node after node."""

    def __init__(self, hints: Hints | None) -> None:
        self.texts: dict[str, int] = {}
        self.types: dict[Any, int] = {}
        self.frames, self.hints = Frames(self.text), hints
        self.code = array("q")
        self.index: dict[fx.Node, int] = {}

    def text(self, text: str) -> int:
        return self.texts.setdefault(text, len(self.texts))

    def tensor_type(self, value: torch.Tensor) -> int:
        try:
            key = (value.dtype, tuple(value.shape), value.stride(), value.device)
            known = self.types.get(key)
        except (TypeError, RuntimeError):  # symbolic sizes have no hash, sparse tensors no strides
            key = known = None
        if known is None:
            known = self.text(_tensor_text(value))
            if key is not None:
                self.types[key] = known
            elif self.hints is not None:
                self.hints.add(value)
        return known

    def type_of(self, node: fx.Node) -> int:
        value = node.meta.get("val", NO_TEXT)
        if value is NO_TEXT and node.op == "get_attr" and isinstance(held := attribute(node.graph, str(node.target)), torch.Tensor):
            value = held  # PyTorch 2.6 says nothing of the values of constants
        if isinstance(value, torch.Tensor) and value.layout == torch.strided:
            return self.tensor_type(value)
        if self.hints is not None:
            self.hints.add(value)
        text = "-" if value is NO_TEXT else _type_text(value)
        return NO_TEXT if text == "-" else self.text(text)

    def value(self, argument: Any) -> None:
        put = self.code.append
        if isinstance(argument, fx.Node):
            put(NODE), put(self.index[argument])
        elif argument is None:
            put(NONE)
        elif isinstance(argument, bool):
            put(BOOL), put(int(argument))
        elif isinstance(argument, int):
            put(INT), put(argument)
        elif isinstance(argument, (list, tuple)):
            put(TUPLE if isinstance(argument, tuple) else LIST), put(len(argument))
            for element in argument:
                self.value(element)
        else:
            self.rare_value(argument)

    def rare_value(self, argument: Any) -> None:
        put = self.code.append
        if isinstance(argument, float):
            put(FLOAT), put(struct.unpack("q", struct.pack("d", argument))[0])
        elif isinstance(argument, slice):
            put(SLICE)
            for part in (argument.start, argument.stop, argument.step):
                self.value(part)
        elif isinstance(argument, dict):
            put(DICT)
            self.named(argument)
        else:
            kind, text = _literal(argument)
            put(kind), put(self.text(text))

    def named(self, entries: dict[str, Any]) -> None:
        self.code.append(len(entries))
        for name, value in entries.items():
            self.code.append(self.text(str(name)))
            self.value(value)

    def flat(self, graph: fx.Graph) -> tuple[Flat, Around, list[Any]]:
        """The arrays, and what keeps them alive."""
        opcodes, names, targets, types, begins = bytearray(), array("I"), array("I"), array("I"), array("Q", [0])
        for position, node in enumerate(graph.nodes):
            if node.op not in _OPCODES:
                raise Unsupported(f"'{node.name}' is a {node.op}: only graphs of operators are taken")
            opcodes.append(_OPCODES[node.op])
            names.append(self.text(node.name))
            targets.append(self.text(target_name(node.target)))
            types.append(self.type_of(node))
            self.frames.add(node)
            self.code.append(len(node.args))
            for argument in node.args:
                self.value(argument)
            self.named(node.kwargs)
            begins.append(len(self.code))
            self.index[node] = position
        around, kept = self.around(graph)
        encoded = [text.encode("utf-8", "surrogateescape") for text in self.texts]
        text_begin = array("Q", [0])
        for text in encoded:
            text_begin.append(text_begin[-1] + len(text))
        pinned: list[Any] = [b"".join(encoded), text_begin, opcodes, names, targets, types, begins, self.code]
        flat = Flat(ctypes.sizeof(Flat), len(names), len(encoded), pinned[0],
                    *(_pointer(data, kind) for data, kind in zip(pinned[1:], (c_uint64, c_uint8, c_uint32, c_uint32, c_uint32, c_uint64, c_int64))))
        return flat, around, pinned + kept

    def around(self, graph: fx.Graph) -> tuple[Around, list[Any]]:
        """Of the graph itself, after its nodes; subgraphs have texts of their own."""
        inner = {name: _Importer(None).flat(subgraph) for name, subgraph in subgraphs(graph).items()}
        hints = self.hints.of if self.hints is not None else {}
        symbols, values = array("I", map(self.text, hints)), array("q", hints.values())
        names = array("I", map(self.text, inner))
        flats = (ctypes.POINTER(Flat) * len(inner))(*(ctypes.pointer(flat) for flat, _, _ in inner.values()))
        arounds = (ctypes.POINTER(Around) * len(inner))(*(ctypes.pointer(around) for _, around, _ in inner.values()))
        frames = self.frames
        made = Around(ctypes.sizeof(Around), len(frames.lines), len(symbols), len(inner), _pointer(frames.of_node, c_uint32),
                      _pointer(frames.texts, c_uint32), _pointer(frames.lines, c_int64), _pointer(symbols, c_uint32),
                      _pointer(values, c_int64), _pointer(names, c_uint32), flats, arounds)
        return made, [frames, symbols, values, names, flats, arounds, inner]


def _pointer(data: Any, kind: Any) -> Any:
    buffer = (kind * len(data)).from_buffer(data) if len(data) else (kind * 1)()
    return ctypes.cast(buffer, ctypes.POINTER(kind))


def _literal(argument: Any) -> tuple[int, str]:
    if isinstance(argument, str):
        return STRING, argument
    if isinstance(argument, (torch.SymInt, torch.SymFloat, torch.SymBool)):
        return SYMBOLIC, str(argument)
    if isinstance(argument, torch.dtype) and argument in _SHORT_OF:
        return DTYPE, _SHORT_OF[argument]
    if isinstance(argument, torch.device):
        return DEVICE, str(argument)
    if isinstance(argument, torch.layout):
        return LAYOUT, str(argument).split(".")[-1]
    if isinstance(argument, torch.memory_format):
        return MEMORY_FORMAT, str(argument).split(".")[-1]
    return PYTHON, repr(argument)


def _tensor_text(value: torch.Tensor) -> str:
    sizes = ", ".join(str(size) for size in value.shape)
    strides = ", ".join(str(stride) for stride in value.stride())
    return f"{_SHORT_OF[value.dtype]}[{sizes}][{strides}]{value.device}"


def _type_text(value: Any) -> str:
    if value is None:
        return "None"
    if isinstance(value, torch.Tensor) and value.layout == torch.strided and value.dtype in _SHORT_OF:
        return _tensor_text(value)
    if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
        return f"Sym({value})"
    if isinstance(value, (list, tuple)):
        return "(" + ";".join(_type_text(element) for element in value) + ")"
    return "-"


def import_graph(graph: fx.Graph, name: str, hints: bool = True) -> tuple[Graph, list[fx.Node]]:
    """The graph in the library, and the nodes by their index there. `hints`: with the values that symbols had when it was traced."""
    flat, around, pinned = _Importer(Hints() if hints else None).flat(graph)
    handle = c_void_p()
    check(lib.ccgraph_import_with(byref(flat), byref(around), name.encode(), byref(handle)))
    del pinned
    return Graph(handle), list(graph.nodes)


# --- Edits back ----------------------------------------------------------------------------------------------------------

_INHERITED = ("stack_trace", "nn_module_stack", "source_fn_stack", "fwd_nn_module_stack", "fwd_source_fn_stack", "original_aten", "from_node",
              "seq_nr", "partitioner_tag", "recompute", "custom")


class _Values:
    """Reads what `code` of the library holds."""

    def __init__(self, flat: Flat, node: Callable[[int], Any]) -> None:
        self.flat, self.node, self.at = flat, node, 0
        begin = flat.text_begin[: flat.text_count + 1]
        data = ctypes.string_at(flat.text_bytes, begin[-1])
        self.texts = [data[begin[i]:begin[i + 1]].decode() for i in range(flat.text_count)]

    def next(self) -> int:
        self.at += 1
        return self.flat.code[self.at - 1]

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
    raise Unsupported(f"a new node with the argument {text}, which has no form in FX")


class _Made:
    """A node that is to be made: planned, with its value, before the graph is touched."""

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
    """In the order in which nodes are mentioned."""
    if isinstance(value, (list, tuple)):
        mapped = [_map(element, leaf) for element in value]
        return mapped if isinstance(value, list) else type(value)(*mapped) if hasattr(value, "_fields") else tuple(mapped)
    if isinstance(value, dict):
        return {name: _map(element, leaf) for name, element in value.items()}
    if isinstance(value, slice):
        return slice(_map(value.start, leaf), _map(value.stop, leaf), _map(value.step, leaf))
    return leaf(value)


def _val(item: Any) -> Any:
    return item.val if isinstance(item, _Made) else item.meta["val"] if isinstance(item, fx.Node) else item


def _value_of(item: _Made, text: str | None, mode: Any) -> Any:
    """The fake value of a new node. One that takes the place of a call of the same operator and type has that one's, since to work it out
    again takes a millisecond."""
    like = item.likes[0] if len(item.likes) == 1 else None
    if like is not None and like.target is item.target and _type_text(like.meta.get("val", NO_TEXT)) == text:
        return like.meta["val"]
    with mode:
        return item.target(*_map(item.args, _val), **_map(item.kwargs, _val))


def _plan(view: EditView, nodes: list[fx.Node]) -> list[_Made]:
    made: list[_Made] = []
    values = _Values(view.made, lambda index: nodes[index] if index < len(nodes) else made[index - len(nodes)])
    mode = _fake_mode(nodes)
    for index in range(view.made.node_count):
        if view.made.opcodes[index] != _OPCODES["call_function"]:
            raise Unsupported(f"a new node that is no call: {values.texts[view.made.names[index]]}")
        args, kwargs = values.call(index)
        target = resolve_target(values.texts[view.made.targets[index]])
        likes = [nodes[view.likes[i]] for i in range(view.like_begin[index], view.like_begin[index + 1])]
        item = _Made(values.texts[view.made.names[index]], target, args, kwargs, likes)
        if mode is not None:
            item.val = _value_of(item, values.type_text(index), mode)
        made.append(item)
    return made


def _create(graph: fx.Graph, item: _Made, has_val: bool) -> None:
    def node_of(value: Any) -> Any:
        return value.node if isinstance(value, _Made) else value

    item.node = graph.create_node("call_function", item.target, _map(item.args, node_of), _map(item.kwargs, node_of), item.name)
    if item.likes:
        item.node.meta.update({key: item.likes[0].meta[key] for key in _INHERITED if key in item.likes[0].meta})
    if has_val:
        item.node.meta["val"] = item.val


def _set_operands(node: fx.Node, now: dict[int, fx.Node]) -> None:
    mention = iter(range(1 << 62))

    def leaf(value: Any) -> Any:
        return now.get(next(mention), value) if isinstance(value, fx.Node) else value

    args = _map(node.args, leaf)
    node.args, node.kwargs = args, _map(node.kwargs, leaf)


def apply_edits(library_graph: Graph, graph: fx.Graph, nodes: list[fx.Node]) -> int:
    """Does to `graph` what an optimization did; untouched nodes keep their meta. Gives back how many nodes were made or moved.

    All that can fail happens before the first edit.
    """
    edits = c_void_p()
    check(lib.ccgraph_edits_of(library_graph._handle, byref(edits)))
    try:
        view = EditView(struct_size=ctypes.sizeof(EditView))
        if not lib.ccgraph_edits_view(edits, byref(view)):
            raise UsageError("the library knows another form of edits: install the one that belongs to this package")
        made = _plan(view, nodes)
        order = view.order[: view.order_count]
        operands = view.operands[: 3 * view.operand_count]
        return _edit(graph, nodes, made, order, operands)
    finally:
        lib.ccgraph_edits_free(edits)


def _edit(graph: fx.Graph, nodes: list[fx.Node], made: list[_Made], order: list[int], operands: list[int]) -> int:
    has_val = _fake_mode(nodes) is not None
    with graph.inserting_before(nodes[-1]):
        for item in made:
            _create(graph, item, has_val)
    now = nodes + [item.node for item in made]
    changed: dict[int, dict[int, fx.Node]] = {}
    for user, mention, definition in zip(operands[::3], operands[1::3], operands[2::3]):
        changed.setdefault(user, {})[mention] = now[definition]
    for user, mentions in changed.items():
        _set_operands(now[user], mentions)
    kept = set(order)
    for index in range(len(nodes) - 1, -1, -1):
        if index not in kept:
            graph.erase_node(nodes[index])
    return len(made) + _reorder([now[index] for index in order])


def _reorder(order: list[fx.Node]) -> int:
    moved = 0
    for before, node in zip(order, order[1:]):
        if before.next is not node:
            before.append(node)
            moved += 1
    return moved
