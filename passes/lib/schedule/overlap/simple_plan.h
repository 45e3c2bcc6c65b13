// simplePlan: the schedule that engineers choose by hand: one bucket a layer.
//
//   before   g1 w1 a; g2 w2 b; g3 w3 c; g4 w4 d; ...; x; r1 v1; y; r2 v2; z
//   after    g1+g2 w1 a; g3+g4 w2 b; w3 c; w4 d; ...; x; y; r1+r2; z; v1 v2         two collectives in a layer
//
// The collectives on parameters of one layer are one bucket, which is issued when the layer before begins. The
// reductions of one layer are one bucket after the last of them, and nothing waits for it before the next such bucket
// is issued. Computation keeps its order. A layer is a period in the sizes of the collectives that may be merged. If
// the latency of these buckets is most of their time, all collectives of a kind become one bucket. Collectives with
// readers soon, such as the exchanges of tensor parallelism, stay where they are.
//
// A trial schedule (walk.h) issues a collective as soon as its stream is idle, so it never makes such a bucket.
//
// Ownership: plain values. Failure: empty if the buckets together save less than a thousandth of the computation. Cost:
// that of arrange(); for the periods, collectives times half their number at worst.
#pragma once

#include "schedule/overlap/tasks.h"

#include <optional>

namespace ccgraph::overlap {

/// `bytes` are those of consecutive collectives. Returns, for each layer and for the collectives between layers, the
/// index after its last one; a single layer with all of them if their sizes have no period.
[[nodiscard]] std::vector<size_t> layersOf(llvm::ArrayRef<int64_t> bytes);

/// `tasks` must be those of the problem. Does not set Schedule::picoseconds and peakBytes.
[[nodiscard]] std::optional<Schedule> simplePlan(const Problem &problem, const Tasks &tasks);

} // namespace ccgraph::overlap
