#!/usr/bin/env python3
"""Compares the pipeline schedules that ccgraph-gen writes with PyTorch's, action by action, without and with transfers.

    pipeline_schedules.py CCGRAPH_GEN

PyTorch's classes need process groups and stages; the methods that compute the order of actions need only numbers, so
they are called on objects that have nothing else. Idle slots and the reduction of gradients are left out.
"""
import csv
import subprocess
import sys
import tempfile

from torch.distributed.pipelining import schedules
from torch.distributed.pipelining._utils import generate_stage_to_rank_mapping

CLASSES = {"gpipe": "ScheduleGPipe", "1f1b": "Schedule1F1B", "interleaved": "ScheduleInterleaved1F1B",
           "zbv": "ScheduleZBVZeroBubble", "dualpipe": "ScheduleDualPipeV"}


def counted(actions):
    """Numbers the forwards from 0. Schedule1F1B's table numbers those of the last rank from 1 in PyTorch 2.15; the code
    that runs the schedule numbers them from 0."""
    forwards = [action for action in actions if action is not None and action.computation_type == schedules.F]
    first = forwards[0].microbatch_index
    return [action._replace(microbatch_index=action.microbatch_index - first) if action in forwards else action
            for action in actions]


def order_of_pytorch(name, ranks, stages_per_rank, microbatches):
    cls = getattr(schedules, CLASSES[name])
    numbers = cls.__new__(cls)
    numbers._n_microbatches = microbatches
    numbers._num_stages = numbers.num_stages = ranks * stages_per_rank
    numbers.pp_group_size, numbers.n_local_stages = ranks, stages_per_rank
    numbers.number_of_rounds = max(1, microbatches // ranks)
    numbers.microbatches_per_round = microbatches // numbers.number_of_rounds
    if stages_per_rank == 1:
        order = {rank: counted(actions) for rank, actions in numbers._get_pipeline_order().items()}
    else:
        order = {rank: numbers._calculate_single_rank_operations(rank) for rank in range(ranks)}
    kept = lambda action: action is not None and (action.is_compute_op or action.sub_actions)
    return {rank: [action for action in actions if kept(action)] for rank, actions in order.items()}


def with_transfers(name, order, ranks, stages_per_rank):
    mapping = generate_stage_to_rank_mapping(ranks, ranks * stages_per_rank, "v" if name in ("zbv", "dualpipe")
                                             else "loop")
    copy = {rank: list(actions) for rank, actions in order.items()}
    return schedules._add_send_recv(copy, lambda stage: mapping[stage], ranks * stages_per_rank)


def rows(text):
    return [row for row in csv.reader(text.splitlines())]


def texts(order):
    return [[str(action) for action in order[rank]] for rank in sorted(order)]


def flags(name, ranks, stages_per_rank, microbatches):
    more = ["--stages-per-rank", str(stages_per_rank)] if name == "interleaved" else []
    return ["--pp", str(ranks), "--schedule", name, "--microbatches", str(microbatches), *more]


def main():
    gen, compared, wrong = sys.argv[1], 0, 0

    def compare(what, got, expected):
        nonlocal compared, wrong
        compared += 1
        if got != expected:
            wrong += 1
            print(f"{what}:\n  got      {got}\n  expected {expected}")

    for name in CLASSES:
        for ranks in (2, 3, 4, 8):
            for stages_per_rank in {"gpipe": [1], "1f1b": [1], "interleaved": [2, 3]}.get(name, [2]):
                for microbatches in (2 * ranks * stages_per_rank, 4 * ranks * stages_per_rank):
                    given = flags(name, ranks, stages_per_rank, microbatches)
                    order = order_of_pytorch(name, ranks, stages_per_rank, microbatches)
                    out = subprocess.run([gen, *given, "--emit", "csv"], check=True, capture_output=True,
                                         text=True).stdout
                    compare(" ".join(given), rows(out), texts(order))
                    if ranks > 3 or microbatches > 2 * ranks * stages_per_rank:
                        continue
                    with tempfile.TemporaryDirectory() as folder:
                        subprocess.run([gen, "llama3-8b", *given, "--layers", str(ranks * stages_per_rank), "--dim",
                                        "64",
                                        "--vocab", "64", "--seq", "8", "-o", folder], check=True)
                        with open(f"{folder}/schedule.csv") as file:
                            got = rows(file.read())
                    compare("transfers of " + " ".join(given), got,
                            texts(with_transfers(name, order, ranks, stages_per_rank)))
    print(f"{compared} schedules, {wrong} differ from PyTorch's")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
