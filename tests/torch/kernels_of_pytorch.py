#!/usr/bin/env python3
"""Operators that no builtin kernel computes, by PyTorch's kernels: kernels_of_pytorch.py FOLDER_OF_TOOLS

A graph of such operators, one of them in place, runs on the reference interpreter and on the engine local with
--kernels torch; its values are those of PyTorch. --check-equivalence with --kernels torch compares the graph before and
after a pass. Without --kernels the error says so."""
import json, os, struct, subprocess, sys, tempfile
import torch

GRAPH = """class graph(torch.nn.Module):
    def forward(self, x: "f32[2, 3, 4, 4][48, 16, 4, 1]cpu", labels: "i64[2, 4, 4][16, 4, 1]cpu"):
        ar: "f32[2, 3, 4, 4][48, 16, 4, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
        near: "f32[2, 3, 2, 2][12, 4, 2, 1]cpu" = torch.ops.aten._upsample_bilinear2d_aa.default(x, [2, 2], True)
        near_: "f32[2, 3, 2, 2][12, 4, 2, 1]cpu" = torch.ops.aten.hardtanh_.default(near, -0.5, 0.75)
        big: "f32[2, 3, 8, 8][192, 64, 8, 1]cpu" = torch.ops.aten._upsample_bicubic2d_aa.default(x, [8, 8], True)
        w: "f32[2, 3, 4, 4][48, 16, 4, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(ar)
        loss: "f32[][]cpu" = torch.ops.aten.cross_entropy_loss.default(w, labels)
        middle = torch.ops.aten.median.dim(big, 3)
        lower: "f32[2, 3, 8][24, 8, 1]cpu" = middle[0]
        return (near, near_, loss, lower)
"""


def write_safetensors(path, tensors):
    header, data = {}, b""
    for name, tensor in tensors.items():
        raw = tensor.contiguous().numpy().tobytes()
        header[name] = {"dtype": {torch.float32: "F32", torch.int64: "I64"}[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def by_pytorch(x, labels, sum_of_x):
    near = torch.ops.aten.hardtanh_(torch.ops.aten._upsample_bilinear2d_aa(x, [2, 2], True), -0.5, 0.75)
    lower = torch.ops.aten.median.dim(torch.ops.aten._upsample_bicubic2d_aa(x, [8, 8], True), 3)[0]
    return [near, near, torch.ops.aten.cross_entropy_loss(sum_of_x, labels), lower]


def record(folder, ranks):
    torch.manual_seed(1)
    xs = [torch.randn(2, 3, 4, 4) for _ in range(ranks)]
    for rank, x in enumerate(xs):
        labels = torch.randint(3, (2, 4, 4))
        values = {"in.x": x, "in.labels": labels}
        values |= {f"out.{i}": value for i, value in enumerate(by_pytorch(x, labels, sum(xs)))}
        write_safetensors(os.path.join(folder, f"rank{rank}.safetensors"), values)


def run(*command):
    made = subprocess.run(command, capture_output=True, text=True)
    print("+", " ".join(command), "\n" + made.stdout + made.stderr)
    return made


def main():
    tools = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        graph = os.path.join(folder, "graph.py")
        with open(graph, "w") as file:
            file.write(GRAPH)
        record(folder, 2)
        ran = [os.path.join(tools, "ccgraph-run"), graph, "--ranks", "2", "--values", folder]
        changed = [os.path.join(tools, "ccgraph-opt"), graph, "--pipeline", "sink-waits", "--check-equivalence", "2",
                   "--values", folder]
        refused = run(*ran)
        assert refused.returncode == 1
        assert "no builtin kernel computes aten._upsample_bilinear2d_aa.default" in refused.stderr
        assert "--kernels torch computes" in refused.stderr
        for engine in ("reference", "local"):
            assert run(*ran, "--engine", engine, "--kernels", "torch").returncode == 0, engine
        assert run(*changed).returncode == 3
        equal = run(*changed, "--kernels", "torch")
        assert equal.returncode == 0 and "ok: 8 outputs of 2 ranks" in equal.stdout + equal.stderr


main()
