#!/usr/bin/env python3
"""Makes programs that change a tensor's sizes in place and then read it by its first name, with PyTorch's results.

    reshaped_programs.py FOLDER            writes FOLDER/programs.py.gz and FOLDER/values.txt.gz
    reshaped_programs.py FOLDER --check    computes the values anew, and compares them with those of the folder

Each program is one triple of an origin of the tensor c, an operator that reshapes c in place, and a reader of c.
Each result of the reader is multiplied by 10 and summed over two ranks. Element i of an input is i + 1 + 100 *
rank. A text states a type for each tensor as print_readable does, and none for a list, so the types in a list must
follow from the program. values.txt has one line for each output: program, number of the output, sizes, numbers. It
needs PyTorch and no communication: the two ranks run one after the other, and their sums are added here."""
import argparse
import gzip
import pathlib
import sys

import torch

A = torch.ops.aten
C = torch.ops._c10d_functional
RANKS = 2
DTYPES = {torch.float32: "f32", torch.int64: "i64"}


def type_of(tensor):
    sizes, strides = list(tensor.shape), list(tensor.stride())
    return f"{DTYPES[tensor.dtype]}{sizes}{strides if sizes else ''}cpu"


def spelled(value):
    if isinstance(value, Name):
        return value.text
    if isinstance(value, list):
        return "[" + ", ".join(map(spelled, value)) + "]"
    return repr(value)


class Name:
    """A value of the program: its name in the text, and the tensor (or the list) of this rank."""

    def __init__(self, text, value):
        self.text, self.value = text, value


def real(value):
    if isinstance(value, Name):
        return value.value
    return [real(element) for element in value] if isinstance(value, list) else value


class Program:
    """One rank's program, which is written and executed together."""

    def __init__(self, rank):
        self.rank, self.lines, self.inputs, self.results, self.count = rank, [], [], [], 0

    def input(self, name, sizes):
        elements = torch.Size(sizes).numel()
        tensor = (torch.arange(elements, dtype=torch.float32) + 1 + 100 * self.rank).view(sizes)
        self.inputs.append((name, type_of(tensor), tensor))
        return Name(name, tensor)

    def call(self, op, *args, result=None):
        """`result` is the result of a collective, which is not executed here."""
        target = f"torch.ops.{op._schema.name.replace('::', '.')}.{op._overloadname}"
        self.count += 1
        name = f"v{self.count}"
        value = op(*map(real, args)) if result is None else result
        stated = f': "{type_of(value)}"' if isinstance(value, torch.Tensor) else ""
        self.lines.append(f"{name}{stated} = {target}({', '.join(map(spelled, args))})")
        return Name(name, value)

    def element(self, values, index):
        self.count += 1
        name = f"v{self.count}"
        value = values.value[index]
        self.lines.append(f'{name}: "{type_of(value)}" = {values.text}[{index}]')
        return Name(name, value)

    def sum_up(self, value):
        scaled = self.call(A.mul.Tensor, value, 10)
        launch = self.call(C.all_reduce.default, scaled, "sum", "0", result=scaled.value.contiguous())
        self.results.append(self.call(C.wait_tensor.default, launch, result=launch.value))

    def text(self, name):
        inputs = ", ".join(f'{each}: "{stated}"' for each, stated, _ in self.inputs)
        body = "".join(f"        {line}\n" for line in self.lines)
        results = ", ".join(result.text for result in self.results)
        head = f"class {name}(torch.nn.Module):\n    def forward(self, {inputs}):\n"
        return f"{head}{body}        return ({results},)\n\n"


# --- The origin of c, with the sizes that the operator needs ---

def cloned(program, sizes):
    return program.call(A.clone.default, program.input("x", sizes))


def given(program, sizes):
    return program.input("x", sizes)


def sliced(program, sizes):
    whole = program.call(A.clone.default, program.input("x", [2 * sizes[0], *sizes[1:]]))
    return program.call(A.slice.Tensor, whole, 0, sizes[0], 2 * sizes[0])


def awaited(program, sizes):
    x = program.input("x", sizes)
    launch = program.call(C.broadcast.default, x, 0, "0", result=x.value - 100 * program.rank)
    return program.call(C.wait_tensor.default, launch, result=launch.value)


