// Orders of steps, and the place that each step has.
//
// Ownership: results are the caller's. Fails never. Cost: O(n).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ccgraph::overlap {

/// By step: its place in the order.
[[nodiscard]] std::vector<size_t> placesOf(const std::vector<uint32_t> &order);

/// The steps of the order by these places, of which several may have one: those keep their order.
[[nodiscard]] std::vector<uint32_t> orderedBy(const std::vector<size_t> &places, const std::vector<uint32_t> &order);

} // namespace ccgraph::overlap
