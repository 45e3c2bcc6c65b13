"""Runs programs before and after on processes that are the ranks of one world size, joined by PyTorch's gloo.

A Program is a value: texts for each rank, its groups, inputs and expected results. A set of processes is reused
while its programs behave. A program that raises, crashes or does not end destroys the set, and a new set continues
with the next program.

Each variant of a program runs on the same inputs as the text before it, once with a rank that launches each
collective late, so that early reads and overwrites become visible. The comparison covers on each rank the outputs
(their number, dtype, shape, strides and elements), the inputs afterwards, and which outputs share memory with one
another or with an input.
"""
import ctypes, datetime, inspect, math, multiprocessing, os, re, signal, sys, tempfile, time, traceback, zlib
from dataclasses import dataclass, field
from multiprocessing.connection import wait

os.environ.update(OMP_NUM_THREADS="1", TORCH_CPP_LOG_LEVEL="ERROR")
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives
import torch.distributed.tensor
# their operators
import torch._inductor.fx_passes.bucketing
import torch._inductor.fx_passes.control_dependencies
import torch._inductor.inductor_prims
from torch.distributed.device_mesh import init_device_mesh

from one_thread_gloo import init_process_group

SECONDS = 25  # until a program counts as hanging
LATE = 0.0005
MESH = "a mesh of 1 x all ranks"  # an input that stands for one


@dataclass
class Program:
    name: str
    world: int
    before: list                                  # text, by rank
    after: dict                                   # variant -> texts, by rank
    groups: list                                  # by rank: group name -> ranks
    inputs: object                                # rank -> [(name, tensor or number or None)]
    attributes: object = lambda rank: {}          # rank -> {name: value}
    exact: bool = True                            # bitwise; else within `tolerance`
    tolerance: object = lambda rank, key: (0, 0)  # rank, "out.0" -> (atol, rtol)
    recorded: object = lambda rank: {}            # rank -> {"out.0": tensor}: what PyTorch gave where it was captured
    # by rank: "out.0" -> CRC-32 of its bytes, as the interpreter computes it
    sums: list = None
    faults: list = field(default_factory=list)
    crashes: int = 0
    notes: list = field(default_factory=list)


# --- Texts -----------------------------------------------------------------------------------------------------------

class Caller:
    """Wraps each operator of a text: gives collectives this run's groups, and launches late if requested."""

    def __init__(self, groups, late):
        self.groups, self.late = groups, late

    def __call__(self, op):
        space, _, name = op._schema.name.partition("::")
        if "c10d" not in space and space != "_dtensor" or name.startswith("wait_tensor") or name.startswith("mesh_"):
            return op

        def go(*args, **kwargs):
            if self.late:
                time.sleep(LATE)
            result = op(*[self.named(a) for a in args], **{k: self.named(v) for k, v in kwargs.items()})
            if space == "c10d":  # their texts hold no wait
                for part in result if isinstance(result, (tuple, list)) else [result]:
                    if isinstance(part, torch.ScriptObject):
                        part.wait()
            return result
        return go

    def named(self, argument):
        return self.groups[argument].group_name if isinstance(argument, str) and argument in self.groups else argument


def module_of(text, caller, attributes):
    """Returns the text as a module; the classes in it, which are its subgraphs, are its submodules."""
    text = re.sub(r"^class [^(]*\(", "class Program(", text, count=1, flags=re.M)
    text = re.sub(r"\b(torch\.ops\.(?!higher_order)\w+\.\w+\.\w+)\(", r"caller(\1)(", text)
    scope = dict(torch=torch, caller=caller, device=torch.device, inf=math.inf, nan=math.nan,
                 operator=__import__("operator"), NoneType=type(None))
    exec(compile(text, "<program>", "exec"), scope)

    def instance(kind):
        made = kind()
        for name, member in vars(kind).items():
            if isinstance(member, type) and issubclass(member, torch.nn.Module):
                # the class of this name takes precedence over a registered submodule
                made.__dict__[name] = instance(member)
        return made
    module = instance(scope["Program"])
    for name, value in attributes.items():
        setattr(module, name, value)
    return module


# --- What is compared ------------------------------------------------------------------------------------------------

def leaves(outputs):
    return torch.utils._pytree.tree_leaves(outputs)


def memory(tensor):
    """Returns the range of bytes that the tensor covers."""
    last = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride()))
    return tensor.data_ptr(), tensor.data_ptr() + (last + 1) * tensor.element_size()


def sharing(tensors):
    """Returns for each tensor the first one whose memory it overlaps, and the distance of their beginnings."""
    ranges = [memory(t) if isinstance(t, torch.Tensor) and t.numel() else None for t in tensors]

    def first(i):
        return next(((j, ranges[i][0] - ranges[j][0]) for j in range(i) if ranges[j] and ranges[j][0] < ranges[i][1]
                     and ranges[i][0] < ranges[j][1]), None)
    return [first(i) if ranges[i] else None for i in range(len(tensors))]


