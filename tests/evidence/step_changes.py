"""Random changes of the text of a parallel step: those that people make by mistake, and rewrites that look wrong and
are not. Each returns a function that changes a program and the positions of what it changes, or None if the step has
no place for it."""
import re

import step_pairs as pairs

COLLECTIVE = re.compile(r"^torch\.ops\._c10d_functional\.(all_reduce|reduce_scatter_tensor|all_gather_into_tensor)"
                        r"\.default\((\w+), (.*)\)$")
VIEWS = ("view", "t", "transpose", "permute", "expand", "unsqueeze", "squeeze", "alias", "_unsafe_view", "clone",
         "wait_tensor", "_to_copy", "select", "slice")


def word(name):
    return re.compile(rf"(?<![\w.]){re.escape(name)}(?![\w.])")


def read_by(expression, name):
    return bool(word(name).search(expression))


def readers(program, name):
    return [i for i, (_, expression) in enumerate(program.steps) if read_by(expression, name)]


def replace_uses(program, old, new, after):
    """Replaces the value in all steps behind the position, and in the result."""
    for i in range(after + 1, len(program.steps)):
        name, expression = program.steps[i]
        program.steps[i] = (name, word(old).sub(new, expression))
    program.result = word(old).sub(new, program.result)


def set_step(program, i, expression):
    program.steps[i] = (program.steps[i][0], expression)


def insert(program, i, name, expression):
    """Inserts a step without a stated type: the strides of a result may differ from those of its operand."""
    program.steps.insert(i, (name, expression))


def waits(program):
    """Returns [(position of a wait, position of its collective, kind, operand, other arguments)]."""
    found, at = [], {name: i for i, (name, _) in enumerate(program.steps)}
    for i, (_, expression) in enumerate(program.steps):
        if call := re.match(r"^torch\.ops\._c10d_functional\.wait_tensor\.default\((\w+)\)$", expression):
            if call[1] in at and (started := COLLECTIVE.match(program.steps[at[call[1]]][1])):
                found.append((i, at[call[1]], started[1], started[2], started[3]))
    return found


def pick_wait(random, program, kinds):
    return random.choice([it for it in waits(program) if it[2] in kinds] or [None])


def missing_reduction(random, pair):
    found = pick_wait(random, pair.programs[0], ("all_reduce",))
    if not found:
        return None
    def change(program):
        set_step(program, found[0], f"torch.ops.aten.clone.default({found[3]})")
        set_step(program, found[1], f"torch.ops.aten.clone.default({found[3]})")
    return change, [found[0], found[1]]


def reduce_result(program, step, launch, new):
    """Reduces the result of a step once more, with a wait, for all that read it."""
    name = program.steps[step][0]
    replace_uses(program, name, f"{new}_wait", step)
    insert(program, step + 1, new, f"torch.ops._c10d_functional.all_reduce.default({name}, {launch})")
    insert(program, step + 2, f"{new}_wait", f"torch.ops._c10d_functional.wait_tensor.default({new})")


def double_reduction(random, pair):
    found = pick_wait(random, pair.programs[0], ("all_reduce",))
    if not found:
        return None
    def change(program):
        reduce_result(program, found[0], found[4], "again")
    return change, [found[0], found[0] + 1, found[0] + 2]


def other_operator(random, pair):
    found = pick_wait(random, pair.programs[0], ("all_reduce", "reduce_scatter_tensor"))
    if not found:
        return None
    was = found[4].split(",")[0].strip("'")
    now = random.choice([kind for kind in ("sum", "avg", "max") if kind != was])
    def change(program):
        set_step(program, found[1], program.steps[found[1]][1].replace(f"'{was}'", f"'{now}'"))
    return change, [found[0], found[1]]


