#!/usr/bin/env python3
"""Tests pieces of a batch that is a symbol, on two ranks of gloo: tensor parallel blocks under torch.compile, with the
batch as a dynamic dimension, whose collectives are cut into pieces. One compiled program serves every batch: the
smallest one, odd and even ones.

The pieces are stated, or -O3 chooses them by their predicted times: for the sizes with which PyTorch traced the graph,
or for a given size of the symbol. The machine of these predictions has slow links and slow products, so that pieces of
small tensors are faster; a machine of fast links keeps each collective whole.

The values are those of the block without torch.compile, each collective is in as many pieces as expected, and no later
batch compiles again. The gather and the reduction of a sharded block are cut together. A batch without a sequence may
have so few rows that a piece has one alone. PyTorch compiles another program for a size of 1, and ends a job that has
marked the dimension as dynamic, so the rows of such a batch stay whole, and its reductions are cut into columns.

Last, a batch whose number of sequences is not dynamic is cut between sequences."""
import datetime, json, os, pathlib, re, subprocess, sys, tempfile, warnings

from compile_caches import KERNELS_ONLY

RANKS, WIDTH = 2, 16
BATCHES = [6, 7, 11, 4, 64, 3, 2]
PASSES = ("inline-control-deps,inline-subgraphs,functionalize-collectives,chunk-collectives{pieces=2},"
          "schedule-overlap,sink-waits")
LINEAR = {"base_us": 0.01, "step_us": 0.01, "gb_per_s": 1e-3}
SLOW = {"format": "ccgraph.machine", "version": "1.0", "base": "cpu", "name": "slow", "rules": "linear",
        "processor": {"tflops": {"f32": 1e-5}, "tflops_reached": 1, "launch_us": 0.01},
        "linear": dict.fromkeys(["all_reduce", "all_gather", "reduce_scatter"], LINEAR)}


def summed(x, first, second):
    """Returns a block whose activations are whole on each rank."""
    import torch
    import torch.distributed as dist
    import torch.distributed._functional_collectives as funcol

    return x + funcol.all_reduce(torch.relu(x @ first) @ second, "sum", dist.group.WORLD)


def sharded(x, first, second):
    """Returns a block whose rows are sharded between its products."""
    import torch
    import torch.distributed as dist
    import torch.distributed._functional_collectives as funcol

    rows = x.reshape(-1, WIDTH)
    hidden = torch.relu(funcol.all_gather_tensor(rows, 0, dist.group.WORLD) @ first)
    return x + funcol.reduce_scatter_tensor(hidden @ second, "sum", 0, dist.group.WORLD).view(x.shape)


def by_sequence(x, first, second):
    """Returns a block for a batch whose sequences are sharded: PyTorch puts what it gathers together sequence by
    sequence."""
    import torch
    import torch.distributed as dist
    import torch.distributed._functional_collectives as funcol

    hidden = torch.relu(funcol.all_gather_tensor(x, 1, dist.group.WORLD) @ first)
    return x + funcol.reduce_scatter_tensor(hidden @ second, "sum", 1, dist.group.WORLD)


BLOCKS = {"summed": (summed, ["all_reduce"]), "sharded": (sharded, ["all_gather_into_tensor", "reduce_scatter_tensor"])}


