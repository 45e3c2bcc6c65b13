#!/usr/bin/env python3
"""Prints what each operator of PyTorch was seen to do to its arguments: the list that the operator table is held to.

usage: observe_effects.py [--reading] [--check LIST] [--only SUBSTRING]

Each operator of aten and prims whose schema says that it writes an argument (with --reading, each that writes none) is
called on small tensors, made up from the types in its schema: of several shapes and dtypes, and with buffers (`out`)
that fit, are empty, or have another size. Before and after, everything that a tensor is made of is compared:

    reshaped   sizes, strides, offset, dtype, the storage that it has or how large that is
    written    its elements, or its version counter
    shared     a result has its storage
    random     the state of the default generator (of the call, written under the name "*")
    gradient   it requires a gradient now, or no longer does
    flag       its conjugate or negative bit

A line: operator, parameter, what was seen, separated by tabs; sorted. What was never seen is not said: an operator
whose arguments could not be made up is not in the list. --check compares with LIST and says what differs: only more is
an error, because a machine may lack a kernel that made a line.
"""
import argparse
import itertools
import os
import signal
import sys

import torch

SHAPES = ([2, 3], [3, 3], [1, 4], [2, 3, 4], [4], [], [2, 3, 4, 4])
DTYPES = (torch.float32, torch.int64, torch.bool, torch.complex64)
# These operators end or stop the process, block, or affect its environment; _lazy_clone shares its storage until a
# write.
SKIPPED = ("aten._backward", "aten.backward", "aten.record_stream", "aten.from_file", "aten.manual_seed", "aten.seed",
           "aten.set_grad_enabled", "aten._thnn", "aten._test_", "aten.wait", "aten.fork", "aten.save", "aten.warn",
           "aten.retain_grad", "aten.initial_seed", "aten._lazy_clone", "aten.rand_like.generator", "aten.exit")


class CannotMake(Exception):
    """The script can make no value of this type."""


def make_tensor(shape, dtype):
    """Returns a dense tensor with some elements above and some below 0."""
    if dtype is torch.bool:
        return torch.arange(max(1, torch.Size(shape).numel())).reshape(shape).remainder(2).bool()
    values = torch.linspace(-1.5, 2.5, max(1, torch.Size(shape).numel())).reshape(shape)
    return values.abs().to(dtype) if dtype is torch.int64 else values.to(dtype)


def plain_value(kind, name, rank):
    """Returns a value of a type without tensors."""
    if kind in ("int", "SymInt"):
        if name in ("chunks", "sections", "n", "k", "upscale_factor", "downscale_factor"):
            return 2
        return 1 if name == "dim1" and rank > 1 else 0
    if kind in ("float", "Scalar", "number"):
        return 0.5
    if kind == "bool":
        return True
    if kind in ("int[]", "SymInt[]", "List[int]", "List[SymInt]"):
        return {"size": [2, 2], "shape": [2, 2], "stride": [1, 1], "dim": [0],
                "dims": [0]}.get(name, [1] * max(1, rank - 2))
    if kind in ("float[]", "Scalar[]", "List[float]", "List[number]"):
        return [0.5, 0.5]
    if kind == "bool[]" or kind == "List[bool]":
        return [True, True, True]
    if kind in ("ScalarType",):
        return torch.float32
    if kind == "Device":
        return torch.device("cpu")
    if kind == "str":
        return {"reduce": "sum", "ord": "fro", "mode": "constant", "equation": "ij,jk->ik"}.get(name, "sum")
    raise CannotMake(kind)


def value_of(argument, shape, dtype, others):
    """Returns a value for one argument of a schema; `others` has shapes for the second tensor and later ones."""
    kind = str(argument.type)
    if kind == "Tensor":
        return make_tensor(*(others(argument.name) or (shape, dtype)))
    if kind in ("List[Tensor]",):
        return [make_tensor(shape, dtype) for _ in range(2)]
    if kind.startswith("Optional["):
        inner = kind[len("Optional["):-1]
        if inner == "Tensor" and argument.alias_info is not None and argument.alias_info.is_write:
            return make_tensor(shape, dtype)
        return None
    if argument.has_default_value():
        return argument.default_value
    return plain_value(kind, argument.name, len(shape))


def buffers_for(argument, size, shape):
    """Returns a buffer for a result: with the operand's shape, empty, or larger."""
    wanted = {"fits": shape, "empty": [0], "larger": [7, 5]}[size]
    if "List" in str(argument.type):
        return [torch.zeros(wanted) for _ in range(2)]
    return torch.zeros(wanted)


