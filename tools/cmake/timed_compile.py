#!/usr/bin/env python3
"""A compiler launcher that records the cost of each object: cmake
-DCMAKE_CXX_COMPILER_LAUNCHER=tools/cmake/timed_compile.py

It runs the command in its arguments. It appends a line `seconds MiB output` to the file that CCGRAPH_COMPILE_LOG
names: the processor time of the compiler, its peak memory and the object. Unlike elapsed time, processor time does
not depend on other work of the machine."""
import os
import resource
import subprocess
import sys


def main():
    status = subprocess.call(sys.argv[1:])
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = sys.argv[sys.argv.index("-o") + 1] if "-o" in sys.argv else ""
    if log := os.environ.get("CCGRAPH_COMPILE_LOG"):
        with open(log, "a") as f:
            f.write(f"{used.ru_utime + used.ru_stime:.3f} {used.ru_maxrss // 1024} {output}\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
