#include "schedule/pass_search.h"

namespace ccgraph {

overlap::SearchOptions searchOptionsOf(const PassContext &context, Count walks, Count beam) {
  constexpr int64_t allWalks = 1000, widestBeam = 512;
  return {context.memoryBudget().value_or(overlap::unlimited), static_cast<unsigned>(walks.limit.value_or(allWalks)),
          static_cast<size_t>(std::min(beam.limit.value_or(widestBeam), widestBeam)), context.inputPeak()};
}

} // namespace ccgraph
