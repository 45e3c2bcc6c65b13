#include "engine/rank_threads.h"

#include <barrier>
#include <thread>

namespace ccgraph::runtime {

static void runRank(const RankThread &rank, const RankThreads &threads, Watch &watch) {
  MemoryLimit limit(threads.account);
  llvm::Expected<RankLoop::End> end = rank.run(watch);
  if (!end)
    watch.fail(rank.sleeper->rank(), end.takeError());
  else if (*end == RankLoop::End::Dead)
    watch.lose(*rank.sleeper);
  watch.leave(*rank.sleeper);
}

llvm::Error runOnThreads(const RankThreads &threads) {
  std::vector<const Sleeper *> sleepers;
  for (const RankThread &rank : threads.ranks)
    sleepers.push_back(rank.sleeper);
  Watch watch(sleepers, threads.deadline);
  if (threads.prepare)
    threads.prepare(watch);
  std::vector<std::thread> running;
  std::barrier<> start(threads.together ? static_cast<std::ptrdiff_t>(threads.ranks.size()) : 0);
  for (const RankThread &rank : threads.ranks)
    running.emplace_back([&] {
      if (threads.together)
        start.arrive_and_wait();
      runRank(rank, threads, watch);
    });
  watch.awaitEnd();
  for (std::thread &thread : running)
    thread.join();
  return watch.takeError();
}

} // namespace ccgraph::runtime
