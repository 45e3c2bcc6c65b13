"""The rendezvous of a job's ranks through the store of the default process group, to compare the graphs that they
compiled or are about to run.

A rank meets the ranks of its groups, the ranks of their groups, and so on; it does not wait for ranks with which it
shares no group. Keys depend on the compiled graph, and not on a count, because a rank with a warm compile cache
compiles fewer graphs than another.

A waiting rank publishes the place of its wait. So two ranks that wait for each other at two places detect this
immediately, and neither waits for its deadline.
"""

from __future__ import annotations

import itertools
import json
import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import torch.distributed as dist

COMPILE, RUN = "compile", "run"
_POLL_SECONDS = (0.002, 0.1)  # the shortest and the longest interval
_BATCH, _FEW = 256, 8  # ranks whose posts are read in one request; ranks that are tested one by one in each interval


@dataclass
class Outcome:
    """The posts of the other ranks, and the reason of each missing one: "late", "running" or "elsewhere"."""

    posts: dict[int, Any] = field(default_factory=dict)
    absent: dict[int, str] = field(default_factory=dict)


def job_store() -> dist.Store | None:
    """Returns None where there is no other rank: no job, one rank, or a group without processes."""
    if not dist.is_available() or not dist.is_initialized() or dist.get_world_size() < 2:
        return None
    store = dist.distributed_c10d._get_default_store()
    inner = store
    while hasattr(inner, "underlying_store"):
        inner = inner.underlying_store
    return None if type(inner).__name__ in ("FakeStore", "HashStore") else dist.PrefixStore("ccgraph", store)


class Rendezvous:
    """The rendezvous of this rank."""

    def __init__(self, store: dist.Store) -> None:
        self.store, self.rank = store, dist.get_rank()
        self.arrived: set[str] = set()
        self._turns: defaultdict[str, itertools.count[int]] = defaultdict(itertools.count)
        #: ranks that missed their deadline; waits for them are short until they appear somewhere
        self.late: set[int] = set()

    def place(self, phase: str, key: str) -> str:
        """Returns the name of the next rendezvous about a key."""
        return f"{phase}/{key}/{next(self._turns[phase + key])}"

    def post(self, place: str, peers: set[int], payload: Any) -> None:
        self.arrived.add(place)
        self._set(f"{place}/post/{self.rank}", {"peers": sorted(peers), "payload": payload})

    def gather(self, place: str, peers: set[int], payload: Any, seconds: float) -> Outcome:
        """Posts a payload, and waits for those of all ranks that share groups, directly or through others."""
        self._set(f"at/{self.rank}", {"place": place, "peers": sorted(peers)})
        self.post(place, peers, payload)
        try:
            return _Wait(self, place, peers, payload, seconds).run()
        finally:
            self._set(f"at/{self.rank}", None)

    def vote(self, place: str, vote: str) -> None:
        self._set(f"{place}/vote/{self.rank}", vote)

    def agree(self, place: str, outcome: Outcome, vote: str, seconds: float) -> set[str]:
        """Returns the votes of all ranks that came to a rendezvous; "late" replaces a missing vote."""
        self.vote(place, vote)
        votes, deadline = {vote}, time.monotonic() + seconds
        keys = [f"{place}/vote/{rank}" for rank in outcome.posts]
        for begin in range(0, len(keys), _BATCH):
            votes.update(self._await(keys[begin:begin + _BATCH], deadline) or ["late"])
        return votes

    def _await(self, keys: list[str], deadline: float) -> list[Any] | None:
        for pause in _pauses():
            if (found := self.get_all(keys)) is not None or time.monotonic() > deadline:
                return found
            time.sleep(pause)

    def _set(self, key: str, value: Any) -> None:
        self.store.set(key, json.dumps(value))

    def get(self, key: str) -> Any:
        found = self.get_all([key])
        return found[0] if found else None

    def get_all(self, keys: list[str]) -> list[Any] | None:
        """Returns the values of keys, which are permanent once they are set; None while one is missing."""
        if not self.store.check(keys):
            return None
        many = len(keys) > 1 and self.store.has_extended_api()
        return [json.loads(value) for value in (self.store.multi_get(keys) if many else map(self.store.get, keys))]


def _pauses() -> Any:
    pause, longest = _POLL_SECONDS
    while True:
        yield pause
        pause = min(1.5 * pause, longest)


class _Wait:
    """One wait for the posts of a rendezvous."""

    def __init__(self, rendezvous: Rendezvous, place: str, peers: set[int], payload: Any, seconds: float) -> None:
        self.rendezvous, self.place, self.seconds = rendezvous, place, seconds
        self.outcome = Outcome({rendezvous.rank: payload})
        self.pending = set(peers) - {rendezvous.rank}
        self.start = time.monotonic()

    def run(self) -> Outcome:
        pauses = _pauses()
        while self.pending:
            if not self._read(sorted(self.pending)[:_BATCH]) and not any([self._look(rank)
                                                                          for rank in sorted(self.pending)[:_FEW]]):
                time.sleep(next(pauses))
        return self.outcome

    def _read(self, ranks: list[int]) -> bool:
        """Reads the posts of ranks where all of them are present."""
        posts = self.rendezvous.get_all([f"{self.place}/post/{rank}" for rank in ranks])
        for rank, post in zip(ranks, posts or ()):
            self.outcome.posts[rank] = post["payload"]
            self.pending |= set(post["peers"])
        self.pending -= self.outcome.posts.keys() | self.outcome.absent.keys()
        return posts is not None

    def _look(self, rank: int) -> bool:
        """Tests whether a rank has come, or will not come."""
        if self._read([rank]):
            self.rendezvous.late.discard(rank)
        elif (why := self._absence(rank)) is not None:
            self.outcome.absent[rank] = why
            self.pending.discard(rank)
        else:
            return False
        return True

    def _absence(self, rank: int) -> str | None:
        """Returns why a rank will not come; None where it still may."""
        rendezvous = self.rendezvous
        if rendezvous.get(f"{self.place}/skip/{rank}"):
            return "elsewhere"
        at = rendezvous.get(f"at/{rank}")
        if at and at["place"] not in rendezvous.arrived and rendezvous.rank in at["peers"]:
            running, compiling = at["place"].startswith(RUN), self.place.startswith(COMPILE)
            if compiling and running:
                return "running"  # its compile cache was warm, and it waits for this rank to run
            if compiling or running:
                rendezvous.store.set(f"{at['place']}/skip/{rendezvous.rank}", "true")
                return "elsewhere"
        patience = min(self.seconds, 1.0) if rank in rendezvous.late else self.seconds
        if time.monotonic() - self.start > patience:
            rendezvous.late.add(rank)
            return "late"
        return None
