"""Makes one call by PyTorch and by ccgraph's kernel, and compares the results."""
import json, math, os, re, subprocess, tempfile
import torch

from opinfo_calls import BY_NAME, DTYPES, duplicate, is_plain, name_of, quiet, tensors_of
from opinfo_other_answers import other_answers, same_value_elsewhere
from opinfo_rules import PLACES, UNDEFINED, UP_TO_SIGN, tolerance_of


class Unsupported(Exception):
    pass


# --- Writing a call, and reading what came of it
# -----------------------------------------------------------------------
def bytes_of(storage):
    return torch.empty(0, dtype=torch.uint8).set_(storage).numpy().tobytes() if storage.nbytes() else b""


class Encoder:
    def __init__(self):
        self.tensors, self.storages, self.index = [], [], {}

    def number(self, tensor):
        for i, known in enumerate(self.tensors):
            if known is tensor:
                return i
        self.tensors.append(tensor)
        return len(self.tensors) - 1

    def storage(self, tensor):
        storage = tensor.untyped_storage()
        key = storage._cdata
        if key not in self.index:
            self.index[key] = len(self.storages)
            self.storages.append(storage)
        return self.index[key]

    def value(self, value):
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int):
            return {"i": value}
        if isinstance(value, float):
            return {"f": repr(value)}
        if isinstance(value, complex):
            return {"c": [repr(value.real), repr(value.imag)]}
        if isinstance(value, str):
            return {"s": value}
        if isinstance(value, torch.Tensor):
            return {"t": self.number(value)}
        if isinstance(value, (list, tuple)):
            return {"l": [self.value(v) for v in value]}
        if isinstance(value, torch.dtype) and value in DTYPES:
            return {"d": DTYPES[value]}
        if isinstance(value, torch.device):
            return {"device": "cpu"}
        if isinstance(value, (torch.memory_format, torch.layout)):
            return {"s": str(value).split(".")[1]}
        raise Unsupported(repr(value))


def encode_call(call, blob):
    func, args, kwargs, _ = call
    encoder = Encoder()
    line = {"target": name_of(func), "args": [encoder.value(a) for a in args],
            "kwargs": {k: encoder.value(v) for k, v in kwargs.items()}}
    line["tensors"] = [[DTYPES[t.dtype], list(t.size()), list(t.stride()), t.storage_offset(), encoder.storage(t)]
                       for t in encoder.tensors]
    line["storages"] = []
    for storage in encoder.storages:
        content = bytes_of(storage)
        line["storages"].append([blob.tell(), len(content)])
        blob.write(content)
    return line, encoder


class Answer:
    """The result of a call: a tree of values in which a tensor is its number, and the tensors with the numbers of
    their storages."""

    def __init__(self, result, tensors):
        self.result, self.tensors = result, tensors


def torch_answer(call):
    func, args, kwargs, _ = call
    encoder = Encoder()
    encoder.value(args), encoder.value(list(kwargs.values()))
    before = len(encoder.tensors)
    for tensor in encoder.tensors:
        encoder.storage(tensor)
    with torch.no_grad(), quiet():
        result = encoder.value(func(*args, **kwargs))
    tensors = [(t, encoder.storage(t)) for t in encoder.tensors]
    return Answer(result, tensors), before


def our_answer(line, outputs):
    storages = [outputs[start:start + length] for start, length in line["storages"]]
    tensors = []
    for dtype, sizes, strides, offset, storage in line["tensors"]:
        if dtype not in BY_NAME:
            raise Unsupported(dtype)
        memory = torch.frombuffer(bytearray(storages[storage]),
                                  dtype=torch.uint8) if storages[storage] else torch.empty(
            0, dtype=torch.uint8)
        tensor = torch.empty(0, dtype=BY_NAME[dtype]).set_(memory.untyped_storage(), offset, sizes, strides)
        tensors.append((tensor, storage))
    return Answer(line["result"], tensors)


# --- Comparing -------------------------------------------------------------------------------------------------------
def strides_that_count(tensor):
    return [s for s, n in zip(tensor.stride(), tensor.size()) if n > 1] if tensor.numel() else []


def compare_tensors(target, expected, got, defined):
    """Returns the difference as text, and which elements differ if it is their values."""
    if expected.dtype != got.dtype:
        return "dtype", f"{DTYPES.get(expected.dtype)} expected, got {DTYPES[got.dtype]}", None
    if expected.size() != got.size():
        return "sizes", f"{list(expected.size())} expected, got {list(got.size())}", None
    if strides_that_count(expected) != strides_that_count(got):
        return "strides", f"{list(expected.size())} {list(expected.stride())} expected, got {list(got.stride())}", None
    if not defined or expected.numel() == 0:
        return None
    if any(re.fullmatch(pattern, target) for pattern in UP_TO_SIGN):
        expected, got = expected.abs(), got.abs()
    exact = not expected.dtype.is_floating_point and not expected.dtype.is_complex
    rtol, atol = (0, 0) if exact else tolerance_of(target, DTYPES[expected.dtype])
    wrong = ~torch.isclose(got, expected, rtol=rtol, atol=atol, equal_nan=True).flatten()
    if not wrong.any():
        return None
    i = int(wrong.nonzero()[0])
    return "values", (f"element {i} of {list(expected.size())}: {expected.flatten()[i].item()} expected, "
                      f"got {got.flatten()[i].item()} ({int(wrong.sum())} differ)"), wrong


