// Replay: how long a step takes if every item takes its median time, as the programs of the ranks order the items.
//
// A collective begins when all members have launched it and the collective before it on the same ranks has ended; it
// then takes its transfer. A wait holds the lane until the collective has ended, and for the time that the program then
// took to run again. The step is repeated, so that a delay at its end shows at the begin of the next one.
//
// Ownership: plain values. Failure: no result if ranks wait for each other for ever, which no measured job does.
// Cost: linear in items, ranks and repetitions.
#pragma once

#include "lanes.h"

namespace ccgraph::measured {

struct ReplayItem {
  ItemKey key;
  int64_t duration = 0;           ///< of a wait: from the end of the collective until the program runs
  int64_t unmatched = 0;          ///< of a pause: the part in events that are no node
  int64_t delay = 0;              ///< of a launch: until the arrival
  int32_t transfer = -1;          ///< of a launch: index in ReplayJob::transfers; -1: not recorded
  std::vector<int32_t> completes; ///< of a wait: indices in ReplayJob::transfers
};

struct ReplayTransfer {
  NodeIndex node = 0;
  std::vector<size_t> members; ///< indices of ranks
  int64_t duration = 0;        ///< from the last arrival to the end
  std::vector<int32_t> before; ///< by member: the collective before it on the same ranks; -1: none in the step
};

/// The medians of a job.
struct ReplayJob {
  std::vector<std::vector<ReplayItem>> ranks;
  std::vector<ReplayTransfer> transfers;
  /// repetitions; with one, no time between steps is known
  size_t repetitions = 1;
  /// Returns the nanoseconds of a repetition.
  [[nodiscard]] std::optional<int64_t> step() const;
};

[[nodiscard]] ReplayJob replayOf(const MatchedJob &job, const JobLanes &lanes);

} // namespace ccgraph::measured
