"""Runs ccgraph-opt and ccgraph-gen for the tables of docs/evidence, and reads the JSON summary of a run.

CCGRAPH_BIN names the folder of the tools; without it, they are those of the build CCGRAPH_BUILD (build/release)."""
import json
import os
import pathlib
import resource
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BIN = pathlib.Path(os.environ.get("CCGRAPH_BIN") or
                   pathlib.Path(os.environ.get("CCGRAPH_BUILD", ROOT / "build" / "release")) / "bin").resolve()
SUITE = ROOT / "tests" / "data" / "suite"
BUDGET_NOT_MET = 3
SIMPLIFY = ("inline-control-deps,inline-subgraphs,functionalize-collectives,deduplicate-collectives,"
            "eliminate-dead-collectives")
# flags of ccgraph-gen
GENERATED = ["llama3-8b --tp 8", "llama3-8b --fsdp 64", "llama3-70b --tp 8 --fsdp 32", "llama3-405b --tp 8 --fsdp 64",
             "deepseek-v3-16b --fsdp 64 --ep 64", "mixtral-8x7b --fsdp 8 --ep 8"]


class Run:
    """The exit status, the JSON summary and the processor seconds of one run, which other work of the machine affects
    less than elapsed time."""

    def __init__(self, code: int, report: dict, seconds: float):
        self.code, self.report, self.seconds = code, report, seconds

    @property
    def isMet(self) -> bool:
        return self.code != BUDGET_NOT_MET

    def ms(self, side: str, key: str = "step_ns") -> float:
        """Returns the predicted milliseconds; `side`: before or after."""
        return self.report["predicted"][side][key] / 1e6

    def bound(self, name: str) -> float:
        """Returns a bound in milliseconds."""
        return self.report["predicted"]["bounds"][name]["ns"] / 1e6

    def peak(self, side: str) -> int:
        return self.report[side]["peak_bytes"]


def optimized(words: list[str], mayMiss: bool = False) -> Run:
    """Runs ccgraph-opt with these arguments. Raises RuntimeError if it fails; `mayMiss`: except that no schedule meets
    the memory budget."""
    begin = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run([str(BIN / "ccgraph-opt"), *words, "--json", "-o", os.devnull], capture_output=True,
                          text=True, check=False)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begin
    if done.returncode != 0 and not (mayMiss and done.returncode == BUDGET_NOT_MET):
        raise RuntimeError(f"exit {done.returncode} of ccgraph-opt {' '.join(words)}\n{done.stderr.strip()}")
    return Run(done.returncode, json.loads(done.stdout), seconds)


def generate(flags: str, path) -> None:
    """Writes the graph that ccgraph-gen makes with these flags."""
    subprocess.run([str(BIN / "ccgraph-gen"), *flags.split(), "-o", str(path)], check=True, capture_output=True)


def captured(folder: pathlib.Path) -> list[str]:
    """Returns the arguments of ccgraph-opt for a captured step with measured durations; its files may be compressed."""
    def file(name: str) -> str:
        plain = folder / name
        return str(plain if plain.exists() else plain.with_name(name + ".gz"))
    return [file("readable.py"), "--groups", file("facts.json"), "--durations", file("durations.tsv"), "--machine",
            "h100x8-ndr"]


def capturedSteps(suite: pathlib.Path = SUITE) -> list[pathlib.Path]:
    """Returns the folders of the captured steps, by name."""
    return sorted(path for path in pathlib.Path(suite).iterdir() if path.is_dir())
