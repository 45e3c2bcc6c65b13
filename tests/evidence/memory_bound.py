#!/usr/bin/env python3
"""Checks that no input needs more than 100 times its size of memory, in addition to the memory of every run:
tests/evidence/memory_bound.py BIN [MEBIBYTES]

For each reader, the script makes files with the highest cost for each byte: one repeated instruction or bracket,
empty containers, short names, streams that inflate to a thousand times their size. ccgraph-opt or ccgraph-run reads
each in a process of its own, which must end with one of its exit codes and a message, within the memory. It prints
a Markdown table."""
import gzip, io, json, os, resource, struct, subprocess, sys, tempfile, zipfile

BIN = os.path.abspath(sys.argv[1])
SIZE = int(float(sys.argv[2] if len(sys.argv) > 2 else 8) * (1 << 20))
EVERY_RUN = 128 << 20
TIMES = 100
GRAPH = ('class f(torch.nn.Module):\n    def forward(self, x: "f32[2][1]cpu"):\n        y: "f32[2][1]cpu" = '
         'torch.ops.aten.relu.default(x)\n'
         '        return (y,)\n').encode()
HEAD = b'{"format": "ccgraph.graph", "version": "1.0", "nodes": ['


def fill(piece, before=b"", after=b"", size=None):
    return before + piece * (((size or SIZE) - len(before) - len(after)) // len(piece)) + after


def bomb(size):
    """Returns as many zeros as make a gzip file of this size."""
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=9, mtime=0) as file:
        while out.tell() < size:
            file.write(b"\0" * (8 << 20))
    return out.getvalue()


def zipped(size):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("archive/models/model.json", b" " * (size * 900))
    return out.getvalue()


def log(piece):
    """Returns a TORCH_TRACE log with one payload."""
    lines = fill(b"\t" + piece + b"\n")
    head = b'V1121 08:54:34.000000 7 torch/_logging/structured.py:22] '
    return head + b'{"aot_joint_graph": {}, "has_payload": "0"}\n' + lines


def safetensors(header):
    return struct.pack("<Q", len(header)) + header


