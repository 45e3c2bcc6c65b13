#!/usr/bin/env python3
"""float8 numbers and products, compared with PyTorch: float8.py FOLDER_OF_TOOLS

Casts are bitwise equal: every f8e4m3fn and f8e5m2 to f32, and f32, bf16, f16, f64 and i32 to both, with all ties, ends
of the ranges and infinities. Products of float8 matrices (_scaled_mm) agree in all forms that PyTorch computes on
CPUs. Loss and gradients of generated models (ccgraph-gen --fp8) are those that PyTorch computes with the program."""
import os, struct, subprocess, sys, tempfile
import torch

from generated_models import SMALL, program, values_of

NAMES = {torch.float8_e4m3fn: "f8e4m3fn", torch.float8_e5m2: "f8e5m2", torch.float32: "f32", torch.bfloat16: "bf16",
         torch.float16: "f16", torch.float64: "f64", torch.int32: "i32", torch.int64: "i64"}
IN_FILES = {"f8e4m3fn": "F8_E4M3", "f8e5m2": "F8_E5M2"}
FLOAT8 = (torch.float8_e4m3fn, torch.float8_e5m2)


class Program:
    """A graph of calls, with the values that PyTorch computes for them."""

    def __init__(self):
        self.values, self.lines, self.results = {}, [], []

    def input(self, tensor):
        name = f"x{len(self.values)}"
        self.values["in." + name] = tensor
        return name

    def call(self, target, args, expected):
        name = f"y{len(self.results)}"
        self.lines.append(f"        {name}: \"{type_of(expected)}\" = torch.ops.aten.{target}({args})")
        self.values[f"out.{len(self.results)}"] = expected
        self.results.append(name)

    def text(self):
        inputs = ", ".join(f'{name[3:]}: "{type_of(value)}"' for name, value in self.values.items()
                           if name.startswith("in."))
        return "\n".join(["class graph(torch.nn.Module):", f"    def forward(self, {inputs}):", *self.lines,
                          f"        return ({', '.join(self.results)},)", ""])


def type_of(tensor):
    return f"{NAMES[tensor.dtype]}{list(tensor.shape)}{list(tensor.stride())}cpu"


def write_safetensors(path, tensors):
    header, data = {}, b""
    for name, tensor in tensors.items():
        raw = tensor.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
        dtype = NAMES[tensor.dtype]
        header[name] = {"dtype": IN_FILES.get(dtype, dtype.upper()), "shape": list(tensor.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = str(header).replace("'", '"').encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def run(tools, text, values, *flags):
    with tempfile.TemporaryDirectory() as folder:
        graph = os.path.join(folder, "graph.py")
        with open(graph, "w") as file:
            file.write(text)
        write_safetensors(os.path.join(folder, "rank0.safetensors"), values)
        for engine in ("reference", "local"):
            made = subprocess.run([os.path.join(tools, "ccgraph-run"), graph, "--ranks", "1", "--values", folder,
                                   "--engine", engine, *flags], capture_output=True, text=True)
            assert made.returncode == 0, f"{engine}:\n{made.stdout[-3000:]}{made.stderr[-3000:]}"
    print(f"{sum(name.startswith('out.') for name in values)} results agree {' '.join(flags)}")


def every_float8(dtype):
    return torch.arange(256, dtype=torch.int16).to(torch.uint8).view(dtype)


def hard_floats():
    """Returns every f8, the midpoints between neighbors, and the floats next to each, with both signs; and each
    exponent of f32 with a few fractions."""
    found = [torch.tensor([float("inf"), 464, 479.9, 480, 61440, 65535, 65536, 1e-12, 3e38, 1e-45])]
    for dtype in FLOAT8:
        numbers = every_float8(dtype).float()
        numbers = numbers[numbers.isfinite() & (numbers >= 0)].sort().values
        points = torch.cat([numbers, (numbers[1:] + numbers[:-1]) / 2])
        found += [points, torch.nextafter(points, torch.tensor(0.0)), torch.nextafter(points, torch.tensor(1e9))]
    bits = torch.arange(0, 255, dtype=torch.int32) << 23
    found += [(bits | fraction).view(torch.float32) for fraction in (0, 1, 0x400000, 0x7fffff, 0x155555)]
    floats = torch.cat(found)
    return torch.cat([floats, -floats, torch.tensor([float("nan")])])


def casts():
    made = Program()
    for dtype in FLOAT8:
        numbers = every_float8(dtype)
        name = made.input(numbers)
        for to in (torch.float32, torch.bfloat16, torch.float64, *FLOAT8):
            if to != dtype:
                made.call("_to_copy.default", f"{name}, dtype = {to}", numbers.to(to))
    for dtype in (torch.float32, torch.bfloat16, torch.float16, torch.float64, torch.int32):
        numbers = torch.arange(-600, 600, dtype=dtype) * 119 if dtype == torch.int32 else hard_floats().to(dtype)
        name = made.input(numbers)
        for to in FLOAT8:
            made.call("_to_copy.default", f"{name}, dtype = {to}", numbers.to(to))
    return made


def products(out):
    """All dtypes of factors, scales of matrices and of lines, and biases, with the result dtype `out` (None: that of
    the first factor)."""
    torch.manual_seed(8)
    made = Program()
    whole, rows, columns = torch.tensor(0.75), torch.rand(16, 1) + 0.5, torch.rand(1, 48) + 0.5
    bias = torch.randn(48).bfloat16()
    for a in FLOAT8:
        for b in FLOAT8:
            left, right = torch.randn(16, 32).to(a), torch.randn(48, 32).to(b).t()
            for scales in ((whole, whole), (rows, columns)):
                for added in (None, bias):
                    given = [left, right, *scales, added, None, out]
                    names = ["None" if value is None else made.input(value) for value in given[:5]]
                    made.call("_scaled_mm.default", ", ".join(names) + f", None, {out}",
                                 torch.ops.aten._scaled_mm(*given))
    return made


def check_generated(tools, model):
    """One rank's joint program, which PyTorch runs as it is."""
    gen, flags = os.path.join(tools, "ccgraph-gen"), ("--fp8", "--ffn", "64")
    by_pytorch, inputs = program(gen, model, *flags)
    values = values_of(inputs)
    with torch.no_grad():
        results = by_pytorch(*[values[name] for name, _, _ in inputs])
    text = subprocess.run([gen, model, *SMALL, *flags], check=True, capture_output=True, text=True).stdout
    assert "aten._scaled_mm" in text, model
    recorded = {f"in.{name}": value for name, value in values.items()}
    recorded |= {f"out.{i}": value for i, value in enumerate(results)}
    run(tools, text, recorded, "--rtol", "1e-3", "--atol", "1e-3")


def check(tools, made, *flags):
    run(tools, made.text(), made.values, *flags)


def main():
    tools = sys.argv[1]
    check(tools, casts())
    # PyTorch sums in f32, ccgraph in f64; then both round once.
    for out, rtol in ((torch.float32, 1e-5), (torch.bfloat16, 2**-7), (torch.float16, 2**-10), (None, 2**-2)):
        check(tools, products(out), "--rtol", str(rtol), "--atol", "1e-4")
    for model in ("llama3-8b", "gpt2-xl", "mixtral-8x7b"):
        check_generated(tools, model)


main()
