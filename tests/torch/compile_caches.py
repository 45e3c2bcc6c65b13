"""What PyTorch's compiler stores between processes of these tests: the C++ kernels that it compiled, and no graphs.

Compiling kernels takes most of the time of a test with torch.compile, and many tests compile the same ones. They are
stored in TORCHINDUCTOR_CACHE_DIR, which ctest sets. Graphs and profiles are not stored, because ccgraph's pass sees
only a graph that is compiled, and a profile of an earlier run changes which sizes are symbolic."""
import os, pathlib, shutil

SWITCHES = ("TORCHINDUCTOR_FX_GRAPH_CACHE", "TORCHINDUCTOR_AUTOGRAD_CACHE", "TORCH_DYNAMO_AUTOMATIC_DYNAMIC_LOCAL_PGO")
KERNELS_ONLY = dict.fromkeys(SWITCHES, "0")


def everything_in(folder):
    """Returns the environment that stores graphs and kernels in a folder; a new one begins with the kernels so far."""
    kernels = os.environ.get("TORCHINDUCTOR_CACHE_DIR")
    if kernels and pathlib.Path(kernels).is_dir() and not pathlib.Path(folder).exists():
        shutil.copytree(kernels, folder)
    return {**dict.fromkeys(SWITCHES, "1"), "TORCHINDUCTOR_CACHE_DIR": str(folder)}
