// Tests the legality of chains of symbolic rows that are cut into pieces: correct, and with one error each.
#include "unit/legality/symbolic_rewrite.h"

#include "ccgraph/ir/context.h"

namespace ccgraph::test {
namespace {

constexpr const char *rowGather = "_c10d_functional.all_gather_into_tensor.default";
constexpr const char *rowScatter = "_c10d_functional.reduce_scatter_tensor.default";

class LegalitySymbolicChains : public SymbolicRewrite {
protected:
  /// Makes rows [from, to) of a dimension.
  Node *rows(Node *value, int64_t dim, const Actual &from, const Actual &to) {
    return make("aten.slice.Tensor", {value, dim, from, to});
  }
  /// Makes (times * rows + plus) // over.
  Node *place(Node *rows, int64_t times, int64_t plus, int64_t over) {
    Node *sum = make("operator.add", {make("operator.mul", {rows, times}), plus});
    return make("operator.floordiv", {sum, over});
  }
};

/// The place between two pieces, (times * rows + plus) // over of the rows of a rank.
struct Place {
  int64_t times = 1;
  int64_t plus = 0;
  int64_t over = 2;
};

class LegalitySymbolicLayer : public LegalitySymbolicChains {
protected:
  struct Cut {
    Place reduced = {};                  ///< where the second piece of what is reduced begins
    Place residual = {};                 ///< where that of the residual begins
    int64_t first = 0;                   ///< the first row of the residual
    const char *sum = "aten.add.Tensor"; ///< of the second piece
    const char *weight = "n";            ///< of the second piece
    double epsilon = 0.5;                ///< of the second piece
    bool scales = true, waits = true;    ///< the second piece does
    bool isSwapped = false;
  };

  void cut(const Cut &how) {
    load("z", R"(x: "f32[4*s0, 3][3, 1]cpu", b: "f32[3, 2][2, 1]cpu", r: "f32[2*s0, 2][2, 1]cpu", n: "f32[2][1]cpu",
                 o: "f32[2][1]cpu", c: "f32[2, 5][5, 1]cpu")",
         R"(
  p: "f32[4*s0, 2][2, 1]cpu" = torch.ops.aten.mm.default(x, b)
  s: "f32[2*s0, 2][2, 1]cpu" = torch.ops._c10d_functional.reduce_scatter_tensor.default(p, 'sum', 2, '0')
  w: "f32[2*s0, 2][2, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(s)
  h: "f32[2*s0, 2][2, 1]cpu" = torch.ops.aten.add.Tensor(r, w)
  m: "f32[2*s0, 1][1, 1]cpu" = torch.ops.aten.mean.dim(h, [-1], True)
  e: "f32[2*s0, 1][1, 1]cpu" = torch.ops.aten.add.Tensor(m, 0.5)
  k: "f32[2*s0, 2][2, 1]cpu" = torch.ops.aten.mul.Tensor(h, e)
  y: "f32[2*s0, 2][2, 1]cpu" = torch.ops.aten.mul.Tensor(k, n)
  g: "f32[4*s0, 2][2, 1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(y, 2, '0')
  v: "f32[4*s0, 2][2, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(g)
  z: "f32[4*s0, 5][5, 1]cpu" = torch.ops.aten.mm.default(v, c)
  q: "f32[4*s0, 5][5, 1]cpu" = torch.ops.aten.neg.default(z)
  return (q,))");
    Node *blocks = make("aten.view.default", {bench_["x"], Actual::integers({2, -1, 3})});
    Node *all = make("aten.sym_size.int", {blocks, 1});
    Node *middle = place(all, how.reduced.times, how.reduced.plus, how.reduced.over);
    Node *own = place(all, how.residual.times, how.residual.plus, how.residual.over);
    Node *first = piece(rows(blocks, 1, 0, middle), rows(bench_["r"], 0, how.first, own), {});
    Node *second = piece(rows(blocks, 1, middle, INT64_MAX), rows(bench_["r"], 0, own, INT64_MAX), how);
    std::vector<Node *> parts = {first, second};
    if (how.isSwapped)
      std::swap(parts[0], parts[1]);
    Node *joined = make("aten.cat.default", {Actual::nodes(parts), 1});
    Node *value = make("aten.view.default", {joined, Actual::integers({-1, 5})});
    bench_.replaceByPieces({"z", "s", "g", "v", "y", "k", "e", "m", "h", "w", "p"}, {value}, built_);
  }

