// Tests every kind of collective in every form, for group sizes 1 to 9: what each member receives.
#include "support/rank_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace ccgraph::test {
namespace {

using Row = std::vector<double>;
/// What member `m` of `n` receives.
using Expectation = std::function<Row(int n, int m)>;

double value(int rank, int i) { return 100.0 * (rank + 1) + i; }

/// Reduces elements begin..end-1 of the rows of ranks 0..n-1.
Row reduced(int n, int begin, int end, const std::function<double(double, double)> &op) {
  Row row;
  for (int i = begin; i < end; ++i) {
    double sum = value(0, i);
    for (int r = 1; r < n; ++r)
      sum = op(sum, value(r, i));
    row.push_back(sum);
  }
  return row;
}
double plus(double a, double b) { return a + b; }

Row summed(int n, int) { return reduced(n, 0, 2 * n, plus); }
Row averaged(int n, int) {
  Row row = reduced(n, 0, 2 * n, plus);
  for (double &v : row)
    v = static_cast<double>(static_cast<float>(v) / static_cast<float>(n));
  return row;
}
Row least(int n, int) {
  return reduced(n, 0, 2 * n, [](double a, double b) { return std::min(a, b); });
}
Row largest(int n, int) {
  return reduced(n, 0, 2 * n, [](double a, double b) { return std::max(a, b); });
}
Row gathered(int n, int) {
  Row row;
  for (int r = 0; r < n; ++r)
    for (int i = 0; i < 2 * n; ++i)
      row.push_back(value(r, i));
  return row;
}
Row scatteredSum(int n, int m) { return reduced(n, 2 * m, 2 * m + 2, plus); }
Row scatteredMax(int n, int m) {
  return reduced(n, 2 * m, 2 * m + 2, [](double a, double b) { return std::max(a, b); });
}
Row exchanged(int n, int m) {
  Row row;
  for (int r = 0; r < n; ++r)
    for (int i = 2 * m; i < 2 * m + 2; ++i)
      row.push_back(value(r, i));
  return row;
}
Row lastRow(int n, int) {
  Row row;
  for (int i = 0; i < 2 * n; ++i)
    row.push_back(value(n - 1, i));
  return row;
}
Row lastRowChunk(int n, int m) { return {value(n - 1, 2 * m), value(n - 1, 2 * m + 1)}; }

/// x is f32[2n]; $N is n, $L is n - 1, $2N and $NN are 2n and 2n*n, $R the list of ranks, $S a 2 for each rank.
struct Form {
  const char *name;
  const char *text;
  Expectation expectation;
};

constexpr const char *waitAndReturn = R"(
  w = _c10d_functional.wait_tensor.default(c)
  return (w,))";

std::string replaced(std::string text, int n) {
  std::string ranks, twos;
  for (int r = 0; r < n; ++r) {
    ranks += (r ? ", " : "") + std::to_string(r);
    twos += r ? ", 2" : "2";
  }
  const std::pair<std::string, std::string> words[] = {
      {"$NN", std::to_string(2 * n * n)}, {"$2N", std::to_string(2 * n)}, {"$N", std::to_string(n)},
      {"$L", std::to_string(n - 1)},      {"$R", "[" + ranks + "]"},      {"$S", "[" + twos + "]"}};
  for (const auto &[from, to] : words)
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at))
      text.replace(at, from.size(), to);
  return text;
}

