"""Checks the results of a run on a device: the tables of ccgraph_nccl_bench, and the trace of ccgraph-run."""
import json

BAR = 0.97          # of the speed of hand-written calls
LIVE, CAPTURED = 4, 8  # columns of ratios


def cells_of(text):
    for line in text.splitlines():
        if line.startswith("| "):
            yield [cell.strip() for cell in line.split("|")[1:-1]]


def slow_rows(table, ranks):
    """Returns a line for each collective that is slower than the limit permits."""
    rows = [cells for cells in cells_of(table) if len(cells) == 11
            and cells[0] in ("all_reduce", "all_gather", "reduce_scatter", "all_to_all")]
    if not rows:
        yield f"no row of a collective on {ranks} ranks was measured"
    for cells in rows:
        for column, how in ((LIVE, ""), (CAPTURED, ", captured")):
            if not float(cells[column]) >= BAR:
                yield (f"{cells[0]} of {cells[1]} on {ranks} ranks{how}: {cells[column]} of the speed by hand, "
                       f"expected at least {BAR}")


def launch_problems(table, ranks):
    """Checks that a captured step is one launch."""
    rows = [cells for cells in cells_of(table) if cells[0] == "engine, captured"]
    if not rows:
        yield f"launches of a captured step on {ranks} ranks were not counted"
    for cells in rows:
        if cells[1] != "1":
            yield f"a captured step on {ranks} ranks takes {cells[1]} launches, expected 1"


def merged(intervals):
    joined = []
    for begin, end in sorted(intervals):
        if joined and begin <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([begin, end])
    return joined


def hidden_share(path):
    """Returns from a Chrome trace (microseconds in flight, the share of them that overlaps with computation), for the
    rank with most in flight."""
    with open(path, encoding="utf-8") as file:
        slices = [event for event in json.load(file)["traceEvents"] if event["ph"] == "X"]
    most = (0.0, 0.0)
    for rank in {event["pid"] for event in slices}:
        flights, steps = [], []
        for event in (event for event in slices if event["pid"] == rank):
            (flights if event["name"].startswith("ncclDevKernel")
             else steps).append((event["ts"], event["ts"] + event["dur"]))
        flights, steps = merged(flights), merged(steps)
        flying = sum(end - begin for begin, end in flights)
        hidden = sum(max(0, min(a[1], b[1]) - max(a[0], b[0])) for a in flights for b in steps)
        most = max(most, (flying, hidden / flying if flying else 0.0))
    return most
