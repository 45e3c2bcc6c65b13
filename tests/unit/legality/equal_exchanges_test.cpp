// Tests the legality of rewrites that replace several collectives by fewer: correct, and with one error each.
#include "support/rewrites.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

constexpr const char *waitTarget = "_c10d_functional.wait_tensor.default";
constexpr const char *reduceTarget = "_c10d_functional.all_reduce.default";
constexpr const char *gatherTarget = "_c10d_functional.all_gather_into_tensor.default";
constexpr const char *four = "f32[4][1]cpu";

class LegalityEqualExchanges : public testing::Test {
protected:
  void load(const std::string &lines, llvm::StringRef inputs = R"(x: "f32[4][1]cpu", y: "f32[4][1]cpu")") {
    bench_.certificate = {};
    built_.clear();
    std::string text = lines;
    for (auto [word, target] : {std::pair("WAIT", waitTarget),
                                {"AR", reduceTarget},
                                {"AG", gatherTarget},
                                {"RS", "_c10d_functional.reduce_scatter_tensor.default"},
                                {"A2A", "_c10d_functional.all_to_all_single.default"},
                                {"BC", "_c10d_functional.broadcast.default"}})
      for (size_t at; (at = text.find(std::string("$") + word + "(")) != std::string::npos;)
        text.replace(at, std::strlen(word) + 1, std::string("torch.ops.") + target);
    bench_.load(inputs, text);
  }

  Node *make(const char *before, const char *name, const char *target, const std::vector<Actual> &arguments,
             const char *type = four) {
    built_.push_back(makeCall(bench_[before], name, target, arguments, type));
    return built_.back();
  }

  /// Replaces the first of these nodes by the value, and erases all of them, of which each reads only later ones.
  void replace(const std::vector<const char *> &names, Node *value) {
    std::vector<Node *> matched;
    for (const char *name : names)
      matched.push_back(bench_[name]);
    bench_.graph().replaceAllUses(matched.front(), value);
    for (Node *node : matched)
      bench_.graph().erase(node);
    llvm::erase_value(built_, value);
    built_.insert(built_.begin(), value);
    bench_.certificate.rules.push_back({"equal-exchanges", matched, std::exchange(built_, {})});
  }

  RewriteBench bench_;
  std::vector<Node *> built_;
};

const std::string scatterAndGather = R"(
  s: "f32[2][1]cpu" = $RS(x, 'sum', 2, '0')
  t: "f32[2][1]cpu" = $WAIT(s)
  n: "f32[4][1]cpu" = torch.ops.aten.neg.default(y)
  g: "f32[4][1]cpu" = $AG(t, 2, '0')
  v: "f32[4][1]cpu" = $WAIT(g)
  r: "f32[4][1]cpu" = torch.ops.aten.add.Tensor(v, n)
  return (r,))";

class LegalityAllReduceOfParts : public LegalityEqualExchanges {
protected:
  struct Parts {
    const char *input = "x";
    const char *reduceOp = "sum";
    const char *group = "0";
    const char *at = "g";
    bool waits = true;
    std::string lines = scatterAndGather;
  };
  void join(const Parts &parts) {
    load(parts.lines);
    Node *all = make(parts.at, "all", reduceTarget, {bench_[parts.input], parts.reduceOp, parts.group});
    replace({"v", "g", "t", "s"}, parts.waits ? make("v", "w", waitTarget, {all}) : all);
  }
};

TEST_F(LegalityAllReduceOfParts, AcceptsTheAllReduce) {
  join({});
  EXPECT_EQ(bench_.text(), "");
}

TEST_F(LegalityAllReduceOfParts, RefusesAnotherReductionOrInput) {
  join({.reduceOp = "max"});
  EXPECT_EQ(bench_.verdict(), "equal-exchanges");
  join({.input = "y"});
  EXPECT_EQ(bench_.verdict(), "equal-exchanges");
}

/// The sum of equal values has a term like any other sum.
TEST_F(LegalityAllReduceOfParts, AcceptsAnInputThatIsEqualOnAllRanks) {
  std::string lines =
      "\n  e: \"f32[4][1]cpu\" = $AR(x, 'sum', '0')\n  f: \"f32[4][1]cpu\" = $WAIT(e)" + scatterAndGather;
  lines.replace(lines.find("$RS(x"), 5, "$RS(f");
  join({.input = "f", .lines = lines});
  EXPECT_EQ(bench_.text(), "");
}

