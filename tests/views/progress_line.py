#!/usr/bin/env python3
"""Tests that a long run shows a progress line on a terminal, which is removed at the end, and nowhere else.

    progress_line.py CCGRAPH_OPT CCGRAPH_RUN GRAPH

The graph comes through a pipe that is blocked until the line was seen, so the test does not depend on the speed of
the machine.
"""
import os
import pathlib
import pty
import re
import subprocess
import sys

LINE = re.compile(rb"\r\x1b\[K[a-z ]+, \d+ s\r")
ERASED = b"\r\x1b[K"


def start(command: list[str], **where) -> subprocess.Popen:
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(os.environ, TERM="xterm"),
                            **where)


def readAll(terminal: int) -> bytes:
    """Returns the rest of the output to its end; Linux returns EIO if the other side of a terminal is closed."""
    text = b""
    try:
        while part := os.read(terminal, 4096):
            text += part
    except OSError:
        pass
    return text


def onTerminal(command: list[str], graph: bytes) -> list[str]:
    ours, theirs = pty.openpty()
    tool = start(command, stderr=theirs)
    os.close(theirs)
    said = b""
    while not LINE.search(said):
        part = os.read(ours, 4096)
        if not part:
            return ["ended before it said a word"]
        said += part
    out, _ = tool.communicate(graph)
    said += readAll(ours)
    os.close(ours)
    found = [] if tool.returncode == 0 else [f"exit code {tool.returncode}"]
    if not out:
        found.append("no result on standard output")
    if not said.endswith(ERASED) or LINE.sub(b"", said).replace(ERASED, b""):
        found.append(f"the line is not gone: {said!r}")
    return found


def onPipe(command: list[str], graph: bytes) -> list[str]:
    tool = start(command, stderr=subprocess.PIPE)
    try:
        tool.wait(timeout=2.5) # longer than the time to the second line
    except subprocess.TimeoutExpired:
        pass
    _, said = tool.communicate(graph)
    return [f"a pipe is told {said!r}"] if said or tool.returncode else []


def main(opt: str, run: str, graph: str) -> int:
    text = pathlib.Path(graph).read_bytes()
    status = 0
    for command in ([opt, "-"], [run, "-", "--ranks", "2"]):
        for problem in onTerminal(command, text) + onPipe(command, text):
            print(f"{' '.join(command)}: error: {problem}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
