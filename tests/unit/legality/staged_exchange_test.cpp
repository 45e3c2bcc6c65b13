// Tests the legality of collectives in stages: groups inside the nodes and across them, correct and with one error.
#include "ccgraph/ir/int_list.h"
#include "support/buckets.h"
#include "support/rewrites.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

constexpr const char *rows = "f32[4, 2][2, 1]cpu", *half = "f32[2, 2][2, 1]cpu", *twice = "f32[8, 2][2, 1]cpu",
                     *all = "f32[16, 2][2, 1]cpu";

const Group world = {.name = "0", .ranks = {0, 1, 2, 3}};
const Group inside = {.name = "in", .partition = {{0, 1}, {2, 3}}};
const Group across = {.name = "out", .partition = {{0, 2}, {1, 3}}};

class LegalityStages : public testing::Test {
protected:
  void load(const std::string &call, const std::string &result, const Group &group = world) {
    const std::string lines = "c: \"" + result + "\" = torch.ops._c10d_functional." + call + "\n  w: \"" + result +
                              "\" = torch.ops._c10d_functional.wait_tensor.default(c)\n  return (w,)";
    bench_.certificate = {};
    bench_.load(R"(x: "f32[4, 2][2, 1]cpu", y: "f32[4, 2][2, 1]cpu")", lines.c_str());
    graph().groups().set(group);
    bench_.snapshot();
    graph().groups().set(inside);
    graph().groups().set(across);
  }
  Graph &graph() { return bench_.graph(); }
  Node *make(const char *before, const char *target, const std::vector<Actual> &arguments, const char *type) {
    Node *node = makeCall(bench_[before], "made", target, arguments, type);
    built_.push_back(node);
    return node;
  }
  Node *exchange(const char *collective, const std::vector<Actual> &arguments, const char *type) {
    return make("c", (std::string("_c10d_functional.") + collective + ".default").c_str(), arguments, type);
  }
  Node *wait(const char *before, Node *value, const char *type) {
    return make(before, "_c10d_functional.wait_tensor.default", {value}, type);
  }
  /// Replaces the wait by the last node made.
  void replace() {
    Node *launch = bench_["c"], *old = bench_["w"];
    graph().replaceAllUses(old, built_.back());
    graph().erase(old);
    graph().erase(launch);
    std::rotate(built_.begin(), std::prev(built_.end()), built_.end());
    bench_.certificate.rules.push_back({"staged-exchange", {launch, old}, std::exchange(built_, {})});
  }

  struct Sum {
    const char *matched = "sum";
    const char *scatter = "sum";
    const char *reduce = "sum";
    const char *scatterGroup = "in";
    const char *reduceGroup = "out";
    const char *gatherGroup = "in";
    const char *input = "x";
  };
  void sumInStages(const Sum &sum) {
    load(std::string("all_reduce.default(x, '") + sum.matched + "', '0')", rows);
    buildSum(sum);
  }
  void buildSum(const Sum &sum) {
    Node *rs = exchange("reduce_scatter_tensor", {bench_[sum.input], sum.scatter, 2, sum.scatterGroup}, half);
    Node *ar = exchange("all_reduce", {wait("c", rs, half), sum.reduce, sum.reduceGroup}, half);
    Node *ag = exchange("all_gather_into_tensor", {wait("c", ar, half), 2, sum.gatherGroup}, rows);
    wait("w", ag, rows);
    replace();
  }

