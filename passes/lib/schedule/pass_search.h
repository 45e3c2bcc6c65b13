// The search for schedules as a pass asks for it: its options and its result.
//
// A pass that compares schedules of changed programs searches the program as it stands thoroughly, and each changed one
// once. chunk-collectives searches both as -O2 does, and schedule-overlap then at least as thoroughly. So a pass
// changes nothing for a schedule that is slower than the one that `-O2` finds for the same nodes.
//
// Failure: none.
#pragma once

#include "ccgraph/ir/durations.h"
#include "ccgraph/passes/pass.h"
#include "schedule/search_record.h"

namespace ccgraph {

/// The trial schedules and the width of the beam without options.
inline constexpr unsigned usualWalks = 16;
inline constexpr size_t usualBeam = 64;

/// Returns the options of a search within the budget of the context, with no known orders. Without a limit there are
/// 1000 walks. The beam is at most 512 wide: a wider one takes seconds and has found no better schedule. A search that
/// is longer than the usual one has several threads.
[[nodiscard]] overlap::SearchOptions searchOptionsOf(const PassContext &context, Count walks, Count beam);

/// Returns what the search finds. It uses the whole budget: its waits are as late as `sink-waits` makes them.
/// Cost: that of the search, and two replays for each limit of full effort.
[[nodiscard]] overlap::Schedule searchSchedule(const overlap::Problem &problem, const overlap::SearchOptions &options);

/// Returns the faster of two schedules within the budget: those that searchSchedule() finds with these options and with
/// the usual number of trial schedules, if that is less. More trials alone may end in a slower step, because the last
/// improvements then start from another schedule.
[[nodiscard]] overlap::Schedule searchThoroughly(const overlap::Problem &problem,
                                                 const overlap::SearchOptions &options);

/// searchSchedule() or searchThoroughly().
enum class Effort : uint8_t { Once, Thorough };

/// A problem, and the nodes of its program.
struct ProgramSteps {
  const overlap::Problem &problem;
  llvm::ArrayRef<Node *> nodes;
  ProgramSteps(const overlap::Problem &problem, llvm::ArrayRef<Node *> nodes) : problem(problem), nodes(nodes) {}
  ProgramSteps(const overlap::GraphProblem &given) : problem(given.problem), nodes(given.nodes) {}
};

/// Returns what the search finds, from the record if it has the result, and adds the result to the record. With known
/// orders, the record is not used.
[[nodiscard]] overlap::Schedule searchRecorded(SearchRecord &record, const ProgramSteps &program,
                                               const overlap::SearchOptions &options, Effort effort);
/// Adds the result to the record unless the record has it, and returns its key. The options must have no known orders.
[[nodiscard]] std::string recordSearch(SearchRecord &record, const ProgramSteps &program,
                                       const overlap::SearchOptions &options, Effort effort);

} // namespace ccgraph
