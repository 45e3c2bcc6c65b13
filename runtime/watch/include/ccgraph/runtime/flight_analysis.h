// Flight analysis: finds the ranks that stall a run, from the records of its ranks.
//
// The records are aligned by collective: the third of a group on one rank matches the third on every other rank. If
// ranks launched different collectives, the minority are the culprits. If both sides are equal in number, a rank that
// departs from its own plan is the culprit, if records contain plans; otherwise none is named. If ranks agree but some
// wait, a rank that left out a collective of the others is the culprit. Otherwise the chain of waits is followed to a
// rank that waits for no other: it has ended, or is busy with another step. A rank without a record counts as lost. One
// sentence names the culprit and the first collective that shows the error:
//
//   rank 1 is the culprit: collective 3 of group 0 is all_gather f32[4] on ranks 0 and 2, and all_reduce f32[8] on rank
//   1
//   rank 2 is the culprit: it has not launched collective 5 of group tp, all_reduce sum f32[64] `ar`, for which ranks 0
//   and 1 wait; it is busy with `mm`
//
// PyTorch's dumps (ccgraph/frontend/flight_file.h) and ours are analyzed in the same way. A rank whose ring has dropped
// a collective is not compared for it.
//
// Ownership: plain values. Failure: none. Cost: linear in the calls, with a sort.
#pragma once

#include "ccgraph/ir/flight_record.h"

#include "llvm/ADT/ArrayRef.h"

namespace ccgraph::runtime {

struct FlightVerdict {
  /// true where the records show no error
  bool agree = true;
  /// In ascending order; none where the culprit cannot be determined.
  std::vector<int64_t> culprits;
  /// One sentence without a stop.
  std::string sentence;
};

/// `records` has one record a rank, in any order.
[[nodiscard]] FlightVerdict analyzeFlight(llvm::ArrayRef<FlightRecord> records);

} // namespace ccgraph::runtime
