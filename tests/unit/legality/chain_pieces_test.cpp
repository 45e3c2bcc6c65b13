// Tests the legality of chains that are cut into pieces: collectives with calls between them that compute row by row,
// correct, and with one error each.
#include "support/rewrites.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

constexpr const char *chainWait = "_c10d_functional.wait_tensor.default";
constexpr const char *chainGather = "_c10d_functional.all_gather_into_tensor.default";
constexpr const char *chainScatter = "_c10d_functional.reduce_scatter_tensor.default";

/// The calls of the second of two pieces.
struct SecondPiece {
  int64_t residual = 1; ///< the row of the residual
  const char *sum = "aten.add.Tensor";
  const char *weight = "n";
  double epsilon = 0.5;
  bool scales = true;
  bool waits = true;
};

class LegalityChainInPieces : public testing::Test {
protected:
  void cut(const SecondPiece &second) {
    bench_.certificate = {};
    built_.clear();
    bench_.load(R"(x: "f32[4, 3][3, 1]cpu", b: "f32[3, 2][2, 1]cpu", r: "f32[2, 2][2, 1]cpu", n: "f32[2][1]cpu",
                   o: "f32[2][1]cpu", c: "f32[2, 5][5, 1]cpu")",
                R"(
  p: "f32[4, 2][2, 1]cpu" = torch.ops.aten.mm.default(x, b)
  s: "f32[2, 2][2, 1]cpu" = torch.ops._c10d_functional.reduce_scatter_tensor.default(p, 'sum', 2, '0')
  w: "f32[2, 2][2, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(s)
  h: "f32[2, 2][2, 1]cpu" = torch.ops.aten.add.Tensor(r, w)
  m: "f32[2, 1][1, 1]cpu" = torch.ops.aten.mean.dim(h, [-1], True)
  e: "f32[2, 1][1, 1]cpu" = torch.ops.aten.add.Tensor(m, 0.5)
  k: "f32[2, 2][2, 1]cpu" = torch.ops.aten.mul.Tensor(h, e)
  y: "f32[2, 2][2, 1]cpu" = torch.ops.aten.mul.Tensor(k, n)
  g: "f32[4, 2][2, 1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(y, 2, '0')
  v: "f32[4, 2][2, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(g)
  z: "f32[4, 5][5, 1]cpu" = torch.ops.aten.mm.default(v, c)
  q: "f32[4, 5][5, 1]cpu" = torch.ops.aten.neg.default(z)
  return (q,))");
    Node *parts[] = {piece("1", 0, {.residual = 0}), piece("2", 1, second)};
    Node *all = make("all", "aten.cat.default", {Actual::nodes(parts), 1}, "f32[2, 2, 5][10, 5, 1]cpu");
    Node *value = make("value", "aten.view.default", {all, Actual::integers({4, 5})}, "f32[4, 5][5, 1]cpu");
    bench_.replaceByPieces({"z", "s", "g", "v", "y", "k", "e", "m", "h", "w", "p"}, {value}, built_);
  }

  RewriteBench bench_;