def itself(program, sizes):
    """contiguous() returns the same tensor here, not a view of it."""
    return program.call(A.contiguous.default, cloned(program, sizes))


ORIGINS = {"clone": cloned, "input": given, "slice": sliced, "wait": awaited, "contiguous": itself}

# --- The reshape of c ---

def offset(c):
    return c.value.storage_offset()


RESHAPES = {
    "t_": ([4, 6], lambda p, c: p.call(A.t_.default, c)),
    "transpose_": ([4, 6], lambda p, c: p.call(A.transpose_.default, c, 0, 1)),
    "swapdims_": ([4, 6], lambda p, c: p.call(A.swapdims_.default, c, 0, -1)),
    "swapaxes_": ([4, 6], lambda p, c: p.call(A.swapaxes_.default, c, 0, 1)),
    "squeeze_": ([4, 1, 6], lambda p, c: p.call(A.squeeze_.default, c)),
    "squeeze_dim": ([1, 4, 6], lambda p, c: p.call(A.squeeze_.dim, c, 0)),
    "unsqueeze_": ([4, 6], lambda p, c: p.call(A.unsqueeze_.default, c, -1)),
    "as_strided_": ([4, 6], lambda p, c: p.call(A.as_strided_.default, c, [2, 8], [8, 1], 1 + offset(c))),
    "resize_": ([4, 6], lambda p, c: p.call(A.resize_.default, c, [2, 10])),
    "set_": ([4, 6], lambda p, c: p.call(A.set_.source_Tensor, c, p.call(A.clone.default, p.input("y", [8, 2])))),
}

# --- The reader of c ---


def dim(c, index):
    return c.value.shape[index]


READERS = {
    "unbind": lambda p, c: p.call(A.unbind.int, c),
    "unbind_last": lambda p, c: p.call(A.unbind.int, c, -1),
    "split": lambda p, c: p.call(A.split.Tensor, c, 1),
    "split_last": lambda p, c: p.call(A.split.Tensor, c, 3, -1),
    "split_sizes": lambda p, c: p.call(A.split_with_sizes.default, c, [1, dim(c, 0) - 1]),
    "split_sizes_1": lambda p, c: p.call(A.split_with_sizes.default, c, [dim(c, 1) - 1, 1], 1),
    "split_overload": lambda p, c: p.call(A.split.sizes, c, [dim(c, 0) - 1, 1]),
    "chunk": lambda p, c: p.call(A.chunk.default, c, 2),
    "chunk_1": lambda p, c: p.call(A.chunk.default, c, 2, 1),
    "unsafe_split": lambda p, c: p.call(A.unsafe_split.Tensor, c, 1),
    "unsafe_split_sizes": lambda p, c: p.call(A.unsafe_split_with_sizes.default, c, [1, dim(c, 0) - 1]),
    "unsafe_chunk": lambda p, c: p.call(A.unsafe_chunk.default, c, 2),
    "tensor_split": lambda p, c: p.call(A.tensor_split.sections, c, 2),
    "tensor_split_at": lambda p, c: p.call(A.tensor_split.indices, c, [1], 1),
    "vsplit": lambda p, c: p.call(A.vsplit.int, c, dim(c, 0)),
    "hsplit": lambda p, c: p.call(A.hsplit.int, c, dim(c, 1)),
    "unbind_copy": lambda p, c: p.call(A.unbind_copy.int, c),
    "split_copy": lambda p, c: p.call(A.split_copy.Tensor, c, 1),
    "split_sizes_copy": lambda p, c: p.call(A.split_with_sizes_copy.default, c, [1, dim(c, 0) - 1]),
    "broadcast_tensors": lambda p, c: p.call(A.broadcast_tensors.default, [c]),
    "atleast_3d": lambda p, c: p.call(A.atleast_3d.Sequence, [c]),
    "foreach_add": lambda p, c: p.call(A._foreach_add.Scalar, [c], 1),
    "foreach_add_list": lambda p, c: p.call(A._foreach_add.List, [c], [c]),
    "foreach_sub": lambda p, c: p.call(A._foreach_sub.Scalar, [c], 1),
    "foreach_mul": lambda p, c: p.call(A._foreach_mul.Scalar, [c], 2),
    "foreach_mul_list": lambda p, c: p.call(A._foreach_mul.List, [c], [c]),
    "foreach_div": lambda p, c: p.call(A._foreach_div.Scalar, [c], 2),
    "foreach_maximum": lambda p, c: p.call(A._foreach_maximum.Scalar, [c], 7),
    "foreach_clamp_min": lambda p, c: p.call(A._foreach_clamp_min.Scalar, [c], 5),
    "foreach_neg": lambda p, c: p.call(A._foreach_neg.default, [c]),
    "foreach_abs": lambda p, c: p.call(A._foreach_abs.default, [c]),
    "foreach_addcmul": lambda p, c: p.call(A._foreach_addcmul.Scalar, [c], [c], [c]),
    "topk": lambda p, c: p.call(A.topk.default, c, 1),
    "sort": lambda p, c: p.call(A.sort.default, c, 0),
    "max_dim": lambda p, c: p.call(A.max.dim, c, 0),
    "min_dim": lambda p, c: p.call(A.min.dim, c, 1),
    "cummax": lambda p, c: p.call(A.cummax.default, c, 0),
    "aminmax": lambda p, c: p.call(A.aminmax.default, c),
    "select": lambda p, c: p.call(A.select.int, c, 0, 1),
    "view_as": lambda p, c: p.call(A.expand_as.default, c, c),
    "permute": lambda p, c: p.call(A.permute.default, c, list(range(c.value.dim()))[::-1]),
    "relu": lambda p, c: p.call(A.relu.default, c),
    "unfold": lambda p, c: p.call(A.unfold.default, c, 0, 2, 1),
    "all_gather": lambda p, c: gathered(p, c),
}


