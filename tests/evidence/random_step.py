"""A random training step on one device and on the ranks of a mesh, captured by PyTorch: loss, gradients, their
reduction, clipping, update. What is drawn: the mesh, the blocks, the loss, how parameters are sharded, how gradients
are reduced, the optimizer. Nothing here is shared with the evaluation that is tested."""
import math, random

import torch

from random_step_loss import LOSSES
from random_step_model import BLOCKS
from random_step_optimizers import update
from random_step_rank import Rank, chunk_sizes

MESHES = [{"dp": 2}, {"dp": 3}, {"dp": 4}, {"fsdp": 2}, {"fsdp": 3}, {"fsdp": 4}, {"tp": 2}, {"tp": 3}, {"tp": 4},
          {"tp": 2}, {"tp": 4}, {"cp": 2}, {"cp": 3}, {"ep": 2}, {"ep": 4}, {"rep": 2, "fsdp": 2},
          {"rep": 2, "fsdp": 3},
          {"dp": 2, "tp": 2}, {"dp": 3, "tp": 2}, {"fsdp": 2, "tp": 2}, {"fsdp": 3, "tp": 2}, {"fsdp": 2, "cp": 2},
          {"dp": 2, "ep": 2}, {"ep": 2, "tp": 2}, {"cp": 2, "tp": 2}, {"rep": 2, "fsdp": 2, "tp": 2},
          {"dp": 2, "cp": 2, "tp": 2}, {"fsdp": 2, "ep": 2}]
DATA = ("dp", "rep", "fsdp", "ep")


class Plan:
    def __init__(self, seed, without=()):
        draw = random.Random(seed)
        self.seed, self.without = seed, set(without)
        self.mesh = draw.choice(MESHES)
        self.data = [axis for axis in self.mesh if axis in DATA]
        self.averaged = [axis for axis in self.mesh if axis in DATA + ("cp",)]
        self.sequence = "tp" in self.mesh and draw.random() < 0.4
        self.dtype = draw.choice([torch.float32, torch.float64])
        self.micro = 2 if draw.random() < 0.15 else 1
        self.batch = 2 * math.prod(self.mesh[axis] for axis in self.data) * self.micro
        self.length = 4 * self.mesh.get("cp", 1) * (self.mesh["tp"] if self.sequence else 1)
        self.loss = LOSSES[draw.choice(sorted(LOSSES))](draw, self)
        kinds = ["mlp", "mlp", "attention", "attention", "functions", "functions"]
        kinds += ["dropout"] if self.micro == 1 else []
        kinds += ["experts"] * (4 if "ep" in self.mesh else 1) + ([] if "cp" in self.mesh else ["conv"])
        self.blocks = []
        for i in range(draw.choice([1, 1, 2])):
            kind = draw.choice(kinds)
            self.blocks.append(BLOCKS[kind](f"l{i}", draw, self))
        if "ep" in self.mesh and not any(isinstance(block, BLOCKS["experts"]) for block in self.blocks):
            self.blocks.append(BLOCKS["experts"]("moe", draw, self))
        self.parameters = [it for part in (self.loss, *self.blocks) for it in part.declare()]
        self.optimizer = draw.choice(["none", "none", "sgd", "momentum", "adamw", "adamw", "foreach", "rmsprop",
                                      "adagrad"])
        self.clips = draw.choice(["", "", "", "norm", "squares", "foreach"]) if self.optimizer != "none" else ""
        self.buckets = draw.choice(["each", "each", "flat", "list"])
        self.shard_dims = {it.name: draw.randrange(len(it.shape)) if draw.random() < 0.2 else 0
                           for it in self.parameters}
        self.manual = draw.random() < 0.3
        self.reports_loss = draw.choice(["local", "mean"])
        self.shuffled = draw.random() < 0.3
        self.order = list(range(1000))
        draw.shuffle(self.order)

    def rank(self, number, bug=None):
        return Rank(self.mesh, number, self.seed, bug)


