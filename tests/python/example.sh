#!/usr/bin/env bash
# example.sh PYTHON SOURCE FOLDER: runs the example of docs/python.md on a small graph.
set -euo pipefail
"$1" "$2/tests/readme/check.py" --extract python "$2/docs/python.md" > "$3/example.py"
said=$("$1" "$3/example.py" "$2/tests/data/small/wait_far_w2/readable.py" "$3/example.json")
echo "$said"
grep -q '^[0-9]* nodes before, [0-9]* after$' <<< "$said"
grep -q '^mine.json 1 ' <<< "$said"
grep -q ccgraph.graph "$3/example.json"