def other_group(random, pair):
    found = pick_wait(random, pair.programs[0], ("all_reduce", "reduce_scatter_tensor", "all_gather_into_tensor"))
    if not found:
        return None
    mine = found[4].split(",")[-1].strip(" '")
    if mine not in pair.groups[0]:
        return None
    others = [name for name, members in pair.groups[0].items()
              if name != mine and len(members) == len(pair.groups[0][mine]) and
              all(name in table for table in pair.groups)]
    if not others:
        return None
    now = random.choice(others)
    def change(program):
        set_step(program, found[1], program.steps[found[1]][1].replace(f"'{mine}')", f"'{now}')"))
    return change, [found[0], found[1]]


def calls(program, pattern):
    return [(i, found) for i, (_, expression) in enumerate(program.steps)
            if (found := re.match(pattern, expression))]


SCALED = r"^torch\.ops\.aten\.(?:div|mul)\.(?:Scalar|Tensor)\((\w+), ([\d.e-]+)\)$"


def missing_scale(random, pair):
    found = random.choice(calls(pair.programs[0], SCALED) or [None])
    if not found:
        return None
    return lambda program: set_step(program, found[0], f"torch.ops.aten.clone.default({found[1][1]})"), [found[0]]


def scale_twice(random, pair):
    found = random.choice(calls(pair.programs[0], SCALED) or [None])
    if not found:
        return None
    def change(program):
        name, expression = program.steps[found[0]]
        replace_uses(program, name, "scaled_again", found[0])
        insert(program, found[0] + 1, "scaled_again",
               expression.replace(f"({found[1][1]},", f"({name},"))
    return change, [found[0], found[0] + 1]


def stale_value(random, pair):
    """A reader of a reduced value reads it as it was before."""
    found = pick_wait(random, pair.programs[0], ("all_reduce",))
    if not found:
        return None
    name = pair.programs[0].steps[found[0]][0]
    at = random.choice(readers(pair.programs[0], name) or [None])
    if at is None:
        return None
    return lambda program: set_step(program, at, word(name).sub(found[3], program.steps[at][1])), [at, found[0]]


def sign(random, pair):
    found = random.choice(calls(pair.programs[0], r"^torch\.ops\.aten\.add\.Tensor\((\w+), (\w+)\)$") or [None])
    if not found:
        return None
    return lambda program: set_step(program, found[0], program.steps[found[0]][1].replace(".add.", ".sub.")), [found[0]]


def missing_term(random, pair):
    program = pair.programs[0]
    found = random.choice([it for it in calls(program, r"^torch\.ops\.aten\.add\.Tensor\((\w+), (\w+)\)$")
                           if program.types.get(it[1][1]) == program.types[program.steps[it[0]][0]]] or [None])
    if not found:
        return None
    return lambda program: set_step(program, found[0], f"torch.ops.aten.clone.default({found[1][1]})"), [found[0]]


def other_part(random, pair):
    """A rank takes the part of another rank."""
    program = pair.programs[0]
    found = random.choice([it for it in calls(program, r"^(\w+)\[(\d+)\]$") if "split" in it[1][1]] or [None])
    if not found:
        return None
    count = len([1 for _, call in calls(program, r"^(split\w*)\[(\d+)\]$") if call[1] == found[1][1]])
    def change(program):
        part = int(re.match(r"^\w+\[(\d+)\]$", program.steps[found[0]][1])[1])
        set_step(program, found[0], f"{found[1][1]}[{(part + 1) % max(count, pair.ranks if count == 1 else 1)}]")
    return change, [found[0]]


def other_offset(random, pair):
    """A rank's offset in a vocabulary or sequence is another one."""
    offsets = r"^torch\.ops\.aten\.(?:sub|lt|ge)\.(?:Scalar|Tensor)\((\w+), (\d+)\)$"
    found = random.choice(calls(pair.programs[0], offsets) or [None])
    if not found:
        return None
    step = random.choice((-2, -1, 1, 2))
    def change(program):
        begin, number = re.match(r"^(.*, )(\d+)\)$", program.steps[found[0]][1]).groups()
        set_step(program, found[0], f"{begin}{max(int(number) + step, 0)})")
    return change, [found[0]]