def calls_of(schema):
    """Yields arguments to try, as (positional, keyword)."""
    writes_keyword = any(a.kwarg_only and a.alias_info is not None and a.alias_info.is_write for a in schema.arguments)
    sizes = ("fits", "empty", "larger") if writes_keyword else ("fits",)
    index_names = ("index", "indices", "target", "idx")
    for shape, dtype, size in itertools.product(SHAPES, DTYPES, sizes):
        for style in ("same", "mask", "index"):
            def others(name, style=style, shape=shape):
                if style == "mask" and name in ("mask", "condition", "self_mask"):
                    return shape, torch.bool
                if style == "index" and name in index_names:
                    return [1], torch.int64
                return None
            if style != "same" and not any(a.name in index_names + ("mask", "condition") for a in schema.arguments):
                continue
            positional, keyword = [], {}
            for argument in schema.arguments:
                is_buffer = argument.kwarg_only and argument.alias_info is not None and argument.alias_info.is_write
                value = buffers_for(argument, size, shape) if is_buffer else value_of(argument, shape, dtype, others)
                if is_buffer and dtype is not torch.float32 and torch.is_tensor(value):
                    value = value.to(dtype)
                if argument.kwarg_only:
                    keyword[argument.name] = value
                else:
                    positional.append(value)
            yield positional, keyword


def tensors_in(value):
    """Returns the tensors of a value: itself, or those of a list."""
    if torch.is_tensor(value):
        return [value]
    return [t for t in value if torch.is_tensor(t)] if isinstance(value, (list, tuple)) else []


class State:
    """The complete state of one tensor."""

    def __init__(self, tensor):
        self.tensor = tensor
        storage = tensor.untyped_storage()
        self.shape = (tensor.size(), tensor.stride(), tensor.storage_offset(), tensor.dtype, storage.data_ptr(),
                      storage.nbytes(), storage._cdata)
        self.version = tensor._version
        self.gradient = tensor.requires_grad
        self.flag = (tensor.is_conj(), tensor.is_neg())
        self.elements = bytes(storage.tolist()) if storage.nbytes() < 4096 else b""

    def seen(self):
        """Returns the changes of the tensor since then."""
        now = State(self.tensor)
        if now.shape != self.shape:
            yield "reshaped"
        if now.version != self.version or now.elements != self.elements:
            yield "written"
        if now.gradient != self.gradient:
            yield "gradient"
        if now.flag != self.flag:
            yield "flag"


def observe_call(op, schema, positional, keyword):
    """Returns the effects of one call: (parameter, word) pairs; None if it could not be made."""
    names = [a.name for a in schema.arguments if not a.kwarg_only]
    given = list(zip(names, positional)) + list(keyword.items())
    states = [(name, State(t)) for name, value in given for t in tensors_in(value)]
    random = torch.get_rng_state()
    try:
        result = op(*positional, **keyword)
    except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError, AssertionError, AttributeError):
        return None
    seen = set()
    if not torch.equal(random, torch.get_rng_state()):
        seen.add(("*", "random"))
    stored = {t.untyped_storage()._cdata for t in tensors_in(result) if t.layout is torch.strided}
    for name, state in states:
        seen.update((name, word) for word in state.seen())
        if state.tensor.untyped_storage()._cdata in stored and state.tensor.numel():
            seen.add((name, "shared"))
    return seen


def observe(op):
    """Returns the effects of all calls of an operator; None if none could be made."""
    schema, seen, done = op._schema, set(), 0
    for positional, keyword in calls_of(schema):
        outcome = observe_call(op, schema, positional, keyword)
        if outcome is not None:
            seen |= outcome
            done += 1
        if done >= 12:
            break
    return seen if done else None


def in_child(op, key):
    """Returns the lines of one operator, from a process of its own, since some operators end the process on such
    arguments."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        signal.alarm(10)
        try:
            seen = observe(op)
        except CannotMake:
            seen = None
        nothing = "" if seen is None else f"{key}\t*\tnothing\n"
        text = "".join(f"{key}\t{name}\t{word}\n" for name, word in sorted(seen or [])) or nothing
        os.write(write, text.encode())
        os._exit(0)
    os.close(write)
    text = b""
    while part := os.read(read, 65536):
        text += part
    os.close(read)
    os.waitpid(child, 0)
    return text.decode().splitlines()


def operators(reading):
    """Yields (key, overload) of all operators of aten and prims that write an argument, or that write none."""
    for schema in torch._C._jit_get_all_schemas():
        space, _, name = schema.name.partition("::")
        if space not in ("aten", "prims") or any(f"{space}.{name}".startswith(s) for s in SKIPPED):
            continue
        packet = getattr(getattr(torch.ops, space), name, None)
        overload = getattr(packet, schema.overload_name or "default", None)
        writes = any(a.alias_info is not None and a.alias_info.is_write for a in schema.arguments)
        if writes != reading and overload is not None and hasattr(overload, "_schema"):
            yield f"{space}.{name}" + (f".{schema.overload_name}" if schema.overload_name else ""), overload


def main():
    """Parses the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", metavar="LIST")
    parser.add_argument("--only", default="")
    parser.add_argument("--reading", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    lines = []
    for key, op in sorted(set(operators(options.reading)), key=lambda pair: pair[0]):
        if options.only in key:
            lines += in_child(op, key)
    if not options.check:
        print("\n".join(lines))
        return 0
    known = {line for line in open(options.check, encoding="utf-8").read().splitlines() if not line.startswith("#")}
    new = [line for line in lines if line not in known and not line.endswith("nothing")]
    print("\n".join(f"not in {options.check}: {line}" for line in new) or f"{len(lines)} lines, none new")
    return 1 if new else 0


if __name__ == "__main__":
    sys.exit(main())
