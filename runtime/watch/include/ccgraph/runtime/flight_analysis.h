// Flight analysis: who holds up a run, told from the records of its ranks.
//
// The records are laid side by side, collective by collective: the third of a group on one rank is the third on every other.
// Where ranks brought different things, those who are fewer are the culprits. Where they are as many, a rank that departs from
// its own plan is, if records tell of plans; else none is named. Where nobody disagrees, but some wait, a rank that has left out what
// others launch is; else the ranks that they wait for are followed until one is found that waits for nobody: it has ended, or is busy
// with something else. A rank that left no record is taken to be no more. So one sentence
// names the culprit and the first collective at which it shows:
//
//   rank 1 is the culprit: collective 3 of group 0 is all_gather f32[4] on ranks 0 and 2, and all_reduce f32[8] on rank 1
//   rank 2 is the culprit: it has not launched collective 5 of group tp, all_reduce sum f32[64] `ar`, for which ranks 0 and 1
//   wait; it is busy with `mm`
//
// PyTorch's dumps (ccgraph/frontend/flight_file.h) and ours are judged alike; a rank in whose ring a collective is no more is not
// asked about it.
//
// Ownership: plain values. Failure: none. Cost: linear in the calls, with a sort.
#pragma once

#include "ccgraph/ir/flight_record.h"

#include "llvm/ADT/ArrayRef.h"

namespace ccgraph::runtime {

struct FlightVerdict {
  /// Nothing is wrong as far as the records tell.
  bool agree = true;
  /// In ascending order; none where it cannot be told who is wrong.
  std::vector<int64_t> culprits;
  /// One sentence without a stop.
  std::string sentence;
};

/// One record a rank, in any order.
[[nodiscard]] FlightVerdict analyzeFlight(llvm::ArrayRef<FlightRecord> records);

} // namespace ccgraph::runtime
