"""Runs the recorded situations of torch.distributed on ccgraph's stores and process groups.

A record is Python: `calls` are executed on each rank, a thread, with the names that PyTorch has, which lead to ccgraph
here (build/.../libccgraph_group_cases.so). Tensors are PyTorch's; ccgraph works in their memory.
"""
import contextlib
import copy
import ctypes
import datetime
import gc
import json
import os
import pickle
import re
import socket
import sys
import tempfile
import threading
import time
import warnings

timedelta = datetime.timedelta


class NotOurs(Exception):
    """The situation is one of Python alone: ccgraph has no counterpart."""


class RankEnds(BaseException):
    """A rank ends its process, which here is a thread."""


class System:
    """The module os, but for the end of a process."""
    def __getattr__(self, name): return getattr(os, name)
    def _exit(self, code): raise RankEnds(code)


def error_class(name, base=RuntimeError):
    return type(name, (base,), {})


DistStoreError = error_class("DistStoreError")
DistNetworkError = error_class("DistNetworkError")
CLASSES = {"store.timeout": DistStoreError, "store.network": DistNetworkError, "store.value": ValueError,
           "store.unsupported": NotImplementedError, "store.init": ValueError, "group.dtype": ValueError,
           "group.argument": ValueError}


class Library:
    def __init__(self, path):
        self.function = ctypes.CDLL(path).ccgraph_group_case
        self.function.restype = ctypes.c_char_p

    def ask(self, call, **request):
        request["call"] = call
        answer = json.loads(self.function(json.dumps(request).encode()))
        if "error" in answer:
            if answer["rule"] == "script":
                raise AssertionError(answer["error"])
            raise CLASSES.get(answer["rule"], RuntimeError)(answer["error"])
        return answer

    def value(self, call, **request):
        return self.ask(call, **request).get("value")


LIBRARY = None


def milliseconds(time_):
    if time_ is None:
        return None
    if not isinstance(time_, timedelta):
        raise NotOurs("the type of a timeout is Python's")
    return int(time_.total_seconds() * 1000)


def to_bytes(value):
    if isinstance(value, str):
        value = value.encode()
    if not isinstance(value, (bytes, bytearray)):
        raise NotOurs("the type of a value is Python's")
    return bytes(value)


def hex_of(value):
    return to_bytes(value).hex()


class Store:
    handle = None

    def call(self, call, **request):
        return LIBRARY.value(call, handle=self.handle, **request)

    def set(self, key, value): self.call("set", key=hex_of(key), value=hex_of(value))
    def get(self, key): return bytes.fromhex(self.call("get", key=hex_of(key)))
    def add(self, key, amount): return self.call("add", key=hex_of(key), amount=amount)
    def check(self, keys): return self.call("check", keys=[hex_of(k) for k in keys])
    def delete_key(self, key): return self.call("delete_key", key=hex_of(key))
    def num_keys(self): return self.call("num_keys")
    def list_keys(self): return [bytes.fromhex(k).decode() for k in self.call("list_keys")]
    def has_extended_api(self): return self.call("has_extended_api")
    def append(self, key, value): self.call("append", key=hex_of(key), value=hex_of(value))
    def queue_push(self, key, value): self.call("queue_push", key=hex_of(key), value=hex_of(value))
    def queue_len(self, key): return self.call("queue_len", key=hex_of(key))
    def set_timeout(self, time_): self.call("set_timeout", timeout=milliseconds(time_))
    def clone(self): return self

    def compare_set(self, key, expected, value):
        return bytes.fromhex(self.call("compare_set", key=hex_of(key), expected=hex_of(expected), value=hex_of(value)))

    def wait(self, keys, time_=None):
        self.call("wait", keys=[hex_of(k) for k in keys], timeout=milliseconds(time_))

    def multi_set(self, keys, values):
        self.call("multi_set", keys=[hex_of(k) for k in keys], values=[hex_of(v) for v in values])

    def multi_get(self, keys):
        return [bytes.fromhex(v) for v in self.call("multi_get", keys=[hex_of(k) for k in keys])]

    def queue_pop(self, key, block=True):
        return bytes.fromhex(self.call("queue_pop", key=hex_of(key), timeout=None if block else 0))

    @property
    def timeout(self): return timedelta(milliseconds=self.call("timeout"))

    def __del__(self):
        if self.handle is not None:
            LIBRARY.ask("release", handle=self.handle)


class HashStore(Store):
    def __init__(self): self.handle = LIBRARY.value("store", kind="hash")


class FileStore(Store):
    def __init__(self, path, users=None):
        self.path = path
        self.handle = LIBRARY.value("store", kind="file", path=path, users=users)


class PrefixStore(Store):
    def __init__(self, prefix, store):
        if store is None:
            raise NotOurs("a reference is never null")
        self.underlying_store = store
        self.handle = LIBRARY.value("store", kind="prefix", prefix=prefix, handle=store.handle)


class TCPStore(Store):
    def __init__(self, host, port, world_size=None, is_master=False, timeout=None, wait_for_workers=True,
                 multi_tenant=False, use_libuv=True):
        if not isinstance(port, int) or port < 0:
            raise NotOurs("the type of a port is Python's")
        if not use_libuv:
            raise NotOurs("there is one server")
        self.handle = LIBRARY.value("store", kind="tcp", host=host, port=port, users=world_size, server=is_master,
                                    timeout=milliseconds(timeout), waits=wait_for_workers, shares=multi_tenant)


def attempt(function):
    try:
        return function()
    except NotOurs:
        raise
    except Exception as error:
        return {"error": type(error).__name__, "text": str(error)}


def timed(function):
    begun = time.monotonic()
    result = attempt(function)
    return [result, round(time.monotonic() - begun)]


