#!/usr/bin/env python3
"""Tests tools/progress: its output for ninja and for apt, in a log and on a terminal."""
import errno
import os
import pty
import re
import subprocess
import unittest

PROGRESS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "progress")


def without_times(text):
    return re.sub(r", about [^\n]* left|\d+ s$", "", text, flags=re.M)


def in_log(text):
    done = subprocess.run([PROGRESS, "building"], input=text, text=True, stderr=subprocess.PIPE, check=True)
    return without_times(done.stderr).split("\n")[:-1]


def read_all(terminal):
    """Reads until the other end is closed: one read may return a part, since the kernel delivers the bytes later."""
    parts = []
    try:
        while part := os.read(terminal, 65536):
            parts.append(part)
    except OSError as error:
        if error.errno != errno.EIO:  # what Linux reports once the other end is closed
            raise
    return b"".join(parts)


def on_terminal(text):
    main, other = pty.openpty()
    subprocess.run([PROGRESS, "building"], input=text, text=True, stderr=other, env={**os.environ, "TERM": "xterm"},
                   check=True)
    os.close(other)
    return without_times(read_all(main).decode().replace("\r\n", "\n"))


class Progress(unittest.TestCase):
    def test_a_log_gets_a_line_for_each_tenth(self):
        lines = in_log("".join(f"[{i}/40] Building {i}.o\n" for i in range(1, 41)))
        self.assertEqual(lines, [f"building: {percent} %" for percent in (2, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100)]
                         + ["building: done in "])

    def test_other_lines_are_passed_on(self):
        self.assertEqual(in_log("[1/2] Building a.o\na.cpp:3:1: warning: unused [2/7]\n"),
                         ["building: 50 %", "a.cpp:3:1: warning: unused [2/7]", "building: done in "])

    def test_fetching_and_unpacking_are_a_half_each(self):
        self.assertEqual(in_log("dlstatus:1:50.0000:Retrieving file 1 of 2\npmstatus:zlib1g:amd64:40.5000:Unpacking "
                                "1:2.5:x\n"),
                         ["building: 25 %", "building: 70 %", "building: done in "])

    def test_a_terminal_has_one_line_that_is_rewritten(self):
        self.assertEqual(on_terminal("[1/2] Building a.o\nwarning\n[2/2] Building b.o\n"),
                         "\r\x1b[Kbuilding: 50 %\r\x1b[Kwarning\n\r\x1b[Kbuilding: 100 %\r\x1b[Kbuilding: done in \n")

    def test_nothing_to_do_is_no_error(self):
        self.assertEqual(in_log("ninja: no work to do.\n"), ["ninja: no work to do.", "building: done in "])


if __name__ == "__main__":
    unittest.main()
