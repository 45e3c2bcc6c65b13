"""Agreement of ranks about one graph. Ranks that compile it agree at compile time; graphs from a compile cache are
checked at their first run.

Only a rewrite that changes the issued collectives, or their order, needs an agreement. All ranks keep the original
order if their decisions differ, if a rank has rejected the graph, or if a rank does not arrive. Rewrites without such
changes are valid whatever other ranks run.
"""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist

from . import _groups
from ._issued import Decision, Issued, inconsistent, ranks_of
from ._rendezvous import COMPILE, RUN, Outcome, Rendezvous, job_store

_NAME = "agree"
_library = torch.library.Library("ccgraph", "FRAGMENT")
_library.define(f"{_NAME}(Tensor(a!) x, str digest, float deadline) -> ()")

_lock = threading.RLock()
_checked: set[str] = set()
_rendezvous: dict[int, Rendezvous] = {}


class RanksDisagree(RuntimeError):
    """The ranks of a job are about to issue collectives in different orders."""


class RanksDiffer(UserWarning):
    """The ranks of a job compiled graphs for which their decisions differ, so all ranks keep the original order."""


def _rendezvous_of_job() -> Rendezvous | None:
    """Returns one rendezvous for each default process group, since a job may make a second one."""
    store = job_store()
    if store is None:
        return None
    key = id(dist.distributed_c10d._get_default_group())
    if key not in _rendezvous:
        _rendezvous.clear()
        _checked.clear()
        _rendezvous[key] = Rendezvous(store)
    return _rendezvous[key]


def _ranks(ranks: list[int]) -> str:
    few = ", ".join(map(str, ranks[:8])) + (f" and {len(ranks) - 8} more" if len(ranks) > 8 else "")
    return ("rank " if len(ranks) == 1 else "ranks ") + few


def _peers(groups: list[list[int]]) -> set[int]:
    return {rank for group in groups for rank in group}


@dataclass
class Agreed:
    """The result of an agreement.

    `shared`: all ranks issue the collectives of this rank's rewrite; otherwise `why` is the reason why each rank keeps
    its original order. `late`: a rank did not arrive. `warm`: a rank waits already in the check before the first run,
    so this rank must take part in it too.
    """

    shared: bool
    why: str = ""
    late: bool = False
    warm: bool = False


def at_compile_time(issued: Issued, decision: Decision | None, seconds: float) -> Agreed:
    """Returns whether all ranks that share groups with this one made the same decision. With `decision` None, this rank
    keeps its order in any case, and waits for no other.
    """
    with _lock:
        rendezvous = _rendezvous_of_job()
        if rendezvous is None or not issued.nodes:
            return Agreed(decision is not None)
        groups = ranks_of(issued.groups)
        place = rendezvous.place(COMPILE, issued.kinds)
        payload = {"decision": f"{decision.digest} {issued.original}" if decision else None, "groups": groups}
        if decision is None:
            rendezvous.post(place, _peers(groups), payload)
            rendezvous.vote(place, _LEFT.format(_ranks([rendezvous.rank])))
            return Agreed(False)
        outcome = rendezvous.gather(place, _peers(groups), payload, seconds)
        agreed = (_verdict(outcome) if _all_come(outcome)
                  else Agreed(False, _absence(outcome, seconds), "late" in outcome.absent.values()))
        votes = rendezvous.agree(place, outcome, "share" if agreed.shared else agreed.why, 2 * seconds)
        if votes == {"share"}:
            return Agreed(True, warm="running" in outcome.absent.values())
        return Agreed(False, agreed.why or "; ".join(sorted(votes - {"share"})), agreed.late)


_LEFT = "{} keeps the order of its graph"


def _all_come(outcome: Outcome) -> bool:
    """A rank that runs already has this rank's graph in its compile cache; the first run shows whether the graphs are
    the same."""
    return all(why == "running" for why in outcome.absent.values())


def _absence(outcome: Outcome, seconds: float) -> str:
    elsewhere = sorted(rank for rank, why in outcome.absent.items() if why == "elsewhere")
    late = sorted(rank for rank, why in outcome.absent.items() if why == "late")
    said = [f"{_ranks(elsewhere)} compiled a graph with other collectives"] if elsewhere else []
    return "; ".join(said + ([f"{_ranks(late)} did not compile this graph within {seconds:g} s"] if late else []))


