#!/usr/bin/env python3
"""Captures the training steps of tests/data/training: capture_training.py FOLDER

It captures an MLP and a transformer of two layers, each a whole step in one graph: forward, backward, gradients
averaged over the ranks, SGD with momentum. The folder of each model gets
  w4.py, w1.py       the step of one of four ranks, and the one of a single rank on the whole batch, as print_readable
                     writes them
  w4/rankN.safetensors, w1/rank0.safetensors
                     in.NAME: parameters and momenta at first; batch.NAME: the batches, one row for each step in turn
  losses.txt         PyTorch's own loss at each of 50 steps, eager, in one process on the whole batch"""
import json, os, struct, sys

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
import torch.nn.functional as F
from torch.fx.experimental.proxy_tensor import make_fx
from torch.testing._internal.distributed.fake_pg import FakeStore

RANKS, STEPS, BATCHES, LR, MOMENTUM = 4, 50, 5, 0.05, 0.9
CODES = {torch.float32: "F32", torch.int64: "I64"}


def write_safetensors(path, tensors):
    header, data = {}, b""
    for name, tensor in sorted(tensors.items()):
        raw = tensor.contiguous().numpy().tobytes()
        header[name] = {"dtype": CODES[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    open(path, "wb").write(struct.pack("<Q", len(text)) + text + data)


class Mlp:
    """Classes of points."""
    per_rank, features, hidden, classes = 8, 16, 32, 6

    def parameters(self):
        sizes = [(self.features, self.hidden), (self.hidden,), (self.hidden, self.hidden), (self.hidden,),
                 (self.hidden, self.classes), (self.classes,)]
        return [torch.randn(s) * 0.3 for s in sizes]

    def batch(self, count):
        x = torch.randn(count, self.features)
        return [x, (x @ torch.randn(self.features, self.classes)).argmax(1)]

    def loss(self, p, x, y):
        h = F.gelu(x @ p[0] + p[1])
        h = torch.tanh(h @ p[2] + p[3])
        return F.cross_entropy(h @ p[4] + p[5], y)


class Transformer:
    """The next token of a sequence; two layers of attention and MLP."""
    per_rank, tokens, length, width, heads = 2, 12, 6, 16, 2

    def parameters(self):
        layer = [(self.width,), (self.width, 3 * self.width), (self.width, self.width), (self.width,),
                 (self.width, 2 * self.width), (2 * self.width, self.width)]
        sizes = [(self.tokens, self.width)] + 2 * layer + [(self.width,), (self.width, self.tokens)]
        return [torch.ones(s) if len(s) == 1 else torch.randn(s) * 0.2 for s in sizes]

    def batch(self, count):
        start = torch.randint(self.tokens, (count, 1))
        step = torch.randint(1, 4, (count, 1))
        text = (start + step * torch.arange(self.length + 1)) % self.tokens
        return [text[:, :-1].contiguous(), text[:, 1:].contiguous()]

    def norm(self, x, weight):
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5) * weight

    def attention(self, x, qkv, out):
        b, t, w = x.shape
        q, k, v = (x @ qkv).view(b, t, 3, self.heads, w // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        scores = q @ k.transpose(-1, -2) / (w // self.heads) ** 0.5
        later = torch.ones(t, t, dtype=torch.bool).triu(1)
        mixed = torch.softmax(scores.masked_fill(later, float("-inf")), -1) @ v
        return mixed.transpose(1, 2).reshape(b, t, w) @ out

    def loss(self, p, x, y):
        h = F.embedding(x, p[0])
        for layer in (p[1:7], p[7:13]):
            h = h + self.attention(self.norm(h, layer[0]), layer[1], layer[2])
            h = h + F.silu(self.norm(h, layer[3]) @ layer[4]) @ layer[5]
        logits = self.norm(h, p[13]) @ p[14]
        return F.cross_entropy(logits.flatten(0, 1), y.flatten())


def step(model, count, ranks):
    """(parameters, momenta, x, y) -> (loss, parameters, momenta)."""

    def run(*args):
        p, v, (x, y) = args[:count], args[count:2 * count], args[2 * count:]
        p = [w.detach().requires_grad_() for w in p]
        loss = model.loss(p, x, y)
        grads = torch.autograd.grad(loss, p)
        loss = loss.detach()
        if ranks > 1:
            group = dist.group.WORLD
            grads = [funcol.all_reduce(g, "sum", group) / ranks for g in grads]
            loss = funcol.all_reduce(loss, "sum", group) / ranks
        v = [MOMENTUM * m + g for m, g in zip(v, grads)]
        return (loss, *[w.detach() - LR * m for w, m in zip(p, v)], *v)

    return run


def capture(run, args, path):
    graph = make_fx(run, tracing_mode="fake")(*args)
    names = [n.name for n in graph.graph.nodes if n.op == "placeholder"]
    open(path, "w").write(graph.print_readable(print_output=False, include_stride=True, include_device=True))
    return names


def write_model(model, folder):
    torch.manual_seed(7)
    p = model.parameters()
    v = [torch.zeros_like(w) for w in p]
    batches = [model.batch(RANKS * model.per_rank) for _ in range(BATCHES)]
    os.makedirs(folder, exist_ok=True)
    for ranks in (1, RANKS):
        part = RANKS * model.per_rank // ranks
        shares = [[[t[r * part:(r + 1) * part] for t in batch] for batch in batches] for r in range(ranks)]
        names = capture(step(model, len(p), ranks), [*p, *v, *shares[0][0]], f"{folder}/w{ranks}.py")
        for r in range(ranks):
            tensors = {"in." + name: t for name, t in zip(names, [*p, *v])}
            for i, name in enumerate(names[-2:]):
                tensors["batch." + name] = torch.stack([batch[i] for batch in shares[r]])
            write_safetensors(f"{folder}/w{ranks}/rank{r}.safetensors", tensors)
    losses, run = [], step(model, len(p), 1)
    state = [*p, *v]
    for t in range(STEPS):
        loss, *state = run(*state, *batches[t % BATCHES])
        losses.append(float(loss))
    open(f"{folder}/losses.txt", "w").write("".join(f"{x:.9g}\n" for x in losses))


def main():
    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=RANKS)
    torch.set_num_threads(1)
    write_model(Mlp(), os.path.join(sys.argv[1], "mlp"))
    write_model(Transformer(), os.path.join(sys.argv[1], "transformer"))


if __name__ == "__main__":
    main()
