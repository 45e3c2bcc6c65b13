// Tests the legality of functions of rows, and of their totals, that are computed in pieces: correct, and with one
// error each.
#include "support/rewrites.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

/// Makes new nodes at a place.
class Maker {
public:
  explicit Maker(Node *position) : position_(position) {}

  Node *make(const std::string &name, const char *target, const std::vector<Actual> &arguments,
             const std::string &type = "") {
    made_.push_back(makeCall(position_, name, target, arguments, type));
    return made_.back();
  }
  [[nodiscard]] const std::vector<Node *> &made() const { return made_; }

private:
  Node *position_;
  std::vector<Node *> made_;
};

std::string rowsType(int64_t rows) { return "f32[" + std::to_string(rows) + ", 3][3, 1]cpu"; }

/// How the second of two pieces of f32[4, 3] is computed, and how both are put together.
struct Second {
  int64_t from = 2;   ///< its first row
  int64_t end = 2;    ///< the end of the first piece
  int64_t over = 2;   ///< by which the sum of the means is divided; 0: it is not
  bool swaps = false; ///< the second piece comes first
  bool isSum = false; ///< its total is a sum
  int64_t dim = 1;    ///< of its softmax
  int64_t twice = 0;  ///< the piece whose mean counts twice; 0: none
};

/// s = log_softmax(x), m = mean(s), e = exp(s) in two pieces
class LegalityRowPieces : public testing::Test {
protected:
  void cut(const Second &second) {
    bench_.certificate = {};
    bench_.load(R"(x: "f32[4, 3][3, 1]cpu")", R"(
  s: "f32[4, 3][3, 1]cpu" = torch.ops.aten._log_softmax.default(x, 1, False)
  m: "f32[][]cpu" = torch.ops.aten.mean.default(s)
  e: "f32[4, 3][3, 1]cpu" = torch.ops.aten.exp.default(s)
  return (m, e))");
    Maker now(bench_["s"]);
    std::vector<Node *> rows, totals;
    auto add = [&](const std::string &name, int64_t from, int64_t to, int64_t dim, bool isSum) {
      const std::string type = rowsType(to - from);
      Node *part = now.make("x" + name, "aten.slice.Tensor", {bench_["x"], 0, from, to}, type);
      Node *softmax = now.make("s" + name, "aten._log_softmax.default", {part, dim, false}, type);
      rows.push_back(now.make("e" + name, "aten.exp.default", {softmax}, type));
      totals.push_back(now.make("m" + name, isSum ? "aten.sum.default" : "aten.mean.default", {softmax}, "f32[][]cpu"));
    };
    add("1", 0, second.end, 1, false);
    add("2", second.from, 4, second.dim, second.isSum);
    if (second.swaps)
      std::swap(rows[0], rows[1]);
    if (second.twice > 0)
      totals[2 - second.twice] = totals[second.twice - 1];
    Node *whole = now.make("whole", "aten.cat.default", {Actual::nodes(rows), 0}, rowsType(4));
    Node *total = now.make("sum", "aten.add.Tensor", {totals[0], totals[1]}, "f32[][]cpu");
    if (second.over > 0)
      total = now.make("mean", "aten.div.Tensor", {total, second.over}, "f32[][]cpu");
    bench_.replaceByPieces({"e", "m", "s"}, {whole, total}, now.made());
  }

  RewriteBench bench_;
};

TEST_F(LegalityRowPieces, AcceptsPiecesThatHaveAllRows) {
  cut({});
  EXPECT_EQ(bench_.text(), "");
}

TEST_F(LegalityRowPieces, AcceptsThemInAnyProgram) {
  cut({});
  EXPECT_EQ(bench_.verdict({.spmd = false}), "");
}

TEST_F(LegalityRowPieces, RefusesRowsThatAreTwiceOrInAnotherOrder) {
  cut({.from = 1, .end = 1, .swaps = true});
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
  cut({.swaps = true});
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
}

TEST_F(LegalityRowPieces, RefusesAMeanOfMeansOfUnequalPieces) {
  cut({.from = 1, .end = 1});
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
}

TEST_F(LegalityRowPieces, RefusesATotalOverAnotherNumber) {
  for (const int64_t over : {0, 1, 3, 4}) {
    cut({.over = over});
    EXPECT_EQ(bench_.verdict(), "equal-pieces") << over;
  }
}

