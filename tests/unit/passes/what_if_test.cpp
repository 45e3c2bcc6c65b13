// What would be alive if: asked before a move, and held against the live bytes after it.
#include "support/program_builder.h"

#include "analysis/lifetimes.h"
#include "analysis/what_if.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

/// Values of different sizes that read one another crosswise; some are returned.
class WhatIfTest : public testing::Test {
protected:
  WhatIfTest() : graph_(context_), program_(graph_) {
    std::vector<Node *> values = {program_.input("x", program_.f32({3}))};
    for (int64_t i = 1; i < 24; ++i) {
      Node *a = values[static_cast<size_t>(i * 7 % static_cast<int64_t>(values.size()))];
      Node *b = values[static_cast<size_t>(i * 5 % static_cast<int64_t>(values.size()))];
      values.push_back(program_.call("aten.add.Tensor", program_.f32({1 + i * 3 % 11}), {a, b}));
    }
    program_.output({values[5], values[20], values.back()});
  }

  /// May these two, of which the first stands higher, change places as far as data goes?
  static bool needs(const Node *lower, const Node *upper) {
    return llvm::any_of(lower->operandUses(), [&](const Use &use) { return use.def() == upper; });
  }

  /// Asks, moves, compares every row, and moves back.
  void compare(Node *node, Node *place) {
    ProgramFacts facts(graph_);
    LiveBytes live = liveMemory(graph_, facts);
    bool up = place->isBefore(node);
    Node *nodes[] = {node};
    WhatIf moved(live, nodes, place);
    Node *from = up ? place : node->next();
    Node *to = up ? node : place;
    std::vector<std::pair<Node *, int64_t>> between;
    for (Node *row = from; row != to; row = row->next())
      between.emplace_back(row, moved.aliveAt(row));
    int64_t peak = moved.peakOfMoved();
    bool fits = moved.mayFitBetween(from, to, 400);
    Node *back = node->next();
    live.move(node, place);
    int64_t most = 0;
    for (auto [row, alive] : between) {
      EXPECT_EQ(alive, live.alive(row)) << row->name().str().str() << " with " << node->name().str().str();
      most = std::max(most, alive);
    }
    EXPECT_EQ(peak, live.alive(node));
    EXPECT_TRUE(fits || most > 400);
    graph_.moveBefore(node, back);
  }

  Context context_;
  Graph graph_;
  ProgramBuilder program_;
};

TEST_F(WhatIfTest, SaysOfEveryRiseWhatIsAliveAfterIt) {
  size_t rises = 0;
  for (Node *node : graph_.nodes())
    if (node->opcode() == Opcode::CallFunction)
      for (Node *place = node->prev(); place->opcode() == Opcode::CallFunction && !needs(node, place);
           place = place->prev(), ++rises)
        compare(node, place);
  EXPECT_GT(rises, 40U);
}

TEST_F(WhatIfTest, SaysOfEveryFallWhatIsAliveAfterIt) {
  size_t falls = 0;
  for (Node *node : graph_.nodes())
    if (node->opcode() == Opcode::CallFunction)
      for (Node *passed = node->next(); passed != graph_.output() && !needs(passed, node);
           passed = passed->next(), ++falls)
        compare(node, passed->next());
  EXPECT_GT(falls, 20U);
}

} // namespace
} // namespace ccgraph::test
