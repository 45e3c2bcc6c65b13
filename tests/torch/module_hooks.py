#!/usr/bin/env python3
"""Runs a traced program with module hooks in PyTorch, with PyTorch's own function that calls them, and compares it
with autograd with the same hooks.

    module_hooks.py FILE

FILE is the file that unit_tracer.BackwardHooks writes: the gradient of -sum(sin(3 cos(x))), in which the product by
3 is a module. Exit 1 if the gradient differs from autograd's, or the hooks are called with other values or in
another order.
"""
import sys
from types import SimpleNamespace

import torch
import torch._dynamo.external_utils


class Triple(torch.nn.Module):
    def forward(self, x):
        return x * 3


def hooks(calls):
    """Returns a pre-hook and a hook of a module, each of which notes its argument and returns a replacement."""

    def before(module, of_result):
        calls.append(("before", type(module).__name__, *of_result))
        return (of_result[0] + 100,)

    def after(module, of_input, of_result):
        calls.append(("after", type(module).__name__, *of_input, *of_result))
        return (of_input[0] * of_result[0],)

    return before, after


def by_autograd(x):
    calls, module = [], Triple()
    before, after = hooks(calls)
    module.register_full_backward_pre_hook(before)
    module.register_full_backward_hook(after)
    x = x.clone().requires_grad_()
    torch.neg(torch.sin(module(torch.cos(x)))).sum().backward()
    return x.grad, calls


def by_program(path, x):
    calls, scope = [], {"torch": torch, "device": torch.device}
    before, after = hooks(calls)
    exec(open(path).read(), scope)
    state = SimpleNamespace(mod0=Triple(), hook1=[before], hook2=[after])
    with torch.no_grad():
        (gradient,) = scope["forward"]().forward(state, x)
    return gradient, calls


def main():
    x = torch.linspace(-2, 2, 2, dtype=torch.float64)
    theirs, expected = by_autograd(x)
    ours, calls = by_program(sys.argv[1], x)
    same = torch.equal(ours, theirs) and [c[:2] for c in calls] == [c[:2] for c in expected]
    same = same and all(torch.equal(a, b) for one, other in zip(calls, expected)
                        for a, b in zip(one[2:], other[2:], strict=True))
    print(f"{len(calls)} calls of hooks, {'as' if same else 'not as'} autograd's: gradient {ours.tolist()}, expected "
          f"{theirs.tolist()}")
    sys.exit(0 if same else 1)


main()
