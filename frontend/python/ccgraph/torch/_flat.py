"""FX graphs as the flat arrays of the C ABI."""

from __future__ import annotations

import ctypes
import struct
from array import array
from ctypes import byref, c_int64, c_uint8, c_uint32, c_uint64, c_void_p
from typing import Any, Callable, Sequence

import torch
from torch import fx

from .._graph import Graph
from .._library import NO_TEXT, Around, Flat, check, lib
from ._around import Frames, Hints, attribute, subgraphs
from ._order import sorted_nodes
from ._unsupported import Unsupported

(NONE, NODE, INT, BOOL, FLOAT, STRING, SYMBOLIC, DTYPE, DEVICE, LAYOUT, MEMORY_FORMAT, PYTHON, LIST, TUPLE, SLICE,
 DICT) = range(16)
_OPCODES = {"placeholder": 0, "get_attr": 1, "call_function": 2, "output": 3}
_SHORT = {"uint8": "u8", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint16": "u16",
          "uint32": "u32", "uint64": "u64",
          "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64", "complex32": "c32",
          "complex64": "c64",
          "complex128": "c128", "bool": "b8", "float8_e4m3fn": "f8e4m3fn", "float8_e5m2": "f8e5m2",
          "float8_e4m3fnuz": "f8e4m3fnuz",
          "float8_e5m2fnuz": "f8e5m2fnuz", "float8_e8m0fnu": "f8e8m0fnu", "float4_e2m1fn_x2": "f4e2m1fnx2"}
_DTYPES = {short: getattr(torch, name) for name, short in _SHORT.items() if hasattr(torch, name)}
_SHORT_OF = {dtype: short for short, dtype in _DTYPES.items()}


def target_name(target: Any) -> str:
    """Returns aten.mm.default, operator.getitem, higher_order.cond: the form of print_readable."""
    if isinstance(target, str):
        return target
    if isinstance(target, torch._ops.OpOverload):
        return str(target)
    if isinstance(target, torch._ops.HigherOrderOperator):
        return f"higher_order.{target.name()}"
    module = getattr(target, "__module__", "")
    return f"{module.replace('_operator', 'operator')}.{getattr(target, '__name__', repr(target))}"


