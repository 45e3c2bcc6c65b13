"""The pass for torch.compile, and the same for any GraphModule."""

from __future__ import annotations

import hashlib
import itertools
import os
import re
import tempfile
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import fx
from torch._functorch.aot_autograd import get_aot_graph_name
from torch._guards import CompileContext
from torch._inductor.custom_graph_pass import CustomGraphPass

from .. import __version__
from .._graph import Graph, Report, check_options, make_options
from .._library import Error, UsageError, check, lib, library_path
from . import _agree, _groups
from ._agree import Agreed, RanksDiffer
from ._collector import no_collection
from ._edits import Edits
from ._flat import Imported
from ._issued import Decision, Issued
from ._match import Unmatched, candidates
from ._match import match as match_by_name
from ._order import sorted_nodes
from ._unsupported import Unsupported

_FILES = ("machine", "durations", "groups", "schedule")


class Refused(UserWarning):
    """The pass has left a graph unchanged; the text is the reason."""


def _rewrite(handle: Graph, pipeline: str, options: dict[str, Any]) -> None:
    raw = make_options(pipeline, options)
    try:
        check(lib.ccgraph_optimize(handle._handle, raw))
    finally:
        lib.ccgraph_options_free(raw)


def optimize(gm: fx.GraphModule, pipeline: str = "-O2", **options: Any) -> Report:
    """Rewrites a GraphModule of operators in place, proves the rewrite, and returns the report.

    The options are those of ccgraph.optimize. Nodes that remain keep their meta. If it raises ccgraph.Error or
    Unsupported, the module is unchanged.
    """
    with no_collection():
        imported = Imported(gm.graph, type(gm).__name__)
        handle = imported.make()
        _rewrite(handle, pipeline, options)
        Edits(handle, imported.nodes).apply(gm.graph)
    gm.recompile()
    return handle.report()


def _hash_of(path: str | os.PathLike[str] | None) -> str:
    if path is None:
        return ""
    file = Path(path)
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else str(path)


def configure() -> None:
    """Configures Inductor to keep the order of a graph: on 2.6 and later it turns off the reordering for peak memory,
    on 2.15 also the overlap by neighbours. Called by Pass; it applies to the whole process, as Inductor's configuration
    does.
    """
    from torch._inductor import config

    config.reorder_for_peak_memory = False
    distributed = getattr(config, "aten_distributed_optimizations", None)
    if distributed is not None and hasattr(distributed, "enable_simple_overlap"):
        distributed.enable_simple_overlap = False
    if getattr(config, "reorder_for_compute_comm_overlap", False) or getattr(distributed, "enable_overlap_scheduling",
                                                                             False):
        warnings.warn("Inductor's own overlap passes run after ccgraph and move what it has put in order: "
                      "leave reorder_for_compute_comm_overlap and enable_overlap_scheduling off", Refused, stacklevel=3)


@dataclass
class _Rewrite:
    """An optimization that was proved and planned, before it changes the graph."""

    handle: Graph
    edits: Edits
    decision: Decision | None


@dataclass
class _Decided:
    """The agreement of the ranks for one region of the program. A recompilation of the region, perhaps on one rank
    alone, must decide in the same way.
    """

    agreed: Agreed
    digest: str
    schedule: str


def _region() -> tuple[Any, ...] | None:
    """Returns the code that is being compiled, and the index of its graph; None outside torch.compile. A recompilation
    has the same region."""
    compile_id = CompileContext.current_compile_id()
    if compile_id is None:
        return None
    found = re.search("forward|backward|inference", get_aot_graph_name())
    return getattr(compile_id, "compiled_autograd_id", None), compile_id.frame_id, found[0] if found else ""


def _reason(error: Exception) -> str:
    return (str(error) if isinstance(error, (Error, Unsupported))
            else f"{type(error).__name__}: {error}. This is a defect of ccgraph: please report it")


