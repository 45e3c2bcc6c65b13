#!/usr/bin/env python3
"""Checks the output of `ccgraph-opt --json` against docs/report.schema.json: output_follows_schema.py CCGRAPH_OPT
SCHEMA TESTS

It checks every case of TESTS/cli and TESTS/diagnostics that prints JSON. It also makes calls that together print
every key of the schema, on captured graphs and on every small one. The schema must also be strict: without any
required key, the output must be refused."""
import copy, json, pathlib, re, subprocess, sys, tempfile
import jsonschema


def sections(case):
    """Returns the parts of a case by their title."""
    parts = re.split(r"^--- (.*)\n", case.read_text(encoding="utf-8", errors="replace"), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def printedByCases(tests):
    for case in sorted(tests.glob("cli/*.case")) + sorted(tests.glob("diagnostics/*/*.case")):
        parts = sections(case)
        if "--json" in parts["arguments"].split() and "ccgraph-opt" in parts["arguments"] and parts.get("stdout"):
            yield case.name, json.loads(parts["stdout"])


def calls(tests, folder):
    small = sorted(tests.glob("data/small/*/readable.py*"))
    for graph in small:
        facts = graph.parent / "facts.json"
        groups = ["--groups", facts] if facts.exists() else []
        yield [graph, *groups, "-O2", "--summary"]
        yield [graph, "--verify-only"]
    transformer = tests / "data/small/transformer_step_w4"
    one = transformer / "readable.py.gz"
    other = folder / "other.py"
    durations = folder / "durations.tsv"
    durations.write_text("mm\t10\n")
    yield [one, "-O2", "-o", other]
    yield [one, "--compare", other]
    yield [one, other, "--list-graphs"]
    yield [one, "-O2", "--advise", "--exposed", "--durations", durations, "--check-equivalence", "4", "--groups",
           transformer / "facts.json"]
    yield [tests / "data/large/llama3-debug-fsdp8-joint/readable.py.gz", "-O2", "--advise", "--exposed=3"]
    dynamic = folder / "dynamic.py"
    dynamic.write_text(sections(tests / "cli/bind-sizes.case")["file g.py"])
    yield [dynamic, "--bind", "s0=8192"]
    yield [dynamic]
    for case in [tests / "cli/trace-ranks-agree.case", *sorted(tests.glob("cli/step-*.case"))]:
        log = folder / f"{case.stem}.log"
        log.write_text(sections(case)["file step.log"])
        yield [log, "-O2"]
        yield [log, "-O1", "--graph", "0"]
    snapshot = folder / "snapshot.json"
    block = {"size": 1024, "requested_size": 1000, "state": "active_allocated"}
    snapshot.write_text(json.dumps({"segments": [{"address": 0, "total_size": 2048, "blocks": [block]}]}))
    for traces in (tests / "data/traces/compiled_w2/graph.py", tests / "data/traces/training_w2"):
        folder_of = traces if traces.is_dir() else traces.parent
        yield [traces, "-O2", "--measured", folder_of, "--snapshot", snapshot, "--machine", "cpu"]
    yield [tests / "data/large/llama3-debug-fsdp2-cp4-joint/readable.py.gz", "-O2"]
    yield [tests / "data/large/llama3-8b-fsdp8-tp8-joint/readable.py.gz", "-O1"]


def output(tool, call):
    done = subprocess.run([tool, *map(str, call), "--json"], capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.stdout.strip() else None


def required(value, schema, root, path=()):
    """Yields the paths of values that the schema requires and that this value has."""
    while "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    if isinstance(value, dict):
        for key in schema.get("required", []):
            yield path + (key,)
        for key, child in value.items():
            part = schema.get("properties", {}).get(key) or schema.get("additionalProperties")
            if isinstance(part, dict):
                yield from required(child, part, root, path + (key,))
    elif isinstance(value, list) and value and "items" in schema:
        yield from required(value[0], schema["items"], root, path + (0,))


def without(value, path):
    result = copy.deepcopy(value)
    place = result
    for step in path[:-1]:
        place = place[step]
    del place[path[-1]]
    return result


def keysOf(value):
    if isinstance(value, dict):
        for key, child in value.items():
            yield key
            yield from keysOf(child)
    elif isinstance(value, list):
        for child in value:
            yield from keysOf(child)


def keysNamed(schema):
    if isinstance(schema, dict):
        yield from schema.get("properties", {}) if isinstance(schema.get("properties"), dict) else ()
        for child in schema.values():
            yield from keysNamed(child)
    elif isinstance(schema, list):
        for child in schema:
            yield from keysNamed(child)


def main(tool, schema_path, tests):
    schema = json.loads(pathlib.Path(schema_path).read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    tests = pathlib.Path(tests).resolve()
    failures, seen, count, dropped = [], set(), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        made = ((" ".join(map(str, call)), output(tool, call)) for call in calls(tests, pathlib.Path(folder)))
        printed = [(name, value) for name, value in [*printedByCases(tests), *made] if value is not None]
    for name, value in printed:
        count += 1
        seen.update(keysOf(value))
        if error := jsonschema.exceptions.best_match(validator.iter_errors(value)):
            failures.append(f"{name}: {error.json_path}: {error.message[:300]}")
    forms = {"rewritten": "pipeline", "verified": "well_formed", "orders": "machine", "compared": "compare",
             "listed": "compile_id"}
    for form, key in forms.items():
        example = max((value for _, value in printed if key in (value if isinstance(value, dict) else value[0])),
                      key=lambda value: len(set(keysOf(value))))
        part = schema["$defs"][form] if isinstance(example, dict) else {"items": schema["$defs"][form]}
        for path in required(example, part, schema):
            dropped += 1
            if validator.is_valid(without(example, path)):
                failures.append(f"{form}: still valid without {'/'.join(map(str, path))}")
    failures += [f"no call prints the key '{key}'" for key in sorted(set(keysNamed(schema)) - seen)]
    print("\n".join(failures))
    print(f"{count} outputs, {dropped} keys dropped, {len(failures)} failures")
    sys.exit(1 if failures or not count else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
