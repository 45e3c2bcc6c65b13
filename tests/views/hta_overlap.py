#!/usr/bin/env python3
"""Checks that HolisticTraceAnalysis reads the trace of a predicted schedule, with the same totals.

    hta_overlap.py CCGRAPH_OPT GRAPH...

Its overlap of communication and computation, and its time without computation, are compared with those in
`otherData` of ccgraph-opt; every kernel must have its own launch.
"""
import json
import logging
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

os.environ["HTA_DISABLE_NS_ROUNDING"] = "1"
warnings.simplefilter("ignore")
from hta.trace_analysis import TraceAnalysis  # noqa: E402

logging.disable(logging.CRITICAL)


def differences(path: pathlib.Path) -> list[str]:
    ours = json.loads(path.read_text())["otherData"]
    analysis = TraceAnalysis(trace_files={0: str(path)}, trace_dir="")
    overlapped = ours["communicating_ns"] - ours["exposed_ns"]
    expected = 100 * overlapped / ours["communicating_ns"]
    overlap = analysis.get_comm_comp_overlap(visualize=False)["comp_comm_overlap_pctg"][0]
    times = analysis.get_temporal_breakdown(visualize=False).iloc[0]
    frame = analysis.t.get_trace(0)
    kernels = frame[frame["stream"] > 0]
    print(f"{path.name}: {len(kernels)} kernels, overlap {overlap} %, ours {expected:.2f} %")
    found = []
    if abs(overlap - expected) > 0.02:  # HTA prints two digits, and a trace has nanoseconds
        found.append(f"overlap is {overlap} %, expected {expected} %")
    for what, nanoseconds in (("compute_time(us)", ours["compute_ns"]), ("non_compute_time(us)", ours["exposed_ns"])):
        if abs(times[what] - nanoseconds / 1000) > 0.001 * len(kernels):
            found.append(f"{what} is {times[what]}, expected {nanoseconds / 1000}")
    if not (kernels["index_correlation"] > 0).all():
        found.append(f"{(kernels['index_correlation'] <= 0).sum()} kernels have no launch")
    return found


def main(tool: str, graphs: list[str]) -> int:
    status = 0
    with tempfile.TemporaryDirectory() as folder:
        for graph in graphs:
            name = pathlib.Path(graph)
            path = pathlib.Path(folder, f"{name.parent.name}.json")
            subprocess.run([tool, graph, "--trace", str(path)], check=True, stdout=subprocess.DEVNULL)
            for difference in differences(path):
                print(f"{graph}: error: {difference}")
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
