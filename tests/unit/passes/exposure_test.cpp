// Tests the causes of exposed collectives: each kind of cause on a program that has it.
#include "ccgraph/passes/exposure.h"

#include "support/program_builder.h"

#include "ccgraph/ir/lifetimes.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

constexpr int64_t picosecondsOfUs = 1'000'000;

class Exposed : public testing::Test {
protected:
  Node *take(Node *node, int64_t microseconds) {
    durations_.add(node->name().str(), {microseconds * picosecondsOfUs});
    return node;
  }
  Node *reduce(Node *x, int64_t microseconds) { return reduceOn("0", x, microseconds); }
  Node *reduceOn(llvm::StringRef group, Node *x, int64_t microseconds) {
    return take(program_.call("_c10d_functional.all_reduce.default", type_, {x, llvm::StringRef("sum"), group}),
                microseconds);
  }
  Node *wait(Node *launch) { return program_.call("_c10d_functional.wait_tensor.default", type_, {launch}); }
  Node *relu(Node *x, int64_t microseconds) {
    return take(program_.call("aten.relu.default", type_, {x}), microseconds);
  }
  Node *add(Node *a, Node *b) { return take(program_.call("aten.add.Tensor", type_, {a, b}), 1); }

  std::vector<Exposure> explain(std::optional<int64_t> budget = std::nullopt, const BoundRules &rules = {},
                                const Machine &machine = *machinePreset(defaultMachine)) {
    CostModel costs(graph_, machine, &durations_);
    Analyses analyses(graph_);
    return explainExposed(graph_, analyses, costs, budget, rules, 10);
  }

  Context context_;
  Graph graph_ = Graph(context_);
  ProgramBuilder program_ = ProgramBuilder(graph_);
  const Type *type_ = program_.f32({256});
  Durations durations_;
};

TEST_F(Exposed, ByWhatItReads) {
  Node *x = program_.input("x", type_);
  Node *a = relu(x, 10);
  Node *c = reduce(a, 20);
  Node *w = wait(c);
  Node *r = add(w, a);
  program_.output({r});
  std::vector<Exposure> exposed = explain();
  ASSERT_EQ(exposed.size(), 1U);
  EXPECT_EQ(exposed[0].time.node, c->name().str());
  EXPECT_EQ(exposed[0].time.exposed, 20 * picosecondsOfUs);
  EXPECT_EQ(exposed[0].kind, "all_reduce");
  EXPECT_EQ(exposed[0].begin, BeginPin::Input);
  EXPECT_EQ(exposed[0].needs, a->name().str());
  EXPECT_EQ(exposed[0].reader, r->name().str());
  EXPECT_EQ(exposed[0].waitsEarly, 0);
}

TEST_F(Exposed, ByTheTransferBeforeIt) {
  Node *x = program_.input("x", type_), *y = program_.input("y", type_);
  Node *first = reduce(x, 20), *second = reduce(y, 30);
  Node *w = wait(first), *v = wait(second);
  program_.output({add(w, v)});
  std::vector<Exposure> exposed = explain();
  ASSERT_EQ(exposed.size(), 2U);
  EXPECT_EQ(exposed[0].time.node, second->name().str());
  EXPECT_EQ(exposed[0].begin, BeginPin::Group);
  EXPECT_EQ(exposed[0].needs, first->name().str());
  EXPECT_EQ(exposed[1].begin, BeginPin::Input);
  EXPECT_EQ(exposed[1].needs, "") << "inputs of the program are enough";
}

TEST_F(Exposed, ByItsPlaceAlone) {
  Node *x = program_.input("x", type_), *y = program_.input("y", type_);
  Node *a = relu(x, 10);
  Node *c = reduce(y, 20);
  Node *w = wait(c);
  program_.output({add(w, a)});
  std::vector<Exposure> exposed = explain();
  ASSERT_EQ(exposed.size(), 1U);
  EXPECT_EQ(exposed[0].begin, BeginPin::Order);
  EXPECT_EQ(exposed[0].slack, 10 * picosecondsOfUs);
  EXPECT_EQ(explain(std::nullopt, {.spmd = false})[0].begin, BeginPin::Fixed);
}

TEST_F(Exposed, ByTheBudget) {
  Node *x = program_.input("x", type_), *y = program_.input("y", type_);
  Node *a = relu(x, 10);
  Node *b = relu(a, 10);
  Node *d = relu(b, 10);
  Node *c = reduce(y, 20);
  Node *w = wait(c);
  program_.output({add(w, d)});
  int64_t own = peakMemory(graph_).bytes;
  constexpr int64_t bytes = 1024;
  ASSERT_EQ(own, 5 * bytes) << "two inputs, what the last two make, and the result";
  std::vector<Exposure> exposed = explain(own - bytes);
  ASSERT_EQ(exposed.size(), 1U);
  EXPECT_EQ(exposed[0].begin, BeginPin::Budget);
  EXPECT_EQ(exposed[0].slack, 30 * picosecondsOfUs);
  EXPECT_EQ(exposed[0].lacks, bytes);
  EXPECT_EQ(explain(own)[0].begin, BeginPin::Order);
}

TEST_F(Exposed, AWaitThatStandsEarlySaysSo) {
  Node *x = program_.input("x", type_);
  Node *c = reduce(x, 20);
  Node *w = wait(c);
  Node *a = relu(x, 10);
  Node *r = add(w, a);
  program_.output({r});
  std::vector<Exposure> exposed = explain();
  ASSERT_EQ(exposed.size(), 1U);
  EXPECT_EQ(exposed[0].reader, r->name().str());
  EXPECT_EQ(exposed[0].waitsEarly, 10 * picosecondsOfUs);
}

TEST_F(Exposed, LongerThanAloneWhereGroupsShareLinks) {
  type_ = program_.f32({1 << 22});
  for (llvm::StringRef name : {"0", "1"})
    graph_.groups().set({.name = name.str(), .ranks = {0, 1}});
  Node *x = program_.input("x", type_), *y = program_.input("y", type_);
  Node *first = reduceOn("0", x, 100), *second = reduceOn("1", y, 100);
  Node *w = wait(first), *v = wait(second);
  program_.output({add(w, v)});
  for (const Exposure &exposure : explain()) {
    EXPECT_GT(exposure.shared, 50 * picosecondsOfUs) << "but for the latency, both go at half the rate";
    EXPECT_LE(exposure.shared, 100 * picosecondsOfUs);
  }
  Machine perfect = *machinePreset(defaultMachine);
  perfect.sharedLinks = false;
  for (const Exposure &exposure : explain(std::nullopt, {}, perfect))
    EXPECT_EQ(exposure.shared, 0);
}

TEST_F(Exposed, NothingWhereAllIsHidden) {
  Node *x = program_.input("x", type_);
  Node *c = reduce(x, 20);
  Node *a = relu(x, 30);
  Node *w = wait(c);
  program_.output({add(w, a)});
  EXPECT_TRUE(explain().empty());
}

} // namespace
} // namespace ccgraph::test