TEST_F(LegalityRowPieces, RefusesAnotherTotalOfAPiece) {
  cut({.isSum = true});
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
  cut({.twice = 1});
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
  cut({.twice = 2});
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
}

TEST_F(LegalityRowPieces, RefusesASoftmaxOverTheRows) {
  cut({.dim = 0});
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
}

TEST_F(LegalityRowPieces, RefusesThemWhereBitsCount) {
  cut({});
  EXPECT_EQ(bench_.verdict({.bitwise = true}), "bitwise");
}

/// How the second piece of a loss is computed.
struct SecondLoss {
  int64_t classes = 2;    ///< the first row whose class it reads
  int64_t reduction = 2;  ///< of both pieces: 1 mean, 2 sum
  int64_t was = 2;        ///< of the loss that is replaced
  bool ownWeight = false; ///< the gradient reads the weight of its own rows
  int64_t ignored = -100;
};

/// The loss and its gradient in two pieces
class LegalityLossPieces : public testing::Test {
protected:
  void cut(const SecondLoss &how) {
    bench_.certificate = {};
    const std::string reduction = std::to_string(how.was);
    bench_.load(R"(s: "f32[4, 3][3, 1]cpu", k: "i64[4][1]cpu", g: "f32[][]cpu")", R"(
  n = torch.ops.aten.nll_loss_forward.default(s, k, None, )" + reduction + R"(, -100)
  l: "f32[][]cpu" = n[0]
  v: "f32[][]cpu" = n[1]
  y: "f32[4, 3][3, 1]cpu" = torch.ops.aten.nll_loss_backward.default(g, s, k, None, )" +
                                                                                      reduction + R"(, -100, v)
  return (l, y))");
    Maker now(bench_["n"]);
    std::vector<Node *> rows, classes, losses, weights, gradients;
    for (const int64_t piece : {0, 1}) {
      const std::string name = std::to_string(piece);
      const int64_t from = 2 * piece, first = piece == 0 ? 0 : how.classes;
      rows.push_back(now.make("s" + name, "aten.slice.Tensor", {bench_["s"], 0, from, from + 2}, rowsType(2)));
      classes.push_back(now.make("k" + name, "aten.slice.Tensor", {bench_["k"], 0, first, first + 2}, "i64[2][1]cpu"));
      Node *loss = now.make("n" + name, "aten.nll_loss_forward.default",
                            {rows.back(), classes.back(), Actual::none(), how.reduction, how.ignored});
      losses.push_back(now.make("l" + name, "operator.getitem", {loss, 0}, "f32[][]cpu"));
      weights.push_back(now.make("v" + name, "operator.getitem", {loss, 1}, "f32[][]cpu"));
    }
    Node *loss = now.make("loss", "aten.add.Tensor", {losses[0], losses[1]}, "f32[][]cpu");
    Node *weight = now.make("weight", "aten.add.Tensor", {weights[0], weights[1]}, "f32[][]cpu");
    for (const int64_t piece : {0, 1})
      gradients.push_back(now.make("y" + std::to_string(piece), "aten.nll_loss_backward.default",
                                   {bench_["g"], rows[piece], classes[piece], Actual::none(), how.reduction,
                                    how.ignored, how.ownWeight ? weights[piece] : weight},
                                   rowsType(2)));
    Node *whole = now.make("whole", "aten.cat.default", {Actual::nodes(gradients), 0}, rowsType(4));
    bench_.replaceByPieces({"l", "y", "n", "v"}, {loss, whole}, now.made());
  }

  RewriteBench bench_;
};

TEST_F(LegalityLossPieces, AcceptsASumOverTheRows) {
  cut({});
  EXPECT_EQ(bench_.text(), "");
}

TEST_F(LegalityLossPieces, RefusesClassesOfOtherRows) {
  cut({.classes = 0});
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
}

TEST_F(LegalityLossPieces, RefusesAMean) {
  cut({.reduction = 1, .was = 1});
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
  cut({.reduction = 1});
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
}

TEST_F(LegalityLossPieces, RefusesAnotherIgnoredClass) {
  cut({.ignored = 0});
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
}

TEST_F(LegalityLossPieces, RefusesTheWeightOfOnePiece) {
  cut({.ownWeight = true});
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
}

} // namespace
} // namespace ccgraph::test
