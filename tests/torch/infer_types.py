#!/usr/bin/env python3
"""Compares inferred types with PyTorch's fake tensors, on the samples with which PyTorch tests its operators.

    infer_types.py CCGRAPH_OPT [--samples N] [--ops PATTERN] [--chains N] [--table] [--accept UNKNOWN]

Each sample of each operator is traced to a graph of aten operators, with its tensors unchanged, transposed, sliced
from a larger tensor, and with a first dimension of one element and an odd stride. ccgraph-opt reads the graph
without types (--drop-types) and infers them; PyTorch's own types are in the graph's metadata. Operators that
Inductor's decompositions decompose are decomposed, as in graphs of training steps, and kept whole in a second
graph. `--samples`: number for each operator and dtype. `--chains`: random programs of views, elementwise operators,
joins and reductions, on tensors with dimensions of one element. `--table`: a line for each target with a wrong or
unknown type. Exit 1 if one is wrong, or if more than UNKNOWN percent (default 100) are unknown.
"""
import argparse, collections, itertools, json, logging, os, random, re, subprocess, sys, tempfile, warnings

warnings.filterwarnings("ignore")
import torch
logging.disable(logging.ERROR)  # PyTorch's words on forms that it refuses
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils import _pytree as pytree

from opinfo_samples import op_db

DTYPES = {torch.float32: "f32", torch.float64: "f64", torch.bfloat16: "bf16", torch.float16: "f16", torch.int64: "i64",
          torch.int32: "i32",
          torch.int16: "i16", torch.int8: "i8", torch.uint8: "u8", torch.bool: "b8", torch.complex64: "c64",
          torch.complex128: "c128",
          torch.complex32: "c32", torch.uint16: "u16", torch.uint32: "u32", torch.uint64: "u64"}
SAMPLED = (torch.float32, torch.int64, torch.bool, torch.bfloat16)


# --- Graphs ----------------------------------------------------------------------------------------------------------
def sliced(tensor):
    """Returns the same sizes, as a part of a tensor that is larger in each dimension."""
    wide = tensor.new_zeros([2 * n + 3 for n in tensor.shape])
    return wide[tuple(slice(1, 1 + 2 * n, 2) for n in tensor.shape)]


def transposed(tensor):
    return (tensor.new_zeros(tuple(reversed(tensor.shape))).permute(*range(tensor.dim() - 1, -1, -1)) if tensor.dim()
            else tensor)


def one_row(tensor):
    """Returns a dimension of one element whose stride affects no address."""
    return (tensor.new_zeros((7, *tensor.shape[1:]))[3:4] if tensor.dim() and tensor.shape[0] == 1
            else sliced(tensor[:1]) if tensor.dim() else tensor)


VARIANTS = {"plain": lambda t: t, "sliced": sliced, "transposed": transposed, "one_row": one_row}


def is_plain(leaf):
    return (type(leaf) is torch.Tensor and leaf.layout == torch.strided and leaf.dtype in DTYPES
            and leaf.numel() <= 100_000)


class Case:
    """One sample, in one form of its tensors, as graphs."""

    def __init__(self, op, sample, variant):
        leaves, spec = pytree.tree_flatten((sample.input, sample.args, sample.kwargs))
        places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
        if not places or not all(is_plain(leaves[i]) for i in places):
            raise ValueError("not plain")
        change = VARIANTS[variant]

        def call(*tensors):
            every = list(leaves)
            for place, tensor in zip(places, tensors):
                every[place] = tensor
            args = pytree.tree_unflatten(every, spec)
            return [x for x in pytree.tree_leaves(op(args[0], *args[1], **args[2])) if isinstance(x, torch.Tensor)]

        mode = FakeTensorMode(allow_non_fake_inputs=True)
        self.call = call
        # A tensor of indices is not sliced, since its values are the sample's.
        with mode:
            self.tensors = [change(mode.from_tensor(leaves[i].detach())) for i in places]
        self.mode = mode

    def graphs(self):
        with self.mode, torch.no_grad():
            yield make_fx(self.call, tracing_mode="real")(*self.tensors)
            from torch._inductor.decomposition import decompositions
            yield make_fx(self.call, tracing_mode="real", decomposition_table=decompositions)(*self.tensors)


