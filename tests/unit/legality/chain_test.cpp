// Tests the legality of chains of exchanges: one collective becomes several, correct and with one error.
#include "support/buckets.h"
#include "support/rewrites.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

constexpr const char *reduceLines = R"(
  before: "f32[4, 2][2, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(y, 'sum', '0')
  ar: "f32[4, 2][2, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
  wb: "f32[4, 2][2, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(before)
  war: "f32[4, 2][2, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(ar)
  n: "f32[4, 2][2, 1]cpu" = torch.ops.aten.neg.default(war)
  return (n, wb))";

constexpr const char *gatherLines = R"(
  ag: "f32[8, 2][2, 1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(x, 2, '0')
  wag: "f32[8, 2][2, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(ag)
  return (wag,))";

class LegalityChain : public testing::Test {
protected:
  void load(const char *lines) {
    bench_.certificate = {};
    bench_.load(R"(x: "f32[4, 2][2, 1]cpu", y: "f32[4, 2][2, 1]cpu")", lines);
  }
  Graph &graph() { return bench_.graph(); }

  Node *make(const char *before, const char *name, const char *target, const std::vector<Actual> &arguments,
             const char *type) {
    Node *node = makeCall(bench_[before], name, target, arguments, type);
    built_.push_back(node);
    return node;
  }
  Node *wait(const char *before, const char *name, Node *value, const char *type) {
    return make(before, name, "_c10d_functional.wait_tensor.default", {value}, type);
  }

  /// Replaces the named wait, on the named launch, by the last node made.
  void replace(const char *launchName, const char *waitName) {
    Node *launch = bench_[launchName];
    Node *old = bench_[waitName];
    graph().replaceAllUses(old, built_.back());
    graph().erase(old);
    graph().erase(launch);
    std::rotate(built_.begin(), std::prev(built_.end()), built_.end());
    bench_.certificate.rules.push_back({"exchange-chain", {launch, old}, std::exchange(built_, {})});
  }

  struct Parts {
    const char *group = "0";
    const char *gatherGroup = "0";
    const char *reduceOp = "sum";
    const char *input = "x";
    const char *gathered = nullptr; ///< the gathered value if it is not the scattered one
    bool waits = true;
    int ranks = 2;
  };
  /// Replaces the all_reduce by a reduce_scatter and an all_gather.
  void scatterAndGather(const Parts &parts) {
    load(reduceLines);
    const char *half = parts.ranks == 2 ? "f32[2, 2][2, 1]cpu" : "f32[1, 2][2, 1]cpu";
    Node *rs = make("ar", "rs", "_c10d_functional.reduce_scatter_tensor.default",
                    {bench_[parts.input], parts.reduceOp, parts.ranks, parts.group}, half);
    Node *scattered = parts.waits ? wait("ar", "wrs", rs, half) : rs;
    Node *ag = make("ar", "gathered", "_c10d_functional.all_gather_into_tensor.default",
                    {scattered, parts.ranks, parts.gatherGroup}, "f32[4, 2][2, 1]cpu");
    wait("war", "whole", ag, "f32[4, 2][2, 1]cpu");
    replace("ar", "war");
  }

  std::vector<Node *> built_;
  RewriteBench bench_;
};

/// The chain views its input as one row, which the type of `c` permits but its shape after the change does not.
TEST_F(LegalityChain, RefusesWhatIsReshapedInPlace) {
  auto verdict = [&](const std::string &change) {
    const std::string lines = R"(
    c: "f32[4, 2][2, 1]cpu" = torch.ops.aten.clone.default(x)
    t: "f32[4, 2][1, 4]cpu" = torch.ops.aten.)" +
                              change + R"((c, [4, 2], [1, 4])
    ag: "f32[8, 2][2, 1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(c, 2, '0')
    wag: "f32[8, 2][2, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(ag)
    return (wag, t))";
    load(lines.c_str());
    Node *row = make("ag", "row", "aten.view.default", {bench_["c"], llvm::ArrayRef<int64_t>{8}}, "f32[8][1]cpu");
    Node *gather =
        make("ag", "gather", "_c10d_functional.all_gather_into_tensor.default", {row, 2, "0"}, "f32[16][1]cpu");
    Node *waited = wait("wag", "waited", gather, "f32[16][1]cpu");
    make("wag", "whole", "aten.view.default", {waited, llvm::ArrayRef<int64_t>{8, 2}}, "f32[8, 2][2, 1]cpu");
    replace("ag", "wag");
    return bench_.verdict();
  };
  EXPECT_EQ(verdict("as_strided.default"), "");
  EXPECT_EQ(verdict("as_strided_.default"), "exchange-chain");
}

