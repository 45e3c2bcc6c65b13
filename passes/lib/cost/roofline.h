// Roofline: a kernel takes the longer of its operation time and its memory time, plus a launch.
//
// Pure functions of machine and work, in unrounded picoseconds. Failure: none. Cost: a division.
#pragma once

#include "ccgraph/passes/cost.h"

namespace ccgraph {

/// The time of a kernel and the limit that binds it.
struct RooflineTime {
  double picoseconds = 0;
  /// true: operations; false: memory
  bool boundByOperations = false;
};

/// Returns the dtype that determines the rate of a node's products: that of its first tensor operand, else of its
/// result.
[[nodiscard]] DType arithmeticDType(const Node &node);

/// Returns the time without the launch.
[[nodiscard]] RooflineTime rooflineOf(const Machine &machine, const Work &work, DType dtype);

/// Returns the time of the bytes at memory bandwidth, without the launch.
[[nodiscard]] double memoryPicoseconds(const Machine &machine, double bytes);

} // namespace ccgraph
