// Tests the legality of collectives of symbolic rows that are cut into pieces: correct, and with one error each.
#include "support/rewrites.h"

#include "ccgraph/ir/context.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

constexpr const char *waitTarget = "_c10d_functional.wait_tensor.default";

class LegalitySymbolicPieces : public testing::Test {
protected:
  /// Makes a call before `position`, with the type that PyTorch would give it.
  Node *make(const char *position, const char *target, std::vector<Actual> arguments) {
    GraphBuilder at(bench_.graph(), bench_[position]);
    at.assumeTypes();
    built_.push_back(at.call(target, std::move(arguments)));
    return built_.back();
  }
  /// Makes (times * rows + plus) // over.
  Node *end(Node *rows, int64_t times, int64_t plus, int64_t over) {
    Node *product = make("s", "operator.mul", {rows, times});
    return make("s", "operator.floordiv", {make("s", "operator.add", {product, plus}), over});
  }
  void load(llvm::StringRef inputs, llvm::StringRef lines) {
    bench_.certificate = {};
    built_.clear();
    bench_.load(inputs, lines);
  }

  RewriteBench bench_;
  std::vector<Node *> built_;
};

/// A part of symbolic rows, (times * rows + plus) // over.
struct Part {
  int64_t times = 1;
  int64_t plus = 0;
  int64_t over = 2;
};

class LegalitySymbolicSum : public LegalitySymbolicPieces {
protected:
  struct Cut {
    Part end = {};    ///< of the first piece
    Part begin = {};  ///< of the second piece
    int64_t less = 0; ///< rows that the second piece has less
    const char *matrix = "b";
    const char *reduceOp = "sum";
    bool isSwapped = false;
    bool waits = true;
    const char *rows = "s0";
    const char *type = nullptr; ///< of the end of the first piece, if it is stated otherwise
  };

  void cut(const Cut &how) {
    const std::string rows = how.rows;
    load("x: \"f32[" + rows + R"(, 3][3, 1]cpu", b: "f32[3, 2][2, 1]cpu", c: "f32[3, 2][2, 1]cpu")",
         "\n  p: \"f32[" + rows + R"(, 2][2, 1]cpu" = torch.ops.aten.mm.default(x, b)
  s: "f32[)" +
             rows + R"(, 2][2, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(p, 'sum', '0')
  w: "f32[)" +
             rows + R"(, 2][2, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(s)
  r: "f32[)" +
             rows + R"(, 2][2, 1]cpu" = torch.ops.aten.neg.default(w)
  return (r,))");
    Node *n = make("s", "aten.sym_size.int", {bench_["x"], 0});
    Node *to = end(n, how.end.times, how.end.plus, how.end.over);
    Node *from = end(n, how.begin.times, how.begin.plus, how.begin.over);
    if (how.type)
      bench_.graph().setType(to, llvm::cantFail(parseType(bench_.graph().context(), how.type)));
    Node *last = make("s", "operator.sub", {n, how.less});
    Node *first = part(how, make("s", "aten.slice.Tensor", {bench_["x"], 0, 0, to}));
    Node *second = part(how, make("s", "aten.slice.Tensor", {bench_["x"], 0, from, last}));
    Node *value = make("w", "aten.cat.default",
                       {how.isSwapped ? Actual::nodes({second, first}) : Actual::nodes({first, second}), 0});
    bench_.graph().setType(value, bench_["w"]->type());
    bench_.replaceByPieces({"w", "s", "p"}, {value}, built_);
  }

  Node *part(const Cut &how, Node *rows) {
    Node *product = make("s", "aten.mm.default", {rows, bench_[how.matrix]});
    Node *sum = make("s", "_c10d_functional.all_reduce.default", {product, how.reduceOp, "0"});
    return how.waits ? make("w", waitTarget, {sum}) : sum;
  }

  [[nodiscard]] std::string verdictOf(const Cut &how) {
    cut(how);
    return bench_.verdict();
  }
};