def _verdict(outcome: Outcome) -> Agreed:
    """Computes the verdict from the posts of all ranks, so that all ranks reach the same verdict."""
    deciders: dict[Any, list[int]] = {}
    for rank, post in sorted(outcome.posts.items()):
        deciders.setdefault(post["decision"], []).append(rank)
    if None in deciders:
        return Agreed(False, _LEFT.format(_ranks(deciders[None])))
    if len(deciders) > 1:
        most = max(deciders.values(), key=lambda ranks: (len(ranks), -ranks[0]))
        few = sorted(rank for ranks in deciders.values() if ranks is not most for rank in ranks)
        return Agreed(False, f"{_ranks(few)} decided otherwise than {_ranks(most)} for a graph with the same "
                             "collectives")
    odd = inconsistent({rank: post["groups"] for rank, post in outcome.posts.items()})
    return Agreed(odd is None, "" if odd is None
                  else f"rank {odd} uses its groups in another order than a rank of these groups")


def before_first_run(digest: str, deadline: float) -> None:
    """Raises RanksDisagree on every rank unless all ranks that share groups are about to issue the same collectives in
    the same order."""
    with _lock:
        rendezvous = _rendezvous_of_job()
        if rendezvous is None or digest in _checked:
            return
        said = json.loads(digest)
        groups = ranks_of(said["groups"])
        outcome = rendezvous.gather(rendezvous.place(RUN, said["decision"]), _peers(groups),
                               {"decision": said["decision"], "groups": groups}, deadline)
        if outcome.absent or not _verdict(outcome).shared:
            raise RanksDisagree(_disagreement(rendezvous.rank, outcome, deadline))
        _groups.make(said["new"])
        _checked.add(digest)


_REPAIR = ("Compile caches of different jobs do this, and ranks that compile a step anew at different times: empty the "
           "compile cache of every rank "
           "(TORCHINDUCTOR_CACHE_DIR), or give Pass(ranks_differ=True) on every rank, which keeps the order of "
           "collectives")


def _disagreement(rank: int, outcome: Outcome, deadline: float) -> str:
    elsewhere = sorted(other for other, why in outcome.absent.items() if why == "elsewhere")
    late = sorted(other for other, why in outcome.absent.items() if why != "elsewhere")
    if elsewhere:
        what = f"{_ranks(elsewhere)} issues the collectives of its compiled graph in another order than rank {rank}"
    elif late:
        what = (f"{_ranks(late)} did not run a compiled graph with the order of collectives of rank {rank} within "
                f"{deadline:g} s")
    else:
        what = _verdict(outcome).why
    return f"ccgraph: {what}. {_REPAIR}"


def _agree(x: torch.Tensor, digest: str, deadline: float) -> None:
    before_first_run(digest, deadline)


def _agree_meta(x: torch.Tensor, digest: str, deadline: float) -> None:
    """Compares nothing, since there are no values."""


_library.impl(_NAME, _agree, "CompositeExplicitAutograd")
_library.impl(_NAME, _agree_meta, "Meta")
agree = torch.ops.ccgraph.agree.default


def insert_check(graph: torch.fx.Graph, decision: Decision, groups: list[str], deadline: float) -> None:
    """Inserts the operator before the first collective. Its schema writes the tensor that this collective reads, so
    Inductor keeps it in place. It also makes the new groups of the decision."""
    found = _first_launch(graph)
    if found is None:
        return
    launch, operand = found
    with graph.inserting_before(launch):
        said = {"decision": decision.digest, "groups": groups, "new": decision.new_groups}
        node = graph.call_function(agree, (operand, json.dumps(said), deadline))
    node.meta["val"] = None


def _first_launch(graph: torch.fx.Graph) -> tuple[torch.fx.Node, torch.fx.Node] | None:
    for node in Issued(list(graph.nodes)).nodes:
        for operand in node.all_input_nodes:
            if isinstance(operand.meta.get("val"), torch.Tensor):
                return node, operand
    return None
