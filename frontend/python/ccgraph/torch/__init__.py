"""ccgraph inside torch.compile, and on GraphModules.

    torch._inductor.config.post_grad_custom_post_pass = ccgraph.torch.Pass(machine="h100x8")
    step = torch.compile(step)
"""

from ._agree import RanksDiffer, RanksDisagree
from ._load import Unfilled, dump, load
from ._match import Unmatched
from ._pass import Pass, Refused, configure, optimize
from ._same import groups_of_process, placement, same_as
from ._unsupported import Unsupported

__all__ = ["Pass", "RanksDiffer", "RanksDisagree", "Refused", "Unfilled", "Unmatched", "Unsupported", "configure",
           "dump", "groups_of_process", "load", "optimize", "placement", "same_as"]