TEST_F(LegalityAllReduceOfParts, RefusesAnotherGroup) {
  join({.group = "1"});
  EXPECT_EQ(bench_.verdict(), "equal-exchanges issue-order");
}

TEST_F(LegalityAllReduceOfParts, RefusesAResultInFlight) {
  join({.waits = false});
  EXPECT_EQ(bench_.verdict(), "equal-exchanges in-flight wait-lost");
}

TEST_F(LegalityAllReduceOfParts, RefusesWhereRanksDiffer) {
  join({});
  EXPECT_EQ(bench_.verdict({.spmd = false}), "mpmd");
}

/// Two ranks have one order of additions, three have several.
TEST_F(LegalityAllReduceOfParts, KeepsSumsOfThreeRanksBitwise) {
  join({});
  EXPECT_EQ(bench_.verdict({.bitwise = true}), "");
  auto ofThree = [&](const char *reduceOp) {
    load(std::string(R"(
    s: "f32[2][1]cpu" = $RS(x, ')") +
             reduceOp + R"(', 3, '0')
    t: "f32[2][1]cpu" = $WAIT(s)
    g: "f32[6][1]cpu" = $AG(t, 3, '0')
    v: "f32[6][1]cpu" = $WAIT(g)
    return (v,))",
         R"(x: "f32[6][1]cpu")");
    Node *all = make("g", "all", reduceTarget, {bench_["x"], reduceOp, "0"}, "f32[6][1]cpu");
    replace({"v", "g", "t", "s"}, make("v", "w", waitTarget, {all}, "f32[6][1]cpu"));
    return bench_.verdict({.bitwise = true});
  };
  EXPECT_EQ(ofThree("sum"), "bitwise");
  EXPECT_EQ(ofThree("max"), "");
}

TEST_F(LegalityAllReduceOfParts, RefusesAnInputThatIsWrittenBetween) {
  std::string lines = scatterAndGather;
  const std::string negation = "aten.neg.default(y)";
  lines.replace(lines.find(negation), negation.size(), "aten.add_.Tensor(x, y)");
  join({.lines = lines});
  EXPECT_EQ(bench_.verdict(), "storage-order");
  join({.at = "s", .lines = lines});
  EXPECT_EQ(bench_.verdict(), "");
}

TEST_F(LegalityAllReduceOfParts, RefusesAMiddleThatIsStillRead) {
  load(R"(
    s: "f32[2][1]cpu" = $RS(x, 'sum', 2, '0')
    t: "f32[2][1]cpu" = $WAIT(s)
    g: "f32[4][1]cpu" = $AG(t, 2, '0')
    v: "f32[4][1]cpu" = $WAIT(g)
    n: "f32[2][1]cpu" = torch.ops.aten.neg.default(t)
    return (v, n))");
  Node *all = make("g", "all", reduceTarget, {bench_["x"], "sum", "0"});
  Node *w = make("v", "w", waitTarget, {all});
  Node *n = bench_["n"];
  setCall(n, {bench_["y"]});
  replace({"v", "g", "t", "s"}, w);
  EXPECT_EQ(bench_.verdict(), "operand");
}

TEST_F(LegalityAllReduceOfParts, RefusesAnotherPlaceInTheOrderOfTheGroup) {
  std::string lines = scatterAndGather;
  const std::string negation = "n: \"f32[4][1]cpu\" = torch.ops.aten.neg.default(y)";
  lines.replace(lines.find(negation), negation.size(),
                "m: \"f32[4][1]cpu\" = $AR(y, 'max', '0')\n  n: \"f32[4][1]cpu\" = $WAIT(m)");
  join({.lines = lines});
  EXPECT_EQ(bench_.verdict(), "");
  join({.at = "s", .lines = lines});
  EXPECT_EQ(bench_.verdict(), "issue-order");
}

TEST_F(LegalityAllReduceOfParts, KeepsOrderingEdges) {
  auto verdict = [&](const char *edgeOf, bool kept) {
    load(scatterAndGather);
    Node *n = bench_["n"], *later = bench_[edgeOf];
    if (n->isBefore(later))
      bench_.graph().addOrdering(later, n);
    else
      bench_.graph().addOrdering(n, later);
    bench_.snapshot();
    Node *all = make("g", "all", reduceTarget, {bench_["x"], "sum", "0"});
    if (kept)
      bench_.graph().addOrdering(all, n);
    Node *w = make("v", "w", waitTarget, {all});
    bench_.graph().replaceAllUses(later, edgeOf[0] == 's' ? all : later);
    replace({"v", "g", "t", "s"}, w);
    return bench_.verdict();
  };
  EXPECT_EQ(verdict("g", true), "");
  EXPECT_EQ(verdict("g", false), "ordering-edge");
  EXPECT_EQ(verdict("v", false), "ordering-edge");
}

// --- Values that take the place of others ---------------------------------------------------------------------------

class LegalityForwardedValue : public LegalityEqualExchanges {
protected:
  /// Replaces v, the wait on c, by x.
  std::string forwarded(const std::string &lines, const char *by = "x") {
    load(lines);
    replace({"v", "c"}, bench_[by]);
    return bench_.verdict();
  }
};

const std::string gatherOfOne = R"(
  c: "f32[4][1]cpu" = $AG(x, 1, '0')
  v: "f32[4][1]cpu" = $WAIT(c)
  r: "f32[4][1]cpu" = torch.ops.aten.neg.default(v)
  return (r,))";

