"""Pairs of training steps, one on a single device and one on several ranks, as a folder of readable texts with io.json,
facts.json and, where ranks differ, one text and one table of groups for each rank. Executes both with PyTorch in f64,
and says which outputs of the ranks are not those of the single device.

A folder holds single/readable.py; parallel/readable.py or parallel/rank<r>.py; io.json with the placement of each input
and output on each axis of the mesh; facts.json with the mesh. Texts may be gzipped."""
import copy, glob, gzip, json, math, os, re
import torch

LINE = re.compile(r'^\s+(\w+)(?:: "([^"]*)")? = (.*?)(?:;  .*)?$')
# The largest difference of f64 evaluations of equal steps, relative to the largest value, is 2e-14.
TOLERANCE = 1e-12
LOOSE_TOLERANCE = 1e-7
# A gradient that is zero, such as that of a bias before a softmax, is rounding noise of this size times the tolerance.
SMALLEST = 1e-2
# A step rounds in many places, and each counts as much as the last bit of an input does.
ROUNDINGS = 64


def read(path):
    """Returns the text of a file that may be gzipped."""
    for name, opener in ((path, open), (path + ".gz", gzip.open)):
        if os.path.exists(name):
            with opener(name, "rt", encoding="utf-8") as file:
                return file.read()
    raise FileNotFoundError(path)


class Program:
    """The steps of one text: placeholders, [(name, expression)] in order, and the expression that is returned."""

    def __init__(self, text):
        self.text = text
        head = re.search(r"def forward\(self, (.*)\):", text)[1]
        self.placeholders = re.findall(r'(\w+): "([^"]*)"', head)
        self.steps, self.types = [], dict(self.placeholders)
        for line in text.splitlines():
            if found := LINE.match(line):
                name, kind, expression = found.groups()
                self.steps.append((name, expression))
                self.types[name] = kind
        self.result = re.search(r"^\s+return (.*)$", text, flags=re.M)[1]
        self.generators = {}  # of the steps, for `run`

    def lines(self):
        """Returns the text again, from the steps."""
        head = self.text[:re.search(r"def forward\(self, .*\):\n", self.text).end()]
        body = "".join(f'        {name}: "{self.types[name]}" = {expression}\n' if self.types.get(name) else
                       f"        {name} = {expression}\n" for name, expression in self.steps)
        return head + body + f"        return {self.result}\n"

    def copy(self):
        other = Program.__new__(Program)
        other.text, other.placeholders, other.result = self.text, self.placeholders, self.result
        other.steps, other.types, other.generators = list(self.steps), dict(self.types), {}
        return other


class Pair:
    def __init__(self, folder):
        self.folder = folder
        self.facts = json.loads(read(os.path.join(folder, "facts.json")))
        self.io = json.loads(read(os.path.join(folder, "io.json")))
        self.single = Program(read(os.path.join(folder, "single", "readable.py")))
        self.ranks = self.facts["world_size"]
        texts = glob.glob(os.path.join(folder, "parallel", "rank*.py*"))
        if texts:
            self.programs = [Program(read(os.path.join(folder, "parallel", f"rank{rank}.py")))
                             for rank in range(self.ranks)]
        else:
            self.programs = [Program(read(os.path.join(folder, "parallel", "readable.py")))] * self.ranks
        by_rank = self.facts.get("groups_by_rank") or [self.facts["groups"]] * self.ranks
        self.groups = [{name: group["ranks"] for name, group in table.items()} for table in by_rank]
        mesh = self.facts["mesh"]
        self.axes = list(zip(mesh["axes"], mesh["sizes"]))
        self.expected, self.gaps = {}, {}  # of each seed and scale, for `wrong_outputs`

    def with_programs(self, programs):
        """Returns the pair with other parallel programs and the same single one."""
        other = copy.copy(self)
        other.programs, other.gaps = programs, {}
        return other

    def position(self, rank):
        """Returns the coordinates of a rank in the mesh by axis, row-major."""
        place = {}
        for axis, size in reversed(self.axes):
            place[axis], rank = rank % size, rank // size
        return place


def batches(arguments, groups):
    """Returns the results of all ranks' batches of transfers. A receive writes its buffer too; a send has an empty
    result. `arguments`: of each rank, its operators, peers (places in the group), tags, tensors, and group."""
    sent = {}
    for rank, (operators, peers, tags, tensors, group) in enumerate(arguments):
        for operator, peer, tag, tensor in zip(operators, peers, tags, tensors):
            if operator == "isend":
                sent.setdefault((group, rank, groups[rank][group][peer], tag), []).append(tensor.clone())
    results = []
    for rank, (operators, peers, tags, tensors, group) in enumerate(arguments):
        results.append([tensor.new_empty(0) if operator == "isend" else
                        tensor.copy_(sent[group, groups[rank][group][peer], rank, tag].pop(0))
                        for operator, peer, tag, tensor in zip(operators, peers, tags, tensors)])
    assert not any(sent.values()), "a rank sends what none receives"
    return results