  Node *piece(Node *ofBlocks, Node *residual, const Cut &how) {
    Node *matrix = make("aten.reshape.default", {ofBlocks, Actual::integers({-1, 3})});
    Node *launch = make(rowScatter, {make("aten.mm.default", {matrix, bench_["b"]}), "sum", 2, "0"});
    Node *sum = make(how.sum, {residual, how.waits ? wait(launch) : launch}, residual->type());
    Node *mean = make("aten.mean.dim", {sum, Actual::integers({-1}), true});
    Node *more = make("aten.add.Tensor", {mean, how.epsilon});
    Node *scaled = how.scales ? make("aten.mul.Tensor", {sum, more}) : sum;
    Node *weighted = make("aten.mul.Tensor", {scaled, bench_[how.weight]});
    Node *gathered = wait(make(rowGather, {weighted, 2, "0"}));
    return make("aten.view.default", {make("aten.mm.default", {gathered, bench_["c"]}), Actual::integers({2, -1, 5})});
  }

  [[nodiscard]] std::string verdictOf(const Cut &how) {
    cut(how);
    return bench_.verdict();
  }
};

TEST_F(LegalitySymbolicLayer, AcceptsPiecesThatMeetForEveryValue) {
  cut({});
  EXPECT_EQ(bench_.text(), "");
  EXPECT_EQ(verdictOf({.reduced = {3, 0, 8}, .residual = {3, 0, 8}}), "");
  EXPECT_EQ(verdictOf({.reduced = {1, 1, 3}, .residual = {2, 2, 6}}), "") << "the same place for every value";
}

TEST_F(LegalitySymbolicLayer, RefusesAnotherPlaceOfTheResidual) {
  EXPECT_NE(verdictOf({.residual = {1, 0, 4}}), "");
  EXPECT_NE(verdictOf({.residual = {0, 2, 1}}), "") << "fits two rows for a symbol of 2 only";
  EXPECT_NE(verdictOf({.reduced = {0, 2, 1}}), "");
  EXPECT_NE(verdictOf({.reduced = {3, 0, 8}, .residual = {3, 2, 8}}), "") << "fits for some values";
  EXPECT_NE(verdictOf({.residual = {1, 2, 2}, .first = 1}), "") << "each row of the residual one later";
}

/// Returns how many rows the first piece has of so many; it may be none, or more than there are.
int64_t rowsBefore(const Place &place, int64_t rows) {
  const int64_t share = place.times * rows + place.plus;
  return share / place.over - (share % place.over < 0 ? 1 : 0);
}

/// Compares the verdict with the places for each value of the symbol up to one beyond which such places do not change
/// their order. Pieces that are empty for some values are refused, and so are pieces with one row for every value: the
/// reshape of their rows is a view.
TEST_F(LegalitySymbolicLayer, AcceptsExactlyThePlacesThatMeetForEveryValue) {
  std::vector<Place> places;
  for (int64_t times = 0; times < 3; ++times)
    for (int64_t plus = -1; plus < 3; ++plus)
      for (int64_t over = 1; over < 5; ++over)
        places.push_back({times, plus, over});
  constexpr int64_t most = 100;
  auto meet = [](const Place &reduced, const Place &residual) {
    bool hasSeveralFirst = false, hasSeveralLast = false;
    for (int64_t rows = 4; rows <= most; rows += 2) {
      const int64_t before = rowsBefore(reduced, rows);
      if (before != rowsBefore(residual, rows) || before < 1 || before >= rows)
        return false;
      hasSeveralFirst |= before > 1;
      hasSeveralLast |= rows - before > 1;
    }
    return hasSeveralFirst && hasSeveralLast;
  };
  size_t accepted = 0;
  for (const Place &reduced : places)
    for (const Place &residual : places) {
      const bool accepts = verdictOf({.reduced = reduced, .residual = residual}).empty();
      accepted += accepts;
      EXPECT_EQ(accepts, meet(reduced, residual))
          << reduced.times << "r+" << reduced.plus << "//" << reduced.over << ", " << residual.times << "r+"
          << residual.plus << "//" << residual.over;
    }
  EXPECT_GT(accepted, places.size() / 2);
}

TEST_F(LegalitySymbolicLayer, RefusesAnotherOperatorWeightOrLiteral) {
  EXPECT_EQ(verdictOf({.sum = "aten.sub.Tensor"}), "equal-pieces");
  EXPECT_EQ(verdictOf({.weight = "o"}), "equal-pieces");
  EXPECT_EQ(verdictOf({.epsilon = 0.25}), "equal-pieces");
}

TEST_F(LegalitySymbolicLayer, RefusesAStepThatOnePieceLeavesOut) {
  EXPECT_EQ(verdictOf({.scales = false}), "equal-pieces");
}

TEST_F(LegalitySymbolicLayer, RefusesThePiecesInAnotherOrder) {
  EXPECT_EQ(verdictOf({.isSwapped = true}), "equal-pieces");
}

TEST_F(LegalitySymbolicLayer, RefusesRowsThatAreInFlight) { EXPECT_NE(verdictOf({.waits = false}), ""); }

TEST_F(LegalitySymbolicLayer, RefusesWhereRanksDifferOrBitsCount) {
  cut({});
  EXPECT_EQ(bench_.verdict({.spmd = false}), "mpmd");
  EXPECT_EQ(bench_.verdict({.bitwise = true}), "bitwise");
}

/// The product of gathered rows is reduced, and what each rank receives is gathered again.
class LegalitySymbolicReceiver : public LegalitySymbolicChains {
protected:
  struct Cut {
    const char *function = "aten.relu.default"; ///< of the second piece
    bool ofEachRank = true;                     ///< the pieces of the second gather are put together rank by rank
    bool isSwapped = false;                     ///< the two shares of the first piece are exchanged
  };

