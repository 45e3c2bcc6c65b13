#!/usr/bin/env python3
"""Checks the files by which others package and call ccgraph, as far as one machine can: packaging_test.py CCGRAPH ROOT

The action's scripts are run as GitHub runs them, but for the installation; the recipe of conda is rendered, and its
dependencies are those that CMake and the Python project name."""
import os, re, subprocess, sys, tempfile

CCGRAPH, ROOT = (os.path.abspath(path) for path in sys.argv[1:])
PACKAGING = os.path.join(ROOT, "tools/packaging")
DATA = os.path.join(ROOT, "tests/data/small")
HEAD, BASE = f"{DATA}/zero3_mlp_w2/fw/readable.py", f"{DATA}/wait_far_w2/readable.py"


def text_of(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def blocks_of_action():
    """Returns {name: (script, {variable: expression})} of the steps. The file has one form, so no YAML reader is
    needed."""
    steps = {}
    for step in text_of(PACKAGING, "action/action.yml").split("    - name: ")[1:]:
        name = step.split("\n")[0]
        script = re.search(r"      run: (?:\|\n((?:        .*\n)+)|(.*)\n)", step)
        variables = dict(re.findall(r"^        ([A-Z]+): (.*)$", step.split("      env:\n")[1], re.M))
        steps[name] = (re.sub(r"(?m)^        ", "", script[1] or script[2]), variables)
    return steps


def run_step(step, inputs, folder):
    """Runs a step with these inputs; returns the process."""
    script, variables = step
    environment = {**os.environ, "GITHUB_ACTION_PATH": os.path.join(PACKAGING, "action"), "RUNNER_TEMP": folder,
                   "GITHUB_STEP_SUMMARY": f"{folder}/summary", "GITHUB_OUTPUT": f"{folder}/output",
                   "PATH": os.path.dirname(CCGRAPH) + ":" + os.environ["PATH"]}
    for name, expression in variables.items():
        environment[name] = inputs[re.fullmatch(r"\$\{\{ inputs\.(\w+) \}\}", expression)[1]]
    return subprocess.run(["bash", "-e", "-o", "pipefail", "-c", script], env=environment, text=True,
                          capture_output=True, check=False)


def check_action():
    steps = blocks_of_action()
    assert list(steps) == ["Install", "Report", "Contract"], list(steps)
    assert steps["Install"][0] == 'python3 -m pip install --quiet "$PACKAGE"', steps["Install"]
    with tempfile.TemporaryDirectory() as folder:
        contract = f"{folder}/comm.toml"
        subprocess.run([CCGRAPH, "check", HEAD, "--write-contract", contract], check=True, capture_output=True)
        inputs = {"graph": HEAD, "base": "", "machine": "", "contract": contract, "package": "ccgraph"}
        done = run_step(steps["Report"], inputs, folder)
        assert done.returncode == 0, done.stderr
        table = text_of(folder, "summary")
        assert "| collectives |  | 2 |  |" in table and "h100x8" in table, table
        assert text_of(folder, "output") == f"comment={folder}/ccgraph.md\n"
        assert run_step(steps["Report"], {**inputs, "base": BASE, "machine": "a100x8"}, folder).returncode == 0
        table = text_of(folder, "ccgraph.md")
        assert "| collectives | 1 | 2 | +100.0% |" in table and "a100x8" in table, table
        assert run_step(steps["Report"], {**inputs, "base": HEAD}, folder).returncode == 0
        assert text_of(folder, "ccgraph.md").count("| none |") == 6, text_of(folder, "ccgraph.md")
        done = run_step(steps["Report"], {**inputs, "graph": f"{folder}/nothing.log"}, folder)
        assert done.returncode != 0 and "nothing.log" in done.stderr, done
        assert run_step(steps["Contract"], inputs, folder).returncode == 0
        done = run_step(steps["Contract"], {**inputs, "graph": BASE}, folder)
        assert done.returncode == 1 and os.path.getsize(f"{folder}/ccgraph.sarif") > 0, done


def check_recipe():
    recipe, project = text_of(PACKAGING, "conda/meta.yaml"), text_of(ROOT, "frontend/python/pyproject.toml")
    version = re.search(r'^version = "(.*)"', project, re.M)[1]
    assert f'set version = "{version}"' in recipe, "the recipe has another version than the Python project"
    assert re.search(r"project\(ccgraph VERSION " + re.escape(version), text_of(ROOT, "CMakeLists.txt")), version
    for need in ("scikit-build-core >=0.10", "cmake >=3.25", "python >=3.9", "nlohmann_json >=3.9", "simdjson >=3",
                 "eigen >=3.3", "llvmdev >=14", "zlib", "minizip", "tomlplusplus"):
        assert re.search(rf"^    - {re.escape(need)}", recipe, re.M), f"the recipe does not need {need}"
    options = set(re.findall(r"-D(CCGRAPH_\w+)=", recipe)) | set(re.findall(r"define\.(CCGRAPH_\w+)=", recipe))
    declared = text_of(ROOT, "CMakeLists.txt") + text_of(ROOT, "runtime/CMakeLists.txt")
    for option in options:
        assert re.search(rf"(option|set)\({option}\b", declared), f"{option} is no option of CMake"


check_action()
check_recipe()
print("ok")