def collective(target, arguments, groups):
    """Returns the results of all ranks. `arguments`: of each rank, with the tensor first."""
    if target == "batch_p2p_ops":
        return batches(arguments, groups)
    results = [None] * len(arguments)
    for rank, given in enumerate(arguments):
        members = groups[rank][given[-1]]
        mine, others = members.index(rank), [arguments[member] for member in members]
        results[rank] = one_result(target, given, others, mine)
    return results


def reduced(tensors, kind):
    whole = torch.stack(tensors)
    return {"sum": whole.sum(0), "avg": whole.sum(0) / len(tensors), "max": whole.amax(0), "min": whole.amin(0),
            "product": whole.prod(0)}[kind]


def one_result(target, given, others, mine):
    if target == "all_reduce":
        return reduced([other[0] for other in others], given[1])
    if target == "all_reduce_coalesced":
        return [reduced([other[0][i] for other in others], given[1]) for i in range(len(given[0]))]
    if target == "all_gather_into_tensor":
        assert len({other[0].shape for other in others}) == 1, "ranks gather tensors of different sizes"
        return torch.cat([other[0] for other in others])
    if target == "reduce_scatter_tensor":
        return reduced([other[0] for other in others], given[1]).chunk(len(others))[mine].clone()
    if target == "all_to_all_single":
        return torch.cat([other[0].split(list(other[2]))[mine] for other in others])
    raise AssertionError(f"no rule for {target}")


CALL = re.compile(r"^torch\.ops\._c10d_functional\.(\w+)\.default\((.*)\)$")
OPERATOR = re.compile(r"\btorch\.ops\.(\w+)\.(\w+)\.(\w+)")
SCOPE = {"torch": torch, "device": torch.device, "inf": math.inf, "nan": math.nan,
         "__builtins__": {"__import__": __import__}}  # which PyTorch's operators call


def operator_name(found):
    """Returns the name under which a generated function finds the operator."""
    namespace, packet, overload = found.groups()
    name = f"__{namespace}__{packet}__{overload}"
    if name not in SCOPE:
        operator = getattr(getattr(getattr(torch.ops, namespace), packet), overload)
        SCOPE[name] = getattr(operator, "_op", operator)  # without a Python frame for each call
    return name


def line_of(name, expression):
    call = CALL.match(expression)
    if call and call[1].startswith("wait_tensor"):
        return f"{name} = {call[2]}"
    if call:
        return f"{name} = yield {call[1]!r}, ({call[2]},)"
    return f"{name} = {OPERATOR.sub(operator_name, expression).replace('torch.float32', 'torch.float64')}"


def generator_of(program):
    """Returns a generator function of the inputs. It yields the name and the arguments of each collective, takes the
    result, and returns the outputs."""
    lines = ["def steps(" + ", ".join(name for name, _ in program.placeholders) + "):"]
    lines += [line_of(name, expression) for name, expression in program.steps]
    lines += [f"return {program.result}", "yield"]
    made = {}
    exec("\n    ".join(lines), SCOPE, made)
    return made["steps"]


def generators_of(programs):
    """Returns the generator function of each rank; equal texts have one."""
    made = {}
    for program in programs:
        key = (*program.steps, program.result)
        if key not in program.generators:
            made[key] = program.generators[key] = made.get(key) or generator_of(program)
    return [program.generators[(*program.steps, program.result)] for program in programs]


def advance(steps, result=None):
    """Executes up to the next collective; returns whether there is one, and the collective or the outputs."""
    try:
        return True, steps.send(result)
    except StopIteration as end:
        return False, end.value


def run(programs, groups, inputs):
    """Executes the programs of all ranks from collective to collective; returns the outputs of each.
    `inputs`: of each rank, in the order of its placeholders."""
    ranks = [steps(*(value.clone() for value in given)) for steps, given in zip(generators_of(programs), inputs)]
    at = [advance(steps) for steps in ranks]
    while any(runs for runs, _ in at):
        assert all(runs for runs, _ in at) and len({call[0] for _, call in at}) == 1, \
            "ranks start different collectives"
        results = collective(at[0][1][0], [call[1] for _, call in at], groups)
        at = [advance(steps, result) for steps, result in zip(ranks, results)]
    return [list(outputs) for _, outputs in at]


def shape_of(kind):
    return [int(size) for size in re.match(r"\w+\[([\d, ]*)\]", kind)[1].split(", ") if size]