def gathered(program, c):
    other = [c.value + 100 * (rank - program.rank) for rank in range(RANKS)]
    dense = c if c.value.is_contiguous() else program.call(A.clone.default, c)
    whole = torch.cat(other)
    launch = program.call(C.all_gather_into_tensor_coalesced.default, [dense], RANKS, "0", result=[whole])
    return Name(launch.text, launch.value)


def run(origin, reshape, reader, rank):
    """Returns None if the reader does not accept such a tensor, or if the data that other ranks gather is unknown
    here."""
    sizes, apply = RESHAPES[reshape]
    if reader == "all_gather" and origin == "wait":
        return None
    program = Program(rank)
    c = ORIGINS[origin](program, sizes)
    first = Name(c.text, c.value)
    if origin == "contiguous":  # the reader names what contiguous() was given
        first = Name("v1", c.value)
    apply(program, c)
    try:
        read = READERS[reader](program, first)
    except (RuntimeError, IndexError):
        return None
    if isinstance(read.value, torch.Tensor):
        program.sum_up(read)
    else:
        for index in range(len(read.value)):
            element = program.element(read, index)
            if reader == "all_gather":
                element = program.call(C.wait_tensor.default, element, result=element.value)
            program.sum_up(element)
    return program


def all_programs():
    for origin in ORIGINS:
        for reshape in RESHAPES:
            for reader in READERS:
                ranks = [run(origin, reshape, reader, rank) for rank in range(RANKS)]
                if all(ranks):
                    yield f"{reshape}_of_{origin}_read_by_{reader}", ranks


def values_of(name, ranks):
    lines = []
    for index in range(len(ranks[0].results)):
        total = sum(program.results[index].value.clone() for program in ranks)
        numbers = " ".join(str(int(number)) for number in total.flatten().tolist())
        assert all(float(number).is_integer() for number in total.flatten().tolist()) or "div" in name
        lines.append(f"{name} {index} {list(total.shape)} {numbers}\n")
    return "".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    texts, values, count = "", "", 0
    for name, ranks in all_programs():
        texts += ranks[0].text(name)
        values += values_of(name, ranks)
        count += 1
    files = {"programs.py.gz": texts, "values.txt.gz": values}
    different = 0
    for file, text in files.items():
        if options.check:
            different += gzip.decompress((options.folder / file).read_bytes()).decode() != text
        else:
            (options.folder / file).write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{count} programs: " + (f"{different} files differ" if options.check else "written"))
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
