#!/usr/bin/env python3
"""Holds the text that ccgraph-opt writes of offloaded values to PyTorch's fake tensors.

    offloaded_values.py CCGRAPH_OPT

Each program is rewritten under a budget that it meets only with a value in the host's memory. Its text is executed
statement by statement under a FakeTensorMode, on tensors of the device cuda:0, which need no GPU. After each statement
the sizes, strides, dtype and device of the result are compared with the type that the text states. The import of the
text itself registers the operators. No copy runs here: on the CPU, torch.ops.ao has no stream to copy on.
"""
import json, os, re, subprocess, sys, tempfile

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16}
TENSOR = re.compile(r"(\w+)\[([\d, ]*)\]\[([\d, ]*)\](\w+(?::\d+)?)")
STATEMENT = re.compile(r'(\w+): "([^"]+)" = (.+?)(?:;  [\w =]+ = None)?$')
MACHINE = {"format": "ccgraph.machine", "version": "1.0", "name": "with a link to the host",
           "host_link": {"gb_per_s": 50, "latency_us": 10}}

PEAK = """
        cat: "f32[8192, 1024][1024, 1]cuda:0" = torch.ops.aten.cat.default([mm, mm])
        mm_1: "f32[8192, 1024][1024, 1]cuda:0" = torch.ops.aten.mm.default(cat, w)
        slice_1: "f32[4096, 1024][1024, 1]cuda:0" = torch.ops.aten.slice.Tensor(mm_1, 0, 0, 4096)
        mul: "f32[4096, 1024][1024, 1]cuda:0" = torch.ops.aten.mul.Tensor(slice_1, 2.0)
        permute: "f32[1024, 4096][1, 1024]cuda:0" = torch.ops.aten.permute.default(mul, [1, 0])"""
HEAD = """class Step(torch.nn.Module):
    def forward(self, x: "f32[4096, 1024][1024, 1]cuda:0", w: "f32[1024, 1024][1024, 1]cuda:0"):"""
PROGRAMS = {
    "row-major": HEAD + """
        first: "f32[4096, 1024][1024, 1]cuda:0" = torch.ops.aten.mm.default(x, w)
        mm: "f32[4096, 1024][1024, 1]cuda:0" = torch.ops.aten.mm.default(first, w)""" + PEAK + """
        mm_2: "f32[1024, 1024][1024, 1]cuda:0" = torch.ops.aten.mm.default(permute, first)
        return (mm_2,)
""",
    "transposed": HEAD + """
        xt: "f32[1024, 4096][1, 1024]cuda:0" = torch.ops.aten.t.default(x)
        first: "f32[1024, 4096][1, 1024]cuda:0" = torch.ops.aten.sin.default(xt)
        ft: "f32[4096, 1024][1024, 1]cuda:0" = torch.ops.aten.t.default(first)
        mm: "f32[4096, 1024][1024, 1]cuda:0" = torch.ops.aten.mm.default(ft, w)""" + PEAK + """
        mm_2: "f32[1024, 1024][1024, 1]cuda:0" = torch.ops.aten.mm.default(first, mul)
        return (mm_2,)
""",
    "views": HEAD + """
        first: "f32[4096, 1024][1024, 1]cuda:0" = torch.ops.aten.mm.default(x, w)
        view: "f32[8192, 512][512, 1]cuda:0" = torch.ops.aten.view.default(first, [8192, 512])
        mm: "f32[4096, 1024][1024, 1]cuda:0" = torch.ops.aten.mm.default(first, w)""" + PEAK + """
        again: "f32[8192, 512][512, 1]cuda:0" = torch.ops.aten.view.default(mul, [8192, 512])
        mm_2: "f32[8192, 512][512, 1]cuda:0" = torch.ops.aten.mul.Tensor(again, view)
        return (mm_2,)
""",
}


def numbers(text):
    return tuple(int(word) for word in text.split(",") if word.strip())


def stated(text):
    dtype, sizes, strides, device = TENSOR.fullmatch(text).groups()
    return DTYPES[dtype], numbers(sizes), numbers(strides), torch.device(device)


def found(tensor):
    return tensor.dtype, tuple(tensor.shape), tensor.stride(), tensor.device


def rewritten(opt, program):
    with tempfile.TemporaryDirectory() as folder:
        graph, machine = os.path.join(folder, "step.py"), os.path.join(folder, "machine.json")
        open(graph, "w").write(program)
        json.dump(MACHINE, open(machine, "w"))
        command = [opt, graph, "--pipeline", "offload-values,schedule-overlap,sink-waits", "--machine", machine,
                   "--memory-budget", "92MiB", "--emit", "fx"]
        run = subprocess.run(command, text=True, capture_output=True)
        assert run.returncode == 0, run.stderr
        return run.stdout


def judge(name, text):
    """Returns the number of statements whose results have the stated types; an assertion names any other one."""
    lines = text.splitlines()
    assert lines[0].startswith("import torch._functorch._activation_offloading.offload_ops"), lines[0]
    names = {"torch": torch, "device": torch.device}
    exec(lines[0], names)  # the line that a user of the text executes
    right = 0
    with FakeTensorMode():
        for parameter, type_ in re.findall(r'(\w+): "([^"]+)"', next(line for line in lines if "def forward" in line)):
            dtype, sizes, strides, device = stated(type_)
            names[parameter] = torch.empty_strided(sizes, strides, dtype=dtype, device=device)
        for line in lines:
            statement = STATEMENT.fullmatch(line.strip())
            if not statement:
                continue
            target, type_, call = statement.groups()
            names[target] = eval(call, names)
            assert found(names[target]) == stated(type_), f"{name}: {target} is {found(names[target])}, stated {type_}"
            right += 1
    for operator in ("ao.offload", "ao.reload", "ao.wait_tensor"):
        assert f"torch.ops.{operator}.default(" in text, f"{name}: no {operator}"
    return right


def main():
    for name, program in PROGRAMS.items():
        right = judge(name, rewritten(sys.argv[1], program))
        print(f"{name}: {right} results have the sizes, strides, dtype and device that the text states")


if __name__ == "__main__":
    main()