TEST_F(LegalitySymbolicSum, AcceptsPiecesThatMeetForEveryValue) {
  cut({});
  EXPECT_EQ(bench_.text(), "");
  EXPECT_EQ(verdictOf({.end = {1, 1, 2}, .begin = {1, 1, 2}}), "");
  EXPECT_EQ(verdictOf({.end = {3, 0, 4}, .begin = {6, 0, 8}}), "");
  EXPECT_EQ(verdictOf({.end = {0, 2, 1}, .begin = {0, 2, 1}}), "") << "two rows, since a symbol is at least 2";
  EXPECT_EQ(verdictOf({.rows = "2048*s0"}), "");
}

TEST_F(LegalitySymbolicSum, RefusesRowsThatAreMissingForSomeValues) {
  EXPECT_EQ(verdictOf({.begin = {1, 1, 2}}), "equal-pieces") << "the middle row of an odd number";
  EXPECT_EQ(verdictOf({.end = {1, 0, 3}}), "equal-pieces");
  EXPECT_EQ(verdictOf({.less = 1}), "equal-pieces");
}

TEST_F(LegalitySymbolicSum, RefusesRowsThatAreTwiceForSomeValues) {
  EXPECT_EQ(verdictOf({.end = {1, 1, 2}}), "equal-pieces") << "the middle row of an odd number";
  EXPECT_EQ(verdictOf({.begin = {1, 0, 3}}), "equal-pieces");
}

TEST_F(LegalitySymbolicSum, RefusesEndsThatMeetForSmallValuesOnly) {
  EXPECT_EQ(verdictOf({.end = {1000, 0, 2001}, .begin = {1, -1, 2}}), "equal-pieces") << "from 2002 on";
}

TEST_F(LegalitySymbolicSum, RefusesEndsBeyondTheRowsOfSomeValues) {
  EXPECT_EQ(verdictOf({.end = {0, 3, 1}, .begin = {0, 3, 1}}), "equal-pieces") << "a symbol may be 2";
  EXPECT_EQ(verdictOf({.end = {1, 1, 1}, .begin = {1, 1, 1}}), "equal-pieces");
  EXPECT_EQ(verdictOf({.end = {1, -3, 1}, .begin = {1, -3, 1}}), "equal-pieces") << "below the first row";
}

TEST_F(LegalitySymbolicSum, RefusesAnotherOrder) { EXPECT_EQ(verdictOf({.isSwapped = true}), "equal-pieces"); }

TEST_F(LegalitySymbolicSum, RefusesAnotherMatrixOrReduction) {
  EXPECT_EQ(verdictOf({.matrix = "c"}), "equal-pieces");
  EXPECT_EQ(verdictOf({.reduceOp = "max"}), "equal-pieces");
}

TEST_F(LegalitySymbolicSum, RefusesWhatIsInFlight) {
  EXPECT_EQ(verdictOf({.waits = false}), "equal-pieces in-flight wait-lost");
}

TEST_F(LegalitySymbolicSum, RefusesAStatedTypeThatIsAnother) {
  EXPECT_EQ(verdictOf({.type = "Sym((s0//3))"}), "equal-pieces");
  EXPECT_EQ(verdictOf({.type = "Sym(((2*s0)//4))"}), "") << "the same for every value";
}

TEST_F(LegalitySymbolicSum, AcceptsRowsThatAreAMultipleOfAProductOfSymbols) {
  EXPECT_EQ(verdictOf({.rows = "s0*s1"}), "");
  EXPECT_EQ(verdictOf({.rows = "3*s0*s1"}), "");
  EXPECT_EQ(verdictOf({.begin = {1, 1, 2}, .rows = "s0*s1"}), "equal-pieces") << "the middle row of an odd product";
}

