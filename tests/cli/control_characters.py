#!/usr/bin/env python3
"""Checks that control characters in names never reach a terminal and never make a line:
tests/cli/control_characters.py BIN

Files whose names, comments, groups, frames, logs and records contain escapes and line ends are printed in every way
that the tools offer. No output, on a stream or in a file, may have a control character except line ends and tabs,
and no line may begin with the text after a line end in a name."""
import itertools, json, os, subprocess, sys, tempfile

BIN = os.path.abspath(sys.argv[1])
EVIL = "a\x1b[31m\u009b2J\rb\nINJECTED error: all is well\x7f\u2028INJECTED"
TYPE = "f32[4][1]cpu"


def graph(group="0", name="f", described="d"):
    call = lambda name, target, *args: {"name": name, "op": "call_function", "target": target, "args": list(args), "type": TYPE, "meta": {"frame": 0}}
    return {"format": "ccgraph.graph", "version": "1.0", "name": name, EVIL: EVIL,
            "groups": {"0": {"ranks": [0, 1], "desc": described, EVIL: EVIL}},
            "frames": [{"file": EVIL, "line": 1, "function": EVIL, "code": EVIL, "annotation": EVIL, "prefix": EVIL}],
            "nodes": [{"name": "x", "op": "placeholder", "target": "x", "type": TYPE},
                      call("n", "mylib.op.default", "%x", {"str": EVIL}, {"dict": {EVIL: 1}}),
                      call("a", "_c10d_functional.all_reduce.default", "%n", {"str": "sum"}, {"str": group}),
                      call("w", "_c10d_functional.wait_tensor.default", "%a"), call("m", "aten.mul.Tensor", "%w", "%x"),
                      {"name": "output", "op": "output", "target": "output", "args": [{"tuple": ["%m", "%w"]}]}]}


FX = ('class f(torch.nn.Module):  # <a\x1b[31m>\n    def forward(self, x: "f32[4][1]cpu"):\n        # File: a\x1b[2J:1 in f\x7f, code: y\x1b[31m\n'
      '        a: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, \'sum\', \'g\\x1b[31m\\nINJECTED\')\n'
      '        w: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(a)\n        return (w,)\n')
LOG = ('V1121 08:54:34.000000 7 a.py:2] {"aot_joint_graph": {"x": "\\u001b[31m\\nINJECTED"}, "rank": 0, "frame_id": "1\\nINJECTED", "frame_compile_id": 0, '
       '"compile_id": "\\u001b\\nINJECTED", "has_payload": "0"}\n' + "".join("\t" + line + "\n" for line in FX.splitlines()))
FLIGHT = {"format": "ccgraph.flight", "version": "1.0", "rank": 0, "world_size": 2, "engine": EVIL, "graph_digest": EVIL, "activity": "running",
          "busy_with": EVIL, "pg_config": {"0": {"name": EVIL, "desc": EVIL, "ranks": "[0, 1]"}}, "entries": []}
VIEWS = [[], ["--exposed"], ["--exposed", "--csv"], ["--json"], ["--remarks"], ["--advise"], ["--diff"], ["--timing", "--summary", "-o", "out.json"],
         ["--print-after-change"], ["--verify-only"], ["--list-graphs"], ["--check-equivalence", "2"], ["--emit", "fx"], ["--emit", "json"],
         ["--emit", "plan"], ["--emit", "plan-text"], ["--emit", "plan-dot"], ["--emit", "schedule"], ["--report", "out.html"], ["--trace", "out.json"],
         ["--remarks-file", "out.yaml"], ["--remarks-file", "out.json"], ["--" + EVIL]]
# Options whose value is a text of the user's. `*` is the text; where the tool accepts it, it may become a part of what
# the tool writes.
OPT_TEXTS = [["--graph", "*"], ["--groups", "*"], ["--machine", "*"], ["--schedule", "*"], ["--compare", "*"], ["--durations", "*"],
             ["--collectives", "*"], ["--ops", "*"], ["--bind", "*=4"], ["--split-group", "*:all_reduce"], ["--split-group", "0:*"],
             ["--pipeline", "*"], ["--stop-after", "*"], ["--help-pass", "*"], ["--help=*"], ["--emit", "*"], ["--values", "*", "--check-equivalence", "2"]]
