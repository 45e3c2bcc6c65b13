#!/usr/bin/env python3
"""Checks that no two headers define a type of one name in one namespace. Sources that include different ones compile
and link, and the program then uses the inline functions of one type for the other.

A type may be defined twice in one header, under #if."""
import collections, pathlib, re, subprocess, sys

BEGIN = re.compile(r"namespace ([\w:]+) \{")
TYPE = re.compile(r"(?:struct|class|enum class) (\w+)(?: final)?(?: :[^;]*)? \{")


def types_of(path):
    """Yields the types outside of other types, with their namespaces; headers have no anonymous namespace."""
    spaces = []
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        if begun := BEGIN.match(line):
            spaces.append(begun[1])
        elif line.startswith("} // namespace") and spaces:
            spaces.pop()
        elif spaces and (found := TYPE.match(line)):
            yield "::".join([*spaces, found[1]])


def main():
    headers = subprocess.run(["git", "ls-files", "*.h"], text=True, capture_output=True, check=True).stdout.split()
    # A source package has no repository.
    headers = headers or [str(path) for folder in ("ir", "passes", "runtime", "frontend", "tools")
                          for path in pathlib.Path(folder).rglob("*.h")]
    found = collections.defaultdict(set)
    for path in headers:
        if not path.startswith("tests/"):
            for name in types_of(path):
                found[name].add(path)
    twice = {name: paths for name, paths in found.items() if len(paths) > 1}
    for name, paths in sorted(twice.items()):
        print(f"error: {name} is defined in {' and '.join(sorted(paths))}; rename one")
    return bool(twice) or len(found) < 100


sys.exit(main())
