// searchUnder: the best of several walks over one program under one memory limit.
//
// A walk is quick and its policy decides much: how large buckets may be, how early parameters are fetched, how much
// computation is deferred. The best policy depends on the program, so several are tried, one change at a time from the
// best so far (coordinate descent), by the clock of the walk itself, which tests hold to replay(). On a crowded machine
// (Problem::crowding), which a walk does not know, replay() judges what it found. Walks plan with the limit, or less; a
// last one plans with more, and counts where it does not need it: so a limit that a schedule fits is not passed over
// because of what the plan took it for.
//
// Deterministic: a function of the problem, the starts and the options alone. Ownership: plain values. Failure: none; a
// start is what it falls back to. Cost: `maxWalks` walks, and one or two.
#pragma once

#include "schedule/overlap/search.h"
#include "schedule/overlap/starts.h"

namespace ccgraph::overlap {

/// Bytes over the limit, then picoseconds: less is better.
using Rank = std::pair<int64_t, int64_t>;
[[nodiscard]] Rank rankUnder(int64_t limit, const Schedule &schedule);

/// The fastest schedule within the budget, which is the limit; where none was found, the one of the lowest peak. The
/// program as it stands wins a tie, and everything over the budget that is no lower. `starts` has its bases.
[[nodiscard]] Schedule searchUnder(const Problem &problem, const Starts &starts, const SearchOptions &options);

} // namespace ccgraph::overlap
