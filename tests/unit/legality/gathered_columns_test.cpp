// Tests the legality of a weight that is gathered in pieces, each of which a product reads transposed: correct, and
// with one error each.
#include "support/rewrites.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

/// The calls of the two pieces, and those that put both together.
struct TwoPieces {
  int64_t end = 2;  ///< of the rows of the first piece
  int64_t from = 2; ///< of the rows of the second piece
  const char *input = "x";
  const char *first = "a";
  bool waits = true;
  bool transposes = true;
  bool swaps = false;
  int64_t along = 2;    ///< dimension of [rows, ranks, columns of a piece] in which the products are put together
  bool byBlocks = true; ///< the weight is put together rank by rank, not piece by piece
};

class LegalityGatheredColumns : public testing::Test {
protected:
  void cut(const TwoPieces &how) {
    bench_.certificate = {};
    built_.clear();
    bench_.load(R"(x: "f32[4, 4][4, 1]cpu", y: "f32[4, 4][4, 1]cpu", a: "f32[5, 4][4, 1]cpu", b: "f32[5, 4][4, 1]cpu")",
                R"(
  g: "f32[8, 4][4, 1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(x, 2, '0')
  w: "f32[8, 4][4, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(g)
  t: "f32[4, 8][1, 4]cpu" = torch.ops.aten.permute.default(w, [1, 0])
  p: "f32[5, 8][8, 1]cpu" = torch.ops.aten.mm.default(a, t)
  r: "f32[5, 8][8, 1]cpu" = torch.ops.aten.neg.default(p)
  s: "f32[8, 4][4, 1]cpu" = torch.ops.aten.neg.default(w)
  return (r, s))");
    std::vector<Piece> pieces = {piece("1", how, 0, how.end), piece("2", how, how.from, how.from + 4 - how.end)};
    if (how.swaps)
      std::swap(pieces[0], pieces[1]);
    Node *product = joinedProduct(pieces, how.along);
    Node *weight = how.byBlocks ? joinedWeight(pieces)
                                : make("weight", "aten.cat.default",
                                       {Actual::nodes({pieces[0].weight, pieces[1].weight}), 0}, {8, 4});
    bench_.replaceByPieces({"p", "w", "g", "t"}, {product, weight}, built_);
  }

  RewriteBench bench_;

private:
  struct Piece {
    int64_t rows = 0; ///< of one rank
    Node *weight = nullptr;
    Node *product = nullptr;
  };

  Node *make(const std::string &name, const char *target, const std::vector<Actual> &arguments,
             std::initializer_list<int64_t> sizes, const char *strides = nullptr) {
    std::string text, dense;
    int64_t stride = 1;
    for (const int64_t *size = sizes.end(); size-- != sizes.begin(); stride *= *size) {
      text = std::to_string(*size) + (text.empty() ? "" : ", ") + text;
      dense = std::to_string(stride) + (dense.empty() ? "" : ", ") + dense;
    }
    const std::string type = "f32[" + text + "][" + (strides ? strides : dense) + "]cpu";
    built_.push_back(makeCall(bench_["p"], name.c_str(), target, arguments, type.c_str()));
    return built_.back();
  }

  Piece piece(const std::string &name, const TwoPieces &how, int64_t from, int64_t to) {
    const int64_t rows = to - from;
    Node *slice = make("x" + name, "aten.slice.Tensor", {bench_[how.input], 0, from, to}, {rows, 4});
    Node *launch = make("g" + name, "_c10d_functional.all_gather_into_tensor.default", {slice, 2, "0"}, {2 * rows, 4});
    Node *wait = how.waits ? make("w" + name, "_c10d_functional.wait_tensor.default", {launch}, {2 * rows, 4}) : launch;
    Node *columns = how.transposes ? make("t" + name, "aten.permute.default", {wait, Actual::integers({1, 0})},
                                          {4, 2 * rows}, "1, 4")
                                   : wait;
    return {rows, wait, make("p" + name, "aten.mm.default", {bench_[how.first], columns}, {5, 2 * rows})};
  }

  Node *joinedProduct(const std::vector<Piece> &pieces, int64_t along) {
    std::vector<Node *> blocks;
    for (const Piece &piece : pieces)
      blocks.push_back(make("b" + std::to_string(blocks.size()), "aten.view.default",
                            {piece.product, Actual::integers({5, 2, piece.rows})}, {5, 2, piece.rows}));
    Node *whole = along == 2 ? make("all", "aten.cat.default", {Actual::nodes(blocks), along}, {5, 2, 4})
                             : make("all", "aten.cat.default", {Actual::nodes(blocks), along}, {5, 4, 2});
    return make("value", "aten.view.default", {whole, Actual::integers({5, 8})}, {5, 8});
  }

  Node *joinedWeight(const std::vector<Piece> &pieces) {
    std::vector<Node *> blocks;
    for (const Piece &piece : pieces)
      blocks.push_back(make("c" + std::to_string(blocks.size()), "aten.view.default",
                            {piece.weight, Actual::integers({2, piece.rows, 4})}, {2, piece.rows, 4}));
    Node *whole = make("rows", "aten.cat.default", {Actual::nodes(blocks), 1}, {2, 4, 4});
    return make("weight", "aten.view.default", {whole, Actual::integers({8, 4})}, {8, 4});
  }

  std::vector<Node *> built_;
};

TEST_F(LegalityGatheredColumns, AcceptsAllRowsInOrder) {
  cut({});
  EXPECT_EQ(bench_.text(), "");
}

TEST_F(LegalityGatheredColumns, AcceptsPiecesOfOneRowAndMoreOfThem) {
  cut({.end = 1, .from = 1});
  EXPECT_EQ(bench_.text(), "");
  cut({.end = 3, .from = 3});
  EXPECT_EQ(bench_.text(), "");
}

TEST_F(LegalityGatheredColumns, RefusesRowsThatAreTwice) {
  cut({.from = 1});
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
}

TEST_F(LegalityGatheredColumns, RefusesPiecesInAnotherOrder) {
  cut({.swaps = true});
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
}

TEST_F(LegalityGatheredColumns, RefusesPiecesOfAnotherWeight) {
  cut({.input = "y"});
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
}

TEST_F(LegalityGatheredColumns, RefusesProductsOfAnotherFirstOperand) {
  cut({.first = "b"});
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
}

TEST_F(LegalityGatheredColumns, RefusesToMultiplyWhatIsInFlight) {
  cut({.waits = false});
  EXPECT_EQ(bench_.verdict(), "equal-pieces in-flight wait-lost");
}

TEST_F(LegalityGatheredColumns, RefusesProductsOfWhatIsNotTransposed) {
  cut({.transposes = false});
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
}

TEST_F(LegalityGatheredColumns, RefusesColumnsByPieceAndThenByRank) {
  cut({.along = 1});
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
}

TEST_F(LegalityGatheredColumns, RefusesAWeightByPieceAndThenByRank) {
  cut({.byBlocks = false});
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
}

TEST_F(LegalityGatheredColumns, RefusesWhereRanksDifferOrBitsCount) {
  cut({});
  EXPECT_EQ(bench_.verdict({.spmd = false}), "mpmd");
  EXPECT_EQ(bench_.verdict({.bitwise = true}), "bitwise");
}

} // namespace
} // namespace ccgraph::test
