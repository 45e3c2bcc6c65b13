#!/usr/bin/env python3
"""Tests each line of `ccgraph doctor`, with the part and without it: doctor_test.py CCGRAPH COMPILER MODULES.

CCGRAPH is the built program, COMPILER a C compiler, MODULES the folder of the modules relative to the prefix. The
program is copied into an empty prefix, and the environment decides what it finds."""
import json, os, shutil, subprocess, sys, tempfile

CCGRAPH, COMPILER, MODULES = sys.argv[1:]
LIBRARIES = {"libcuda.so.1": "int cuDriverGetVersion(int *v) { *v = 12040; return 0; }",
             "libnccl.so.2": "int ncclGetVersion(int *v) { *v = 22005; return 0; }"}
ENTRIES = {"mpi": "ccgraphMpiCalls", "nccl": "ccgraphGpuModule", "torch": "ccgraphTorchCalls"}
PYTHON = """#!/bin/sh
case "$2" in
*"'torch'"*) echo 2.6.0 ;;
*"'ccgraph'"*) echo 0.1.0 ;;
*) exit 1 ;;
esac
"""
#: what each part says if it is here
FOUND = {"mpi": "ready", "nccl": "ready", "mpirun": "{folder}/path/mpirun", "cuda": "libcuda.so.1 of version 12.4",
         "libnccl": "libnccl.so.2 of version 2.20", "torch": "version 2.6.0 in {folder}/path/python3",
         "plug-in": "version 0.1.0 in {folder}/path/python3",
         "torch-kernels": "{folder}/full/{modules}/libccgraph_torch.so"}
#: a part of what each says if it is missing
MISSING = {"mpi": "cannot start: libccgraph_mpi.so: cannot open shared object file",
           "nccl": "cannot start: libccgraph_nccl.so: cannot open shared object file", "mpirun": "no mpirun on PATH",
           "cuda": "libcuda.so.1: file too short", "libnccl": "libnccl.so.2: file too short",
           "torch": "no python3 on PATH", "plug-in": "no python3 on PATH",
           "torch-kernels": "no {folder}/bare/{modules}/libccgraph_torch.so"}


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


def compile_library(path, code):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    subprocess.run([COMPILER, "-shared", "-fPIC", "-xc", "-", "-o", path], input=code, text=True, check=True)


def prefix(folder, name):
    os.makedirs(f"{folder}/{name}/bin")
    return shutil.copy(CCGRAPH, f"{folder}/{name}/bin/ccgraph")


def doctor(program, path, libraries, *arguments):
    """Returns the exit code and both outputs."""
    done = subprocess.run([program, "doctor", *arguments], env={"PATH": path, "LD_LIBRARY_PATH": libraries}, text=True,
                          capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr


def full_machine(folder):
    """Returns the program, PATH and libraries of a machine that has every part."""
    for name, code in LIBRARIES.items():
        compile_library(f"{folder}/libraries/{name}", code)
    for name, entry in ENTRIES.items():
        compile_library(f"{folder}/full/{MODULES}/libccgraph_{name}.so",
                        f"void *{entry}(int version) {{ static int calls; return &calls; }}")
    write(f"{folder}/path/mpirun", "#!/bin/sh\n", 0o755)
    write(f"{folder}/path/python3", PYTHON, 0o755)
    return prefix(folder, "full"), f"{folder}/path", f"{folder}/libraries"


def bare_machine(folder):
    # An empty file comes before a library of this machine, and cannot be loaded.
    for name in LIBRARIES:
        write(f"{folder}/none/{name}", "")
    os.mkdir(f"{folder}/empty")
    return prefix(folder, "bare"), f"{folder}/empty", f"{folder}/none"


def check_parts(machine, folder, expected, is_here):
    code, out, err = doctor(*machine, "--json")
    assert (code, err) == (0, ""), (code, err)
    parts = {part["name"]: part for part in json.loads(out)["parts"]}
    assert len(parts) == 10, list(parts)
    for name in ("ccgraph", "local"):
        assert parts.pop(name)["is_here"], out
    for name, text in expected.items():
        part, text = parts.pop(name), text.format(folder=folder, modules=MODULES)
        assert part["is_here"] == is_here and bool(part["repair"]) != is_here, part
        assert part["found"] == text if is_here else text in part["found"], (part, text)
        lines = [line for line in doctor(*machine)[1].splitlines() if line[5:].split()[0] == name]
        assert len(lines) == 1 and lines[0].startswith("yes " if is_here else "no "), lines
        assert part["found"] in lines[0] and part["gives"] in lines[0] and part["repair"] in lines[0], lines
        assert doctor(*machine, name)[0] == (0 if is_here else 3), name
    assert not parts, list(parts)


def check_damage(machine, folder):
    """A library without the function, and a module of another build, are named and are not here."""
    program, path, _ = machine
    compile_library(f"{folder}/damaged/libcuda.so.1", "int nothing;")
    out = doctor(program, path, f"{folder}/damaged", "cuda")[1]
    assert "libcuda.so.1 is here and does not return its version" in out, out
    compile_library(f"{folder}/full/{MODULES}/libccgraph_mpi.so", "void *ccgraphMpiCalls(int version) { return 0; }")
    out = doctor(*machine, "mpi")[1]
    assert out.startswith("no ") and "its module is of another build than this program" in out, out


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        full, bare = full_machine(folder), bare_machine(folder)
        check_parts(full, folder, FOUND, True)
        check_parts(bare, folder, MISSING, False)
        assert len(doctor(*bare)[1].splitlines()) == 10
        check_damage(full, folder)
    print("ok")


main()
