// Roofline: a kernel takes as long as the slower of its operations and its bytes, and a launch.
//
// Pure functions of machine and work, in picoseconds that are not rounded yet. Failure: none. Cost: a division.
#pragma once

#include "ccgraph/passes/cost.h"

namespace ccgraph {

/// What binds a kernel, and how long.
struct RooflineTime {
  double picoseconds = 0;
  /// true: operations; false: memory
  bool boundByOperations = false;
};

/// The dtype that decides how fast a node's products run: that of its first tensor operand, else of its result.
[[nodiscard]] DType arithmeticDType(const Node &node);

/// Without the launch.
[[nodiscard]] RooflineTime rooflineOf(const Machine &machine, const Work &work, DType dtype);

/// Bytes over memory, without the launch.
[[nodiscard]] double memoryPicoseconds(const Machine &machine, double bytes);

} // namespace ccgraph
