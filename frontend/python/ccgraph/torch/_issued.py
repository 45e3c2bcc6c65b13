"""The collectives that a graph issues, and a rewrite's decision about them. Ranks compare these, since a rank's graph
has constants and names of its own.

A collective is described by its operator, its group, and its static sizes, dtypes and constants, as far as these are
equal on all ranks of its group. A group is a number, in the order of first mention, because its name and its ranks are
local to the rank.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from torch import fx

from ._edits import Edits, Made

_NAMESPACES = {"_c10d_functional", "c10d_functional", "_c10d_functional_autograd", "c10d", "_dtensor", "symm_mem"}
#: arguments in which each rank of a group may have its own numbers
_OWN = {"input_split_sizes", "output_split_sizes", "in_splits_sizes", "out_splits_sizes", "dst", "src", "peer", "tag"}
_GROUPS = {"group_name", "process_group", "group"}


def is_collective(target: Any) -> bool:
    return (isinstance(target, torch._ops.OpOverload) and target.namespace in _NAMESPACES
            and "wait_tensor" not in target.name())


def _arguments(node: fx.Node) -> dict[str, Any]:
    names = [argument.name for argument in node.target._schema.arguments]
    return {**dict(zip(names, node.args)), **node.kwargs}


def _ranks_of(group: Any) -> tuple[int, ...]:
    """Returns the ranks of a group of this process; all ranks where the name cannot be resolved."""
    try:
        resolve = dist.distributed_c10d._resolve_process_group
        return tuple(dist.get_process_group_ranks(resolve(group) if isinstance(group, str) else group))
    except Exception:  # a name from a log or from another job; the exception differs between versions
        return tuple(range(dist.get_world_size())) if dist.is_initialized() else ()


def ranks_of(names: list[str]) -> list[list[int]]:
    return [list(_ranks_of(name)) for name in names]


def _size(value: Any) -> Any:
    """Returns elements and dtype of a tensor; "?" where a size is symbolic."""
    if isinstance(value, fx.Node):
        return _size(value.meta.get("val"))
    if isinstance(value, (list, tuple)):
        return [_size(element) for element in value]
    if not isinstance(value, torch.Tensor):
        return None
    known = all(type(size) is int for size in value.shape)
    return [value.numel() if known else "?", str(value.dtype)]


def _constant(value: Any) -> Any:
    """Objects count by their type alone, since the text of an object may contain its address."""
    if isinstance(value, fx.Node):
        return None
    if isinstance(value, (list, tuple)):
        return [_constant(element) for element in value]
    return repr(value) if isinstance(value, (bool, int, float, str)) else type(value).__name__


@dataclass(frozen=True)
class Decision:
    """The collectives of a rewritten graph, their order and their buckets."""

    digest: str
    #: the collectives of the graph before the rewrite, in their order
    unchanged: bool
    #: groups that the job does not have, and their lists of ranks
    new_groups: dict[str, list[list[int]]]


class Issued:
    """The collectives of a graph in program order, and the groups that they mention."""

    def __init__(self, nodes: list[fx.Node]) -> None:
        self.nodes = [node for node in nodes if node.op == "call_function" and is_collective(node.target)]
        self.index = {node: index for index, node in enumerate(self.nodes)}
        self.groups: list[str] = []
        kinds, sizes = [], []
        for node in self.nodes:
            kind, size = self._describe(node)
            kinds.append(kind)
            sizes.append(size)
        #: the same on every rank that may share a decision about this graph, whatever its sizes are
        self.kinds = _hash(kinds)
        self.original = _hash([kinds, sizes])

    def _describe(self, node: fx.Node) -> tuple[Any, Any]:
        kind, size = [str(node.target)], []
        arguments = _arguments(node)
        has_splits = any("split" in name and value for name, value in arguments.items())
        for name, value in arguments.items():
            if name in _GROUPS:
                kind.append(f"group {self._group(value)}")
            elif name not in _OWN:
                kind.append(f"{name} {_constant(value)}")
                size.append(None if has_splits else _size(value))
        return kind, size

    def _group(self, group: Any) -> int:
        name = group if isinstance(group, str) else str(group)
        if name not in self.groups:
            self.groups.append(name)
        return self.groups.index(name)

    def decision(self, edits: Edits, new_groups: dict[str, list[list[int]]]) -> Decision:
        """Returns for each collective of the rewritten graph the operator, and the original collectives that it
        replaces."""
        issued = []
        for item in edits.in_order():
            if isinstance(item, fx.Node):
                if item in self.index:
                    issued.append([str(item.target), [self.index[item]]])
            elif is_collective(item.target):
                issued.append([str(item.target), self._members(item)])
        unchanged = issued == [[str(node.target), [index]] for index, node in enumerate(self.nodes)]
        return Decision(_hash([self.kinds, issued, *([new_groups] if new_groups else [])]), unchanged, new_groups)

    def _members(self, item: Made) -> list[Any]:
        return [self.index[like] for like in item.likes if like in self.index] or [item.name]


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:32]


def inconsistent(groups: dict[int, list[list[int]]]) -> int | None:
    """Returns a rank that numbers the groups differently from another member of one of them; None where all agree.
    `groups` has for each rank the ranks of its groups.
    """
    for rank, own in groups.items():
        for number, ranks in enumerate(own):
            for other in ranks:
                theirs = groups.get(other)
                if theirs is not None and (number >= len(theirs) or theirs[number] != ranks):
                    return rank
    return None
