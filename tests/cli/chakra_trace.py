#!/usr/bin/env python3
"""Reads the Chakra execution traces that ccgraph-opt writes, runs their dependences, and compares: chakra_trace.py BIN

The reader knows only the encoding of protobuf and the numbers of et_def.proto. On a machine without contention, the
longest chain of a trace is the predicted step, and its collectives are those of the summary."""
import collections, json, os, subprocess, sys, tempfile

GRAPHS = ["llama3-8b --layers 2 --seq 1024 --fsdp 16 --part step", "llama3-8b --layers 2 --seq 1024 --fsdp 2 --tp 8",
          "mixtral-8x7b --layers 2 --seq 1024 --fsdp 16 --ep 8 --recompute full --zero 3"]
TYPES = {4: "compute", 5: "send", 6: "recv", 7: "collective"}
KINDS = {0: "all_reduce", 2: "all_gather", 5: "broadcast", 6: "all_to_all", 7: "reduce_scatter"}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    """Returns {field: [values]} of a message: numbers, or bytes."""
    found, at = collections.defaultdict(list), 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        elif tag & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size, "a field beyond the end of its message"
        else:
            raise ValueError(f"wire type {tag & 7}")
        found[tag >> 3].append(value)
    return found


def packed(values):
    numbers = []
    for data in values:
        at = 0
        while at < len(data):
            value, at = varint(data, at)
            numbers.append(value)
    return numbers


def messages(data):
    at = 0
    while at < len(data):
        size, at = varint(data, at)
        yield fields(data[at:at + size])
        at += size


def read(path):
    with open(path, "rb") as file:
        metadata, *nodes = messages(file.read())
    assert metadata[1] == [b"0.0.4"], metadata
    trace = []
    for node in nodes:
        attributes = {}
        for attribute in map(fields, node[10]):
            name = attribute[1][0].decode()
            attributes[name] = (attribute[9] or attribute[27] or attribute[29] or
                                [packed(fields(attribute[10][0])[1])])[0]
        trace.append({"id": node[1][0], "name": node[2][0].decode(), "type": TYPES[node[3][0]],
                      "after": packed(node[4]) + packed(node[5]), "us": (node[7] or [0])[0], "attributes": attributes})
    return trace


def longest_chain(trace):
    ends = {}
    for node in trace:
        ends[node["id"]] = max((ends[i] for i in node["after"]), default=0) + node["attributes"]["duration_ps"]
    return max(ends.values())


def transfers(environment):
    """Returns what is wrong with the transfers of a pipeline of 2 x 4 ranks: rank 0 sends to rank 4, which receives."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(f"ccgraph-gen llama3-8b --layers 2 --seq 64 --fsdp 4 --pp 2 --microbatches 3 -o {folder}/job && "
                       f"ccgraph-opt {folder}/job/pp0.json -O1 --emit chakra -o {folder}/a.et", shell=True, check=True,
                       env=environment, stdout=subprocess.PIPE)
        trace = read(f"{folder}/a.et")
    found = collections.Counter((n["type"], n["attributes"].get("comm_dst", n["attributes"].get("comm_src")),
                                 n["attributes"]["comm_size"]) for n in trace if n["type"] in ("send", "recv"))
    size = 64 * 4096 * 2  # bf16[1, 64, 4096]
    expected = {("send", 4, size): 3, ("recv", 4, size): 3}
    return [] if found == expected else [f"transfers {found}, expected {expected}"]


def main():
    environment = dict(os.environ, PATH=sys.argv[1] + os.pathsep + os.environ["PATH"])
    failures = transfers(environment)
    for graph in GRAPHS:
        for level in "12":
            with tempfile.TemporaryDirectory() as folder:
                command = (f"ccgraph-gen {graph} | ccgraph-opt - -O{level} --machine h100x8-ndr --json "
                           f"-o {folder}/step.et")
                summary = json.loads(subprocess.run(command, shell=True, check=True, env=environment,
                                                    stdout=subprocess.PIPE).stdout)
                trace = read(f"{folder}/step.et")
            expected = summary["predicted"]["after"]["step_ns"]
            got = longest_chain(trace) // 1000
            if got != expected:
                failures.append(f"{graph} -O{level}: the longest chain is {got} ns, and the step {expected} ns")
            launches = collections.Counter()
            for row in summary["after"]["collectives"]:
                launches[row["kind"], row["group"]] += row["launches"]
            found = collections.Counter((KINDS[n["attributes"]["comm_type"]], n["attributes"]["pg_name"].decode())
                                        for n in trace if n["type"] == "collective")
            if found != launches:
                failures.append(f"{graph} -O{level}: {found}, expected {launches}")
            for node in trace:
                exact = node["attributes"]["duration_ps"]
                if abs(node["us"] * 10**6 - exact) > 5 * 10**5 or any(i >= node["id"] for i in node["after"]):
                    failures.append(f"{graph} -O{level}: {node}")
                if node["type"] == "collective" and len(node["attributes"]["pg_ranks"]) not in (2, 8, 16):
                    failures.append(f"{graph} -O{level}: ranks of {node}")
    print("\n".join(failures[:10]) or f"{2 * len(GRAPHS)} traces give the predicted steps")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
