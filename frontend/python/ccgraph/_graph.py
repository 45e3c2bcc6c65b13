"""Graph: one program, read from a file or handed over by PyTorch."""

from __future__ import annotations

import html
import json
import os
import weakref
from ctypes import byref, c_void_p
from typing import Any

from ._library import UsageError, check, lib, take_text

_FORMS = {".py": "fx", ".schedule.json": "schedule"}


class Graph:
    """A program. Made by `read` and `read_bytes`; calls from several threads wait for one another."""

    def __init__(self, handle: c_void_p) -> None:
        self._handle = handle
        weakref.finalize(self, lib.ccgraph_graph_free, handle)

    @property
    def digest(self) -> str:
        """64 hexadecimal digits, equal on every rank that runs this program."""
        text = c_void_p()
        check(lib.ccgraph_digest(self._handle, byref(text)))
        return take_text(text)

    @property
    def warnings(self) -> str:
        """What reading found, and let pass; empty where there was nothing."""
        said: str = lib.ccgraph_graph_warnings(self._handle).decode()
        return said

    def text(self, form: str = "json") -> str:
        """As "json", "fx", or, after an optimization, "schedule"."""
        text = c_void_p()
        check(lib.ccgraph_print(self._handle, form.encode(), byref(text)))
        return take_text(text)

    def write(self, path: str | os.PathLike[str], form: str | None = None) -> None:
        """The file appears whole or not at all. Without a form: FX text for .py, a schedule for .schedule.json, else JSON."""
        name = os.fspath(path)
        form = form or next((known for end, known in _FORMS.items() if name.endswith(end)), "json")
        check(lib.ccgraph_write(self._handle, name.encode(), form.encode()))

    def verify(self) -> None:
        """Raises InputError with every finding where the graph is not well formed."""
        check(lib.ccgraph_verify(self._handle))

    def optimize(self, pipeline: str = "-O2", **options: Any) -> Graph:
        """Rewrites this graph and proves it; see `optimize` of the module for the options. Gives back the graph itself."""
        raw = make_options(pipeline, options)
        try:
            check(lib.ccgraph_optimize(self._handle, raw))
        finally:
            lib.ccgraph_options_free(raw)
        return self

    def report(self) -> dict[str, Any]:
        """What the optimization did, as `ccgraph-opt --json` says it."""
        text = c_void_p()
        check(lib.ccgraph_report(self._handle, byref(text)))
        read: dict[str, Any] = json.loads(take_text(text))
        return read

    def _repr_html_(self) -> str:
        try:
            return _report_table(self.report())
        except UsageError:
            return f"<pre>{html.escape(self.text('fx'))}</pre>"


def make_options(pipeline: str, options: dict[str, Any]) -> c_void_p:
    """Options of the library, to be freed by the caller. None and False say nothing."""
    raw: c_void_p = lib.ccgraph_options_new()
    try:
        given = dict(options)
        if not given.get("schedule"):
            given["pipeline"] = pipeline
        for name, value in given.items():
            if value is None or value is False:
                continue
            text = "true" if value is True else os.fspath(value) if isinstance(value, os.PathLike) else str(value)
            check(lib.ccgraph_options_set(raw, name.replace("_", "-").encode(), text.encode()))
    except BaseException:
        lib.ccgraph_options_free(raw)
        raise
    return raw


def _rows(report: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    """Numbers that stand under the same name in "before" and "after"."""
    before, after = report.get("before", {}), report.get("after", {})
    return [(name, before[name], after[name]) for name in before
            if isinstance(before[name], (int, float, str)) and name in after]


def _report_table(report: dict[str, Any]) -> str:
    rows = "".join(f"<tr><th>{html.escape(name)}</th><td>{html.escape(str(old))}</td><td>{html.escape(str(new))}</td></tr>"
                   for name, old, new in _rows(report))
    title = html.escape(f"{report.get('graph', '')}: {report.get('pipeline', '')}")
    return f"<table><caption>{title}</caption><tr><th></th><th>before</th><th>after</th></tr>{rows}</table>"


def read(path: str | os.PathLike[str], select: str | None = None) -> Graph:
    """The graph of a file, a log or a folder of logs; `select` as --graph of the tool takes it."""
    handle = c_void_p()
    check(lib.ccgraph_read(os.fspath(path).encode(), select.encode() if select else None, byref(handle)))
    return Graph(handle)


def read_bytes(data: bytes, name: str = "memory", select: str | None = None) -> Graph:
    """The graph of a text in memory; the name stands in diagnostics."""
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
             bitwise: bool = False, ranks_differ: bool = False) -> Graph:
    """Rewrites the graph, proves it, and gives it back.

    `pipeline` is a level or passes; a `schedule` (a path) takes its place. `machine` is a name or a path; `durations` and
    `groups` are paths; `memory_budget` is bytes, "40GiB", "24.6GiB", "80GB" or "unlimited", and the program's own peak where it is left out.
    """
    return graph.optimize(pipeline, machine=machine, durations=durations, groups=groups, memory_budget=memory_budget,
                          schedule=schedule, bitwise=bitwise, ranks_differ=ranks_differ)


def report(graph: Graph) -> dict[str, Any]:
    """See Graph.report."""
    return graph.report()
