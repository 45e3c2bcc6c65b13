#include "schedule/overlap/ordered_tasks.h"

#include "gtest/gtest.h"

#include <atomic>
#include <thread>
#include <vector>

using namespace ccgraph::overlap;

namespace {

std::vector<int> takenOf(OrderedTasks<int> &tasks) {
  std::vector<int> taken;
  while (!tasks.empty())
    taken.push_back(tasks.take());
  return taken;
}

} // namespace

TEST(OrderedTasks, ResultsAreTakenInTheOrderOfTheTasks) {
  for (const unsigned threads : {1U, 4U}) {
    OrderedTasks<int> tasks(threads);
    std::atomic<bool> hasLater = false;
    // With several threads, the first task ends after the second one.
    tasks.add([&hasLater, threads] {
      while (threads > 1 && !hasLater)
        std::this_thread::yield();
      return 1;
    });
    tasks.add([&hasLater] {
      hasLater = true;
      return 2;
    });
    tasks.add([] { return 3; });
    EXPECT_EQ(takenOf(tasks), (std::vector<int>{1, 2, 3})) << threads << " threads";
  }
}

TEST(OrderedTasks, OneThreadRunsEachTaskWhenItsResultIsTaken) {
  OrderedTasks<std::thread::id> tasks(1);
  EXPECT_FALSE(tasks.isFull());
  unsigned runs = 0;
  tasks.add([&runs] {
    ++runs;
    return std::this_thread::get_id();
  });
  EXPECT_TRUE(tasks.isFull());
  EXPECT_EQ(runs, 0U);
  EXPECT_EQ(tasks.take(), std::this_thread::get_id());
  EXPECT_EQ(runs, 1U);
}

TEST(OrderedTasks, IsFullWhenEachThreadHasTwoTasks) {
  OrderedTasks<int> tasks(2);
  for (int i = 0; i < 4; ++i) {
    tasks.add([i] { return i; });
    EXPECT_FALSE(tasks.isFull());
  }
  tasks.add([] { return 4; });
  EXPECT_TRUE(tasks.isFull());
  EXPECT_EQ(takenOf(tasks), (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(OrderedTasks, TasksWhoseResultsAreNotTakenHaveEndedAfterwards) {
  std::atomic<unsigned> begun = 0, ended = 0;
  {
    OrderedTasks<int> tasks(2);
    for (int i = 0; i < 4; ++i)
      tasks.add([&begun, &ended, i] {
        ++begun;
        std::this_thread::yield();
        ++ended;
        return i;
      });
  }
  EXPECT_EQ(begun, ended);
}