const Form forms[] = {
    {"all_reduce", "c = _c10d_functional.all_reduce.default(x, 'sum', '0')", summed},
    {"all_reduce_upper_case", "c = _c10d_functional.all_reduce.default(x, 'SUM', '0')", summed},
    {"all_reduce_avg", "c = _c10d_functional.all_reduce.default(x, 'avg', '0')", averaged},
    {"all_reduce_min", "c = _c10d_functional.all_reduce.default(x, 'min', '0')", least},
    {"all_reduce_max", "c = _c10d_functional.all_reduce.default(x, 'max', '0')", largest},
    {"all_reduce_in_place", "c = _c10d_functional.all_reduce_.default(x, 'sum', '0')", summed},
    {"all_reduce_coalesced", "l = _c10d_functional.all_reduce_coalesced.default([x, x], 'sum', '0')\n c = l[1]",
     summed},
    {"all_reduce_coalesced_in_place", "l = _c10d_functional.all_reduce_coalesced_.default([x], 'sum', '0')\n c = l[0]",
     summed},
    {"all_reduce_legacy", "c = c10d_functional.all_reduce.default(x, 'sum', '', $R, $N)", summed},
    {"all_gather", "c = _c10d_functional.all_gather_into_tensor.default(x, $N, '0')", gathered},
    {"all_gather_coalesced",
     "l = _c10d_functional.all_gather_into_tensor_coalesced.default([x, x], $N, '0')\n c = l[1]", gathered},
    {"all_gather_out",
     "e = aten.empty.memory_format([$NN], device = device(type='cpu'), pin_memory = False)\n"
     "c = _c10d_functional.all_gather_into_tensor_out.default(x, $N, '0', out = e)",
     gathered},
    {"all_gather_autograd", "c = _c10d_functional_autograd.all_gather_into_tensor.default(x, $N, '0')", gathered},
    {"all_gather_legacy", "c = c10d_functional.all_gather_into_tensor.default(x, '', $R, $N)", gathered},
    {"reduce_scatter", "c = _c10d_functional.reduce_scatter_tensor.default(x, 'sum', $N, '0')", scatteredSum},
    {"reduce_scatter_max", "c = _c10d_functional.reduce_scatter_tensor.default(x, 'max', $N, '0')", scatteredMax},
    {"reduce_scatter_coalesced",
     "l = _c10d_functional.reduce_scatter_tensor_coalesced.default([x, x], 'sum', $N, '0')\n c = l[0]", scatteredSum},
    {"reduce_scatter_out",
     "e = aten.empty.memory_format([2], device = device(type='cpu'), pin_memory = False)\n"
     "c = _c10d_functional.reduce_scatter_tensor_out.default(x, 'sum', $N, '0', out = e)",
     scatteredSum},
    {"reduce_scatter_autograd", "c = _c10d_functional_autograd.reduce_scatter_tensor.default(x, 'sum', $N, '0')",
     scatteredSum},
    {"reduce_scatter_legacy", "c = c10d_functional.reduce_scatter_tensor.default(x, 'sum', '', $R, $N)", scatteredSum},
    {"all_to_all", "c = _c10d_functional.all_to_all_single.default(x, $S, $S, '0')", exchanged},
    {"all_to_all_autograd", "c = _c10d_functional_autograd.all_to_all_single.default(x, $S, $S, '0')", exchanged},
    {"all_to_all_legacy", "c = c10d_functional.all_to_all_single.default(x, None, None, '', $R, $N)", exchanged},
    {"broadcast", "c = _c10d_functional.broadcast.default(x, $L, '0')", lastRow},
    {"broadcast_in_place", "c = _c10d_functional.broadcast_.default(x, $L, '0')", lastRow},
    {"broadcast_legacy", "c = c10d_functional.broadcast.default(x, $L, '', $R, $N)", lastRow},
    {"shard_dim_alltoall",
     "v = aten.view.default(x, [1, $2N])\n s = _dtensor.shard_dim_alltoall.default(v, 0, 1, '0')\n c = "
     "aten.view.default(s, [-1])",
     exchanged},
    {"c10d_allreduce",
     "g = self.g\n op = self.op\n p = c10d.allreduce_.default([x], g, op, None, False)\n l = p[0]\n c = l[0]", summed},
    {"c10d_allreduce_coalesced",
     "g = self.g\n op = self.op\n p = c10d.allreduce_coalesced_.default([x], g, op, False)\n c = aten.alias.default(x)",
     summed},
    {"c10d_allgather_base",
     "g = self.g\n e = aten.empty.memory_format([$NN], device = device(type='cpu'), pin_memory = False)\n"
     "p = c10d._allgather_base_.default(e, x, g, False)\n c = p[0]",
     gathered},
    {"c10d_reduce_scatter_base",
     "g = self.g\n op = self.op\n e = aten.empty.memory_format([2], device = device(type='cpu'), pin_memory = False)\n"
     "p = c10d._reduce_scatter_base_.default(e, x, g, op, False)\n c = p[0]",
     scatteredSum},
    {"c10d_reduce_scatter",
     "g = self.g\n op = self.op\n e = aten.empty.memory_format([2], device = device(type='cpu'), pin_memory = False)\n"
     "s = aten.split.Tensor(x, 2)\n p = c10d.reduce_scatter_.default([e], [s], g, op, False)\n c = "
     "aten.alias.default(e)",
     scatteredSum},
    {"c10d_allgather",
     "g = self.g\n e = aten.empty.memory_format([$NN], device = device(type='cpu'), pin_memory = False)\n"
     "s = aten.split.Tensor(e, $2N)\n p = c10d.allgather_.default([s], [x], g, False)\n c = aten.alias.default(e)",
     gathered},
    {"c10d_alltoall",
     "g = self.g\n e = aten.empty.memory_format([$2N], device = device(type='cpu'), pin_memory = False)\n"
     "o = aten.split.Tensor(e, 2)\n i = aten.split.Tensor(x, 2)\n p = c10d.alltoall_.default(o, i, g, False)\n c = "
     "aten.alias.default(e)",
     exchanged},
    {"c10d_alltoall_base",
     "g = self.g\n e = aten.empty.memory_format([$2N], device = device(type='cpu'), pin_memory = False)\n"
     "p = c10d.alltoall_base_.default(e, x, g, [], [], False)\n c = aten.alias.default(e)",
     exchanged},
    {"c10d_broadcast", "g = self.g\n p = c10d.broadcast_.default([x], g, $L, 0, False)\n l = p[0]\n c = l[0]", lastRow},
    {"c10d_scatter",
     "g = self.g\n e = aten.empty.memory_format([2], device = device(type='cpu'), pin_memory = False)\n"
     "s = aten.split.Tensor(x, 2)\n p = c10d.scatter_.default([e], [s], g, $L, False)\n c = aten.alias.default(e)",
     lastRowChunk},
};

