"""Process groups of a rewrite that the job does not have, such as the ranks of each node.

The library adds such groups to the table of the graph, as lists of ranks that are equal on all ranks. Each rank makes
the process group of its own list before the graph runs for the first time, and registers it under the name of the
table, which the collectives of the graph name. The members of one list make their group together, in the order of the
table; other ranks take no part.
"""

from __future__ import annotations

import json
from typing import Any

import torch.distributed as dist
from torch._C import _distributed_c10d
from torch import fx

from .._graph import Graph
from ._edits import Edits, Made
from ._issued import _GROUPS, is_collective
from ._unsupported import Unsupported

#: the pass that makes groups of the ranks of the job
NEEDED_BY = "hierarchical-collectives"

#: for each name, the lists of ranks
NewGroups = dict[str, list[list[int]]]

#: this process has made them; each belongs to one default group
_made: dict[tuple[int, str], list[list[int]]] = {}


def table_of_job(folder: str) -> str | None:
    """Writes a file of the default group, whose ranks every rank knows, and returns its path; None without a job."""
    if not (dist.is_available() and dist.is_initialized()):
        return None
    default = dist.distributed_c10d._get_default_group()
    path = f"{folder}/groups.json"
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"groups": {default.group_name: {"ranks": list(range(dist.get_world_size()))}}}, file)
    return path


def _names(edits: Edits) -> list[str]:
    """Returns the groups that new collectives name, in their order."""
    named: dict[str, None] = {}
    for item in edits.in_order():
        if isinstance(item, Made) and is_collective(item.target):
            parameters = [argument.name for argument in item.target._schema.arguments]
            for name, value in {**dict(zip(parameters, item.args)), **item.kwargs}.items():
                if name in _GROUPS and isinstance(value, str):
                    named[value] = None
    return list(named)


def new_groups(handle: Graph, edits: Edits, nodes: list[fx.Node]) -> NewGroups:
    """Returns the groups of the rewritten graph that no collective of the graph names."""
    known = {value for node in nodes for value in (*node.args, *node.kwargs.values()) if isinstance(value, str)}
    names = [name for name in _names(edits) if name not in known]
    if not names:
        return {}
    table = json.loads(handle.text("json"))["groups"]
    missing = [name for name in names if "partition" not in table.get(name, {})]
    if missing:
        raise Unsupported(f"new collectives are on the group '{missing[0]}', whose ranks are unknown")
    return {name: table[name]["partition"] for name in names}


def make(groups: NewGroups) -> None:
    """Makes the groups that this process does not have. Waits for the other members of this rank's lists."""
    job = id(dist.distributed_c10d._get_default_group())
    for name, cells in groups.items():
        if _made.setdefault((job, name), cells) is not cells:
            if _made[job, name] != cells:
                raise Unsupported(f"group '{name}' has the ranks {_made[job, name]} in another graph, got {cells}")
            continue
        own: Any = next(cell for cell in cells if dist.get_rank() in cell)
        group = dist.new_group(own, use_local_synchronization=True, group_desc=name)
        _distributed_c10d._register_process_group(name, group)
