// Equivalence flags: what --check-equivalence and the flags beside it ask.
//
// Ownership: plain values. Failure: recorded values that cannot be read. Cost: that of reading them.
#pragma once

#include "ccgraph/toolkit/equivalence_check.h"
#include "driver/opt_options.h"

namespace ccgraph::driver {

/// Only a pipeline that declares that it adds floats in another order is given a tolerance. With --compare nothing is known
/// of how the other graph came about, so equal means bitwise equal.
[[nodiscard]] llvm::Expected<EquivalenceQuestion>
equivalenceQuestion(const OptOptions &options, const Pipeline &pipeline, const ObjectMeanings &objects);

} // namespace ccgraph::driver