def cases():
    zeros = bomb(128 << 10)
    fx = b'class f(torch.nn.Module):\n    def forward(self, x):\n'
    for name, data in {
            "zeros": zeros, "two streams": zeros * 2, "zeros behind a graph": gzip.compress(GRAPH) + zeros}.items():
        yield "gzip", name, "g.py.gz", data, ["ccgraph-opt"]
    for name, data in {
            "brackets": fill(b"["), "numbers": fill(b"1,", b"[", b"1]"), "empty objects": fill(b"{},", b"[", b"{}]"),
            "a text": fill(b"a", b'"', b'"'),
            "nodes that are none": fill(b"{},", HEAD, b"{}]}"),
            "arguments": fill(b"1,", HEAD + b'{"name": "x", "op": "placeholder", "args": [', b"1]}]}"),
            "placeholders": HEAD + b",".join(b'{"name":"a%d","op":"placeholder"}' % i for i in range(SIZE // 36))
            + b"]}",
            "frames": fill(b"{},", b'{"format": "ccgraph.graph", "version": "1.0", "frames": [', b"{}]}"),
            "keys": b'{"format": "ccgraph.graph", "version": "1.0"'
            + b"".join(b',"%x":1' % i for i in range(SIZE // 11)) + b"}",
            "groups": b'{"format": "ccgraph.graph", "version": "1.0", "groups": {'
            + b",".join(b'"%x":{"ranks":[1]}' % i for i in range(SIZE // 24)) + b"}}",
            "subgraphs": fill(b'{"subgraphs":{"a":',
                              b'{"format": "ccgraph.graph", "version": "1.0", "subgraphs":{"a":')}.items():
        yield "JSON", name, "g.json", data, ["ccgraph-opt"]
    for name, data in {
            "classes": fill(b"class f(torch.nn.Module):\n"), "headers": fill(b"def forward(x):\n"),
            "brackets": fill(b"[", fx + b"        y = torch.ops.a.b.c("),
            "commas": fill(b"1,", fx + b"        y = torch.ops.a.b.c(", b"1)\n"), "statements": fx
            + b"".join(b" a%x=torch.a(x)\n" % i for i in range(SIZE // 22)),
            "errors": fill(b"        y\n", fx), "one line": fill(b"a"), "parameters": b"def forward(self"
            + b"".join(b",a%x" % i for i in range(SIZE // 8)) + b"):\n",
            "titles": fill(b"===== Forward graph 0 =====\n"), "comments": fx
            + b"".join(b"        # File: a:%d in f, code: x\n" % i for i in range(SIZE // 40))}.items():
        yield "FX text", name, "g.py", data, ["ccgraph-opt"]
    for name, data in {"lines": log(b"x"), "one line": log(b"x" * SIZE),
                       "headers": fill(b'V1121 08:54:34.000000 7 a.py:2] {"a": {}}\n'),
                       "strings": fill(b'V1121 08:54:34.000000 7 a.py:2] {"str": ["a", 1]}\n')}.items():
        yield "log", name, "dedicated_log_torch_trace_rank_0.log", data, ["ccgraph-opt"]
    protocol = b"\x80\x02"
    for name, data in {
            "marks": fill(b"(", protocol), "lists": fill(b"]", protocol),
            "lists in one": fill(b"]", protocol + b"(", b"t."), "nothing": fill(b"N", protocol + b"(", b"t."),
            "numbers": fill(b"K\x01", protocol + b"(", b"l."), "names": fill(b"\x94", protocol + b"N"),
            "copies": fill(b"h\x00", protocol + b"](NNNNNNNNtq\x00(", b"l."),
            "dictionaries": fill(b"}", protocol + b"(", b"t.")}.items():
        yield "flight record", name, "trace_0", data, ["ccgraph-run", "--analyze"]
    yield "torch.export", "blanks", "m.pt2", zipped(128 << 10), ["ccgraph-opt"]
    yield "torch.export", "numbers", "m.json", fill(b"1,", b'{"graph_module": {"graph": [', b"1]}}"), ["ccgraph-opt"]
    yield "safetensors", "empty tensors", "rank0.safetensors", safetensors(b"{" + b",".join(
        b'"%x":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}' % i for i in range(SIZE // 58)) + b"}"), ["values"]
    yield "safetensors", "a length", "rank0.safetensors", struct.pack("<Q", 1 << 62) + b"{}", ["values"]
    yield "safetensors", "brackets", "rank0.safetensors", safetensors(fill(b"[")), ["values"]
    for flag, name, data in (("--durations", "lines", b"".join(b"a%x\t1\n" % i for i in range(SIZE // 9))),
                             ("--durations", "numbers", fill(b"1,", b"[", b"1]")),
                             ("--machine", "numbers", fill(b"1,",
                                                           b'{"format": "ccgraph.machine", "version": "1.0", "a": [',
                                                           b"1]}")),
                             ("--groups", "groups", b'{"groups": {'
                              + b",".join(b'"%x":{"ranks":[1]}' % i for i in range(SIZE // 24)) + b"}}"),
                             ("--groups", "ranks", b'{"groups": {"0": {"ranks": ['
                              + b",".join(b"%d" % i for i in range(SIZE // 8)) + b"]}}}"),
                             ("--collectives", "events", fill(b"{},", b'{"traceEvents": [', b"{}]}")),
                             ("--schedule", "numbers", fill(b"1,", b'{"format": "ccgraph.schedule", "order": [',
                                                            b"1]}")),
                             ("--ops", "entries", fill(b"{},", b'{"ops": [', b"{}]}"))):
        yield flag, name, "side.json" if not data.startswith(b"a") else "side.tsv", data, [flag]
    yield "plan", "steps", "p.plan.json", fill(b"{},", b'{"format": "ccgraph.plan", "version": "1.0", "steps": [',
                                               b"{}]}"), ["ccgraph-opt"]


def command(folder, path, how):
    graph = os.path.join(folder, "graph.py")
    with open(graph, "wb") as file:
        file.write(GRAPH)
    if how == ["values"]:
        return ["ccgraph-run", graph, "--ranks", "1", "--values", folder]
    if how[0].startswith("--"):
        return ["ccgraph-opt", graph, *how, path]
    return [how[0], *how[1:], folder if "--analyze" in how else path]


def run(name, data, how):
    """Returns (exit code, peak, message)."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name)
        with open(path, "wb") as file:
            file.write(data)
        words = command(folder, path, how)
        limit = 8 * EVERY_RUN + 2 * TIMES * len(data)
        child = subprocess.Popen([os.path.join(BIN, words[0]), *words[1:]], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        said = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        return child.returncode, usage.ru_maxrss << 10, said


def main():
    failed = 0
    print(f"| reader | made of | input | peak memory | times the input | exit |\n|---|---|---|---|---|---|")
    for reader, what, name, data, how in cases():
        code, peak, said = run(name, data, how)
        times = max(0, peak - EVERY_RUN) / len(data)
        bad = code not in (0, 1) or peak > EVERY_RUN + TIMES * len(data) or (code == 1 and b"error: " not in said)
        failed += bad
        print(f"| {reader} | {what} | {len(data) / (1 << 20):.2f} MiB | {peak >> 20} MiB | {times:.1f} | "
              f"{code}{' FAILED' if bad else ''} |", flush=True)
        if bad:
            print(f"{reader}, {what}: exit {code}, {peak >> 20} MiB\n{said[:600].decode(errors='replace')}",
                  file=sys.stderr)
    print(f"\n{failed} failed.")
    sys.exit(bool(failed))


main()
