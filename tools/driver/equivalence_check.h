// --check-equivalence N: the graph before and after, on N ranks of the reference interpreter, on
// the same inputs.
//
// Inputs are those of --values where it is given, else seeded ones (seeded_inputs.h).
//
// Ownership: borrows both graphs. Failure: an error if inputs or objects cannot be read; that the
// graphs differ is an answer, not an error. Cost: two runs of the program on N ranks.
#pragma once

#include "ccgraph/ir/graph.h"
#include "driver/opt_options.h"

#include <string>

namespace ccgraph::driver {

struct EquivalenceAnswer {
  bool holds = false;
  std::string verdict; ///< one line
  std::string details; ///< differences, or why nothing was compared; lines, maybe none
};

/// Bitwise, or within `reassociationTolerance` if a pass of the pipeline declares that it reorders a reduction.
[[nodiscard]] llvm::Expected<EquivalenceAnswer> checkEquivalenceOf(const Graph &before, const Graph &after,
                                                                   const OptOptions &options, const Pipeline &pipeline);

} // namespace ccgraph::driver