def other_operand(random, pair):
    """A step reads another value of the same type."""
    program = pair.programs[0]
    at = random.randrange(len(program.steps))
    name, expression = program.steps[at]
    if "c10d" in expression or not (program.types.get(name) or "").startswith("f"):
        return None
    earlier = [value for value, _ in program.placeholders] + [value for value, _ in program.steps[:at]]
    read = [value for value in earlier if read_by(expression, value)]
    if not read:
        return None
    old = random.choice(read)
    fits = [value for value in earlier if value != old and program.types.get(value) == program.types.get(old)]
    if not fits or not program.types.get(old):
        return None
    new = random.choice(fits)
    return lambda program: set_step(program, at, word(old).sub(new, program.steps[at][1])), [at]


def cut_for_reduction(random, pair):
    """A gradient is cut where it should be reduced and scattered."""
    found = pick_wait(random, pair.programs[0], ("reduce_scatter_tensor",))
    if not found:
        return None
    group = found[4].split(",")[-1].strip(" '")
    ranks = {id(program): rank for rank, program in enumerate(pair.programs)}
    def change(program, rank=None):
        kind = program.types[program.steps[found[1]][0]]
        rows = pairs.shape_of(kind)[0]
        mine = pair.groups[rank][group].index(rank)
        set_step(program, found[1], f"torch.ops.aten.slice.Tensor({found[3]}, 0, {mine * rows}, {(mine + 1) * rows})")
        set_step(program, found[0], f"torch.ops.aten.clone.default({program.steps[found[1]][0]})")
    return change, [found[0], found[1]]


def scatter_and_gather(random, pair):
    """All-reduce as reduce-scatter and all-gather: equal."""
    program = pair.programs[0]
    def suits(it):
        size = len(pair.groups[0].get(it[4].split(",")[-1].strip(" '"), [0] * pair.ranks))
        shape = pairs.shape_of(program.types[it[3]]) if program.types.get(it[3]) else []
        return it[2] == "all_reduce" and "max" not in it[4] and shape and shape[0] % size == 0
    found = random.choice([it for it in waits(program) if suits(it)] or [None])
    if not found:
        return None
    operator, group = found[4].split(", ")
    size = len(pair.groups[0].get(group.strip("'"), [0] * pair.ranks))
    def change(program):
        set_step(program, found[0], "torch.ops._c10d_functional.wait_tensor.default(whole)")
        insert(program, found[0], "part",
               f"torch.ops._c10d_functional.reduce_scatter_tensor.default({found[3]}, {operator}, {size}, {group})")
        insert(program, found[0] + 1, "part_wait", "torch.ops._c10d_functional.wait_tensor.default(part)")
        insert(program, found[0] + 2, "whole",
               f"torch.ops._c10d_functional.all_gather_into_tensor.default(part_wait, {size}, {group})")
        del program.steps[found[1]]
    return change, []


def average_as_sum(random, pair):
    """avg as sum and division: equal."""
    found = random.choice([it for it in waits(pair.programs[0]) if it[4].startswith("'avg'")] or [None])
    if not found:
        return None
    size = len(pair.groups[0].get(found[4].split(",")[-1].strip(" '"), [0] * pair.ranks))
    def change(program):
        set_step(program, found[1], program.steps[found[1]][1].replace("'avg'", "'sum'"))
        name = program.steps[found[0]][0]
        replace_uses(program, name, "mean_of_all", found[0])
        insert(program, found[0] + 1, "mean_of_all", f"torch.ops.aten.div.Scalar({name}, {size})")
    return change, []


