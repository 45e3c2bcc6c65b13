"""PyTorch's own answers to a call in other circumstances, for values that differ from ours.

A kernel of PyTorch is several: one for elements that lie side by side, one for others and for the last few, one of oneDNN, one for
each dtype. Where two of them disagree, ours can equal only one of them; it is enough that it equals one.
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
    ("PyTorch's kernel computes tensors that are not contiguous otherwise; on contiguous ones it gives our values", contiguous,
     contextlib.nullcontext),
    ("PyTorch's vectorised loop differs from its loop for single elements, which gives our values", scattered,
     contextlib.nullcontext),
    ("oneDNN's kernel differs from PyTorch's own, which gives our values", lambda tensor: tensor, without_onednn),
    ("PyTorch rounds between steps in the narrow dtype: in f64 it gives our values", widened, contextlib.nullcontext),
]


def other_answers(call, answer):
    """(why, answer) of each circumstance in which PyTorch makes the call at all."""
    func, args, kwargs, variant = call
    for why, change, circumstances in OTHERS:
        try:
            changed = pytree.tree_map_only(torch.Tensor, change, duplicate((args, kwargs)))
            with circumstances():
                yield why, answer((func, *changed, variant))[0]
        except Exception:  # because not every operator takes every dtype
            continue


def same_value_elsewhere(target, got, wrong, others):
    """Why, if each element that is wrong is what one of the other answers has in its place; (why, answer, number of its tensor)."""
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
