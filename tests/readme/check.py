#!/usr/bin/env python3
"""Runs what the documents show and compares what it prints with what they say that it prints.

    check.py --bin FOLDERS [--update] FILE.md ...     the console blocks; several folders as in PATH
    check.py --build FOLDER [--update] FILE.md        the same, with the tools built anew from the document's files
    check.py --extract cpp FILE.md                    the one C++ block, on stdout; likewise cmake

A `console` block holds commands after "$ ", each followed by what it prints on stdout; a line "..." stands for any
lines, and a duration for any duration. Commands run in an empty folder that sees the tree as the reader of the document
does, with the built tools in the PATH. --update writes what was printed into the document. Blocks of any other language
than those of KNOWN are refused, since nothing would keep them true.

A block whose fence names a file as well, as in "```cpp passes/lib/x.cpp", is that file in full, and a `diff` block is a
change to one. Commands see them in their place; with --build, tools that were built with them (workshop.py)."""
import argparse
import os
import re
import subprocess
import sys
import tempfile

import workshop

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KNOWN = ("console", "cpp", "cmake", "diff", "text")
FENCE = re.compile(r"^```(\w*)(?: ([\w./-]+))?\n(.*?)^```$", re.S | re.M)
DURATION = re.compile(r"\b\d+(\.\d+)? ?(s|ms|us)\b")
# This test itself is one of the tests that the command runs.
NOT_RUN = "tools/test"


def sandbox(folder):
    for entry in os.listdir(ROOT):
        if entry not in (".git", "build"):
            os.symlink(os.path.join(ROOT, entry), os.path.join(folder, entry))
    return folder


def execute(command, folder, bin_folder):
    env = dict(os.environ, PATH=bin_folder + ":" + os.environ["PATH"], CCGRAPH_BIN=bin_folder)
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, text=True, capture_output=True)
    sys.stderr.write(done.stderr)
    return done.stdout


def steps(block):
    """Returns [(command, shown output)] of a console block."""
    parts = re.split(r"^\$ (.*(?:\\\n.*)*)\n", block, flags=re.M)
    return list(zip(parts[1::2], parts[2::2]))


def pattern(shown):
    words = [DURATION.sub("<time>", line) for line in shown.rstrip().split("\n")]
    return "\n".join("(?s:.*?)" if line == "..." else re.escape(line) for line in words)


def matches(shown, printed):
    return re.fullmatch(pattern(shown), DURATION.sub("<time>", printed.rstrip())) is not None


def put_files(text, folder):
    """Writes the files that a document contains; returns their paths."""
    paths = []
    for language, path, body in (match.groups() for match in FENCE.finditer(text)):
        if path:
            paths.append(workshop.put(folder, path, body))
        elif language == "diff":
            paths.append(workshop.patch(folder, body))
    return paths


def check_block(block, folder, bin_folder, failures):
    text = ""
    for command, shown in steps(block):
        printed = shown if command == NOT_RUN else execute(command, folder, bin_folder)
        if not matches(shown, printed):
            failures.append(f"$ {command}\n--- the document shows\n{shown}--- it prints\n{printed}")
            shown = printed.rstrip() + (shown[len(shown.rstrip()):] or "\n")
        text += f"$ {command}\n{shown}"
    return text


def check_file(path, options):
    """Returns the parts of the file that are wrong."""
    failures = []
    with open(path) as f:
        text = f.read()
    with tempfile.TemporaryDirectory() as folder:
        sandbox(folder)
        try:
            paths = put_files(text, folder)
            bin_folder = workshop.rebuild(folder, paths, options.build) if options.build else options.bin
        except workshop.Broken as broken:
            return [f"{broken}\n"]

        def one(match):
            if match[1] not in KNOWN and not match[2]:
                failures.append(f"a block of language '{match[1]}': expected one of {', '.join(KNOWN)}, or a file\n")
            if match[1] != "console":
                return match[0]
            return f"```console\n{check_block(match[3], folder, bin_folder, failures)}```"
        updated = FENCE.sub(one, text)
    if options.update and updated != text:
        with open(path, "w") as f:
            f.write(updated)
    return failures


def extract(path, language):
    with open(path) as f:
        print("".join(m[3] for m in FENCE.finditer(f.read()) if m[1] == language and not m[2]), end="")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=os.path.abspath, default="build/release/bin", help="folder of the built tools")
    parser.add_argument("--build", type=os.path.abspath, help="folder of the build that the document's files join")
    parser.add_argument("--update", action="store_true", help="write what was printed into the document")
    parser.add_argument("--extract", metavar="LANGUAGE", help="print the blocks of this language and stop")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    if options.extract:
        return extract(options.files[0], options.extract)
    failed = False
    for path in options.files:
        for failure in check_file(path, options):
            failed = True
            print(f"{path}: error: {failure}")
    if failed:
        where = f"--build {options.build}" if options.build else f"--bin {options.bin}"
        print(f"note: tests/readme/check.py {where} --update {' '.join(options.files)}")
    sys.exit(1 if failed and not options.update else 0)


if __name__ == "__main__":
    main()