# An operator, or a getitem, whose result has the numbers of the named value, perhaps masked. The single device
# subtracts the offset 0 from indices into a part of a table.
SAME_NUMBERS = re.compile(r"^(?:torch\.ops\.aten\.(?:(?:alias|view|_unsafe_view|reshape|flatten|unsqueeze|squeeze|"
                          r"expand|slice|select|split|clone|t|transpose|permute|detach|_to_copy|clamp)\.\w+\(|"
                          r"where\.\w+\(\w+, ))?(\w+)(?:[,)]|\[\d+\]$)|^torch\.ops\.aten\.sub\.Tensor\((\w+), 0\)")
# An operator that reads the second named value as positions in a dimension of the first one.
INDEXED = (re.compile(r"^torch\.ops\.aten\.(?:embedding|nll_loss_forward)\.default\((\w+), (\w+)"),
           re.compile(r"^torch\.ops\.aten\.(?:gather|index_select|scatter)\.\w+\((\w+), (?P<dim>-?\d+), (\w+)"),
           re.compile(r"^torch\.ops\.aten\.index\.Tensor\((\w+), \[(?P<skipped>(?:None, )*)(\w+)\]"))


def indexed_size(program, expression, names):
    """Returns the size of the dimension that one of the names is a position in; None where the operator has no such
    operand."""
    for pattern in INDEXED:
        found = pattern.match(expression)
        if found and found[found.lastindex] in names and program.types.get(found[1]):
            sizes, parts = shape_of(program.types[found[1]]), found.groupdict()
            if ".nll_loss" in expression:
                return sizes[-1]
            return sizes[int(parts["dim"]) if "dim" in parts else (parts.get("skipped") or "").count("None")]
    return None


def classes(program, name):
    """Returns the least size of the dimensions that the integers of an input are positions in; None where there is
    none."""
    names, sizes = {name}, []
    for step, expression in program.steps:
        if (same := SAME_NUMBERS.match(expression)) and (same[1] or same[2]) in names:
            names.add(step)
        elif size := indexed_size(program, expression, names):
            sizes.append(size)
    return min(sizes, default=None)


def drawn_classes(shape, count, seed, generator):
    """Returns each class equally often, but for one, in random order. Together, consecutive seeds take every class."""
    elements = math.prod(shape)
    values = (torch.arange(elements) + seed * elements) % count
    return values[torch.randperm(elements, generator=generator)].view(shape)


def random_input(name, kind, generator):
    """Returns floats that suit what the name says: a second moment is positive."""
    shape = shape_of(kind)
    if name in ("mask", "keep") or "mask" in name:
        return torch.randint(0, 2, shape, generator=generator).double()
    normal = torch.randn(shape, generator=generator, dtype=torch.float64)
    if name.startswith("v."):
        return normal.abs() * 0.1 + 0.01
    if re.search(r"(^|\.)(n\d|nf|norm\d?)(\.|$)", name) and not name.startswith("m."):
        return 1 + 0.1 * normal
    return 0.3 * normal


def cut(value, entry, pair, rank):
    """Returns the part of a whole value that the rank holds; partial sums are not cut."""
    if entry.get("as"):
        value = value.view(entry["as"])
    place, sizes = pair.position(rank), dict(pair.axes)
    order = [axis for axis, _ in pair.axes]
    order.sort(key=lambda axis: (entry.get("split_order") or order).index(axis)
               if axis in (entry.get("split_order") or order) else 0)
    for axis in order:
        if found := re.match(r"shard\((\d+)\)", entry["placement"].get(axis, "replicate")):
            dim = int(found[1])
            chunks = value.chunk(sizes[axis], dim)
            value = chunks[place[axis]] if place[axis] < len(chunks) else value.narrow(dim, 0, 0)
    return (value.flatten(0, 1) if entry.get("as") else value).contiguous()


def inputs_of(pair, seed, scale=1):
    """Returns the inputs of the single device and of each rank. Floats are multiplied by the scale, second moments by
    its magnitude."""
    generator = torch.Generator().manual_seed(seed)
    names = {entry["single"]: entry["of"] for entry in pair.io["inputs"]}
    single = []
    for position, (name, kind) in enumerate(pair.single.placeholders):
        if kind.startswith(("i64", "i32")):
            single.append(drawn_classes(shape_of(kind), classes(pair.single, name) or 8, seed, generator))
        else:
            of = names.get(position, "")
            value = random_input(of, kind, generator)
            factor = abs(scale) if of.startswith("v.") else scale
            single.append(value * factor if value.is_floating_point() else value)
    ranks = [[cut(single[entry["single"]], entry, pair, rank) for entry in pair.io["inputs"]]
             for rank in range(pair.ranks)]
    return single, ranks


