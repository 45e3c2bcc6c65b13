#!/usr/bin/env python3
"""Runs every operator of two kernel providers in both, and compares the results.

The calls are those of opinfo.py: PyTorch's own lists of samples, unchanged, not contiguous, and with NaN and
infinities. PyTorch itself, the provider torch in memory of its own and in windows as engines offer them, and
builtin make each call. The provider's result is compared with each of the other three: dtype, sizes, strides,
values, results that share memory, and changes of the arguments. Tolerances and reasons are those of
opinfo_rules.py.

    providers.py TOOL              the full table as Markdown
    providers.py TOOL --slice      fewer samples of fewer dtypes: a test
    providers.py TOOL --only ADD   only kernels whose name holds ADD
"""
import argparse, collections, sys, tempfile

from opinfo import asked_for, options_of, report, shown
from opinfo_compare import ask, compare, dtype_of, our_answer, write_calls
from opinfo_rules import Reason, explained

PROVIDER = "torch"
# Cases in which the provider gives the same values as PyTorch and ccgraph's kernels, but in another form.
PROVIDERS_OWN = [
    Reason("the layout of a result of attention: the provider packs operands whose last dimension has gaps, beside "
           "which PyTorch's "
           "kernel would read, and the result is laid out like them; an engine copies it to where the plan says",
           r"aten\._scaled_dot_product_flash_attention_for_cpu\..*", kinds=("strides", ), variants=("strided", )),
]


def comparisons(call, line, arguments, answers):
    """Yields (whose answer, kind of difference or None, message, reason) for one call; an answer may share memory with
    another, but no objects."""
    target, variant = line["target"], call[3]
    provided = answers[PROVIDER]
    for name, answer in answers.items():
        if name == PROVIDER:
            continue
        if isinstance(provided, str) or isinstance(answer, str):
            refused = provided if isinstance(provided, str) else answer
            reason = explained(target, dtype_of(call), "refused", refused, variant)
            yield name, "refused", f"by {PROVIDER if provided is refused else name}: {refused}", reason
            continue
        kind, message, why = compare(call, target, provided, answer, arguments, objects=False) or (None, "", None)
        if kind and not why:
            why = next((r.why for r in PROVIDERS_OWN if r.holds(target, dtype_of(call), kind, message, variant)), None)
        if kind and not why and name == "builtin":
            why = explained(target, dtype_of(call), kind, message, variant)
        yield name, kind, message, why


def answers_of(tool, calls):
    """Yields (call, line, number of tensors among the arguments, provider -> answer, or the text of an error)."""
    with tempfile.TemporaryDirectory() as folder:
        expected = write_calls(calls, folder)
        ours = {name: ask([*tool, *options], folder) for name, options in (
            (PROVIDER, ["--provider", PROVIDER]), (f"{PROVIDER} in windows", ["--provider", PROVIDER, "--in-windows"]),
            ("builtin", []))}
    for i, (call, line, answer, arguments) in enumerate(expected):
        answers = {"PyTorch": answer}
        for name, (results, outputs) in ours.items():
            answers[name] = results[i]["error"] if "error" in results[i] else our_answer(results[i], outputs)
        yield call, line, arguments, answers


def main():
    # Each call is made four times, and opinfo.py compares the builtin kernels for more calls.
    options = options_of(argparse.ArgumentParser(), slice_of=(3, 2))
    known, every = asked_for([options.tool, "--provider", PROVIDER], options)
    counts, differences, reasons = collections.Counter(), collections.defaultdict(list), collections.Counter()
    operators_seen = collections.defaultdict(set)
    for start in range(0, len(every), 2000):
        for call, line, arguments, answers in answers_of([options.tool], every[start:start + 2000]):
            dtype = dtype_of(call)
            counts[dtype] += 1
            operators_seen[line["target"]].add(dtype)
            for name, kind, message, why in comparisons(call, line, arguments, answers):
                if why:
                    reasons[why, dtype] += 1
                elif kind:
                    differences[line["target"]].append((dtype, f"{call[3]}, {name}", kind, message, shown(line)))
    report(known, counts, differences, reasons, operators_seen, options)
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