class Step:
    """The step of one rank; its number None: of the single device."""

    def __init__(self, plan, number, bug=None):
        self.plan, self.rank = plan, plan.rank(number, bug)
        self.names = [it.name for it in plan.parameters]
        self.by_name = {it.name: it for it in plan.parameters}
        self.states = {"momentum": ["m"], "adamw": ["m", "v"], "foreach": ["m", "v"], "rmsprop": ["v"],
                       "adagrad": ["v"]}.get(plan.optimizer, [])

        self.rank.is_uneven = any(self.is_cut_unevenly(name, axis, dim)
                                   for name in self.names for axis, dim in self.cuts(name))

    # How a parameter is held.

    def is_cut_unevenly(self, name, axis, dim):
        length = self.by_name[name].shape[dim]
        for other, other_dim in self.cuts(name):
            if other == axis:
                return length % self.plan.mesh[axis] != 0
            if other_dim == dim:
                length //= self.plan.mesh[other]

    def cuts(self, name):
        """Returns [(axis, dimension)] in the order in which they cut."""
        it, mesh = self.by_name[name], self.plan.mesh
        found = [(it.axis, it.dim)] if it.axis in mesh else []
        if "fsdp" in mesh:
            found.append(("fsdp", self.plan.shard_dims[name]))
        return found

    def local_shape(self, name, fsdp=True):
        shape = list(self.by_name[name].shape)
        for axis, dim in self.cuts(name):
            if axis in self.rank.mesh and (fsdp or axis != "fsdp"):
                shape[dim] = chunk_sizes(shape[dim], self.rank.size(axis))[
                    0 if shape[dim] % self.rank.size(axis) == 0 else self.rank.at(axis)]
        return shape

    def entry(self, name, of):
        placement = {axis: "replicate" for axis in self.plan.mesh}
        cuts = self.cuts(name)
        for axis, dim in cuts:
            placement[axis] = f"shard({dim})"
        found = {"of": of, "placement": placement}
        if len({dim for _, dim in cuts}) < len(cuts):
            found["split_order"] = [axis for axis, _ in cuts]
        return found

    def data_entry(self, of, dims=2):
        placement = {axis: "shard(0)" if axis in self.plan.data else "shard(1)" if axis == "cp" and dims > 1
                     else "replicate" for axis in self.plan.mesh}
        return {"of": of, "placement": placement}

    def inputs(self):
        """Returns [(entry, shape, dtype)] in order."""
        found = [(self.entry(name, name), self.local_shape(name), self.plan.dtype) for name in self.names]
        for state in self.states:
            found += [(self.entry(name, f"{state}.{name}"), self.local_shape(name), self.plan.dtype)
                      for name in self.names]
        shape = [self.plan.batch, self.plan.length]
        for axis in self.plan.data:
            shape[0] //= self.rank.size(axis)
        shape[1] //= self.rank.size("cp")
        for of, more, dtype in self.plan.loss.data():
            found.append((self.data_entry(of), shape + more, dtype))
        if self.plan.shuffled and self.rank.mesh:
            found = [found[i] for i in self.plan.order if i < len(found)]
        return found

    # The step.

    def whole(self, shards, rank):
        """Returns the parameters as modules use them."""
        found = {}
        for name in self.names:
            shape, dim = self.local_shape(name, fsdp=False), self.plan.shard_dims[name]
            found[name] = rank.whole_parameter(shards[name], "fsdp", dim, shape[dim])
        return found

    def loss_of(self, p, data):
        x = self.plan.loss.embed(self.rank, p, data)
        for block in self.plan.blocks:
            x = block.run(self.rank, x, p)
        return self.plan.loss.loss(self.rank, x, p, data)

    def gradients(self, shards, data):
        rank, plan = self.rank, self.plan
        leaves = shards
        if plan.manual:
            leaves = {name: rank.gather(shards[name], "fsdp", plan.shard_dims[name],
                                        self.local_shape(name, fsdp=False)[plan.shard_dims[name]])
                      for name in self.names}
        leaves = {name: value.detach().requires_grad_() for name, value in leaves.items()}
        total, sums = None, None
        for i in range(plan.micro):
            part = {of: value.chunk(plan.micro, 0)[i] for of, value in data.items()}
            p = leaves if plan.manual else self.whole(leaves, rank)
            loss = rank.scale(self.loss_of(p, part), plan.micro)
            grads = torch.autograd.grad(loss, list(leaves.values()), allow_unused=True)
            grads = [torch.zeros_like(leaf) if grad is None else grad for grad, leaf in zip(grads, leaves.values())]
            total = loss.detach() if total is None else total + loss.detach()
            sums = grads if sums is None else [a + b for a, b in zip(sums, grads)]
        return total, dict(zip(self.names, sums))

    def reduced(self, grads):
        """Reduces over the axes over which gradients are not reduced yet."""
        rank, plan = self.rank, self.plan
        if plan.manual and "fsdp" in rank.mesh:
            for name in self.names:
                dim = plan.shard_dims[name]
                grads[name] = rank.reduce_scatter(grads[name], "fsdp", dim, "avg")
        sums, means = {}, {}
        for name in self.names:
            it = self.by_name[name]
            partial = tuple(axis for axis in it.partial if axis in rank.mesh)
            if partial:
                sums.setdefault(partial, []).append(name)
            for axis in it.local:
                grads[name] = rank.scale(grads[name], rank.size(axis))
            mean = tuple(axis for axis in plan.averaged
                         if axis in rank.mesh and axis != "fsdp" and axis not in it.local)
            if mean:
                means.setdefault(mean, []).append(name)
        for kind, op in ((sums, "sum"), (means, "avg")):
            for axes, names in kind.items():
                for name, value in zip(names, self.reduce_all([grads[name] for name in names], axes, op)):
                    grads[name] = value
        return grads

    def reduce_all(self, values, axes, op):
        rank, forms = self.rank, self.rank.forms
        if op == "avg" and forms.random() < 0.5:
            before = forms.random() < 0.5
            count = rank.count(axes)
            if before:
                return self.reduce_all_by([rank.scale(value, count) for value in values], axes, "sum")
            return [rank.scale(value, count) for value in self.reduce_all_by(values, axes, "sum")]
        return self.reduce_all_by(values, axes, op)

    def reduce_all_by(self, values, axes, op):
        rank = self.rank
        if self.plan.buckets == "list":
            return rank.reduce_list(values, axes, op)
        if self.plan.buckets == "flat" and len(values) > 1:
            flat = rank.reduce(torch.cat([value.reshape(-1) for value in values]), axes, op)
            parts = flat.split([value.numel() for value in values])
            return [part.view(value.shape) for part, value in zip(parts, values)]
        if rank.forms.random() < 0.5 and len(axes) > 1:
            return [rank.reduce(rank.reduce(value, axes[:1], op), axes[1:], op) for value in values]
        return [rank.reduce(value, axes, op) for value in values]

    def clipped(self, grads):
        rank, kind = self.rank, self.plan.clips
        if not kind:
            return grads, None
        by_axes = {}
        for name in self.names:
            axes = tuple(axis for axis, _ in self.cuts(name) if axis in rank.mesh)
            by_axes.setdefault(axes, []).append(grads[name])
        total = None
        for axes, values in by_axes.items():
            if kind == "foreach":
                norm = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(values)))
                square = norm * norm
            elif kind == "norm":
                square = torch.stack([torch.linalg.vector_norm(value) for value in values]).square().sum()
            else:
                square = sum((value * value).sum() for value in values)
            for axis in axes:
                square = rank.reduce(square, axis)
            total = square if total is None else total + square
        norm = total.sqrt()
        coefficient = torch.clamp(0.5 / (norm + 1e-6), max=1.0)
        if kind == "foreach":
            made = torch._foreach_mul(list(grads.values()), coefficient)
            return dict(zip(grads, made)), norm
        return {name: value * coefficient for name, value in grads.items()}, norm

    def __call__(self, *given):
        entries = self.inputs()
        held = {entry["of"]: value for (entry, _, _), value in zip(entries, given)}
        shards = {name: held[name] for name in self.names}
        data = {of: held[of] for of, _, _ in self.plan.loss.data()}
        loss, grads = self.gradients(shards, data)
        grads = self.reduced(grads)
        if self.plan.reports_loss == "mean":
            loss = self.rank.reduce(loss, self.plan.averaged, "avg")
        grads, norm = self.clipped(grads)
        outputs = [("loss", loss)] + ([("norm", norm)] if norm is not None else [])
        if self.plan.optimizer == "none":
            return self.named(outputs + [("grad." + name, value) for name, value in grads.items()])
        states = {(state, name): held[f"{state}.{name}"] for state in self.states for name in self.names}
        for (state, name), value in states.items():
            if self.rank.site("state") == "next":
                states[state, name] = self.of_next_rank(name, value)
        return self.named(outputs + update(self.plan.optimizer, shards, grads, states))

    def of_next_rank(self, name, value):
        """Returns what the next rank holds of a sharded state."""
        if not self.cuts(name):
            return value
        axis, dim = self.cuts(name)[-1]
        ranks, mine = self.rank.size(axis), self.rank.at(axis)
        whole = self.rank.gather(value, axis, dim, value.shape[dim] * ranks)
        return whole.narrow(dim, (mine + 1) % ranks * value.shape[dim], value.shape[dim])

    def named(self, outputs):
        self.outputs = [name for name, _ in outputs]
        return [value.clone() if value.requires_grad else value for _, value in outputs]

    def output_entries(self):
        found = []
        for of in self.outputs:
            if of == "loss":
                local = self.plan.reports_loss == "local"
                found.append({"of": of, "placement": {axis: "partial(avg)" if local and axis in self.plan.averaged
                                                      else "replicate" for axis in self.plan.mesh}})
            elif of == "norm":
                found.append({"of": of, "placement": {axis: "replicate" for axis in self.plan.mesh}})
            else:
                found.append(self.entry(next(name for name in self.names if of.split(".", 1)[1] in (
                    name, "m." + name, "v." + name)), of))
        return found
