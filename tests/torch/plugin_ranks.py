#!/usr/bin/env python3
"""Tests the agreement of two ranks about graphs that are not compiled: the resulting graph of each rank, and its
warnings or exceptions."""
import datetime, json, os, pathlib, subprocess, sys, tempfile, time, warnings


def seen_by(rank, what, mine, broken=False):
    """Returns the checks that the pass inserted into a graph, after a check of the rest."""
    import ccgraph.torch
    from plugin_speed import graph_of

    gm = graph_of(4)
    text = str(gm.graph)
    made = ccgraph.torch.Pass(memory_budget="unlimited", patience=400, deadline=400, **mine)
    if broken:
        made._plan = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made(gm.graph)
    gm.graph.lint()
    launches = sum("into_tensor" in str(node.target) or "reduce_scatter" in str(node.target) for node in gm.graph.nodes)
    warned = [each.category.__name__ for each in caught if "ccgraph" in str(each.category)]
    checks = [node.args[1] for node in gm.graph.nodes if "ccgraph" in str(node.target)]
    found = {"launches": launches, "warned": warned, "checks": len(checks), "same": str(gm.graph) == text}
    print(rank, what, found, flush=True)
    return found, checks


def disagree(digest):
    """Returns the text of the error before the first run; "" if there is none."""
    import ccgraph.torch
    from ccgraph.torch import _agree

    try:
        _agree.before_first_run(digest, 400)
    except ccgraph.torch.RanksDisagree as error:
        return str(error)
    return ""


def run(rank, folder):
    import torch.distributed as dist
    import plugin_speed
    from one_thread_gloo import init_process_group

    plugin_speed.RANKS = 2
    init_process_group(dist.FileStore(f"{folder}/store", 2), rank, 2, datetime.timedelta(seconds=200))
    kept = {"launches": 8, "checks": 0, "same": False}
    found, (digest,) = seen_by(rank, "both decide alike", {})
    assert found["launches"] < 8 and not found["warned"] and not disagree(digest)
    found, _ = seen_by(rank, "rank 1 fails", {}, broken=rank == 1)
    assert found == {**kept, "warned": ["Refused"],
                     "same": True} if rank == 1 else found == {**kept, "warned": ["RanksDiffer"]}, found
    found, _ = seen_by(rank, "rank 1 has other passes", {"pipeline": "-O1"} if rank == 1 else {})
    assert found == {**kept, "warned": ["RanksDiffer"]}, found
    found, _ = seen_by(rank, "rank 1 says ranks_differ", {"ranks_differ": True} if rank == 1 else {})
    assert found == {**kept, "warned": ["RanksDiffer"] if rank == 0 else []}, found
    found, _ = seen_by(rank, "both say ranks_differ", {"ranks_differ": True})
    assert found == {**kept, "warned": []}, found
    if rank == 0:  # its compile cache belongs to another job, so it runs while rank 1 compiles
        error = disagree(json.dumps({**json.loads(digest), "decision": "of another job"}))
    else:
        time.sleep(1)
        error = disagree(seen_by(rank, "beside a warm cache", {"pipeline": "-O1"})[1][0])
    assert f"rank {1 - rank} issues" in error and "TORCHINDUCTOR_CACHE_DIR" in error, error
    os._exit(0)  # threads of gloo may outlive the interpreter


def main():
    here = str(pathlib.Path(__file__).resolve())
    with tempfile.TemporaryDirectory() as folder:
        ranks = [subprocess.Popen([sys.executable, here, str(rank), folder]) for rank in range(2)]
        return any([rank.wait(timeout=500) for rank in ranks])


if __name__ == "__main__":
    sys.exit(run(int(sys.argv[1]), sys.argv[2]) if len(sys.argv) > 1 else main())
