"""Pairs of a random step on one device and on the ranks of a mesh, right or with one mistake, and the nodes at which a
mistake may be named."""
import difflib, itertools, random, re

import step_pairs as pairs
from random_step import Plan, Step
import random_step_capture
from random_step_rank import ALONE, WHAT, Bug
from step_changes import ALL_RANKS, ONE_RANK, VIEWS, changed, readers

WORD = re.compile(r"(?<![\w.'])([A-Za-z_]\w*)(?![\w'])")


# The result depends on the sizes of the operand alone, so the seed of a gradient does not depend on the loss.
SIZES_ONLY = re.compile(r"^torch\.ops\.aten\.(?:ones_like|zeros_like|empty_like|full_like|new_\w+)\.")
# A negative scale also makes weights of norms negative, which are otherwise about 1.
SEEDS = ((1, 1), (2, 1), (3, 0.2), (4, 4), (5, 1.5), (6, -1.5))


class RandomPair(pairs.Pair):
    def __init__(self, seed, without=()):
        self.plan = Plan(seed, without)
        mesh = self.plan.mesh
        self.folder, self.axes, self.ranks = f"seed {seed}", list(mesh.items()), 1
        for size in mesh.values():
            self.ranks *= size
        single = Step(self.plan, None)
        self.expected, self.gaps = {}, {}
        self.single = pairs.Program(random_step_capture.chosen(single))
        self.kinds, self.programs, entries = [], [], None
        for number in range(self.ranks):
            step = self.capture_rank(number, None)
            entries = entries or self.entries(single, step)
            if not step.rank.reads_number:
                self.programs *= self.ranks
                break
        self.io = {"mesh": {"axes": list(mesh), "sizes": list(mesh.values())}, **entries}
        tables = [self.groups_of(number) for number in range(self.ranks)]
        self.groups = [{name: it["ranks"] for name, it in table.items()} for table in tables]
        self.facts = {"world_size": self.ranks, "mesh": self.io["mesh"], "groups": tables[0], "groups_by_rank": tables}

    def capture_rank(self, number, bug):
        step = Step(self.plan, number, bug)
        program = pairs.Program(random_step_capture.chosen(step))
        self.programs.append(program)
        self.kinds = self.kinds or list(step.rank.kinds)
        return step

    def groups_of(self, number):
        rank, axes = self.plan.rank(number), list(self.plan.mesh)
        found = {}
        for count in range(1, len(axes) + 1):
            for some in itertools.combinations(axes, count):
                found[rank.group(some)] = {"ranks": rank.members(some, number)}
                if count == 1:
                    found[rank.group(some)]["desc"] = "mesh_" + some[0]
        return found

    @staticmethod
    def entries(single, step):
        of_single = [entry["of"] for entry, _, _ in single.inputs()]
        inputs = [{"position": i, "single": of_single.index(entry["of"]), **entry}
                  for i, (entry, _, _) in enumerate(step.inputs())]
        outputs = [{"position": i, "single": single.outputs.index(entry["of"]), **entry}
                   for i, entry in enumerate(step.output_entries())]
        return {"inputs": inputs, "outputs": outputs}

    def have_equal_names(self):
        return len({tuple(name for name, _ in program.steps) for program in self.programs}) == 1

    def with_bug(self, bug):
        """Captures the ranks again, with one mistake."""
        other = self.with_programs([])
        for number in range(self.ranks) if bug.rank is None else [bug.rank]:
            step = other.capture_rank(number, bug)
            if bug.rank is None and not step.rank.reads_number:
                other.programs *= self.ranks
                break
        if bug.rank is not None:
            other.programs = [other.programs[0] if number == bug.rank else program
                              for number, program in enumerate(self.programs)]
        return other


def mistaken(pair, draw):
    """Returns the name of a mistake and the pair that has it; None where the drawn mistake has no place."""
    alone = draw.random() < 0.2
    if draw.random() < 0.4:
        kind = draw.choice(ONE_RANK if alone else ALL_RANKS)
        made = changed(pair, kind, draw, alone) if pair.have_equal_names() else None
        name = kind.__name__.replace("_", " ") + (", on one rank" if alone else "")
        return made and (name, pair.with_programs(made[0]))
    sites = [i for i, kind in enumerate(pair.kinds) if not alone or kind in ALONE]
    if not sites:
        return None
    kind = draw.choice(sorted({pair.kinds[i] for i in sites}))
    site = draw.choice([i for i in sites if pair.kinds[i] == kind])
    bug = Bug(site, draw.choice(WHAT[kind]), draw.randrange(pair.ranks) if alone else None)
    try:
        other = pair.with_bug(bug)
    except (RuntimeError, IndexError, TypeError, AssertionError):
        return None
    return f"{kind}: {bug.what}" + (", on one rank" if alone else ""), other


def values_of(program):
    """Returns {name: a text that states how the value is computed from the inputs}, with short texts for long ones."""
    texts = {name: name for name, _ in program.placeholders}
    for name, expression in program.steps:
        of = program.types if SIZES_ONLY.match(expression) else texts
        texts[name] = str(hash(WORD.sub(lambda word: of.get(word[1], word[1]), expression)))
    return texts


def mistaken_nodes(right, wrong):
    """Returns the nodes of a changed program that compute from right values what the right program does not compute,
    and the right values that lack a reader; and what only views and copies separate from them."""
    old, new = values_of(right), values_of(wrong)
    known, steps = set(old.values()), dict(wrong.steps)
    names = {text: name for name, text in old.items()}
    found = set()
    operands = {name: [word for word in WORD.findall(expression) if word in new] for name, expression in wrong.steps}
    for name, of in operands.items():
        if new[name] in known or any(new[word] not in known for word in of):
            continue
        found.add(name)
        for word in of:
            before = {old[right.steps[i][0]] for i in readers(right, names[new[word]])}
            if before - {new[wrong.steps[i][0]] for i in readers(wrong, word)}:
                found.add(word)
    found |= inserted(right, wrong)
    if not found:
        found = {name for name in WORD.findall(wrong.result) if name in new}
    return with_views(steps, found)


def inserted(right, wrong):
    """Returns the steps of the changed program that a comparison of both lists of operators shows as new."""
    def kinds(program):
        return [WORD.sub("v", expression) for _, expression in program.steps]
    matcher = difflib.SequenceMatcher(None, kinds(right), kinds(wrong), autojunk=False)
    return {wrong.steps[i][0] for tag, _, _, begin, end in matcher.get_opcodes() if tag != "equal"
            for i in range(begin, end)}


def with_views(steps, found):
    found = set(found)
    grown = True
    while grown:
        grown = False
        for name, expression in steps.items():
            call = re.match(r"^torch\.ops\.\w+\.(\w+)\.\w+\((\w+)", expression)
            if call and call[1] in VIEWS and (name in found) != (call[2] in found) and call[2] in steps:
                found |= {name, call[2]}
                grown = True
    return found


def random_mistake(pair, seed):
    """Returns the name of a mistake, the pair that has it, and its wrong outputs."""
    draw = random.Random(seed)
    # Inputs for which the right step is rounding noise decide nothing.
    seeds = [it for it in SEEDS if not pairs.wrong_outputs(pair, (it,), 0.01)] or SEEDS[:2]
    for _ in range(100):
        made = mistaken(pair, draw)
        if not made:
            continue
        try:
            return *made, pairs.wrong_outputs(made[1], seeds)
        except (RuntimeError, AssertionError, IndexError, KeyError):
            continue  # It is no program, such as a part of another size.
    return None
