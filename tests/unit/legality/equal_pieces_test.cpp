// Tests the legality of collectives that are cut into pieces together with the products of matrices beside them:
// correct, and with one error each.
#include "support/rewrites.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

constexpr const char *waitTarget = "_c10d_functional.wait_tensor.default";
constexpr const char *gatherTarget = "_c10d_functional.all_gather_into_tensor.default";
constexpr const char *scatterTarget = "_c10d_functional.reduce_scatter_tensor.default";

class LegalityEqualPieces : public testing::Test {
protected:
  Node *make(const char *before, const char *name, const char *target, const std::vector<Actual> &arguments,
             const char *type) {
    built_.push_back(makeCall(bench_[before], name, target, arguments, type));
    return built_.back();
  }

  RewriteBench bench_;
  std::vector<Node *> built_;
};

class LegalityGatherInPieces : public LegalityEqualPieces {
protected:
  /// The rows that each piece takes, and how the results are put together.
  struct Cut {
    int64_t end = 1;  ///< of the first piece
    int64_t from = 1; ///< of the second piece
    const char *matrix = "b";
    int64_t along = 1; ///< dimension in which the parts of the result are put together
    const char *group = "0";
    bool waits = true;
    const char *input = "x";
  };

  void cut(const Cut &how) {
    bench_.certificate = {};
    built_.clear();
    bench_.load(R"(x: "f32[2, 3][3, 1]cpu", y: "f32[2, 3][3, 1]cpu", b: "f32[3, 2][2, 1]cpu", c: "f32[3, 2][2, 1]cpu")",
                R"(
  g: "f32[4, 3][3, 1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(x, 2, '0')
  w: "f32[4, 3][3, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(g)
  p: "f32[4, 2][2, 1]cpu" = torch.ops.aten.mm.default(w, b)
  r: "f32[4, 2][2, 1]cpu" = torch.ops.aten.neg.default(p)
  return (r,))");
    Node *first = part("1", how, 0, how.end), *second = part("2", how, how.from, how.from + 1);
    Node *all = make("p", "all", "aten.cat.default", {Actual::nodes({first, second}), how.along},
                     how.along == 1 ? "f32[2, 2, 2][4, 2, 1]cpu" : "f32[4, 1, 2][2, 2, 1]cpu");
    Node *value = make("p", "value", "aten.view.default", {all, Actual::integers({4, 2})}, "f32[4, 2][2, 1]cpu");
    bench_.replaceByPieces({"p", "g", "w"}, {value}, built_);
  }

  Node *part(const std::string &name, const Cut &how, int64_t from, int64_t to) {
    constexpr const char *rows = "f32[1, 3][3, 1]cpu", *gathered = "f32[2, 3][3, 1]cpu";
    Node *slice = make("g", ("x" + name).c_str(), "aten.slice.Tensor", {bench_[how.input], 0, from, to}, rows);
    Node *launch = make("g", ("g" + name).c_str(), gatherTarget, {slice, 2, how.group}, gathered);
    Node *wait = how.waits ? make("p", ("w" + name).c_str(), waitTarget, {launch}, gathered) : launch;
    Node *product =
        make("p", ("p" + name).c_str(), "aten.mm.default", {wait, bench_[how.matrix]}, "f32[2, 2][2, 1]cpu");
    return make("p", ("v" + name).c_str(), "aten.view.default", {product, Actual::integers({2, 1, 2})},
                "f32[2, 1, 2][2, 2, 1]cpu");
  }
};

TEST_F(LegalityGatherInPieces, AcceptsTheRowsOfEachRank) {
  cut({});
  EXPECT_EQ(bench_.text(), "");
}

TEST_F(LegalityGatherInPieces, RefusesRowsThatAreTwiceOrMissing) {
  cut({.from = 0});
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
}

TEST_F(LegalityGatherInPieces, RefusesRowsInTheOrderOfThePieces) {
  cut({.along = 0});
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
}

TEST_F(LegalityGatherInPieces, RefusesAnotherMatrixOrInput) {
  cut({.matrix = "c"});
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
  cut({.input = "y"});
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
}

TEST_F(LegalityGatherInPieces, RefusesAnotherGroup) {
  cut({.group = "1"});
  EXPECT_EQ(bench_.verdict(), "equal-pieces issue-order");
}

