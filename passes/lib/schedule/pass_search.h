// The search for schedules as a pass asks for it: its options.
//
// Failure: none. Cost: constant.
#pragma once

#include "ccgraph/ir/durations.h"
#include "ccgraph/passes/pass.h"
#include "schedule/overlap/search.h"

namespace ccgraph {

/// Returns the options of a search within the budget of the context, with no known orders. Without a limit there are
/// 1000 walks. The beam is at most 512 wide: a wider one takes seconds and has found no better schedule.
[[nodiscard]] overlap::SearchOptions searchOptionsOf(const PassContext &context, Count walks, Count beam);

} // namespace ccgraph
