#!/usr/bin/env python3
"""Checks that a reader and its schema in docs/ agree: reader_and_schema_agree.py CCGRAPH_OPT SCHEMA EXAMPLE FLAG...

The example is changed in thousands of ways: each of its values is dropped, or replaced by each of a list of others.
The reader must refuse what the schema refuses. The reader must accept what the schema accepts, or report an error
that a schema cannot express: about names, references, frames, ranks, indices and integers beyond 64 bits. The flags
make the tool only read the file."""
import copy, json, os, random, re, subprocess, sys, tempfile
import jsonschema

BEYOND_SCHEMA = re.compile(
    r"mentions node|mentions itself|cannot follow itself|is before this one|occurs twice|an index into 'frames'|"
    r"more errors are not shown|an integer that 64 bits hold|error: [^ ]*: type '[^']*', column|expected the index of|"
    r"the name of a group|\[pipeline\.|cannot prepare a graph|(events?|numbers?) stated, but")
OTHERS = [None, True, -1, 0, 2.5, 3, 2**63, "", "x", "%x_1", "%", "%0", "class", "torch.load", "*x", "a.0",
          "na\u00efve", "s0 + 1", "x\n", "b0 f32[4][1]cpu", "b9 f32[4]cpu", "n0", [], ["%x_1"], {}, {"str": "x"},
          {"str": 1}, {"dtype": "f32"},
          {"dtype": "float32"}, {"device": "cuda:x"}, {"slice": [1]}, {"float": "inf"}, {"float": "1"}, {"nodes": []}]


def places(value, path=()):
    """Yields every path to a value of the document."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in items:
        yield from places(child, path + (key,))


def changed(document, path, value, drop):
    result = copy.deepcopy(document)
    place = result
    for step in path[:-1]:
        place = place[step]
    if drop:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return result


def variants(document):
    yield document
    for path in places(document):
        if not path:
            continue
        yield changed(document, path, None, drop=True)
        for value in OTHERS:
            yield changed(document, path, value, drop=False)


def read(command, path):
    run = subprocess.run(command + [path], capture_output=True, text=True, check=False)
    return run.returncode, run.stderr


def judge(command, valid, path):
    """Returns an empty text if both agree, else the difference."""
    code, text = read(command, path)
    if code not in (0, 1, 3):  # 3: it was read, and a check that the flags request does not hold
        return f"the reader ended with {code}: {text[:200]}"
    if not valid:
        return "" if code == 1 else "the schema refuses it, the reader does not"
    errors = [line for line in text.splitlines() if ": error: " in line or line.startswith("error: ")]
    unknown = [line for line in errors if not BEYOND_SCHEMA.search(line)]
    return f"the schema accepts it, the reader says: {unknown[0]}" if code == 1 and unknown else ""


def main(tool, schema_path, example_path, *flags):
    schema, example = (json.load(open(p, encoding="utf-8")) for p in (schema_path, example_path))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    if not validator.is_valid(example):
        sys.exit(f"the example is not valid: {next(validator.iter_errors(example)).message}")
    all_variants = list(variants(example))
    random.Random(5).shuffle(all_variants)
    failures, accepted, count = [], 0, 1200
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "graph.json")
        for document in all_variants[:count]:
            with open(path, "w", encoding="utf-8") as file:
                json.dump(document, file, allow_nan=False)
            valid = validator.is_valid(document)
            accepted += valid
            if wrong := judge([tool, *flags], valid, path):
                failures.append((wrong, json.dumps(document)))
    for wrong, text in failures[:10]:
        print(wrong, text, sep="\n    ")
    print(f"{count} files, {accepted} valid, {len(failures)} judged differently")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
