"""One rank of a random parallel step: its place in the mesh, and the collectives, in several forms, with gradients.

A place where a step can be made wrong is a *site*: a reduction, a gather, a part, an offset, a scale. Sites are counted
in the order in which the step is captured; a Bug names one of them, what is done there, and on which rank."""
import dataclasses, random

import torch
import torch.distributed._functional_collectives  # registers the shapes of collectives

C10D = torch.ops._c10d_functional


@dataclasses.dataclass
class Bug:
    site: int
    what: str
    rank: int | None = None


# What can be done at a site of each kind; those that launch other collectives must be done on all ranks.
WHAT = {"reduce": ["skip", "double", "avg", "sum", "max", "axis"], "gather": ["axis", "roll"],
        "reduce_scatter": ["skip", "avg", "sum", "max", "axis"], "part": ["first", "next"],
        "offset": ["zero", "one more", "one less"], "scale": ["skip", "twice", "by 2"], "state": ["next"],
        "use": ["detach"], "all_to_all": ["skip"], "term": ["minus"]}
ALONE = {"part", "offset", "scale", "use", "term"}


class Pass(torch.autograd.Function):
    """Applies one function to a value, and another one to its gradient."""

    @staticmethod
    def forward(ctx, x, forward, backward):
        ctx.of_gradient = backward
        return forward(x)

    @staticmethod
    def backward(ctx, grad):
        return ctx.of_gradient(grad), None, None


def same(x):
    return x.view_as(x)


