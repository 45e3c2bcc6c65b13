// Tests the legality of products with symbolic sizes whose columns are cut into pieces: correct, and with one error
// each.
#include "unit/legality/symbolic_rewrite.h"

#include "ccgraph/ir/context.h"

namespace ccgraph::test {
namespace {

constexpr const char *columnGather = "_c10d_functional.all_gather_into_tensor.default";
constexpr const char *columnScatter = "_c10d_functional.reduce_scatter_tensor.default";
constexpr const char *columnReduce = "_c10d_functional.all_reduce.default";

class LegalitySymbolicColumns : public SymbolicRewrite {
protected:
  Node *slice(Node *value, int64_t dim, int64_t from, int64_t to) {
    return make("aten.slice.Tensor", {value, dim, from, to});
  }
  Node *view(Node *value, llvm::ArrayRef<int64_t> sizes) {
    return make("aten.view.default", {value, Actual::integers(sizes)});
  }
  Node *cat(llvm::ArrayRef<Node *> parts, int64_t dim) { return make("aten.cat.default", {Actual::nodes(parts), dim}); }
};

/// The sum over ranks of a product of matrices whose rows are symbolic.
class LegalitySymbolicColumnSum : public LegalitySymbolicColumns {
protected:
  struct Cut {
    const char *rows = "s0";
    const char *inner = "3";
    int64_t from = 1, to = 4;                  ///< the columns of the second piece
    const char *matrix = "b";                  ///< of the second piece
    const char *first = "x";                   ///< of the second piece
    const char *function = "aten.neg.default"; ///< of the second piece
    const char *reduceOp = "sum";              ///< of the second piece
    bool waits = true;                         ///< the second piece does
    bool isSwapped = false;
    int64_t along = 1; ///< the dimension in which the pieces are put together
  };

  void cut(const Cut &how) {
    const std::string rows = how.rows, inner = how.inner,
                      left = "\"f32[" + rows + ", " + inner + "][" + inner + ", 1]cpu\"",
                      right = "\"f32[" + inner + ", 4][4, 1]cpu\"", sum = ": \"f32[" + rows + ", 4][4, 1]cpu\" = ";
    load("w", "x: " + left + ", y: " + left + ", b: " + right + ", c: " + right,
         "\n  p" + sum + "torch.ops.aten.mm.default(x, b)\n  n" + sum + "torch.ops.aten.neg.default(p)\n  s" + sum +
             "torch.ops._c10d_functional.all_reduce.default(n, 'sum', '0')\n  w" + sum +
             "torch.ops._c10d_functional.wait_tensor.default(s)\n  r" + sum +
             "torch.ops.aten.neg.default(w)\n  return (r,)");
    std::vector<Node *> parts = {piece(0, 1, {}), piece(how.from, how.to, how)};
    if (how.isSwapped)
      std::swap(parts[0], parts[1]);
    bench_.replaceByPieces({"w", "s", "n", "p"}, {cat(parts, how.along)}, built_);
  }

  Node *piece(int64_t from, int64_t to, const Cut &how) {
    Node *product = make("aten.mm.default", {bench_[how.first], slice(bench_[how.matrix], 1, from, to)});
    Node *launch = make(columnReduce, {make(how.function, {product}), how.reduceOp, "0"});
    return how.waits ? wait(launch) : launch;
  }

  [[nodiscard]] std::string verdictOf(const Cut &how) {
    cut(how);
    return bench_.verdict();
  }
};

TEST_F(LegalitySymbolicColumnSum, AcceptsColumnsOfAnyNumberOfRows) {
  cut({});
  EXPECT_EQ(bench_.text(), "");
  EXPECT_EQ(verdictOf({.rows = "2048*s0"}), "");
  EXPECT_EQ(verdictOf({.rows = "s0*s1"}), "");
  EXPECT_EQ(verdictOf({.rows = "(s0//2) + 1"}), "");
  EXPECT_EQ(verdictOf({.rows = "u0"}), "") << "whatever it is, both programs send as many rows";
  EXPECT_EQ(verdictOf({.rows = "s0", .inner = "s1"}), "");
}

TEST_F(LegalitySymbolicColumnSum, RefusesColumnsThatAreMissingOrTwice) {
  EXPECT_NE(verdictOf({.from = 2}), "");
  EXPECT_NE(verdictOf({.from = 0, .to = 3}), "") << "as many columns, of which one is twice";
  EXPECT_NE(verdictOf({.to = 3}), "");
  EXPECT_NE(verdictOf({.from = 0}), "");
}

TEST_F(LegalitySymbolicColumnSum, RefusesColumnsInAnotherOrderOrDimension) {
  EXPECT_EQ(verdictOf({.isSwapped = true}), "equal-pieces");
  EXPECT_NE(verdictOf({.along = 0}), "");
}

TEST_F(LegalitySymbolicColumnSum, RefusesAnotherMatrixFunctionOrReduction) {
  EXPECT_EQ(verdictOf({.matrix = "c"}), "equal-pieces");
  EXPECT_EQ(verdictOf({.first = "y"}), "equal-pieces");
  EXPECT_EQ(verdictOf({.function = "aten.relu.default"}), "equal-pieces");
  EXPECT_EQ(verdictOf({.reduceOp = "max"}), "equal-pieces");
}

TEST_F(LegalitySymbolicColumnSum, RefusesWhatIsInFlight) { EXPECT_NE(verdictOf({.waits = false}), ""); }

TEST_F(LegalitySymbolicColumnSum, RefusesWhereRanksDifferOrBitsCount) {
  cut({});
  EXPECT_EQ(bench_.verdict({.spmd = false}), "mpmd");
  EXPECT_EQ(bench_.verdict({.bitwise = true}), "bitwise");
}

/// The gradient of a weight adds over symbolic rows, and is reduced and scattered.
class LegalitySymbolicGradient : public LegalitySymbolicColumns {
protected:
  /// `scale`: the number by which the second piece is multiplied. `scattered`: its collective.
  void cut(const char *scale, const char *scattered = columnScatter) {
    load("w", R"(t: "f32[4, s0][1, 4]cpu", x: "f32[s0, 6][6, 1]cpu", n: "f32[][]cpu", m: "f32[][]cpu")", R"(
  p: "f32[4, 6][6, 1]cpu" = torch.ops.aten.mm.default(t, x)
  c: "f32[4, 6][6, 1]cpu" = torch.ops.aten.mul.Tensor(p, n)
  s: "f32[2, 6][6, 1]cpu" = torch.ops._c10d_functional.reduce_scatter_tensor.default(c, 'sum', 2, '0')
  w: "f32[2, 6][6, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(s)
  r: "f32[2, 6][6, 1]cpu" = torch.ops.aten.neg.default(w)
  return (r,))");
    Node *parts[] = {piece(0, 2, "n", columnScatter), piece(2, 6, scale, scattered)};
    bench_.replaceByPieces({"w", "s", "c", "p"}, {cat(parts, 1)}, built_);
  }

