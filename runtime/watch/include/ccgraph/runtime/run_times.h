// Run times: the times of a run, computed from the records of its ranks.
//
//   in flight   a rank has launched a communication that is not complete
//   exposed     in flight while the rank runs no computing step: the communication that the schedule does not overlap
//   busbw       bytes a second that pass over a rank's link in a ring, as nccl-tests define it (doc/PERFORMANCE.md
//               there): size / time * factor, so it is comparable with the hardware's bandwidth for any number of ranks
//
// With n ranks, the size of a collective is that of its largest row, and the factor
//   all_reduce                                        2 (n - 1) / n
//   all_gather, reduce_scatter, all_to_all, scatter   (n - 1) / n
//   broadcast, send, recv                             1
// A collective lasts from its launch by the last rank to its completion on the last: before that, ranks wait for a rank
// and not for the network. If only one rank has a record, it lasts from its own launch.
//
// Ownership: plain values. Failure: none; calls that a record has dropped are not counted. Cost: linear in the calls
// and steps, with a sort.
#pragma once

#include "ccgraph/ir/flight_record.h"

#include "llvm/ADT/ArrayRef.h"

#include <map>

namespace ccgraph::runtime {

/// All collectives of one kind on one group.
struct CollectiveTimes {
  std::string operation;
  std::string group;
  size_t ranks = 0;
  size_t calls = 0;
  int64_t bytes = 0;
  double seconds = 0;

  /// Returns bytes a second; 0 where the time is 0.
  [[nodiscard]] double busBandwidth() const;
};

struct RunTimes {
  /// from the beginning of the first step on any rank to the end of the last, in seconds
  double steps = 0;
  /// of the rank with the most exposed communication, in seconds
  double inFlight = 0;
  double exposed = 0;
  /// in the order of their first calls
  std::vector<CollectiveTimes> collectives;
  /// By index in the plan: seconds; for a computing step the mean over the ranks.
  std::map<int64_t, double> byStep;
};

[[nodiscard]] RunTimes measureRun(llvm::ArrayRef<FlightRecord> records);

} // namespace ccgraph::runtime
