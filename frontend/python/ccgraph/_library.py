"""The C ABI (ccgraph.h) through ctypes: structs, functions, and errors as exceptions."""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, byref, c_char_p, c_int32, c_int64, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p
from dataclasses import dataclass
from pathlib import Path

ABI_MAJOR, ABI_MINOR = 1, 5
NO_TEXT = 0xFFFFFFFF


@dataclass(frozen=True)
class Diagnostic:
    """One finding: its place, its message, and the repair. Line and column count from 1; 0 where unknown."""

    severity: str
    rule: str
    file: str
    line: int
    column: int
    where: str
    message: str
    notes: tuple[str, ...]


class Error(Exception):
    """An error of ccgraph; its text is the message of the tools."""

    def __init__(self, text: str, diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(text.rstrip("\n"))
        self.diagnostics = diagnostics


class InputError(Error):
    """An invalid file or graph."""


class UsageError(Error):
    """An invalid call or option."""


class CheckError(Error):
    """A requested check that failed."""


class DefectError(Error):
    """A defect of ccgraph, for any input: please report it."""


_KINDS = {1: InputError, 2: UsageError, 3: CheckError, 4: DefectError}


class _Diagnostic(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("severity", c_int32), ("line", c_uint32), ("column", c_uint32),
                ("rule", c_char_p),
                ("file", c_char_p), ("where", c_char_p), ("message", c_char_p), ("notes", c_char_p)]


class Paths(ctypes.Structure):
    _fields_ = [("paths", POINTER(c_char_p)), ("count", c_size_t)]


class Flat(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("node_count", c_uint32), ("text_count", c_uint32), ("text_bytes", c_char_p),
                ("text_begin", POINTER(c_uint64)), ("opcodes", POINTER(c_uint8)), ("names", POINTER(c_uint32)),
                ("targets", POINTER(c_uint32)), ("types", POINTER(c_uint32)), ("code_begin", POINTER(c_uint64)),
                ("code", POINTER(c_int64))]


class Around(ctypes.Structure):
    pass


Around._fields_ = [("struct_size", c_size_t), ("frame_count", c_uint32), ("symbol_count", c_uint32),
                   ("subgraph_count", c_uint32),
                   ("node_frames", POINTER(c_uint32)), ("frame_texts", POINTER(c_uint32)),
                   ("frame_lines", POINTER(c_int64)),
                   ("symbols", POINTER(c_uint32)), ("hints", POINTER(c_int64)), ("subgraph_names", POINTER(c_uint32)),
                   ("subgraphs", POINTER(POINTER(Flat))), ("subgraph_arounds", POINTER(POINTER(Around)))]


class EditView(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("order_count", c_uint32), ("operand_count", c_uint32),
                ("order", POINTER(c_uint32)),
                ("operands", POINTER(c_uint32)), ("made", Flat), ("like_begin", POINTER(c_uint32)),
                ("likes", POINTER(c_uint32))]


_PROTOTYPES = {
    "ccgraph_abi_version": (c_uint32, []),
    "ccgraph_version": (c_char_p, []),
    "ccgraph_error_kind": (c_int32, [c_void_p]),
    "ccgraph_error_text": (c_char_p, [c_void_p]),
    "ccgraph_error_count": (c_size_t, [c_void_p]),
    "ccgraph_error_at": (c_int32, [c_void_p, c_size_t, POINTER(_Diagnostic)]),
    "ccgraph_error_free": (None, [c_void_p]),
    "ccgraph_text_data": (c_void_p, [c_void_p]),
    "ccgraph_text_size": (c_size_t, [c_void_p]),
    "ccgraph_text_free": (None, [c_void_p]),
    "ccgraph_options_new": (c_void_p, []),
    "ccgraph_options_set": (c_void_p, [c_void_p, c_char_p, c_char_p]),
    "ccgraph_options_check": (c_void_p, [c_void_p]),
    "ccgraph_options_free": (None, [c_void_p]),
    "ccgraph_read": (c_void_p, [c_char_p, c_char_p, POINTER(c_void_p)]),
    "ccgraph_read_bytes": (c_void_p, [c_char_p, c_char_p, c_size_t, c_char_p, POINTER(c_void_p)]),
    "ccgraph_graph_free": (None, [c_void_p]),
    "ccgraph_graph_warnings": (c_char_p, [c_void_p]),
    "ccgraph_print": (c_void_p, [c_void_p, c_char_p, POINTER(c_void_p)]),
    "ccgraph_write": (c_void_p, [c_void_p, c_char_p, c_char_p]),
    "ccgraph_digest": (c_void_p, [c_void_p, POINTER(c_void_p)]),
    "ccgraph_verify": (c_void_p, [c_void_p]),
    "ccgraph_optimize": (c_void_p, [c_void_p, c_void_p]),
    "ccgraph_advise": (c_void_p, [c_void_p]),
    "ccgraph_report": (c_void_p, [c_void_p, POINTER(c_void_p)]),
    "ccgraph_import": (c_void_p, [POINTER(Flat), c_char_p, POINTER(c_void_p)]),
    "ccgraph_import_with": (c_void_p, [POINTER(Flat), POINTER(Around), c_char_p, POINTER(c_void_p)]),
    "ccgraph_edits_of": (c_void_p, [c_void_p, POINTER(c_void_p)]),
    "ccgraph_edits_view": (c_int32, [c_void_p, POINTER(EditView)]),
    "ccgraph_edits_free": (None, [c_void_p]),
    "ccgraph_check": (c_void_p, [POINTER(c_char_p), c_size_t, c_void_p, POINTER(c_void_p)]),
    "ccgraph_check_contract": (c_void_p, [c_char_p, c_char_p, c_void_p, POINTER(c_void_p)]),
    "ccgraph_contract_of": (c_void_p, [c_char_p, c_void_p, POINTER(c_void_p)]),
    "ccgraph_optimize_job": (c_void_p, [c_char_p, c_char_p, c_void_p, POINTER(c_void_p)]),
    "ccgraph_same_as": (c_void_p, [POINTER(Paths), POINTER(Paths), c_void_p, POINTER(c_void_p)]),
    "ccgraph_numerics": (c_void_p, [POINTER(Paths), POINTER(Paths), c_void_p, POINTER(c_void_p)]),
    "ccgraph_infer_placements": (c_void_p, [POINTER(Paths), c_void_p, POINTER(c_void_p)]),
    "ccgraph_checked_verdict": (c_int32, [c_void_p]),
    "ccgraph_checked_count": (c_size_t, [c_void_p]),
    "ccgraph_checked_warnings": (c_char_p, [c_void_p]),
    "ccgraph_checked_print": (c_void_p, [c_void_p, c_char_p, POINTER(c_void_p)]),
    "ccgraph_checked_free": (None, [c_void_p]),
}


def library_path() -> Path:
    """Returns CCGRAPH_LIBRARY where it is set, else the library of the package."""
    if named := os.environ.get("CCGRAPH_LIBRARY"):
        return Path(named)
    found = sorted(Path(__file__).parent.glob("libccgraph_c.so*"))
    if not found:
        raise ImportError(f"no libccgraph_c.so beside {__file__}: install the package (pip install frontend/python), "
                          "or set CCGRAPH_LIBRARY "
                          "to the library of a build tree")
    return found[0]


def _load() -> ctypes.CDLL:
    path = library_path()
    library = ctypes.CDLL(str(path))
    library.ccgraph_abi_version.restype = c_uint32
    major, minor = divmod(library.ccgraph_abi_version(), 1 << 16)
    if major != ABI_MAJOR or minor < ABI_MINOR:
        raise ImportError(f"{path} has version {major}.{minor} of the C ABI, expected {ABI_MAJOR}.{ABI_MINOR} or a "
                          f"later {ABI_MAJOR}: "
                          "install the library that belongs to this package")
    for name, (result, arguments) in _PROTOTYPES.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


lib = _load()


def _diagnostics(error: int) -> tuple[Diagnostic, ...]:
    found = []
    raw = _Diagnostic(struct_size=ctypes.sizeof(_Diagnostic))
    for index in range(lib.ccgraph_error_count(error)):
        lib.ccgraph_error_at(error, index, byref(raw))
        rule, file, where, message, notes = (getattr(raw, field).decode()
                                             for field in ("rule", "file", "where", "message", "notes"))
        found.append(Diagnostic("warning" if raw.severity else "error", rule, file, raw.line, raw.column, where,
                                message,
                                tuple(notes.split("\n")) if notes else ()))
    return tuple(found)


def check(error: int | None) -> None:
    """Raises the error that a function returned, if any."""
    if not error:
        return
    try:
        kind, text = lib.ccgraph_error_kind(error), lib.ccgraph_error_text(error).decode()
        diagnostics = _diagnostics(error)
    finally:
        lib.ccgraph_error_free(error)
    raise _KINDS.get(kind, Error)(text, diagnostics)


def take_text(text: c_void_p) -> str:
    """Returns the content of a text, and frees the text."""
    try:
        return ctypes.string_at(lib.ccgraph_text_data(text), lib.ccgraph_text_size(text)).decode()
    finally:
        lib.ccgraph_text_free(text)
