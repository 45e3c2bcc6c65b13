"""Builds the tools with the files that a document adds or changes.

Only these files are compiled, with the flags that the build has for them or for neighboring files. They are linked
before the build's own libraries, so their symbols take precedence. So a worked example takes only seconds. The
build must use Ninja and static libraries."""
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "cmake"))
from compiled_files import is_unity, sources_of, with_other_sources

# It reads the goldens of the source folder for which it was compiled.
GOLDEN_TEST = "tests/golden/golden_test.cpp"


class Broken(Exception):
    """An example that cannot be applied, compiled or linked."""


def own(scratch, path):
    """Replaces every folder on the way to `path` by a real one, and the file, if it exists, by a copy."""
    at = scratch
    for part in path.split("/"):
        at = os.path.join(at, part)
        if not os.path.islink(at):
            if not os.path.exists(at) and not at.endswith(path):
                os.mkdir(at)
            continue
        target = os.path.realpath(at)
        os.remove(at)
        if os.path.isfile(target):
            shutil.copyfile(target, at)
            continue
        os.mkdir(at)
        for entry in os.listdir(target):
            os.symlink(os.path.join(target, entry), os.path.join(at, entry))


def put(scratch, path, text):
    own(scratch, path)
    with open(os.path.join(scratch, path), "w") as f:
        f.write(text)
    return path


def patch(scratch, text):
    """Applies a diff of one file, whose name follows '+++ b/'."""
    path = re.search(r"^\+\+\+ b/(\S+)$", text, re.M)[1]
    own(scratch, path)
    done = subprocess.run(["patch", "-p1", "-l", "--no-backup-if-mismatch"], cwd=scratch, input=text, text=True,
                          capture_output=True)
    if done.returncode:
        raise Broken(f"the diff of {path} does not apply:\n{done.stdout}{done.stderr}")
    return path


class Commands:
    """known: {source: its command} of the whole build. compiled_in: {source: the file in which it is compiled}."""

    def __init__(self, build):
        self.known, self.compiled_in = {}, {}
        with open(os.path.join(build, "compile_commands.json")) as f:
            for entry in json.load(f):
                for source in sources_of(entry["file"]):
                    self.known[source] = shlex.split(entry["command"])
                    self.compiled_in[source] = entry["file"]

    def object_name(self, source):
        """Returns the build's name of the object for `source`."""
        return os.path.basename(self.compiled_in[source]) + ".o"


def flags(path, scratch, root, build, known):
    """Returns the build's command for this file, or for the known file that is nearest to it in the tree; included
    files are in `scratch`. Programs may include what tools may include."""
    near = os.path.join(root, path if "/" in path else "tools/driver/")
    neighbour = max(known, key=lambda f: len(os.path.commonprefix([f, near])))
    command = known.get(os.path.join(root, path), known[neighbour])
    command = command[next(i for i, word in enumerate(command) if not word.endswith("ccache")):command.index("-o")]
    moved = [word if build in word else re.sub(re.escape(root) + r"(?=[/\"\\]|$)", scratch, word) for word in command]
    # A precompiled header that does not match only costs time.
    return moved + ["-Wno-invalid-pch"]


def unit_of(path, scratch, root, made):
    """Returns what is compiled for the source `path`: the source itself, or the whole batch in which the build
    compiles it, with the files in `scratch`."""
    file = made.compiled_in.get(os.path.join(root, path), "")
    if not is_unity(file):
        return path
    unit = os.path.join("objects", os.path.basename(file).removesuffix(".cxx") + ".cpp")
    places = {source: source.replace(root, scratch, 1) for source in sources_of(file)}
    with open(os.path.join(scratch, unit), "w") as f:
        f.write(with_other_sources(file, places))
    return unit


def object_of(scratch, unit):
    return os.path.join(scratch, "objects", unit.replace("/", "-") + ".o")


def run(command, build, what):
    done = subprocess.run(command, cwd=build, text=True, capture_output=True)
    if done.returncode:
        raise Broken(f"{what}:\n{done.stderr}")


def link(name, line, objects, scratch, build, leave=""):
    """Links in the way in which the build links one of its tools, without the object `leave`."""
    words = [word for word in line if not (leave and word.endswith(leave))]
    at = words.index("-o")
    words[at:at + 2] = ["-o", os.path.join(scratch, "bin", name)] + objects
    run(words, build, f"{name} does not link")


def link_line(tool, build):
    line = subprocess.run(["ninja", "-C", build, "-t", "commands", tool], text=True, capture_output=True, check=True)
    return shlex.split(re.sub(r"^: && | && :$", "", line.stdout.strip().split("\n")[-1]))


def rebuild(scratch, paths, build):
    """Returns the folder of the new tools. `paths` were added or patched, relative to `scratch`; a source without
    neighbors is a program."""
    with open(os.path.join(build, "CMakeCache.txt")) as f:
        root = re.search(r"^CMAKE_HOME_DIRECTORY:\w+=(.*)$", f.read(), re.M)[1]
    for folder in ("objects", "bin"):
        os.mkdir(os.path.join(scratch, folder))
    made = Commands(build)
    sources = [path for path in dict.fromkeys(paths) if path.endswith(".cpp")]
    units = {path: unit_of(path, scratch, root, made) for path in sources + [GOLDEN_TEST]}
    shared = list(dict.fromkeys(object_of(scratch, units[path]) for path in sources if "/" in path))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        def compiled(path):
            unit = units[path]
            run(flags(path, scratch, root, build, made.known) + ["-o", object_of(scratch, unit), "-c",
                                                                 os.path.join(scratch, unit)], build,
                                                                 f"{path} does not compile")
        list(pool.map(compiled, {unit: path for path, unit in units.items()}.values()))
    opt = link_line("bin/ccgraph-opt", build)
    for tool in ("ccgraph-opt", "ccgraph-run"):
        link(tool, link_line("bin/" + tool, build), shared, scratch, build)
    link("ccgraph_golden", link_line("tests/ccgraph_golden", build), shared + [object_of(scratch, units[GOLDEN_TEST])],
         scratch,
         build, made.object_name(os.path.join(root, GOLDEN_TEST)))
    for path in sources:
        if "/" not in path:
            link(path.removesuffix(".cpp"), opt, shared + [object_of(scratch, path)], scratch, build, "main.cpp.o")
    return os.path.join(scratch, "bin")