TEST_F(LegalitySymbolicSum, RefusesRowsOfAnotherForm) {
  EXPECT_EQ(verdictOf({.rows = "s0 + s1"}), "equal-pieces");
  EXPECT_EQ(verdictOf({.rows = "s0*s1 + s0"}), "equal-pieces");
  EXPECT_EQ(verdictOf({.rows = "u0"}), "equal-pieces");
}

TEST_F(LegalitySymbolicSum, RefusesRowsThatDoNotDetermineTheSymbol) {
  EXPECT_EQ(verdictOf({.rows = "(s0//2)"}), "equal-pieces") << "ranks may have 4 and 5";
  EXPECT_EQ(verdictOf({.rows = "((3*s0)//2)"}), "");
}

/// Returns true if both ends are the same place within the rows, for each value of the symbol up to one beyond which
/// ends of such small parts do not change their order.
bool meet(const Part &end, const Part &begin) {
  constexpr int64_t most = 200;
  auto at = [](const Part &part, int64_t rows) {
    const int64_t share = part.times * rows + part.plus;
    return share / part.over - (share % part.over < 0 ? 1 : 0);
  };
  for (int64_t rows = 2; rows <= most; ++rows)
    if (at(end, rows) != at(begin, rows) || at(end, rows) < 0 || at(end, rows) > rows)
      return false;
  return true;
}

TEST_F(LegalitySymbolicSum, AcceptsExactlyTheEndsThatMeetForEveryValue) {
  std::vector<Part> parts;
  for (int64_t times = 0; times < 4; ++times)
    for (int64_t plus = -1; plus < 3; ++plus)
      for (int64_t over = 1; over < 5; ++over)
        parts.push_back({times, plus, over});
  size_t accepted = 0;
  for (const Part &end : parts)
    for (const Part &begin : parts) {
      const bool accepts = verdictOf({.end = end, .begin = begin}).empty();
      accepted += accepts;
      EXPECT_EQ(accepts, meet(end, begin)) << end.times << "s+" << end.plus << "//" << end.over << ", " << begin.times
                                           << "s+" << begin.plus << "//" << begin.over;
    }
  EXPECT_GT(accepted, 32U);
}

TEST_F(LegalitySymbolicSum, RefusesWhereRanksDifferOrBitsCount) {
  cut({});
  EXPECT_EQ(bench_.verdict({.spmd = false}), "mpmd");
  EXPECT_EQ(bench_.verdict({.bitwise = true}), "bitwise");
}

TEST_F(LegalitySymbolicPieces, RefusesAValueThatIsAPartOfALargerOne) {
  load(R"(x: "f32[s0, 3][3, 1]cpu", b: "f32[3, 2][2, 1]cpu")", R"(
  p: "f32[s0, 2][2, 1]cpu" = torch.ops.aten.mm.default(x, b)
  s: "f32[s0, 2][2, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(p, 'sum', '0')
  w: "f32[s0, 2][2, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(s)
  return (w,))");
  Node *n = make("s", "aten.sym_size.int", {bench_["x"], 0});
  Node *product = make("s", "aten.mm.default", {bench_["x"], bench_["b"]});
  Node *wait = make("w", waitTarget, {make("s", "_c10d_functional.all_reduce.default", {product, "sum", "0"})});
  Node *twice = make("w", "aten.cat.default", {Actual::nodes({wait, wait}), 0});
  Node *value = make("w", "aten.slice.Tensor", {twice, 0, 0, n});
  bench_.graph().setType(value, bench_["w"]->type());
  bench_.replaceByPieces({"w", "s", "p"}, {value}, built_);
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
}

