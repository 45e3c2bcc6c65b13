"""Graph: one graph, read from a file or imported from PyTorch."""

from __future__ import annotations

import html
import json
import os
import weakref
from collections.abc import Mapping
from ctypes import byref, c_void_p
from typing import Any

from ._library import UsageError, check, lib, take_text

_FORMS = {".py": "fx", ".schedule.json": "schedule", ".html": "page", ".trace.json": "trace"}


class Graph:
    """A graph. Made by `read` and `read_bytes`; calls from several threads wait for one another."""

    def __init__(self, handle: c_void_p) -> None:
        self._handle = handle
        weakref.finalize(self, lib.ccgraph_graph_free, handle)

    @property
    def digest(self) -> str:
        """64 hexadecimal digits, equal on every rank that runs this graph."""
        text = c_void_p()
        check(lib.ccgraph_digest(self._handle, byref(text)))
        return take_text(text)

    @property
    def warnings(self) -> str:
        """The warnings of reading; empty where there were none."""
        said: str = lib.ccgraph_graph_warnings(self._handle).decode()
        return said

    def text(self, form: str = "json") -> str:
        """Returns the text as "json" or "fx"; after an optimization also as "schedule", "page" (HTML) or "trace" (JSON
        of a trace viewer)."""
        text = c_void_p()
        check(lib.ccgraph_print(self._handle, form.encode(), byref(text)))
        return take_text(text)

    def write(self, path: str | os.PathLike[str], form: str | None = None) -> None:
        """Writes the file atomically. The default form is FX text for .py, a schedule for .schedule.json, the report
        page for .html, a trace for .trace.json, else JSON.
        """
        name = os.fspath(path)
        form = form or next((known for end, known in _FORMS.items() if name.endswith(end)), "json")
        check(lib.ccgraph_write(self._handle, name.encode(), form.encode()))

    def verify(self) -> None:
        """Raises InputError with every finding where the graph is not well formed."""
        check(lib.ccgraph_verify(self._handle))

    def optimize(self, pipeline: str = "-O2", **options: Any) -> Graph:
        """Rewrites this graph and proves the rewrite; `optimize` of the module documents the options. Returns the graph
        itself."""
        raw = make_options(pipeline, {"views": True, **options})
        try:
            check(lib.ccgraph_optimize(self._handle, raw))
        finally:
            lib.ccgraph_options_free(raw)
        return self

    def report(self) -> Report:
        """Returns the report of the optimization, as `ccgraph-opt --json` prints it."""
        text = c_void_p()
        check(lib.ccgraph_report(self._handle, byref(text)))
        return Report(json.loads(take_text(text)))

    def exposed(self) -> list[dict[str, Any]]:
        """Returns the collectives at which computation still stalls after the optimization, the longest stall first,
        each with its reason."""
        found: list[dict[str, Any]] = self.report()["predicted"]["exposed"]
        return found

    def advice(self) -> list[dict[str, Any]]:
        """Returns changes that would make the step shorter, found by trials: this runs the pipeline some ten times."""
        check(lib.ccgraph_advise(self._handle))
        found: list[dict[str, Any]] = self.report()["advice"]
        return found

    def _state(self) -> Report | None:
        try:
            return self.report()
        except UsageError:
            return None

    def __repr__(self) -> str:
        report = self._state()
        return (f"<ccgraph.Graph, not optimized, digest {self.digest[:12]}>" if report is None
                else f"<ccgraph.Graph, {_line(report)}>")

    def _repr_html_(self) -> str:
        report = self._state()
        return f"<code>{html.escape(repr(self))}</code>" if report is None else report._repr_html_()


class Report(dict[str, Any]):
    """The output of `ccgraph-opt --json`. A notebook shows it as a small table."""

    def __repr__(self) -> str:
        return f"<ccgraph.Report, {_line(self)}>"

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th>{name}</th><td>{html.escape(old)}</td><td>{html.escape(new)}</td></tr>"
                       for name, old, new in _rows(self))
        title = html.escape(f"{self['graph']}: {self['level']}")
        return f"<table><caption>{title}</caption><tr><th></th><th>before</th><th>after</th></tr>{rows}</table>"


