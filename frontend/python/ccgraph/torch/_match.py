"""Matches a schedule of a similar graph to the current graph by name and order, as far as possible.

PyTorch's logs print graphs before and after the position of the pass, so a schedule made from a log is for another
graph than the one that the pass sees. Entries with names of this graph are used; every other node keeps its neighbours.
The library then proves the resulting order or rejects it.
"""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path
from typing import Any

from torch import fx

from .._library import UsageError

#: the share of a graph's names that a schedule must contain to count as one for this graph
ENOUGH = 0.5


class Unmatched(UserWarning):
    """A schedule was applied by name, and does not fit the graph completely; the text lists the mismatches."""


def candidates(path: Path) -> list[Path]:
    return sorted(path.glob("*.schedule.json")) if path.is_dir() else [path]


def best(path: Path, names: set[str]) -> tuple[Path, dict[str, Any]]:
    """Returns from a file or a folder the schedule that contains most of the names."""
    read = [(file, json.loads(file.read_text(encoding="utf-8"))) for file in candidates(path)]
    if not read:
        raise UsageError(f"{path} holds no *.schedule.json")
    shares = [_share(schedule, names) for _, schedule in read]
    index = max(range(len(read)), key=shares.__getitem__)
    if shares[index] < ENOUGH:
        raise UsageError(f"the schedule that fits best, {read[index][0]}, knows {shares[index]:.0%} of the names of "
                         f"this graph, expected at least {ENOUGH:.0%}: "
                         "make one of this job's log")
    return read[index]


def _share(schedule: dict[str, Any], names: set[str]) -> float:
    known = {*schedule["order"], *(member for bucket in schedule.get("buckets", []) for member in bucket["members"])}
    return len(known & names) / max(len(names), 1)


def _is_wait(node: fx.Node) -> bool:
    return "wait_tensor" in str(node.target)


class _Matcher:
    def __init__(self, schedule: dict[str, Any], nodes: list[fx.Node]) -> None:
        self.nodes = {node.name: node for node in nodes}
        self.program = [node.name for node in nodes]
        named = schedule.get("buckets", [])
        self.buckets = [bucket for bucket in named if all(member in self.nodes for member in bucket["members"])]
        self.lost_buckets = len(named) - len(self.buckets)
        self.made: dict[str, Any] = {name: bucket for bucket in self.buckets for name in bucket["makes"]}
        #: each node that a bucket removes -> the bucket
        self.gone: dict[str, Any] = {}
        for bucket in self.buckets:
            for member in bucket["members"]:
                self.gone[member] = bucket
                self.gone.update((user.name, bucket) for user in self.nodes[member].users if _is_wait(user))
        self.wanted = [name for name in schedule["order"] if name in self.made
                       or (name in self.nodes and name not in self.gone)]
        self.foreign = [name for name in schedule["order"] if name not in self.made and name not in self.nodes]
        self.place = {name: index for index, name in enumerate(self.wanted)}
        self.unknown = [name for name in self.program if name not in self.place and name not in self.gone]
        self.done: dict[str, None] = {}

    def needs(self, name: str) -> list[str]:
        """Returns the nodes that must precede a node, as names of the new order."""
        bucket = self.made.get(name)
        if bucket is not None:
            operands = [operand for member in bucket["members"] for operand in self.nodes[member].all_input_nodes]
            before = bucket["makes"][:bucket["makes"].index(name)]
            return before + [operand.name for operand in operands]
        needed: list[str] = []
        for operand in self.nodes[name].all_input_nodes:
            taken = self.gone.get(operand.name)
            needed += taken["makes"] if taken is not None else [operand.name]
        return needed

    def emit(self, wish: str) -> None:
        """Appends the missing requirements of the node, then the node."""
        stack = [wish]
        while stack:
            name = stack[-1]
            missing = [need for need in self.needs(name) if need not in self.done] if name not in self.done else []
            if missing:
                stack += missing
            else:
                stack.pop()
                self.done[name] = None

    def follow(self) -> list[str]:
        """Returns the order: the inputs of this graph, then the schedule's nodes as scheduled, each followed by the
        unknown nodes after it whose requirements are met; then the other nodes.

        Inputs come first, because a name of an input in one graph may be a call in the other: a backward graph computes
        again what another one reads.
        """
        self.done.update((name, None) for name in self.program if self.nodes[name].op == "placeholder")
        after = dict(zip(self.program, self.program[1:]))
        unknown = set(self.unknown)
        for name in self.wanted[:-1]:
            self.emit(name)
            follower = after.get(name)
            while follower in unknown and all(need in self.done for need in self.needs(follower)):
                self.emit(follower)
                follower = after.get(follower)
        for name in self.unknown:
            if self.nodes[name].op != "output":
                self.emit(name)
        self.emit(self.program[-1])
        return list(self.done)


def match(path: str | os.PathLike[str], nodes: list[fx.Node], digest: str, folder: str) -> str:
    """Writes a schedule of this graph to `folder`, made from a file or a folder of schedules, and returns its path.
    Raises UsageError where none fits.

    Warns about mismatches. Passes before the schedule, and its memory budget, belong to the other graph and are left
    out.
    """
    source, schedule = best(Path(path), {node.name for node in nodes})
    matcher = _Matcher(schedule, nodes)
    # The digest does not cover names, so a graph of the same digest may have other names.
    if schedule["graph"] == digest and not (matcher.foreign or matcher.unknown or matcher.lost_buckets):
        return os.fspath(source)
    order = matcher.follow()
    made = {"format": schedule["format"], "version": schedule["version"], "graph": digest, "buckets": matcher.buckets,
            "order": order}
    if not matcher.buckets:
        del made["buckets"]
    target = os.path.join(folder, "matched.schedule.json")
    Path(target).write_text(json.dumps(made), encoding="utf-8")
    warnings.warn(_account(source, schedule, matcher), Unmatched, stacklevel=4)
    return target


def _few(names: list[str]) -> str:
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")


def _account(source: Path, schedule: dict[str, Any], matcher: _Matcher) -> str:
    said = [f"{source} is of another graph, and was applied by name: {len(matcher.wanted)} of its "
            f"{len(schedule['order'])} nodes"]
    if matcher.foreign:
        said.append(f"not in this graph: {_few(matcher.foreign)}")
    if matcher.unknown:
        said.append(f"of this graph and not in the schedule: {_few(matcher.unknown)}")
    if matcher.lost_buckets:
        said.append(f"{matcher.lost_buckets} buckets with members that are not here were left out")
    if schedule.get("prepare"):
        said.append(f"left out the passes before it: {', '.join(schedule['prepare'])}")
    if "memory_budget" in schedule:
        said.append("its memory budget is not held")
    return "; ".join(said)