RUN_TEXTS = [["--engine", "*"], ["--kernels", "*"], ["--rank-graphs", "*,*"], ["--groups", "*"], ["--values", "*"], ["--expect", "*"],
             ["--tolerance", "*"], ["--pace", "*"], ["--machine", "*"], ["--job-address", "*"], ["--pipeline", "*"]]
GEN = ["llama3-8b", "--layers", "1", "--dim", "64", "--ffn", "64", "--vocab", "64", "--seq", "4", "--part", "forward"]
GEN_TEXTS = [["--device", "*"], ["--device", "cuda*"], ["--device", "cuda:0*"], ["--device", "*:0"], ["--config", "*"], ["--emit", "*"],
             ["--dtype", "*"], ["--lr", "*"], ["--hsdp", "*"], ["--optimizer", "*"], ["--help=*"], ["*"]]
CONFIGS = [{"name": EVIL}, {"name": "a\x7f"}, {"model": EVIL}, {EVIL: 1}, {"layers": EVIL}]


def complaint(data):
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return f"no UTF-8: {error}"
    for at, letter in enumerate(text):
        if (ord(letter) < 32 and letter not in "\n\t") or 127 <= ord(letter) < 160:
            return f"{letter!r} in {text[max(0, at - 80):at + 20]!r}"
    for line in text.split("\n"):
        if line.strip(" \t\"'#").startswith("INJECTED"):
            return f"a line of its own: {line[:100]!r}"
    return ""


def run(folder, tool, *words):
    done = subprocess.run([os.path.join(BIN, tool), *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    outputs = {"stdout": done.stdout, "stderr": done.stderr}
    for name in ("out.json", "out.html", "out.yaml", "out.py"):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            outputs[name] = open(path, "rb").read()
            os.remove(path)
    if done.returncode not in (0, 1, 2, 3):
        return [f"exit {done.returncode}: {done.stderr[:300]!r}"]
    return [f"{where}: {found}" for where, data in outputs.items() if (found := complaint(data))]


def main():
    wrong = runs = 0
    with tempfile.TemporaryDirectory() as folder:
        inputs = {"ok.json": json.dumps(graph()), "group.json": json.dumps(graph(group=EVIL)), "name.json": json.dumps(graph(name=EVIL)),
                  "desc.json": json.dumps(graph(described=EVIL)), "fx.py": FX, "dedicated_log_torch_trace_rank_0.log": LOG,
                  "evil\x1b[31m\nINJECTED.py": FX, "bad.py": FX.replace("return (w,)", "return (\x1b[31mw,)")}
        for name, text in inputs.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        records = os.path.join(folder, "records")
        os.mkdir(records)
        with open(os.path.join(records, "rank_0.json"), "w", encoding="utf-8") as file:
            json.dump(FLIGHT, file)
        jobs = [("ccgraph-opt", name, *view) for name, view in itertools.product(inputs, VIEWS)]
        jobs += [("ccgraph-run", name, "--ranks", "2", *more) for name in inputs for more in ([], ["--engine", "local"], ["--trace", "out.json"])]
        jobs += [("ccgraph-run", "--analyze", "records")]
        put = lambda words: [word.replace("*", EVIL) for word in words]
        jobs += [("ccgraph-opt", "ok.json", *put(words)) for words in OPT_TEXTS]
        jobs += [("ccgraph-run", "ok.json", "--ranks", "2", *put(words)) for words in RUN_TEXTS]
        jobs += [("ccgraph-gen", *GEN, *put(words), "-o", output) for words in GEN_TEXTS for output in ("-", "out.json", "out.py")]
        for index, config in enumerate(CONFIGS):
            with open(os.path.join(folder, f"config{index}.json"), "w", encoding="utf-8") as file:
                json.dump(config, file)
            jobs += [("ccgraph-gen", *GEN, "--config", f"config{index}.json", "-o", output) for output in ("-", "out.json", "out.py")]
        for job in jobs:
            runs += 1
            for found in run(folder, *job):
                wrong += 1
                print(f"{job}: {found}")
    print(f"{runs} runs, {wrong} outputs with control characters or lines of names")
    sys.exit(bool(wrong))


main()