TEST_F(LegalityForwardedValue, AcceptsTheInputOnOneRank) { EXPECT_EQ(forwarded(gatherOfOne), ""); }

TEST_F(LegalityForwardedValue, RefusesAnotherValue) { EXPECT_EQ(forwarded(gatherOfOne, "y"), "equal-exchanges"); }

TEST_F(LegalityForwardedValue, RefusesAGroupOfUnknownSize) {
  EXPECT_EQ(forwarded(R"(
    c: "f32[4][1]cpu" = $AR(x, 'sum', '0')
    v: "f32[4][1]cpu" = $WAIT(c)
    r: "f32[4][1]cpu" = torch.ops.aten.neg.default(v)
    return (r,))"),
            "equal-exchanges");
}

TEST_F(LegalityForwardedValue, RefusesWhatTheCallerGets) {
  EXPECT_EQ(forwarded(R"(
    c: "f32[4][1]cpu" = $AG(x, 1, '0')
    v: "f32[4][1]cpu" = $WAIT(c)
    return (v,))"),
            "equal-exchanges");
}

TEST_F(LegalityForwardedValue, RefusesWhatIsWritten) {
  EXPECT_EQ(forwarded(R"(
    c: "f32[4][1]cpu" = $AG(x, 1, '0')
    v: "f32[4][1]cpu" = $WAIT(c)
    u: "f32[4][1]cpu" = torch.ops.aten.add_.Tensor(v, y)
    r: "f32[4][1]cpu" = torch.ops.aten.neg.default(u)
    return (r,))"),
            "equal-exchanges");
  EXPECT_EQ(forwarded(R"(
    c: "f32[4][1]cpu" = $AG(x, 1, '0')
    v: "f32[4][1]cpu" = $WAIT(c)
    u: "f32[4][1]cpu" = torch.ops.aten.add_.Tensor(x, y)
    r: "f32[4][1]cpu" = torch.ops.aten.neg.default(v)
    return (r,))"),
            "equal-exchanges");
}

TEST_F(LegalityForwardedValue, RefusesAnOpaqueStepAfterIt) {
  EXPECT_EQ(forwarded(R"(
    c: "f32[4][1]cpu" = $AG(x, 1, '0')
    v: "f32[4][1]cpu" = $WAIT(c)
    o: "f32[4][1]cpu" = torch.ops.mylib.mystery.default(y)
    r: "f32[4][1]cpu" = torch.ops.aten.add.Tensor(v, o)
    return (r,))"),
            "equal-exchanges");
}