private:
  Node *make(const std::string &name, const char *target, const std::vector<Actual> &arguments, const char *type) {
    built_.push_back(makeCall(bench_["z"], name.c_str(), target, arguments, type));
    return built_.back();
  }

  Node *reduced(const std::string &name, int64_t row) {
    Node *blocks =
        make("x" + name, "aten.view.default", {bench_["x"], Actual::integers({2, 2, 3})}, "f32[2, 2, 3][6, 3, 1]cpu");
    Node *rows = make("i" + name, "aten.slice.Tensor", {blocks, 1, row, row + 1}, "f32[2, 1, 3][6, 3, 1]cpu");
    Node *matrix = make("a" + name, "aten.reshape.default", {rows, Actual::integers({2, 3})}, "f32[2, 3][6, 1]cpu");
    Node *product = make("p" + name, "aten.mm.default", {matrix, bench_["b"]}, "f32[2, 2][2, 1]cpu");
    return make("s" + name, chainScatter, {product, "sum", 2, "0"}, "f32[1, 2][2, 1]cpu");
  }

  Node *piece(const std::string &name, int64_t row, const SecondPiece &how) {
    constexpr const char *rows = "f32[1, 2][2, 1]cpu", *numbers = "f32[1, 1][1, 1]cpu";
    Node *launch = reduced(name, row);
    Node *wait = how.waits ? make("w" + name, chainWait, {launch}, rows) : launch;
    Node *residual = make("r" + name, "aten.slice.Tensor", {bench_["r"], 0, how.residual, how.residual + 1}, rows);
    Node *sum = make("h" + name, how.sum, {residual, wait}, rows);
    Node *mean = make("m" + name, "aten.mean.dim", {sum, Actual::integers({-1}), true}, numbers);
    Node *more = make("e" + name, "aten.add.Tensor", {mean, how.epsilon}, numbers);
    Node *scaled = how.scales ? make("k" + name, "aten.mul.Tensor", {sum, more}, rows) : sum;
    Node *weighted = make("y" + name, "aten.mul.Tensor", {scaled, bench_[how.weight]}, rows);
    Node *gather = make("g" + name, chainGather, {weighted, 2, "0"}, "f32[2, 2][2, 1]cpu");
    Node *gathered = make("v" + name, chainWait, {gather}, "f32[2, 2][2, 1]cpu");
    Node *product = make("z" + name, "aten.mm.default", {gathered, bench_["c"]}, "f32[2, 5][5, 1]cpu");
    return make("t" + name, "aten.view.default", {product, Actual::integers({2, 1, 5})}, "f32[2, 1, 5][5, 5, 1]cpu");
  }

  std::vector<Node *> built_;
};

TEST_F(LegalityChainInPieces, AcceptsRowsThatAreReducedAddedScaledAndGathered) {
  cut({});
  EXPECT_EQ(bench_.text(), "");
}

TEST_F(LegalityChainInPieces, RefusesAnotherRowOfTheResidual) {
  cut({.residual = 0});
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
}

TEST_F(LegalityChainInPieces, RefusesAnotherOperatorWeightOrLiteral) {
  cut({.sum = "aten.sub.Tensor"});
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
  cut({.weight = "o"});
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
  cut({.epsilon = 0.25});
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
}

TEST_F(LegalityChainInPieces, RefusesAStepThatOnePieceLeavesOut) {
  cut({.scales = false});
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
}

TEST_F(LegalityChainInPieces, RefusesRowsThatAreInFlight) {
  cut({.waits = false});
  EXPECT_NE(bench_.verdict(), "");
}

TEST_F(LegalityChainInPieces, RefusesWhereRanksDifferOrBitsCount) {
  cut({});
  EXPECT_EQ(bench_.verdict({.spmd = false}), "mpmd");
  EXPECT_EQ(bench_.verdict({.bitwise = true}), "bitwise");
}

/// The product of gathered rows is reduced: piece k of it is computed from the rows of rank k.
class LegalityReceiverInPieces : public testing::Test {
protected:
  /// `other`: the operator of the second piece.
  void cut(const char *other) {
    bench_.certificate = {};
    built_.clear();
    bench_.load(R"(y: "f32[2, 2][2, 1]cpu", c: "f32[2, 5][5, 1]cpu", d: "f32[5, 2][2, 1]cpu")", R"(
  g: "f32[4, 2][2, 1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(y, 2, '0')
  v: "f32[4, 2][2, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(g)
  u: "f32[4, 5][5, 1]cpu" = torch.ops.aten.mm.default(v, c)
  a: "f32[4, 5][5, 1]cpu" = torch.ops.aten.relu.default(u)
  q: "f32[4, 2][2, 1]cpu" = torch.ops.aten.mm.default(a, d)
  s: "f32[2, 2][2, 1]cpu" = torch.ops._c10d_functional.reduce_scatter_tensor.default(q, 'sum', 2, '0')
  w: "f32[2, 2][2, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(s)
  o: "f32[2, 2][2, 1]cpu" = torch.ops.aten.neg.default(w)
  return (o,))");
    Node *parts[] = {piece("1", 0, "aten.relu.default"), piece("2", 1, other)};
    Node *all = make("all", "aten.cat.default", {Actual::nodes(parts), 0}, "f32[2, 2][2, 1]cpu");
    bench_.replaceByPieces({"w", "g", "s", "v", "u", "a", "q"}, {all}, built_);
  }

  RewriteBench bench_;

private:
  Node *make(const std::string &name, const char *target, const std::vector<Actual> &arguments, const char *type) {
    built_.push_back(makeCall(bench_["w"], name.c_str(), target, arguments, type));
    return built_.back();
  }

