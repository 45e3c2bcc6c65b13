"""Captures one training step as one rank runs it: captured_rank.py CASE RANK FILE, where rank -1 is the single device.

The model is a transformer as torchtitan writes it: RMSNorm, attention with complex rotary embeddings, SwiGLU or a
mixture of experts with top-k routing, cross-entropy. PyTorch makes it parallel: parallelize_module, DTensor
parameters that are gathered where they are used (SimpleFSDP), ring attention (context parallelism), or
all_to_all_single between experts. Writes the graph as print_readable writes it, and prints one line of JSON: the inputs
and outputs with their placements, and the groups.

One process captures one rank: DTensor keeps the offsets of the first rank that a process captures."""
import json, math, sys

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
import torch.nn as nn
import torch.nn.functional as F
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard
from torch.distributed.tensor.experimental._context_parallel import _attention as ring
from torch.distributed.tensor.parallel import (ColwiseParallel, PrepareModuleInput, RowwiseParallel, SequenceParallel,
                                               loss_parallel, parallelize_module)
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from torch.testing._internal.distributed.fake_pg import FakeStore

from captured_rank_cases import CASES

WIDTH, HEADS, HIDDEN, VOCABULARY, LENGTH, BATCH, EXPERTS, CHOSEN = 32, 4, 48, 64, 16, 4, 4, 2


def rotate(x, frequencies):
    """Rotary embeddings as torchtitan applies them: pairs of features are complex numbers."""
    pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * frequencies.view(1, x.shape[1], 1, -1)).flatten(3).type_as(x)


class Scores(nn.Module):
    """What context parallelism wraps."""

    def forward(self, q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)


class FlashScores(nn.Module):
    """The operator that PyTorch chooses on a GPU; the operators of a CPU have no ring."""

    def forward(self, q, k, v):
        return torch.ops.aten._scaled_dot_product_flash_attention(q, k, v, 0.0, True)[0]


class Attention(nn.Module):
    def __init__(self, scores):
        super().__init__()
        self.scores = scores()
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4))

    def forward(self, x, frequencies):
        size = WIDTH // HEADS
        q, k, v = (w(x) for w in (self.wq, self.wk, self.wv))
        q, k, v = (t.view(t.shape[0], t.shape[1], -1, size) for t in (q, k, v))
        q, k = rotate(q, frequencies), rotate(k, frequencies)
        q, k, v = (t.transpose(1, 2) for t in (q, k, v))
        y = self.scores(q, k, v)
        return self.wo(y.transpose(1, 2).contiguous().view(y.shape[0], y.shape[2], -1))


class FeedForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.w1, self.w3 = (nn.Linear(WIDTH, HIDDEN, bias=False) for _ in range(2))
        self.w2 = nn.Linear(HIDDEN, WIDTH, bias=False)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class Experts(nn.Module):
    """Tokens go to their chosen experts, sorted by expert; with a group, each rank has some of the experts."""

    def __init__(self, group=None, ranks=1):
        super().__init__()
        self.group, self.ranks = group, ranks
        self.router = nn.Linear(WIDTH, EXPERTS, bias=False)
        self.w1 = nn.Parameter(torch.empty(EXPERTS // ranks, WIDTH, HIDDEN))
        self.w2 = nn.Parameter(torch.empty(EXPERTS // ranks, HIDDEN, WIDTH))

    def compute(self, x, counts):
        ends = torch.cumsum(counts, 0, dtype=torch.int32)
        return torch._grouped_mm(F.silu(torch._grouped_mm(x, self.w1, offs=ends)), self.w2, offs=ends)

    def exchanged(self, x, counts):
        """Sends each expert's tokens to its rank, and the results back."""
        received = funcol.wait_tensor(funcol.all_to_all_single(counts, None, None, self.group))
        sent_to = counts.view(self.ranks, -1).sum(1).tolist()
        received_from = received.view(self.ranks, -1).sum(1).tolist()
        mine = funcol.all_to_all_single_autograd(x, received_from, sent_to, self.group)
        expert = torch.arange(EXPERTS // self.ranks).repeat(self.ranks).repeat_interleave(
            received, output_size=sum(received_from))
        order = torch.argsort(expert, stable=True)
        result = self.compute(mine[order], received.view(self.ranks, -1).sum(0))
        result = torch.zeros_like(result).index_put([order], result)
        return funcol.all_to_all_single_autograd(result, sent_to, received_from, self.group)

    def forward(self, x):
        tokens = x.reshape(-1, WIDTH)
        weights = torch.sigmoid(self.router(tokens))
        _, chosen = torch.topk(weights, CHOSEN, dim=-1)
        scores = weights.gather(1, chosen)
        ones = torch.ones_like(chosen.view(-1))
        counts = torch.zeros(EXPERTS, dtype=torch.int64).scatter_add(0, chosen.view(-1), ones)
        order = torch.argsort(chosen.view(-1), stable=True)
        token = order // CHOSEN
        sorted_x = tokens[token] * scores.view(-1)[order].unsqueeze(1)
        result = self.exchanged(sorted_x, counts) if self.group else self.compute(sorted_x, counts)
        index = token.view(-1, 1).expand(-1, WIDTH)
        return torch.zeros_like(tokens).scatter_add(0, index, result).view_as(x)


class Block(nn.Module):
    def __init__(self, scores, experts=None):
        super().__init__()
        self.attention_norm, self.ffn_norm = nn.RMSNorm(WIDTH, eps=1e-5), nn.RMSNorm(WIDTH, eps=1e-5)
        self.attention, self.feed_forward = Attention(scores), experts or FeedForward()

    def forward(self, x, frequencies):
        h = x + self.attention(self.attention_norm(x), frequencies)
        return h + self.feed_forward(self.ffn_norm(h))


class Model(nn.Module):
    def __init__(self, layers, scores, experts=lambda: None):
        super().__init__()
        self.tok_embeddings = nn.Embedding(VOCABULARY, WIDTH)
        self.layers = nn.ModuleDict({str(i): Block(scores, experts()) for i in range(layers)})
        self.norm, self.output = nn.RMSNorm(WIDTH, eps=1e-5), nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, tokens, frequencies):
        h = self.tok_embeddings(tokens)
        for layer in self.layers.values():
            h = layer(h, frequencies)
        return self.output(self.norm(h))


def tensor_parallel(model, mesh, sequence):
    """torchtitan's plan (models/llama3/parallelize.py); without `sequence`, activations between blocks are whole."""
    between = Shard(1) if sequence else Replicate()
    norm = {"attention_norm": SequenceParallel(), "ffn_norm": SequenceParallel()} if sequence else {}
    parallelize_module(model, mesh, {
        "tok_embeddings": RowwiseParallel(input_layouts=Replicate(), output_layouts=between,
                                          use_local_output=not sequence),
        "output": ColwiseParallel(input_layouts=between, output_layouts=Shard(-1), use_local_output=False),
        **({"norm": SequenceParallel()} if sequence else {})})
    for layer in model.layers.values():
        whole = Replicate()
        parallelize_module(layer, mesh, {
            **norm,
            "attention": PrepareModuleInput(input_layouts=(between, None), desired_input_layouts=(whole, None)),
            "attention.wq": ColwiseParallel(), "attention.wk": ColwiseParallel(), "attention.wv": ColwiseParallel(),
            "attention.wo": RowwiseParallel(output_layouts=between, use_local_output=not sequence),
            "feed_forward": PrepareModuleInput(input_layouts=(between,), desired_input_layouts=(whole,)),
            "feed_forward.w1": ColwiseParallel(), "feed_forward.w3": ColwiseParallel(),
            "feed_forward.w2": RowwiseParallel(output_layouts=between, use_local_output=not sequence)})


def context_parallel(model, mesh, rotate, balanced):
    """Wraps each attention as torchtitan does; `balanced`: each rank has the first and the last of equal blocks."""
    ring.set_rotate_method(rotate)
    ring._cp_options.enable_load_balance = balanced
    ring._enable_context_parallel_dispatcher()
    style = ring._ContextParallel(seq_dim=2, attention_type=ring._ContextParallel.AttentionType.SDPA)
    for layer in model.layers.values():
        parallelize_module(layer.attention.scores, mesh, style)


def placement_text(placement):
    if isinstance(placement, Shard):
        return f"shard({placement.dim})"
    return f"partial({placement.reduce_op})" if isinstance(placement, Partial) else "replicate"


class Step:
    """The step of one rank; `parallel` false: that of the single device."""

    def __init__(self, case, parallel):
        self.case, self.parallel, self.axes = case, parallel, list(case["mesh"])
        self.mesh = init_device_mesh("cpu", tuple(case["mesh"].values()), mesh_dim_names=tuple(self.axes)) \
            if parallel else None
        # Ranks along these axes have different tokens, so gradients are averaged over them.
        self.data_axes = [axis for axis in self.axes if axis in (case.get("replicate"), case.get("shard"))]
        ep = parallel and case.get("ep")
        make = (lambda: Experts(self.mesh[ep].get_group(), case["mesh"][ep]) if ep else Experts()) \
            if case.get("moe") else (lambda: None)
        self.model = Model(case.get("layers", 2), FlashScores if "cp" in case else Scores, make)
        if parallel and "tp" in case:
            tensor_parallel(self.model, self.mesh[case["tp"]], case.get("sequence", False))
        if parallel and "cp" in case:
            context_parallel(self.model, self.mesh[case["cp"]], case.get("rotate", "allgather"),
                             case.get("balanced", False))
        self.names = [name for name, _ in self.model.named_parameters()]
        self.kept = dict(self.model.named_parameters())

    def is_expert(self, name):
        return self.parallel and "ep" in self.case and (".w1" in name or ".w2" in name) and "feed_forward" in name

    def placements(self, name):
        """Returns how the rank holds a parameter: {axis: placement}."""
        tensor = self.kept[name].placements if isinstance(self.kept[name], DTensor) else [Replicate()]
        return {axis: tensor[0] if axis == self.case.get("tp") else
                Shard(0) if axis == self.case.get("shard") or self.is_expert(name) else Replicate()
                for axis in self.axes}

    def split_order(self, name):
        """Returns the axes that cut dimension 0, the first first; tensor parallelism cuts before FSDP does."""
        cuts = [axis for axis, placement in self.placements(name).items() if placement == Shard(0)]
        return sorted(cuts, key=lambda axis: axis != self.case.get("tp"))

    def local(self, name):
        value = self.kept[name]
        sizes = list((value.to_local() if isinstance(value, DTensor) else value).shape)
        if self.parallel and "shard" in self.case:
            sizes[0] //= self.case["mesh"][self.case["shard"]]
        return torch.empty(sizes)

    def used(self, name, local):
        """Returns the parameter as the module uses it, from what the rank holds."""
        if not self.parallel or self.is_expert(name):
            return local
        if self.data_axes:
            mesh, held = self.mesh[tuple(self.data_axes)], self.placements(name)
            whole = DTensor.from_local(local, mesh, [held[axis] for axis in self.data_axes], run_check=False)
            whole = whole.redistribute(placements=[Replicate()] * len(self.data_axes))
            local = whole.to_local(grad_placements=[Partial("avg")] * len(self.data_axes))
        kept = self.kept[name]
        return DTensor.from_local(local, kept.device_mesh, kept.placements, run_check=False) \
            if isinstance(kept, DTensor) else local

    def __call__(self, tokens, labels, frequencies, *parameters):
        leaves = [parameter.detach().requires_grad_() for parameter in parameters]
        used = {name: self.used(name, leaf) for name, leaf in zip(self.names, leaves)}
        logits = torch.func.functional_call(self.model, used, (tokens, frequencies))
        if isinstance(logits, DTensor):
            with loss_parallel():
                loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten())
                gradients = torch.autograd.grad(loss, leaves)
            loss = loss.full_tensor() if isinstance(loss, DTensor) else loss
        else:
            loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten())
            gradients = torch.autograd.grad(loss, leaves)
        gradients = [g / self.case["mesh"][self.case["ep"]] if self.is_expert(name) else g
                     for name, g in zip(self.names, gradients)]
        return [loss, *gradients]

    def inputs(self):
        batch, length = BATCH, LENGTH
        for axis in self.data_axes if self.parallel else ():
            ranks = self.case["mesh"][axis]
            batch, length = (batch, length // ranks) if axis == self.case.get("cp") else (batch // ranks, length)
        tokens = torch.zeros(batch, length, dtype=torch.int64)
        frequencies = torch.empty(length, WIDTH // HEADS // 2, dtype=torch.complex64)
        return [tokens, tokens.clone(), frequencies] + [self.local(name) for name in self.names]


def capture(step):
    mode = FakeTensorMode(shape_env=ShapeEnv(), static_shapes=True)
    inputs = [mode.from_tensor(value, static_shapes=True) for value in step.inputs()]
    with mode:
        return make_fx(step)(*inputs)


def described(step):
    context = step.case.get("cp")
    share = "head_tail" if step.case.get("balanced") else "shard"
    batch = {axis: f"{share}(1)" if axis == context else "shard(0)" if axis in step.data_axes else "replicate"
             for axis in step.axes}
    positions = {axis: f"{share}(0)" if axis == context else "replicate" for axis in step.axes}
    loss = {axis: "partial(avg)" if axis in step.data_axes else "replicate" for axis in step.axes}
    by_name = {"tokens": {"placement": batch}, "labels": {"placement": batch}, "frequencies": {"placement": positions}}
    for name in step.names:
        by_name[name] = {"placement": {axis: placement_text(it) for axis, it in step.placements(name).items()}}
        if len(step.split_order(name)) > 1:
            by_name[name]["split_order"] = step.split_order(name)
    inputs = [{"position": i, "single": i, "of": name, **held} for i, (name, held) in enumerate(by_name.items())]
    # A gradient is held as its parameter is.
    outputs = [{"position": 0, "single": 0, "of": "loss", "placement": loss}]
    for i, name in enumerate(step.names):
        outputs.append({"position": i + 1, "single": i + 1, "of": "grad." + name, **by_name[name]})
    mesh = {"axes": step.axes, "sizes": list(step.case["mesh"].values())}
    return {"mesh": mesh, "inputs": inputs, "outputs": outputs}


def groups_of(step):
    table = {}
    for axis in step.axes:
        group = step.mesh[axis].get_group()
        table[group.group_name] = {"ranks": dist.get_process_group_ranks(group), "desc": "mesh_" + axis}
    return table


def main(case_name, rank, path):
    case = CASES[case_name]
    world = math.prod(case["mesh"].values())
    dist.init_process_group("fake", store=FakeStore(), rank=max(rank, 0), world_size=world)
    step = Step(case, rank >= 0)
    graph = capture(step)
    with open(path, "w", encoding="utf-8") as file:
        file.write(graph.print_readable(print_output=False, include_stride=True, include_device=True))
    if rank >= 0:
        print(json.dumps({"io": described(step), "groups": {"world_size": world, "groups": groups_of(step)}}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
