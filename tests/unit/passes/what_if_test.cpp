// Tests predictions of the live bytes after a move, against the live bytes after the actual move.
#include "support/program_builder.h"

#include "analysis/lifetimes.h"
#include "analysis/what_if.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

/// Builds values of different sizes with many cross dependences; some are returned, and some are read once, soon.
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

  /// A row that the node passed, and what is alive there.
  struct Passed {
    Node *node;
    int64_t now;
    int64_t then;
  };

  /// Returns whether the later node depends on the earlier one, which forbids swapping them.
  static bool needs(const Node *lower, const Node *upper) {
    return llvm::any_of(lower->operandUses(), [&](const Use &use) { return use.def() == upper; });
  }

  /// Returns the first of the passed positions whose bytes grow above the limit, in the order in which the nodes pass
  /// them.
  static Node *slowFirstOver(const std::vector<Passed> &rows, int64_t limit) {
    for (const Passed &row : rows)
      if (row.then > limit && row.then > row.now)
        return row.node;
    return nullptr;
  }

  /// Asks, moves, compares, and moves back.
  void compare(Node *node, Node *place) {
    ProgramFacts facts(graph_);
    LiveBytes live = liveMemory(graph_, facts);
    WhatIf moved(live, node);
    Node *from = node->next();
    std::vector<Passed> rows;
    for (Node *row = from; row != place; row = row->next())
      rows.push_back({row, live.alive(row), 0});
    int64_t peak = moved.peakOfPassed(from, place);
    std::vector<Node *> over;
    for (int64_t limit = 0; limit < 700; limit += 20)
      over.push_back(moved.firstOver(from, place, limit));
    live.move(node, place);
    int64_t most = 0;
    for (Passed &row : rows) {
      row.then = live.alive(row.node);
      most = std::max(most, row.then > row.now ? row.then : 0);
    }
    EXPECT_EQ(peak, most);
    for (size_t i = 0; i < over.size(); ++i)
      EXPECT_EQ(over[i], slowFirstOver(rows, static_cast<int64_t>(20 * i))) << "with " << 20 * i;
    graph_.moveBefore(node, from);
    seenMore_ += peak > 0;
  }

  Context context_;
  Graph graph_;
  ProgramBuilder program_;
  size_t seenMore_ = 0; ///< moves after which some position would have more bytes
};

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

} // namespace
} // namespace ccgraph::test