def threads(functions):
    results = [None] * len(functions)
    failures = []

    def run(index):
        try:
            results[index] = serialized(attempt(functions[index]))
        except BaseException as error:  # of a situation that is not ours
            failures.append(error)

    running = [threading.Thread(target=run, args=(i,)) for i in range(len(functions))]
    [thread.start() for thread in running]
    [thread.join() for thread in running]
    if failures:
        raise failures[0]
    return results


def serialized(value):
    if isinstance(value, (bytes, bytearray)):
        return {"bytes": bytes(value).decode("latin1")}
    if isinstance(value, (list, tuple)):
        return [serialized(each) for each in value]
    if isinstance(value, dict):
        return {str(key): serialized(each) for key, each in value.items()}
    if type(value).__name__ == "Tensor":
        if value.is_complex():
            flat = [str(complex(each)) for each in value.reshape(-1).tolist()]
            numbers = flat if value.dim() else flat
            return {"tensor": numbers, "dtype": str(value.dtype).split(".")[1], "shape": list(value.shape)}
        return {"tensor": value.tolist(), "dtype": str(value.dtype).split(".")[1], "shape": list(value.shape)}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return {"repr": repr(value)}


def free_port():
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return made.getsockname()[1]


# ccgraph has a counterpart of the functional collectives, which the names contain.
FUNCTIONAL = "import torch.distributed._functional_collectives as fc\n"


def run_case(case, names, limit):
    """The outcome of each rank: {"value": ...} or {"error": type, "text": ...}."""
    folder = tempfile.mkdtemp(prefix="ccgraph-groups-")
    path, port, ranks = os.path.join(folder, "store"), free_port(), case["ranks"]
    outcomes = [{"error": "Hang", "text": "no result within limit"} for _ in range(ranks)]

    ended = [threading.Event() for _ in range(ranks)]

    def rank(r):
        scope = dict(names(r, ranks, path, case))
        scope.update(r=r, w=ranks, path=path, port=port)
        shown = []
        scope["_warn"].append(shown.append)
        try:
            exec(compile(case["calls"].replace(FUNCTIONAL, ""), case["id"], "exec"), scope)
            outcomes[r] = {"value": serialized(scope.get("out"))}
        except NotOurs as why:
            outcomes[r] = {"not ours": str(why)}
        except RankEnds:
            outcomes[r] = {"error": "Died", "text": "no result"}
        except (NameError, TypeError, StopIteration) as error:  # Python's own checks
            outcomes[r] = {"not ours": str(error)}
        except Exception as error:
            outcomes[r] = {"error": type(error).__name__, "text": str(error)}
        warned = scope["_warnings"]()
        if warned:
            outcomes[r]["warnings"] = warned
        ended[r].set()
        # A process that was recorded did not end before the others, unless the situation is that it ends.
        if outcomes[r].get("error") != "Died":
            [other.wait(2) for other in ended]
        scope["_close"]()
        scope.clear()
        gc.collect()

    running = [threading.Thread(target=rank, args=(r,), daemon=True) for r in range(ranks)]
    [thread.start() for thread in running]
    until = time.monotonic() + limit
    [thread.join(max(0, until - time.monotonic())) for thread in running]
    return outcomes


def words_of(text):
    text = re.sub(r"ProcessGroupGloo::\w+: ", "", text)
    text = re.sub(r"\[<rank>\]:\[F<time> [\w.]+:<line>\]", "", text)
    # The options of a tensor count as its device.
    text = re.sub(r"TensorOptions\([^()]*(\([^()]*\)[^()]*)*\)", " cpu ", text)
    text = re.sub(r"<[\w.]+ object at <addr>>", " ", text)
    text = re.sub(r"<(path|port|host|addr|src|line|ms|time|tensor|rank)>", " ", text)
    return re.findall(r"[A-Za-z0-9]+", text.lower())


TRANSPORT = ("pair.cc", "unbound_buffer.cc", "context.cc", "Connection closed", "Read error", "Connection reset")


def is_error(outcome):
    return isinstance(outcome, dict) and "error" in outcome and "text" in outcome


def same_text(theirs, ours):
    """The words of PyTorch's text are in ours, up to one in five."""
    if any(mark in theirs for mark in TRANSPORT):
        return True
    wanted, got = words_of(theirs), set(words_of(ours))
    missing = [word for word in wanted if word not in got]
    return len(missing) <= len(wanted) / 5


def differences(theirs, ours):
    """The parts in which two outcomes differ: (what, their part, our part)."""
    if is_error(theirs) or is_error(ours):
        return error_differences(theirs, ours)
    if isinstance(theirs, list) and isinstance(ours, list):
        if len(theirs) != len(ours):
            return [("the lengths differ", theirs, ours)]
        return [found for pair in zip(theirs, ours) for found in differences(*pair)]
    if isinstance(theirs, dict) and isinstance(ours, dict):
        if set(theirs) - {"warnings"} != set(ours) - {"warnings"}:
            return [("the keys differ", theirs, ours)]
        return [found for key in theirs if key != "warnings" for found in differences(theirs[key], ours[key])]
    return [] if theirs == ours else [("the values differ", theirs, ours)]


def error_differences(theirs, ours):
    if not (is_error(theirs) and is_error(ours)):
        return [("one is an error", theirs, ours)]
    if theirs["error"] in ("Hang", "Died"):
        return [] if ours["error"] == theirs["error"] else [(theirs["error"], theirs, ours)]
    return [] if same_text(theirs["text"], ours["text"]) else [("the texts differ", theirs, ours)]


def outcomes_of(case):
    return case.get("outcome_by_rank") or [case["outcome"]] * case["ranks"]
