"""Tests the execution of all ranks' programs by tests/evidence/step_pairs.py."""
import json, os, sys, tempfile, unittest
try:
    import torch
except ImportError:
    sys.exit(77)
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../evidence"))
from step_pairs import Pair, Program, run, wrong_outputs

RING = """class Step(torch.nn.Module):
    def forward(self, x: "f64[2]"):
        buffer: "f64[2]" = torch.ops.aten.empty_like.default(x)
        batch = torch.ops._c10d_functional.batch_p2p_ops.default(['isend', 'irecv'], [%d, %d], [0, 0], [x, buffer], 'g')
        getitem: "f64[0]" = batch[0]
        getitem_1: "f64[2]" = batch[1]
        wait = torch.ops._c10d_functional.wait_tensors.default([getitem, getitem_1])
        both: "f64[2]" = torch.ops.aten.add.Tensor(buffer, getitem_1)
        return (both,)
"""


class Batches(unittest.TestCase):
    def ring(self, peers, members):
        programs = [Program(RING % peer) for peer in peers]
        inputs = [[torch.tensor([float(rank), 10.0 * rank])] for rank in range(len(peers))]
        return [outputs[0].tolist() for outputs in run(programs, [{"g": members}] * len(peers), inputs)]

    def test_a_receive_writes_its_buffer_too(self):
        self.assertEqual(self.ring([(1, 2), (2, 0), (0, 1)], [0, 1, 2]), [[4.0, 40.0], [0.0, 0.0], [2.0, 20.0]])

    def test_peers_are_places_in_the_group(self):
        # Rank 0 is at place 2, rank 1 at place 0, and rank 2 at place 1, so rank 0 sends to rank 1.
        self.assertEqual(self.ring([(0, 1), (1, 2), (2, 0)], [1, 2, 0]), [[4.0, 40.0], [0.0, 0.0], [2.0, 20.0]])

    def test_what_none_receives_is_an_error(self):
        with self.assertRaises((AssertionError, KeyError, IndexError)):
            self.ring([(1, 1), (0, 2), (1, 0)], [0, 1, 2])


ROOT = """class Step(torch.nn.Module):
    def forward(self, x: "f64[2]"):
        %s
        sqrt: "f64[2]" = torch.ops.aten.sqrt.default(abs)
        return (sqrt,)
"""


class Gaps(unittest.TestCase):
    def test_a_rank_without_a_number_is_wrong_whatever_the_next_rank_has(self):
        right, negative = ('abs: "f64[2]" = torch.ops.aten.%s.default(x)' % name for name in ("abs", "neg"))
        both = {"placement": {"dp": "replicate"}, "position": 0, "single": 0, "of": "x"}
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "single"))
            os.makedirs(os.path.join(folder, "parallel"))
            texts = {"facts.json": json.dumps({"world_size": 2, "groups": {}, "mesh": {"axes": ["dp"], "sizes": [2]}}),
                     "io.json": json.dumps({"inputs": [both], "outputs": [both]}),
                     "single/readable.py": ROOT % right, "parallel/rank0.py": ROOT % negative,
                     "parallel/rank1.py": ROOT % right}
            for name, text in texts.items():
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            pair = Pair(folder)
            self.assertEqual(list(wrong_outputs(pair)), ["x"])
            self.assertEqual(wrong_outputs(pair.with_programs([Program(ROOT % right)] * 2)), {})


if __name__ == "__main__":
    unittest.main()
