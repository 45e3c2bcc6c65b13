// The timeline against a count by hand: random intervals, random moves, every question.
#include "analysis/timeline.h"

#include "support/program_builder.h"

#include <gtest/gtest.h>

#include <random>

namespace ccgraph::test {
namespace {

class TimelineTest : public testing::TestWithParam<unsigned> {
protected:
  static constexpr int numRows = 40;
  struct Model {
    int64_t bytes;
    std::vector<Node *> holders;
    Timeline::Reach reach;
  };

  TimelineTest() : graph_(context_), program_(graph_), random_(GetParam()) {
    for (int i = 0; i < numRows; ++i)
      rows_.push_back(program_.input("x" + std::to_string(i), program_.f32({1})));
  }

  int pick(int bound) { return static_cast<int>(random_() % static_cast<unsigned>(bound)); }

  void fill(Timeline &timeline, int count) {
    for (int i = 0; i < count; ++i) {
      Model model{pick(100), {}, {.fromStart = pick(8) == 0, .forGood = pick(8) == 0}};
      for (int holders = 1 + pick(4); holders > 0; --holders)
        model.holders.push_back(rows_[pick(numRows)]);
      EXPECT_EQ(timeline.addInterval(model.bytes, model.holders, model.reach), models_.size());
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

  void expectRight(const Timeline &timeline) const {
    int64_t peak = 0;
    for (const Node *row = graph_.front(); row; row = row->next()) {
      EXPECT_EQ(timeline.alive(row), aliveByHand(row));
      peak = std::max(peak, aliveByHand(row));
    }
    EXPECT_EQ(timeline.peak(), peak);
  }

  void expectFinds(const Timeline &timeline, int64_t limit) {
    std::vector<Node *> order = graph_.nodes();
    size_t from = static_cast<size_t>(pick(numRows)),
           to = from + static_cast<size_t>(pick(numRows - static_cast<int>(from)));
    Node *first = nullptr, *last = nullptr;
    for (size_t i = from; i < to; ++i)
      if (aliveByHand(order[i]) > limit) {
        first = first ? first : order[i];
        last = order[i];
      }
    EXPECT_EQ(timeline.firstAbove(order[from], order[to], limit), first);
    EXPECT_EQ(timeline.lastAbove(order[from], order[to], limit), last);
  }

  Context context_;
  Graph graph_;
  ProgramBuilder program_;
  std::mt19937 random_;
  std::vector<Node *> rows_;
  std::vector<Model> models_;
  int64_t constant_ = 0;
};

TEST_P(TimelineTest, CountsAsByHandThroughMoves) {
  Timeline timeline(graph_);
  fill(timeline, 30);
  timeline.settle();
  expectRight(timeline);
  for (int i = 0; i < 60; ++i) {
    Node *node = rows_[pick(numRows)], *before = rows_[pick(numRows)];
    if (node != before)
      timeline.move(node, before);
    expectRight(timeline);
    expectFinds(timeline, pick(static_cast<int>(timeline.peak()) + 1));
  }
}

TEST_P(TimelineTest, TakesIntervalsAndHoldersAfterwards) {
  Timeline timeline(graph_);
  fill(timeline, 10);
  timeline.settle();
  timeline.addConstant(constant_ = 5);
  fill(timeline, 10);
  expectRight(timeline);
  for (int i = 0; i < 40; ++i) {
    auto id = static_cast<Timeline::IntervalId>(pick(20));
    Node *holder = rows_[pick(numRows)];
    timeline.addHolder(id, holder);
    models_[id].holders.push_back(holder);
    expectRight(timeline);
    if (pick(2) == 0) {
      timeline.removeHolder(id, holder);
      models_[id].holders.pop_back();
      expectRight(timeline);
    }
  }
}

TEST_P(TimelineTest, TakesOneHolderForSeveralIntervals) {
  Timeline timeline(graph_);
  fill(timeline, 20);
  timeline.settle();
  for (int i = 0; i < 20; ++i) {
    Node *holder = rows_[pick(numRows)];
    std::vector<Timeline::IntervalId> some;
    for (int count = pick(6); count > 0; --count)
      some.push_back(static_cast<Timeline::IntervalId>(pick(20)));
    timeline.addHolders(some, holder);
    for (Timeline::IntervalId id : some)
      models_[id].holders.push_back(holder);
    expectRight(timeline);
    for (Timeline::IntervalId id : llvm::reverse(some)) {
      if (i % 2 == 0)
        break;
      timeline.removeHolder(id, holder);
      models_[id].holders.pop_back();
    }
    expectRight(timeline);
  }
}

TEST_P(TimelineTest, SuspendedIntervalsWeighNothing) {
  Timeline timeline(graph_);
  fill(timeline, 10);
  timeline.settle();
  int64_t bytes = std::exchange(models_[3].bytes, 0);
  timeline.suspend(3);
  EXPECT_EQ(timeline.weight(3), bytes);
  expectRight(timeline);
  timeline.move(models_[3].holders[0], rows_[pick(numRows)]);
  models_[3].bytes = bytes;
  timeline.resume(3);
  expectRight(timeline);
}

INSTANTIATE_TEST_SUITE_P(Seeds, TimelineTest, testing::Range(0U, 20U));

} // namespace
} // namespace ccgraph::test
