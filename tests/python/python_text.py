#!/usr/bin/env python3
"""Tests names and targets from JSON to Python text: Python must parse the text of a hostile JSON graph, with the same
meaning.

    python_text.py [CASES [SEED]]

Each case is a graph whose names, targets, keywords, words and symbols come from lists of good and bad ones. ccgraph
refuses it, or writes FX text; Python parses that text, and each statement has the names, the target and the arguments
of the JSON. The letters that names may have are compared with Python's own tables."""
import ast, json, random, sys, unicodedata

import ccgraph

BAD = ["", "x\n        import os", "a b", "a;b", "a#", "1x", "x=1", "a)", "a\r", "a\x0c", "a\\\n", "\u00e9\u0301",
       "\ufb01", "a\u2028b", "%x", "lambda",
       "None", "\"", "'''", "x: int", "a\u00a0b", "__import__('os')", "*", "\x1b[31m", "\u00b2", "\u200bx", "self",
       "torch"]
NAMES = ["a", "mm_1", "größe", "_x", "变量", "Ω", "f2", "match"]
TARGETS = ["aten.relu.default", "mylib.op.x", "torch.sym_max", "operator.add", "aten.add.Tensor"]
BAD_TARGETS = ["exec", "eval", "builtins.exec", "torch.os.system", "torch.load", "torch.ops.load_library",
               "aten.relu.default(x)\n        import os  #", "aten.relu", "", "aten..x", "aten.relu.default;x",
               "a.b c", "os.system('id')", "aten.\nmm"] + BAD
ATTRIBUTES = ["w", "layers.0.weight", "a.b", "_0.class"]
KEYWORDS = ["dim", "keepdim", "größe"]
LITERALS = [(3, 3), (-1, -1), (2.5, 2.5), (None, None), (True, True), ({"str": "a\"'\n\\ \x1b"}, "a\"'\n\\ \x1b"),
            ([1, {"tuple": [2]}], [1, (2,)]),
            ({"dict": {"k\n": 1}}, {"k\n": 1})]
WORDS = [({"layout": "strided"}, "torch.strided"), ({"memory_format": "channels_last"}, "torch.channels_last"),
         ({"dtype": "bf16"}, "torch.bfloat16"),
         ({"sym": "2*s0 + 1"}, "2*s0 + 1"), ({"sym": "Max(1, u0)"}, "Max(1, u0)"),
         ({"py": "torch.Size([2])"}, "torch.Size([2])"),
         ({"py": "functools.partial(f, 1)"}, "functools.partial(f, 1)"), ({"py": "2j"}, "2j")]
BAD_WORDS = [{kind: text} for kind in ("layout", "memory_format", "sym", "py", "dtype", "device") for text in
             ("x\ny", "eval('1')", "__import__('os').system('id')", "x)", "(", "os.system", "lambda: 1",
              "[i for i in x]", "f'{x}'", "a; b", "#", "x := 1")]


def pick(rng, good, bad, share=0.04):
    return rng.choice(bad) if rng.random() < share else rng.choice(good)


def program(rng):
    """Returns the JSON, and for each statement the expected content: (name, target, arguments, keywords)."""
    nodes, said, taken = [], [], set()
    def name():
        for _ in range(20):
            made = pick(rng, NAMES, BAD) + (str(rng.randrange(9)) if rng.random() < .5 else "")
            if made not in taken:
                break
        taken.add(made)
        return made
    x = name()
    nodes.append({"name": x, "op": "placeholder", "target": x if rng.random() < .8 else pick(rng, NAMES, BAD, .3),
                  "type": "f32[2][1]cpu"})
    for _ in range(rng.randrange(1, 4)):
        if rng.random() < .2:
            attribute, own = pick(rng, ATTRIBUTES, BAD, .1), name()
            nodes.append({"name": own, "op": "get_attr", "target": attribute})
            said.append((own, "self." + attribute, [], {}))
            continue
        values = [rng.choice(LITERALS) if rng.random() < .6 else rng.choice(WORDS) for _ in range(rng.randrange(3))]
        if rng.random() < .05:
            word = rng.choice(BAD_WORDS)
            values.append((word, *word.values()))
        keywords = {pick(rng, KEYWORDS, BAD): rng.choice(LITERALS) for _ in range(rng.randrange(2))}
        target, own = pick(rng, TARGETS[:2], BAD_TARGETS), name()
        nodes.append({"name": own, "op": "call_function", "target": target, "args": ["%" + x]
                      + [given for given, _ in values],
                      "kwargs": {key: given for key, (given, _) in keywords.items()}})
        is_function = "." not in target or target.split(".")[0] in ("torch", "operator", "math", "builtins")
        said.append((own, target if is_function else "torch.ops." + target, [x] + [value for _, value in values],
                     {key: value for key, (_, value) in keywords.items()}))
    nodes.append({"name": "output", "op": "output", "target": "output", "args": ["%" + x]})
    frames = [{"file": rng.choice(["m.py", "a\nimport os", "b\x1b[2J"]), "line": 1, "function": "f",
               "code": rng.choice(["y = x", "y\n        import os"])}]
    graph = {"format": "ccgraph.graph", "version": "1.0", "name": pick(rng, ["f", "<lambda>", "class", "größe"], BAD),
             "frames": frames, "nodes": nodes}
    for node in nodes:
        if node["op"] == "call_function":
            node["meta"] = {"frame": 0}
    return graph, said


