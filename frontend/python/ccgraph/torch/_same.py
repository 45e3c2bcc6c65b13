"""Comparisons of captured training steps: the same step on one device and on several ranks."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

import torch.distributed as dist
from torch import fx

from .._library import UsageError
from .._steps import SameStep
from .._steps import same_as as _same_as_files
from ._load import dump

Graphs = fx.GraphModule | Sequence[fx.GraphModule]
Groups = Mapping[str, Sequence[int]]


def placement(value: Any, mesh: Any = None) -> dict[str, Any]:
    """Returns how the ranks hold a tensor, for the placements of same_as: "placement" by axis, and "split_order".

    `value` is a DTensor, or its placements (Shard(0), Replicate(), Partial()) by axis of the DeviceMesh `mesh`, whose
    axes have names.
    """
    mesh = value.device_mesh if mesh is None else mesh
    held = getattr(value, "placements", value)
    names = mesh.mesh_dim_names
    if not names:
        raise UsageError("the device mesh has no names of its axes, expected init_device_mesh(..., mesh_dim_names=...)")
    result: dict[str, Any] = {"placement": {name: _text(one) for name, one in zip(names, held, strict=True)}}
    # DTensor marks an axis that cuts after a minor one, as FSDP cuts the parts of tensor parallelism.
    late = [name for name, one in zip(names, held) if type(one).__name__ == "_StridedShard"]
    if late:
        result["split_order"] = [name for name, one in zip(names, held) if one.is_shard() and name not in late] + late
    return result


def _text(held: Any) -> str:
    if held.is_replicate():
        return "replicate"
    if held.is_shard() or type(held).__name__ == "_StridedShard":
        return f"shard({held.dim})"
    if held.reduce_op not in ("sum", "avg"):
        raise UsageError(f"a partial {held.reduce_op} cannot be compared, expected a partial sum or avg")
    return f"partial({held.reduce_op})"


class _Folder:
    """The files of one side of a comparison."""

    def __init__(self, folder: str, name: str) -> None:
        self._prefix = os.path.join(folder, name)

    def graphs(self, graphs: Graphs) -> list[str]:
        listed = [graphs] if isinstance(graphs, fx.GraphModule) else list(graphs)
        paths = [f"{self._prefix}{rank}.py" for rank in range(len(listed))]
        for graph, path in zip(listed, paths):
            dump(graph, path)
        return paths

    def groups(self, given: Groups | Sequence[Groups] | None) -> list[str] | None:
        if given is None:
            return None
        listed = [given] if isinstance(given, Mapping) else list(given)
        return [self._write(f"groups{rank}", {"groups": {name: {"ranks": list(ranks)} for name, ranks in one.items()}})
                for rank, one in enumerate(listed)]

    def placements(self, given: Mapping[str, Any] | None) -> str | None:
        return None if given is None else self._write("placements", given)

    def _write(self, name: str, value: Any) -> str:
        path = f"{self._prefix}{name}.json"
        with open(path, "w", encoding="utf-8") as file:
            json.dump(value, file)
        return path


def groups_of_process() -> dict[str, list[int]]:
    """Returns the process groups that this process has, for the groups of same_as."""
    if not dist.is_initialized():
        raise UsageError("there are no process groups, expected torch.distributed.init_process_group")
    return {group.group_name: list(ranks) for group, ranks in
            ((group, dist.get_process_group_ranks(group)) for group in dist.distributed_c10d._world.pg_map)}


def same_as(reference: Graphs, step: Graphs, *, groups: Groups | Sequence[Groups] | None = None,
            placements: Mapping[str, Any] | None = None, ranks: int | None = None,
            same_as_groups: Groups | Sequence[Groups] | None = None,
            same_as_placements: Mapping[str, Any] | None = None, same_as_ranks: int | None = None,
            trials: int | None = None) -> SameStep:
    """Compares a captured parallel step with the captured step of one device, or with another parallel form of it.

    `reference` and `step` are GraphModules of make_fx, AOTAutograd or torch.export, with fake or real values in their
    meta; a parallel step is one graph for all ranks, or one for each rank in order. Capture one rank in one process, or
    clear DTensor's sharding caches between ranks: else each rank has the offsets of the first one. `groups` are the
    ranks of each group by name, for all ranks or for each (groups_of_process). `placements` states how the ranks hold
    inputs and outputs, as docs/same-step.md does (placement makes entries from DTensors); without it, names, sizes and
    values decide. `trials` is the number of evaluations. The result is true where the steps are the same.
    """
    with tempfile.TemporaryDirectory() as folder:
        one, other = _Folder(folder, "reference"), _Folder(folder, "step")
        return _same_as_files(
            one.graphs(reference), other.graphs(step),
            groups=other.groups(groups), placements=other.placements(placements), ranks=ranks,
            same_as_groups=one.groups(same_as_groups), same_as_placements=one.placements(same_as_placements),
            same_as_ranks=same_as_ranks, trials=trials)