def chunk_sizes(length, count):
    """Returns the sizes of torch.chunk, with empty chunks at the end."""
    size = -(-length // count)
    return [max(0, min(size, length - i * size)) for i in range(count)]


class Rank:
    """`number` None: the single device, on which each collective is the identity."""

    def __init__(self, mesh, number, seed, bug=None):
        self.mesh = mesh if number is not None else {}
        self.number, self.bug, self.kinds = number, bug, []
        self.forms = random.Random(seed if number is not None else seed + 1)
        self.reads_number = False
        # Some ranks have parts of other sizes, so that what depends on a size could differ among ranks.
        self.is_uneven = False

    def coordinates(self, number):
        place = {}
        for axis, size in reversed(list(self.mesh.items())):
            place[axis], number = number % size, number // size
        return place

    def at(self, axis):
        if axis not in self.mesh:
            return 0
        self.reads_number = True
        return self.coordinates(self.number)[axis]

    def size(self, axis):
        return self.mesh.get(axis, 1)

    def members(self, axes, number):
        """Returns the ranks that differ from one in these axes alone."""
        world = 1
        for size in self.mesh.values():
            world *= size
        mine = self.coordinates(number)
        return [other for other in range(world)
                if all(place == mine[axis] for axis, place in self.coordinates(other).items() if axis not in axes)]

    def group(self, axes):
        return "_".join(axes)

    def site(self, kind):
        """Counts a site; returns what is done there, or an empty text."""
        self.kinds.append(kind)
        bug = self.bug
        if not self.mesh or not bug or bug.site != len(self.kinds) - 1:
            return ""
        return bug.what if bug.rank is None or bug.rank == self.number else ""

    def other_axis(self, axis):
        """Returns another axis of the same size; the same one if there is none."""
        return next((other for other in self.mesh if other != axis and self.mesh[other] == self.mesh[axis]), axis)

    # Values without gradients.

    def reduce(self, x, axes, op="sum"):
        axes = [axis for axis in ([axes] if isinstance(axes, str) else axes) if axis in self.mesh]
        if not axes:
            return x
        what, form = self.site("reduce"), self.forms.random()
        if what == "skip":
            return x.clone()
        if what in ("avg", "sum", "max"):
            op = what
        if what == "axis":
            axes = [self.other_axis(axes[0])]
        if form < 0.1 and op != "max" and not self.is_uneven and x.dim() and x.shape[0] % self.count(axes) == 0:
            part = C10D.reduce_scatter_tensor(x.contiguous(), op, self.count(axes), self.group(axes))
            return C10D.wait_tensor(C10D.all_gather_into_tensor(C10D.wait_tensor(part), self.count(axes),
                                                                self.group(axes)))
        y = C10D.wait_tensor(C10D.all_reduce(x.contiguous(), op, self.group(axes)))
        if what == "double":
            y = C10D.wait_tensor(C10D.all_reduce(y, op, self.group(axes)))
        return y

    def count(self, axes):
        count = 1
        for axis in axes:
            count *= self.size(axis)
        return count

    def reduce_list(self, tensors, axes, op):
        """Sums tensors in one launch."""
        axes = [axis for axis in axes if axis in self.mesh]
        if not axes or self.site("reduce") == "skip":
            return list(tensors)
        made = C10D.all_reduce_coalesced([x.contiguous() for x in tensors], op, self.group(axes))
        return [C10D.wait_tensor(x) for x in made]

    def gather(self, x, axis, dim, length):
        """Joins the parts of all ranks along a dimension, whose whole length is given."""
        if axis not in self.mesh:
            return x
        what, n = self.site("gather"), self.size(axis)
        if what == "axis":
            axis = self.other_axis(axis)
        dim, sizes = dim % x.dim(), chunk_sizes(length, n)
        even = all(size == sizes[0] for size in sizes)
        form = self.forms.randrange(5) if even else 0
        if form == 4:
            pieces = [x if i == self.at(axis) else torch.zeros_like(x) for i in range(n)]
            y = C10D.wait_tensor(C10D.all_reduce(torch.cat(pieces, dim), "sum", axis))
            return y.roll(x.shape[dim], dim) if what == "roll" else y
        if form == 3:
            moved = x.transpose(0, dim).contiguous()
            y = C10D.wait_tensor(C10D.all_gather_into_tensor(moved, n, axis)).transpose(0, dim)
            return y.roll(x.shape[dim], dim) if what == "roll" else y
        padded = x
        if not even and x.shape[dim] != sizes[0]:
            padded = torch.nn.functional.pad(x, [0, 0] * (x.dim() - 1 - dim) + [0, sizes[0] - x.shape[dim]])
        whole = C10D.wait_tensor(C10D.all_gather_into_tensor(padded.contiguous(), n, axis))
        if form == 2:
            y = whole.view(n, *x.shape).movedim(0, dim).reshape(*x.shape[:dim], length, *x.shape[dim + 1:])
            return y.roll(x.shape[dim], dim) if what == "roll" else y
        pieces = list(whole.chunk(n, 0) if form == 0 else whole.split(whole.shape[0] // n, 0))
        if not even:
            pieces = [piece.narrow(dim, 0, size) for piece, size in zip(pieces, sizes)]
        if what == "roll":
            pieces = pieces[1:] + pieces[:1]
        return torch.cat(pieces, dim)

    def part(self, x, axis, dim, site="part"):
        """Returns this rank's part of a whole value."""
        if axis not in self.mesh:
            return x
        what, dim, mine, n = self.site(site), dim % x.dim(), self.at(axis), self.size(axis)
        sizes = chunk_sizes(x.shape[dim], n)
        if what in ("first", "next"):
            other = 0 if what == "first" else (mine + 1) % n
            mine = other if sizes[other] == sizes[mine] else mine
        start = sum(sizes[:mine])
        form = self.forms.randrange(4)
        if form == 0:
            return x.split(sizes, dim)[mine] if sizes[-1] else x.narrow(dim, start, sizes[mine])
        if form == 1:
            return x.narrow(dim, start, sizes[mine])
        if form == 2 and len(set(sizes)) == 1:
            return x.unflatten(dim, (n, -1)).select(dim, mine)
        return x.index_select(dim, torch.arange(start, start + sizes[mine], device=x.device))

    def reduce_scatter(self, x, axis, dim, op="sum"):
        if axis not in self.mesh:
            return x
        what, dim, n = self.site("reduce_scatter"), dim % x.dim(), self.size(axis)
        if what in ("avg", "sum", "max"):
            op = what
        if what == "axis":
            axis = self.other_axis(axis)
        sizes = chunk_sizes(x.shape[dim], n)
        even = all(size == sizes[0] for size in sizes)
        form = self.forms.randrange(4)
        if what == "skip" or (form == 3 and op != "max"):
            y = x if what == "skip" else C10D.wait_tensor(C10D.all_reduce(x.contiguous(), op, axis))
            return y.narrow(dim, sum(sizes[:self.at(axis)]), sizes[self.at(axis)]).clone()
        if not even:
            x = torch.nn.functional.pad(x, [0, 0] * (x.dim() - 1 - dim) + [0, sizes[0] * n - x.shape[dim]])
        if form == 0:
            moved = torch.cat(x.chunk(n, dim))
        elif form == 1:
            moved = torch.cat(x.split(x.shape[dim] // n, dim), 0)
        else:
            moved = x.unflatten(dim, (n, -1)).movedim(dim, 0).flatten(0, 1).contiguous()
        y = C10D.wait_tensor(C10D.reduce_scatter_tensor(moved.contiguous(), op, n, axis))
        return y if even else y.narrow(dim, 0, sizes[self.at(axis)])

    def all_to_all(self, x, axis):
        """Exchanges equal blocks of rows."""
        if axis not in self.mesh or self.site("all_to_all") == "skip":
            return x
        rows = [x.shape[0] // self.size(axis)] * self.size(axis)
        return C10D.wait_tensor(C10D.all_to_all_single(x.contiguous(), rows, rows, axis))

    def offset(self, axis, length):
        """Returns where the part of this rank begins in a dimension of this whole length."""
        if axis not in self.mesh:
            return 0
        start, what = sum(chunk_sizes(length, self.size(axis))[:self.at(axis)]), self.site("offset")
        return {"zero": 0, "one more": start + 1, "one less": max(start - 1, 0)}.get(what, start)

    def scale(self, x, by):
        """Divides by a count of ranks or micro-batches."""
        if by == 1:
            return x
        what, divides = self.site("scale"), self.forms.random() < 0.5
        if what == "skip":
            return x
        if what == "twice":
            return x / by / by
        if what == "by 2":
            return x / (2 if by != 2 else 4)
        return x / by if divides else x * (1 / by)

    # Values with gradients.

    def enter(self, x, axis):
        """Each rank computes another part of what reads the value: its gradient is the sum."""
        return Pass.apply(x, same, lambda grad: self.reduce(grad, axis)) if axis in self.mesh else x

    def leave(self, x, axis):
        """Sums the parts; each rank's gradient is that of the sum."""
        return Pass.apply(x, lambda x: self.reduce(x, axis), same) if axis in self.mesh else x

    def gather_parts(self, x, axis, dim, length, reduces=True):
        """`reduces`: each rank computes another part of what reads the whole; else all compute the same."""
        if axis not in self.mesh:
            return x
        backward = (lambda grad: self.reduce_scatter(grad, axis, dim)) if reduces else \
            (lambda grad: self.part(grad, axis, dim).clone())
        return Pass.apply(x, lambda x: self.gather(x, axis, dim, length), backward)

    def scatter_sum(self, x, axis, dim, length):
        if axis not in self.mesh:
            return x
        return Pass.apply(x, lambda x: self.reduce_scatter(x, axis, dim),
                          lambda grad: self.gather(grad, axis, dim, length))

    def take_part(self, x, axis, dim):
        """The part of a value that all ranks have; its gradient is gathered."""
        if axis not in self.mesh:
            return x
        length = x.shape[dim]
        return Pass.apply(x, lambda x: self.part(x, axis, dim).clone(),
                          lambda grad: self.gather(grad, axis, dim, length))

    def exchange(self, x, axis):
        if axis not in self.mesh:
            return x
        return Pass.apply(x, lambda x: self.all_to_all(x, axis), lambda grad: self.all_to_all(grad, axis))

    def whole_parameter(self, x, axis, dim, length):
        """A sharded parameter as modules use it; gradients are averaged."""
        if axis not in self.mesh:
            return x
        def backward(grad):
            if self.forms.random() < 0.5:
                return self.reduce_scatter(grad, axis, dim, "avg")
            return self.scale(self.reduce_scatter(grad, axis, dim), self.size(axis))
        return Pass.apply(x, lambda x: self.gather(x, axis, dim, length), backward)
