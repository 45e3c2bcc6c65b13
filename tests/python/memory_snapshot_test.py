#!/usr/bin/env python3
"""Tests ccgraph-opt --snapshot: memory_snapshot_test.py TOOLS.

Snapshots are written here with the keys that the documentation of torch.cuda.memory._snapshot() states, as a pickle and
as JSON. The tool must state the peak, and the differences to the memory of the graph with their reasons. A pickle that
does more than build data must be refused before anything of it runs."""
import json, os, pickle, subprocess, sys, tempfile

TOOLS = os.path.abspath(sys.argv[1])
# x and w are inputs of 64 KiB; mm, relu and add have as much. At add, x, w, relu and add are alive.
VALUE = '"f32[128, 128][128, 1]cuda:0"'
KIB64 = 128 * 128 * 4
GRAPH = f'''class graph(torch.nn.Module):
    def forward(self, x: {VALUE}, w: {VALUE}):
        mm: {VALUE} = torch.ops.aten.mm.default(x, w)
        relu: {VALUE} = torch.ops.aten.relu.default(mm)
        add: {VALUE} = torch.ops.aten.add.Tensor(relu, x)
        return (add,)
'''
FRAMES = [{"filename": "??", "line": 0, "name": "torch::autograd"},
          {"filename": "/usr/lib/python3/site-packages/torch/optim/adam.py", "line": 3, "name": "init"},
          {"filename": "/home/me/train.py", "line": 12, "name": "step"}]


def block(address, size, requested=None, state="active_allocated", frames=()):
    made = {"address": address, "size": size, "state": state, "frames": list(frames)}
    return {**made, "requested_size": requested} if requested is not None else made


def event(action, address, size, frames=()):
    return {"action": action, "addr": address, "size": size, "stream": 0, "time_us": 5, "frames": list(frames)}


def snapshot():
    """The weights and a state of the optimizer are there before; a step allocates mm and add (relu is fused), and a
    workspace of 1,000 bytes, and frees them."""
    base = 0x7F0000000000
    blocks = [block(base, KIB64, KIB64), block(base + KIB64, KIB64, KIB64),
              block(base + 2 * KIB64, 2 * KIB64, 100_000, frames=FRAMES),
              block(base + 4 * KIB64, 2**21 - 4 * KIB64, state="inactive")]
    mm, add, work = base + 4 * KIB64, base + 5 * KIB64, base + 6 * KIB64
    trace = [event("alloc", mm, KIB64, FRAMES), event("alloc", work, 1000, FRAMES), event("alloc", add, KIB64, FRAMES),
             {"action": "snapshot", "frames": []}]
    for address, size in ((work, 1000), (mm, KIB64), (add, KIB64)):
        trace += [event("free_requested", address, size), event("free_completed", address, size)]
    return {"segments": [{"device": 0, "address": base, "total_size": 2**21, "allocated_size": 4 * KIB64,
                          "active_size": 4 * KIB64, "stream": 0, "segment_type": "small", "segment_pool_id": (0, 0),
                          "is_expandable": False, "blocks": blocks}],
            "device_traces": [trace, []], "allocator_settings": {"roundup_power2_divisions": {"256": 1}},
            "external_annotations": []}


