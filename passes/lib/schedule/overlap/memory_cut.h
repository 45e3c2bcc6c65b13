// memoryCut: computes the minimum memory of any order while one step runs, and the steps before it in such an order.
//
// In every order, the step's dependences come before it and its dependents after it. All other steps may be on either
// side, as long as none precedes its own dependences; inputs come first, and the last step stays last. A storage is
// live at the step if its allocation comes before and some holder after. The cheapest choice is a minimum cut between
// the two sides.
//
// Example: at the peak, s = sigmoid(a) is live because the backward pass reads it. If a is live anyway, s can be
// computed after the peak; if a dies with s, the larger of the two decides.
//
// Ownership: plain values. Failure: none. Cost: linear in edges and holders, and a flow through the steps that may be
// on either side.
#pragma once

#include "schedule/overlap/problem.h"

namespace ccgraph::overlap {

struct MemoryCut {
  /// minimum of any order while the step runs
  int64_t bytes = 0;
  /// by step: true if it comes before; false for the step itself
  std::vector<bool> before;
};

[[nodiscard]] MemoryCut memoryCut(const Problem &problem, uint32_t step);

enum class Side : uint8_t { Before, After, Either };

/// On which side of the step the others are, in every order whose memory at the step fits a budget, and how far that
/// memory rises above the minimum where they can be on either side.
///
/// A step is on one side if the cheapest choice with it on the other side exceeds the budget. The cost of a side is the
/// flow that the maximum flow still admits between the step and the source or the sink.
///
/// In the network of the minimum cut, the edge of each storage has some capacity left. If a step that begins the
/// storage comes before, and a later holder must come after, that capacity is a path of its own from source to sink. So
/// the memory of an order is at least `bytes` and the sum of these, over all such storages.
struct MemorySides {
  /// as in MemoryCut
  int64_t bytes = 0;
  /// by step; without what the budget forces if `bytes` exceeds it
  std::vector<Side> side;
  /// steps that only the budget forces to one side
  std::vector<uint32_t> forced;
  /// by storage: bytes that it adds if its first holder comes before; 0 if that is not known
  std::vector<int64_t> ifBegun;
  /// by storage: bytes that it adds if any holder comes after; 0 if that is not known
  std::vector<int64_t> ifKept;
};

/// `work`: the number of edges of the network that the tests of steps may visit; where it ends, steps stay `Either`.
[[nodiscard]] MemorySides memorySides(const Problem &problem, uint32_t step, int64_t budget, size_t work);

} // namespace ccgraph::overlap
