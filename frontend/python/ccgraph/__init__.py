"""ccgraph: overlaps the communication of a training step with its computation, and proves the rewrite.

Files, without PyTorch:
    graph = ccgraph.read("step.log")
    ccgraph.optimize(graph)
    ccgraph.write(graph, "step.json")
    if not ccgraph.check_job(["rank0.py", "rank1.py"], groups="groups.json"): ...
Inside torch.compile: see ccgraph.torch.
"""

from ._check import Checked, check_contract, check_job, contract_of, optimize_job
from ._graph import Graph, Report, optimize, read, read_bytes, report, verify, write
from ._library import CheckError, DefectError, Diagnostic, Error, InputError, UsageError, lib
from ._steps import Numerics, Placements, SameStep, infer_placements, numerics, same_as

__version__: str = lib.ccgraph_version().decode()
__all__ = ["CheckError", "Checked", "DefectError", "Diagnostic", "Error", "Graph", "InputError",
           "Numerics", "Placements", "Report", "SameStep", "UsageError", "check_contract", "check_job", "contract_of",
           "infer_placements", "numerics", "optimize", "optimize_job", "read", "read_bytes", "report", "same_as",
           "verify", "write"]
