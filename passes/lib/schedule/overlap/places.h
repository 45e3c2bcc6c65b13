// Orders of steps, and the position of each step.
//
// Ownership: the caller owns the results. Failure: none. Cost: O(n).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ccgraph::overlap {

/// Returns, by step, its position in the order.
[[nodiscard]] std::vector<size_t> placesOf(const std::vector<uint32_t> &order);

/// Returns the steps of the order sorted by these positions; steps with the same position keep their order.
[[nodiscard]] std::vector<uint32_t> orderedBy(const std::vector<size_t> &places, const std::vector<uint32_t> &order);

} // namespace ccgraph::overlap
