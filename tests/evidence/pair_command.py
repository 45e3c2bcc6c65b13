"""The command that compares the parallel step of a folder with its single step (tests/data/README.md, `same-step/`)."""
import os, pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("CCGRAPH_BUILD", ROOT / "build/release"))
PAIRS = pathlib.Path(os.environ.get("CCGRAPH_PAIRS", ROOT / "tests/data/same-step"))


def sizes_flags():
    """Returns the flags that choose the sizes of an evaluation: CCGRAPH_SIZES is reduced, own or automatic."""
    return ["--sizes", os.environ["CCGRAPH_SIZES"]] if "CCGRAPH_SIZES" in os.environ else []


def numbered(folder, pattern):
    """Returns the files of a pattern, ordered by their number."""
    return sorted(folder.glob(pattern), key=lambda path: int("".join(filter(str.isdigit, path.name.split(".py")[0]))))


def readable(folder):
    return next(folder.glob("readable.py*"))


def command(case):
    """Returns the words; a text for each rank, and a table of groups for each rank, where the folder has them."""
    groups = numbered(case / "parallel", "groups.rank*.json") or [case / "facts.json"]
    graphs = numbered(case / "parallel", "rank*.py*") or [readable(case / "parallel")]
    return [str(BUILD / "bin/ccgraph-check"), "--same-as", str(readable(case / "single")), *map(str, graphs),
            "--groups", ",".join(map(str, groups)), "--placements", str(case / "io.json"), "--json",
            *sizes_flags()]


def placements_command(case):
    """Returns the words that infer the placements of the parallel step, which has no choice of sizes."""
    words = command(case)
    return [words[0], "--infer-placements", *words[3:words.index("--json") + 1]]