def _option_text(value: Any) -> str:
    if value is True:
        return "true"
    if isinstance(value, Mapping):
        return ",".join(f"{name}={number}" for name, number in value.items())
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def make_options(pipeline: str, options: dict[str, Any]) -> c_void_p:
    """Returns options of the library, which the caller must free. None and False leave a default."""
    raw: c_void_p = lib.ccgraph_options_new()
    try:
        given = dict(options)
        if not given.get("schedule"):
            given["pipeline"] = pipeline
        for name, value in given.items():
            if value is None or value is False:
                continue
            check(lib.ccgraph_options_set(raw, name.replace("_", "-").encode(), _option_text(value).encode()))
    except BaseException:
        lib.ccgraph_options_free(raw)
        raise
    return raw


def check_options(pipeline: str, options: dict[str, Any]) -> None:
    """Raises the errors of options that do not depend on a graph: names, values, missing or unreadable files."""
    raw = make_options(pipeline, options)
    try:
        check(lib.ccgraph_options_check(raw))
    finally:
        lib.ccgraph_options_free(raw)


def _milliseconds(nanoseconds: int) -> str:
    return f"{nanoseconds / 1e6:,.3f} ms"


def _rows(report: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Returns the first rows of ccgraph-opt's summary: name, before, after."""
    before, after = report["before"], report["after"]
    rows = [("nodes", str(before["nodes"]), str(after["nodes"]))]
    if predicted := report.get("predicted"):
        rows += [(name, _milliseconds(predicted["before"][key]), _milliseconds(predicted["after"][key]))
                 for name, key in (("step", "step_ns"), ("exposed", "exposed_ns"))]
    if "peak_bytes" in before and "peak_bytes" in after:
        rows.append(("peak memory", f"{before['peak_bytes']:,} B", f"{after['peak_bytes']:,} B"))
    return rows


def _line(report: dict[str, Any]) -> str:
    return f"{report['graph']}, {report['level']}: " + ", ".join(f"{name} {old} -> {new}"
                                                                 for name, old, new in _rows(report))


def read(path: str | os.PathLike[str], select: str | None = None) -> Graph:
    """Reads the graph of a file, a log or a folder of logs; `select` has the form of the tool's --graph."""
    handle = c_void_p()
    check(lib.ccgraph_read(os.fspath(path).encode(), select.encode() if select else None, byref(handle)))
    return Graph(handle)


def read_bytes(data: bytes, name: str = "memory", select: str | None = None) -> Graph:
    """Reads the graph of a text in memory; diagnostics show the name."""
    handle = c_void_p()
    check(lib.ccgraph_read_bytes(name.encode(), data, len(data), select.encode() if select else None, byref(handle)))
    return Graph(handle)


def write(graph: Graph, path: str | os.PathLike[str], form: str | None = None) -> None:
    """See Graph.write."""
    graph.write(path, form)


def verify(graph: Graph) -> None:
    """See Graph.verify."""
    graph.verify()


def optimize(graph: Graph, pipeline: str = "-O2", *, machine: str | None = None, durations: str | None = None,
             groups: str | None = None, memory_budget: int | str | None = None, schedule: str | None = None,
             bind: str | Mapping[str, int] | None = None, bitwise: bool = False, ranks_differ: bool = False) -> Graph:
    """Rewrites the graph, proves it, and gives it back.

    `pipeline` is a level or passes; a `schedule` (a path) takes its place. `machine` is a name or a path; `durations`
    and `groups` are paths; `memory_budget` is bytes, "40GiB", "24.6GiB", "80GB", "60%" of the program's own peak or
    "unlimited", and the program's own peak where it is left out. `bind` gives sizes of dynamic dimensions for which
    times are predicted and the order is chosen: {"s0": 4096} or "s0=4096".
    """
    return graph.optimize(pipeline, machine=machine, durations=durations, groups=groups, memory_budget=memory_budget,
                          schedule=schedule, bind=bind, bitwise=bitwise, ranks_differ=ranks_differ)


def report(graph: Graph) -> Report:
    """See Graph.report."""
    return graph.report()