class Pass(CustomGraphPass):
    """The pass for torch._inductor.config.post_grad_custom_post_pass.

    pipeline, machine, durations, groups, memory_budget, bitwise, ranks_differ: as ccgraph.optimize and the command line
    have them. Without `bitwise`, sums over more than two ranks may be merged, which adds floats in another order, as
    DDP's buckets do. A wrong name or value is an error of the constructor.
    bind: sizes of dynamic dimensions, the same on every rank: {"s0": 4096}. Times are predicted and the order is chosen
    for them; the graph stays one of dynamic shapes. "hints": the sizes with which PyTorch traced the graph. If they
    lead to other decisions on some rank, the ranks keep the order of collectives, so this needs `agree`. Without bind,
    collectives of unknown sizes keep their order.
    ranks_differ: ranks run different programs, such as pipeline stages: the order of collectives is kept on every rank,
    and no rank waits for another.
    dump: a folder; each graph is written there as the pass sees it, DIR/rank0_0_DIGEST.json.
    schedule: a file that `ccgraph-opt DUMP --emit schedule` made of such a dump, or a folder of them
    (DIGEST.schedule.json); a graph that none of them is for is refused.
    match: "digest", or "names": a schedule of another graph, such as one made of a TORCH_TRACE log, is applied by name
    and order as far as it goes, and a warning (Unmatched) says what did not match.
    agree: compare what the ranks decided. patience: seconds that a rank waits, when it compiles a graph, for the other
    ranks to compile theirs.
    deadline: seconds that a rank waits for the others when a graph from a compile cache runs for the first time.

    A rejected graph remains unchanged, and a warning (Refused) gives the reason. No exception leaves the pass.
    """

    def __init__(self, pipeline: str = "-O2", *, machine: str | None = None, durations: str | None = None,
                 groups: str | None = None,
                 memory_budget: int | str | None = None, bind: str | Mapping[str, int] | None = None,
                 bitwise: bool = False, ranks_differ: bool = False,
                 schedule: str | os.PathLike[str] | None = None, match: str = "digest",
                 dump: str | os.PathLike[str] | None = None,
                 agree: bool = True, patience: float = 120.0, deadline: float = 600.0) -> None:
        if match not in ("digest", "names"):
            raise UsageError(f"match: got '{match}', expected 'digest' or 'names'")
        if bind == "hints" and not agree:
            raise UsageError("bind: got 'hints' with agree=False, expected agree=True: hints may differ between ranks")
        self.pipeline, self.match, self.hints = pipeline, match, bind == "hints"
        bind = None if self.hints else bind
        self.options = {"machine": machine, "durations": durations, "groups": groups, "memory_budget": memory_budget,
                        "bind": dict(bind) if isinstance(bind, Mapping) else bind, "bitwise": bitwise,
                        "ranks_differ": ranks_differ, "schedule": os.fspath(schedule) if schedule is not None else None}
        self.dump = Path(dump) if dump is not None else None
        self.agree, self.patience, self.deadline = agree, patience, deadline
        #: for each call: seconds, nodes before, nodes made or moved; None where the graph was rejected
        self.calls: list[dict[str, Any]] = []
        self._count = itertools.count()
        self._decided: dict[Any, _Decided] = {}
        self._check()
        configure()

    def _check(self) -> None:
        """Raises where a name or a file of the options is wrong, each file of a folder of schedules included."""
        if (folder := self._schedules()) is None:
            return check_options(self.pipeline, self.options)
        check_options(self.pipeline, {**self.options, "schedule": None})
        if not (files := candidates(folder)):
            raise UsageError(f"schedule: {folder} holds no *.schedule.json")
        for file in files:
            check_options(self.pipeline, {**self.options, "schedule": os.fspath(file)})

    def __repr__(self) -> str:
        said = [repr(self.pipeline), *["bind='hints'"] * self.hints,
                *(f"{name}={value!r}" for name, value in self.options.items() if value not in (None, False))]
        rewritten = sum(call["edits"] is not None for call in self.calls)
        return f"<ccgraph.torch.Pass({', '.join(said)}): {len(self.calls)} graphs seen, {rewritten} rewritten>"

    def uuid(self) -> str:
        """Changes with everything that affects the result: the library, the options, and the content of the files that
        they name."""
        said = [__version__, _hash_of(library_path()), self.pipeline, self.match, str(self.agree), str(self.deadline),
                str(self.dump), str(self.hints)]
        said += [f"{name}={_hash_of(value) if name in _FILES else value}"
                 for name, value in sorted(self.options.items())]
        if (folder := self._schedules()) is not None:
            said += [f"{file.name}={_hash_of(file)}" for file in sorted(folder.glob("*.schedule.json"))]
        return hashlib.sha256("\n".join(said).encode()).hexdigest()

    def __call__(self, graph: fx.Graph) -> None:
        start = time.perf_counter()
        call = {"nodes": len(graph.nodes), "edits": None}
        try:
            with no_collection():
                call["edits"] = self._run(graph)
        except Exception as error:  # a job that runs without ccgraph must also run with it
            warnings.warn(f"ccgraph left a graph of {call['nodes']} nodes as it was: {_reason(error)}", Refused,
                          stacklevel=2)
        call["seconds"] = time.perf_counter() - start
        self.calls.append(call)

    def _run(self, graph: fx.Graph) -> int:
        """Rewrites the graph, and returns the number of nodes that were made or moved."""
        nodes = sorted_nodes(graph)
        issued = Issued(nodes) if self.agree else None
        rewrite = error = None
        try:
            # Unless they are asked for, hints are left out, since those of a rank's own inputs may differ from others.
            imported = Imported(graph, "graph", hints=self.hints)
            rewrite = self._plan(imported, issued)
        except Exception as caught:  # reported after the other ranks have been informed
            error = caught
        rewrite, agreed = self._share(issued, rewrite, imported if error is None else None)
        if rewrite is None:
            raise error if error is not None else Unsupported("no rewrite that keeps the order of collectives")
        edits = rewrite.edits.apply(graph)
        if agreed.shared and issued is not None and (agreed.warm or not rewrite.decision.unchanged):
            _agree.insert_check(graph, rewrite.decision, issued.groups, self.deadline)
        return edits

    def _plan(self, imported: Imported, issued: Issued | None, **changes: Any) -> _Rewrite:
        """`changes`: options that differ from the pass's own."""
        handle = imported.make()
        digest = handle.digest
        if not changes:
            self._dump(handle)
        with tempfile.TemporaryDirectory() as folder:
            _rewrite(handle, self.pipeline, {**self._options_for(digest, imported.nodes, folder), **changes})
        edits = Edits(handle, imported.nodes)
        new_groups = _groups.new_groups(handle, edits, imported.nodes)
        if new_groups and issued is None:
            raise Unsupported("new groups need an agreement of the ranks, expected agree=True")
        return _Rewrite(handle, edits, issued.decision(edits, new_groups) if issued else None)

    def _share(self, issued: Issued | None, rewrite: _Rewrite | None,
               imported: Imported | None) -> tuple[_Rewrite | None, Agreed]:
        """Returns the rewrite that this rank applies: its own where all ranks made the same decision, else one that is
        valid whatever other ranks run.
        """
        if issued is None or not issued.nodes:
            return rewrite, Agreed(False)
        if rewrite is None or self.options["ranks_differ"]:
            return rewrite, self._ask(issued, None)
        rewrite, agreed = self._agreed(issued, rewrite, imported)
        if agreed.shared:
            return rewrite, agreed
        warnings.warn(f"ccgraph keeps the order of the collectives of a graph of {len(imported.nodes)} nodes: "
                      f"{agreed.why}. Pass(ranks_differ=True) does so at "
                      "once, without waiting for other ranks", RanksDiffer, stacklevel=5)
        return self._plan(imported, issued, ranks_differ=True), agreed

    def _agreed(self, issued: Issued, rewrite: _Rewrite, imported: Imported) -> tuple[_Rewrite, Agreed]:
        """Returns the earlier agreement of the ranks for this region, or makes one now."""
        region = _region()
        known = self._decided.get((region, issued.kinds)) if region is not None else None
        if known is not None and known.agreed.shared and known.digest != rewrite.decision.digest:
            rewrite = self._as_before(known, issued, imported) or rewrite
        if known is not None and (not known.agreed.shared or known.digest == rewrite.decision.digest):
            return rewrite, known.agreed
        agreed = self._ask(issued, rewrite.decision)
        if known is not None and agreed.late:
            # the other ranks run the old order, so the check before the first run must end the job with a message
            return rewrite, Agreed(True)
        schedule = rewrite.handle.text("schedule") if agreed.shared and not rewrite.decision.unchanged else ""
        self._decided[region, issued.kinds] = _Decided(agreed, rewrite.decision.digest, schedule)
        return rewrite, agreed

    def _as_before(self, known: _Decided, issued: Issued, imported: Imported) -> _Rewrite | None:
        """Returns a rewrite with the decision of an earlier compilation, which other ranks may still run; None where
        this graph has no such rewrite."""
        if not known.schedule:
            again = self._plan(imported, issued, ranks_differ=True)
        else:
            with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
                warnings.simplefilter("ignore", Unmatched)
                Path(folder, "known.schedule.json").write_text(known.schedule, encoding="utf-8")
                try:
                    schedule = match_by_name(Path(folder, "known.schedule.json"), imported.nodes,
                                             imported.make().digest, folder)
                    again = self._plan(imported, issued, schedule=schedule, memory_budget=None)
                except Error:  # the graph has other names, or the proof fails
                    return None
        return again if again.decision.digest == known.digest else None

    def _ask(self, issued: Issued, decision: Decision | None) -> Agreed:
        try:
            return _agree.at_compile_time(issued, decision, min(self.patience, self.deadline))
        except Exception as error:  # a store that fails: the other ranks then miss this one, and also keep their order
            return Agreed(False, f"the store of the process group failed ({type(error).__name__}: {error})")

    def _schedules(self) -> Path | None:
        path = self.options["schedule"]
        return Path(path) if path is not None and Path(path).is_dir() else None

    def _options_for(self, digest: str, nodes: list[fx.Node], scratch: str) -> dict[str, Any]:
        """`scratch`: a folder for a schedule that is made from another one, and for a table of groups."""
        given = self.options["schedule"]
        if given is None and self.options["groups"] is None and _groups.NEEDED_BY in self.pipeline:
            return {**self.options, "groups": _groups.table_of_job(scratch)}
        if given is not None and self.match == "names":
            return {**self.options, "schedule": match_by_name(given, nodes, digest, scratch)}
        folder = self._schedules()
        return (self.options if folder is None else {**self.options,
                                                     "schedule": os.fspath(folder / f"{digest}.schedule.json")})

    def _dump(self, handle: Graph) -> None:
        if self.dump is None:
            return
        self.dump.mkdir(parents=True, exist_ok=True)
        rank = (torch.distributed.get_rank() if torch.distributed.is_available() and torch.distributed.is_initialized()
                else 0)
        handle.write(self.dump / f"rank{rank}_{next(self._count)}_{handle.digest}.json")