class CollectiveForm : public testing::TestWithParam<Form> {};

TEST_P(CollectiveForm, GivesEachMemberItsPart) {
  for (int n = 1; n <= 9; ++n) {
    std::string text = replaced(std::string("x: \"f32[$2N]\"\n") + GetParam().text + waitAndReturn, n);
    RankProgram program(static_cast<size_t>(n), text);
    program.legibleInput({2 * n}).object("op", {.reduceOp = "sum", .group = ""});
    for (int m = 0; m < n; ++m)
      EXPECT_EQ(program.output(static_cast<size_t>(m)), GetParam().expectation(n, m)) << "member " << m << " of " << n;
  }
}

INSTANTIATE_TEST_SUITE_P(All, CollectiveForm, testing::ValuesIn(forms),
                         [](const auto &info) { return std::string(info.param.name); });

/// Two groups within seven ranks, one of them not in the order of ranks; some ranks are in none.
TEST(Subgroups, MeetOnTheirOwn) {
  RankProgram program(7);
  for (int r = 0; r < 7; ++r) {
    bool odd = r % 2 == 1;
    program.addGraph(odd      ? "x: \"f32[2]\"\n c = _c10d_functional.all_reduce.default(x, 'sum', 'odd')\n w = "
                                "_c10d_functional.wait_tensor.default(c)\n return (w,)"
                     : r == 0 ? "x: \"f32[2]\"\n return (x,)"
                              : "x: \"f32[2]\"\n c = _c10d_functional.all_gather_into_tensor.default(x, 3, 'even')\n w "
                                "= _c10d_functional.wait_tensor.default(c)\n return (w,)");
  }
  program.group("odd", {1, 3, 5}).group("even", {4, 2, 6}).legibleInput({2});
  EXPECT_EQ(program.output(0), (Row{100, 101}));
  EXPECT_EQ(program.output(3), (Row{200 + 400 + 600, 201 + 401 + 601}));
  EXPECT_EQ(program.output(6), (Row{500, 501, 300, 301, 700, 701}));
}