def layer_of(block, sequence):
    """Returns the block after a product that gives each element of the batch so many rows. Sizes of weights are
    numbers."""
    import torch

    def weight(columns):
        return torch.randn(WIDTH, columns) / WIDTH ** 0.5

    class Layer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weights = torch.nn.ParameterList([weight(sequence * WIDTH), weight(WIDTH), weight(WIDTH)])

        def forward(self, x):
            rows, first, second = self.weights
            return block((x @ rows).view(-1, rows.shape[1] // WIDTH, WIDTH), first, second)

    return Layer()


def launches(code):
    found = re.findall(r"_c10d_functional\.(\w+?)_?\.default\(", code)
    return {name: found.count(name) for name in found if name != "wait_tensor"}


def check(rank, name, sequence, dynamic, pieces):
    """Compiles a block for the first batch, and runs it for all. `dynamic`: every dimension is one; else the batch is
    marked. `pieces`: how many each collective is in."""
    import torch
    import torch._dynamo as dynamo
    from torch._inductor.utils import run_and_get_code

    block, collectives = BLOCKS[name]
    dynamo.utils.counters.clear()
    layer = layer_of(block, sequence)
    compiled = torch.compile(layer, dynamic=dynamic or None, fullgraph=True)
    for index, batch in enumerate(BATCHES):
        x = torch.randn(batch, WIDTH)
        if not dynamic:
            dynamo.mark_dynamic(x, 0)
        with torch.no_grad():
            if index == 0:  # it forgets all that was compiled before
                got, codes = run_and_get_code(compiled, x)
            else:
                got = compiled(x)
            torch.testing.assert_close(got, layer(x))
        graphs = dynamo.utils.counters["stats"]["unique_graphs"]
        assert graphs == 1, f"{name} of {sequence}: {graphs} graphs after batch {batch}, expected one for all"
    assert [launches(code) for code in codes] == [dict(zip(collectives, pieces))], list(map(launches, codes))
    if rank == 0:
        print(name, "of a sequence of", sequence, "for batches", BATCHES, launches(codes[0]), flush=True)


def check_sequences(rank, sequences):
    """Checks that a batch of so many sequences is cut into two pieces of whole sequences, and gives the values of the
    block without torch.compile."""
    import torch
    import torch._inductor.config as config
    from torch._inductor.utils import run_and_get_code

    import ccgraph.torch

    first, second = (torch.randn(WIDTH, WIDTH) / WIDTH ** 0.5 for _ in range(2))
    x = torch.randn(sequences, 4, WIDTH)
    config.post_grad_custom_post_pass = ccgraph.torch.Pass("chunk-collectives{pieces=2}", memory_budget="unlimited",
                                                           patience=600, deadline=600)
    got, codes = run_and_get_code(torch.compile(by_sequence, dynamic=False, fullgraph=True), x, first, second)
    torch.testing.assert_close(got, by_sequence(x, first, second))
    expected = {"all_gather_into_tensor": 2, "reduce_scatter_tensor": 2}
    assert [launches(code) for code in codes] == [expected], list(map(launches, codes))
    if rank == 0:
        print("a batch of", sequences, "sequences", launches(codes[0]), flush=True)


def run(rank, folder):
    import torch
    import torch.distributed as dist
    import torch._inductor.config as config
    from one_thread_gloo import init_process_group

    import ccgraph.torch

    torch.set_num_threads(1)
    init_process_group(dist.FileStore(f"{folder}/store", RANKS), rank, RANKS, datetime.timedelta(seconds=900))
    torch.manual_seed(rank)
    warnings.simplefilter("error", ccgraph.torch.Refused)
    warnings.simplefilter("error", ccgraph.torch.RanksDiffer)
    slow = pathlib.Path(folder, f"slow{rank}.json")
    slow.write_text(json.dumps(SLOW), encoding="utf-8")

    def checked(layers, *arguments, **options):
        """Checks layers of all blocks with a pass. `layers`: their sequence, whether each size is dynamic, and by block
        how many pieces each collective is in."""
        made = ccgraph.torch.Pass(*arguments, **options, memory_budget="unlimited", patience=600, deadline=600)
        config.post_grad_custom_post_pass = made
        for name in BLOCKS:
            for sequence, dynamic, pieces in layers:
                check(rank, name, sequence, dynamic, pieces[name])
        assert all(call["edits"] is not None for call in made.calls), made.calls
        if rank == 0:
            print(made, flush=True)

    def equal(pieces):
        return {name: [pieces] * len(collectives) for name, (_, collectives) in BLOCKS.items()}

    reductions = {"summed": [2], "sharded": [1, 2]}
    checked([(3, True, equal(2)), (4, False, equal(2)), (1, False, reductions)], PASSES)
    dumped = pathlib.Path(folder, f"dump{rank}")
    checked([(3, True, {"summed": [2], "sharded": [3, 3]}), (4, False, equal(3)),
             (1, False, {"summed": [4], "sharded": [1, 4]})], "-O3", machine=slow, bind="hints", dump=dumped)
    symbols = [json.loads(file.read_text(encoding="utf-8"))["symbols"] for file in dumped.glob("*.json")]
    names = {name for hints in symbols for name in hints if hints[name] == BATCHES[0]}
    assert names and all(set(hints.values()) == {BATCHES[0]} for hints in symbols), symbols
    checked([(4, False, equal(3))], "-O3", machine=slow, bind=dict.fromkeys(names, 64))
    checked([(4, False, equal(1))], "-O3", machine="h100x8", bind="hints")
    checked([(4, False, equal(1))], "-O3", machine=slow)
    check_sequences(rank, 3)
    dist.barrier()
    dist.destroy_process_group()


def main():
    here = pathlib.Path(__file__).resolve()
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "TORCHINDUCTOR_COMPILE_THREADS": "1", **KERNELS_ONLY}
        ranks = [subprocess.Popen([sys.executable, str(here), str(rank), folder], env=environment)
                 for rank in range(RANKS)]
        try:
            return any([rank.wait(timeout=1000) for rank in ranks])
        finally:
            for process in ranks:
                process.kill()


if __name__ == "__main__":
    sys.exit(run(int(sys.argv[1]), sys.argv[2]) if len(sys.argv) > 1 else main())