def halves(random, pair):
    """x as x/4 + 3x/4: equal."""
    program = pair.programs[0]
    found = random.choice([it for it in calls(program, r"^torch\.ops\.aten\.(?:mm|mul|add|view)\.\w+\(")
                           if program.types[program.steps[it[0]][0]].startswith("f")] or [None])
    if not found:
        return None
    def change(program):
        name = program.steps[found[0]][0]
        replace_uses(program, name, "whole_again", found[0])
        insert(program, found[0] + 1, "quarter", f"torch.ops.aten.mul.Scalar({name}, 0.25)")
        insert(program, found[0] + 2, "rest", f"torch.ops.aten.mul.Scalar({name}, 0.75)")
        insert(program, found[0] + 3, "whole_again", "torch.ops.aten.add.Tensor(quarter, rest)")
    return change, []


def swapped_terms(random, pair):
    found = random.choice(calls(pair.programs[0], r"^torch\.ops\.aten\.(?:add|mul)\.Tensor\((\w+), (\w+)\)$") or [None])
    if not found:
        return None
    def change(program):
        name, expression = program.steps[found[0]]
        first, second = re.search(r"\((\w+), (\w+)\)", expression).groups()
        set_step(program, found[0], expression.replace(f"({first}, {second})", f"({second}, {first})"))
    return change, []


def shifted_softmax(random, pair):
    """A softmax of values that are all larger by one: equal."""
    found = random.choice(calls(pair.programs[0], r"^torch\.ops\.aten\._(?:log_)?softmax\.default\((\w+), ")
                          or [None])
    if not found:
        return None
    def change(program):
        name = re.match(r"^torch\.ops\.aten\._(?:log_)?softmax\.default\((\w+), ", program.steps[found[0]][1])[1]
        set_step(program, found[0], program.steps[found[0]][1].replace(f"({name},", "(shifted,"))
        insert(program, found[0], "shifted", f"torch.ops.aten.add.Tensor({name}, 1.0)")
    return change, []


def average_again(random, pair):
    """An average over a group of a value: equal where the value is replicated."""
    program = pair.programs[0]
    group = random.choice(sorted(pair.groups[0]) or [None])
    found = random.choice([it for it in calls(program, r"^torch\.ops\.aten\.(?:mm|mul|add|sum|view)\.\w+\(")
                           if program.types[program.steps[it[0]][0]].startswith("f")] or [None])
    if not found or group is None:
        return None
    def change(program):
        reduce_result(program, found[0], f"'avg', '{group}'", "average")
    return change, [found[0], found[0] + 1, found[0] + 2]


ALL_RANKS = (missing_reduction, double_reduction, other_operator, other_group, missing_scale, scale_twice, stale_value,
             sign, missing_term, other_part, other_offset, other_operand, cut_for_reduction, scatter_and_gather,
             average_as_sum, halves, swapped_terms, shifted_softmax, average_again)
ONE_RANK = (missing_scale, scale_twice, sign, missing_term, other_part, other_offset, other_operand)


def changed(pair, kind, random, one):
    """Returns the changed programs and the names of changed values; None if the pair has no place for it."""
    made = kind(random, pair)
    if not made:
        return None
    change, places = made
    ranks = [random.randrange(pair.ranks)] if one else range(pair.ranks)
    copies = [program.copy() for program in pair.programs]
    for rank in ranks:
        if kind is cut_for_reduction:
            change(copies[rank], rank)
        else:
            change(copies[rank])
    return copies, {copies[ranks[0]].steps[i][0] for i in places}


def near(program, names):
    """Returns the names, and values that views, copies and waits connect with them, and their readers."""
    expressions = dict(program.steps)
    def is_view(name):
        call = re.match(r"^torch\.ops\.\w+\.(\w+)\.", expressions.get(name, ""))
        return bool(call) and call[1] in VIEWS
    found = set(names)
    for name in names:
        for i in readers(program, name):
            found.add(program.steps[i][0])
        found |= set(re.findall(r"\b[a-z_]\w*\b", expressions.get(name, ""))) & set(expressions)
    grown = True
    while grown:
        grown = False
        for name, expression in program.steps:
            if is_view(name):
                operand = re.search(r"\((\w+)", expression)
                if operand and (name in found) != (operand[1] in found) and operand[1] in expressions:
                    found |= {name, operand[1]}
                    grown = True
    return found
