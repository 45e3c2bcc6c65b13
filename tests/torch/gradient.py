#!/usr/bin/env python3
"""Compares gradient programs with PyTorch's own autograd, on the samples with which PyTorch tests its operators.

    gradient.py DIFFERENTIATE [--most N] [--table]

Each sample of each operator is traced to a graph. If all operators in it have a gradient rule (or a result without
gradient), PyTorch runs the program of ccgraph_differentiate, and the result is compared with torch.autograd.grad,
in f64. `--most`: samples for each operator, of the first 12 times as many. `--table`: a line for each rule: calls
compared, largest difference. Exit 1 if one differs by more than 1e-7 of its size, or no sample covers a rule (except
those of ELSEWHERE).
"""
import argparse, collections, itertools, os, subprocess, sys, tempfile, warnings

warnings.filterwarnings("ignore")
import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.testing._internal.opinfo.core import SampleInput
from torch.utils import _pytree as pytree

import ccgraph.torch
from opinfo_samples import op_db

# These are for a device that is not here, random, for other dtypes, decomposed by PyTorch on the CPU, or between ranks
# (gradient_test.cpp covers those).
ELSEWHERE = ("aten._scaled_dot_product_flash_attention.default", "aten._scaled_dot_product_efficient_attention.default",
             "aten.native_dropout.default", "aten.detach.default",
             "prims.convert_element_type.default", "aten._fused_rms_norm.default", "aten.reshape.default",
             "aten.square.default")
TOLERANCE = 1e-7
ops = torch.ops.aten
# Forms that PyTorch's samples do not call.
MORE = {
    "clamp": (lambda a: ops.clamp(a, -0.5, 0.5), (3, 4)),
    "clamp_min": (lambda a: ops.clamp_min(a, 0.1), (3, 4)),
    "clamp_max": (lambda a: ops.clamp_max(a, 0.1), (3, 4)),
    "index": (lambda a, i: ops.index(a, [None, i]), (3, 4), torch.tensor([3, 0, 3])),
    "rsub": (lambda a: ops.rsub.Scalar(a, 2.0), (3, 4)),
    "norm_of_all": (lambda a: ops.norm.Scalar(a, 3.0), (3, 4)),
    "sort_stable": (lambda a: ops.sort.stable(a, stable=True, dim=0, descending=True)[0], (3, 4)),
    "sub_number": (lambda a: ops.sub.Scalar(ops.alias(a), 2.0), (3, 4)),
    "constants": (lambda a: a * (ops.zeros_like(a) + ops.ones_like(a) + ops.full_like(a, 2.0) + ops.new_zeros(a, [4])),
                  (3, 4)),
}


def is_f64(value):
    return isinstance(value, torch.Tensor) and value.dtype == torch.float64


def plain(value):
    return (isinstance(value, torch.Tensor) and value.layout == torch.strided and type(value) is torch.Tensor and
            value.dtype in (torch.float64, torch.int64, torch.bool) and value.numel() <= 4096)


def name_of(target):
    return (str(target).removeprefix("torch.ops.") if isinstance(target, torch._ops.OpOverload)
            else f"operator.{target.__name__}")


class Case:
    """One sample as a function of its tensors, and its graph."""

    def __init__(self, op, sample):
        leaves, self.spec = pytree.tree_flatten((sample.input, sample.args, sample.kwargs))
        self.op, self.leaves = op, leaves
        self.places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
        if not all(plain(leaves[i]) for i in self.places) or not any(is_f64(leaves[i]) for i in self.places):
            raise ValueError("not plain")
        self.tensors = [leaves[i].detach().clone().contiguous() for i in self.places]
        with torch.no_grad():
            self.graph = make_fx(self.call)(*self.tensors)
        out = self.graph.graph.find_nodes(op="output")[0].args[0]
        first = out[0] if isinstance(out, (list, tuple)) else out
        value = first.meta["val"] if isinstance(first, torch.fx.Node) else None
        if value is None or not is_f64(value) or value.numel() == 0:
            raise ValueError("no result in f64")

    def call(self, *tensors):
        leaves = list(self.leaves)
        for place, tensor in zip(self.places, tensors):
            leaves[place] = tensor
        args = pytree.tree_unflatten(leaves, self.spec)
        result = self.op(args[0], *args[1], **args[2])
        first = (result if isinstance(result, torch.Tensor)
                 else next(x for x in pytree.tree_leaves(result) if isinstance(x, torch.Tensor)))
        return (first, )

    def targets(self):
        return {name_of(node.target) for node in self.graph.graph.nodes if node.op == "call_function"}

    def is_simple(self):
        return all(node.op in ("placeholder", "call_function", "output") for node in self.graph.graph.nodes)

    def expected(self, seed):
        tensors = [t.requires_grad_() if is_f64(t) else t for t in self.tensors]
        result = self.call(*tensors)[0]
        if not result.requires_grad:
            return [None for t in tensors if is_f64(t)]
        return torch.autograd.grad(result, [t for t in tensors if is_f64(t)], seed, allow_unused=True)

    def got(self, path, seed):
        with torch.no_grad():
            return ccgraph.torch.load(path)(*[t.detach() for t in self.tensors], seed)


