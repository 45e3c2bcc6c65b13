"""Determines which calls of which operators PyTorch's lists of samples make, and the forms in which each is made
again."""
import collections, contextlib, io, itertools, math, random, warnings

warnings.filterwarnings("ignore")
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils import _pytree as pytree

from opinfo_direct import direct_calls

DTYPES = {torch.uint8: "u8", torch.int8: "i8", torch.int16: "i16", torch.int32: "i32", torch.int64: "i64",
          torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32", torch.float64: "f64",
          torch.complex64: "c64", torch.complex128: "c128", torch.bool: "b8"}
BY_NAME = {name: dtype for dtype, name in DTYPES.items()}
FULL = [torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.int64, torch.int32, torch.uint8, torch.int8,
        torch.bool, torch.complex64]
SLICE = [torch.float32, torch.bfloat16, torch.int64, torch.uint8, torch.bool, torch.complex64]
MOST_ELEMENTS = 4096
# Operators of PyTorch that crash on infinite positions.
CRASHES = ("aten.grid_sampler", )


# --- Recording -------------------------------------------------------------------------------------------------------
def name_of(func):
    return f"{func.namespace}.{func._schema.name.split('::')[1]}.{func._overloadname}"


def tensors_of(tree):
    return [leaf for leaf in pytree.tree_leaves(tree) if isinstance(leaf, torch.Tensor)]


def is_plain(tensor):
    return (type(tensor) in (torch.Tensor, torch.nn.Parameter) and tensor.layout == torch.strided and
            tensor.device.type == "cpu" and tensor.dtype in DTYPES and not tensor.is_conj() and not tensor.is_neg() and
            not tensor.is_quantized and tensor.numel() <= MOST_ELEMENTS)


def duplicate(tree):
    """Returns copies of the tensors that share memory as the tensors do."""
    storages, seen = {}, {}

    def copy(tensor):
        if id(tensor) in seen:
            return seen[id(tensor)]
        with torch._C._DisableTorchDispatch():
            storage = tensor.untyped_storage()
            key = storage.data_ptr() or id(tensor)
            if key not in storages:
                storages[key] = storage.clone()
            result = torch.empty(0, dtype=tensor.dtype).set_(storages[key], tensor.storage_offset(), tensor.size(),
                                                             tensor.stride())
        seen[id(tensor)] = result
        return result
    return pytree.tree_map_only(torch.Tensor, copy, tree)


def signature(name, args, kwargs):
    def text(leaf):
        if isinstance(leaf, torch.Tensor):
            return f"{leaf.dtype}{tuple(leaf.size())}{leaf.stride()}"
        return repr(leaf)
    leaves, spec = pytree.tree_flatten((args, kwargs))
    return name + "|" + "|".join(map(text, leaves)) + repr(spec)


class Recorder(TorchDispatchMode):
    """Records the calls of known operators."""

    def __init__(self, known, most):
        super().__init__()
        self.known, self.most = known, most
        self.calls, self.seen, self.counts = [], set(), collections.Counter()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.record(func, args, kwargs or {})
        return func(*args, **(kwargs or {}))

    def record(self, func, args, kwargs):
        name = name_of(func)
        if name not in self.known:
            return
        tensors = tensors_of((args, kwargs))
        if not all(map(is_plain, tensors)):
            return
        kind = (name, tensors[0].dtype if tensors else None)
        key = signature(name, args, kwargs)
        if self.counts[kind] >= self.most or key in self.seen:
            return
        self.seen.add(key)
        self.counts[kind] += 1
        self.calls.append((func, *duplicate((args, kwargs)), "plain"))


@contextlib.contextmanager
def quiet():
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        yield