class LegalitySymbolicGather : public LegalitySymbolicPieces {
protected:
  /// `along`: the dimension in which the parts of the product are put together.
  void cut(int64_t along, int64_t ranks = 2) {
    load(R"(x: "f32[s0, 3][3, 1]cpu", b: "f32[3, 2][2, 1]cpu")", R"(
  s: "f32[2*s0, 3][3, 1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(x, 2, '0')
  w: "f32[2*s0, 3][3, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(s)
  p: "f32[2*s0, 2][2, 1]cpu" = torch.ops.aten.mm.default(w, b)
  return (p,))");
    Node *half = end(make("s", "aten.sym_size.int", {bench_["x"], 0}), 1, 0, 2);
    Node *first = part(make("s", "aten.slice.Tensor", {bench_["x"], 0, 0, half}), along, ranks);
    Node *second = part(make("s", "aten.slice.Tensor", {bench_["x"], 0, half, INT64_MAX}), along, ranks);
    Node *all = make("p", "aten.cat.default", {Actual::nodes({first, second}), along});
    Node *value = along == 0 ? all : make("p", "aten.view.default", {all, Actual::integers({-1, 2})});
    bench_.replaceByPieces({"p", "s", "w"}, {value}, built_);
  }

  Node *part(Node *rows, int64_t along, int64_t ranks) {
    Node *launch = make("s", "_c10d_functional.all_gather_into_tensor.default", {rows, ranks, "0"});
    Node *product = make("p", "aten.mm.default", {make("p", waitTarget, {launch}), bench_["b"]});
    return along == 0 ? product : make("p", "aten.view.default", {product, Actual::integers({2, -1, 2})});
  }
};

TEST_F(LegalitySymbolicGather, AcceptsTheRowsOfEachRank) {
  cut(1);
  EXPECT_EQ(bench_.text(), "");
}

TEST_F(LegalitySymbolicGather, RefusesRowsInTheOrderOfThePieces) {
  cut(0);
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
}

TEST_F(LegalitySymbolicGather, RefusesAnotherNumberOfRanks) {
  cut(1, 4);
  EXPECT_NE(bench_.verdict(), "");
}

class LegalitySymbolicScatter : public LegalitySymbolicPieces {
protected:
  void cut(bool ofEachRank) {
    load(R"(x: "f32[2*s0, 3][3, 1]cpu", b: "f32[3, 2][2, 1]cpu")", R"(
  p: "f32[2*s0, 2][2, 1]cpu" = torch.ops.aten.mm.default(x, b)
  s: "f32[s0, 2][2, 1]cpu" = torch.ops._c10d_functional.reduce_scatter_tensor.default(p, 'sum', 2, '0')
  w: "f32[s0, 2][2, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(s)
  r: "f32[s0, 2][2, 1]cpu" = torch.ops.aten.neg.default(w)
  return (r,))");
    Node *blocks = make("s", "aten.view.default", {bench_["x"], Actual::integers({2, -1, 3})});
    Node *half = end(make("s", "aten.sym_size.int", {blocks, 1}), 1, 0, 2);
    Node *twice = make("s", "operator.mul", {half, 2});
    Node *from = ofEachRank ? blocks : bench_["x"], *end = ofEachRank ? half : twice;
    const int64_t dim = ofEachRank ? 1 : 0;
    Node *first = part(make("s", "aten.slice.Tensor", {from, dim, 0, end}));
    Node *second = part(make("s", "aten.slice.Tensor", {from, dim, end, INT64_MAX}));
    Node *value = make("w", "aten.cat.default", {Actual::nodes({first, second}), 0});
    bench_.replaceByPieces({"w", "s", "p"}, {value}, built_);
  }

  Node *part(Node *rows) {
    Node *matrix = make("s", "aten.reshape.default", {rows, Actual::integers({-1, 3})});
    Node *product = make("s", "aten.mm.default", {matrix, bench_["b"]});
    return make("w", waitTarget,
                {make("s", "_c10d_functional.reduce_scatter_tensor.default", {product, "sum", 2, "0"})});
  }
};

TEST_F(LegalitySymbolicScatter, AcceptsTheRowsOfEachBlock) {
  cut(true);
  EXPECT_EQ(bench_.text(), "");
}

TEST_F(LegalitySymbolicScatter, RefusesConsecutiveRows) {
  cut(false);
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
}

} // namespace
} // namespace ccgraph::test