TEST_F(LegalityGatherInPieces, RefusesAProductOfWhatIsInFlight) {
  cut({.waits = false});
  EXPECT_EQ(bench_.verdict(), "equal-pieces in-flight wait-lost");
}

TEST_F(LegalityGatherInPieces, RefusesWhereRanksDifferOrBitsCount) {
  cut({});
  EXPECT_EQ(bench_.verdict({.spmd = false}), "mpmd");
  EXPECT_EQ(bench_.verdict({.bitwise = true}), "bitwise");
}

TEST_F(LegalityGatherInPieces, RefusesAnEntryWithoutALaunch) {
  cut({});
  RuleEntry &entry = bench_.certificate.rules.front();
  std::swap(entry.matched.front(), entry.matched[1]);
  EXPECT_NE(bench_.verdict(), "");
}

class LegalityScatterInPieces : public LegalityEqualPieces {
protected:
  /// `rows`: whether a piece has the same rows of each block, or consecutive rows.
  enum class Rows : uint8_t { OfEachBlock, Consecutive };
  void cut(Rows rows, const char *reduceOp) {
    bench_.certificate = {};
    built_.clear();
    bench_.load(R"(x: "f32[4, 3][3, 1]cpu", b: "f32[3, 2][2, 1]cpu")", R"(
  p: "f32[4, 2][2, 1]cpu" = torch.ops.aten.mm.default(x, b)
  s: "f32[2, 2][2, 1]cpu" = torch.ops._c10d_functional.reduce_scatter_tensor.default(p, 'sum', 2, '0')
  w: "f32[2, 2][2, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(s)
  r: "f32[2, 2][2, 1]cpu" = torch.ops.aten.neg.default(w)
  return (r,))");
    std::vector<Node *> parts;
    for (int64_t i : {0, 1}) {
      const std::string number = std::to_string(i);
      Node *launch = make("s", ("s" + number).c_str(), scatterTarget, {product(number, rows, i), reduceOp, 2, "0"},
                          "f32[1, 2][2, 1]cpu");
      parts.push_back(make("w", ("w" + number).c_str(), waitTarget, {launch}, "f32[1, 2][2, 1]cpu"));
    }
    Node *value = make("w", "value", "aten.cat.default", {Actual::nodes(parts)}, "f32[2, 2][2, 1]cpu");
    bench_.replaceByPieces({"w", "s", "p"}, {value}, built_);
  }

  Node *product(const std::string &name, Rows rows, int64_t number) {
    constexpr const char *two = "f32[2, 3][3, 1]cpu";
    Node *part = nullptr;
    // One row of each block needs no copy: the stride between its rows is that between blocks.
    if (rows == Rows::Consecutive) {
      part = make("s", ("x" + name).c_str(), "aten.slice.Tensor", {bench_["x"], 0, 2 * number, 2 * number + 2}, two);
    } else {
      Node *blocks = make("s", ("b" + name).c_str(), "aten.view.default", {bench_["x"], Actual::integers({2, 2, 3})},
                          "f32[2, 2, 3][6, 3, 1]cpu");
      Node *slice = make("s", ("c" + name).c_str(), "aten.slice.Tensor", {blocks, 1, number, number + 1},
                         "f32[2, 1, 3][6, 3, 1]cpu");
      part = make("s", ("x" + name).c_str(), "aten.reshape.default", {slice, Actual::integers({2, 3})},
                  "f32[2, 3][6, 1]cpu");
    }
    return make("s", ("p" + name).c_str(), "aten.mm.default", {part, bench_["b"]}, "f32[2, 2][2, 1]cpu");
  }
};

TEST_F(LegalityScatterInPieces, AcceptsTheRowsOfEachBlock) {
  cut(Rows::OfEachBlock, "sum");
  EXPECT_EQ(bench_.text(), "");
}

TEST_F(LegalityScatterInPieces, RefusesConsecutiveRows) {
  cut(Rows::Consecutive, "sum");
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
}

TEST_F(LegalityScatterInPieces, RefusesAnotherReduction) {
  cut(Rows::OfEachBlock, "max");
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
}

} // namespace
} // namespace ccgraph::test