/// Reduces the rows of a 2 x 3 mesh, then its columns, which gives the sum over all. Each rank uses its own subgroup of
/// each partition.
TEST(Mesh, ReducesAlongBothAxes) {
  RankProgram program(6, R"(x: "f32[1]"
    a = _c10d_functional.all_reduce.default(x, 'sum', 'row')
    b = _c10d_functional.wait_tensor.default(a)
    c = _c10d_functional.all_reduce.default(b, 'sum', 'column')
    d = _c10d_functional.wait_tensor.default(c)
    return (b, d))");
  program.partition("row", {{0, 1, 2}, {3, 4, 5}}).partition("column", {{0, 3}, {1, 4}, {2, 5}}).legibleInput({1});
  for (size_t rank = 0; rank < 6; ++rank) {
    EXPECT_EQ(program.output(rank, "out.0"), Row{rank < 3 ? 600.0 : 1500.0});
    EXPECT_EQ(program.output(rank, "out.1"), Row{2100});
  }
}

TEST(Groups, AreTheirMembersWhateverTheirName) {
  RankProgram program(2);
  program.addGraph("x: \"f32[1]\"\n c = _c10d_functional.all_reduce.default(x, 'sum', 'mine')\n w = "
                   "_c10d_functional.wait_tensor.default(c)\n return (w,)");
  program.addGraph("x: \"f32[1]\"\n c = _c10d_functional.all_reduce.default(x, 'sum', 'yours')\n w = "
                   "_c10d_functional.wait_tensor.default(c)\n return (w,)");
  program.group("mine", {0, 1}).group("yours", {0, 1}).legibleInput({1});
  EXPECT_EQ(program.output(0), Row{300});
  EXPECT_EQ(program.output(1), Row{300});
}

TEST(AllToAll, MovesUnevenSplits) {
  RankProgram program(2);
  program.addGraph("x: \"f32[3, 2]\"\n c = _c10d_functional.all_to_all_single.default(x, [1, 3], [1, 2], '0')\n w = "
                   "_c10d_functional.wait_tensor.default(c)\n return (w,)");
  program.addGraph("x: \"f32[3, 2]\"\n c = _c10d_functional.all_to_all_single.default(x, [2, 0], [3, 0], '0')\n w = "
                   "_c10d_functional.wait_tensor.default(c)\n return (w,)");
  program.legibleInput({3, 2});
  EXPECT_EQ(program.output(0), (Row{100, 101, 200, 201, 202, 203, 204, 205}));
  EXPECT_EQ(program.output(1), (Row{102, 103, 104, 105}));
}

TEST(AllGather, OfAScalarGivesARow) {
  RankProgram program(3, "x: \"f32[]\"\n c = _c10d_functional.all_gather_into_tensor.default(x, 3, '0')\n w: "
                         "\"f32[3]\" = _c10d_functional.wait_tensor.default(c)\n return (w,)");
  program.legibleInput({});
  EXPECT_EQ(program.output(2), (Row{100, 200, 300}));
}

TEST(AllGather, TakesASliceOfItsOwnResultAsInput) {
  RankProgram program(1, R"(x: "f32[2]"
    e = aten.empty.memory_format([2], device = device(type='cpu'), pin_memory = False)
    s = aten.slice.Tensor(e, 0, 0, 2)
    f = aten.copy_.default(s, x)
    c = _c10d_functional.all_gather_into_tensor_out.default(s, 1, '0', out = e)
    w = _c10d_functional.wait_tensor.default(c)
    return (w,))");
  program.legibleInput({2});
  EXPECT_EQ(program.output(0), (Row{100, 101}));
}

