#!/usr/bin/env python3
"""The wheel in a fresh virtual environment: wheel.py --data DATA --work FOLDER [--library LIBRARY --program PROGRAM].

Builds the wheel as docs/python.md says (around LIBRARY and PROGRAM where they are given; else from the sources, which
takes minutes and is done with CCGRAPH_WHEEL_TESTS=1 alone), installs it without an index into an environment that has
nothing else, runs the tools and the tests of files there, and lets mypy judge a user's program. Exits with 77 where pip
reaches no index."""
import argparse, os, subprocess, sys, venv, zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
#: an environment without references to a build tree
CLEAN = {name: value for name, value in os.environ.items() if name not in ("CCGRAPH_LIBRARY", "PYTHONPATH")}
TOOLS = ("opt", "run", "gen", "check")
# The settings of the presets, so that a compiler cache can reuse the objects in a second run.
CACHE = {"CCACHE_BASEDIR": ROOT, "CCACHE_NOHASHDIR": "1",
         "CCACHE_SLOPPINESS": "pch_defines,time_macros,include_file_mtime,include_file_ctime"}


def run(*command, **options):
    return subprocess.run(command, env={**CACHE, **CLEAN}, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          **options)


def must(*command, **options):
    done = run(*command, **options)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}")
    return done.stdout


def environment(folder):
    venv.create(folder, with_pip=True, clear=True)
    return os.path.join(folder, "bin/python")


def skip(reason):
    print(reason)
    sys.exit(1 if os.environ.get("CCGRAPH_WHEEL_TESTS") == "1" else 77)


def tools(work):
    """Returns an interpreter with mypy, which shows that pip reaches an index."""
    python = environment(os.path.join(work, "tools"))
    if run(python, "-m", "pip", "install", "--quiet", "mypy", "scikit-build-core").returncode:
        skip("pip reaches no index that has mypy and scikit-build-core")
    return python


def build(python, work, options):
    wheels = os.path.join(work, "wheels")
    for old in os.listdir(wheels) if os.path.isdir(wheels) else ():
        os.remove(os.path.join(wheels, old))
    given = ["-C", f"cmake.define.CCGRAPH_PREBUILT_LIBRARY={os.path.abspath(options.library)}",
             "-C", f"cmake.define.CCGRAPH_PREBUILT_PROGRAM={os.path.abspath(options.program)}",
             "-C", f"build-dir={work}/build"] if options.library else []
    must(python, "-m", "pip", "wheel", "--quiet", *given, os.path.join(ROOT, "frontend/python"), "-w", wheels)
    (wheel,) = os.listdir(wheels)
    return os.path.join(wheels, wheel)


def check_content(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    scripts = os.path.basename(wheel).rsplit("-", 3)[0] + ".data/scripts/"
    for name in ("ccgraph/libccgraph_c.so", "ccgraph/licenses/LICENSE", "ccgraph/py.typed", "ccgraph/torch/_pass.py",
                 scripts + "ccgraph",
                 *(scripts + "ccgraph-" + tool for tool in TOOLS)):
        assert name in names, names
    assert all(name.startswith("ccgraph") for name in names), names


def check_tools(fresh, data, work):
    """Runs each tool by its own name, by a link in another folder, and as a command of `ccgraph`."""
    folder, graph = os.path.dirname(fresh), os.path.join(data, "small/wait_far_w2/readable.py")
    for tool in TOOLS:
        script, link = os.path.join(folder, "ccgraph-" + tool), os.path.join(work, "linked-" + tool)
        if os.path.lexists(link):
            os.remove(link)
        os.symlink(script, link)
        said = must(os.path.join(folder, "ccgraph"), tool, "--version")
        assert said == must(script, "--version") == must(link, "--version") and tool in said, said
    assert "verifier ok" in must(os.path.join(folder, "ccgraph"), graph)
    ran = must(os.path.join(folder, "ccgraph-run"), graph, "--ranks", "2", "--engine", "local")
    assert "rank 1  out.0" in ran, ran


def check_types(python, fresh):
    mypy = [python, "-m", "mypy", "--strict", "--no-error-summary", "--python-executable", fresh]
    folder = os.path.join(HERE, "typed")
    must(*mypy, os.path.join(folder, "user.py"), cwd=folder)
    found = run(*mypy, os.path.join(folder, "mistaken.py"), cwd=folder).stdout
    lines = {int(line.split(":")[1]) for line in found.splitlines() if ": error: " in line}
    wrong = {number for number, line in enumerate(open(os.path.join(folder, "mistaken.py"), encoding="utf-8"), 1)
             if line.startswith("ccgraph.")}
    assert lines == wrong, f"mistakes in lines {sorted(wrong)}, found in {sorted(lines)}\n{found}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--library")
    parser.add_argument("--program")
    options = parser.parse_args()
    options.data, options.work = os.path.abspath(options.data), os.path.abspath(options.work)
    if not options.library and os.environ.get("CCGRAPH_WHEEL_TESTS") != "1":
        skip("a wheel from the sources takes minutes: CCGRAPH_WHEEL_TESTS=1 asks for it")
    os.makedirs(options.work, exist_ok=True)
    python = tools(options.work)
    wheel = build(python, options.work, options)
    check_content(wheel)
    fresh = environment(os.path.join(options.work, "fresh"))
    must(fresh, "-m", "pip", "install", "--quiet", "--no-index", wheel)
    assert run(fresh, "-c", "import torch").returncode, "the fresh environment has PyTorch: nothing is shown"
    print(must(fresh, os.path.join(HERE, "files_test.py"), options.data, cwd=options.work), end="")
    check_tools(fresh, options.data, options.work)
    check_types(python, fresh)
    print("ok", os.path.basename(wheel))


main()