class _Importer:
    """Imports one graph, node after node."""

    def __init__(self, hints: Hints | None) -> None:
        self.texts: dict[str, int] = {}
        self.types: dict[Any, int] = {}
        self.targets: dict[Any, int] = {}
        self.frames, self.hints = Frames(self.text), hints
        self.code = array("q")
        self.index: dict[fx.Node, int] = {}

    def text(self, text: str) -> int:
        return self.texts.setdefault(text, len(self.texts))

    def target(self, target: Any) -> int:
        known = self.targets.get(target)
        if known is None:
            known = self.targets[target] = self.text(target_name(target))
        return known

    def tensor_type(self, value: torch.Tensor) -> int:
        """Returns the text of a tensor type. Equal types of one graph are formatted once."""
        try:
            key = (value.dtype, value.shape, value.stride(), value.device)
            known = self.types.get(key)
        except (TypeError, RuntimeError):  # symbolic sizes have no hash, sparse tensors no strides
            key = known = None
        if known is not None:
            return known
        if value.layout != torch.strided:
            return NO_TEXT
        known = self.text(_tensor_text(value))
        if key is not None:
            self.types[key] = known
        elif self.hints is not None:
            self.hints.add(value)
        return known

    def type_of(self, node: fx.Node) -> int:
        value = node.meta.get("val", NO_TEXT)
        if value is NO_TEXT and node.op == "get_attr" and isinstance(held := attribute(node.graph, str(node.target)),
                                                                     torch.Tensor):
            value = held  # PyTorch 2.6 does not print the values of constants
        if isinstance(value, torch.Tensor) and value.dtype in _SHORT_OF:
            return self.tensor_type(value)
        if self.hints is not None:
            self.hints.add(value)
        text = "-" if value is NO_TEXT else _type_text(value)
        return NO_TEXT if text == "-" else self.text(text)

    def value(self, argument: Any) -> None:
        kind, code = type(argument), self.code
        if kind is fx.Node:
            code.append(NODE)
            code.append(self.index[argument])
        elif argument is None:
            code.append(NONE)
        elif kind is int or kind is bool:
            code.append(BOOL if kind is bool else INT)
            code.append(argument)
        elif isinstance(argument, (list, tuple)):
            code.append(TUPLE if isinstance(argument, tuple) else LIST)
            code.append(len(argument))
            for element in argument:
                self.value(element)
        else:
            self.rare_value(argument)

    def rare_value(self, argument: Any) -> None:
        put = self.code.append
        if isinstance(argument, int):
            put(INT), put(int(argument))
        elif isinstance(argument, float):
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

    def flat(self, graph: fx.Graph, nodes: Sequence[fx.Node]) -> tuple[Flat, Around, list[Any]]:
        """Returns the arrays, and the objects that keep them alive. `nodes` are those of the graph, each after its
        operands."""
        opcodes, names, targets, types, begins = bytearray(), array("I"), array("I"), array("I"), array("Q", [0])
        code, value = self.code, self.value
        for position, node in enumerate(nodes):
            if (opcode := _OPCODES.get(node.op)) is None:
                raise Unsupported(f"'{node.name}' is a {node.op}: only graphs of operators are taken")
            opcodes.append(opcode)
            names.append(self.text(node.name))
            targets.append(self.target(node.target))
            types.append(self.type_of(node))
            self.frames.add(node)
            code.append(len(node.args))
            for argument in node.args:
                value(argument)
            self.named(node.kwargs)
            begins.append(len(code))
            self.index[node] = position
        around, kept = self.around(graph, nodes)
        encoded = [text.encode("utf-8", "surrogateescape") for text in self.texts]
        text_begin = array("Q", [0])
        for text in encoded:
            text_begin.append(text_begin[-1] + len(text))
        pinned: list[Any] = [b"".join(encoded), text_begin, opcodes, names, targets, types, begins, self.code]
        flat = Flat(ctypes.sizeof(Flat), len(names), len(encoded), pinned[0],
                    *(_pointer(data, kind) for data, kind in zip(pinned[1:],
                                                                 (c_uint64, c_uint8, c_uint32, c_uint32, c_uint32,
                                                                  c_uint64, c_int64))))
        return flat, around, pinned + kept

    def around(self, graph: fx.Graph, nodes: Sequence[fx.Node]) -> tuple[Around, list[Any]]:
        """Adds the context of the graph itself, after its nodes; subgraphs have texts of their own."""
        inner = {name: _Importer(None).flat(subgraph, sorted_nodes(subgraph))
                 for name, subgraph in subgraphs(graph, nodes).items()}
        hints = self.hints.of if self.hints is not None else {}
        symbols, values = array("I", map(self.text, hints)), array("q", hints.values())
        names = array("I", map(self.text, inner))
        flats = (ctypes.POINTER(Flat) * len(inner))(*(ctypes.pointer(flat) for flat, _, _ in inner.values()))
        arounds = (ctypes.POINTER(Around) * len(inner))(*(ctypes.pointer(around) for _, around, _ in inner.values()))
        frames = self.frames
        made = Around(ctypes.sizeof(Around), len(frames.lines), len(symbols), len(inner),
                      _pointer(frames.of_node, c_uint32),
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


class Imported:
    """The arrays of one FX graph, from which the library makes any number of graphs."""

    def __init__(self, graph: fx.Graph, name: str, hints: bool = True) -> None:
        """`hints`: includes the values that symbols had when the graph was traced."""
        self.graph, self.name, self.nodes = graph, name, sorted_nodes(graph)
        self.flat, self.around, self._pinned = _Importer(Hints() if hints else None).flat(graph, self.nodes)

    def make(self) -> Graph:
        handle = c_void_p()
        check(lib.ccgraph_import_with(byref(self.flat), byref(self.around), self.name.encode(), byref(handle)))
        return Graph(handle)


def import_graph(graph: fx.Graph, name: str, hints: bool = True) -> tuple[Graph, list[fx.Node]]:
    """Imports the graph, and returns it with its nodes by their index there: in the order of the graph, or sorted where
    a use precedes its definition.
    """
    imported = Imported(graph, name, hints)
    return imported.make(), imported.nodes
