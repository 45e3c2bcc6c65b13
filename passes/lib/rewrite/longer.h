// Longer: how much longer the replacement of a node takes than the node.
//
// Ownership: none. Failure: none. Cost: constant.
#pragma once

#include <cstdint>

namespace ccgraph {

/// Returns by how many percent `after` is longer than `before`, rounded up; 0 if it is not longer, and the largest
/// number if `before` is 0.
[[nodiscard]] int64_t percentLonger(int64_t before, int64_t after);

} // namespace ccgraph
