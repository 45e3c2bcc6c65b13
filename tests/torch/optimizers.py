#!/usr/bin/env python3
"""Compares optimizer steps on lists of parameters with torch.optim's own multi-tensor form.

    optimizers.py OPTIMIZE

ccgraph_optimizer_step writes a step as FX text, PyTorch runs it, and torch.optim takes the same step with
foreach=True from the same state. The operators that torch.optim calls, which are in-place forms there, must be
those of the program, in their order. Exit 1 if a value differs by more than two units in the last place of its
size, or the operators differ.
"""
import subprocess, sys

import torch
from torch.utils._python_dispatch import TorchDispatchMode

SHAPES = [((4, 3), torch.float64), ((5,), torch.float32), ((2, 2, 2), torch.float64)]


class Calls(TorchDispatchMode):
    """Records the called foreach operators, in order, by the names of their functional forms, without those on step
    counts."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = str(func)
        if "_foreach" in name and args[0][0].dim() > 0:
            self.names.append(name.replace("_.", "."))
        return func(*args, **(kwargs or {}))


def program(tool, name, lr, decay, step):
    text = subprocess.run([tool, name, str(lr), str(decay), str(step)], capture_output=True, text=True,
                          check=True).stdout
    scope = {"torch": torch, "device": torch.device}
    exec(text, scope)
    called = [line.split("torch.ops.")[1].split("(")[0] for line in text.splitlines() if "_foreach" in line
              and "torch.ops." in line]
    return scope["step"]().forward, called


def worst_error(ours, theirs):
    """Returns the difference in units of the last place of the largest number."""
    worst = 0.0
    for a, b in zip(ours, theirs, strict=True):
        assert a.dtype == b.dtype and a.shape == b.shape
        worst = max(worst, float((a - b).abs().max() / (b.abs().max() * torch.finfo(b.dtype).eps)))
    return worst


def take_step(name, parameters, gradients, averages, squares, lr, decay, step):
    held = [torch.nn.Parameter(p.clone()) for p in parameters]
    for parameter, gradient in zip(held, gradients):
        parameter.grad = gradient.clone()
    make = torch.optim.SGD if name == "sgd" else torch.optim.AdamW
    optimizer = make(held, lr=lr, weight_decay=decay, foreach=True)
    if name == "adamw":
        for parameter, average, square in zip(held, averages, squares):
            optimizer.state[parameter] = {"step": torch.tensor(float(step - 1)), "exp_avg": average.clone(),
                                          "exp_avg_sq": square.clone()}
    with Calls() as calls:
        optimizer.step()
    if name == "sgd":
        return [p.detach() for p in held], calls.names
    results = []
    for p in held:
        results += [p.detach(), optimizer.state[p]["exp_avg"], optimizer.state[p]["exp_avg_sq"]]
    return results, calls.names


def compare(tool, name, lr, decay, step):
    make = lambda: [torch.randn(shape, dtype=dtype) for shape, dtype in SHAPES]
    parameters, gradients, averages, squares = make(), make(), make(), [v.square() for v in make()]
    ours, called = program(tool, name, lr, decay, step)
    groups = zip(parameters, gradients) if name == "sgd" else zip(parameters, gradients, averages, squares)
    with torch.no_grad():
        results = ours(*[tensor for group in groups for tensor in group])
    theirs, expected = take_step(name, parameters, gradients, averages, squares, lr, decay, step)
    worst = worst_error(results, theirs)
    print(f"{name} lr {lr} decay {decay} step {step}: {len(called)} foreach calls, worst error {worst:.2f} units in "
          "the last place")
    if called != expected:
        print(f"  got      {called}\n  expected {expected}")
    return called == expected and worst <= 2


def main():
    torch.manual_seed(0)
    cases = [("sgd", 0.1, 0.0, 1), ("sgd", 0.1, 0.25, 1), ("adamw", 0.01, 0.01, 1), ("adamw", 0.1, 0.0, 2),
             ("adamw", 0.1, 0.3, 1000)]
    good = [compare(sys.argv[1], *case) for case in cases]
    sys.exit(0 if all(good) else 1)


main()
