"""Random models: blocks, embeddings and losses, each in a form for the single device and for the ranks of a mesh.

A value between blocks is [batch, length, WIDTH]: the batch is cut over the data axes, the length over `cp`, and with
sequence parallelism over `tp`. Blocks declare their parameters and compute with those that a rank holds."""
import dataclasses, math

import torch
import torch.nn.functional as F

from random_step_functions import FUNCTIONS
from random_step_rank import chunk_sizes

WIDTH = 8


@dataclasses.dataclass
class Parameter:
    """`axis` cuts `dim`. `partial`: axes over which gradients are parts of a sum; `local`: those whose ranks have
    parameters of their own, so that gradients are only divided."""
    name: str
    shape: tuple
    axis: str = ""
    dim: int = 0
    partial: tuple = ()
    local: tuple = ()


def linear(rank, x, w, b=None):
    """x [..., in], w [out, in], in one of the forms that models have."""
    form = rank.forms.randrange(6)
    if form == 0:
        return F.linear(x, w, b)
    if form == 1:
        y = torch.einsum("...d,hd->...h", x, w)
    elif form == 2:
        y = x @ w.transpose(0, 1)
    elif form == 3 and b is not None:
        return torch.addmm(b, x.reshape(-1, x.shape[-1]), w.t()).view(*x.shape[:-1], w.shape[0])
    elif form == 4:
        y = torch.mm(x.flatten(0, -2), w.t()).unflatten(0, x.shape[:-1])
    else:
        y = torch.matmul(x, w.mT)
    return y if b is None else y + b


class Norm:
    def __init__(self, name, draw, plan):
        self.name, self.kind = name, draw.choice(["layer", "rms", "layer_by_hand", "rms_by_hand", "layer_no_bias"])
        self.partial = ("tp",) if plan.sequence else ()

    def declare(self):
        yield Parameter(self.name + ".n1", (WIDTH,), partial=self.partial)
        if self.kind in ("layer", "layer_by_hand"):
            yield Parameter(self.name + ".b", (WIDTH,), partial=self.partial)

    def run(self, rank, x, p):
        w, b = p[self.name + ".n1"], p.get(self.name + ".b")
        if self.kind in ("layer", "layer_no_bias"):
            return F.layer_norm(x, (WIDTH,), w, b)
        if self.kind == "rms":
            return F.rms_norm(x, (WIDTH,), w, 1e-5)
        if self.kind == "rms_by_hand":
            return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * w
        mean = x.mean(-1, keepdim=True)
        return (x - mean) / torch.sqrt((x - mean).square().mean(-1, keepdim=True) + 1e-5) * w + b


class Block:
    """A residual block whose inner part is cut over tp."""

    def __init__(self, name, draw, plan):
        self.name, self.plan = name, plan
        self.norm = Norm(name + ".norm", draw, plan) if draw.random() < 0.8 else None
        self.draw(draw)

    def declare(self):
        if self.norm:
            yield from self.norm.declare()
        yield from self.parameters()

    def enter(self, rank, x, length):
        return rank.gather_parts(x, "tp", 1, length) if self.plan.sequence else rank.enter(x, "tp")

    def leave(self, rank, y):
        return rank.scatter_sum(y, "tp", 1, y.shape[1]) if self.plan.sequence else rank.leave(y, "tp")

    def run(self, rank, x, p):
        h = self.norm.run(rank, x, p) if self.norm else x
        length = x.shape[1] * (rank.size("tp") if self.plan.sequence else 1)
        y = self.compute(rank, h, p, length)
        if rank.site("term") == "minus":
            return x - y
        return x + y


ACTIVATIONS = ["relu", "gelu", "gelu_tanh", "silu", "tanh", "sigmoid", "mish", "hardtanh", "elu", "softplus", "square",
               "leaky_relu", "hardswish", "relu6"]


class Mlp(Block):
    def draw(self, draw):
        self.hidden = draw.choice([12, 8, 10, 16])
        self.gated, self.biased, self.early = draw.random() < 0.3, draw.random() < 0.6, draw.random() < 0.3
        self.activation = draw.choice(ACTIVATIONS)

    def parameters(self):
        for word in ["up", "gate"] if self.gated else ["up"]:
            yield Parameter(f"{self.name}.{word}", (self.hidden, WIDTH), "tp")
            if self.biased:
                yield Parameter(f"{self.name}.{word}.b", (self.hidden,), "tp")
        yield Parameter(f"{self.name}.down", (WIDTH, self.hidden), "tp", 1)
        if self.biased:
            yield Parameter(f"{self.name}.down.b", (WIDTH,),
                            partial=("tp",) if self.plan.sequence and not self.early else ())

    def compute(self, rank, x, p, length):
        x = self.enter(rank, x, length)
        h = FUNCTIONS[self.activation](linear(rank, x, p[self.name + ".up"], p.get(self.name + ".up.b")))
        if self.gated:
            h = h * linear(rank, x, p[self.name + ".gate"], p.get(self.name + ".gate.b"))
        y, b = linear(rank, h, p[self.name + ".down"]), p.get(self.name + ".down.b")
        if b is not None and self.early:
            # As DTensor does: each rank adds its share of the bias, whose gradient is the sum of the shares.
            share = b if "tp" not in rank.mesh else rank.scale(rank.enter(b, "tp"), rank.size("tp"))
            return self.leave(rank, y + share)
        y = self.leave(rank, y)
        return y if b is None else y + b