  /// Puts 4 pieces of `value`, ordered as a table of 2 by 2, in the order of the transposed table.
  Node *turn(const char *before, Node *value, const char *type) {
    const int64_t piece = *value->type()->numElements() / 4;
    const IntList sizes = *staticDims(value->type()->sizes());
    const std::string e = std::to_string(piece), line = std::to_string(2 * piece);
    const std::string table = "f32[2, 2, " + e + "][" + line + ", " + e + ", 1]cpu",
                      turned = "f32[2, 2, " + e + "][" + e + ", " + line + ", 1]cpu";
    Node *seen = make(before, "aten.view.default", {value, llvm::ArrayRef<int64_t>{2, 2, piece}}, table.c_str());
    Node *swapped = make(before, "aten.permute.default", {seen, llvm::ArrayRef<int64_t>{1, 0, 2}}, turned.c_str());
    Node *copy = make(before, "aten.clone.default",
                      {swapped, Actual::memoryFormat(graph().context(), "contiguous_format")}, table.c_str());
    return make(before, "aten.view.default", {copy, llvm::ArrayRef<int64_t>(sizes)}, type);
  }

  std::vector<Node *> built_;
  RewriteBench bench_;
};

TEST_F(LegalityStages, AcceptsASumInStages) {
  sumInStages({});
  EXPECT_EQ(bench_.text(), "");
  sumInStages({.matched = "max", .scatter = "max", .reduce = "max"});
  EXPECT_EQ(bench_.text(), "");
}

TEST_F(LegalityStages, AcceptsAnAverageOfAveragesAlone) {
  sumInStages({.matched = "avg", .scatter = "avg", .reduce = "avg"});
  EXPECT_EQ(bench_.text(), "");
  sumInStages({.matched = "avg", .scatter = "avg", .reduce = "sum"});
  EXPECT_EQ(bench_.verdict(), "staged-exchange");
  sumInStages({.matched = "avg", .scatter = "sum", .reduce = "avg"});
  EXPECT_EQ(bench_.verdict(), "staged-exchange");
  sumInStages({.matched = "sum", .scatter = "avg", .reduce = "avg"});
  EXPECT_EQ(bench_.verdict(), "staged-exchange");
}

TEST_F(LegalityStages, RefusesAnotherReduction) {
  sumInStages({.reduce = "max"});
  EXPECT_EQ(bench_.verdict(), "staged-exchange");
  sumInStages({.scatter = "max", .reduce = "max"});
  EXPECT_EQ(bench_.verdict(), "staged-exchange");
}

TEST_F(LegalityStages, RefusesAnotherGroup) {
  sumInStages({.scatterGroup = "out"});
  EXPECT_EQ(bench_.verdict(), "staged-exchange");
  sumInStages({.reduceGroup = "in"});
  EXPECT_EQ(bench_.verdict(), "staged-exchange");
  sumInStages({.gatherGroup = "out"});
  EXPECT_EQ(bench_.verdict(), "staged-exchange");
  sumInStages({.reduceGroup = "0"});
  EXPECT_EQ(bench_.verdict(), "staged-exchange");
}

TEST_F(LegalityStages, RefusesAnotherValue) {
  sumInStages({.input = "y"});
  EXPECT_EQ(bench_.verdict(), "staged-exchange");
}

TEST_F(LegalityStages, RefusesToSendWhatIsInFlight) {
  load("all_reduce.default(x, 'sum', '0')", rows);
  Node *rs = exchange("reduce_scatter_tensor", {bench_["x"], "sum", 2, "in"}, half);
  Node *ar = exchange("all_reduce", {rs, "sum", "out"}, half);
  wait("w", exchange("all_gather_into_tensor", {wait("c", ar, half), 2, "in"}, rows), rows);
  replace();
  EXPECT_EQ(bench_.verdict(), "in-flight staged-exchange");
}

TEST_F(LegalityStages, AcceptsAGatherWhosePiecesAreInTheOrderOfTheRanks) {
  for (bool insideFirst : {true, false}) {
    for (bool turns : {true, false}) {
      load("all_gather_into_tensor.default(x, 4, '0')", all);
      const char *first = insideFirst ? "in" : "out", *second = insideFirst ? "out" : "in";
      Node *node = exchange("all_gather_into_tensor", {bench_["x"], 2, first}, twice);
      Node *whole = exchange("all_gather_into_tensor", {wait("c", node, twice), 2, second}, all);
      Node *waited = wait("w", whole, all);
      if (turns)
        turn("w", waited, all);
      replace();
      EXPECT_EQ(bench_.verdict(), insideFirst != turns ? "" : "staged-exchange") << insideFirst << turns;
    }
  }
}