  void cut(const Cut &how) {
    load("z", R"(y: "f32[2*s0, 2][2, 1]cpu", c: "f32[2, 5][5, 1]cpu", d: "f32[5, 2][2, 1]cpu")", R"(
  g: "f32[4*s0, 2][2, 1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(y, 2, '0')
  v: "f32[4*s0, 2][2, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(g)
  u: "f32[4*s0, 5][5, 1]cpu" = torch.ops.aten.mm.default(v, c)
  a: "f32[4*s0, 5][5, 1]cpu" = torch.ops.aten.relu.default(u)
  q: "f32[4*s0, 2][2, 1]cpu" = torch.ops.aten.mm.default(a, d)
  s: "f32[2*s0, 2][2, 1]cpu" = torch.ops._c10d_functional.reduce_scatter_tensor.default(q, 'sum', 2, '0')
  w: "f32[2*s0, 2][2, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(s)
  f: "f32[4*s0, 2][2, 1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(w, 2, '0')
  z: "f32[4*s0, 2][2, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(f)
  o: "f32[4*s0, 2][2, 1]cpu" = torch.ops.aten.neg.default(z)
  return (o,))");
    Node *half = place(make("aten.sym_size.int", {bench_["y"], 0}), 1, 0, 2);
    Node *first = piece(rows(bench_["y"], 0, 0, half), "aten.relu.default");
    Node *second = piece(rows(bench_["y"], 0, half, INT64_MAX), how.function);
    if (how.isSwapped)
      first = make("aten.cat.default", {Actual::nodes({rows(first, 0, half, INT64_MAX), rows(first, 0, 0, half)}), 0});
    if (how.ofEachRank) {
      first = make("aten.view.default", {first, Actual::integers({2, -1, 2})});
      second = make("aten.view.default", {second, Actual::integers({2, -1, 2})});
    }
    Node *value = make("aten.cat.default", {Actual::nodes({first, second}), how.ofEachRank ? 1 : 0});
    if (how.ofEachRank)
      value = make("aten.view.default", {value, Actual::integers({-1, 2})});
    bench_.replaceByPieces({"z", "g", "s", "f", "w", "q", "a", "u", "v"}, {value}, built_);
  }