def run_sample(op, sample, recorder, differentiable):
    args, kwargs = (sample.input, *sample.args), sample.kwargs

    def attempt(function, *a, **k):
        try:
            with recorder, quiet():
                return function(*a, **k)
        except Exception:  # a sample of an error, or of a form that the operator lacks, is not a call
            return None
    with torch.no_grad():
        result = attempt(op, *duplicate(args), **duplicate(kwargs))
        if isinstance(result, torch.Tensor):
            attempt(op, *duplicate(args), **duplicate(kwargs), out=torch.empty_like(result))
        inplace = getattr(op, "inplace_variant", None)
        if inplace:
            attempt(inplace, *duplicate(args), **duplicate(kwargs))
    with torch.inference_mode():
        attempt(op, *duplicate(args), **duplicate(kwargs))
    if differentiable:
        leaves = pytree.tree_map_only(torch.Tensor, lambda t: t.detach().clone().requires_grad_(t.is_floating_point()),
                                      (args, kwargs))

        def backward():
            results = [r for r in tensors_of(op(*leaves[0], **leaves[1])) if r.requires_grad]
            torch.autograd.backward(results, [torch.rand_like(r) for r in results])
        attempt(backward)


def operators():
    from opinfo_samples import lists
    for name in ("op_db", "foreach_unary_op_db", "foreach_binary_op_db", "foreach_pointwise_op_db",
                 "foreach_reduce_op_db",
                 "foreach_other_op_db"):
        yield from getattr(lists, name, [])


def samples_of(op, dtype, most):
    try:
        if dtype not in op.supported_dtypes("cpu"):
            return
        for sample in itertools.islice(op.sample_inputs("cpu", dtype, requires_grad=False), most):
            if all(map(is_plain, tensors_of((sample.input, sample.args, sample.kwargs)))):
                yield sample
    except Exception:
        return


def overload_of(target):
    namespace, packet, overload = target.split(".")
    return getattr(getattr(getattr(torch.ops, namespace), packet), overload)


def record_all(known, dtypes, options):
    recorder = Recorder(known, options.calls)
    for op in operators():
        for dtype in dtypes:
            torch.manual_seed(0)
            random.seed(0)
            for sample in samples_of(op, dtype, options.samples):
                run_sample(op, sample, recorder, dtype in (torch.float32, torch.float64, torch.bfloat16))
    for dtype in dtypes:
        for target, args, kwargs in direct_calls(dtype):
            recorder.record(overload_of(target), args, kwargs)
    return recorder.calls


# --- Variants --------------------------------------------------------------------------------------------------------
# No number is so large that a step in between overflows: the reference computes in f64 and rounds once.
SPECIAL = [math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, -1.0, 0.5, 100.0, -3.5]


def scattered(tensor):
    """Returns the same values in every second element of a larger block of memory, last dimension outermost."""
    if tensor.dim() == 0 or tensor.numel() == 0:
        return tensor
    order = list(range(tensor.dim()))[::-1]
    wide = torch.zeros([tensor.size(d) for d in order[:-1]] + [tensor.size(order[-1]) * 2 + 1], dtype=tensor.dtype)
    view = wide[..., 1::2].permute([order.index(d) for d in range(tensor.dim())])
    return view.copy_(tensor)


def with_specials(tensor):
    if not tensor.is_floating_point() or tensor.numel() == 0:
        return tensor
    values = torch.tensor(SPECIAL, dtype=torch.float64)
    picked = values[torch.arange(tensor.numel()) % len(SPECIAL)].reshape(tensor.size()).to(tensor.dtype)
    keep = (torch.arange(tensor.numel()) % 3 == 1).reshape(tensor.size())
    return torch.where(keep, tensor, picked)


def shares_memory(tensors):
    return len({t.untyped_storage().data_ptr() for t in tensors}) < len(tensors)


def variants(call):
    func, args, kwargs, _ = call
    yield call
    tensors = tensors_of((args, kwargs))
    if not tensors or shares_memory(tensors):
        return
    forms = [("strided", scattered)]
    if not name_of(func).startswith(CRASHES):
        forms.append(("special", with_specials))
    for name, change in forms:
        changed = pytree.tree_map_only(torch.Tensor, change, (args, kwargs))
        if any(a is not b for a, b in zip(tensors, tensors_of(changed))):
            yield (func, *changed, name)
