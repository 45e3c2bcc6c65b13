// What would be alive if: asked before a move, and held against the live bytes after it.
#include "support/program_builder.h"

#include "analysis/lifetimes.h"
#include "analysis/what_if.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

/// Values of different sizes that read one another crosswise; some are returned, and some are read once, soon.
class WhatIfTest : public testing::Test {
protected:
  WhatIfTest() : graph_(context_), program_(graph_) {
    std::vector<Node *> values = {program_.input("x", program_.f32({3}))};
    for (int64_t i = 1; i < 24; ++i) {
      Node *a = values[static_cast<size_t>(i * 7 % static_cast<int64_t>(values.size()))];
      Node *b = values[static_cast<size_t>(i * 5 % static_cast<int64_t>(values.size()))];
      values.push_back(program_.call("aten.add.Tensor", program_.f32({1 + i * 3 % 11}), {a, b}));
      if (i % 6 == 0) {
        Node *readOnce = program_.call("aten.neg.default", program_.f32({20}), {a});
        (void)program_.call("aten.sum.default", program_.f32({1}), {readOnce});
      }
    }
    program_.output({values[5], values[20], values.back()});
  }

  /// A row that nodes passed, and what is alive there.
  struct Passed {
    Node *node;
    int64_t now;
    int64_t then;
  };

  /// May these two, of which the first stands higher, change places as far as data goes?
  static bool needs(const Node *lower, const Node *upper) {
    return llvm::any_of(lower->operandUses(), [&](const Use &use) { return use.def() == upper; });
  }

  /// Of the rows from..to, in the order in which the nodes pass them, the first with too much that gets more.
  static Node *slowFirstOver(const std::vector<Passed> &rows, int64_t limit) {
    for (const Passed &row : rows)
      if (row.then > limit && row.then > row.now)
        return row.node;
    return nullptr;
  }

  /// Asks, moves, compares every row, and moves back.
  void compare(llvm::ArrayRef<Node *> nodes, Node *place) {
    ProgramFacts facts(graph_);
    LiveBytes live = liveMemory(graph_, facts);
    bool up = place->isBefore(nodes.front());
    WhatIf moved(live, up ? Side::Up : Side::Down, nodes);
    Node *from = up ? place : nodes.back()->next();
    Node *to = up ? nodes.front() : place;
    std::vector<Passed> rows;
    for (Node *row = from; row != to; row = row->next())
      rows.push_back({row, live.alive(row), moved.aliveAt(row)});
    if (up)
      std::reverse(rows.begin(), rows.end());
    int64_t peakOfPassed = 0;
    for (const Passed &row : rows)
      peakOfPassed = std::max(peakOfPassed, row.then > row.now ? row.then : 0);
    EXPECT_EQ(moved.peakOfPassed(from, to), peakOfPassed);
    for (int64_t limit = 0; limit < 700; limit += 20)
      EXPECT_EQ(moved.firstOver(from, to, limit), slowFirstOver(rows, limit)) << "with " << limit;
    int64_t peakOfMoved = moved.peakOfMoved(place);
    Node *back = nodes.back()->next();
    for (Node *node : nodes)
      live.move(node, place);
    for (const Passed &row : rows)
      EXPECT_EQ(row.then, live.alive(row.node)) << row.node->name().str().str();
    int64_t most = 0;
    for (Node *node : nodes)
      most = std::max(most, live.alive(node));
    EXPECT_EQ(peakOfMoved, most);
    for (Node *node : nodes)
      graph_.moveBefore(node, back);
    seenMore_ += peakOfPassed > 0;
  }

  Context context_;
  Graph graph_;
  ProgramBuilder program_;
  size_t seenMore_ = 0; ///< moves that would leave some row with more
};

TEST_F(WhatIfTest, SaysOfEveryRiseWhatIsAliveAfterIt) {
  size_t rises = 0;
  for (Node *node : graph_.nodes())
    if (node->opcode() == Opcode::CallFunction)
      for (Node *place = node->prev(); place->opcode() == Opcode::CallFunction && !needs(node, place);
           place = place->prev(), ++rises)
        compare(node, place);
  EXPECT_GT(rises, 40U);
  EXPECT_GT(seenMore_, 20U);
}

TEST_F(WhatIfTest, SaysOfEveryFallWhatIsAliveAfterIt) {
  size_t falls = 0;
  for (Node *node : graph_.nodes())
    if (node->opcode() == Opcode::CallFunction)
      for (Node *passed = node->next(); passed != graph_.output() && !needs(passed, node);
           passed = passed->next(), ++falls)
        compare(node, passed->next());
  EXPECT_GT(falls, 20U);
  EXPECT_GT(seenMore_, 10U);
}

TEST_F(WhatIfTest, SaysOfEveryRiseOfTwoWhatIsAliveAfterIt) {
  size_t rises = 0;
  for (Node *upper : graph_.nodes()) {
    Node *lower = upper->next();
    if (upper->opcode() != Opcode::CallFunction || lower->opcode() != Opcode::CallFunction)
      continue;
    for (Node *place = upper->prev();
         place->opcode() == Opcode::CallFunction && !needs(upper, place) && !needs(lower, place);
         place = place->prev(), ++rises)
      compare({upper, lower}, place);
  }
  EXPECT_GT(rises, 20U);
  EXPECT_GT(seenMore_, 10U);
}

TEST_F(WhatIfTest, OfAUnitThoseAboveThePlaceStay) {
  ProgramFacts facts(graph_);
  LiveBytes live = liveMemory(graph_, facts);
  std::vector<Node *> all = graph_.nodes();
  for (size_t i = 4; i + 4 < all.size(); ++i) {
    Node *unit[] = {all[i - 3], all[i], all[i + 3]};
    EXPECT_EQ(WhatIf(live, Side::Up, unit).peakOfMoved(all[i - 1]),
              WhatIf(live, Side::Up, llvm::ArrayRef(unit).drop_front()).peakOfMoved(all[i - 1]));
  }
}

} // namespace
} // namespace ccgraph::test
