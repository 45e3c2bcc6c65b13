// A program in another order: its steps renumbered, or with edges added that it keeps.
//
// Ownership: the results refer to the problem, which must outlive them. Failure: nullopt where said. Cost: linear in
// steps, edges and holders; log steps each if the order changes.
#pragma once

#include "schedule/overlap/problem.h"

#include <optional>
#include <utility>

namespace ccgraph::overlap {

/// Returns the same program with its steps numbered in this order: step i is step order[i] of the problem.
[[nodiscard]] Problem renumbered(const Problem &problem, const std::vector<uint32_t> &order);

struct OrderedProblem {
  Problem problem;
  /// by step of the original problem
  std::vector<size_t> numberOf;
};

/// An earlier step, and a later one.
using StepPair = std::pair<uint32_t, uint32_t>;

/// Returns the same program with these edges too, in its own order if that has them all; nullopt if no order has.
[[nodiscard]] std::optional<OrderedProblem> withEdges(const Problem &problem, const std::vector<StepPair> &edges);

} // namespace ccgraph::overlap
