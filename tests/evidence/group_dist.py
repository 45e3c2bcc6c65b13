"""torch.distributed's functions, which lead to ccgraph's jobs and process groups: what the recorded calls name."""
import copy
import os
import pickle
import threading
import time
import types

import group_cases as cases
import group_objects
from group_objects import ReduceOp
from group_cases import NotOurs, milliseconds

try:
    import torch
except ImportError:
    torch = None


def is_tensor(value):
    if not torch.is_tensor(value):
        raise NotOurs("the type of an argument is Python's")
    return value


def listed(tensors):
    if torch.is_tensor(tensors) or not isinstance(tensors, (list, tuple)):
        raise NotOurs("the type of an argument is Python's")
    return [is_tensor(tensor) for tensor in tensors]


def memory(tensor):
    if tensor.is_sparse:
        raise NotOurs("there are no sparse tensors")
    if tensor.is_conj():
        raise NotOurs("there are no lazy conjugates")
    return {"data": tensor.data_ptr(), "dtype": str(tensor.dtype).split(".")[1], "sizes": list(tensor.shape),
            "strides": list(tensor.stride())}


class Work:
    def __init__(self, handle, tensors):
        self.handle, self.tensors = handle, tensors

    def wait(self, timeout=None):
        cases.LIBRARY.ask("work_wait", work=self.handle, timeout=milliseconds(timeout))
        return True

    def is_completed(self): return cases.LIBRARY.value("work_is_completed", work=self.handle)
    def result(self): return self.tensors
    def exception(self): return cases.LIBRARY.ask("work_exception", work=self.handle).get("value")
    def source_rank(self): return cases.LIBRARY.value("source_rank", work=self.handle)

    def __del__(self):
        cases.LIBRARY.ask("release", handle=self.handle)


class Group:
    def __init__(self, dist, handle):
        self.dist, self.handle = dist, handle

    @property
    def facts(self): return cases.LIBRARY.value("describe", group=self.handle)
    def rank(self): return self.facts["rank"]
    def size(self): return self.facts["size"]
    def name(self): return "gloo"
    def _get_sequence_number_for_group(self): return self.facts["sequence"]
    @property
    def group_desc(self): return self.facts["description"]
    @property
    def group_name(self): return self.facts["name"]

    def _get_backend(self, device):
        entries = dict(entry.split(":") for entry in self.facts["config"].split(","))
        if device.type not in entries:
            raise RuntimeError("No backend type associated with device type " + device.type)
        return entries[device.type]


NON_MEMBER = object()