def run(*arguments):
    done = subprocess.run([f"{TOOLS}/ccgraph-opt", *arguments], text=True, capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr


def write(path, data):
    with open(path, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())


def check_comparison(folder):
    graph = f"{folder}/graph.py"
    write(graph, GRAPH)
    for protocol in range(2, 6):
        write(f"{folder}/{protocol}.pickle", pickle.dumps(snapshot(), protocol=protocol))
    write(f"{folder}/json.json", json.dumps(snapshot()))
    first = None
    for name in ("2.pickle", "3.pickle", "4.pickle", "5.pickle", "json.json"):
        code, out, err = run(graph, "--snapshot", f"{folder}/{name}", "--json")
        assert code == 0, (name, err)
        it = json.loads(out)["memory_snapshot"]
        first = first or it
        assert it == first, name
    assert (it["event"], it["events"], it["segment_bytes"]) == (3, 9, 2**21), it
    assert it["requested_bytes"] == 4 * KIB64 + 100_000 + 1000 and it["predicted_bytes"] == 4 * KIB64, it
    assert it["rounding_bytes"] == (2 * KIB64 - 100_000) + 24, it
    parts = {entry["reason"]: entry for entry in it["differences"]}
    assert it["segment_bytes"] == it["predicted_bytes"] + it["rounding_bytes"] + it["unused_bytes"] + sum(
        entry["bytes"] for entry in parts.values()), it
    assert parts == {
        "allocated before the record, and of no size of this graph":
            {"reason": "allocated before the record, and of no size of this graph", "bytes": 100_000, "count": 1,
             "examples": ["train.py:12 in step"]},
        "of no size of this graph": {"reason": "of no size of this graph", "bytes": 1000, "count": 1,
                                     "examples": ["train.py:12 in step"]}}, parts
    code, out, _ = run(graph, "--snapshot", f"{folder}/5.pickle")
    for text in ("snapshot     device 0 has 2.0 MiB in segments at its peak, after 3 of 9 events",
                 "97.7 KiB more: 1 block", "(train.py:12 in step)"):
        assert code == 0 and text in out, (text, out)


def check_segments_alone(folder):
    """torch.cuda.memory_snapshot() returns the list of segments. Old ones state neither addresses nor requests."""
    segments = snapshot()["segments"]
    for made in segments[0]["blocks"]:
        del made["address"]
        made.pop("requested_size", None)
    write(f"{folder}/list.pickle", pickle.dumps(segments))
    code, out, err = run(f"{folder}/graph.py", "--snapshot", f"{folder}/list.pickle", "--json")
    assert code == 0, err
    it = json.loads(out)["memory_snapshot"]
    assert it["requested_bytes"] == 4 * KIB64 and it["rounding_bytes"] == 0 and it["events"] == 0, it


class Runs:
    """Writes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (self.path, "w")


def changed(change):
    made = snapshot()
    change(made)
    return made


def check_errors(folder):
    graph, path, proof = f"{folder}/graph.py", f"{folder}/bad.pickle", f"{folder}/proof"
    first = lambda made: made["segments"][0]
    trace = lambda made: made["device_traces"][0]
    for data, message in (
            (pickle.dumps(changed(lambda made: made.update(extra=Runs(proof)))), "which is no plain data"),
            (pickle.dumps(3), "expected a memory snapshot: a dictionary with 'segments' and 'device_traces'"),
            (pickle.dumps({"segments": [], "device_traces": []}), "a memory snapshot without any segment or event"),
            (pickle.dumps(changed(lambda made: first(made).pop("total_size"))), "'total_size' as a whole number"),
            (pickle.dumps(changed(lambda made: first(made)["blocks"][0].update(size=-1))),
             "'size' as a whole number that is not negative, got -1"),
            (pickle.dumps(changed(lambda made: first(made)["blocks"][0].update(state="odd"))),
             "'state' as one of active_allocated, active_awaiting_free, active_pending_free, inactive, got 'odd'"),
            (pickle.dumps(changed(lambda made: first(made)["blocks"][0].update(requested_size=2**30))),
             "at most the 65536 bytes of the block, got 1073741824"),
            (pickle.dumps(changed(lambda made: first(made).update(blocks=7))), "'blocks' as a list, got 7"),
            (pickle.dumps(changed(lambda made: made.update(segments=[4]))), "a segment as a dictionary, got 4"),
            (pickle.dumps(changed(lambda made: first(made).update(blocks=[4]))), "a block as a dictionary, got 4"),
            (pickle.dumps(changed(lambda made: made.update(device_traces=4))), "'device_traces' as a list, got 4"),
            (pickle.dumps(changed(lambda made: made.update(device_traces=[4]))),
             "the events of a device as a list, got 4"),
            (pickle.dumps(changed(lambda made: trace(made).append(4))), "an event as a dictionary, got 4"),
            (pickle.dumps(changed(lambda made: trace(made).append(event("grow", 1, 1)))),
             "'action' as one of alloc, free_requested, free_completed,"),
            (pickle.dumps(changed(lambda made: trace(made).append({"action": "alloc", "size": 1}))),
             "'addr' as a whole number"),
            (pickle.dumps(changed(lambda made: trace(made).extend([event("alloc", 64, 1)] * 2))),
             "allocates memory that is live already, so events are missing"),
            (pickle.dumps(snapshot())[:-40], "byte "),
            (b"", "bad.pickle"),
            (b'{"segments": [}', "bad.pickle:1:"),
            (b'{"segments": [{"address": 1, "total_size": 2}]}', "bad.pickle:1:")):
        write(path, data)
        code, out, err = run(graph, "--snapshot", path)
        assert code == 1 and not out and message in err, (message, code, out, err)
    assert not os.path.exists(proof)
    for arguments, code, message in (
            ((graph, "--snapshot", f"{folder}/none.pickle"), 1, "none.pickle"),
            ((graph, "--snapshot", path, "--verify-only"), 2, "--snapshot is part of the summary")):
        got, out, err = run(*arguments)
        assert got == code and not out and message in err, (arguments, got, out, err)


with tempfile.TemporaryDirectory() as work:
    for check in (check_comparison, check_segments_alone, check_errors):
        check(work)
