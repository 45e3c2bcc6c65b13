// runOnThreads: the ranks of a run in this process, a thread each, under one watch.
//
// Ownership: borrows all. Failure: the error of the lowest rank that failed. Cost: a thread a rank.
#pragma once

#include "engine/rank_loop.h"
#include "process/memory_limit.h"

#include <functional>

namespace ccgraph::runtime {

/// One rank, as its thread runs it.
struct RankThread {
  const Sleeper *sleeper = nullptr;
  std::function<llvm::Expected<RankLoop::End>(Standby &)> run;
};

struct RankThreads {
  std::vector<RankThread> ranks;
  std::chrono::milliseconds deadline;
  std::shared_ptr<MemoryAccount> account;
  /// no rank begins before all of them can
  bool together = false;
  /// called with the ranks' watch, before the first rank begins
  std::function<void(Watch &)> prepare = {};
};
[[nodiscard]] llvm::Error runOnThreads(const RankThreads &threads);

} // namespace ccgraph::runtime
