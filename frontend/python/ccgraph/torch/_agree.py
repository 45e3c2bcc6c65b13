"""Agreement of ranks: each rank's compiled program carries a digest, which is compared once, when it first runs.

At compile time nothing can be compared: a rank whose compile cache is warm never calls the pass. So the digest stands in the
graph, as a small operator before the first collective, and is cached with it.
"""

from __future__ import annotations

import datetime
import itertools
import threading

import torch
import torch.distributed as dist

_NAME = "agree"
_library = torch.library.Library("ccgraph", "FRAGMENT")
_library.define(f"{_NAME}(Tensor(a!) x, str digest, float deadline) -> ()")

_lock = threading.Lock()
_agreed: set[str] = set()
_turn = itertools.count()


class RanksDisagree(RuntimeError):
    """The ranks of a job run programs that do not belong together."""


def _store() -> dist.Store | None:
    if not dist.is_available() or not dist.is_initialized() or dist.get_world_size() < 2:
        return None
    store = dist.distributed_c10d._get_default_store()
    return None if type(store).__name__ == "FakeStore" else dist.PrefixStore("ccgraph/agree", store)


def _wait(store: dist.Store, keys: list[str], deadline: float) -> list[int]:
    """Ranks that have not come by the deadline."""
    try:
        store.wait(keys, datetime.timedelta(seconds=deadline))
    except Exception:  # what a store raises at its deadline differs between versions; who is missing is asked for below
        return [rank for rank, key in enumerate(keys) if not store.check([key])]
    return []


def _ranks(ranks: list[int]) -> str:
    return ("rank " if len(ranks) == 1 else "ranks ") + ", ".join(map(str, ranks))


def _others(digests: list[str]) -> str:
    """Who runs what, those that are few named against those that are many."""
    groups: dict[str, list[int]] = {}
    for rank, digest in enumerate(digests):
        groups.setdefault(digest, []).append(rank)
    most = max(groups.values(), key=lambda ranks: (len(ranks), -ranks[0]))
    few = sorted(rank for ranks in groups.values() if ranks is not most for rank in ranks)
    differing = "; ".join(f"{_ranks(ranks)}: {digest}" for digest, ranks in groups.items())
    return f"{_ranks(few)} made another program than {_ranks(most)} ({differing})"


def compare(digest: str, deadline: float) -> None:
    """Raises RanksDisagree on every rank where the digests of all ranks are not one, or some rank does not come by the deadline."""
    with _lock:
        if digest in _agreed or (store := _store()) is None:
            return
        turn = next(_turn)
        keys = [f"{turn}/{rank}" for rank in range(dist.get_world_size())]
        store.set(keys[dist.get_rank()], digest)
        if missing := _wait(store, keys, deadline):
            raise RanksDisagree(
                f"ccgraph: {_ranks(missing)} did not run its compiled program number {turn} within {deadline:g} s, while rank {dist.get_rank()} did: "
                "compile the same program on every rank, or give Pass(deadline=...) more seconds where one compiles for longer")
        digests = [store.get(key).decode() for key in keys]
        if len(set(digests)) > 1:
            raise RanksDisagree(
                f"ccgraph: {_others(digests)}; the texts are graph:options:result. Give every rank the same graph, pipeline, machine, "
                "durations, schedule and version of ccgraph")
        _agreed.add(digest)


def _agree(x: torch.Tensor, digest: str, deadline: float) -> None:
    compare(digest, deadline)


def _agree_meta(x: torch.Tensor, digest: str, deadline: float) -> None:
    """Nothing is compared of values that are not there."""


_library.impl(_NAME, _agree, "CompositeExplicitAutograd")
_library.impl(_NAME, _agree_meta, "Meta")
agree = torch.ops.ccgraph.agree.default


def first_launch(graph: torch.fx.Graph) -> torch.fx.Node | None:
    """The first collective of a graph that reads a tensor."""
    for node in graph.nodes:
        if node.op == "call_function" and str(node.target).startswith(("_c10d_functional.", "c10d_functional.", "c10d.")) and _tensor(node):
            if "wait_tensor" not in str(node.target):
                return node
    return None


def _tensor(node: torch.fx.Node) -> torch.fx.Node | None:
    for operand in node.all_input_nodes:
        if isinstance(operand.meta.get("val"), torch.Tensor):
            return operand
    return None


def insert(graph: torch.fx.Graph, digest: str, deadline: float) -> None:
    """Puts the operator before the first collective; it is said to write what that reads, so that it stays there."""
    launch = first_launch(graph)
    if launch is None:
        return
    with graph.inserting_before(launch):
        node = graph.call_function(agree, (_tensor(launch), digest, deadline))
    node.meta["val"] = None
