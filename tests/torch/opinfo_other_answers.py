"""Finds PyTorch's own answers to a call in other circumstances, for values that differ from ccgraph's.

A kernel of PyTorch has several implementations: one for adjacent elements, one for other elements and for the last
few, one of oneDNN, one for each dtype. If two of them disagree, ccgraph's result can equal only one of them, and
this is sufficient.
"""
import contextlib
import torch
from torch.utils import _pytree as pytree

from opinfo_calls import DTYPES, duplicate, scattered
from opinfo_rules import tolerance_of


def contiguous(tensor):
    return tensor.contiguous() if not tensor.is_contiguous() else tensor


def widened(tensor):
    return tensor.double() if tensor.is_floating_point() else tensor


def without_onednn():
    return torch.backends.mkldnn.flags(enabled=False)


# (why, change of each tensor, circumstances)
OTHERS = [
    ("PyTorch's kernel computes tensors that are not contiguous otherwise; on contiguous ones it gives our values",
     contiguous,
     contextlib.nullcontext),
    ("PyTorch's vectorised loop differs from its loop for single elements, which gives our values", scattered,
     contextlib.nullcontext),
    ("oneDNN's kernel differs from PyTorch's own, which gives our values", lambda tensor: tensor, without_onednn),
    ("PyTorch rounds between steps in the narrow dtype: in f64 it gives our values", widened, contextlib.nullcontext),
]


def other_answers(call, answer):
    """Returns (why, answer) for each circumstance in which PyTorch accepts the call."""
    func, args, kwargs, variant = call
    for why, change, circumstances in OTHERS:
        try:
            changed = pytree.tree_map_only(torch.Tensor, change, duplicate((args, kwargs)))
            with circumstances():
                yield why, answer((func, *changed, variant))[0]
        except Exception:  # not every operator accepts every dtype
            continue


def same_value_elsewhere(target, got, wrong, others):
    """Returns why, if each wrong element equals the element of another answer; `answers` has (why, answer, number of
    its tensor)."""
    rtol, atol = tolerance_of(target, DTYPES[got.dtype]) if got.is_floating_point() or got.is_complex() else (0, 0)
    left, used = wrong.clone(), []
    for why, answer, number in others:
        other = answer.tensors[number][0] if number < len(answer.tensors) else None
        if other is None or other.size() != got.size():
            continue
        same = torch.isclose(got, other.to(got.dtype), rtol=rtol, atol=atol, equal_nan=True).flatten()
        if (left & same).any():
            used.append(why)
            left &= ~same
        if not left.any():
            return used[0]
    return None