def joined_partials(values, entry, pair, rank):
    """Returns the rank's value with the partial sums of its axes joined."""
    for axis, size in pair.axes:
        placement = entry["placement"].get(axis, "replicate")
        if placement.startswith("partial"):
            mine = pair.position(rank)
            peers = [other for other in range(pair.ranks)
                     if all(pair.position(other)[name] == mine[name] for name, _ in pair.axes if name != axis)]
            rest = {**entry, "placement": {**entry["placement"], axis: "replicate"}}
            total = sum(joined_partials(values, rest, pair, peer) for peer in peers)
            return total / size if placement == "partial(avg)" else total
    return values[rank]


def expected_outputs(pair, seed, factor):
    """Returns the outputs of the single device, the inputs of each rank, and by position how much rounding moves an
    output. All are the same for all parallel steps of one single step, such as the one without a mistake and the one
    that has it."""
    if (seed, factor) not in pair.expected:
        single, ranks = inputs_of(pair, seed, factor)
        expected = run([pair.single], [{}], [single])[0]
        pair.expected[seed, factor] = expected, ranks, roundings(pair, single, expected)
    return pair.expected[seed, factor]


def largest_of(tensor):
    return float(tensor.abs().max()) if tensor.numel() else 0.0


def roundings(pair, single, expected):
    """Returns for each output the largest difference that the last bit of the inputs makes."""
    generator = torch.Generator().manual_seed(1)
    moved = [value * (1 + 2.0 ** -52 * torch.randint(-1, 2, value.shape, generator=generator).double())
             if value.is_floating_point() else value for value in single]
    return [largest_of(a - b) for a, b in zip(run([pair.single], [{}], [moved])[0], expected)]


def largest_gaps(pair, seed, factor):
    """Returns {name of an output: the largest difference of a rank, relative to the largest value}. What the last bits
    of the inputs explain is no difference."""
    expected, ranks, noise = expected_outputs(pair, seed, factor)
    outputs, gaps = run(pair.programs, pair.groups, ranks), {}
    for entry in pair.io["outputs"]:
        whole = expected[entry["single"]]
        scale = max(largest_of(whole), SMALLEST)
        values = [output[entry["position"]] for output in outputs]
        for rank in range(pair.ranks):
            part, got = cut(whole, entry, pair, rank), joined_partials(values, entry, pair, rank)
            gap = math.inf if part.shape != got.shape else largest_of(part - got)
            # NaN is in no order: kept as it is, the gap of the next rank would replace it.
            gap = math.inf if math.isnan(gap) else gap
            gap = gap / scale if not gap <= ROUNDINGS * noise[entry["single"]] else 0.0
            gaps[entry["of"]] = max(gap, gaps.get(entry["of"], 0.0))
    return gaps


def gaps_if_accepted(pair, seed, factor):
    """Returns `largest_gaps`; none where the single step refuses inputs of another scale than 1, of which it makes what
    an operator rejects, such as a probability that is no number."""
    try:
        expected_outputs(pair, seed, factor)
    except RuntimeError:
        if factor == 1:
            raise
        return {}
    return largest_gaps(pair, seed, factor)


def wrong_outputs(pair, seeds=((1, 1), (2, 1)), share=1):
    """Returns {name of an output: the largest difference relative to the largest value} of those that differ.
    `seeds`: of the inputs, and the scale of each. Larger inputs reach what clamps and activations hide of small ones;
    exponentials of them lose digits. `share`: of the tolerance that is used."""
    wrong = {}
    for seed, factor in seeds:
        tolerance = share * (TOLERANCE if factor == 1 else LOOSE_TOLERANCE)
        if (seed, factor) not in pair.gaps:
            pair.gaps[seed, factor] = gaps_if_accepted(pair, seed, factor)
        for of, gap in pair.gaps[seed, factor].items():
            if not gap <= tolerance:
                wrong[of] = max(wrong.get(of, 0.0), gap)
    return wrong


def write(pair, folder):
    """Writes the pair, each rank's text in a file of its own."""
    os.makedirs(os.path.join(folder, "parallel"), exist_ok=True)
    os.makedirs(os.path.join(folder, "single"), exist_ok=True)
    def put(name, text):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    put("single/readable.py", pair.single.text)
    for rank, program in enumerate(pair.programs):
        put(f"parallel/rank{rank}.py", program.lines())
        table = (pair.facts.get("groups_by_rank") or [pair.facts["groups"]] * pair.ranks)[rank]
        put(f"parallel/groups.rank{rank}.json",
            json.dumps({"world_size": pair.ranks, "groups": table}))
    put("io.json", json.dumps(pair.io))
    put("facts.json", json.dumps(pair.facts))
