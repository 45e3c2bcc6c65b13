"""How the stages of a generated pipeline hold the inputs and outputs of the generated step of one device."""
import re

MICROBATCH = re.compile(r"(tokens|targets)_(\d+)")


def updates(inputs):
    """Returns what a step returns after its loss: the weights, the states of the optimizer, and the number of steps."""
    weights = [name for name in inputs if f"average_of_{name}" in inputs]
    return [*weights, *(f"average_of_{name}" for name in weights), *(f"square_of_{name}" for name in weights),
            "optimizer_step"]


def microbatches(stages):
    """Returns how many microbatches the stages have; each stage is the signature of its graph."""
    found = [MICROBATCH.fullmatch(name) for inputs, _ in stages for name, _ in inputs]
    return 1 + max(int(it[2]) for it in found if it)


class StagePlacements:
    """The placements of a pipeline on the axis pp; on the axis fsdp, weights are sharded and batches cut."""

    def __init__(self, single, stages, ranks):
        """`single` and each stage are signatures: (name, sizes) of the inputs and of the outputs."""
        self.stages, self.ranks, self.count = stages, ranks, microbatches(stages)
        self.inputs = {name: (position, sizes) for position, (name, sizes) in enumerate(single[0])}
        names = ["loss", *updates([name for name, _ in single[0]])]
        assert len(names) == len(single[1]), (names, single[1])
        self.outputs = {name: (position, sizes) for position, (name, (_, sizes)) in enumerate(zip(names, single[1]))}

    def document(self):
        axes = ["pp", "fsdp"] if self.ranks > 1 else ["pp"]
        sizes = [len(self.stages), self.ranks][:len(axes)]
        document = {"mesh": {"axes": axes, "sizes": sizes}, "inputs": [], "outputs": []}
        for stage, (inputs, outputs) in enumerate(self.stages):
            for position, (name, parts) in enumerate(inputs):
                document["inputs"].append(self.input(stage, position, name, parts))
            names = updates([name for name, _ in inputs])
            if len(outputs) > len(names):
                names.insert(0, "loss")
            assert len(names) == len(outputs), (names, outputs)
            for position, (name, (_, parts)) in enumerate(zip(names, outputs)):
                single, sizes = self.outputs[name]
                entry = self.placement(stage, sizes, parts)
                if name == "loss" and self.ranks > 1:
                    entry["fsdp"] = "partial(sum)"
                document["outputs"].append({"position": position, "single": single, "of": name, "placement": entry})
        return document

    def input(self, stage, position, name, parts):
        microbatch = MICROBATCH.fullmatch(name)
        single, sizes = self.inputs[microbatch[1] if microbatch else name]
        value = {"position": position, "single": single, "of": name, "placement": self.placement(stage, sizes, parts)}
        if microbatch:
            value["microbatch"] = [int(microbatch[2]), self.count]
            if self.ranks > 1:
                value["placement"]["fsdp"] = "shard(0)"
        return value

    def placement(self, stage, sizes, parts):
        entry = {"pp": f"at({stage})"}
        if self.ranks > 1:
            cut = [dim for dim, (size, part) in enumerate(zip(sizes, parts)) if size != part]
            entry["fsdp"] = f"shard({cut[0]})" if cut else "replicate"
        return entry
