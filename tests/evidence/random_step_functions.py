"""Functions of the features of one token, [..., FEATURES] -> the same sizes: the operators that models and losses have.
Each is applied to replicated values or to shards of the batch or the sequence, so it is right on every rank."""
import torch
import torch.nn.functional as F


def places(x):
    """Returns a permutation of the features."""
    return torch.arange(x.shape[-1], device=x.device).mul(3).add(1).remainder(x.shape[-1]) if x.shape[-1] % 3 else \
        torch.arange(x.shape[-1], device=x.device).flip(0)


def rows(x):
    return x.reshape(-1, x.shape[-1])


def padded_window(x):
    return F.pad(x, (1, 1)).unfold(-1, 3, 1).sum(-1) / 3


def scattered(x):
    index = places(x).expand_as(x)
    return torch.zeros_like(x).scatter_add(-1, index, x * 0.5).scatter(-1, index[..., :1], x[..., :1])


def put(x):
    flat = rows(x).t()
    index = torch.tensor_split(places(x), 2)[0]
    return x + flat.index_put((index,), flat[:index.numel()] * 2, accumulate=True).t().reshape(x.shape) * 0.1


def chosen(x):
    values, indices = x.topk(3, dim=-1)
    return torch.zeros_like(x).scatter(-1, indices, values.softmax(-1)) + x


def sorted_features(x):
    values, order = x.sort(dim=-1)
    return values + x.gather(-1, order) * 0.5


def one_hot_of_largest(x):
    return x + F.one_hot(x.argmax(-1), x.shape[-1]).to(x.dtype) * x.sum(-1, keepdim=True)


def group_normal(x):
    return F.group_norm(rows(x), 2).reshape(x.shape)


def instance_normal(x):
    return F.instance_norm(rows(x).unflatten(-1, (2, -1))).reshape(x.shape)


def batched_products(x):
    a = rows(x).unflatten(-1, (2, -1))
    return torch.baddbmm(a, a @ a.transpose(1, 2), a, beta=0.5, alpha=0.1).reshape(x.shape)


def outer(x):
    a, b = x.chunk(2, -1)
    return torch.einsum("...i,...j->...ij", a, b).mean(-1).repeat_interleave(2, -1) + x


def image(x):
    """One token as an image of one channel."""
    return rows(x).unflatten(-1, (2, -1)).unsqueeze(1)


def pooled(x):
    pool = F.avg_pool2d(image(x), (1, 2))
    return F.interpolate(pool, scale_factor=(1, 2), mode="nearest").reshape(x.shape)


def max_pooled(x):
    return x + F.max_pool1d(rows(x).unsqueeze(1), 3, 1, 1).reshape(x.shape)


def convolved(x):
    kernel = torch.linspace(0.5, 1.5, 3, dtype=x.dtype, device=x.device).view(1, 1, 3)
    return F.conv1d(rows(x).unsqueeze(1), kernel, padding=1).reshape(x.shape)


def glued(x):
    return F.glu(torch.cat([x, x.flip(-1)], -1), -1)


def masked(x):
    mask = torch.arange(x.shape[-1], device=x.device) % 3 == 0
    return torch.where(mask, x, x * x).masked_fill(mask.logical_not() & (x < -1), 0.5)


def cosine(x):
    return x * F.cosine_similarity(x, x.roll(1, -1), dim=-1).unsqueeze(-1)


def halves_turned(x):
    a, b = x.chunk(2, -1)
    return torch.cat((-b, a), -1) + torch.stack((b, a), -1).flatten(-2)


def strided(x):
    return x[..., ::2].repeat_interleave(2, -1) + x[..., 1::2].unsqueeze(-1).expand(*x.shape[:-1], -1, 2).flatten(-2)