  Node *piece(int64_t from, int64_t to, const char *scale, const char *target) {
    Node *product = make("aten.mm.default", {bench_["t"], slice(bench_["x"], 1, from, to)});
    Node *scaled = make("aten.mul.Tensor", {product, bench_[scale]});
    if (std::string(target) == columnScatter)
      return wait(make(columnScatter, {scaled, "sum", 2, "0"}));
    return slice(wait(make(columnReduce, {scaled, "sum", "0"})), 0, 0, 2);
  }
};

TEST_F(LegalitySymbolicGradient, AcceptsColumnsOfTheSum) {
  cut("n");
  EXPECT_EQ(bench_.text(), "");
}

TEST_F(LegalitySymbolicGradient, RefusesAnotherNumberOrTheShareOfAnotherRank) {
  cut("m");
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
  cut("n", columnReduce);
  EXPECT_NE(bench_.verdict(), "");
}

/// A gathered weight that a product of symbolic rows reads transposed.
class LegalitySymbolicWeight : public LegalitySymbolicColumns {
protected:
  struct Cut {
    bool ofEachRank = true; ///< the columns are put together rank by rank
    bool keeps = true;      ///< so are the rows of the weight
    int64_t from = 1;       ///< the first row of the second piece
  };

  void cut(const Cut &how) {
    isRankByRank_ = how.ofEachRank;
    load("p", R"(x: "f32[s0, 3][3, 1]cpu", b: "f32[3, 3][3, 1]cpu")", R"(
  s: "f32[6, 3][3, 1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(b, 2, '0')
  w: "f32[6, 3][3, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(s)
  t: "f32[3, 6][1, 3]cpu" = torch.ops.aten.permute.default(w, [1, 0])
  p: "f32[s0, 6][6, 1]cpu" = torch.ops.aten.mm.default(x, t)
  q: "f32[6, 3][3, 1]cpu" = torch.ops.aten.neg.default(w)
  return (p, q))");
    Node *first = gathered(0, 1), *second = gathered(how.from, how.from + 2);
    Node *columns[] = {product(first), product(second)};
    Node *weights[] = {view(first, {2, 1, 3}), view(second, {2, 2, 3})};
    Node *whole = cat(columns, how.ofEachRank ? 2 : 1);
    Node *weight = how.keeps ? cat(weights, 1) : cat({first, second}, 0);
    whole = how.ofEachRank ? view(whole, {-1, 6}) : whole;
    weight = how.keeps ? view(weight, {6, 3}) : weight;
    bench_.replaceByPieces({"p", "w", "s", "t"}, {whole, weight}, built_);
  }

  Node *gathered(int64_t from, int64_t to) {
    return wait(make(columnGather, {slice(bench_["b"], 0, from, to), 2, "0"}));
  }

  Node *product(Node *rows) {
    const int64_t count = rows->type()->sizes()[0].value();
    Node *columns = make("aten.permute.default", {rows, Actual::integers({1, 0})});
    Node *product = make("aten.mm.default", {bench_["x"], columns});
    return isRankByRank_ ? view(product, {-1, 2, count / 2}) : product;
  }

  [[nodiscard]] std::string verdictOf(const Cut &how) {
    cut(how);
    return bench_.verdict();
  }

private:
  bool isRankByRank_ = true;
};

TEST_F(LegalitySymbolicWeight, AcceptsColumnsRankByRank) {
  cut({});
  EXPECT_EQ(bench_.text(), "");
}

TEST_F(LegalitySymbolicWeight, RefusesColumnsOrRowsInTheOrderOfThePieces) {
  EXPECT_EQ(verdictOf({.ofEachRank = false}), "equal-pieces");
  EXPECT_EQ(verdictOf({.keeps = false}), "equal-pieces");
}

TEST_F(LegalitySymbolicWeight, RefusesAnotherPartOfTheWeight) { EXPECT_NE(verdictOf({.from = 0}), ""); }

} // namespace
} // namespace ccgraph::test