TEST_F(LegalityForwardedValue, AcceptsACopyOfWhatIsWritten) {
  load(R"(
    c: "f32[4][1]cpu" = $AG(x, 1, '0')
    v: "f32[4][1]cpu" = $WAIT(c)
    u: "f32[4][1]cpu" = torch.ops.aten.add_.Tensor(v, y)
    return (u,))");
  replace({"v", "c"}, make("c", "copy", "aten.clone.default", {bench_["x"]}));
  EXPECT_EQ(bench_.text(), "");
}

TEST_F(LegalityForwardedValue, RefusesACopyMadeTooLate) {
  load(R"(
    c: "f32[4][1]cpu" = $AG(x, 1, '0')
    v: "f32[4][1]cpu" = $WAIT(c)
    u: "f32[4][1]cpu" = torch.ops.aten.add_.Tensor(x, y)
    r: "f32[4][1]cpu" = torch.ops.aten.neg.default(v)
    return (r,))");
  replace({"v", "c"}, make("r", "copy", "aten.clone.default", {bench_["x"]}));
  EXPECT_EQ(bench_.verdict(), "storage-order");
}

std::string reductionOf(const std::string &value, const char *reduceOp, const char *group = "0") {
  return R"(
    a: "f32[4][1]cpu" = $AR(x, 'sum', '0')
    b: "f32[4][1]cpu" = $WAIT(a)
    )" + value +
         R"(
    c: "f32[4][1]cpu" = $AR(n, ')" +
         reduceOp + "', '" + group + R"(')
    v: "f32[4][1]cpu" = $WAIT(c)
    r: "f32[4][1]cpu" = torch.ops.aten.exp.default(v)
    return (r,))";
}

TEST_F(LegalityForwardedValue, AcceptsTheLargestOfEqualValues) {
  const std::string negated = R"(n: "f32[4][1]cpu" = torch.ops.aten.neg.default(b))";
  EXPECT_EQ(forwarded(reductionOf(negated, "max"), "n"), "");
  EXPECT_EQ(forwarded(reductionOf(negated, "sum"), "n"), "equal-exchanges");
  EXPECT_EQ(forwarded(reductionOf(negated, "max", "1"), "n"), "equal-exchanges");
}

TEST_F(LegalityForwardedValue, RefusesValuesThatMayDiffer) {
  EXPECT_EQ(forwarded(reductionOf(R"(n: "f32[4][1]cpu" = torch.ops.aten.add.Tensor(b, 4))", "max"), "n"),
            "equal-exchanges");
  EXPECT_EQ(forwarded(reductionOf(R"(n: "f32[4][1]cpu" = torch.ops.aten.add.Tensor(b, y))", "max"), "n"),
            "equal-exchanges");
  EXPECT_EQ(forwarded(reductionOf(R"(n: "f32[4][1]cpu" = torch.ops.aten.cumsum.default(b, 0))", "max"), "n"),
            "equal-exchanges");
}

TEST_F(LegalityForwardedValue, AcceptsExchangesThatCancel) {
  auto verdict = [&](const char *second) {
    load(std::string(R"(
      a: "f32[4][1]cpu" = $A2A(x, [2, 2], [2, 2], '0')
      b: "f32[4][1]cpu" = $WAIT(a)
      c: "f32[4][1]cpu" = )") +
         second + R"(
      v: "f32[4][1]cpu" = $WAIT(c)
      r: "f32[4][1]cpu" = torch.ops.aten.neg.default(v)
      return (r,))");
    replace({"v", "c", "b", "a"}, bench_["x"]);
    return bench_.verdict();
  };
  EXPECT_EQ(verdict("$A2A(b, [2, 2], [2, 2], '0')"), "");
  EXPECT_EQ(verdict("$A2A(b, [1, 3], [1, 3], '0')"), "equal-exchanges");
  EXPECT_EQ(verdict("$A2A(b, [2, 2], [2, 2], '1')"), "equal-exchanges");
  EXPECT_EQ(verdict("$AR(b, 'max', '0')"), "equal-exchanges");
}