FUNCTIONS = {
    "roll": lambda x: x.roll(1, -1), "cumsum": lambda x: x.cumsum(-1) / x.shape[-1], "flip": lambda x: x.flip(-1),
    "window": padded_window, "scatter": scattered, "index_put": put, "topk": chosen, "sort": sorted_features,
    "argmax": one_hot_of_largest, "group_norm": group_normal, "instance_norm": instance_normal,
    "baddbmm": batched_products, "outer": outer, "avg_pool": pooled, "max_pool": max_pooled, "conv1d": convolved,
    "glu": glued, "where": masked, "cosine": cosine, "halves": halves_turned, "strided": strided,
    "var": lambda x: (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True) + 1),
    "std": lambda x: x / (x.std(-1, keepdim=True, unbiased=False) + 1),
    "var_mean": lambda x: (lambda v, m: (x - m) * (v + 0.1).rsqrt())(*torch.var_mean(x, -1, keepdim=True)),
    "logsumexp": lambda x: x - x.logsumexp(-1, keepdim=True), "softmax": lambda x: x.softmax(-1) * x,
    "log_softmax": lambda x: x.log_softmax(-1), "softmin": lambda x: F.softmin(x, -1),
    "index_select": lambda x: x.index_select(-1, places(x)), "gather": lambda x: x.gather(-1, places(x).expand_as(x)),
    "index": lambda x: x[..., places(x)], "index_add": lambda x: x.index_add(-1, places(x), x * 2),
    "index_copy": lambda x: x.index_copy(-1, places(x)[:2], x[..., :2] * 2),
    "hardtanh": F.hardtanh, "relu6": F.relu6, "leaky_relu": lambda x: F.leaky_relu(x, 0.1), "elu": F.elu,
    "selu": F.selu, "celu": F.celu, "softplus": F.softplus, "mish": F.mish, "hardswish": F.hardswish,
    "hardsigmoid": F.hardsigmoid, "relu": F.relu, "gelu": F.gelu, "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "silu": F.silu, "tanh": torch.tanh, "sigmoid": torch.sigmoid, "log_sigmoid": F.logsigmoid, "erf": torch.erf,
    "softsign": F.softsign, "softshrink": F.softshrink, "hardshrink": F.hardshrink, "tanhshrink": F.tanhshrink,
    "threshold": lambda x: F.threshold(x, 0.1, 0.5), "abs": torch.abs, "square": torch.square,
    "pow": lambda x: x.pow(3) + x.abs().add(1).pow(0.5), "exp": lambda x: (x * 0.1).exp(), "expm1": torch.expm1,
    "log1p": lambda x: x.square().log1p(), "log2": lambda x: x.square().add(1).log2(), "exp2": torch.exp2,
    "sin": torch.sin, "cos": torch.cos, "atan": torch.atan, "sinh": torch.sinh, "reciprocal": lambda x: 1 / (x * x + 1),
    "rsqrt": lambda x: x * (x.square().mean(-1, keepdim=True) + 1e-5).rsqrt(),
    "clamp": lambda x: x.clamp(-0.5, 0.5), "clamp_min": lambda x: x.clamp(min=0.1), "sign": lambda x: x * x.sign(),
    "norm": lambda x: x / (x.norm(dim=-1, keepdim=True) + 1), "norm_1": lambda x: x / (x.norm(1, -1, True) + 1),
    "norm_inf": lambda x: x / (torch.linalg.vector_norm(x, float("inf"), -1, True) + 1),
    "normalize": lambda x: F.normalize(x, dim=-1), "amax": lambda x: x - x.amax(-1, keepdim=True),
    "max": lambda x: x - x.max(-1, keepdim=True).values, "min": lambda x: x * x.min(-1, keepdim=True).values,
    "prod": lambda x: x + x.mul(0.1).add(1).prod(-1, keepdim=True), "cumprod": lambda x: x.mul(0.1).add(1).cumprod(-1),
    "logcumsumexp": lambda x: x.logcumsumexp(-1), "cummax": lambda x: x.cummax(-1).values,
    "layer_norm": lambda x: F.layer_norm(x, (x.shape[-1],)), "rms_norm": lambda x: F.rms_norm(x, (x.shape[-1],)),
    "lerp": lambda x: torch.lerp(x, x.flip(-1), 0.3), "addcmul": lambda x: torch.addcmul(x, x, x.flip(-1), value=0.5),
    "addcdiv": lambda x: torch.addcdiv(x, x, x.flip(-1).square() + 1, value=0.5),
    "maximum": lambda x: torch.maximum(x, x.flip(-1)), "minimum": lambda x: torch.minimum(x, x.roll(1, -1)),
    "tril": lambda x: (rows(x).unflatten(-1, (2, -1)).tril(1) + 0).reshape(x.shape) + x,
    "pad_reflect": lambda x: F.pad(rows(x).unsqueeze(1), (1, 1), mode="reflect")[..., 2:].reshape(x.shape),
    "pad_replicate": lambda x: F.pad(rows(x).unsqueeze(1), (1, 0), mode="replicate")[..., :-1].reshape(x.shape),
    "pad_circular": lambda x: F.pad(rows(x).unsqueeze(1), (1, 0), mode="circular")[..., :-1].reshape(x.shape),
    "diff": lambda x: F.pad(x.diff(dim=-1), (1, 0)), "tile": lambda x: x.tile(2)[..., ::2] + x,
    "hypot": lambda x: torch.hypot(x, x.flip(-1) + 2), "atan2": lambda x: torch.atan2(x, x.flip(-1).abs() + 1),
    "movedim": lambda x: x.unflatten(-1, (2, -1)).movedim(-1, -2).reshape(x.shape),
    "rot90": lambda x: rows(x).unflatten(-1, (2, -1)).rot90(2, (1, 2)).reshape(x.shape),
    "dropout_eval": lambda x: F.dropout(x, 0.5, training=False), "alpha": lambda x: torch.add(x, x.flip(-1), alpha=0.5),
    "rsub": lambda x: 1 - x, "float_power": lambda x: x.abs().add(1).pow(1.7), "nan_to_num": torch.nan_to_num,
    "logaddexp": lambda x: torch.logaddexp(x, x.flip(-1)), "xlogy": lambda x: torch.xlogy(x, x.square() + 1),
    "kron": lambda x: torch.einsum("...d,de->...e", x, torch.eye(x.shape[-1], dtype=x.dtype).roll(1, 0)),
    "median": lambda x: x - x.median(-1, keepdim=True).values, "quantile": lambda x: x.kthvalue(2, -1, True).values + x,
    "trapezoid": lambda x: x + torch.trapezoid(x, dim=-1).unsqueeze(-1), "floor": lambda x: x - x.detach().floor(),
    "sum_of_bools": lambda x: x * (x > 0).sum(-1, keepdim=True), "prelu": lambda x: F.prelu(x, x.new_full((1,), 0.2)),
    "rrelu": F.rrelu,
    "logit": lambda x: torch.logit(x.sigmoid() * 0.9 + 0.05), "bmm": lambda x: torch.bmm(image(x)[:, 0], image(
        x)[:, 0].transpose(1, 2)).sum((1, 2)).reshape(*x.shape[:-1], 1) + x,
    "addmv": lambda x: x + torch.mv(rows(x), torch.ones(x.shape[-1], dtype=x.dtype)).reshape(*x.shape[:-1], 1),
    "count_nonzero": lambda x: x * (x > 0).count_nonzero(-1).unsqueeze(-1),
    "bucketize": lambda x: x * torch.bucketize(x.detach(), torch.linspace(-1, 1, 5, dtype=x.dtype)),
    "channel_shuffle": lambda x: F.channel_shuffle(rows(x)[..., None, None], 2).reshape(x.shape),
    "pixel_shuffle": lambda x: F.pixel_shuffle(rows(x)[..., None, None], 2).reshape(x.shape) if x.shape[-1] % 4 == 0
    else x,
    "adaptive_pool": lambda x: x + F.adaptive_avg_pool1d(rows(x).unsqueeze(1), 1).reshape(*x.shape[:-1], 1),
    "upsample": lambda x: F.interpolate(rows(x)[:, None], scale_factor=2, mode="linear")[..., ::2].reshape(x.shape),
    "local_response": lambda x: F.local_response_norm(image(x), 2).reshape(x.shape),
}