  Node *piece(Node *rows, const char *function) {
    Node *up = make("aten.mm.default", {wait(make(rowGather, {rows, 2, "0"})), bench_["c"]});
    Node *down = make("aten.mm.default", {make(function, {up}), bench_["d"]});
    return wait(make(rowGather, {wait(make(rowScatter, {down, "sum", 2, "0"})), 2, "0"}));
  }

  [[nodiscard]] std::string verdictOf(const Cut &how) {
    cut(how);
    return bench_.verdict();
  }
};

TEST_F(LegalitySymbolicReceiver, AcceptsTheRowsThatEachRankReceives) {
  cut({});
  EXPECT_EQ(bench_.text(), "");
}

TEST_F(LegalitySymbolicReceiver, RefusesAnotherFunctionOfTheReceiversRows) {
  EXPECT_EQ(verdictOf({.function = "aten.silu.default"}), "equal-pieces");
}

TEST_F(LegalitySymbolicReceiver, RefusesTheSharesOfTheRanksInAnotherOrder) {
  EXPECT_EQ(verdictOf({.isSwapped = true}), "equal-pieces");
  EXPECT_EQ(verdictOf({.ofEachRank = false}), "equal-pieces");
}

/// Values of a norm, which returns a list.
class LegalitySymbolicNorm : public LegalitySymbolicChains {
protected:
  /// `element`: the result of the norm whose second piece is put together with the first piece of the first result.
  void cut(int64_t element, const char *weight) {
    load("y", R"(x: "f32[s0, 3][3, 1]cpu", b: "f32[3, 1][1, 1]cpu", n: "f32[1][1]cpu", o: "f32[1][1]cpu")", R"(
  p: "f32[s0, 1][1, 1]cpu" = torch.ops.aten.mm.default(x, b)
  s: "f32[s0, 1][1, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(p, 'sum', '0')
  w: "f32[s0, 1][1, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(s)
  t = torch.ops.aten._fused_rms_norm.default(w, [1], n, 1e-05)
  y: "f32[s0, 1][1, 1]cpu" = t[0]
  r: "f32[s0, 1][1, 1]cpu" = torch.ops.aten.neg.default(y)
  return (r,))");
    Node *half = place(make("aten.sym_size.int", {bench_["x"], 0}), 1, 0, 2);
    Node *first = piece(rows(bench_["x"], 0, 0, half), 0, "n");
    Node *second = piece(rows(bench_["x"], 0, half, INT64_MAX), element, weight);
    Node *value = make("aten.cat.default", {Actual::nodes({first, second}), 0});
    bench_.replaceByPieces({"y", "s", "t", "w", "p"}, {value}, built_);
  }

  Node *piece(Node *rows, int64_t element, const char *weight) {
    Node *product = make("aten.mm.default", {rows, bench_["b"]});
    Node *sum = wait(make("_c10d_functional.all_reduce.default", {product, "sum", "0"}));
    Node *list = make("aten._fused_rms_norm.default", {sum, Actual::integers({1}), bench_[weight], 1e-05},
                      bench_.graph().context().list({sum->type(), sum->type()}));
    return make("operator.getitem", {list, element}, sum->type());
  }
};

TEST_F(LegalitySymbolicNorm, AcceptsTheSameResultOfBothPieces) {
  cut(0, "n");
  EXPECT_EQ(bench_.text(), "");
}

TEST_F(LegalitySymbolicNorm, RefusesAnotherResultOrWeightOfOnePiece) {
  cut(1, "n");
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
  cut(0, "o");
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
}

} // namespace
} // namespace ccgraph::test
