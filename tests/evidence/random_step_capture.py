"""Captures a step as a graph of aten operators, in the text that PyTorch prints (print_readable).

`capture` records what PyTorch's dispatcher executes on small tensors, below autograd, as make_fx does; it is some fifty
times faster, because no tensor is faked. `capture_by_make_fx` is PyTorch's own capture (CCGRAPH_MAKE_FX=1)."""
import builtins, os, re

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils._python_dispatch import TorchDispatchMode

DTYPES = {torch.float32: "f32", torch.float64: "f64", torch.int64: "i64", torch.int32: "i32", torch.bool: "b8",
          torch.uint8: "u8"}


def type_text(value):
    return f"{DTYPES[value.dtype]}{list(value.shape)}{list(value.stride())}{value.device}"


def collective_result(name, args):
    """Returns a tensor of the sizes that the collective returns."""
    x = args[0]
    if name == "all_reduce_coalesced":
        return [each.clone() for each in x]
    if name == "all_gather_into_tensor":
        return x.new_ones([x.shape[0] * args[1], *x.shape[1:]])
    if name == "reduce_scatter_tensor":
        return x.new_ones([x.shape[0] // args[2], *x.shape[1:]])
    return x.clone()


class Recorder(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.lines, self.names, self.kept, self.used, self.writers = [], {}, [], {}, set()

    @classmethod
    def _should_skip_dynamo(cls):
        """Nothing is compiled here; otherwise torch._dynamo is imported and wraps each call."""
        return False

    def fresh(self, word):
        count = self.used.get(word, 1 if hasattr(builtins, word) else 0)
        self.used[word] = count + 1
        return f"{word}_{count}" if count else word

    def note(self, value, name):
        self.names[id(value)] = name
        self.kept.append(value)  # so that no other tensor has its id

    def text(self, value):
        if isinstance(value, torch.Tensor):
            return self.names[id(value)]
        if isinstance(value, (list, tuple)):
            return "[" + ", ".join(map(self.text, value)) + "]"
        return repr(value)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs, packet = kwargs or {}, func.overloadpacket.__name__
        operands = [self.text(arg) for arg in args] + [f"{key} = {self.text(value)}" for key, value in kwargs.items()]
        if func.namespace == "_c10d_functional":
            result = args[0] if packet == "wait_tensor" else collective_result(packet, args)
            result = result.clone() if packet == "wait_tensor" else result
        else:
            result = func(*args, **kwargs)
        if packet == "detach":
            self.note(result, self.names[id(args[0])])
            return result
        name = self.fresh(packet)
        if func._schema.is_mutable:
            self.writers.add(name)
        call = f"torch.ops.{func.namespace}.{packet}.{func._overloadname}({', '.join(operands)})"
        if isinstance(result, torch.Tensor):
            self.lines.append((name, type_text(result), call))
            self.note(result, name)
            return result
        if not isinstance(result, (list, tuple)):
            return result  # a question such as is_same_size
        self.lines.append((name, "", call))
        for i, element in enumerate(result):
            if isinstance(element, torch.Tensor):
                item = self.fresh("getitem")
                self.lines.append((item, type_text(element), f"{name}[{i}]"))
                self.note(element, item)
        return result


def live(lines, results):
    """Removes what no result is computed from. `results`: with the names of the steps that write tensors."""
    needed, kept = set(results), []
    for name, kind, call in reversed(lines):
        if name in needed:
            kept.append((name, kind, call))
            needed |= set(re.findall(r"(?<![\w.'])[A-Za-z_]\w*", call))
    return kept[::-1]


def first_values(entry, shape, dtype):
    """Values for which no operator fails: indices below each table's length, and positive numbers."""
    return torch.zeros(shape, dtype=dtype) if dtype == torch.int64 else torch.full(shape, 0.5, dtype=dtype)


def capture(step):
    inputs = [first_values(*entry) for entry in step.inputs()]
    step.rank.kinds.clear()
    recorder = Recorder()
    for i, value in enumerate(inputs):
        recorder.note(value, f"arg{i}_1")
    with recorder:
        results = step(*inputs)
    names = [recorder.names[id(value)] for value in results]
    head = ", ".join(f'arg{i}_1: "{type_text(value)}"' for i, value in enumerate(inputs))
    body = "".join(f'        {name}: "{kind}" = {call}\n' if kind else f"        {name} = {call}\n"
                   for name, kind, call in live(recorder.lines, recorder.writers | set(names)))
    return f"class f(torch.nn.Module):\n    def forward(self, {head}):\n{body}        return [{', '.join(names)}]\n"


def capture_by_make_fx(step):
    with FakeTensorMode():
        inputs = [torch.empty(shape, dtype=dtype) for _, shape, dtype in step.inputs()]
        step.rank.kinds.clear()
        graph = make_fx(step)(*inputs)
    graph.graph.eliminate_dead_code()
    return graph.print_readable(print_output=False, include_stride=True, include_device=True)


def chosen(step):
    """Captures by PyTorch's make_fx where CCGRAPH_MAKE_FX is set, else by the recorder."""
    return capture_by_make_fx(step) if os.environ.get("CCGRAPH_MAKE_FX") else capture(step)