TEST(AllReduce, OfATransposedInputKeepsItsElements) {
  RankProgram program(2, R"(x: "f32[2, 3]"
    t = aten.t.default(x)
    c = _c10d_functional.all_reduce.default(t, 'sum', '0')
    w = _c10d_functional.wait_tensor.default(c)
    v = aten.view.default(w, [6])
    return (v,))");
  program.legibleInput({2, 3});
  EXPECT_EQ(program.output(1), (Row{300, 306, 302, 308, 304, 310}));
}

TEST(PointToPoint, RunsAroundARing) {
  RankProgram program(3);
  for (int r = 0; r < 3; ++r)
    program.addGraph("x: \"f32[2]\", b: \"f32[2]\"\n s = _c10d_functional.isend.default(x, " +
                     std::to_string((r + 1) % 3) + ", 7, '0')\n v = _c10d_functional.irecv.default(b, " +
                     std::to_string((r + 2) % 3) +
                     ", 7, '0')\n w = _c10d_functional.wait_tensor.default(v)\n z = "
                     "_c10d_functional.wait_tensor.default(s)\n a = aten.add.Tensor(b, 0)\n return (a,)");
  program.legibleInput({2}).legibleInput({2}, "b");
  EXPECT_EQ(program.output(0), (Row{300, 301}));
  EXPECT_EQ(program.output(1), (Row{100, 101}));
  EXPECT_EQ(program.output(2, "after.b"), (Row{200, 201}));
}

TEST(PointToPoint, MeetsByTagNotByOrder) {
  RankProgram program(2);
  program.addGraph(
      "x: \"f32[1]\"\n y = aten.mul.Tensor(x, 2)\n s = _c10d_functional.isend.default(x, 1, 1, '0')\n t = "
      "_c10d_functional.isend.default(y, 1, 2, '0')\n"
      " u = _c10d_functional.wait_tensor.default(s)\n v = _c10d_functional.wait_tensor.default(t)\n return (x,)");
  program.addGraph("x: \"f32[1]\"\n r = _c10d_functional.irecv.default(x, 0, 2, '0')\n w = "
                   "_c10d_functional.wait_tensor.default(r)\n a = aten.mul.Tensor(w, 1)\n"
                   " p = _c10d_functional.irecv.default(x, 0, 1, '0')\n q = _c10d_functional.wait_tensor.default(p)\n "
                   "return (a, q)");
  program.legibleInput({1});
  EXPECT_EQ(program.output(1, "out.0"), Row{200});
  EXPECT_EQ(program.output(1, "out.1"), Row{100});
}

TEST(PointToPoint, PeersAreRanksWithinTheGroup) {
  RankProgram program(4);
  program.addGraph("x: \"f32[1]\"\n return (x,)").addGraph("x: \"f32[1]\"\n return (x,)");
  program.addGraph("x: \"f32[1]\", b: \"f32[1]\"\n l = _c10d_functional.batch_p2p_ops.default(['isend', 'irecv'], [1, "
                   "1], [0, 0], [x, b], 'sub')\n"
                   " s = l[0]\n r = l[1]\n u = _c10d_functional.wait_tensor.default(s)\n v = "
                   "_c10d_functional.wait_tensor.default(r)\n return (v,)");
  program.addGraph("x: \"f32[1]\", b: \"f32[1]\"\n l = _c10d_functional.batch_p2p_ops.default(['irecv', 'isend'], [0, "
                   "0], [0, 0], [b, x], 'sub')\n"
                   " r = l[0]\n s = l[1]\n w = _c10d_functional.wait_tensors.default([r, s])\n v = w[0]\n return (v,)");
  program.group("sub", {2, 3}).legibleInput({1}).legibleInput({1}, "b");
  EXPECT_EQ(program.output(2), Row{400});
  EXPECT_EQ(program.output(3), Row{300});
}

TEST(Barrier, LetsNobodyPassAlone) {
  RankProgram program(3, "x: \"f32[1]\"\n g = self.g\n b = c10d.barrier.default(x, g, [], False)\n return (x,)");
  program.legibleInput({1});
  EXPECT_EQ(program.output(2), Row{300});
}

} // namespace
} // namespace ccgraph::test