def more_cases():
    for name, (function, *shapes) in MORE.items():
        tensors = [shape if isinstance(shape, torch.Tensor) else torch.randn(shape, dtype=torch.float64)
                   for shape in shapes]
        yield name, Case(function, SampleInput(tensors[0], args=tuple(tensors[1:])))


def inputs_of(op):
    """Yields samples as they are made, until PyTorch cannot make one: to make all takes longer than to test one."""
    try:
        yield from op.sample_inputs("cpu", torch.float64, requires_grad=False)
    except Exception:
        return


def samples(targets, most):
    """Yields cases in which every operator has a rule."""
    for op in op_db:
        if torch.float64 not in op.dtypes or not op.supports_autograd:
            continue
        taken = 0
        for sample in itertools.islice(inputs_of(op), 12 * most):
            if taken == most:
                break
            try:
                case = Case(op, sample)
                # PyTorch itself refuses this: some operators have a gradient only for some of their arguments.
                case.expected(torch.ones_like(case.graph(*case.tensors)[0]))
            except Exception:
                continue
            if case.targets() and case.is_simple() and case.targets() - {"operator.getitem"} <= targets:
                taken += 1
                yield op.name, case


def difference(expected, got):
    """Returns the difference relative to the expected size; infinity if one has a non-zero gradient and the other has
    none."""
    if expected is None or got is None:
        other = got if expected is None else expected
        return 0.0 if other is None or not bool(other.any()) else float("inf")
    if expected.shape != got.shape or expected.dtype != got.dtype:
        return float("inf")
    apart = torch.nan_to_num(expected - got).abs().max().item() if expected.numel() else 0.0
    return apart / max(1.0, torch.nan_to_num(expected).abs().max().item() if expected.numel() else 1.0)


def differentiate(program, cases, folder):
    paths = [os.path.join(folder, f"{i}.json") for i in range(len(cases))]
    for path, (_, case) in zip(paths, cases):
        ccgraph.torch.dump(case.graph, path)
    lines = subprocess.run([program, *paths], check=True, capture_output=True, text=True).stdout.splitlines()
    assert len(lines) == len(paths), lines[-3:]
    return [(path + ".gradient.py", line) for path, line in zip(paths, lines)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("differentiate")
    parser.add_argument("--most", type=int, default=2)
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    torch.manual_seed(0)
    targets = set(subprocess.run([options.differentiate, "--targets"], check=True, capture_output=True,
                                 text=True).stdout.split())
    cases = [*more_cases(), *samples(targets, options.most)]
    worst, calls, failed = collections.defaultdict(float), collections.Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        for (name, case), (path, line) in zip(cases, differentiate(options.differentiate, cases, folder)):
            if line != "ok":
                failed.append(f"{name}: {line}")
                continue
            seed = torch.randn_like(case.graph(*case.tensors)[0], memory_format=torch.contiguous_format)
            apart = max(map(difference, case.expected(seed), case.got(path, seed)))
            for target in case.targets() & targets:
                worst[target] = max(worst[target], apart)
                calls[target] += 1
            if apart > TOLERANCE:
                failed.append(f"{name}: differs by {apart:.1e}: {', '.join(sorted(case.targets()))}")
    if options.table:
        for target in sorted(targets):
            print(f"{target}\t{calls[target]}\t{worst[target]:.1e}")
    unmet = [t for t in sorted(targets) if not calls[t] and t not in ELSEWHERE and not t.startswith("_c10d")]
    failed += [f"{target}: no sample meets its rule" for target in unmet]
    print("\n".join(failed))
    print(f"{len(cases)} samples of {len({name for name, _ in cases})} operators, {len(calls)} rules, "
          f"largest difference {max(worst.values(), default=0):.1e}, {len(failed)} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
