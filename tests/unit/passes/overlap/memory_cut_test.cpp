// Tests the least memory: by hand, and against all orders of random small programs.
#include "schedule/overlap/low_memory_order.h"
#include "schedule/overlap/ordered_problem.h"
#include "schedule/overlap/max_flow.h"
#include "schedule/overlap/memory_cut.h"
#include "schedule/overlap/places.h"
#include "schedule/overlap/replay.h"
#include "unit/passes/overlap/exact_schedule.h"
#include "unit/passes/overlap/problem_text.h"
#include "unit/passes/overlap/random_problem.h"

#include <cstdio>

using namespace ccgraph::overlap;
using namespace ccgraph::overlap::test;

TEST(MaxFlow, IsTheLeastCut) {
  MaxFlow network(6);
  network.connect(0, 2, 16);
  network.connect(0, 3, 13);
  network.connect(3, 2, 4);
  network.connect(2, 4, 12);
  network.connect(4, 3, 9);
  network.connect(3, 5, 14);
  network.connect(5, 4, 7);
  network.connect(4, 1, 20);
  network.connect(5, 1, 4);
  EXPECT_EQ(network.run(0, 1), 23);
  EXPECT_TRUE(network.onSourceSide(0) && network.onSourceSide(2) && network.onSourceSide(3) && network.onSourceSide(5));
  EXPECT_FALSE(network.onSourceSide(4) || network.onSourceSide(1));
}

TEST(MaxFlow, NothingGoesWhereNothingLeads) {
  MaxFlow network(3);
  network.connect(0, 2, 5);
  EXPECT_EQ(network.run(0, 1), 0);
  EXPECT_TRUE(network.onSourceSide(2));
}

TEST(MemoryCut, WhatIsWantedLaterIsMadeLaterWhereItsInputLivesOn) {
  NamedProblem named = problemOf("a compute 1 makes 8\n"
                                 "s compute 1 makes 8 needs a\n"
                                 "b compute 1 makes 100 needs a\n"
                                 "l compute 1 makes 1 needs b\n"
                                 "g compute 1 needs l needs s needs a\n");
  MemoryCut cut = memoryCut(named.problem, 2);
  EXPECT_EQ(cut.bytes, 108);
  EXPECT_EQ(cut.before, std::vector<bool>({true, false, false, false, false}));
  EXPECT_EQ(named.str(lowMemoryOrder(named.problem).order), "a b l s g") << "and then at s, which was the next peak";
}

TEST(MemoryCut, WhatReadsSomethingLargeIsMadeBefore) {
  NamedProblem named = problemOf("a compute 1 makes 50\n"
                                 "b compute 1 makes 100\n"
                                 "s compute 1 makes 8 needs a\n"
                                 "g compute 1 needs b needs s\n");
  MemoryCut cut = memoryCut(named.problem, 1);
  EXPECT_EQ(cut.bytes, 100) << "both may stand after it";
  EXPECT_EQ(named.str(lowMemoryOrder(named.problem).order), "a s b g");
}

TEST(MemoryCut, InputsStandInFrontAndWhatIsReturnedAtTheEnd) {
  NamedProblem named = problemOf("p input 0 makes 4\n"
                                 "q input 0 makes 4\n"
                                 "a compute 1 makes 8 needs p\n"
                                 "b compute 1 makes 1 needs q\n"
                                 "o compute 0 needs b\n");
  MemoryCut cut = memoryCut(named.problem, 2);
  EXPECT_TRUE(cut.before[0] && cut.before[1]);
  EXPECT_FALSE(cut.before[4]);
}

TEST(MemoryCut, NoOrderNeedsLess) {
  unsigned tried = 0, saved = 0;
  for (unsigned seed = 1; seed <= 1000; ++seed) {
    Problem problem = randomProblem(seed, 3 + seed % 4);
    Schedule order = asItStands(problem);
    Replay now = replay(problem, order);
    int64_t floor = memoryCut(problem, static_cast<uint32_t>(now.peakAt)).bytes;
    ASSERT_LE(floor, now.peakBytes) << "seed " << seed;
    ASSERT_FALSE(exactSchedule(problem, floor - 1)) << "seed " << seed;
    LowMemoryOrder found = lowMemoryOrder(problem);
    ASSERT_GE(found.floor, floor) << "seed " << seed;
    ASSERT_FALSE(exactSchedule(problem, found.floor - 1)) << "seed " << seed;
    order.order = found.order;
    int64_t lowMemory = replay(problem, order).peakBytes;
    ASSERT_LE(lowMemory, now.peakBytes) << "seed " << seed;
    saved += lowMemory < now.peakBytes;
    ++tried;
  }
  std::printf("%u programs, %u of them need less in another order\n", tried, saved);
  EXPECT_GT(saved, 0U);
}

TEST(LowMemoryOrder, IsAnOrderOfTheProgram) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    Problem problem = randomProblem(seed, 8);
    std::vector<uint32_t> order = lowMemoryOrder(problem).order;
    ASSERT_EQ(order.size(), problem.steps.size());
    std::vector<size_t> place = placesOf(order);
    for (uint32_t step = 0; step < order.size(); ++step)
      for (uint32_t before : problem.before[step])
        ASSERT_LT(place[before], place[step]) << "seed " << seed;
    EXPECT_EQ(order.back(), order.size() - 1);
    for (uint32_t i = 1; i < order.size(); ++i)
      EXPECT_LE(problem.steps[order[i]].input, problem.steps[order[i - 1]].input)
          << "an input stands after another step";
    Problem other = renumbered(problem, order);
    Schedule schedule;
    schedule.order = order;
    Replay there = replay(other, asItStands(other)), here = replay(problem, schedule);
    EXPECT_EQ(there.total, here.total);
    EXPECT_EQ(there.peakBytes, here.peakBytes);
  }
}
