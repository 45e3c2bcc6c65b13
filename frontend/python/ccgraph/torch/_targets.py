"""The functions that the targets of a graph name.

A graph file is data: reading one must run nothing. So a target is looked up in PyTorch's registry, never by walking the
attributes of a module: `torch.ops.load_library` is a function of torch.ops and not an operator.
"""

from __future__ import annotations

import importlib
import operator
from typing import Any, Callable

import torch


class UnknownTarget(ValueError):
    """A target that is neither a registered operator nor a Python function that torch.fx traces."""


# The functions that torch.fx prints with symbols, item access, and their in-place forms. Other functions of `operator`
# call their arguments.
_OF_PYTHON = frozenset("""
    add and_ eq floordiv ge getitem gt iadd iand ifloordiv ilshift imatmul imod imul index invert ior ipow irshift is_
    is_not isub itruediv ixor le lshift lt matmul mod mul ne neg not_ or_ pos pow rshift setitem sub truediv truth xor
""".split())
_OF_TORCH = frozenset("sym_float sym_int sym_ite sym_max sym_min sym_not sym_sum _sym_sqrt sym_sqrt".split())


# Modules of PyTorch that register the operators of a namespace, where `import torch` alone does not.
_REGISTRARS = {"ao": "torch._functorch._activation_offloading.offload_ops"}


def resolve_target(name: str) -> Callable[..., Any]:
    """Returns the function of a call_function; the inverse of target_name for operators and for targets that the passes
    make."""
    namespace, _, rest = name.partition(".")
    if namespace == "operator" and rest in _OF_PYTHON:
        return getattr(operator, rest)
    if namespace == "torch" and rest in _OF_TORCH:
        return getattr(torch, rest)
    if namespace == "higher_order" and (found := _higher_order(rest)) is not None:
        return found
    if (found := _registered(name)) is not None:
        return found
    raise UnknownTarget(f"got the target '{name}', expected a registered operator such as aten.mm.default: import the "
                        "library that registers it first")


def _higher_order(name: str) -> Callable[..., Any] | None:
    found = getattr(torch.ops.higher_order, name, None) if name.isidentifier() and not name.startswith("__") else None
    return found if isinstance(found, torch._ops.HigherOrderOperator) else None


def _registered(name: str) -> Callable[..., Any] | None:
    """Returns an overload, or an operator with all of its overloads; None where PyTorch has no schema of that name."""
    parts = name.split(".")
    if len(parts) not in (2, 3) or not all(part.isidentifier() for part in parts):
        return None
    if parts[0] in _REGISTRARS:
        importlib.import_module(_REGISTRARS[parts[0]])
    schemas = torch._C._jit_get_schemas_for_operator(f"{parts[0]}::{parts[1]}")
    overloads = {schema.overload_name or "default" for schema in schemas}
    if not overloads or (len(parts) == 3 and parts[2] not in overloads):
        return None
    packet = getattr(getattr(torch.ops, parts[0]), parts[1])
    if not isinstance(packet, torch._ops.OpOverloadPacket):
        return None
    return packet if len(parts) == 2 else getattr(packet, parts[2])
