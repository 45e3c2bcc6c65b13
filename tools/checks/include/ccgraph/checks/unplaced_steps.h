// compareUnplacedSteps: compares a parallel step with the step of one device where no placements are stated.
//
// Inputs correspond by name. Inputs whose names a tracer made up (arg3_1, primals_4), or that have no counterpart of
// their name, correspond by their sizes if only one fits, else by position. Sizes state which dimensions are cut. Where
// sizes leave several axes or orders, inputs of equal sizes and cuts are held alike, and each way is tried. Outputs
// correspond by position, or by the inputs that they update; values decide how the ranks hold them.
//
// Never a certain answer from a guess:
//   the same       some correspondence makes all outputs equal; `assumed` states what it took for granted. An output of
//                  no dimensions may be a partial sum or mean, as the loss of a data-parallel rank is; others may not.
//   not the same   names and sizes leave one correspondence, and it makes an output differ
//   undecided      everything else: `assumed` names the inputs and outputs, their candidates, and asks for placements
//
// Ownership: borrows the graphs. Failure: a DiagnosticError of the comparison. Cost: that of compareSteps, and one
// evaluation for each correspondence that is tried, at most 16.
#pragma once

#include "ccgraph/equality/same_step.h"

namespace ccgraph {

struct UnplacedSteps {
  const Graph *single = nullptr;
  /// by rank
  std::vector<equality::RankStep> ranks;
  /// evaluations with different numbers, at least 1
  unsigned trials = 2;
  uint64_t seed = 1;
};

[[nodiscard]] llvm::Expected<equality::StepAnswer> compareUnplacedSteps(const UnplacedSteps &steps);

} // namespace ccgraph