def numbers(tensor):
    tensor = tensor.detach().resolve_conj().resolve_neg()
    return torch.view_as_real(tensor) if tensor.is_complex() else tensor


def bytes_of(tensor):
    return numbers(tensor).clone(memory_format=torch.contiguous_format).flatten().view(torch.uint8)


def with_one_zero(tensor):
    """Returns the tensor with 0 for -0: which of the two a maximum of both is depends on the order in which a backend
    compares."""
    has_both = tensor.dtype.itemsize > 1 and (tensor.dtype.is_floating_point or tensor.dtype.is_complex)
    return tensor + 0 if has_both else tensor


def bits_equal(a, b):
    return torch.equal(bytes_of(a), bytes_of(b))


def distance(got, want):
    """Returns the largest |got - want| of unequal elements; infinite if one of two is NaN."""
    got, want = numbers(got).double(), numbers(want).double()
    apart = (got - want).abs().nan_to_num(nan=math.inf, posinf=math.inf)
    return torch.where((got == want) | ((got != got) & (want != want)), 0.0, apart)


def difference(key, got, want, exact, tolerance, slack):
    if type(got) is not type(want) and not (isinstance(got, torch.Tensor) and isinstance(want, torch.Tensor)):
        return f"{key} is {type(got).__name__}, expected {type(want).__name__}"
    if not isinstance(want, torch.Tensor):
        return None if got == want or got is want else f"{key} is {got}, expected {want}"
    if got.dtype != want.dtype or got.shape != want.shape or got.stride() != want.stride() and want.numel() > 1:
        return (f"{key} is {got.dtype} {list(got.shape)} {got.stride()}, expected {want.dtype} {list(want.shape)} "
                f"{want.stride()}")
    if bits_equal(got, want):
        return None
    atol, rtol = (0, 0) if exact else tolerance
    apart = distance(got, want)
    over = apart > torch.clamp(atol + rtol * numbers(want).double().abs().nan_to_num(posinf=0), min=slack)
    return (f"{key} differs by {apart.max().item():.6g} in {int(over.sum())} of {over.numel()} numbers" if over.any()
            else None)


# --- One rank --------------------------------------------------------------------------------------------------------

class Rank:
    def __init__(self, rank, world, programs):
        self.rank, self.world, self.pools = rank, world, {}
        everyone = tuple(range(world))
        wanted = sorted({(tuple(cell), k) for p in programs for r in range(world)
                         for cell, k in self.keys(p, r).values()})
        for cell, k in wanted:
            self.pools[cell, k] = dist.group.WORLD if (cell, k) == (everyone, 0) else dist.new_group(list(cell))
        self.mesh = (init_device_mesh("cpu", (1, world), mesh_dim_names=("one", "all"))
                     if any("_dtensor.mesh" in p.before[0] for p in programs) else None)

    @staticmethod
    def keys(program, rank):
        """Names groups by their ranks and by the number of earlier groups with the same ranks."""
        found, seen = {}, {}
        for name in sorted(program.groups[rank], key=lambda n: (len(n), n)):
            cell = tuple(sorted(program.groups[rank][name]))
            found[name] = cell, seen.setdefault(cell, 0)
            seen[cell] += 1
        return found

    def run(self, program, text, late):
        groups = {name: self.pools[key] for name, key in self.keys(program, self.rank).items() if self.rank in key[0]}
        attributes = {"mesh": self.mesh} | {n: g.boxed() if n.startswith("_torchbind") else g
                                            for n, g in groups.items() if n.isidentifier()}
        named = [(name, self.mesh if value is MESH else value) for name, value in program.inputs(self.rank)]
        inputs = [value for _, value in named]
        torch.manual_seed(0)
        with torch.no_grad():
            outputs = leaves(module_of(text, Caller(groups, late), attributes | program.attributes(self.rank))(*inputs))
            for output in outputs:
                if isinstance(output, torch.Tensor):
                    torch.ops._c10d_functional.wait_tensor(output)
        for pool in dict.fromkeys(groups.values()):
            dist.barrier(pool)  # so that a launch that another rank lacks hangs here, and not in the next program
        results = {f"out.{i}": output for i, output in enumerate(outputs)}
        results |= {f"after.{name}": value for name, value in named if isinstance(value, torch.Tensor)}
        return results, sharing(list(results.values()))

    def compare(self, program, say):
        """Returns [faults], [notes] of this rank; `say` reports each stage."""
        say("before")
        want, shared = self.run(program, program.before[self.rank], False)
        slack = self.slack(program, want)
        faults, notes = [], self.sums(program, want)
        for what, texts in program.after.items():
            late = len(what) % 2 * (self.world - 1)
            say(what)
            got, now = self.run(program, texts[self.rank], self.rank == late)
            bad = [f"{len(got)} results, expected {len(want)}"] if got.keys() != want.keys() else []
            bad += filter(None, (difference(k, got[k], want[k], program.exact, program.tolerance(self.rank, k),
                                            slack.get(k, 0)) for k in want if k in got))
            bad += [f"results share memory as {now}, expected {shared}"] if not bad and now != shared else []
            faults += [f"{what}: rank {self.rank}: {b}" for b in bad]
        return faults, notes

    def slack(self, program, results):
        """Returns four times the distance of this run from the recorded one, on the rank with the largest distance:
        gloo adds in its own order."""
        if program.exact:
            return {}
        recorded = program.recorded(self.rank)
        far = {k: distance(v, recorded[k]).max().item() if v.numel() else 0.0 for k, v in results.items()
               if k in recorded and isinstance(v, torch.Tensor) and v.dtype == recorded[k].dtype
               and v.shape == recorded[k].shape}
        everyone = [None] * self.world
        dist.all_gather_object(everyone, far)
        return {k: 4 * max(f.get(k, 0.0) for f in everyone) for k in far}

    def sums(self, program, results):
        if not program.sums:
            return []
        sums = program.sums[self.rank]
        return [f"rank {self.rank}: {k}" for k, v in results.items() if k in sums and isinstance(v, torch.Tensor)
                and zlib.crc32(bytes_of(with_one_zero(v)).numpy().tobytes()) != sums[k]]