def walk(a, b, number_pairs):
    """Yields pairs of tensor numbers of two results; returns a text if their forms differ."""
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        (kind, x), = a.items()
        y = b[kind]
        if kind == "t":
            number_pairs.append((x, y))
            return None
        if kind == "l":
            if len(x) != len(y):
                return f"{len(x)} results expected, got {len(y)}"
            return next((w for w in (walk(p, q, number_pairs) for p, q in zip(x, y)) if w), None)
        if kind == "f":
            x, y = float(x), float(y)
            return None if math.isclose(x, y, rel_tol=1e-6) or (x != x and y != y) else f"{x} expected, got {y}"
        if kind == "c":
            return next((w for w in (walk({"f": p}, {"f": q}, number_pairs) for p, q in zip(x, y)) if w), None)
    if isinstance(a, dict) and a.get("l") == [] and b is None or isinstance(b, dict) and b.get("l") == [] and a is None:
        return None
    return None if a == b else f"{a} expected, got {b}"


def counterpart(expected, other, number, arguments):
    """Returns the number that tensor `number` of one answer has in another answer to the same call."""
    pairs = []
    walk(expected.result, other.result, pairs)
    return number if number < arguments else dict(pairs).get(number, number)


def compare(call, target, expected, got, arguments, objects=True):
    """Returns (kind, message, reason if PyTorch itself gives ccgraph's values in other circumstances), or None.
    `objects`: compare also which result is an argument itself, rather than only its memory."""
    pairs, others = [], None
    if wrong := walk(expected.result, got.result, pairs):
        return "form", wrong, None
    partner, reason = {}, None
    for a, b in [(i, i) for i in range(arguments)] + pairs:
        (x, x_storage), (y, y_storage) = expected.tensors[a], got.tensors[b]
        if objects and (a < arguments or b < arguments) and a != b:
            return "object", f"result is {'argument ' + str(a) if a < arguments else 'a new tensor'}, got " + (
                f"argument {b}" if b < arguments else "a new one"), None
        defined = not any(re.fullmatch(pattern, target) for pattern in UNDEFINED)
        if a >= arguments and (a, b) == pairs[-1] and any(re.fullmatch(pattern, target) for pattern in PLACES):
            defined = False
        if wrong := compare_tensors(target, x, y, defined):
            kind, message, where = wrong
            if where is not None and others is None:
                others = list(other_answers(call, torch_answer))
            counterparts = [(name, answer, counterpart(expected, answer, a, arguments)) for name, answer in others
                            or []]
            why = same_value_elsewhere(target, y, where, counterparts) if kind == "values" else None
            if not why:
                return kind, ("argument afterwards: " if a < arguments else "") + message, None
            reason = reason or (message, why)
        if x.numel() and partner.setdefault(x_storage, y_storage) != y_storage:
            return "memory", "a tensor shares memory with another one than it should", None
        if x.numel() and x_storage not in list(partner)[:-1] and list(partner.values()).count(y_storage) > 1:
            return "memory", "tensors share memory that should not", None
    return ("values", *reason) if reason else None


def ask(tool, folder):
    """Returns the tool's answers to the calls that were written to the folder: one line each, and the memory to which
    they refer."""
    paths = [os.path.join(folder, name) for name in ("calls", "values", "results", "outputs")]
    subprocess.run([*tool, *paths], check=True)
    with open(paths[2]) as lines, open(paths[3], "rb") as outputs:
        return [json.loads(line) for line in lines], outputs.read()


def write_calls(calls, folder):
    """Writes the calls that PyTorch accepts; returns (call, line, its answer, number of tensors among the arguments)
    for each."""
    expected = []
    with open(os.path.join(folder, "calls"), "w") as lines, open(os.path.join(folder, "values"), "wb") as blob:
        for call in calls:
            try:
                own = (call[0], *duplicate(call[1:3]), call[3])
                line, _ = encode_call(own, blob)
                answer, arguments = torch_answer(own)
            except Exception:  # a call that PyTorch refuses is not compared
                continue
            if not all(is_plain(tensor) for tensor, _ in answer.tensors):
                continue
            lines.write(json.dumps(line) + "\n")
            expected.append((call, line, answer, arguments))
    return expected


def dtype_of(call):
    tensors = tensors_of(call[1:3])
    return DTYPES[tensors[0].dtype] if tensors else "-"


def run_chunk(tool, calls, objects=True):
    """Yields (target, dtype, variant, kind of difference or None, message, line, reason if PyTorch itself gives
    ccgraph's values in other circumstances)."""
    with tempfile.TemporaryDirectory() as folder:
        expected = write_calls(calls, folder)
        results, outputs = ask(tool, folder)
        for (call, line, answer, arguments), result in zip(expected, results):
            target, dtype = line["target"], dtype_of(call)
            if "error" in result:
                yield target, dtype, call[3], "refused", result["error"], line, None
                continue
            kind, message, why = compare(call, target, answer, our_answer(result, outputs), arguments,
                                         objects) or (None, "", None)
            yield target, dtype, call[3], kind, message, line, why
