#!/usr/bin/env python3
"""Compares every kernel of ccgraph's interpreter with PyTorch itself.

PyTorch's own lists of samples (torch.testing._internal: OpInfo) are run on the CPU, forward and backward,
functional, in place and with `out`; every ATen call in them for which ccgraph has a kernel is recorded. Each
distinct call is made again in several forms (unchanged, not contiguous, with NaN and infinities), by PyTorch and by
`ccgraph_kernel_calls`. Dtype, sizes, strides, values, results that share memory or are an argument, and changes of
the arguments are compared.

    opinfo.py TOOL              the full table as Markdown
    opinfo.py TOOL --slice      fewer samples of fewer dtypes: a test
    opinfo.py TOOL --only ADD   only kernels whose name holds ADD; prints every difference
"""
import argparse, collections, re, subprocess, sys
import torch

import opinfo_calls
from opinfo_calls import BY_NAME, FULL, SLICE, name_of, record_all, variants
from opinfo_compare import run_chunk
from opinfo_rules import explained

# --- The table -------------------------------------------------------------------------------------------------------
def shown(line):
    def value(v):
        if isinstance(v, dict):
            (kind, x), = v.items()
            if kind == "t":
                dtype, sizes, strides, _, _ = line["tensors"][x]
                return f"{dtype}{sizes}{strides}"
            return "[" + ", ".join(map(value, x)) + "]" if kind == "l" else str(x)
        return str(v)
    return ", ".join([*map(value, line["args"]), *(f"{k}={value(v)}" for k, v in line["kwargs"].items())])


def options_of(parser, slice_of=(6, 4)):
    """Reads the options. `slice_of`: the samples and calls of a slice."""
    parser.add_argument("tool")
    parser.add_argument("--slice", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--samples", type=int, default=40, help="of one operator and dtype")
    parser.add_argument("--calls", type=int, default=24, help="of one kernel and dtype, before variants")
    parser.add_argument("--dtypes")
    parser.add_argument("--ops", help="only OpInfos whose name matches")
    parser.add_argument("--show", type=int, default=3, help="differences of one kernel that are printed")
    options = parser.parse_args()
    if options.slice:
        options.samples, options.calls = slice_of
    return options


def asked_for(tool, options):
    """Returns the kernels of the tool that the options select, and all their calls."""
    torch.set_num_threads(1)
    known = set(subprocess.run([*tool, "--list"], check=True, capture_output=True, text=True).stdout.split())
    if options.only:
        known = {name for name in known if options.only in name}
    dtypes = SLICE if options.slice else FULL
    if options.dtypes:
        dtypes = [BY_NAME[name] for name in options.dtypes.split(",")]
    if options.ops:
        original = opinfo_calls.operators
        opinfo_calls.operators = lambda: (op for op in original() if re.fullmatch(options.ops, op.name))
    calls = record_all(known, dtypes, options)
    print(f"recorded {len(calls)} calls of {len({name_of(c[0]) for c in calls})} kernels", file=sys.stderr)
    return known, [v for call in calls for v in variants(call)]


def main():
    options = options_of(argparse.ArgumentParser())
    known, every = asked_for([options.tool], options)
    counts, differences, reasons = collections.Counter(), collections.defaultdict(list), collections.Counter()
    operators_seen = collections.defaultdict(set)
    for start in range(0, len(every), 2000):
        for target, dtype, variant, kind, message, line, why in run_chunk([options.tool], every[start:start + 2000]):
            counts[dtype] += 1
            operators_seen[target].add(dtype)
            if kind is None:
                continue
            reason = why or explained(target, dtype, kind, message, variant)
            if reason:
                reasons[reason, dtype] += 1
            else:
                differences[target].append((dtype, variant, kind, message, shown(line)))
    report(known, counts, differences, reasons, operators_seen, options)
    if not options.slice and not options.only:
        print("\nOperators of PyTorch's core set without a kernel (the interpreter draws random numbers itself): " +
              ", ".join(core_without_kernel(known)))
    return 1 if differences else 0


def core_without_kernel(known):
    """Returns the operators of PyTorch's core set that have no kernel."""
    for name in sorted(torch._C._dispatch_get_all_op_names()):
        namespace, _, rest = name.partition("::")
        packet, _, overload = rest.partition(".")
        target = f"{namespace}.{packet}.{overload or 'default'}"
        if namespace == "aten" and target not in known and hasattr(torch.ops.aten, packet):
            operator = getattr(getattr(torch.ops.aten, packet), overload or "default", None)
            if operator is not None and torch.Tag.core in operator.tags:
                yield target


def report(known, counts, differences, reasons, operators_seen, options):
    total = sum(counts.values())
    wrong = sum(map(len, differences.values()))
    print(f"{len(operators_seen)} kernels, {total:,} calls: {wrong} unexplained differences in {len(differences)} "
          "kernels, "
          f"{sum(reasons.values()):,} explained\n")
    by_dtype = collections.Counter(d[0] for ds in differences.values() for d in ds)
    by_reason = collections.defaultdict(collections.Counter)
    for (reason, dtype), count in reasons.items():
        by_reason[reason][dtype] += count
    print("| dtype of the first tensor | calls | differences | explained |\n|---|---:|---:|---:|")
    for dtype, count in sorted(counts.items()):
        print(f"| {dtype} | {count:,} | {by_dtype[dtype]} | {sum(c[dtype] for c in by_reason.values()):,} |")
    if by_reason:
        print("\n| explained: why | calls |\n|---|---:|")
        for reason, by in sorted(by_reason.items()):
            print(f"| {reason} | {sum(by.values()):,} |")
    if differences:
        print("\n| kernel | dtype | form | what | call |\n|---|---|---|---|---|")
        for target, rows in sorted(differences.items()):
            kinds = collections.Counter()
            for dtype, variant, kind, message, call in rows:
                kinds[dtype, kind] += 1
                if kinds[dtype, kind] <= options.show:
                    print(f"| {target} | {dtype} | {variant} | {kind}: {message} | {call[:300]} |")
    missing = sorted(known - set(operators_seen))
    if missing and not options.slice:
        print(f"\nKernels that no sample reaches ({len(missing)}): " + ", ".join(missing))


if __name__ == "__main__":
    sys.exit(main())
