#!/usr/bin/env python3
"""Gradients of generated models against PyTorch's autograd.

    generated_models.py CCGRAPH_GEN

Each preset, in small sizes and on one rank, is generated as a forward pass and as loss and gradients. PyTorch runs
both on the same numbers; autograd differentiates the forward pass, and the gradients of the program must be equal.
Exit 1 if one differs by more than 1e-4 of its size.
"""
import math, re, subprocess, sys
import torch

SMALL = ("--layers 2 --dim 32 --heads 4 --kv-heads 4 --vocab 32 --seq 32 --batch 2 --device cpu --dtype f32 "
         "--emit fx").split()
MODELS = ("llama3-8b", "gpt2-xl", "qwen3-14b", "mixtral-8x7b", "deepseek-v3-16b")
TOLERANCE = 1e-4


def attention(query, key, value):
    scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
    hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    return scores.masked_fill(hidden, -math.inf).softmax(-1) @ value


def efficient(query, key, value, *_, **__):
    """PyTorch has this operator only on GPUs; it is computed by its formula, without the sums of its softmax."""
    return attention(query, key, value), torch.zeros(()), torch.zeros(()), torch.zeros(())


def efficient_backward(gradient, query, key, value, *_, **__):
    with torch.enable_grad():
        inputs = [t.detach().requires_grad_() for t in (query, key, value)]
        return (*torch.autograd.grad(attention(*inputs), inputs, gradient), None)


def rms_norm_backward(gradient, tensor, shape, rstd, weight, mask):
    """PyTorch has this operator only on GPUs."""
    with torch.enable_grad():
        inputs = [t.detach().requires_grad_() for t in (tensor, weight)]
        dims = tuple(range(-len(shape), 0))
        # The reciprocal root contains eps: rstd = 1 / sqrt(mean(x^2) + eps).
        eps = (rstd.detach() ** -2 - (tensor.detach() ** 2).mean(dims, keepdim=True))
        normed = inputs[0] * torch.rsqrt((inputs[0] ** 2).mean(dims, keepdim=True) + eps) * inputs[1]
        return torch.autograd.grad(normed, inputs, gradient)


def program(gen, model, *flags):
    """Returns the generated program as a function, with the names and types of its inputs."""
    text = subprocess.run([gen, model, *SMALL, *flags], check=True, capture_output=True, text=True).stdout
    text = text.replace("torch.ops.aten._scaled_dot_product_efficient_attention_backward.default", "efficient_backward")
    text = text.replace("torch.ops.aten._fused_rms_norm_backward.default", "rms_norm_backward")
    text = text.replace("torch.ops.aten._scaled_dot_product_efficient_attention.default", "efficient")
    names = {"torch": torch, "device": torch.device, "inf": math.inf, "nan": math.nan, "efficient": efficient,
             "efficient_backward": efficient_backward, "rms_norm_backward": rms_norm_backward}
    exec(text, names)
    module = next(value for value in names.values() if isinstance(value, type) and issubclass(value, torch.nn.Module))
    inputs = re.findall(r'(\w+): "(\w+)\[([\d, ]*)\]', re.search(r"def forward\(self, (.*)\):", text).group(1))
    return lambda *values: module.forward(None, *values), [(name, dtype, [int(n) for n in sizes.split(",") if n])
                                                           for name, dtype, sizes in inputs]


def values_of(inputs):
    torch.manual_seed(0)
    return {name: torch.randint(0, 32, sizes) if dtype == "i64"
            else torch.randn(sizes) * (0.3 if "norm" not in name else 0.1) + ("norm_weight" in name)
            for name, dtype, sizes in inputs}


def largest_difference(gen, model, *flags):
    forward, inputs = program(gen, model, "--part", "forward")
    joint, same = program(gen, model, *flags)
    values = values_of(inputs)
    assert sorted(inputs) == sorted(same), model
    leaves = {name: values[name].clone().requires_grad_() for name, dtype, _ in inputs if dtype == "f32"}
    loss = forward(*[leaves.get(name, values[name]) for name, _, _ in inputs])[0]
    with torch.no_grad():
        got_loss, *got = joint(*[values[name] for name, _, _ in same])
    named = [name for name, dtype, _ in same if dtype == "f32"]
    expected = torch.autograd.grad(loss, [leaves[name] for name in named])
    assert len(got) == len(expected), model
    apart = {"loss": abs(got_loss.item() - loss.item()) / abs(loss.item())}
    for name, a, b in zip(named, expected, got):
        apart[name] = ((a - b).abs().max() / a.abs().max().clamp(min=1e-9)).item()
    return max(apart.items(), key=lambda entry: entry[1])


def main():
    gen, failed = sys.argv[1], 0
    for model in MODELS:
        for flags in ((), ("--loss-chunks", "4")):
            name, apart = largest_difference(gen, model, *flags)
            failed += apart > TOLERANCE
            print(f"{model} {' '.join(flags)}: largest difference {apart:.1e} ({name})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
