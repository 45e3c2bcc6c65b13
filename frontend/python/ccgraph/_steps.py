"""Comparisons of training steps, and how ranks hold their values, as ccgraph-check does them."""

from __future__ import annotations

import json
import os
import weakref
from collections.abc import Sequence
from ctypes import POINTER, byref, c_char_p, c_void_p, cast
from typing import Any

from ._check import Path, _list, _options
from ._library import Paths, lib, take_text
from ._library import check as raise_error


def _paths(given: Path | Sequence[Path]) -> Paths:
    names = [os.fspath(given)] if isinstance(given, (str, os.PathLike)) else [os.fspath(path) for path in given]
    array = (c_char_p * max(len(names), 1))(*(name.encode() for name in names))
    return Paths(cast(array, POINTER(c_char_p)), len(names))


class _Answer(dict[str, Any]):
    """What `ccgraph-check --json` prints."""

    def __init__(self, handle: c_void_p) -> None:
        self._handle = handle
        weakref.finalize(self, lib.ccgraph_checked_free, handle)
        super().__init__(json.loads(self.text("json")))

    @property
    def decided(self) -> bool:
        """Whether there is an answer. The text states why there is none."""
        return int(lib.ccgraph_checked_verdict(self._handle)) != 3

    @property
    def warnings(self) -> str:
        """The warnings of reading; empty where there were none."""
        said: str = lib.ccgraph_checked_warnings(self._handle).decode()
        return said

    def text(self, form: str = "text") -> str:
        """Returns the answer as "text" or "json"."""
        text = c_void_p()
        raise_error(lib.ccgraph_checked_print(self._handle, form.encode(), byref(text)))
        return take_text(text)

    def __bool__(self) -> bool:
        return int(lib.ccgraph_checked_verdict(self._handle)) == 0


class SameStep(_Answer):
    """The output of `ccgraph-check --same-as --json`. It is true where the steps are the same."""

    def __repr__(self) -> str:
        wrong = ", ".join(self["outputs_wrong"])
        return f"<ccgraph.SameStep, {'the same' if self else f'{wrong} differ' if wrong else 'not decided'}>"


class Numerics(_Answer):
    """The output of `ccgraph-check --same-as --numerics --json`. It is true where the programs compute the same, with
    sums in any order and dtype."""

    @property
    def bitwise_equal(self) -> bool:
        """Whether all outputs of all ranks are proved to be bitwise equal."""
        return bool(self.get("bitwise_equal"))

    def __repr__(self) -> str:
        known = "bitwise equal" if self.bitwise_equal else "the same" if self else "not the same"
        return f"<ccgraph.Numerics, {known if self.decided else 'not decided'}>"


class Placements(_Answer):
    """The output of `ccgraph-check --infer-placements --json`. It is true where there is no finding."""

    def __repr__(self) -> str:
        return f"<ccgraph.Placements, {self['verdict']}>"


def _ask(function, programs: Sequence[Path | Sequence[Path]], options: dict) -> c_void_p:
    """Calls a function of the library with the paths of programs and with options, and returns its answer's handle."""
    raw = _options(options)
    handle = c_void_p()
    try:
        raise_error(function(*(byref(_paths(program)) for program in programs), raw, byref(handle)))
    finally:
        lib.ccgraph_options_free(raw)
    return handle


def same_as(reference: Path | Sequence[Path], step: Path | Sequence[Path], *,
            groups: Path | Sequence[Path] | None = None, placements: Path | None = None, ranks: int | None = None,
            same_as_groups: Path | Sequence[Path] | None = None, same_as_placements: Path | None = None,
            same_as_ranks: int | None = None, trials: int | None = None) -> SameStep:
    """Compares a parallel step with the step of one device, or with another parallel form of it.

    `step` is a job file, the graph of all ranks, or a graph for each rank in order. `groups` is one file, or one for
    each graph; `placements` states how the ranks hold inputs and outputs. `reference` is the graph of one device. It is
    a parallel form where it is a job file or several graphs, or where `same_as_groups`, `same_as_placements` or
    `same_as_ranks` are given. `trials` is the number of evaluations.
    """
    return SameStep(_ask(lib.ccgraph_same_as, [reference, step],
                         {"groups": _list(groups), "placements": placements, "ranks": ranks,
                          "same_as_groups": _list(same_as_groups), "same_as_placements": same_as_placements,
                          "same_as_ranks": same_as_ranks, "trials": trials}))


def numerics(before: Path | Sequence[Path], after: Path | Sequence[Path], *,
             groups: Path | Sequence[Path] | None = None, same_as_groups: Path | Sequence[Path] | None = None,
             placements: Path | None = None, ranks: int | None = None, trials: int | None = None,
             engine: str | None = None) -> Numerics:
    """States which outputs of two programs of one job are bitwise equal, and where the others add in another order.

    Each program is a job file, the graph of all ranks, or a graph for each rank in order. `groups` is of both;
    `same_as_groups` is of `before` where its groups have other names. With `placements`, `before` is the graph of one
    device, whose values are compared first, `trials` times. `engine` is the one whose order of sums over ranks counts:
    "any", "local" or "mpi".
    """
    return Numerics(_ask(lib.ccgraph_numerics, [before, after],
                         {"groups": _list(groups), "same_as_groups": _list(same_as_groups), "placements": placements,
                          "ranks": ranks, "trials": trials, "engine": engine}))


def infer_placements(step: Path | Sequence[Path], *, groups: Path | Sequence[Path] | None = None,
                     placements: Path | None = None, ranks: int | None = None) -> Placements:
    """States how the ranks hold each value of a step, and where that does not fit.

    `step` is the graph of all ranks, or a graph for each rank in order. `groups` is one file, or one for each graph;
    `placements` states how the ranks hold the inputs and outputs.
    """
    return Placements(_ask(lib.ccgraph_infer_placements, [step],
                           {"groups": _list(groups), "placements": placements, "ranks": ranks}))
