"""A user's program for a type checker; wheel.py checks it with mypy."""
from pathlib import Path
from typing import Any

import ccgraph


def improve(source: Path, target: str) -> int:
    graph: ccgraph.Graph = ccgraph.read(source, select="0")
    ccgraph.optimize(graph, "-O2", machine="h100x8", memory_budget=40 << 30).verify()
    report: dict[str, Any] = ccgraph.report(graph)
    ccgraph.write(graph, target, form="fx")
    nodes: int = report["after"]["nodes"]
    return nodes


def first_line(data: bytes) -> int:
    try:
        ccgraph.verify(ccgraph.read_bytes(data, "mine.json"))
    except (ccgraph.InputError, ccgraph.UsageError) as error:
        diagnostic: ccgraph.Diagnostic = error.diagnostics[0]
        return diagnostic.line + len(diagnostic.message)
    return 0
