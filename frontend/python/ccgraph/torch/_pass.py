"""The pass for torch.compile, and the same for any GraphModule."""

from __future__ import annotations

import hashlib
import itertools
import os
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import torch
from torch import fx
from torch._inductor.custom_graph_pass import CustomGraphPass

from .. import __version__
from .._graph import Graph, make_options
from .._library import Error, UsageError, check, lib, library_path
from . import _agree
from ._flat import Unsupported, apply_edits, import_graph
from ._match import match as match_by_name

_FILES = ("machine", "durations", "groups", "schedule")


class Refused(UserWarning):
    """The pass has left a graph as it was; the text says why."""


def _rewrite(handle: Graph, pipeline: str, options: dict[str, Any]) -> None:
    raw = make_options(pipeline, options)
    try:
        check(lib.ccgraph_optimize(handle._handle, raw))
    finally:
        lib.ccgraph_options_free(raw)


def optimize(gm: fx.GraphModule, pipeline: str = "-O2", **options: Any) -> dict[str, Any]:
    """Rewrites a GraphModule of operators in place, proves it, and gives back the report.

    The options are those of ccgraph.optimize. Nodes that stay keep their meta. Raises ccgraph.Error or Unsupported, and then the module is as it was.
    """
    handle, nodes = import_graph(gm.graph, type(gm).__name__)
    _rewrite(handle, pipeline, options)
    apply_edits(handle, gm.graph, nodes)
    gm.recompile()
    return handle.report()


def _hash_of(path: str | os.PathLike[str] | None) -> str:
    if path is None:
        return ""
    file = Path(path)
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else str(path)


def configure() -> None:
    """Sets what keeps the order of a graph through Inductor: on 2.6 and later the reordering for peak memory off, on 2.15 the
    overlap by neighbours too. Called by Pass, for the process, since Inductor's configuration is the process's."""
    from torch._inductor import config

    config.reorder_for_peak_memory = False
    distributed = getattr(config, "aten_distributed_optimizations", None)
    if distributed is not None and hasattr(distributed, "enable_simple_overlap"):
        distributed.enable_simple_overlap = False
    if getattr(config, "reorder_for_compute_comm_overlap", False) or getattr(distributed, "enable_overlap_scheduling", False):
        warnings.warn("Inductor's own overlap passes run after ccgraph and move what it has put in order: "
                      "leave reorder_for_compute_comm_overlap and enable_overlap_scheduling off", Refused, stacklevel=3)


class Pass(CustomGraphPass):
    """For torch._inductor.config.post_grad_custom_post_pass.

    pipeline, machine, durations, groups, memory_budget, bitwise: as ccgraph.optimize and the command line have them. Without
    `bitwise`, sums of more than two ranks may be merged, which adds floats in another order, as DDP's buckets do.
    dump: a folder; each graph is written there as the pass sees it, DIR/rank0_0_DIGEST.json.
    schedule: a file that `ccgraph-opt DUMP --emit schedule` made of such a dump, or a folder of them (DIGEST.schedule.json);
    a graph that none of them is for is refused.
    match: "digest", or "names": a schedule of another graph, such as one made of a TORCH_TRACE log, is applied by name and order as far as it goes, and
    a warning (Unmatched) says what did not match.
    agree: compare the ranks' programs when they first run; deadline: seconds that they wait for one another.

    A graph that is refused stays as it is, and a warning says why.
    """

    def __init__(self, pipeline: str = "-O2", *, machine: str | None = None, durations: str | None = None, groups: str | None = None,
                 memory_budget: int | str | None = None, bitwise: bool = False, schedule: str | os.PathLike[str] | None = None,
                 match: str = "digest", dump: str | os.PathLike[str] | None = None, agree: bool = True, deadline: float = 600.0) -> None:
        if match not in ("digest", "names"):
            raise UsageError(f"match: got '{match}', expected 'digest' or 'names'")
        self.pipeline, self.match = pipeline, match
        self.options = {"machine": machine, "durations": durations, "groups": groups, "memory_budget": memory_budget, "bitwise": bitwise,
                        "schedule": os.fspath(schedule) if schedule is not None else None}
        self.dump = Path(dump) if dump is not None else None
        self.agree, self.deadline = agree, deadline
        #: of each call: seconds, nodes before, what was made or moved; None where the graph was refused
        self.calls: list[dict[str, Any]] = []
        self._count = itertools.count()
        configure()

    def uuid(self) -> str:
        """Changes with everything that the result depends on: the library, the options, and what is in the files that they name."""
        said = [__version__, _hash_of(library_path()), self.pipeline, self.match, str(self.agree), str(self.deadline), str(self.dump)]
        said += [f"{name}={_hash_of(value) if name in _FILES else value}" for name, value in sorted(self.options.items())]
        if (folder := self._schedules()) is not None:
            said += [f"{file.name}={_hash_of(file)}" for file in sorted(folder.glob("*.schedule.json"))]
        return hashlib.sha256("\n".join(said).encode()).hexdigest()

    def __call__(self, graph: fx.Graph) -> None:
        start = time.perf_counter()
        call = {"nodes": len(graph.nodes), "edits": None}
        digest = result = "unread"
        try:
            # Without hints, because the sizes of a rank's own inputs must not decide what all ranks run.
            handle, nodes = import_graph(graph, "graph", hints=False)
            digest = handle.digest
            self._dump(handle)
            with tempfile.TemporaryDirectory() as folder:
                _rewrite(handle, self.pipeline, self._options_for(digest, nodes, folder))
            call["edits"] = apply_edits(handle, graph, nodes)
            result = handle.digest
        except (Error, Unsupported) as error:
            result = "refused"
            warnings.warn(f"ccgraph left a graph of {call['nodes']} nodes as it was: {error}", Refused, stacklevel=2)
        if self.agree:
            _agree.insert(graph, f"{digest}:{self._options_digest()}:{result}", self.deadline)
        call["seconds"] = time.perf_counter() - start
        self.calls.append(call)

    def _options_digest(self) -> str:
        """As uuid(), but for where files are written, which is each rank's own."""
        folder, self.dump = self.dump, None
        try:
            return self.uuid()[:16]
        finally:
            self.dump = folder

    def _schedules(self) -> Path | None:
        path = self.options["schedule"]
        return Path(path) if path is not None and Path(path).is_dir() else None

    def _options_for(self, digest: str, nodes: list[fx.Node], scratch: str) -> dict[str, Any]:
        """`scratch`: a folder for a schedule that is made of another one."""
        given = self.options["schedule"]
        if given is not None and self.match == "names":
            return {**self.options, "schedule": match_by_name(given, nodes, digest, scratch)}
        folder = self._schedules()
        return self.options if folder is None else {**self.options, "schedule": os.fspath(folder / f"{digest}.schedule.json")}

    def _dump(self, handle: Graph) -> None:
        if self.dump is None:
            return
        self.dump.mkdir(parents=True, exist_ok=True)
        rank = torch.distributed.get_rank() if torch.distributed.is_available() and torch.distributed.is_initialized() else 0
        handle.write(self.dump / f"rank{rank}_{next(self._count)}_{handle.digest}.json")