def cases(options):
    for op in op_db:
        if options.ops and not re.fullmatch(options.ops, op.name):
            continue
        for dtype in SAMPLED:
            if dtype not in op.dtypes:
                continue
            try:
                samples = list(op.sample_inputs("cpu", dtype, requires_grad=False))
            except Exception:  # some samples need a GPU or a library
                continue
            step = max(1, len(samples) // options.samples)
            for sample in samples[::step][:options.samples]:
                for variant in VARIANTS:
                    try:
                        yield from ((f"{op.name}/{DTYPES[dtype]}/{variant}", graph)
                                    for graph in Case(op, sample, variant).graphs())
                    except Exception:  # PyTorch's own refusal of the form
                        continue


# --- Random programs -------------------------------------------------------------------------------------------------
def some_slice(rng, x):
    if not x.dim():
        return x
    dim = rng.randrange(x.dim())
    start = rng.randrange(max(1, x.shape[dim]))
    return torch.ops.aten.slice.Tensor(x, dim, start, rng.choice((start + 1, start + 2, sys.maxsize)),
                                       rng.choice((1, 1, 2)))


def some_view(rng, x):
    sizes = [n for n in x.shape if rng.random() < 0.7 or n != 1]
    if rng.random() < 0.5:
        sizes.insert(rng.randrange(len(sizes) + 1), 1)
    return x.reshape(sizes)


STEPS = [
    some_slice, some_slice, some_view,
    lambda rng, x: x.transpose(rng.randrange(x.dim()), rng.randrange(x.dim())) if x.dim() else x,
    lambda rng, x: x.permute(rng.sample(range(x.dim()), x.dim())),
    lambda rng, x: x.unsqueeze(rng.randrange(x.dim() + 1)),
    lambda rng, x: x.squeeze(), lambda rng, x: x.squeeze(rng.randrange(x.dim())) if x.dim() else x,
    lambda rng, x: x.expand([3 if n == 1 and rng.random() < 0.5 else n for n in x.shape]),
    lambda rng, x: x.flatten(), lambda rng, x: x.contiguous(), lambda rng, x: x.clone(),
    lambda rng, x: x + 1, lambda rng, x: torch.exp(x), lambda rng, x: torch.log1p(x), lambda rng, x: -x, lambda rng,
    x: x * x,
    lambda rng, x: x.to(torch.bfloat16), lambda rng, x: torch.where(x > 0, x, 0.0), lambda rng, x: x.relu(),
    lambda rng, x: x + some_slice(rng, x) if rng.random() < 0.5 else some_slice(rng, x) * x,
    lambda rng, x: x + x.transpose(-1, -2), lambda rng, x: x.masked_fill(x > 0, 0.5),
    lambda rng, x: torch.cat([x, some_slice(rng, x)], rng.randrange(x.dim())), lambda rng,
    x: torch.stack([x, x], rng.randrange(x.dim() + 1)),
    lambda rng, x: rng.choice(x.split(rng.choice((1, 2)), rng.randrange(x.dim()))), lambda rng,
    x: rng.choice(x.unbind(rng.randrange(x.dim()))),
    lambda rng, x: rng.choice(x.chunk(2, rng.randrange(x.dim()))),
    lambda rng, x: x.sum(rng.randrange(x.dim()), keepdim=rng.random() < 0.5), lambda rng,
    x: x.amax(rng.randrange(x.dim()), keepdim=True),
    lambda rng, x: x.softmax(rng.randrange(x.dim())), lambda rng, x: x.cumsum(rng.randrange(x.dim())), lambda rng,
    x: x.sort(rng.randrange(x.dim()))[0],
    lambda rng, x: torch.zeros_like(x), lambda rng, x: x.flip(0), lambda rng, x: x @ x.mT, lambda rng,
    x: x.logsumexp(rng.randrange(x.dim())),
]


def chains(count):
    for seed in range(count):
        rng = random.Random(seed)
        sizes = [rng.choice((1, 1, 2, 3, 4)) for _ in range(rng.choice((1, 2, 3, 3, 4)))]

        def program(x):
            results = []
            for _ in range(6):
                try:
                    x = rng.choice(STEPS)(rng, x)
                    results.append(x)
                except Exception:  # PyTorch's own refusal
                    continue
            return results

        mode = FakeTensorMode()
        with mode:
            x = VARIANTS[rng.choice(list(VARIANTS))](torch.empty(sizes))
        with mode, torch.no_grad():
            graph = make_fx(program)(x)
        for node in reversed(graph.graph.nodes):  # a call that PyTorch refused was already recorded
            if node.op == "call_function" and "val" not in node.meta and not node.users:
                graph.graph.erase_node(node)
        yield f"chain {seed}", graph


# --- Types -----------------------------------------------------------------------------------------------------------
def told(value):
    """Returns the type in ccgraph's form; None if there is none to compare."""
    if isinstance(value, torch.Tensor):
        if value.dtype not in DTYPES or any(not isinstance(n, int) for n in (*value.shape, *value.stride())):
            return None
        return f"{DTYPES[value.dtype]}{list(value.shape)}{list(value.stride())}{value.device}"
    if isinstance(value, (list, tuple)):
        every = [told(x) for x in value]
        return None if not every or None in every else every
    return None


def keyed(graph):
    """Returns one line for each call, so that equal lines are compared once."""
    return "\n".join(re.sub(r"\s+#.*", "", line) for line in graph.code.splitlines())


def inferred(opt, graph, folder):
    """Returns the types by name; None if the text is refused."""
    path, out = os.path.join(folder, "g.py"), os.path.join(folder, "g.json")
    with open(path, "w") as file:
        file.write(graph.print_readable(print_output=False, include_stride=True, include_device=True))
    run = subprocess.run([opt, "-O0", "--drop-types", path, "-o", out], capture_output=True, text=True)
    if run.returncode:
        return None, run.stderr.strip().splitlines()[:1]
    with open(out) as file:
        return {node["name"]: node.get("type") for node in json.load(file)["nodes"]}, None


def inputs_of(node):
    return ", ".join(str(told(arg.meta.get("val"))) if isinstance(arg, torch.fx.Node) else repr(arg)
                     for arg in node.args)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("opt")
    parser.add_argument("--samples", type=int, default=2)
    parser.add_argument("--ops")
    parser.add_argument("--chains", type=int, default=0)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--accept", type=float, default=100.0)
    options = parser.parse_args()
    torch.manual_seed(0)
    seen, total, refused = set(), 0, []
    wrong, unknown, example = collections.Counter(), collections.Counter(), {}
    with tempfile.TemporaryDirectory() as folder:
        for name, graph in itertools.chain(chains(options.chains), cases(options) if options.samples else ()):
            text = graph.print_readable(print_output=False, include_stride=True, include_device=True)
            if text in seen:
                continue
            seen.add(text)
            types, why = inferred(options.opt, graph, folder)
            if types is None:
                refused.append((name, why))
                continue
            for node in graph.graph.nodes:
                expected = told(node.meta.get("val")) if node.op == "call_function" else None
                if expected is None:
                    continue
                total += 1
                target, got = str(node.target), types.get(node.name)
                if got is None or (isinstance(got, list) and None in got):
                    unknown[target] += 1
                    example.setdefault(("unknown", target),
                                       f"{name}: ({inputs_of(node)}) {dict(node.kwargs)} -> {expected}")
                elif json.dumps(got).replace(" ", "") != json.dumps(expected).replace(" ", ""):
                    wrong[target] += 1
                    example.setdefault(("wrong", target),
                                       f"{name}: ({inputs_of(node)}) {dict(node.kwargs)} -> {expected}, got {got}")
    for name, why in refused[:10]:
        print("refused", name, why)
    if options.table or wrong:
        for kind, counts in (("wrong", wrong), ("unknown", unknown if options.table else {})):
            for target, count in collections.Counter(counts).most_common():
                print(kind, count, target, example[kind, target])
    percent = 100 * sum(unknown.values()) / max(1, total)
    print(f"{len(seen)} graphs, {total:,} typed results: {sum(wrong.values())} wrong, {sum(unknown.values())} unknown "
          f"({percent:.2f} %), "
          f"{len(refused)} graphs refused")
    return 1 if wrong or percent > options.accept else 0


if __name__ == "__main__":
    sys.exit(main())
