"""The order in which a graph is passed to the library: its own, or the order of Inductor's sort where a definition
follows a use.

Inductor calls a post-grad pass before it sorts the graph. Its own passes, such as the fusion of DDP's all_reduces,
leave nodes before the nodes that they read.
"""

from __future__ import annotations

from collections import defaultdict

from torch import fx

from ._unsupported import Unsupported


def _operands(node: fx.Node) -> list[fx.Node]:
    found: list[fx.Node] = []
    fx.node.map_arg((node.args, node.kwargs), found.append)
    return found


def _is_sorted(nodes: list[fx.Node]) -> bool:
    seen: set[fx.Node] = set()
    for node in nodes:
        if not seen.issuperset(node.all_input_nodes):
            return False
        seen.add(node)
    return True


def sorted_nodes(graph: fx.Graph) -> list[fx.Node]:
    """Returns the nodes in the order of torch._inductor.pattern_matcher.stable_topological_sort. The graph itself is
    not changed."""
    nodes = list(graph.nodes)
    return nodes if _is_sorted(nodes) else _stable_sort(nodes)


def _stable_sort(nodes: list[fx.Node]) -> list[fx.Node]:
    """Puts a node that precedes its operands directly after the last of them."""
    pending, ready = nodes[::-1], dict[fx.Node, None]()
    waiting: defaultdict[fx.Node, list[fx.Node]] = defaultdict(list)
    while pending:
        node = pending.pop()
        missing = [operand for operand in _operands(node) if operand not in ready]
        if missing:
            waiting[missing[-1]].append(node)
        else:
            ready[node] = None
            pending.extend(reversed(waiting.pop(node, ())))
    if waiting:
        names = ", ".join(sorted(node.name for each in waiting.values() for node in each)[:4])
        raise Unsupported(f"the graph has a cycle, or reads nodes of another graph: {names}")
    return list(ready)
