#include "rewrite/longer.h"

#include <limits>

namespace ccgraph {

int64_t percentLonger(int64_t before, int64_t after) {
  if (after <= before)
    return 0;
  constexpr int64_t whole = 100;
  return before == 0 ? std::numeric_limits<int64_t>::max() : ((after - before) * whole + before - 1) / before;
}

} // namespace ccgraph