class Dist:
    """One rank's torch.distributed."""
    HashStore, FileStore, TCPStore, PrefixStore = cases.HashStore, cases.FileStore, cases.TCPStore, cases.PrefixStore
    ReduceOp = ReduceOp

    def __init__(self, rank, environment):
        self.global_rank, self.environment = rank, environment
        self.job = self.world = None
        self.debug = "OFF"
        self.made = 0
        self.GroupMember = types.SimpleNamespace(NON_GROUP_MEMBER=NON_MEMBER)
        dist = self

        class GroupNames:
            @property
            def WORLD(self): return dist.world
        self.group = GroupNames()
        self.GroupMember.WORLD = None
        self.registered, self.more_warnings = set(), []
        self.Backend = group_objects.backend_class(self)
        self.is_tensor, self.memory = is_tensor, memory
        self.DebugLevel = types.SimpleNamespace(OFF="OFF", INFO="INFO", DETAIL="DETAIL")

    def __getattr__(self, name):
        raise NotOurs("torch.distributed." + name + " has no counterpart")

    # --- The job ------------------------------------------------------------------------------------------------
    def init_process_group(self, backend=None, init_method=None, timeout=None, world_size=-1, rank=-1, store=None,
                           **more):
        if backend not in (None, "gloo", "cuda:gloo", "cpu:gloo") and backend not in self.registered:
            raise NotOurs("backend " + str(backend))
        self.named = backend is not None
        request = {"backend": (backend or "cpu:local").replace("gloo", "local"), "timeout": milliseconds(timeout),
                   "debug": self.debug}
        if store is not None:
            request.update(store=store.handle, rank=rank, world_size=world_size)
            self.store = store
        else:
            request.update(url=init_method or "env://", environment=self.environment,
                           rank=None if rank < 0 else rank, world_size=None if world_size < 0 else world_size)
        answer = cases.LIBRARY.ask("init", **request)
        self.job, self.world_size = answer["value"], answer["world_size"]
        self.global_rank = answer["rank"]
        self.world = Group(self, answer["world"])
        self.made = 1

    def destroy_process_group(self, group=None):
        if self.job is None:
            raise NotOurs("without a job there is no group")
        if group is None:
            cases.LIBRARY.ask("release", handle=self.job)
            self.job = self.world = None

    def is_initialized(self): return self.job is not None

    def needs_job(self):
        if self.job is None:
            raise NotOurs("a group belongs to a job, which the caller holds")

    def of(self, group):
        self.needs_job()
        if group is None:
            return self.world
        if not isinstance(group, Group):
            raise NotOurs("the type of a group is the compiler's")
        return group

    def warnings(self):
        return self.more_warnings + (cases.LIBRARY.value("warnings", job=self.job) if self.job is not None else [])

    # --- Groups and ranks ---------------------------------------------------------------------------------------
    def new_group(self, ranks=None, timeout=None, backend=None, use_local_synchronization=False, sort_ranks=True,
                  **more):
        self.needs_job()
        if ranks is not None and not all(isinstance(rank, int) for rank in ranks):
            raise NotOurs("the type of a rank is the compiler's")
        if backend not in (None, "gloo", "mpi"):
            raise NotOurs("backend " + backend)
        handle = cases.LIBRARY.value("new_group", job=self.job, ranks=ranks, timeout=milliseconds(timeout),
                                     backend="" if backend in (None, "gloo") else backend,
                                     local=use_local_synchronization, sort=sort_ranks)
        self.made += 1
        group = Group(self, handle)
        if use_local_synchronization and group.rank() < 0:
            return NON_MEMBER
        return group

    def get_rank(self, group=None): return self.of(group).rank()
    def get_world_size(self, group=None): return self.of(group).size()
    def get_process_group_ranks(self, group): return self.of(group).facts["members"]
    def get_pg_count(self): return self.made
    def is_backend_available(self, name): return cases.LIBRARY.value("backend_available", name=name)

    def get_backend_config(self, group=None): return self.of(group).facts["config"].replace("local", "gloo")

    def get_backend(self, group=None):
        config = self.get_backend_config(group)
        if not self.named:
            raise NotOurs("the name that was not given is Python's")
        return config.split(",")[0].split(":")[1]

    def new_subgroups(self, group_size=None, group=None):
        return self.subgroups(size=group_size)

    def new_subgroups_by_enumeration(self, ranks):
        return self.subgroups(lists=ranks)

    def subgroups(self, **request):
        self.needs_job()
        handle = cases.LIBRARY.value("new_subgroups", job=self.job, **request)
        return (Group(self, handle) if handle is not None else None), []

    def register_rendezvous_handler(self, scheme, handler):
        cases.LIBRARY.ask("register_scheme", scheme=scheme)
    def _get_process_group_name(self, group): return self.of(group).facts["name"]

    def get_group_rank(self, group, rank):
        if not isinstance(rank, int):
            raise NotOurs("the type of a rank is the compiler's")
        return cases.LIBRARY.value("group_rank", job=self.job, group=self.of(group).handle, rank=rank)

    def get_global_rank(self, group, rank):
        return cases.LIBRARY.value("global_rank", job=self.job, group=self.of(group).handle, rank=rank)

    def member_rank(self, group, rank, group_rank):
        """A global rank, or one within the group, as the latter."""
        if rank is not None and group_rank is not None:
            raise NotOurs("ranks are within the group")
        if group_rank is not None:
            return group_rank
        if group is None or group is self.world:
            return rank
        members = group.facts["members"]
        return members.index(rank) if rank in members else rank

    # --- Calls --------------------------------------------------------------------------------------------------
    def begin(self, op, group, async_op, inputs=(), outputs=(), **more):
        """Warm memory stays alive in the work."""
        inputs, outputs = list(inputs), list(outputs)
        handle = cases.LIBRARY.value("collective", op=op, group=self.of(group).handle,
                                     inputs=[memory(t) for t in inputs], outputs=[memory(t) for t in outputs], **more)
        if handle is None:
            return None
        work = Work(handle, outputs or inputs)
        if async_op:
            return work
        work.wait()
        return None

    def all_reduce(self, tensor, op="sum", group=None, async_op=False):
        return self.begin("all_reduce", group, async_op, [is_tensor(tensor)], reduction=op)

    def all_reduce_coalesced(self, tensors, op="sum", group=None, async_op=False):
        tensors = [tensors] if torch.is_tensor(tensors) else listed(tensors)
        return self.begin("all_reduce_coalesced", group, async_op, tensors, reduction=op)

    def reduce(self, tensor, dst=None, op="sum", group=None, async_op=False, group_dst=None):
        return self.begin("reduce", group, async_op, [is_tensor(tensor)], reduction=op,
                          root=self.member_rank(group, dst, group_dst))

    def broadcast(self, tensor, src=None, group=None, async_op=False, group_src=None):
        return self.begin("broadcast", group, async_op, [is_tensor(tensor)],
                          root=self.member_rank(group, src, group_src))

    def all_gather(self, tensor_list, tensor, group=None, async_op=False):
        return self.begin("all_gather", group, async_op, [is_tensor(tensor)], listed(tensor_list))

    def all_gather_into_tensor(self, output, tensor, group=None, async_op=False):
        return self.begin("all_gather_into_tensor", group, async_op, [is_tensor(tensor)], [is_tensor(output)])

    all_gather_single = all_gather_into_tensor

    def all_gather_coalesced(self, lists, tensors, group=None, async_op=False):
        group_ = self.of(group)
        handle = cases.LIBRARY.value("collective", op="all_gather_coalesced", group=group_.handle,
                                     inputs=[memory(t) for t in listed(tensors)],
                                     lists=[[memory(t) for t in each] for each in lists])
        if handle is not None:
            Work(handle, lists).wait()

    def gather(self, tensor, gather_list=None, dst=0, group=None, async_op=False, group_dst=None):
        return self.begin("gather", group, async_op, [is_tensor(tensor)], listed(gather_list or []),
                          root=self.member_rank(group, dst, group_dst))

    def scatter(self, tensor, scatter_list=None, src=0, group=None, async_op=False, group_src=None):
        return self.begin("scatter", group, async_op, listed(scatter_list or []), [is_tensor(tensor)],
                          root=self.member_rank(group, src, group_src))

    def reduce_scatter(self, output, input_list, op="sum", group=None, async_op=False):
        return self.begin("reduce_scatter", group, async_op, listed(input_list), [is_tensor(output)], reduction=op)

    def reduce_scatter_tensor(self, output, input_, op="sum", group=None, async_op=False):
        return self.begin("reduce_scatter_tensor", group, async_op, [is_tensor(input_)], [is_tensor(output)],
                          reduction=op)

    reduce_scatter_single = reduce_scatter_tensor

    def all_to_all(self, outputs, inputs, group=None, async_op=False):
        return self.begin("all_to_all", group, async_op, listed(inputs), listed(outputs))

    def all_to_all_single(self, output, input_, output_split_sizes=None, input_split_sizes=None, group=None,
                          async_op=False):
        return self.begin("all_to_all_single", group, async_op, [is_tensor(input_)], [is_tensor(output)],
                          output_splits=output_split_sizes or [], input_splits=input_split_sizes or [])

    def barrier(self, group=None, async_op=False, device_ids=None):
        return self.begin("barrier", group, async_op)

    def monitored_barrier(self, group=None, timeout=None, wait_all_ranks=False):
        cases.LIBRARY.ask("monitored_barrier", group=self.of(group).handle, timeout=milliseconds(timeout),
                          all=wait_all_ranks)

    def isend(self, tensor, dst=None, group=None, tag=0, group_dst=None):
        return self.begin("send", group, True, [is_tensor(tensor)], peer=self.member_rank(group, dst, group_dst),
                          tag=tag)

    def irecv(self, tensor, src=None, group=None, tag=0, group_src=None):
        if src is None and group_src is None:
            return self.begin("recv_any", group, True, outputs=[is_tensor(tensor)], tag=tag)
        return self.begin("recv", group, True, outputs=[is_tensor(tensor)],
                          peer=self.member_rank(group, src, group_src), tag=tag)

    def send(self, tensor, dst=None, group=None, tag=0, group_dst=None):
        self.isend(tensor, dst, group, tag, group_dst).wait()

    def recv(self, tensor, src=None, group=None, tag=0, group_src=None):
        work = self.irecv(tensor, src, group, tag, group_src)
        if work is None:
            return -1
        work.wait()
        if src is None and group_src is None:
            return self.of(group).facts["members"][work.source_rank()]
        return src if src is not None else self.of(group).facts["members"][group_src]

    def P2POp(self, *arguments, **named): return group_objects.P2POp(self, *arguments, **named)
    def batch_isend_irecv(self, operations): return group_objects.batch_isend_irecv(self, operations, Work)

    # Objects travel as their length and their bytes: two collectives.
    def all_gather_object(self, objects, value, group=None):
        if self.of(group).rank() < 0:
            return self.begin("barrier", group, False)
        data = torch.frombuffer(bytearray(pickle.dumps(value)), dtype=torch.uint8)
        size = self.get_world_size(group)
        lengths = [torch.zeros(1, dtype=torch.int64) for _ in range(size)]
        self.all_gather(lengths, torch.tensor([data.numel()]), group)
        most = max(int(length) for length in lengths)
        padded = torch.zeros(most, dtype=torch.uint8)
        padded[:data.numel()] = data
        parts = [torch.zeros(most, dtype=torch.uint8) for _ in range(size)]
        self.all_gather(parts, padded, group)
        for i, (part, length) in enumerate(zip(parts, lengths)):
            objects[i] = pickle.loads(bytes(part[:int(length)].tolist()))

    def broadcast_object_list(self, objects, src=0, group=None):
        if self.of(group).rank() < 0:
            return self.begin("barrier", group, False)
        data = torch.frombuffer(bytearray(pickle.dumps(objects)), dtype=torch.uint8)
        length = torch.tensor([data.numel()])
        self.broadcast(length, src, group)
        sent = data if self.get_rank() == src else torch.zeros(int(length), dtype=torch.uint8)
        self.broadcast(sent, src, group)
        objects[:] = pickle.loads(bytes(sent.tolist()))

    # --- Settings -----------------------------------------------------------------------------------------------
    def rendezvous(self, url, rank=None, world_size=None, timeout=None):
        if not isinstance(url, str) or not all(isinstance(n, (int, type(None))) for n in (rank, world_size)):
            raise NotOurs("the type of an argument is Python's")
        answer = cases.LIBRARY.ask("join", url=url, rank=rank, world_size=world_size, timeout=milliseconds(timeout),
                                   environment=self.environment)
        store = cases.Store()
        store.handle = answer["value"]
        named = {"TCPStore": cases.TCPStore, "FileStore": cases.FileStore}.get(answer["type"])
        if named:
            store.__class__ = named
        return iter([(store, answer["rank"], answer["world_size"])])

    def get_node_local_rank(self, fallback_rank=None):
        if fallback_rank is not None and not isinstance(fallback_rank, int):
            raise NotOurs("the type of a rank is Python's")
        return cases.LIBRARY.value("local_rank", environment=self.environment, fallback=fallback_rank)

    def BackendConfig(self, text):
        if not isinstance(text, str):
            raise NotOurs("the type of a name is Python's")
        answer = cases.LIBRARY.ask("config", text=text)
        self.config_warnings = answer["warnings"]

        class Config:
            def __repr__(self): return answer["value"][0]
            def get_device_backend_map(self): return answer["value"][1]
        return Config()

    def set_debug_level(self, level): self.debug = level
    def get_debug_level(self): return "DebugLevel." + self.debug

    def set_debug_level_from_env(self):
        text = os.environ.get("TORCH_DISTRIBUTED_DEBUG", self.environment.get("TORCH_DISTRIBUTED_DEBUG", "OFF"))
        self.debug = cases.LIBRARY.value("debug_level", text=text)

    def _store_based_barrier(self, rank, store, group_name, rendezvous_count, timeout, logging_interval=None):
        store.call("barrier", group=group_name, rank=rank, ranks=rendezvous_count, timeout=milliseconds(timeout))


def names_for(rank, ranks, path, case):
    """The names that a record's calls use, on one rank."""
    dist = Dist(rank, case.get("env") or {})
    if case.get("process_group") == "gloo":
        dist.init_process_group("gloo", store=cases.FileStore(path + ".job", ranks), rank=rank, world_size=ranks,
                                timeout=cases.timedelta(seconds=2 if case["group"] == "peer_absent" else 20))
    names = {name: getattr(cases, name) for name in
             ("HashStore", "FileStore", "TCPStore", "PrefixStore", "attempt", "timed", "threads", "timedelta")}
    names.update(dist=dist, c10d=dist, fc=group_objects.Functional(dist), pg=dist.world, ReduceOp=ReduceOp,
                 torch=torch, threading=threading, time=time,
                 os=cases.System(), gc=cases.gc, sys=cases.sys, cp=copy, pk=pickle, warnings=cases.warnings,
                 sec=lambda seconds: cases.timedelta(seconds=seconds))
    names["_warn"] = []
    names["_warnings"] = dist.warnings
    # A rank that has ended must leave its job, so the others do not wait for it.
    names["_close"] = lambda: dist.destroy_process_group() if dist.job is not None else None
    return names
