// The search for schedules as a pass asks for it: its options and its result.
//
// A pass that compares schedules of changed programs searches the program as it stands thoroughly, and each changed one
// once, except chunk-collectives: schedule-overlap then searches the same program as thoroughly. So a pass changes
// nothing for a schedule that is slower than the one that `-O2` finds for the same nodes.
//
// Failure: none.
#pragma once

#include "ccgraph/ir/durations.h"
#include "ccgraph/passes/pass.h"
#include "schedule/overlap/search.h"

namespace ccgraph {

/// The trial schedules and the width of the beam without options.
inline constexpr unsigned usualWalks = 16;
inline constexpr size_t usualBeam = 64;

/// Returns the options of a search within the budget of the context, with no known orders. Without a limit there are
/// 1000 walks. The beam is at most 512 wide: a wider one takes seconds and has found no better schedule.
[[nodiscard]] overlap::SearchOptions searchOptionsOf(const PassContext &context, Count walks, Count beam);

/// Returns what the search finds. It uses the whole budget: its waits are as late as `sink-waits` makes them.
/// Cost: that of the search, and two replays.
[[nodiscard]] overlap::Schedule searchSchedule(const overlap::Problem &problem, const overlap::SearchOptions &options);

/// Returns the faster of two schedules within the budget: those that searchSchedule() finds with these options and with
/// the usual number of trial schedules, if that is less. More trials alone may end in a slower step, because the last
/// improvements then start from another schedule.
[[nodiscard]] overlap::Schedule searchThoroughly(const overlap::Problem &problem, overlap::SearchOptions options);

} // namespace ccgraph