TEST_F(LegalityChain, AcceptsReduceScatterAndAllGatherForAllReduce) {
  scatterAndGather({});
  EXPECT_EQ(bench_.text(), "");
  scatterAndGather({.ranks = 4});
  EXPECT_EQ(bench_.text(), "");
}

TEST_F(LegalityChain, RefusesAChainOnAnotherGroup) {
  scatterAndGather({.group = "1", .gatherGroup = "1"});
  EXPECT_EQ(bench_.verdict(), "exchange-chain issue-order");
  scatterAndGather({.gatherGroup = "1"});
  EXPECT_EQ(bench_.verdict(), "exchange-chain issue-order");
}

TEST_F(LegalityChain, RefusesAnotherReduction) {
  scatterAndGather({.reduceOp = "max"});
  EXPECT_EQ(bench_.verdict(), "exchange-chain");
}

TEST_F(LegalityChain, RefusesAnotherValue) {
  scatterAndGather({.input = "y"});
  EXPECT_EQ(bench_.verdict(), "exchange-chain");
}

TEST_F(LegalityChain, RefusesToSendWhatIsInFlight) {
  scatterAndGather({.waits = false});
  EXPECT_EQ(bench_.verdict(), "exchange-chain in-flight");
}

TEST_F(LegalityChain, RefusesAnotherNumberOfRanksThanTheGroupHas) {
  load(reduceLines);
  graph().groups().set({.name = "0", .ranks = {0, 1, 2, 3}});
  bench_.snapshot();
  Node *rs = make("ar", "rs", "_c10d_functional.reduce_scatter_tensor.default", {bench_["x"], "sum", 2, "0"},
                  "f32[2, 2][2, 1]cpu");
  Node *ag = make("ar", "gathered", "_c10d_functional.all_gather_into_tensor.default",
                  {wait("ar", "wrs", rs, "f32[2, 2][2, 1]cpu"), 2, "0"}, "f32[4, 2][2, 1]cpu");
  wait("war", "whole", ag, "f32[4, 2][2, 1]cpu");
  replace("ar", "war");
  EXPECT_EQ(bench_.verdict(), "exchange-chain");
}

TEST_F(LegalityChain, RefusesGatherBeforeReduceScatter) {
  load(reduceLines);
  Node *ag = make("ar", "gathered", "_c10d_functional.all_gather_into_tensor.default", {bench_["x"], 2, "0"},
                  "f32[8, 2][2, 1]cpu");
  Node *rs = make("ar", "rs", "_c10d_functional.reduce_scatter_tensor.default",
                  {wait("ar", "wag", ag, "f32[8, 2][2, 1]cpu"), "sum", 2, "0"}, "f32[4, 2][2, 1]cpu");
  wait("war", "whole", rs, "f32[4, 2][2, 1]cpu");
  replace("ar", "war");
  EXPECT_EQ(bench_.verdict(), "exchange-chain") << "each rank's share would be counted twice";
}

TEST_F(LegalityChain, RefusesAScatterOfAnotherDimension) {
  for (bool back : {true, false}) {
    load(reduceLines);
    Node *turned = make("ar", "turned", "aten.transpose.int", {bench_["x"], 0, 1}, "f32[2, 4][1, 2]cpu");
    Node *dense = make("ar", "dense", "aten.contiguous.default", {turned}, "f32[2, 4][4, 1]cpu");
    Node *rs = make("ar", "rs", "_c10d_functional.reduce_scatter_tensor.default", {dense, "sum", 2, "0"},
                    "f32[1, 4][4, 1]cpu");
    Node *ag = make("ar", "gathered", "_c10d_functional.all_gather_into_tensor.default",
                    {wait("ar", "wrs", rs, "f32[1, 4][4, 1]cpu"), 2, "0"}, "f32[2, 4][4, 1]cpu");
    Node *whole = wait("war", "whole", ag, "f32[2, 4][4, 1]cpu");
    if (back) {
      Node *again = make("war", "again", "aten.transpose.int", {whole, 0, 1}, "f32[4, 2][1, 4]cpu");
      make("war", "rows", "aten.contiguous.default", {again}, "f32[4, 2][2, 1]cpu");
    } else {
      make("war", "rows", "aten.view.default", {whole, Actual::integers({4, 2})}, "f32[4, 2][2, 1]cpu");
    }
    replace("ar", "war");
    EXPECT_EQ(bench_.verdict(), back ? "" : "exchange-chain");
  }
}

