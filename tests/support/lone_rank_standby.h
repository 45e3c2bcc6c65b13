// LoneRankStandby is the standby of a rank that runs alone in its process: it never reports news from other ranks.
//
// Ownership, failure, cost: none.
#pragma once

#include "engine/rank_loop.h"

namespace ccgraph::test {

class LoneRankStandby final : public runtime::Standby {
public:
  [[nodiscard]] uint64_t news() override { return 0; }
  void sleep(const runtime::Sleeper &, uint64_t, Since &) override {}
  void rest(uint64_t, Clock::time_point) override {}
  [[nodiscard]] bool isOver() override { return false; }
};

} // namespace ccgraph::test
