"""Tests the execution of all ranks' programs by tests/evidence/step_pairs.py."""
import os, sys, unittest
try:
    import torch
except ImportError:
    sys.exit(77)
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../evidence"))
from step_pairs import Program, run

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


if __name__ == "__main__":
    unittest.main()