  Node *piece(const std::string &name, int64_t row, const char *function) {
    constexpr const char *both = "f32[2, 2][2, 1]cpu", *one = "f32[1, 2][2, 1]cpu";
    Node *slice = make("y" + name, "aten.slice.Tensor", {bench_["y"], 0, row, row + 1}, one);
    Node *gather = make("g" + name, chainGather, {slice, 2, "0"}, both);
    Node *gathered = make("v" + name, chainWait, {gather}, both);
    Node *up = make("u" + name, "aten.mm.default", {gathered, bench_["c"]}, "f32[2, 5][5, 1]cpu");
    Node *active = make("a" + name, function, {up}, "f32[2, 5][5, 1]cpu");
    Node *down = make("q" + name, "aten.mm.default", {active, bench_["d"]}, both);
    Node *scatter = make("s" + name, chainScatter, {down, "sum", 2, "0"}, one);
    return make("w" + name, chainWait, {scatter}, one);
  }

  std::vector<Node *> built_;
};

TEST_F(LegalityReceiverInPieces, AcceptsProductsOfTheReceiversRows) {
  cut("aten.relu.default");
  EXPECT_EQ(bench_.text(), "");
}

TEST_F(LegalityReceiverInPieces, RefusesAnotherFunctionOfTheReceiversRows) {
  cut("aten.silu.default");
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
}

/// What each rank receives of such a reduction is gathered: share k is a sum of the products of rank k's rows.
class LegalityReceivedSharesInPieces : public testing::Test {
protected:
  /// `first`, `second`: the shares that are put together, as their first rows.
  void cut(int64_t first, int64_t second) {
    bench_.certificate = {};
    built_.clear();
    bench_.load(R"(y: "f32[2, 2][2, 1]cpu", d: "f32[2, 2][2, 1]cpu")", R"(
  g: "f32[4, 2][2, 1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(y, 2, '0')
  v: "f32[4, 2][2, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(g)
  q: "f32[4, 2][2, 1]cpu" = torch.ops.aten.mm.default(v, d)
  s: "f32[2, 2][2, 1]cpu" = torch.ops._c10d_functional.reduce_scatter_tensor.default(q, 'sum', 2, '0')
  w: "f32[2, 2][2, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(s)
  a: "f32[4, 2][2, 1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(w, 2, '0')
  z: "f32[4, 2][2, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(a)
  o: "f32[4, 2][2, 1]cpu" = torch.ops.aten.neg.default(z)
  return (o,))");
    constexpr const char *all = "f32[4, 2][2, 1]cpu", *share = "f32[2, 2][2, 1]cpu";
    Node *gathered = wait("v1", make("g1", chainGather, {bench_["y"], 2, "0"}, all), all);
    Node *product = make("q1", "aten.mm.default", {gathered, bench_["d"]}, all);
    Node *reduced = wait("w1", make("s1", chainScatter, {product, "sum", 2, "0"}, share), share);
    Node *sums = wait("z1", make("a1", chainGather, {reduced, 2, "0"}, all), all);
    Node *parts[] = {make("f", "aten.slice.Tensor", {sums, 0, first, first + 2}, share),
                     make("l", "aten.slice.Tensor", {sums, 0, second, second + 2}, share)};
    Node *value = make("value", "aten.cat.default", {Actual::nodes(parts), 0}, all);
    bench_.replaceByPieces({"z", "g", "s", "a", "w", "q", "v"}, {value}, built_);
  }

  RewriteBench bench_;

private:
  Node *make(const char *name, const char *target, const std::vector<Actual> &arguments, const char *type) {
    built_.push_back(makeCall(bench_["z"], name, target, arguments, type));
    return built_.back();
  }
  Node *wait(const char *name, Node *launch, const char *type) { return make(name, chainWait, {launch}, type); }

  std::vector<Node *> built_;
};

TEST_F(LegalityReceivedSharesInPieces, AcceptsTheSharesInTheOrderOfTheRanks) {
  cut(0, 2);
  EXPECT_EQ(bench_.text(), "");
}

TEST_F(LegalityReceivedSharesInPieces, RefusesTheSharesInAnotherOrder) {
  cut(2, 0);
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
  cut(0, 0);
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
}

} // namespace
} // namespace ccgraph::test
