#!/usr/bin/env python3
"""Checks the plans that ccgraph-opt writes against docs/plan.schema.json: emitted_plans_are_valid.py CCGRAPH_OPT
SCHEMA TESTS

It covers the input of every golden, unchanged and after its pipeline, and every captured graph of tests/data/small
after -O2. A graph that is not lowered must be refused by a rule of lowering."""
import glob, json, os, re, subprocess, sys, tempfile
import jsonschema

OPT, SCHEMA, TESTS = sys.argv[1:]
# The minimum number of plans, so that a moved folder is an error.
FEWEST = 500


def sections(path):
    with open(path, encoding="utf-8") as file:
        parts = re.split(r"^--- (\w+)\n", file.read(), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def groups_of(parts):
    """Returns the table of groups that the golden states. If it states none, each group of its input has the number of
    ranks that its collectives state, and at least two, unless the golden runs on one rank."""
    stated = re.search(r"^groups: (.*)$", parts.get("options", ""), re.M)
    if stated:
        return {"groups": json.loads(stated.group(1))}
    least = 1 if re.search(r"^ranks: 1$", parts.get("options", ""), re.M) else 2
    sizes = {}
    for size, name in re.findall(r"(?:(\d+), )?'([^']+)'\)", parts["input"]):
        sizes[name] = max(int(size or 0), sizes.get(name, least))
    return {"groups": {name: {"ranks": list(range(size))} for name, size in sizes.items()}}


def inputs(folder):
    """Yields the name and the arguments."""
    for path in sorted(glob.glob(os.path.join(TESTS, "golden/*/*.golden"))):
        parts = sections(path)
        text, groups = os.path.join(folder, "input"), os.path.join(folder, "groups.json")
        with open(text, "w", encoding="utf-8") as file:
            file.write(parts["input"])
        with open(groups, "w", encoding="utf-8") as file:
            json.dump(groups_of(parts), file)
        yield path, [text, "--groups", groups]
        # The durations that a golden states are left out: the order is then different, and the plan is equally valid.
        yield path + " after its pipeline", [text, "--groups", groups, "--pipeline", parts["pipeline"].strip()]
    for folder in sorted(glob.glob(os.path.join(TESTS, "data/small/*"))):
        facts = os.path.join(folder, "facts.json")
        for path in glob.glob(os.path.join(folder, "readable.py*")):
            yield path, [path, "-O2", *(["--groups", facts] if os.path.exists(facts) else [])]


def main():
    with open(SCHEMA, encoding="utf-8") as file:
        schema = json.load(file)
    validator = jsonschema.validators.validator_for(schema)(schema)
    valid, refused, wrong = 0, 0, []
    with tempfile.TemporaryDirectory() as folder:
        for name, arguments in inputs(folder):
            run = subprocess.run([OPT, *arguments, "--emit", "plan"], capture_output=True, text=True, check=False)
            if run.returncode != 0:
                refused += 1
                if not re.search(r"\[(lower|pipeline|pass)\.", run.stderr):
                    wrong.append(f"{name}: not lowered: {run.stderr.strip()[:300]}")
                continue
            error = next(validator.iter_errors(json.loads(run.stdout)), None)
            valid += error is None
            if error is not None:
                wrong.append(f"{name}: at {error.json_path}: {error.message[:200]}")
    print(f"{valid} plans are valid, {refused} graphs are not lowered")
    if valid < FEWEST:
        wrong.append(f"got {valid} plans, expected at least {FEWEST}")
    for line in wrong:
        print(f"error: {line}", file=sys.stderr)
    return bool(wrong)


sys.exit(main())
