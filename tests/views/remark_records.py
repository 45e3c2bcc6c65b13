#!/usr/bin/env python3
"""Checks that PyYAML reads remark files as opt-viewer does: one document for each remark, with LLVM's tags; the JSON
form has the same content.

    remark_records.py CCGRAPH_OPT GRAPH...
"""
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

import yaml

TAGS = ("!Passed", "!Missed", "!Analysis")


class Loader(yaml.SafeLoader):
    """Each tag becomes the member "Type" of a plain mapping."""


for tag in TAGS:
    Loader.add_constructor(tag, lambda loader, node,
                           word=tag[1:]: {"Type": word, **loader.construct_mapping(node, deep=True)})


def problems(record: dict) -> list[str]:
    found = [f"no {field}" for field in ("Pass", "Name", "Function", "Args") if field not in record]
    if not all(isinstance(piece, dict) and len(piece) == 1 for piece in record.get("Args", [])):
        found.append("a piece of Args that is no pair")
    location = record.get("DebugLoc")
    if location and not (isinstance(location["File"], str) and location["Line"] > 0 and location["Column"] == 0):
        found.append(f"a place {location}")
    return found


def sentence(record: dict) -> str:
    return "".join(str(value) for piece in record["Args"] for value in piece.values())


def main(tool: str, graphs: list[str]) -> int:
    status = 0
    with tempfile.TemporaryDirectory() as folder:
        for graph in graphs:
            paths = [pathlib.Path(folder, name) for name in ("remarks.opt.yaml", "remarks.json")]
            for path in paths:
                subprocess.run([tool, graph, "--remarks-file", str(path)], check=True, stdout=subprocess.DEVNULL)
            records = list(yaml.load_all(paths[0].read_text(), Loader=Loader))
            found = [f"{problem} in {record}" for record in records for problem in problems(record)]
            if records != json.loads(paths[1].read_text()):
                found.append("the JSON form says something else")
            if not records:
                found.append("no remarks")
            counts = collections.Counter(record["Type"] for record in records)
            print(f"{pathlib.Path(graph).parent.name}: {dict(counts)}; {sentence(records[-1]) if records else ''}")
            for problem in found[:5]:
                print(f"{graph}: error: {problem}")
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