def path_of(expression):
    """Returns the path for self.a, getattr(self.a, "0").b."""
    if isinstance(expression, ast.Call):
        assert isinstance(expression.func, ast.Name) and expression.func.id == "getattr", ast.dump(expression)
        return path_of(expression.args[0]) + "." + expression.args[1].value
    if isinstance(expression, ast.Attribute):
        return path_of(expression.value) + "." + expression.attr
    return expression.id


def same(expression, value):
    """Returns the literal for the value, or the expression for it."""
    try:
        got = ast.literal_eval(expression)
        if got == value and type(got) is type(value):
            return True
    except (ValueError, TypeError):
        pass
    return isinstance(value, str) and ast.dump(expression) == ast.dump(ast.parse(value, mode="eval").body)


def check(text, graph, said):
    module = ast.parse(text)
    assert len(module.body) == 1 and isinstance(module.body[0], ast.ClassDef), text
    forward, = module.body[0].body
    assert isinstance(forward, ast.FunctionDef) and len(forward.args.args) == 2, text
    body = [line for line in forward.body if not (isinstance(line, ast.Assign) and isinstance(line.value, ast.Constant)
                                                  and line.value.value is None)]
    place = graph["nodes"][0]
    if place["target"] != place["name"]:
        rename = body.pop(0)
        assert rename.targets[0].id == place["name"] and rename.value.id == forward.args.args[1].arg, text
    assert forward.args.args[1].arg == place["target"] and isinstance(body.pop(), ast.Return), text
    assert len(body) == len(said), text
    for line, (name, target, args, keywords) in zip(body, said):
        own = line.targets[0] if isinstance(line, ast.Assign) else line.target
        assert own.id == name, (own.id, name, text)
        if target.startswith("self."):
            assert path_of(line.value) == target, (target, text)
            continue
        assert path_of(line.value.func) == target and len(line.value.args) == len(args), text
        assert all(same(got, want) for got, want in zip(line.value.args, args)), text
        assert [word.arg for word in line.value.keywords] == list(keywords), text
        assert all(same(word.value, keywords[word.arg]) for word in line.value.keywords), text


def letters():
    """Every letter that a name may have must be a letter of Python that NFKC keeps."""
    accepted = 0
    for code in range(0x80, 0x11000):
        letter = chr(code)
        if 0xD800 <= code < 0xE000:
            continue
        fine = letter.isidentifier() and unicodedata.normalize("NFKC", letter) == letter
        graph = {"format": "ccgraph.graph", "version": "1.0",
                 "nodes": [{"name": letter, "op": "placeholder", "target": letter},
                                                                       {"name": "output", "op": "output",
                                                                        "target": "output", "args": ["%" + letter]}]}
        if not fine or code % 37 == 0 or code < 0x530:
            try:
                ccgraph.read_bytes(json.dumps(graph).encode())
                accepted += 1
                assert fine, f"U+{code:04X} is no letter of a Python name"
            except ccgraph.Error:
                pass
    assert accepted > 500


def main():
    cases, seed = int(sys.argv[1]) if len(sys.argv) > 1 else 3000, int(sys.argv[2]) if len(sys.argv) > 2 else 1
    written = refused = 0
    for case in range(cases):
        graph, said = program(random.Random(seed * 1_000_003 + case))
        try:
            text = ccgraph.read_bytes(json.dumps(graph).encode()).text("fx")
        except ccgraph.Error:
            refused += 1
            continue
        try:
            check(text, graph, said)
        except (SyntaxError, AssertionError, ValueError, AttributeError) as error:
            sys.exit(f"case {case} of seed {seed}: {error!r}\n{json.dumps(graph)}\n{text}")
        written += 1
    letters()
    print(f"{cases} graphs: {written} written, parsed by Python and equal; {refused} refused")
    if min(written, refused) < cases // 20:
        sys.exit("too few of one kind")


if __name__ == "__main__":
    main()