/// Gathers rows 0 and 1 of x and rows 2 and 3 separately, then joins the results.
class LegalityGatherOfSlices : public LegalityChain {
protected:
  Node *gatherRows(int begin, const char *suffix) {
    const char *half = "f32[2, 2][2, 1]cpu";
    const char *both = "f32[4, 2][2, 1]cpu";
    Node *rows = make("ag", ("rows" + std::string(suffix)).c_str(), "aten.slice.Tensor",
                      {bench_["x"], 0, begin, begin + 2}, half);
    Node *gather = make("ag", ("part" + std::string(suffix)).c_str(), "_c10d_functional.all_gather_into_tensor.default",
                        {rows, 2, "0"}, both);
    Node *done = wait("wag", ("done" + std::string(suffix)).c_str(), gather, both);
    return make("wag", ("ranks" + std::string(suffix)).c_str(), "aten.view.default",
                {done, Actual::integers({2, 2, 2})}, "f32[2, 2, 2][4, 2, 1]cpu");
  }
  std::string verdict(int dim, bool swapped) {
    load(gatherLines);
    Node *first = gatherRows(swapped ? 2 : 0, "_a");
    Node *second = gatherRows(swapped ? 0 : 2, "_b");
    const char *type = dim == 0 ? "f32[4, 2, 2][4, 2, 1]cpu" : "f32[2, 4, 2][8, 2, 1]cpu";
    Node *cat = make("wag", "cat", "aten.cat.default", {Actual::nodes({first, second}), dim}, type);
    make("wag", "whole", "aten.view.default", {cat, Actual::integers({8, 2})}, "f32[8, 2][2, 1]cpu");
    replace("ag", "wag");
    return bench_.verdict();
  }
};

TEST_F(LegalityGatherOfSlices, AcceptsSlicesPutTogetherRankByRank) { EXPECT_EQ(verdict(1, false), ""); }
TEST_F(LegalityGatherOfSlices, RefusesSlicesPutTogetherSliceBySlice) { EXPECT_EQ(verdict(0, false), "exchange-chain"); }
TEST_F(LegalityGatherOfSlices, RefusesSlicesInAnotherOrder) { EXPECT_EQ(verdict(1, true), "exchange-chain"); }

TEST_F(LegalityChain, AcceptsTwoAllToAllsThatUndoEachOtherBeforeAGather) {
  load(gatherLines);
  Node *there = make("ag", "there", "_c10d_functional.all_to_all_single.default",
                     {bench_["x"], Actual::integers({2, 2}), Actual::integers({2, 2}), "0"}, "f32[4, 2][2, 1]cpu");
  Node *back =
      make("ag", "back", "_c10d_functional.all_to_all_single.default",
           {wait("ag", "wt", there, "f32[4, 2][2, 1]cpu"), Actual::integers({2, 2}), Actual::integers({2, 2}), "0"},
           "f32[4, 2][2, 1]cpu");
  Node *ag = make("ag", "again", "_c10d_functional.all_gather_into_tensor.default",
                  {wait("ag", "wk", back, "f32[4, 2][2, 1]cpu"), 2, "0"}, "f32[8, 2][2, 1]cpu");
  wait("wag", "whole", ag, "f32[8, 2][2, 1]cpu");
  replace("ag", "wag");
  EXPECT_EQ(bench_.text(), "");
}

/// Own elements that come back are in flight until the wait.
TEST_F(LegalityChain, RefusesElementsThatComeBackInFlight) {
  load(gatherLines);
  Node *there = make("ag", "there", "_c10d_functional.all_to_all_single.default",
                     {bench_["x"], Actual::integers({2, 2}), Actual::integers({2, 2}), "0"}, "f32[4, 2][2, 1]cpu");
  Node *back =
      make("ag", "back", "_c10d_functional.all_to_all_single.default",
           {wait("ag", "wt", there, "f32[4, 2][2, 1]cpu"), Actual::integers({2, 2}), Actual::integers({2, 2}), "0"},
           "f32[4, 2][2, 1]cpu");
  Node *ag =
      make("ag", "again", "_c10d_functional.all_gather_into_tensor.default", {back, 2, "0"}, "f32[8, 2][2, 1]cpu");
  wait("wag", "whole", ag, "f32[8, 2][2, 1]cpu");
  replace("ag", "wag");
  EXPECT_EQ(bench_.verdict(), "exchange-chain in-flight");
}