TEST_F(LegalityForwardedValue, AcceptsTheOwnPartOfAGather) {
  auto verdict = [&](const char *reduceOp) {
    load(std::string(R"(
      a: "f32[8][1]cpu" = $AG(x, 2, '0')
      b: "f32[8][1]cpu" = $WAIT(a)
      c: "f32[4][1]cpu" = $RS(b, ')") +
         reduceOp + R"(', 2, '0')
      v: "f32[4][1]cpu" = $WAIT(c)
      r: "f32[4][1]cpu" = torch.ops.aten.neg.default(v)
      return (r,))");
    replace({"v", "c", "b", "a"}, bench_["x"]);
    return bench_.verdict();
  };
  EXPECT_EQ(verdict("max"), "");
  EXPECT_EQ(verdict("sum"), "equal-exchanges");
}

/// The first part of a gather is the value of the first rank, not that of every rank.
TEST_F(LegalityForwardedValue, RefusesAPartAtALiteralOffset) {
  load(R"(
    c: "f32[8][1]cpu" = $AG(x, 2, '0')
    b: "f32[8][1]cpu" = $WAIT(c)
    v: "f32[4][1]cpu" = torch.ops.aten.slice.Tensor(b, 0, 0, 4)
    r: "f32[4][1]cpu" = torch.ops.aten.neg.default(v)
    return (r,))");
  replace({"v", "b", "c"}, bench_["x"]);
  EXPECT_EQ(bench_.verdict(), "equal-exchanges");
}

// --- Casts ----------------------------------------------------------------------------------------------------------

class LegalityMovedCast : public LegalityEqualExchanges {
protected:
  struct Parts {
    const char *reduces = nullptr;
    DType dtype = DType::F32;
    const char *input = "x";
  };
  std::string moved(const Parts &parts) {
    std::string call = parts.reduces ? std::string("$AR(n, '") + parts.reduces + "', '0')" : "$AG(n, 2, '0')";
    std::string sizes = parts.reduces ? "[4]" : "[8]";
    load(R"(
      n: "f32[4][1]cpu" = torch.ops.prims.convert_element_type.default(x, torch.float32)
      c: "f32)" +
             sizes + R"([1]cpu" = )" + call + R"(
      v: "f32)" +
             sizes + R"([1]cpu" = $WAIT(c)
      return (v,))",
         R"(x: "bf16[4][1]cpu", z: "bf16[4][1]cpu")");
    const std::string narrow = "bf16" + sizes + "[1]cpu";
    Node *input = bench_[parts.input];
    std::vector<Actual> args = {input, 2, "0"};
    if (parts.reduces)
      args = {input, parts.reduces, "0"};
    Node *sent = make("c", "sent", parts.reduces ? reduceTarget : gatherTarget, args, narrow.c_str());
    Node *waited = make("v", "waited", waitTarget, {sent}, narrow.c_str());
    Node *cast = make("v", "cast", "prims.convert_element_type.default", {waited, parts.dtype},
                      (shortName(parts.dtype).str() + sizes + "[1]cpu").c_str());
    replace({"v", "c", "n"}, cast);
    return bench_.verdict();
  }
};

TEST_F(LegalityMovedCast, AcceptsTheCastOfAGather) { EXPECT_EQ(moved({}), ""); }

TEST_F(LegalityMovedCast, RefusesTheCastOfASum) { EXPECT_EQ(moved({.reduces = "sum"}), "equal-exchanges"); }

TEST_F(LegalityMovedCast, RefusesAnotherDTypeOrInput) {
  EXPECT_EQ(moved({.dtype = DType::F64}), "equal-exchanges");
  EXPECT_EQ(moved({.input = "z"}), "equal-exchanges");
}

TEST_F(LegalityEqualExchanges, RefusesAnEmptyEntry) {
  load(gatherOfOne);
  bench_.certificate.rules.push_back({"equal-exchanges", {}, {}});
  EXPECT_EQ(bench_.verdict(), "equal-exchanges");
}

TEST_F(LegalityEqualExchanges, RefusesAnEntryWithoutACollective) {
  load(R"(
    v: "f32[4][1]cpu" = torch.ops.aten.alias.default(x)
    r: "f32[4][1]cpu" = torch.ops.aten.neg.default(v)
    return (r,))");
  replace({"v"}, bench_["x"]);
  EXPECT_EQ(bench_.verdict(), "equal-exchanges");
}

} // namespace
} // namespace ccgraph::test
