"""What stands before and after the blocks: embeddings, heads and losses. Each loss is the mean over the examples that a
rank has, so that the loss of the step is the mean over the ranks."""
import torch
import torch.nn.functional as F

from random_step_model import WIDTH, Norm, Parameter, linear


def cross_entropy(rank, logits, labels, smoothing):
    """One of the forms of the same loss; logits [tokens, classes]."""
    form = rank.forms.randrange(4) if not smoothing else 0
    if form == 0:
        return F.cross_entropy(logits, labels, label_smoothing=smoothing)
    if form == 1:
        return F.nll_loss(logits.log_softmax(-1), labels)
    if form == 2:
        return (logits.logsumexp(-1) - logits.gather(1, labels.unsqueeze(1)).squeeze(1)).mean()
    return -(logits.log_softmax(-1) * F.one_hot(labels, logits.shape[-1])).sum(-1).mean()


class Tokens:
    """Tokens through an embedding to classes; the vocabulary may be cut over tp, and weights may be tied."""

    def __init__(self, draw, plan):
        self.plan, self.vocabulary = plan, draw.choice([12, 16, 10])
        self.cut = draw.random() < 0.6 if "tp" in plan.mesh else False
        self.tied, self.gathers = draw.random() < 0.3, draw.random() < 0.3
        self.smoothing = 0.1 if draw.random() < 0.2 else 0
        self.norm = Norm("final", draw, plan) if draw.random() < 0.6 else None
        self.embedding_form = draw.randrange(3)

    def data(self):
        return [("tokens", [], torch.int64), ("labels", [], torch.int64)]

    def declare(self):
        axis = "tp" if self.cut else ""
        partial = ("tp",) if self.plan.sequence and not self.cut and not self.tied else ()
        yield Parameter("emb", (self.vocabulary, WIDTH), axis, partial=partial)
        if not self.tied:
            yield Parameter("out", (self.vocabulary, WIDTH), axis)
        if self.norm:
            yield from self.norm.declare()

    def embed(self, rank, p, data):
        tokens, weight = data["tokens"], p["emb"]
        length = tokens.shape[1]
        if not self.cut:
            x = F.embedding(tokens, weight) if self.embedding_form else weight[tokens]
            if not self.plan.sequence:
                return x
            # A tied weight receives equal gradients from the head, so those of the embedding are made equal too.
            return rank.take_part(x, "tp", 1) if self.tied else self.parts(rank, tokens, weight)
        first = rank.offset("tp", self.vocabulary)
        rows = weight.shape[0]
        at = tokens - first
        inside = (at >= 0) & (at < rows)
        x = F.embedding(at.clamp(0, rows - 1) if self.embedding_form else torch.where(inside, at, 0), weight)
        x = x * inside.unsqueeze(-1) if self.embedding_form == 1 else torch.where(inside.unsqueeze(-1), x, 0.0)
        return rank.scatter_sum(x, "tp", 1, length) if self.plan.sequence else rank.leave(x, "tp")

    @staticmethod
    def parts(rank, tokens, weight):
        return F.embedding(rank.part(tokens, "tp", 1), weight)

    def loss(self, rank, x, p, data):
        x = self.norm.run(rank, x, p) if self.norm else x
        weight = p["emb"] if self.tied else p["out"]
        if self.tied and rank.site("use") == "detach":
            weight = weight.detach()
        length = data["labels"].shape[1]
        labels = data["labels"].reshape(-1)
        if not self.cut:
            x = rank.gather_parts(x, "tp", 1, length, reduces=False) if self.plan.sequence else x
            return cross_entropy(rank, linear(rank, x, weight).flatten(0, 1), labels, self.smoothing)
        x = rank.gather_parts(x, "tp", 1, length) if self.plan.sequence else rank.enter(x, "tp")
        logits = linear(rank, x, weight).flatten(0, 1)
        if self.gathers or self.smoothing:
            logits = rank.gather_parts(logits, "tp", 1, self.vocabulary, reduces=False)
            return cross_entropy(rank, logits, labels, self.smoothing)
        return self.parallel(rank, logits, labels)

    def parallel(self, rank, logits, labels):
        first = rank.offset("tp", self.vocabulary)
        largest = rank.reduce(logits.detach().amax(-1), "tp", "max").unsqueeze(1)
        shifted = logits - largest
        total = rank.leave(shifted.exp().sum(-1), "tp")
        at = labels - first
        inside = (at >= 0) & (at < logits.shape[1])
        mine = shifted.gather(1, at.clamp(0, logits.shape[1] - 1).unsqueeze(1)).squeeze(1)
        return (total.log() - rank.leave(torch.where(inside, mine, 0.0), "tp")).mean()


class Features:
    """Floats through the blocks to a target, by one of several losses."""
    KINDS = {"mse": F.mse_loss, "smooth_l1": F.smooth_l1_loss, "huber": lambda x, y: F.huber_loss(x, y, delta=0.5),
             "l1": F.l1_loss, "bce": lambda x, y: F.binary_cross_entropy_with_logits(x, y),
             "bce_sigmoid": lambda x, y: F.binary_cross_entropy(x.sigmoid(), y.sigmoid()),
             "kl": lambda x, y: F.kl_div(x.log_softmax(-1), y.softmax(-1), reduction="batchmean") / x.shape[1],
             "soft": lambda x, y: F.cross_entropy(x.flatten(0, 1), y.softmax(-1).flatten(0, 1)),
             "gaussian": lambda x, y: F.gaussian_nll_loss(x, y, torch.ones_like(x)),
             "poisson": lambda x, y: F.poisson_nll_loss(x, y),
             "sum": lambda x, y: ((x - y) ** 2).sum((1, 2)).mean() / x.shape[1],
             "margin": lambda x, y: F.soft_margin_loss(x, y.sign()),
             "cosine": lambda x, y: 1 - F.cosine_similarity(x, y, -1).mean()}

    def __init__(self, draw, plan):
        self.plan, self.kind = plan, draw.choice(sorted(set(self.KINDS) - plan.without))

    def data(self):
        return [("x", [WIDTH], self.plan.dtype), ("target", [WIDTH], self.plan.dtype)]

    def declare(self):
        yield Parameter("first", (WIDTH, WIDTH), partial=("tp",) if self.plan.sequence else ())

    def embed(self, rank, p, data):
        x = rank.part(data["x"], "tp", 1) if self.plan.sequence else data["x"]
        return linear(rank, x, p["first"])

    def loss(self, rank, x, p, data):
        if self.plan.sequence:
            x = rank.gather_parts(x, "tp", 1, data["target"].shape[1], reduces=False)
        return self.KINDS[self.kind](x, data["target"])


LOSSES = {"tokens": Tokens, "features": Features}