def rank_main(rank, world, programs, pipe, store):
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: it ends with its parent
    torch.set_num_threads(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    at = None
    try:
        init_process_group(dist.FileStore(store, world), rank, world, datetime.timedelta(seconds=4 * SECONDS))
        self = Rank(rank, world, programs)
        for at, program in enumerate(programs):
            pipe.send((at, "result", self.compare(program, lambda stage: pipe.send((at, "stage", stage)))))
    except BaseException as error:
        place = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == "<program>"]
        lines = (str(error).strip() or "?").splitlines()
        pipe.send((at, "raised", f"{type(error).__name__}: {lines[0][:200]}"
                   + (f" (line {place[0].lineno})" if place else "")))
    time.sleep(1e6)  # its exit would break the last barrier of the others


# --- All ranks -------------------------------------------------------------------------------------------------------

def run_set(world, programs):
    """Runs programs until one misbehaves; returns how many are finished. Their faults and notes are stored in them."""
    context = multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory() as folder:
        pipes, processes = [], []
        for rank in range(world):
            mine, theirs = context.Pipe(duplex=False)
            process = context.Process(target=rank_main,
                                      args=(rank, world, programs, theirs, os.path.join(folder, "store")), daemon=True)
            process.start()
            theirs.close()
            pipes.append(mine)
            processes.append(process)
        try:
            return watch(programs, pipes)
        finally:
            for process in processes:
                process.kill()
            for process in processes:
                process.join()


def watch(programs, pipes):
    done, stage, finished = 0, "start", [0] * len(programs)
    while done < len(programs):
        ready = wait(pipes, SECONDS + (SECONDS if stage == "start" else 0))
        if not ready:
            what = f"no end within {SECONDS} s"
            if stage == "before":
                return done + misbehaved(programs[done], stage, what)
            programs[done].faults.append(f"{stage}: {what}")
            return done + 1
        for pipe in ready:
            try:
                at, kind, what = pipe.recv()
            except EOFError:
                return done + misbehaved(programs[done], stage, "a rank crashed")
            if at is None:
                raise RuntimeError(f"the ranks do not start: {what}")
            if kind == "stage":
                stage = what
            elif kind == "raised":
                programs[at].faults.append(f"{stage}: {what}")
                return at + 1
            else:
                programs[at].faults += what[0]
                programs[at].notes += what[1]
                finished[at] += 1
                if finished[at] == len(pipes):
                    done = at + 1
    return done


def misbehaved(program, stage, what):
    """Returns how many programs are finished. If PyTorch's processes die once or hang with the original program, and
    not in a second run with new processes, this is not a fault of the program. Both cases are printed."""
    if program.crashes:
        program.faults.append(f"{stage}: {what}, twice")
        return 1
    program.crashes += 1
    print(f"{program.name}: {stage}: {what}; once more", flush=True)
    return 0


def run_all(programs, tell=lambda done: None):
    """Runs all of them, world size by world size."""
    count = 0
    for world in sorted({p.world for p in programs}):
        todo = [p for p in programs if p.world == world]
        while todo:
            done = run_set(world, todo)
            todo = todo[done:]
            count += done
            tell(count)