TEST_F(LegalityChain, RefusesAResultThatIsAPieceOfSomethingLarger) {
  load(gatherLines);
  Node *twice =
      make("ag", "twice", "aten.cat.default", {Actual::nodes({bench_["x"], bench_["x"]})}, "f32[8, 2][2, 1]cpu");
  Node *ag =
      make("ag", "again", "_c10d_functional.all_gather_into_tensor.default", {twice, 2, "0"}, "f32[16, 2][2, 1]cpu");
  Node *whole = wait("wag", "whole", ag, "f32[16, 2][2, 1]cpu");
  make("wag", "piece", "aten.slice.Tensor", {whole, 0, 4, 12}, "f32[8, 2][2, 1]cpu");
  replace("ag", "wag");
  EXPECT_EQ(bench_.verdict(), "merged-place") << "its caller sees the offset";
}

TEST_F(LegalityChain, RefusesAChainWhosePartsStandElsewhereInTheGroup) {
  scatterAndGather({});
  bench_.move("rs", "before");
  EXPECT_EQ(bench_.verdict(), "issue-order");
  stateOrder(bench_["rs"], bench_.certificate);
  EXPECT_EQ(bench_.verdict(), "");
  bench_.reordersCollectives = false;
  EXPECT_EQ(bench_.verdict(), "issue-order moved");
}

TEST_F(LegalityChain, RefusesAChainThatReadsAcrossAWrite) {
  load(R"(
    ar: "f32[4, 2][2, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
    m: "f32[4, 2][2, 1]cpu" = torch.ops.aten.mul_.Tensor(x, 2)
    war: "f32[4, 2][2, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(ar)
    return (war,))");
  Node *rs = make("ar", "rs", "_c10d_functional.reduce_scatter_tensor.default", {bench_["x"], "sum", 2, "0"},
                  "f32[2, 2][2, 1]cpu");
  Node *ag = make("ar", "gathered", "_c10d_functional.all_gather_into_tensor.default",
                  {wait("ar", "wrs", rs, "f32[2, 2][2, 1]cpu"), 2, "0"}, "f32[4, 2][2, 1]cpu");
  wait("war", "whole", ag, "f32[4, 2][2, 1]cpu");
  replace("ar", "war");
  EXPECT_EQ(bench_.verdict(), "");
  for (const char *name : {"rs", "wrs", "gathered"})
    graph().moveBefore(bench_[name], bench_["whole"]);
  EXPECT_EQ(bench_.verdict(), "storage-order");
}

TEST_F(LegalityChain, RefusesAChainAcrossAnOpaqueStepOrAFence) {
  for (const char *line : {"f = torch.ops.mylib.f.default(y)",
                           R"(f: "f32[0][1]cpu" = torch.ops._c10d_functional.isend.default(y, 1, 0, '1'))"}) {
    load((std::string("\n  ") + line + reduceLines).c_str());
    Node *rs = make("ar", "rs", "_c10d_functional.reduce_scatter_tensor.default", {bench_["x"], "sum", 2, "0"},
                    "f32[2, 2][2, 1]cpu");
    Node *ag = make("ar", "gathered", "_c10d_functional.all_gather_into_tensor.default",
                    {wait("ar", "wrs", rs, "f32[2, 2][2, 1]cpu"), 2, "0"}, "f32[4, 2][2, 1]cpu");
    wait("war", "whole", ag, "f32[4, 2][2, 1]cpu");
    replace("ar", "war");
    EXPECT_EQ(bench_.verdict(), "") << line;
    graph().moveBefore(rs, bench_["f"]);
    graph().moveBefore(bench_["before"], rs);
    EXPECT_NE(bench_.verdict(), "") << line;
  }
}

TEST_F(LegalityChain, RefusesAChainWhereProgramsDiffer) {
  scatterAndGather({});
  EXPECT_EQ(bench_.verdict({.spmd = false}), "mpmd");
}

TEST_F(LegalityChain, RefusesEntriesThatMatchSomethingElse) {
  load(reduceLines);
  Node *old = bench_["n"];
  Node *reader = bench_["war"];
  Node *whole = makeCall(old, "whole", "aten.neg.default", {bench_["ar"]}, "f32[4, 2][2, 1]cpu");
  graph().replaceAllUses(old, whole);
  graph().erase(old);
  graph().erase(reader);
  bench_.certificate.rules.push_back({"exchange-chain", {reader, old}, {whole}});
  EXPECT_EQ(bench_.verdict(), "exchange-chain in-flight wait-lost");
}

} // namespace
} // namespace ccgraph::test
