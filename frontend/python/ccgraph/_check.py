"""Checks of whole jobs and of contracts, as ccgraph-check does them."""

from __future__ import annotations

import json
import os
import weakref
from collections.abc import Iterable, Sequence
from ctypes import POINTER, byref, c_char_p, c_void_p, cast
from typing import Any

from ._graph import _option_text
from ._library import check as raise_error
from ._library import lib, take_text

Path = str | os.PathLike[str]


class Checked(dict[str, Any]):
    """The output of `ccgraph-check --json`. It is true where there is no finding."""

    def __init__(self, handle: c_void_p) -> None:
        self._handle = handle
        weakref.finalize(self, lib.ccgraph_checked_free, handle)
        super().__init__(json.loads(self.text("json")))

    @property
    def findings(self) -> list[dict[str, Any]]:
        """The findings, the worst first."""
        found: list[dict[str, Any]] = self["findings"]
        return found

    @property
    def warnings(self) -> str:
        """The warnings of reading; empty where there were none."""
        said: str = lib.ccgraph_checked_warnings(self._handle).decode()
        return said

    def text(self, form: str = "text") -> str:
        """Returns the findings as "text", "json" or "sarif"; those of a job also as "dot" (a picture) or "page"
        (HTML)."""
        text = c_void_p()
        raise_error(lib.ccgraph_checked_print(self._handle, form.encode(), byref(text)))
        return take_text(text)

    def __bool__(self) -> bool:
        return not self.findings

    def __repr__(self) -> str:
        rules = ", ".join(finding["rule"] for finding in self.findings)
        return f"<ccgraph.Checked, {rules or 'no finding'}>"


def _options(given: dict[str, Any]) -> c_void_p:
    """Returns options of the library, which the caller must free. None and False leave a default."""
    raw: c_void_p = lib.ccgraph_options_new()
    try:
        for name, value in given.items():
            if value is not None and value is not False:
                raise_error(lib.ccgraph_options_set(raw, name.replace("_", "-").encode(), _option_text(value).encode()))
    except BaseException:
        lib.ccgraph_options_free(raw)
        raise
    return raw


def _list(value: Path | Iterable[Path] | None) -> str | None:
    if value is None or isinstance(value, (str, os.PathLike)):
        return None if value is None else os.fspath(value)
    return ",".join(os.fspath(one) for one in value)


def check_job(paths: Path | Sequence[Path], *, groups: Path | Sequence[Path] | None = None,
              under: str | Sequence[str] | None = None,
              ranks: int | None = None, max_resident: int | None = None, machine: Path | None = None,
              replay: bool = False,
              stages: int | None = None, stage_graphs: Path | None = None, stage_sizes: str | None = None) -> Checked:
    """Checks a whole job: a job file, a graph for each rank in order, one graph for all ranks, logs, or the schedule of
    a pipeline in PyTorch's CSV form.

    `groups` is one file, or one for each graph. `under` lists semantics (all where it is left out): dataflow, streams,
    one-at-a-time, blocking, blocking-buffered. `ranks` is the number of ranks of one graph. `max_resident` is the most
    communicators of one rank that can be resident at once, which a `machine` can state too. `replay` repeats the job on
    the local engine and raises an error where it ends in another way. Of a schedule: `stages` is their number,
    `stage_graphs` the file with their graphs (JSON), and `stage_sizes` what a stage sends to the next where there are
    no graphs ("bf16[4, 4096]").
    """
    names = [os.fspath(paths)] if isinstance(paths, (str, os.PathLike)) else [os.fspath(path) for path in paths]
    array = (c_char_p * max(len(names), 1))(*(name.encode() for name in names))
    raw = _options({"groups": _list(groups), "under": _list(under), "ranks": ranks, "max_resident": max_resident,
                    "machine": machine, "replay": replay,
                    "stages": stages, "stage_graphs": stage_graphs, "stage_sizes": stage_sizes})
    handle = c_void_p()
    try:
        raise_error(lib.ccgraph_check(cast(array, POINTER(c_char_p)), len(names), raw, byref(handle)))
    finally:
        lib.ccgraph_options_free(raw)
    return Checked(handle)


def optimize_job(path: Path, folder: Path, *, pipeline: str | None = None, machine: Path | None = None,
                 memory_budget: str | int | None = None, bitwise: bool = False,
                 ranks: int | None = None) -> dict[str, Any]:
    """Rewrites the graphs of a job file together, as `ccgraph-opt job.json -o FOLDER` does.

    The folder receives the rewritten graphs and their job.json. `pipeline` is a level or passes; where it is left out,
    only orders change. `ranks` is the number of ranks of a job whose one graph every rank runs. Returns ranks, graphs,
    changed (graphs), proved, reason (why each rank keeps its order across groups), safe (the semantics under which no
    rank of a proved job waits for ever) and warnings (the text of the readers' warnings).
    """
    raw = _options({"pipeline": pipeline, "machine": machine, "memory_budget": memory_budget, "bitwise": bitwise,
                    "ranks": ranks})
    text = c_void_p()
    try:
        raise_error(lib.ccgraph_optimize_job(os.fspath(path).encode(), os.fspath(folder).encode(), raw, byref(text)))
    finally:
        lib.ccgraph_options_free(raw)
    report: dict[str, Any] = json.loads(take_text(text))
    return report


def check_contract(path: Path, contract: Path, *, groups: Path | None = None, machine: Path | None = None) -> Checked:
    """Compares the step of a log or a graph file with the contract in a TOML file."""
    raw = _options({"groups": groups, "machine": machine})
    handle = c_void_p()
    try:
        raise_error(lib.ccgraph_check_contract(os.fspath(path).encode(), os.fspath(contract).encode(), raw,
                                               byref(handle)))
    finally:
        lib.ccgraph_options_free(raw)
    return Checked(handle)


def contract_of(path: Path, *, groups: Path | None = None, machine: Path | None = None) -> str:
    """Returns a contract (TOML) that the step of a log or a graph file satisfies with nothing to spare."""
    raw = _options({"groups": groups, "machine": machine})
    text = c_void_p()
    try:
        raise_error(lib.ccgraph_contract_of(os.fspath(path).encode(), raw, byref(text)))
    finally:
        lib.ccgraph_options_free(raw)
    return take_text(text)
