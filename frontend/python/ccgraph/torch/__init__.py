"""ccgraph inside torch.compile, and on GraphModules.

    torch._inductor.config.post_grad_custom_post_pass = ccgraph.torch.Pass(machine="h100x8")
    step = torch.compile(step)
"""

from ._agree import RanksDisagree
from ._flat import Unsupported
from ._load import Unfilled, dump, load
from ._match import Unmatched
from ._pass import Pass, Refused, configure, optimize

__all__ = ["Pass", "RanksDisagree", "Refused", "Unfilled", "Unmatched", "Unsupported", "configure", "dump", "load", "optimize"]