class Attention(Block):
    """Heads are cut over tp; keys and values of all ranks of cp are gathered."""

    def draw(self, draw):
        self.size, self.heads = 4, self.plan.mesh.get("tp", 1) * draw.choice([1, 2])
        self.kind = draw.choice(["math", "math", "sdpa", "sdpa", "safe"])
        self.causal, self.rope, self.normed = draw.random() < 0.6, draw.random() < 0.3, draw.random() < 0.3
        self.biased = draw.random() < 0.3
        self.groups = draw.choice([1, 2]) if self.heads // self.plan.mesh.get("tp", 1) % 2 == 0 else 1

    def parameters(self):
        rows = self.heads * self.size
        for word, of in (("wq", rows), ("wk", rows // self.groups), ("wv", rows // self.groups)):
            yield Parameter(f"{self.name}.{word}", (of, WIDTH), "tp")
            if self.biased:
                yield Parameter(f"{self.name}.{word}.b", (of,), "tp")
        yield Parameter(self.name + ".wo", (WIDTH, rows), "tp", 1)
        if self.normed:
            yield Parameter(self.name + ".norm1", (self.size,), partial=("tp",))

    def rotate(self, x, start):
        at = torch.arange(start, start + x.shape[2], device=x.device).to(x.dtype).unsqueeze(1)
        angle = at * 0.5
        a, b = x.chunk(2, -1)
        return torch.cat((a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()), -1)

    def compute(self, rank, x, p, length):
        x = self.enter(rank, x, length)
        def heads(word):
            y = linear(rank, x, p[f"{self.name}.{word}"], p.get(f"{self.name}.{word}.b"))
            return y.unflatten(-1, (-1, self.size)).transpose(1, 2)
        q, k, v = heads("wq"), heads("wk"), heads("wv")
        if self.normed:
            q, k = (F.rms_norm(t, (self.size,), p[self.name + ".norm1"], 1e-5) for t in (q, k))
        whole = length * rank.size("cp")
        start = rank.offset("cp", whole) if self.rope or self.causal else 0
        if self.rope:
            q, k = self.rotate(q, start), self.rotate(k, start)
        k, v = (rank.gather_parts(t, "cp", 2, whole) for t in (k, v))
        if self.groups > 1:
            k, v = (t.repeat_interleave(self.groups, 1) for t in (k, v))
        y = self.attend(rank, q, k, v, start)
        y = y.transpose(1, 2).flatten(2)
        return self.leave(rank, linear(rank, y, p[self.name + ".wo"]))

    def attend(self, rank, q, k, v, start):
        mask = None
        if self.causal:
            rows = torch.arange(start, start + q.shape[2], device=q.device)
            mask = rows.unsqueeze(1) >= torch.arange(k.shape[2], device=q.device)
        if self.kind == "sdpa":
            if self.causal and "cp" not in self.plan.mesh:
                return F.scaled_dot_product_attention(q, k, v, is_causal=True)
            return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.size)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = torch.ops.aten._safe_softmax(scores, -1) if self.kind == "safe" else scores.softmax(-1)
        return weights @ v


class Convolution(Block):
    """Channels of the hidden layer are cut over tp."""

    def draw(self, draw):
        self.hidden, self.kernel = draw.choice([8, 12]), draw.choice([1, 3])
        self.activation, self.biased = draw.choice(ACTIVATIONS), draw.random() < 0.5

    def parameters(self):
        yield Parameter(self.name + ".conv1", (self.hidden, WIDTH, self.kernel), "tp")
        if self.biased:
            yield Parameter(self.name + ".conv1.b", (self.hidden,), "tp")
        yield Parameter(self.name + ".conv2", (WIDTH, self.hidden, self.kernel), "tp", 1)

    def compute(self, rank, x, p, length):
        x = self.enter(rank, x, length).transpose(1, 2)
        pad = self.kernel // 2
        h = F.conv1d(x, p[self.name + ".conv1"], p.get(self.name + ".conv1.b"), padding=pad)
        y = F.conv1d(FUNCTIONS[self.activation](h), p[self.name + ".conv2"], padding=pad)
        return self.leave(rank, y.transpose(1, 2))


class Experts(Block):
    """A mixture of experts. Each rank of ep, over which the batch is cut too, has some of them: tokens are gathered,
    and outputs are added and scattered; or, with fixed routing, exchanged."""

    def draw(self, draw):
        self.experts, self.fixed = 4, draw.random() < 0.4
        self.activation, self.top = draw.choice(ACTIVATIONS), draw.choice([0, 1, 2])

    def parameters(self):
        yield Parameter(self.name + ".wa", (self.experts, WIDTH, 6), "ep", local=("ep",),
                        partial=("tp",) if self.plan.sequence else ())
        yield Parameter(self.name + ".wb", (self.experts, 6, WIDTH), "ep", local=("ep",),
                        partial=("tp",) if self.plan.sequence else ())
        if not self.fixed:
            yield Parameter(self.name + ".router", (self.experts, WIDTH), partial=("tp",) if self.plan.sequence else ())

    def weights(self, rank, tokens, p):
        scores = linear(rank, tokens, p[self.name + ".router"]).softmax(-1)
        if self.top:
            kept = torch.zeros_like(scores).scatter(1, scores.topk(self.top, 1).indices, 1.0)
            scores = scores * kept
        return scores

    def experts_of(self, x, p):
        """x [experts, tokens, WIDTH]"""
        return torch.bmm(FUNCTIONS[self.activation](torch.bmm(x, p[self.name + ".wa"])), p[self.name + ".wb"])

    def compute(self, rank, x, p, length):
        tokens = x.reshape(-1, WIDTH)
        n = rank.size("ep")
        if self.fixed:
            by_expert = tokens.view(-1, self.experts, WIDTH).transpose(0, 1).contiguous()
            there = rank.exchange(by_expert, "ep").view(n, self.experts // n, -1, WIDTH).transpose(0, 1).flatten(1, 2)
            back = self.experts_of(there, p).view(self.experts // n, n, -1, WIDTH).transpose(0, 1).flatten(0, 1)
            return rank.exchange(back.contiguous(), "ep").transpose(0, 1).reshape(x.shape)
        weights = self.weights(rank, tokens, p)
        whole = rank.gather_parts(torch.cat((tokens, weights), 1), "ep", 0, n * tokens.shape[0])
        tokens, weights = whole.split([WIDTH, self.experts], 1)
        first = rank.offset("ep", self.experts)
        mine = weights[:, first:first + self.experts // n]
        y = torch.einsum("etd,te->td", self.experts_of(tokens.expand(self.experts // n, *tokens.shape), p), mine)
        return rank.scatter_sum(y, "ep", 0, y.shape[0]).view(x.shape)


class Functions(Block):
    """Operators on the features of each token."""

    def draw(self, draw):
        self.names = draw.sample(sorted(set(FUNCTIONS) - self.plan.without), draw.choice([1, 2, 3]))

    def parameters(self):
        yield Parameter(self.name + ".n1", (WIDTH,), partial=("tp",) if self.plan.sequence else ())

    def compute(self, rank, x, p, length):
        for name in self.names:
            x = FUNCTIONS[name](x * p[self.name + ".n1"])
        return x * 0.5


class Dropout(Block):
    """A mask that is integer arithmetic on the position of the element, so that it is the same on all devices."""

    def draw(self, draw):
        self.key = draw.randrange(7)

    def parameters(self):
        return ()

    def compute(self, rank, x, p, length):
        batch, at = x.shape[0], 0
        for axis in self.plan.data:
            batch *= rank.size(axis)
        whole = batch
        for axis in self.plan.data:
            at += rank.offset(axis, whole)
            whole //= rank.size(axis)
        b = torch.arange(x.shape[0], device=x.device) + at
        rows = x.shape[1] * rank.size("cp") * (rank.size("tp") if self.plan.sequence else 1)
        s = torch.arange(x.shape[1], device=x.device) + rank.offset("cp", rows)
        if self.plan.sequence:
            s = s + rank.offset("tp", rows // rank.size("cp"))
        d = torch.arange(x.shape[2], device=x.device)
        mask = (b.view(-1, 1, 1) * 31 + s.view(-1, 1) * 17 + d * 7 + self.key) % 5 < 4
        return x * mask / 0.8


BLOCKS = {"mlp": Mlp, "attention": Attention, "conv": Convolution, "experts": Experts, "functions": Functions,
          "dropout": Dropout}