TEST_F(LegalityStages, AcceptsAScatterWhosePiecesReachTheirRanks) {
  const char *quarter = "f32[1, 2][2, 1]cpu";
  for (bool insideFirst : {true, false}) {
    for (bool turns : {true, false}) {
      load("reduce_scatter_tensor.default(x, 'sum', 4, '0')", quarter);
      const char *first = insideFirst ? "in" : "out", *second = insideFirst ? "out" : "in";
      Node *sent = turns ? turn("c", bench_["x"], rows) : bench_["x"];
      Node *node = exchange("reduce_scatter_tensor", {sent, "sum", 2, first}, half);
      wait("w", exchange("reduce_scatter_tensor", {wait("c", node, half), "sum", 2, second}, quarter), quarter);
      replace();
      EXPECT_EQ(bench_.verdict(), insideFirst == turns ? "" : "staged-exchange") << insideFirst << turns;
    }
  }
}

TEST_F(LegalityStages, AcceptsAnAllToAllWhosePiecesReachTheirRanks) {
  const std::vector<int64_t> splits = {2, 2};
  for (bool before : {true, false}) {
    for (bool between : {true, false}) {
      load("all_to_all_single.default(x, [1, 1, 1, 1], [1, 1, 1, 1], '0')", rows);
      Node *sent = before ? turn("c", bench_["x"], rows) : bench_["x"];
      Node *node = wait("c", exchange("all_to_all_single", {sent, splits, splits, "in"}, rows), rows);
      Node *again = between ? turn("c", node, rows) : node;
      wait("w", exchange("all_to_all_single", {again, splits, splits, "out"}, rows), rows);
      replace();
      EXPECT_EQ(bench_.verdict(), before && between ? "" : "staged-exchange") << before << between;
    }
  }
}

TEST_F(LegalityStages, RefusesSumsWhereResultsMustBeBitwiseEqual) {
  sumInStages({});
  EXPECT_EQ(bench_.verdict({.bitwise = true}), "bitwise");
}

TEST_F(LegalityStages, RefusesPartsThatAnotherRankMayNotKnow) {
  load("all_reduce.default(x, 'sum', '0')", rows);
  graph().groups().set({.name = "in", .ranks = {0, 1}});
  buildSum({});
  EXPECT_EQ(bench_.verdict(), "interface");
  load("all_reduce.default(x, 'sum', '0')", rows);
  graph().groups().set({.name = "in", .ranks = {0, 1}});
  bench_.snapshot();
  buildSum({});
  EXPECT_EQ(bench_.verdict(), "staged-exchange");
}

TEST_F(LegalityStages, RefusesPartsWithOtherRanks) {
  load("all_reduce.default(x, 'sum', 'dp')", rows, {.name = "dp", .partition = {{0, 1, 2, 3}, {4, 5, 6, 7}}});
  graph().surroundings().worldSize = 8;
  graph().groups().set({.name = "in", .partition = {{0, 1}, {2, 3}, {4, 5}, {6, 7}}});
  graph().groups().set({.name = "out", .partition = {{0, 2}, {1, 7}, {4, 6}, {5, 3}}});
  bench_.snapshot();
  buildSum({});
  EXPECT_EQ(bench_.verdict(), "staged-exchange");
}

TEST_F(LegalityStages, RefusesNewGroupsWithoutStages) {
  load("all_reduce.default(x, 'sum', '0')", rows);
  EXPECT_EQ(bench_.verdict(), "interface");
}

TEST_F(LegalityStages, RefusesAChangedGroup) {
  load("all_reduce.default(x, 'sum', '0')", rows);
  graph().groups().set({.name = "0", .ranks = {0, 1, 3, 2}});
  buildSum({});
  EXPECT_EQ(bench_.verdict(), "interface");
}

} // namespace
} // namespace ccgraph::test
