// Tests LiveBytes against a direct count: random intervals, random moves, every query.
#include "analysis/live_bytes.h"

#include "support/program_builder.h"

#include <gtest/gtest.h>

#include <random>

namespace ccgraph::test {
namespace {

class LiveBytesTest : public testing::TestWithParam<unsigned> {
protected:
  static constexpr int numRows = 40;
  struct Model {
    int64_t bytes;
    std::vector<Node *> holders;
    LiveBytes::Reach reach;
  };

  LiveBytesTest() : graph_(context_), program_(graph_), random_(GetParam()) {
    for (int i = 0; i < numRows; ++i)
      rows_.push_back(program_.input("x" + std::to_string(i), program_.f32({1})));
  }

  int pick(int bound) { return static_cast<int>(random_() % static_cast<unsigned>(bound)); }

  void fill(LiveBytes &live, int count) {
    for (int i = 0; i < count; ++i) {
      Model model{pick(100), {}, {.fromStart = pick(8) == 0, .forGood = pick(8) == 0}};
      for (int holders = 1 + pick(4); holders > 0; --holders)
        model.holders.push_back(rows_[pick(numRows)]);
      EXPECT_EQ(live.addInterval(model.bytes, model.holders, model.reach), models_.size());
      models_.push_back(model);
    }
  }

  int64_t aliveByHand(const Node *row) const {
    int64_t sum = constant_;
    for (const Model &model : models_) {
      bool begun = model.reach.fromStart ||
                   llvm::any_of(model.holders, [&](const Node *holder) { return !row->isBefore(holder); });
      bool ended = !model.reach.forGood &&
                   llvm::all_of(model.holders, [&](const Node *holder) { return holder->isBefore(row); });
      sum += begun && !ended ? model.bytes : 0;
    }
    return sum;
  }

  void expectRight(const LiveBytes &live) const {
    int64_t peak = 0;
    for (const Node *row : graph_) {
      EXPECT_EQ(live.alive(row), aliveByHand(row));
      peak = std::max(peak, aliveByHand(row));
    }
    EXPECT_EQ(live.peak(), peak);
  }

  void expectFinds(const LiveBytes &live, int64_t limit) {
    std::vector<Node *> order = graph_.nodes();
    size_t from = static_cast<size_t>(pick(numRows)),
           to = from + static_cast<size_t>(pick(numRows - static_cast<int>(from)));
    Node *first = nullptr;
    for (size_t i = from; i < to; ++i)
      if (aliveByHand(order[i]) > limit && !first)
        first = order[i];
    EXPECT_EQ(live.firstAbove(order[from], order[to], limit), first);
  }

  Context context_;
  Graph graph_;
  ProgramBuilder program_;
  std::mt19937 random_;
  std::vector<Node *> rows_;
  std::vector<Model> models_;
  int64_t constant_ = 0;
};

TEST_P(LiveBytesTest, CountsAsByHandThroughMoves) {
  LiveBytes live(graph_);
  fill(live, 30);
  live.settle();
  expectRight(live);
  for (int i = 0; i < 60; ++i) {
    Node *node = rows_[pick(numRows)], *before = rows_[pick(numRows)];
    if (node != before)
      live.move(node, before);
    expectRight(live);
    expectFinds(live, pick(static_cast<int>(live.peak()) + 1));
  }
}

TEST_P(LiveBytesTest, TakesIntervalsAndHoldersAfterwards) {
  LiveBytes live(graph_);
  fill(live, 10);
  live.settle();
  live.addConstant(constant_ = 5);
  fill(live, 10);
  expectRight(live);
  for (int i = 0; i < 40; ++i) {
    auto id = static_cast<LiveBytes::IntervalId>(pick(20));
    Node *holder = rows_[pick(numRows)];
    live.addHolder(id, holder);
    models_[id].holders.push_back(holder);
    expectRight(live);
  }
}

TEST_P(LiveBytesTest, RemovedIntervalsLeaveTheirPlaceToOthers) {
  LiveBytes live(graph_);
  fill(live, 20);
  live.settle();
  for (LiveBytes::IntervalId id : {3U, 19U, 7U}) {
    live.removeInterval(id);
    models_[id].bytes = 0;
    for (Node *holder : models_[id].holders)
      EXPECT_FALSE(llvm::is_contained(live.intervalsOf(holder), id));
    expectRight(live);
  }
  models_[7] = {50, {rows_[pick(numRows)], rows_[pick(numRows)]}, {}};
  EXPECT_EQ(live.addInterval(50, models_[7].holders), 7U);
  for (int i = 0; i < 10; ++i) {
    live.move(models_[7].holders[0], rows_[pick(numRows)]);
    expectRight(live);
  }
}

/// Random extensions of two shares, some of them undone, with moves in between.
TEST_P(LiveBytesTest, SharesHoldAllTheirIntervalsByAllTheirHolders) {
  LiveBytes live(graph_);
  fill(live, 20);
  LiveBytes::ShareId shares[] = {live.addShare(), live.addShare()};
  std::vector<LiveBytes::IntervalId> held[2];
  std::vector<Node *> holders[2];
  auto extend = [&](int share) {
    std::vector<LiveBytes::IntervalId> ids;
    std::vector<Node *> nodes;
    for (int count = pick(5); count > 0; --count)
      ids.push_back(static_cast<LiveBytes::IntervalId>(pick(20)));
    for (int count = pick(3); count > 0; --count)
      nodes.push_back(rows_[pick(numRows)]);
    live.extend(shares[share], ids, nodes);
    llvm::append_range(held[share], ids);
    llvm::append_range(holders[share], nodes);
    for (LiveBytes::IntervalId id : held[share])
      llvm::append_range(models_[id].holders, holders[share]);
  };
  extend(0); // shares may also be extended before the tree is built
  live.settle();
  for (int i = 0; i < 20; ++i) {
    int share = pick(2);
    std::vector<Model> models = models_;
    std::vector<LiveBytes::IntervalId> heldBefore = held[share];
    std::vector<Node *> holdersBefore = holders[share];
    LiveBytes::Extent extent = live.extent(shares[share]);
    extend(share);
    expectRight(live);
    live.move(rows_[pick(numRows)], rows_[pick(numRows)]);
    expectRight(live);
    if (pick(2) == 0) {
      live.shrink(shares[share], extent);
      models_ = models;
      held[share] = heldBefore;
      holders[share] = holdersBefore;
      expectRight(live);
    }
  }
  for (LiveBytes::IntervalId id : held[0])
    for (Node *holder : holders[0])
      EXPECT_TRUE(llvm::is_contained(live.intervalsOf(holder), id));
}

TEST_P(LiveBytesTest, SuspendedIntervalsWeighNothing) {
  LiveBytes live(graph_);
  fill(live, 10);
  live.settle();
  int64_t bytes = std::exchange(models_[3].bytes, 0);
  live.suspend(3);
  EXPECT_EQ(live.weight(3), bytes);
  expectRight(live);
  live.move(models_[3].holders[0], rows_[pick(numRows)]);
  models_[3].bytes = bytes;
  live.resume(3);
  expectRight(live);
}

INSTANTIATE_TEST_SUITE_P(Seeds, LiveBytesTest, testing::Range(0U, 20U));

} // namespace
} // namespace ccgraph::test
